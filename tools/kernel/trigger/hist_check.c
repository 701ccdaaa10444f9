/* SPDX-License-Identifier: MIT */
/* Checks the parts of which a histogram's trigger consists: keys=, vals=, size= and others. */
#include "trigger.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/options.h"

#define KEYS_MAX 3
#define VALUES_MAX 3 /* of which hitcount is always one */
#define SORTS_MAX 2
#define VARIABLES_MAX 16
#define SIZE_LEAST 128u
#define SIZE_MOST 131072u

/* The kernel uses the last of several, and forgets the others. */
enum part { KEYS, VALUES, SORT, NAME, CLOCK, SIZE, PARTS };

static const struct prefix {
	const char *text;
	enum part part;
} prefixes[] = {
	{ "keys=", KEYS },   { "key=", KEYS },	 { "vals=", VALUES }, { "values=", VALUES },
	{ "val=", VALUES },  { "sort=", SORT },	 { "name=", NAME },   { "clock=", CLOCK },
	{ "size=", SIZE },
};

#define PREFIXES (sizeof(prefixes) / sizeof(prefixes[0]))

struct span {
	size_t at, end;
};

struct parts {
	const struct hist_check *check;
	struct span spans[PARTS]; /* behind the "=" */
	unsigned variables;
	size_t variable_at; /* of the first */
};

static const char *const words[] = { "pause", "continue", "cont", "clear", "nohitcount", "NOHC" };

#define WORDS (sizeof(words) / sizeof(words[0]))

/* The end of the item of a list that begins at a place. */
static size_t item_end(const char *line, struct span list)
{
	while (list.at < list.end && line[list.at] != ',')
		list.at++;
	return list.at;
}

/* Call for each item of a list; their number, or -1 after a fault. */
static int each(const struct parts *parts, struct span list, enum hist_place place)
{
	const char *line = parts->check->line;
	int count = 0;

	for (;; list.at++) {
		size_t end = item_end(line, list);

		if (hist_check_expression(parts->check, list.at, end, place))
			return -1;
		count++;
		list.at = end;
		if (end == list.end)
			return count;
	}
}

static int check_keys(const struct parts *parts)
{
	const struct span list = parts->spans[KEYS];
	int count = each(parts, list, HIST_KEY);

	if (count <= KEYS_MAX)
		return count < 0 ? -1 : 0;
	return trigger_blame(parts->check->fault, list.at, "there are %d keys; the kernel takes "
			     "3 at most", count);
}

static int is_hitcount(const char *line, size_t at, size_t end)
{
	return end - at == 8 && !strncmp(line + at, "hitcount", 8);
}

static int check_values(const struct parts *parts)
{
	struct span list = parts->spans[VALUES];
	const char *line = parts->check->line;
	int count, has_hitcount = 0;

	if (!list.at)
		return 0;
	count = each(parts, list, HIST_VALUE);
	if (count < 0)
		return -1;
	for (struct span rest = list; rest.at < list.end; rest.at++) {
		has_hitcount |= is_hitcount(line, rest.at, item_end(line, rest));
		rest.at = item_end(line, rest);
	}
	if (count + !has_hitcount <= VALUES_MAX)
		return 0;
	return trigger_blame(parts->check->fault, list.at, "there are %d values with hitcount, "
			     "which always is one; the kernel takes 3 at most",
			     count + !has_hitcount);
}

/* Whether a list has an item of this name, with any modifier. */
static int has_item(const char *line, struct span list, const char *name, size_t length)
{
	for (; list.at < list.end; list.at++) {
		size_t end = item_end(line, list), dot = list.at;

		while (dot < end && line[dot] != '.')
			dot++;
		if ((dot - list.at == length && !strncmp(line + list.at, name, length)) ||
		    (end - list.at == length && !strncmp(line + list.at, name, length)))
			return 1;
		list.at = end;
	}
	return 0;
}

static int check_direction(const struct parts *parts, size_t at, size_t end)
{
	static const char *const directions[] = { "descending", "ascending" };
	char *text = xstrndup(parts->check->line + at, end - at);
	const char *near = nearest(text, directions, 2, sizeof(*directions));
	int result = 0;

	if (strcmp(text, directions[0]) && strcmp(text, directions[1]))
		result = trigger_blame(parts->check->fault, at, "\"%s\" is no order; write "
				       ".%s", text, near ? near : "ascending or .descending");
	free(text);
	return result;
}

static int check_sort_item(const struct parts *parts, size_t at, size_t end)
{
	const char *line = parts->check->line, *dot = memchr(line + at, '.', end - at);
	size_t name_end = dot ? (size_t)(dot - line) : end, length = name_end - at;

	/* the kernel lists common_stacktrace for both */
	if (!is_hitcount(line, at, name_end) &&
	    !has_item(line, parts->spans[KEYS], line + at, length) &&
	    !has_item(line, parts->spans[VALUES], line + at, length))
		return trigger_blame(parts->check->fault, at, "\"%.*s\" is none of the keys and "
				     "values; sort by one of them, or by hitcount", (int)length,
				     line + at);
	return dot ? check_direction(parts, name_end + 1, end) : 0;
}

static int check_sort(const struct parts *parts)
{
	struct span list = parts->spans[SORT];
	int count = 0;

	for (; list.at && list.at <= list.end; list.at++, count++) {
		size_t end = item_end(parts->check->line, list);

		if (count == SORTS_MAX)
			return trigger_blame(parts->check->fault, list.at, "the kernel sorts by 2 "
					     "fields at most; remove this one");
		if (check_sort_item(parts, list.at, end))
			return -1;
		list.at = end;
	}
	return 0;
}

static unsigned power_of_two(unsigned long long number)
{
	unsigned power = SIZE_LEAST;

	while (power < number && power < SIZE_MOST)
		power *= 2;
	return power;
}

static int check_size(const struct parts *parts)
{
	const struct span span = parts->spans[SIZE];
	char *text, *rest;
	unsigned long long size;
	int result = 0;

	if (!span.at)
		return 0;
	text = xstrndup(parts->check->line + span.at, span.end - span.at);
	size = strtoull(text, &rest, 0);
	if (!isdigit((unsigned char)*text) || *rest)
		result = trigger_blame(parts->check->fault, span.at, "\"%s\" is no number; write "
				       "such as size=2048", text);
	else if (size != power_of_two(size))
		result = trigger_blame(parts->check->fault, span.at, "the size must be a power of "
				       "two from 128 to 131072; write size=%u",
				       power_of_two(size));
	free(text);
	return result;
}

/* Variables */

static int check_variable(struct parts *parts, size_t at, size_t end)
{
	const char *line = parts->check->line, *equals = memchr(line + at, '=', end - at);

	if (!equals || equals == line + at || equals + 1 == line + end)
		return trigger_blame(parts->check->fault, at, "\"%.*s\" is no definition of a "
				     "variable; write NAME=FIELD", (int)(end - at), line + at);
	if (!parts->variables++)
		parts->variable_at = at;
	if (parts->variables > VARIABLES_MAX)
		return trigger_blame(parts->check->fault, at, "the kernel takes 16 variables at "
				     "most; remove this one");
	return hist_check_expression(parts->check, (size_t)(equals + 1 - line), end,
				     HIST_VARIABLE);
}

static int take_variables(struct parts *parts, struct span list)
{
	for (;; list.at++) {
		size_t end = item_end(parts->check->line, list);

		if (check_variable(parts, list.at, end))
			return -1;
		list.at = end;
		if (end == list.end)
			return 0;
	}
}

/* Words and actions */

static int take_word(struct parts *parts, struct span span)
{
	const struct hist_check *check = parts->check;
	char *text = xstrndup(check->line + span.at, span.end - span.at);
	const char *near;
	int result = 0;

	for (size_t i = 0; i < WORDS && !result; i++)
		result = !strcmp(text, words[i]);
	check->facts->is_for_existing |= !strncmp(text, "cont", 4) || !strcmp(text, "clear");
	if (result && toupper((unsigned char)*text) == 'N' && !check->support->has_nohitcount)
		result = trigger_blame(check->fault, span.at, "this kernel has no "
				       "\"%s\"; remove it",
				       text);
	near = nearest(text, words, WORDS, sizeof(*words));
	if (!result && near)
		trigger_blame(check->fault, span.at, "\"%s\" is no part of a histogram; did you "
			      "mean \"%s\"?", text, near);
	else if (!result)
		trigger_blame(check->fault, span.at, "\"%s\" is no part of a histogram; there are "
			      "keys=, vals=, sort=, size=, name=, clock=, NAME=FIELD, pause, "
			      "continue, clear, nohitcount, onmatch(), onmax() and onchange()",
			      text);
	free(text);
	return result == 1 ? 0 : -1;
}

static int is_action(const char *text)
{
	return !strncmp(text, "onmatch(", 8) || !strncmp(text, "onmax(", 6) ||
	       !strncmp(text, "onchange(", 9);
}

/* "onmatch(system.event).trace(...)": the kernel reports mistakes in it, with their place. */
static int take_action(const struct parts *parts, struct span span)
{
	const char *line = parts->check->line;

	/* save(common_timestamp) sets the clock, too */
	parts->check->facts->has_timestamp |= memmem(line + span.at, span.end - span.at,
						     "common_timestamp", 16) != NULL;
	if (line[span.end - 1] == ')' && memchr(line + span.at, ')', span.end - span.at - 1))
		return 0;
	return trigger_blame(parts->check->fault, span.at, "the action is not complete; write "
			     "such as onmax($x).save(field)");
}

static int take_part(struct parts *parts, struct span span)
{
	const char *line = parts->check->line, *text = line + span.at;

	for (size_t i = 0; i < PREFIXES; i++) {
		size_t length = strlen(prefixes[i].text);
		struct span *to = &parts->spans[prefixes[i].part];

		if (strncmp(text, prefixes[i].text, length))
			continue;
		if (to->at)
			return trigger_blame(parts->check->fault, span.at, "\"%s\" is given "
					     "twice; remove one", prefixes[i].text);
		*to = (struct span){ span.at + length, span.end };
		if (to->at == to->end)
			return trigger_blame(parts->check->fault, to->at, "nothing follows "
					     "\"%s\"", prefixes[i].text);
		return 0;
	}
	if (is_action(text))
		return take_action(parts, span);
	return memchr(text, '=', span.end - span.at) ? take_variables(parts, span) :
						       take_word(parts, span);
}

/* The kernel takes a misspelt "kyes=" for a variable; so does take_part(). */
static int blame_keys(const struct parts *parts)
{
	const char *text = parts->check->line + parts->variable_at;
	char *name = parts->variables ? xstrndup(text, strcspn(text, "=") + 1) : xstrdup("");
	const char *near = nearest(name, prefixes, PREFIXES, sizeof(*prefixes));

	if (near && *name)
		trigger_blame(parts->check->fault, parts->variable_at, "no key is given; did you "
			      "mean \"%s\" by \"%s\"?", near, name);
	else
		trigger_blame(parts->check->fault, 0, "no key is given; write such as "
			      "hist:keys=FIELD");
	free(name);
	return -1;
}

/* A ':' inside of brackets belongs to an action. */
static size_t part_end(const char *line, size_t at, size_t end)
{
	int depth = 0;

	for (; at < end && (line[at] != ':' || depth > 0); at++)
		depth += (line[at] == '(') - (line[at] == ')');
	return at;
}

static int take_parts(struct parts *parts, size_t length)
{
	const char *line = parts->check->line;
	struct span span = { strlen("hist:"), 0 };

	for (; span.at <= length; span.at = span.end + 1) {
		span.end = part_end(line, span.at, length);
		if (span.at == span.end)
			return trigger_blame(parts->check->fault, span.at, "there is nothing "
					     "between or behind \":\"; remove it");
		if (take_part(parts, span))
			return -1;
	}
	return 0;
}

int hist_check(const struct trigger *trigger, const struct tracepoint *tracepoint,
	       const struct hist_support *support, struct hist_facts *facts,
	       struct trigger_fault *fault)
{
	const struct hist_check check = { trigger->line, tracepoint, support, facts, fault };
	struct parts parts = { .check = &check };
	struct span clock;

	if (!strcmp(trigger->head, "hist"))
		return blame_keys(&parts);
	if (take_parts(&parts, strlen(trigger->head)))
		return -1;
	if (!parts.spans[KEYS].at)
		return blame_keys(&parts);
	clock = parts.spans[CLOCK];
	if (clock.at)
		facts->clock = xstrndup(trigger->line + clock.at, clock.end - clock.at);
	return check_keys(&parts) || check_values(&parts) || check_sort(&parts) ||
	       check_size(&parts) ? -1 : 0;
}
