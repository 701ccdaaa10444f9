/* SPDX-License-Identifier: MIT */
/* Splits a definition of a probe into its parts: kind, name, place and arguments. */
#include <stdarg.h>
#include <string.h>

#include "common/cli/memory.h"
#include "probe.h"

/* Finds out what arguments of probes this kernel takes. */

/*
 * README in tracefs lists the types and arguments. Versions would not do: distributions
 * carry changes back.
 */
void grammar_read(struct grammar *grammar, const char *readme)
{
	const char *types = strstr(readme, "     type: s8/");

	*grammar = (struct grammar){
		.has_symstr = strstr(readme, "symstr,") != NULL,
		.has_dentry = strstr(readme, "%pd/%pD") != NULL,
		.has_entry_arguments =
			strstr(readme, "kernel return probes support: $retval, $arg") !=
			NULL,
		.has_variables = strstr(readme, "<argname>") != NULL,
	};
	if (types) {
		const char *found = strstr(types, " char,"), *line = strchr(types, '\n');

		grammar->has_char = found && line && found < line;
	}
}

/* Reads names and numbers in parts of a definition, and keeps its first fault. */

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

/* As the kernel's KRETPROBE_MAXACTIVE_MAX, and the longest line that it reads. */
#define MAXACTIVE_MAX 4096
#define DEFINITION_MAX 4000

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

/* The kernel would cut the line off there, or take the rest for another one. */
static int check_characters(const struct probe *probe, struct fault *fault)
{
	const char *text = probe->text;

	for (size_t i = 0; text[i]; i++) {
		if (text[i] == '#')
			return fault_at(
				fault, i,
				"'#' begins a comment for the kernel, which ignores "
				"the rest");
		if ((unsigned char)text[i] < ' ' && text[i] != '\t')
			return fault_at(fault, i,
					"a control character ends or splits the line");
	}
	return strlen(text) > DEFINITION_MAX ?
		       fault_at(fault, DEFINITION_MAX, "it is longer than %d bytes",
				DEFINITION_MAX) :
		       0;
}

/* Words */

static struct part next_word(const char **rest)
{
	const char *begin = *rest + strspn(*rest, " \t"), *end;

	end = begin + strcspn(begin, " \t");
	*rest = end;
	return between(begin, end);
}

static int take_arguments(struct probe *probe, const char *rest, struct fault *fault)
{
	struct part word;

	while ((word = next_word(&rest)).length) {
		if (probe->kind == PROBE_EVENT && part_is(word, "if")) {
			rest += strspn(rest, " \t");
			probe->filter = between(rest, rest + strlen(rest));
			return *rest ? 0 :
				       fault_at(fault, place_of(probe, rest),
						"a filter must follow \"if\"");
		}
		if (probe->argument_count == PROBE_ARGUMENTS_MAX)
			return fault_at(fault, place_of(probe, word.at),
					"a probe has %d arguments at most",
					PROBE_ARGUMENTS_MAX);
		probe->arguments[probe->argument_count++] = word;
	}
	return 0;
}

/* The head: p, r5, p:NAME */

static int take_name(struct probe *probe, struct part name, struct fault *fault)
{
	const size_t at = place_of(probe, name.at);
	const char *slash = first(name, '/') ? first(name, '/') : first(name, '.');

	if (slash && !part_is(between(name.at, slash), PROBE_GROUP))
		return fault_at(fault, at,
				"probes of this command are in the group %s; leave out "
				"\"%.*s\"",
				PROBE_GROUP, (int)(slash + 1 - name.at), name.at);
	if (slash)
		name = between(slash + 1, end_of(name));
	if (!name.length)
		return fault_at(fault, place_of(probe, name.at),
				"a name must follow ':'");
	if (!part_is_name(name))
		return fault_at(fault, place_of(probe, name.at),
				"the name \"%.*s\" is no "
				"identifier: letters, digits and '_', no digit first",
				(int)name.length, name.at);
	if (name.length > PROBE_NAME_MAX)
		return fault_at(fault, place_of(probe, name.at) + PROBE_NAME_MAX,
				"a name has %d characters at most", PROBE_NAME_MAX);
	probe->name = name;
	return 0;
}

static int take_maxactive(struct probe *probe, struct part digits, struct fault *fault)
{
	const size_t at = place_of(probe, digits.at);

	if (!digits.length)
		return 0;
	if (digits.at[0] < '0' || digits.at[0] > '9')
		return fault_at(fault, at,
				"':' and a name, or a blank, must follow \"%.1s\"",
				probe->text + place_of(probe, digits.at) - 1);
	if (!probe->is_return)
		return fault_at(fault, at, "a number of instances is for \"r\" alone");
	if (part_number(digits, &probe->maxactive) || !probe->maxactive ||
	    probe->maxactive > MAXACTIVE_MAX)
		return fault_at(fault, at, "the number of instances must be 1 to %d",
				MAXACTIVE_MAX);
	return 0;
}

static int take_head(struct probe *probe, struct part head, struct fault *fault)
{
	const size_t at = place_of(probe, head.at);
	const char *colon = first(head, ':');
	const char kind = head.length ? *head.at : '\0';

	if (kind != 'p' && kind != 'r' && kind != 'e')
		return fault_at(fault, at,
				"a definition begins with \"p\" (a function's entry or a "
				"place), \"r\" (its return) or \"e\" (an event)");
	probe->is_return = kind == 'r';
	if (kind == 'e')
		probe->kind = PROBE_EVENT;
	if (take_maxactive(probe, between(head.at + 1, colon ? colon : end_of(head)),
			   fault))
		return -1;
	return colon ? take_name(probe, between(colon + 1, end_of(head)), fault) : 0;
}

/* Places */

/* Cut "%return" off. */
static int take_return(struct probe *probe, struct part *place, struct fault *fault)
{
	const char *percent = first(*place, '%');

	if (!percent)
		return 0;
	if (!part_is(between(percent, end_of(*place)), "%return"))
		return fault_at(fault, place_of(probe, percent),
				"only \"%%return\" may stand here");
	*place = between(place->at, percent);
	probe->is_return = 1;
	return 0;
}

/* "SYMBOL+OFFSET" */
static int take_symbol(struct probe *probe, struct part place, struct fault *fault)
{
	const char *plus = first(place, '+'), *minus = first(place, '-');
	struct part digits;

	if (minus && probe->kind == PROBE_FUNCTION)
		return fault_at(fault, place_of(probe, minus),
				"an offset to a function is not "
				"negative");
	probe->symbol = between(place.at, plus ? plus : end_of(place));
	if (!probe->symbol.length)
		return fault_at(fault, place_of(probe, place.at),
				"the name of a function is missing");
	if (!plus)
		return 0;
	digits = between(plus + 1, end_of(place));
	if (part_number(digits, &probe->offset) || probe->offset > UINT32_MAX)
		return fault_at(fault, place_of(probe, digits.at),
				"\"%.*s\" is no offset: a "
				"decimal number, or 0x",
				(int)digits.length, digits.at);
	if (probe->is_return && probe->offset)
		return fault_at(fault, place_of(probe, plus),
				"a return is of a whole function; leave "
				"the offset out");
	return 0;
}

static int take_function(struct probe *probe, struct fault *fault)
{
	struct part place = probe->place;
	const char *colon = first(place, ':');

	if (take_return(probe, &place, fault))
		return -1;
	if (place.length && *place.at >= '0' && *place.at <= '9') {
		probe->is_address = 1;
		return part_number(place, &probe->offset) ?
			       fault_at(fault, place_of(probe, place.at),
					"\"%.*s\" is no address: "
					"0x and hexadecimal digits",
					(int)place.length, place.at) :
			       0;
	}
	if (colon) {
		probe->module = between(place.at, colon);
		place = between(colon + 1, end_of(place));
	}
	if (colon && !probe->module.length)
		return fault_at(fault, place_of(probe, colon),
				"the name of a module is missing");
	return take_symbol(probe, place, fault);
}

/* "(OFFSET)" of a counter of users in the file (a semaphore of SystemTap's SDT) */
static int take_counter(struct probe *probe, struct part *place, struct fault *fault)
{
	const char *open = first(*place, '(');
	struct part digits;
	uint64_t number;

	if (!open)
		return 0;
	digits = between(open + 1, end_of(*place));
	if (!digits.length || digits.at[digits.length - 1] != ')')
		return fault_at(fault, place_of(probe, end_of(*place)), "')' is missing");
	digits.length--;
	if (part_number(digits, &number))
		return fault_at(fault, place_of(probe, digits.at),
				"\"%.*s\" is no offset of a "
				"counter: a decimal number, or 0x",
				(int)digits.length, digits.at);
	probe->counter = between(open, end_of(*place));
	*place = between(place->at, open);
	return 0;
}

static int take_program(struct probe *probe, const char *colon, struct fault *fault)
{
	struct part place = between(colon + 1, end_of(probe->place));

	probe->kind = PROBE_PROGRAM;
	probe->path = between(probe->place.at, colon);
	if (probe->maxactive)
		return fault_at(
			fault, 1,
			"a number of instances is for functions of the kernel alone");
	if (take_counter(probe, &place, fault) || take_return(probe, &place, fault))
		return -1;
	if (!place.length)
		return fault_at(fault, place_of(probe, place.at),
				"an offset in the file, or the "
				"name of a function, must follow ':'");
	if (*place.at < '0' || *place.at > '9')
		return take_symbol(probe, place, fault);
	return part_number(place, &probe->offset) ?
		       fault_at(fault, place_of(probe, place.at),
				"\"%.*s\" is no offset: a decimal "
				"number, or 0x",
				(int)place.length, place.at) :
		       0;
}

static int take_event(struct probe *probe, struct fault *fault)
{
	const struct part place = probe->place;
	const char *slash = first(place, '/');

	if (!slash)
		slash = first(place, '.');
	if (!slash)
		slash = first(place, ':');
	if (!slash || slash == place.at || slash + 1 == end_of(place))
		return fault_at(fault, place_of(probe, place.at),
				"the event must be given as "
				"SYSTEM/EVENT");
	probe->module = between(place.at, slash);
	probe->symbol = between(slash + 1, end_of(place));
	if (!part_is_name(probe->symbol))
		return fault_at(fault, place_of(probe, probe->symbol.at),
				"\"%.*s\" is no name of an "
				"event that the kernel attaches to",
				(int)probe->symbol.length, probe->symbol.at);
	return 0;
}

static int take_place(struct probe *probe, struct fault *fault)
{
	const char *colon = last(probe->place, ':');

	if (!probe->place.length)
		return fault_at(fault, place_of(probe, probe->place.at), "%s must follow",
				probe->kind == PROBE_EVENT ?
					"SYSTEM/EVENT" :
					"the function, PATH:OFFSET or PATH:SYMBOL");
	if (probe->kind == PROBE_EVENT)
		return take_event(probe, fault);
	if (first(probe->place, '/'))
		return colon ? take_program(probe, colon, fault) :
			       fault_at(fault, place_of(probe, end_of(probe->place)),
					":OFFSET or :SYMBOL must follow a path");
	return take_function(probe, fault);
}

int probe_parse(struct probe *probe, const char *text, struct fault *fault)
{
	const char *rest = text;
	struct part head;

	*probe = (struct probe){ .text = text };
	*fault = (struct fault){ 0 };
	if (check_characters(probe, fault))
		return -1;
	head = next_word(&rest);
	if (take_head(probe, head, fault))
		return -1;
	probe->place = next_word(&rest);
	return take_place(probe, fault) ? -1 : take_arguments(probe, rest, fault);
}
