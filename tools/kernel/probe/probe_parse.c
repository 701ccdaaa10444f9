/* SPDX-License-Identifier: MIT */
/* Splits a definition of a probe into its parts: kind, name, place and the rest. */
#include <stdarg.h>
#include <string.h>

#include "common/cli/memory.h"
#include "probe.h"

int fault_at(struct fault *fault, size_t at, const char *format, ...)
{
	va_list arguments;

	if (fault->reason)
		return -1;
	va_start(arguments, format);
	fault->reason = xvprintf(format, arguments);
	va_end(arguments);
	fault->at = at;
	return -1;
}

char *part_text(struct part part)
{
	return xstrndup(part.length ? part.at : "", part.length);
}

int part_is(struct part part, const char *text)
{
	return part.length == strlen(text) && !memcmp(part.at, text, part.length);
}

static int is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

int part_is_name(struct part part)
{
	if (!part.length || !is_letter(*part.at))
		return 0;
	for (size_t i = 1; i < part.length; i++)
		if (!is_letter(part.at[i]) && !is_digit(part.at[i]))
			return 0;
	return 1;
}

static unsigned digit_of(char c)
{
	if (is_digit(c))
		return (unsigned)(c - '0');
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
}

int part_number(struct part part, uint64_t *number)
{
	unsigned base = 10;

	*number = 0;
	if (part.length > 1 && part.at[0] == '0') {
		base = (part.at[1] | 0x20) == 'x' ? 16 : 8;
		part.at += base == 16 ? 2 : 1;
		part.length -= base == 16 ? 2 : 1;
	}
	if (!part.length)
		return -1;
	for (size_t i = 0; i < part.length; i++) {
		const unsigned digit = digit_of(part.at[i]);

		if (digit >= base || __builtin_mul_overflow(*number, base, number) ||
		    __builtin_add_overflow(*number, digit, number))
			return -1;
	}
	return 0;
}

#define BLANKS " \t"

static size_t place_of(const struct probe *probe, const char *at)
{
	return (size_t)(at - probe->text);
}

static struct part between(const char *begin, const char *end)
{
	return (struct part){ begin, (size_t)(end - begin) };
}

static const char *end_of(struct part part)
{
	return part.at + part.length;
}

/* The first, or last, such character of a part; NULL: none. */
static const char *first(struct part part, char c)
{
	return part.length ? memchr(part.at, c, part.length) : NULL;
}

static const char *last(struct part part, char c)
{
	return part.length ? memrchr(part.at, c, part.length) : NULL;
}

/* The first of several characters, or the end. */
static const char *first_of(struct part part, const char *characters)
{
	const char *at = part.at;

	while (at < end_of(part) && !strchr(characters, *at))
		at++;
	return at;
}

struct part part_next(struct part *rest)
{
	const char *begin = rest->at, *end = end_of(*rest);
	struct part word;

	while (begin < end && strchr(BLANKS, *begin))
		begin++;
	word = between(begin, first_of(between(begin, end), BLANKS));
	*rest = between(end_of(word), end);
	return word;
}

/* The kernel would take the rest of the text for another definition. */
static int check_characters(const struct probe *probe, struct fault *fault)
{
	const char *text = probe->text;

	for (size_t i = 0; text[i]; i++)
		if ((unsigned char)text[i] < ' ' && text[i] != '\t')
			return fault_at(fault, i,
					"a control character ends or splits the line");
	return 0;
}

/* The head: p, r5, p:NAME. Without a name, or with an empty one, one is made. */
static int take_head(struct probe *probe, struct part head, struct fault *fault)
{
	const char *colon = first(head, ':');
	struct part name = { 0 };
	const char *slash;

	/* "-:NAME" and "!p:NAME" remove a probe */
	if (!head.length || !is_letter(*head.at))
		return fault_at(fault, place_of(probe, head.at),
				"a definition begins with \"p\" (a function's entry or a "
				"place), \"r\" (its return) or \"e\" (an event)");
	probe->head = between(head.at, colon ? colon : end_of(head));
	probe->is_return = *head.at == 'r';
	if (*head.at == 'e')
		probe->kind = PROBE_EVENT;
	if (colon)
		name = between(colon + 1, end_of(head));
	slash = first(name, '/') ? first(name, '/') : first(name, '.');
	if (slash && !part_is(between(name.at, slash), PROBE_GROUP))
		return fault_at(fault, place_of(probe, name.at),
				"probes of this command are in the group %s; leave out "
				"\"%.*s\"",
				PROBE_GROUP, (int)(slash + 1 - name.at), name.at);
	probe->name = slash ? between(slash + 1, end_of(name)) : name;
	return 0;
}

/* Places */

/* "SYMBOL+OFFSET"; returns whether the offset is a number. */
static int take_symbol(struct probe *probe, struct part place)
{
	const char *plus = first(place, '+');

	probe->symbol = between(place.at, first_of(place, "+-"));
	return !plus || !part_number(between(plus + 1, end_of(place)), &probe->offset);
}

static void take_function(struct probe *probe)
{
	const struct part place = between(probe->place.at, first_of(probe->place, "%"));
	const char *colon = first(place, ':');

	probe->is_return |= place.length < probe->place.length;
	probe->is_address = place.length && is_digit(*place.at);
	if (colon)
		probe->module = between(place.at, colon);
	if (probe->is_address)
		part_number(place, &probe->offset);
	else
		take_symbol(probe, colon ? between(colon + 1, end_of(place)) : place);
}

/* "PATH:OFFSET" or "PATH:SYMBOL+OFFSET", and "%return" or "(COUNTER)" behind it */
static int take_program(struct probe *probe, const char *colon, struct fault *fault)
{
	const struct part all = between(colon + 1, end_of(probe->place));
	const struct part place = between(all.at, first_of(all, "%("));

	probe->kind = PROBE_PROGRAM;
	probe->path = between(probe->place.at, colon);
	probe->suffix = between(end_of(place), end_of(all));
	probe->is_return |= first(probe->suffix, '%') != NULL;
	/* the kernel would leave the name out */
	if (probe->head.length > 1 && is_digit(probe->head.at[1]))
		return fault_at(
			fault, place_of(probe, probe->head.at) + 1,
			"a number of instances is for functions of the kernel alone");
	if (!place.length || is_digit(*place.at)) {
		probe->symbol = between(place.at, place.at);
		part_number(place, &probe->offset);
		return 0;
	}
	if (take_symbol(probe, place) && probe->symbol.length)
		return 0;
	return fault_at(fault, place_of(probe, place.at),
			"\"%.*s\" is neither an offset nor FUNCTION[+OFFSET]",
			(int)place.length, place.at);
}

/* "SYSTEM/EVENT", or as the kernel lists it, "SYSTEM.EVENT" */
static void take_event(struct probe *probe)
{
	const char *slash = first_of(probe->place, "/.");

	probe->module = between(probe->place.at, slash);
	probe->symbol = slash == end_of(probe->place) ?
				between(slash, slash) :
				between(slash + 1, end_of(probe->place));
}

int probe_parse(struct probe *probe, const char *text, struct fault *fault)
{
	const char *colon;

	*probe = (struct probe){ .text = text, .rest = { text, strlen(text) } };
	*fault = (struct fault){ 0 };
	if (check_characters(probe, fault) ||
	    take_head(probe, part_next(&probe->rest), fault))
		return -1;
	probe->place = part_next(&probe->rest);
	colon = last(probe->place, ':');
	if (probe->kind == PROBE_EVENT)
		take_event(probe);
	else if (colon && memchr(probe->place.at, '/', (size_t)(colon - probe->place.at)))
		return take_program(probe, colon, fault);
	else
		take_function(probe);
	return 0;
}
