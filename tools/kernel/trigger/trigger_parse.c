/* SPDX-License-Identifier: MIT */
/*
 * Splits triggers, as a person or the kernel writes them, into the parts that lists and removal
 * need. The kernel checks them: text that is not understood here is left as it is.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "trigger.h"
#include "common/cli/message.h"
#include "kernel/control/instance.h"

#define BLANKS " \t\n\v\f\r"

/* Describes the kinds of triggers, and their effects, in words. */

const struct trigger_kind_entry trigger_kinds[TRIGGER_KINDS] = {
	[TRIGGER_ENABLE_EVENT] = { "enable_event", "enables %s", TRIGGER_DISABLE_EVENT },
	[TRIGGER_DISABLE_EVENT] = { "disable_event", "disables %s",
				    TRIGGER_ENABLE_EVENT },
	[TRIGGER_ENABLE_HIST] = { "enable_hist", "lets the histograms of %s go on",
				  TRIGGER_DISABLE_HIST },
	[TRIGGER_DISABLE_HIST] = { "disable_hist", "pauses the histograms of %s",
				   TRIGGER_ENABLE_HIST },
	[TRIGGER_STACKTRACE] = { "stacktrace", "traces the kernel's stack",
				 TRIGGER_STACKTRACE },
	[TRIGGER_SNAPSHOT] = { "snapshot", "takes a snapshot of the trace",
			       TRIGGER_SNAPSHOT },
	[TRIGGER_TRACEON] = { "traceon", "turns tracing on", TRIGGER_TRACEOFF },
	[TRIGGER_TRACEOFF] = { "traceoff", "turns tracing off", TRIGGER_TRACEON },
	[TRIGGER_HIST] = { "hist", "counts", TRIGGER_HIST },
	[TRIGGER_OTHER] = { "?", "a kind that is not known to this version",
			    TRIGGER_OTHER },
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
	const char *rest = trigger->line + trigger->rest_at;

	if (!trigger->is_listed)
		return xstrdup(trigger->line);
	if (trigger->is_counted)
		return xprintf("%s:%" PRIu64 "%s", trigger->head, trigger->left, rest);
	return xprintf("%s%s", trigger->head, rest);
}

static int is_of_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

const char *trigger_find_word(const char *text, const char *word)
{
	const size_t length = strlen(word);

	for (const char *at = text; (at = strstr(at, word)); at++)
		if ((at == text || !is_of_word(at[-1])) && !is_of_word(at[length]))
			return at;
	return NULL;
}

char *trigger_part(const struct trigger *trigger, const char *key)
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
	AUTO_FREE char *keys = trigger_part(trigger, "keys="),
		       *key = trigger_part(trigger, "key=");
	AUTO_FREE char *values = trigger_part(trigger, "vals=");
	/* the kernel lists the count itself as the first value */
	const char *more = values && !strncmp(values, "hitcount", 8) ? values + 8 : values;

	if (more && *more == ',')
		more++;
	return xprintf("counts by %s%s%s%s", keys ? keys : key ? key : "?",
		       more && *more ? ", and sums " : "", more && *more ? more : "",
		       trigger->is_paused ? "; paused" : "");
}

static char *basic_meaning(const struct trigger *trigger)
{
	const char *meaning = trigger_kinds[trigger->kind].meaning;
	const char *mark = strstr(meaning, "%s");

	if (trigger->kind == TRIGGER_HIST)
		return hist_meaning(trigger);
	if (!mark || !trigger->target)
		return xstrdup(mark ? trigger_name(trigger->kind) : meaning);
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

void trigger_free(struct trigger *trigger)
{
	free(trigger->line);
	free(trigger->head);
	free(trigger->target);
	free(trigger->filter);
	*trigger = (struct trigger){ 0 };
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

/* A copy without white space around it. */
static char *strip(const char *text)
{
	size_t length;

	text += strspn(text, BLANKS);
	for (length = strlen(text); length && strchr(BLANKS, text[length - 1]);)
		length--;
	return xstrndup(text, length);
}

static enum trigger_kind kind_of(const char *line)
{
	const size_t length = strcspn(line, ":" BLANKS);

	for (int i = 0; i < TRIGGER_OTHER; i++)
		if (strlen(trigger_kinds[i].name) == length &&
		    !strncmp(trigger_kinds[i].name, line, length))
			return (enum trigger_kind)i;
	return TRIGGER_OTHER;
}

/* "5", or, as the kernel lists it, "count=5" or "unlimited"; returns whether it is one. */
static int parse_count(struct trigger *trigger, const char *text, size_t length)
{
	const int is_listed = length > 6 && !strncmp(text, "count=", 6);
	const int is_unlimited = length == 9 && !strncmp(text, "unlimited", length);
	const char *digits = is_listed ? text + 6 : text;
	char *rest;

	errno = 0;
	trigger->left = strtoull(digits, &rest, 0);
	trigger->is_counted =
		isdigit((unsigned char)*digits) && rest == text + length && !errno;
	trigger->is_listed = is_unlimited || (is_listed && trigger->is_counted);
	return is_unlimited || trigger->is_counted;
}

static int has_target(enum trigger_kind kind)
{
	return trigger_switches_event(kind) || trigger_switches_hist(kind);
}

/* The text behind the name, which the kernel ends at ':' or a blank, and skips blanks. */
static const char *behind_name(const char *line)
{
	const char *at = line + strcspn(line, ":" BLANKS);

	at += *at != '\0';
	return at + strspn(at, BLANKS);
}

/* The parts between the name and the rest, which begins at rest_at. */
static void parse_parts(struct trigger *trigger)
{
	const char *line = trigger->line, *end = line + trigger->rest_at;
	const char *count = line + strcspn(line, ":" BLANKS);

	if (has_target(trigger->kind)) {
		const char *target = behind_name(line);

		count = target + strcspn(target, ":" BLANKS);
		if (*count == ':') {
			count += 1 + strcspn(count + 1, ":" BLANKS);
			trigger->target = xstrndup(target, (size_t)(count - target));
		}
	}
	trigger->count_at = (size_t)(count - line);
	if (count < end && parse_count(trigger, count + 1, (size_t)(end - count - 1)))
		end = count;
	trigger->head = xstrndup(line, (size_t)(end - line));
}

static int is_if(const char *text)
{
	return !strncmp(text, "if", 2) && text[2] && strchr(BLANKS, text[2]);
}

/* The end of the parts of a trigger that is no histogram. */
static const char *find_end(const struct trigger *trigger)
{
	const char *name_end = trigger->line + strcspn(trigger->line, ":" BLANKS);
	const char *part = behind_name(trigger->line);

	if (!has_target(trigger->kind) &&
	    (is_if(part) || (*name_end != ':' && !isdigit((unsigned char)*part))))
		return name_end;
	return part + strcspn(part, BLANKS);
}

/* The kernel finds the filter of a histogram by " if ", that of others by a blank. */
static void find_filter(struct trigger *trigger)
{
	const char *at = trigger->line + strcspn(trigger->line, BLANKS);

	while (trigger->kind == TRIGGER_HIST && *at && !is_if(at + strspn(at, BLANKS)))
		at += strspn(at, BLANKS), at += strcspn(at, BLANKS);
	if (trigger->kind != TRIGGER_HIST)
		at = find_end(trigger);
	trigger->rest_at = (size_t)(at - trigger->line);
	at += *at == ':';
	at += strspn(at, BLANKS);
	if (!is_if(at))
		return;
	at += 2 + strspn(at + 2, BLANKS);
	trigger->filter_at = (size_t)(at - trigger->line);
	trigger->filter = xstrdup(at);
}

void trigger_parse(struct trigger *trigger, const char *text)
{
	*trigger = (struct trigger){ .line = strip(text) };
	trigger->kind = kind_of(trigger->line);
	if (trigger->kind == TRIGGER_HIST) {
		trigger->is_paused = cut(trigger->line, " [paused]");
		cut(trigger->line, " [active]");
	}
	find_filter(trigger);
	if (trigger->kind == TRIGGER_HIST)
		trigger->head = xstrndup(trigger->line, trigger->rest_at);
	else
		parse_parts(trigger);
}

/*
 * Lets an instance record the stack of the program.
 *
 * The kernel follows the frame pointers, so a program or library that was built without them
 * ends the stack, or adds numbers that are no addresses.
 */

static const char *const switches[] = { "userstacktrace", "sym-userobj" };

#define SWITCHES 2

/* Set one to "1": 1 if it was not, 0 if it was, or -1 after a message. */
static int set(const struct instance *instance, const char *name)
{
	AUTO_FREE char *path = instance_path(instance, "options/%s", name),
		       *text = read_file(path, NULL);
	int is_set = text && *text == '1';
	int error = is_set ? 0 : control_write(path, "1");

	if (error)
		message("cannot set %s: %s", path, strerror(-error));
	return error ? -1 : !is_set;
}

static void unset(const struct instance *instance, const char *name)
{
	AUTO_FREE char *path = instance_path(instance, "options/%s", name);

	control_write(path, "0");
}

static int set_all(const struct instance *instance, const struct listed_event *event,
		   const struct trigger *trigger)
{
	int was_set[SWITCHES] = { 0 }, result = 0;

	for (int i = 0; i < SWITCHES && result >= 0; i++)
		result = was_set[i] = set(instance, switches[i]);
	if (result >= 0)
		result = trigger_add(instance, event, trigger);
	if (result < 0)
		for (int i = 0; i < SWITCHES; i++)
			if (was_set[i] > 0)
				unset(instance, switches[i]);
	return result;
}

int user_stack_add(const struct instance *instance, const struct listed_event *event,
		   const struct trigger *trigger)
{
	if (trigger->kind != TRIGGER_STACKTRACE) {
		message("cannot add a trigger to %s:%s: --user-stack is for stacktrace, "
			"not for %s",
			event->system, event->name, trigger_name(trigger->kind));
		return -1;
	}
	if (set_all(instance, event, trigger))
		return -1;
	message("the program's stack follows each event that the instance records, until: echo 0 "
		">%s/options/userstacktrace; to record this one: userevents enable -i %s %s:%s",
		instance->directory, instance->name, event->system, event->name);
	return 0;
}
