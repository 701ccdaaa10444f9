/* SPDX-License-Identifier: MIT */
/*
 * Parses triggers, as a person or the kernel writes them.
 *
 * The kernel answers all mistakes in them with "Invalid argument", and some not at all: it
 * takes "stacktrace:5:6" for "stacktrace:5".
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/options.h"
#include "trigger.h"

/* Describes the kinds of triggers, and what one does, in words. */

const struct trigger_kind_entry trigger_kinds[TRIGGER_KINDS] = {
	[TRIGGER_ENABLE_EVENT] = { "enable_event", "enables %s", TRIGGER_DISABLE_EVENT },
	[TRIGGER_DISABLE_EVENT] = { "disable_event", "disables %s", TRIGGER_ENABLE_EVENT },
	[TRIGGER_ENABLE_HIST] = { "enable_hist", "lets the histograms of %s go on",
				  TRIGGER_DISABLE_HIST },
	[TRIGGER_DISABLE_HIST] = { "disable_hist", "pauses the histograms of %s",
				   TRIGGER_ENABLE_HIST },
	[TRIGGER_STACKTRACE] = { "stacktrace", "traces the kernel's stack",
				 TRIGGER_STACKTRACE },
	[TRIGGER_SNAPSHOT] = { "snapshot", "takes a snapshot of the trace", TRIGGER_SNAPSHOT },
	[TRIGGER_TRACEON] = { "traceon", "turns tracing on", TRIGGER_TRACEOFF },
	[TRIGGER_TRACEOFF] = { "traceoff", "turns tracing off", TRIGGER_TRACEON },
	[TRIGGER_HIST] = { "hist", "counts", TRIGGER_HIST },
};

const char *trigger_name(enum trigger_kind kind)
{
	return trigger_kinds[kind].name;
}

enum trigger_kind trigger_opposite(enum trigger_kind kind)
{
	return trigger_kinds[kind].opposite;
}

int trigger_switches_event(enum trigger_kind kind)
{
	return kind == TRIGGER_ENABLE_EVENT || kind == TRIGGER_DISABLE_EVENT;
}

int trigger_switches_hist(enum trigger_kind kind)
{
	return kind == TRIGGER_ENABLE_HIST || kind == TRIGGER_DISABLE_HIST;
}

char *trigger_text(const struct trigger *trigger)
{
	const char *word = trigger->filter ? " if " : "";
	const char *filter = trigger->filter ? trigger->filter : "";

	if (trigger->is_counted)
		return xprintf("%s:%" PRIu64 "%s%s", trigger->head, trigger->left, word, filter);
	return xprintf("%s%s%s", trigger->head, word, filter);
}

/* The part of a histogram that begins with a key, such as "keys="; to be freed, or NULL. */
static char *part_of(const struct trigger *trigger, const char *key)
{
	const char *at = trigger->head;
	size_t length = strlen(key);

	while ((at = strchr(at, ':'))) {
		at++;
		if (!strncmp(at, key, length))
			return xstrndup(at + length, strcspn(at + length, ":"));
	}
	return NULL;
}

static char *hist_meaning(const struct trigger *trigger)
{
	char *keys = part_of(trigger, "keys="), *key = part_of(trigger, "key=");
	char *values = part_of(trigger, "vals="), *text;
	/* the kernel lists the count itself as the first value */
	const char *more = values && !strncmp(values, "hitcount", 8) ? values + 8 : values;

	if (more && *more == ',')
		more++;
	text = xprintf("counts by %s%s%s%s", keys ? keys : key ? key : "?",
		       more && *more ? ", and sums " : "", more && *more ? more : "",
		       trigger->is_paused ? "; paused" : "");
	free(keys);
	free(key);
	free(values);
	return text;
}

static char *basic_meaning(const struct trigger *trigger)
{
	const char *meaning = trigger_kinds[trigger->kind].meaning;
	const char *mark = strstr(meaning, "%s");

	if (trigger->kind == TRIGGER_HIST)
		return hist_meaning(trigger);
	if (!mark)
		return xstrdup(meaning);
	return xprintf("%.*s%s%s", (int)(mark - meaning), meaning, trigger->target, mark + 2);
}

char *trigger_meaning(const struct trigger *trigger)
{
	char *basic = basic_meaning(trigger), *text;

	if (trigger->is_counted && !trigger->left)
		text = xprintf("%s; never again", basic);
	else if (trigger->is_counted)
		text = xprintf("%s; %" PRIu64 " more time%s", basic, trigger->left,
			       trigger->left == 1 ? "" : "s");
	else
		text = xstrdup(basic);
	free(basic);
	return text;
}

int trigger_blame(struct trigger_fault *fault, size_t at, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fault->sentence = xvprintf(format, arguments);
	va_end(arguments);
	fault->at = at;
	return -1;
}

void trigger_free(struct trigger *trigger)
{
	free(trigger->line);
	free(trigger->head);
	free(trigger->target);
	free(trigger->filter);
	*trigger = (struct trigger){ 0 };
}

/* A copy with one blank in place of several characters of white space. */
static char *clean(const char *text)
{
	char *copy = xmalloc(strlen(text) + 1), *to = copy;

	for (; *text; text++) {
		const int is_blank = isspace((unsigned char)*text);

		if (!is_blank)
			*to++ = *text;
		else if (to > copy && to[-1] != ' ')
			*to++ = ' ';
	}
	if (to > copy && to[-1] == ' ')
		to--;
	*to = '\0';
	return copy;
}

/* Remove a word from the end of a text, and return whether it was there. */
static int cut(char *text, const char *word)
{
	size_t length = strlen(text), size = strlen(word);

	if (length < size || strcmp(text + length - size, word))
		return 0;
	text[length - size] = '\0';
	return 1;
}

/* The kernel does not say which word of all it does not know. */
static int blame_name(struct trigger_fault *fault, const char *line, size_t length)
{
	char *name = xstrndup(line, length);
	const char *near = nearest(name, trigger_kinds, TRIGGER_KINDS, sizeof(*trigger_kinds));

	if (*name == '!')
		trigger_blame(fault, 0, "it begins with \"!\", by which the kernel removes "
			      "one; use: userevents trigger --remove EVENT TRIGGER");
	else if (near)
		trigger_blame(fault, 0, "\"%s\" is no trigger; did you mean \"%s\"?", name, near);
	else
		trigger_blame(fault, 0, "\"%s\" is no trigger; there are enable_event, "
			      "disable_event, enable_hist, disable_hist, stacktrace, snapshot, "
			      "traceon, traceoff and hist", name);
	free(name);
	return -1;
}

static int parse_kind(struct trigger *trigger, struct trigger_fault *fault)
{
	size_t length = strcspn(trigger->line, ": ");

	for (int i = 0; i < TRIGGER_KINDS; i++) {
		if (strlen(trigger_kinds[i].name) == length &&
		    !strncmp(trigger->line, trigger_kinds[i].name, length)) {
			trigger->kind = (enum trigger_kind)i;
			return 0;
		}
	}
	return blame_name(fault, trigger->line, length);
}

/* The kernel finds the filter of a histogram by " if ", that of others by the first blank. */
static int parse_filter(struct trigger *trigger, size_t end, struct trigger_fault *fault)
{
	const char *line = trigger->line, *rest = line + end;

	if (!*rest)
		return 0;
	rest++;
	if (strncmp(rest, "if", 2) || (rest[2] && rest[2] != ' '))
		return trigger_blame(fault, end + 1, "\"%s\" is no part of it; a filter begins "
				     "with \"if\", and other parts have no blanks", rest);
	if (!rest[2])
		return trigger_blame(fault, end + 1, "no filter follows \"if\"; write such as "
				     "\"if id > 4\", quoted for the shell");
	trigger->filter_at = end + 4;
	trigger->filter = xstrdup(rest + 3);
	return 0;
}

static int blame_count(struct trigger_fault *fault, const struct trigger *trigger, size_t at,
		       size_t length)
{
	return trigger_blame(fault, at, "\"%.*s\" is no number; write how often it acts as in "
			     "\"%s:5\", or nothing for always", (int)length,
			     trigger->line + at, trigger->head);
}

/* "5", "count=5" or "unlimited" at the end of the head */
static int parse_count(struct trigger *trigger, size_t at, size_t end,
		       struct trigger_fault *fault)
{
	char *text = xstrndup(trigger->line + at, end - at), *rest;
	const char *digits = !strncmp(text, "count=", 6) ? text + 6 : text;
	unsigned long long number;
	int result = 0;

	if (strcmp(text, "unlimited")) {
		errno = 0;
		number = strtoull(digits, &rest, 0);
		/* the kernel keeps the largest for "unlimited" */
		if (!isdigit((unsigned char)*digits) || *rest || errno || number > INT64_MAX)
			result = blame_count(fault, trigger, at, end - at);
		trigger->is_counted = 1;
		trigger->left = number;
	}
	free(text);
	return result;
}

/* The end of the part of a line that begins at a place. */
static size_t part_end(const char *line, size_t at, size_t end)
{
	while (at < end && line[at] != ':')
		at++;
	return at;
}

static int parse_target(struct trigger *trigger, size_t *at, size_t end,
			struct trigger_fault *fault)
{
	const char *name = trigger_name(trigger->kind), *line = trigger->line;
	const size_t begin = *at + 1, colon = part_end(line, begin, end);

	if (*at == end || begin == end)
		return trigger_blame(fault, end, "no event is given; write %s:SYSTEM:EVENT", name);
	*at = part_end(line, colon + 1, end);
	if (colon >= end || colon == begin || *at <= colon + 1)
		return trigger_blame(fault, begin, "\"%.*s\" names no event; write "
				     "%s:SYSTEM:EVENT",
				     (int)(end - begin), line + begin, name);
	trigger->target = xstrndup(line + begin, *at - begin);
	return 0;
}

/* The text behind the name, up to the filter, unless it is a histogram. */
static int parse_parts(struct trigger *trigger, size_t end, struct trigger_fault *fault)
{
	const char *line = trigger->line;
	size_t at = part_end(line, 0, end), next;

	if (trigger_switches_event(trigger->kind) || trigger_switches_hist(trigger->kind))
		if (parse_target(trigger, &at, end, fault))
			return -1;
	trigger->head = xstrndup(line, at);
	if (at == end)
		return 0;
	next = part_end(line, at + 1, end);
	if (parse_count(trigger, at + 1, next, fault))
		return -1;
	if (next < end)
		return trigger_blame(fault, next, "nothing can follow the count; remove \"%.*s\"",
				     (int)(end - next), line + next);
	return 0;
}

static int parse(struct trigger *trigger, struct trigger_fault *fault)
{
	size_t end = strcspn(trigger->line, " ");

	if (parse_kind(trigger, fault))
		return -1;
	if (trigger->kind == TRIGGER_HIST) {
		trigger->is_paused = cut(trigger->line, " [paused]");
		cut(trigger->line, " [active]");
		trigger->head = xstrndup(trigger->line, end);
	} else if (parse_parts(trigger, end, fault)) {
		return -1;
	}
	return parse_filter(trigger, end, fault);
}

int trigger_parse(struct trigger *trigger, const char *text, struct trigger_fault *fault)
{
	*fault = (struct trigger_fault){ 0 };
	*trigger = (struct trigger){ .line = clean(text) };
	if (!*trigger->line)
		trigger_blame(fault, 0, "no trigger is given; write such as \"stacktrace:5\"");
	if (!fault->sentence && !parse(trigger, fault))
		return 0;
	trigger_free(trigger);
	return -1;
}
