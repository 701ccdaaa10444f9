/* SPDX-License-Identifier: MIT */
/* Finds the events that words in the syntax of set_event name. */
#include "switches.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/records/tracepoint.h"
#include "kernel/tracefs/tracing_files.h"

#define BLANKS " \t\n"

/* One word, without its '!'. */
struct switch_word {
	const char *text;
	int is_wanted;
	const struct words *new;
};

/* The globs that it may mean, in the order in which instance_find_events() tries them. */
static size_t globs_of(const char *text, char *globs[2])
{
	const char *colon = strchr(text, ':');

	globs[0] = colon && !colon[1] ? xprintf("%s*", text) : xstrdup(text);
	globs[1] = xprintf("%s:*", text);
	return colon ? 1 : 2;
}

/* Add events that will be registered: whether it names one. */
static int add_new(struct switches *switches, const struct switch_word *word, const char *glob)
{
	const struct words one = { &glob, 1 };
	int is_found = 0;

	for (size_t i = 0; i < word->new->count; i++) {
		const char *name = word->new->items[i];
		struct event_switch *item;

		if (!glob_matches(&one, SYSTEM, name, strlen(name)))
			continue;
		item = switch_of(switches, SYSTEM, name);
		item->is_new = 1;
		item->is_wanted = word->is_wanted;
		is_found = 1;
	}
	return is_found;
}

static int has_switch(const struct instance *instance, const struct listed_event *event)
{
	AUTO_FREE char *path = switch_path(instance, event->system, event->name);

	return !access(path, F_OK);
}

static int is_named(const struct switch_word *word, const struct listed_event *event)
{
	const char *colon = strchr(word->text, ':');

	return !strcmp(colon ? colon + 1 : word->text, event->name);
}

/*
 * Whether an event may be switched as the word says: 1; 0 if it is left out, and -1 if the
 * word is its name, both after a message.
 */
static int may_switch(const struct switch_word *word, const struct listed_event *event)
{
	if (!word->is_wanted)
		return 1;
	if (is_named(word, event))
		return event_check_trust(event) ? -1 : 1;
	return !event_leave_out_untrusted(event);
}

/* Returns how many events can be switched; -1 if none may be, after a message. */
static int add_listed(struct switches *switches, const struct instance *instance,
		      const struct switch_word *word, const struct event_list *list)
{
	int count = 0, rejected = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct listed_event *event = &list->events[i];
		int may;

		if (!has_switch(instance, event))
			continue;
		may = may_switch(word, event);
		if (may < 0)
			return -1;
		if (may)
			switch_of(switches, event->system, event->name)->is_wanted =
				word->is_wanted;
		count += may;
		rejected += !may;
	}
	return !count && rejected ? -1 : count;
}

/* A word that names no event of the kernel may be meant for one of a program. */
static void explain_user_events(const struct switch_word *word)
{
	const char *colon = strchr(word->text, ':');

	if (!word->is_wanted || (colon && strncmp(word->text, SYSTEM, strlen(SYSTEM))))
		return;
	message("A user event exists while a program has it registered. To switch it on before "
		"that, give its definition: --register \"NAME FIELDS\"; for each boot, with "
		"--at-boot.");
}

static int add_existing(struct switches *switches, const struct instance *instance,
			const struct switch_word *word)
{
	const struct words words = { (const char **)&word->text, 1 };
	struct event_list list;
	int count;

	if (instance_find_events(instance, &words, &list)) {
		explain_user_events(word);
		return -1;
	}
	count = add_listed(switches, instance, word, &list);
	event_list_free(&list);
	if (count)
		return count > 0 ? 0 : -1;
	message("cannot switch \"%s\": what it names has no switch; tracers of the kernel "
		"write it", word->text);
	return -1;
}

/* The events of a glob that exist beside those that will be registered. */
static int add_beside(struct switches *switches, const struct instance *instance,
		      const struct switch_word *word, const char *glob)
{
	const struct words globs = { &glob, 1 };
	AUTO(event_list_free) struct event_list list =
		{ .directory = instance->directory, .globs = &globs };
	int result = event_list_look(&list, NULL, NULL);

	if (add_listed(switches, instance, word, &list) < 0)
		result = -1;
	return result;
}

static int add_word(struct switches *switches, const struct instance *instance,
		    const struct switch_word *word)
{
	int result = 0, is_found = 0;
	char *globs[2];
	size_t count = globs_of(word->text, globs);

	for (size_t i = 0; i < count && !is_found; i++) {
		is_found = add_new(switches, word, globs[i]);
		if (is_found)
			result = add_beside(switches, instance, word, globs[i]);
	}
	free(globs[0]);
	free(globs[1]);
	return is_found ? result : add_existing(switches, instance, word);
}

/* 0, or -1 after a message. */
static int check_word(const char *text, int is_negated, int is_wanted)
{
	const char *verb = is_wanted ? "enable" : "disable";

	if (is_negated && !is_wanted)
		message("cannot disable \"!%s\": \"!\" means the opposite; to switch it on: "
			"userevents enable %s", text, text);
	else if (is_negated && (!*text || *text == '!'))
		message("cannot %s \"!%s\": one \"!\" stands before the name of what is to be "
			"switched off", verb, text);
	else if (!*text)
		message("cannot %s \"\": it names no event", verb);
	else if (*text == ':')
		message("cannot %s \"%s\": a system is missing before the \":\"", verb, text);
	else if (strchr(text, '/'))
		message("cannot %s \"%s\": events are named SYSTEM:EVENT, with a \":\"", verb,
			text);
	else if (strchr(text, ':') != strrchr(text, ':'))
		message("cannot %s \"%s\": there is more than one \":\" in it", verb, text);
	else
		return 0;
	return -1;
}

/* Words of one argument. It stays in memory, as words do. */
static int add_argument(struct switches *switches, const struct instance *instance,
			const char *argument, struct switch_word word)
{
	char *rest = xstrdup(argument), *text;
	int is_wanted = word.is_wanted, result = 0, is_first = 1;

	rest += strspn(rest, BLANKS);
	while (!result && (is_first || *rest)) {
		text = rest;
		rest += strcspn(rest, BLANKS);
		if (*rest)
			*rest++ = '\0';
		rest += strspn(rest, BLANKS);
		word.text = text + (*text == '!');
		word.is_wanted = is_wanted && *text != '!';
		is_first = 0;
		result = check_word(word.text, *text == '!', is_wanted);
		if (!result)
			result = add_word(switches, instance, &word);
	}
	return result;
}

int switches_add(struct switches *switches, const struct instance *instance,
		 const struct words *words, int is_wanted, const struct words *new)
{
	const struct switch_word word = { .is_wanted = is_wanted, .new = new };
	int result = 0;

	for (size_t i = 0; i < words->count; i++)
		if (add_argument(switches, instance, words->items[i], word))
			result = -1;
	return result;
}

void switches_add_new(struct switches *switches, const struct words *names)
{
	for (size_t i = 0; i < names->count; i++) {
		struct event_switch *item = switch_of(switches, SYSTEM, names->items[i]);

		item->is_new = item->is_wanted = 1;
	}
}
