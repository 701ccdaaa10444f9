/* SPDX-License-Identifier: MIT */
/*
 * Removes triggers.
 *
 * The kernel answers the removal of a trigger that does not exist with success, removes
 * "traceoff" in place of "traceon", and refuses a histogram as long as another uses its
 * variables. So the removal is checked afterwards.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "kernel/control/instance.h"
#include "trigger.h"

/* The trigger that a text names */

/* Whether a listed histogram has a part, which lies between ':' and ':'. */
static int has_part(const char *head, const char *part, size_t length)
{
	for (const char *at = head; (at = strchr(at, ':')); ) {
		at++;
		if (!strncmp(at, part, length) && (at[length] == ':' || !at[length]))
			return 1;
	}
	return 0;
}

/* Whether a list of values begins with it, as the kernel lists them. */
static int names_hitcount(const char *values)
{
	const size_t length = strlen("hitcount");

	return !strncmp(values, "hitcount", length) && strchr(",.", values[length]) != NULL;
}

/* A part as the kernel lists it; NULL if it does not list it. To be freed. */
static char *as_listed(const char *part, size_t length)
{
	static const struct {
		const char *given, *listed;
	} prefixes[] = { { "key=", "keys=" },	      { "val=", "vals=hitcount," },
			 { "values=", "vals=hitcount," }, { "vals=", "vals=hitcount," } };
	char *text = xstrndup(part, length), *made;

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		const size_t given = strlen(prefixes[i].given);

		if (strncmp(text, prefixes[i].given, given))
			continue;
		if (names_hitcount(text + given))
			return text;
		made = xprintf("%s%s", prefixes[i].listed, text + given);
		free(text);
		return made;
	}
	return text;
}

static int is_state(const char *part, size_t length)
{
	return (length == 5 && !strncmp(part, "pause", 5)) ||
	       (length >= 4 && !strncmp(part, "cont", 4) && !memchr(part, '=', length));
}

/* All parts that were given, at least, must be there. */
static int hist_matches(const struct trigger *there, const struct trigger *wanted)
{
	const char *part = strchr(wanted->head, ':');

	while (part && *part) {
		size_t length = strcspn(++part, ":");
		AUTO_FREE char *listed = as_listed(part, length);
		int is_there = is_state(part, length) ||
			       has_part(there->head, part, length) ||
			       has_part(there->head, listed, strlen(listed));

		if (!is_there)
			return 0;
		part += length;
	}
	return 1;
}

static int matches(const struct listed_trigger *item, const struct trigger *wanted)
{
	const struct trigger *there = &item->trigger;

	if (there->kind != wanted->kind)
		return 0;
	if (wanted->filter && (!there->filter || strcmp(there->filter, wanted->filter)))
		return 0;
	if (wanted->kind == TRIGGER_HIST)
		return !strcmp(there->line, wanted->line) || hist_matches(there, wanted);
	return !strcmp(there->head, wanted->head);
}

static const struct listed_trigger *find(const struct trigger_list *list,
					 const struct trigger *wanted, size_t *count)
{
	const struct listed_trigger *found = NULL;

	*count = 0;
	for (size_t i = 0; i < list->count; i++) {
		if (!matches(&list->items[i], wanted))
			continue;
		/* a line that is equal names this one, even if it is the begin of others */
		if (!strcmp(list->items[i].trigger.line, wanted->line)) {
			*count = 1;
			return &list->items[i];
		}
		found = &list->items[i];
		++*count;
	}
	return found;
}

/* Refusals */

static int names_variable(const char *text, const char *name, size_t length)
{
	AUTO_FREE char *word = xprintf("$%.*s", (int)length, name);
	const char *at = text;

	while ((at = strstr(at, word)) && trigger_find_word(at + 1, word + 1) != at + 1)
		at++;
	return at != NULL;
}

/* Whether a text uses a variable that a histogram defines: parts NAME=FIELD,NAME=FIELD. */
static int uses(const char *text, const struct trigger *defines)
{
	for (const char *at = defines->head; (at = strpbrk(at, ":,")); ) {
		size_t length = strcspn(++at, "=:,");

		if (at[length] == '=' && names_variable(text, at, length))
			return 1;
	}
	return 0;
}

static void complain_of_user(const struct instance *instance, const struct listed_event *event,
			     const struct listed_trigger *item)
{
	AUTO(trigger_list_free) struct trigger_list all = { 0 };
	const struct listed_trigger *user = NULL;

	if (!trigger_list_all(instance, &all))
		for (size_t i = 0; i < all.count && !user; i++)
			if (strcmp(all.items[i].text, item->text) &&
			    uses(all.items[i].text, &item->trigger))
				user = &all.items[i];
	if (user)
		message("cannot remove the trigger \"%s\" of %s:%s: \"%s\" of %s uses its "
			"variables; remove that first", item->text, event->system, event->name,
			user->text, user->event);
	else
		message("cannot remove the trigger \"%s\" of %s:%s: another uses its variables",
			item->text, event->system, event->name);
}

static void complain(const struct instance *instance, const struct listed_event *event,
		     const struct listed_trigger *item, int error)
{
	if (error == -EBUSY)
		complain_of_user(instance, event, item);
	else
		message("cannot remove the trigger \"%s\" of %s:%s: %s", item->text, event->system,
			event->name, error ? strerror(-error) : "the kernel does not find it "
			"again; --remove without a trigger removes all");
}

/* Removing */

static int is_listed(const struct instance *instance, const struct listed_event *event,
		     const char *text)
{
	AUTO(trigger_list_free) struct trigger_list list = { 0 };
	int result = 0;

	trigger_list_event(instance, event->system, event->name, &list);
	for (size_t i = 0; i < list.count; i++)
		result |= !strcmp(list.items[i].text, text);
	return result;
}

/* Write "!TEXT": 1 if the trigger is gone then, or 0 or -errno. */
static int try(const struct instance *instance, const struct listed_event *event,
	       const struct listed_trigger *item, const char *text)
{
	AUTO_FREE char *path = instance_event_path(instance, event, "trigger");
	AUTO_FREE char *line = xprintf("!%s", text);
	int result = control_write(path, line);

	return result ? result : !is_listed(instance, event, item->text);
}

/*
 * The kernel lists a histogram of "cpu" or "CPU" as one of "common_cpu", and does not find that.
 * name: of three characters.
 */
static char *with_cpu(const char *text, const char *name)
{
	char *copy = xstrdup(text), *at = copy;

	while ((at = strstr(at, "common_cpu"))) {
		memmove(at, at + strlen("common_"), strlen(at + strlen("common_")) + 1);
		memcpy(at, name, strlen("cpu"));
	}
	return copy;
}

/*
 * Leave out the modifiers in "sort=usecs.buckets=10.descending", which the kernel lists
 * and does not accept.
 */
static char *with_plain_sort(const char *text)
{
	static const char order[] = ".descending";
	char *copy = xstrdup(text), *from = strstr(copy, ":sort="), *to;

	if (!from)
		return copy;
	from += strlen(":sort=");
	for (to = from; *from && *from != ':' && *from != ' '; ) {
		size_t name = strcspn(from, ".,: "), all = strcspn(from, ",: ");
		int descends = all >= name + strlen(order) &&
			       !strncmp(from + all - strlen(order), order, strlen(order));

		memmove(to, from, name);
		to += name;
		if (descends)
			memcpy(to, order, strlen(order));
		to += descends ? strlen(order) : 0;
		from += all;
		if (*from == ',')
			*to++ = *from++;
	}
	memmove(to, from, strlen(from) + 1);
	return copy;
}

static int remove_hist(const struct instance *instance, const struct listed_event *event,
		       const struct listed_trigger *item)
{
	static const char *const names[] = { "cpu", "CPU" };
	AUTO_FREE char *text = with_plain_sort(item->trigger.line);
	int result = try(instance, event, item, text);

	for (size_t i = 0; !result && i < sizeof(names) / sizeof(names[0]); i++) {
		AUTO_FREE char *other = with_cpu(text, names[i]);

		result = try(instance, event, item, other);
	}
	return result;
}

static int remove_one(const struct instance *instance, const struct listed_event *event,
		      const struct listed_trigger *item)
{
	const struct trigger *trigger = &item->trigger;

	if (trigger->kind == TRIGGER_HIST)
		return remove_hist(instance, event, item);
	return try(instance, event, item, trigger->head);
}

/* The kernel keeps the second buffer of a snapshot. */
static void print(const struct instance *instance, const struct listed_trigger *item)
{
	controls_print(item->event, strlen(item->event));
	putchar(' ');
	controls_print(item->text, strlen(item->text));
	putchar('\n');
	if (item->trigger.kind == TRIGGER_SNAPSHOT)
		message("the last snapshot is still in %s/snapshot; free its buffer with: echo 0 "
			">%s/snapshot", instance->directory, instance->directory);
}

/* Go through the list again and again, as one may use another's variables. */
static int remove_all(const struct instance *instance, const struct listed_event *event,
		      const struct trigger_list *list)
{
	AUTO_FREE char *is_removed = xcalloc(list->count + 1, 1);
	size_t left = list->count, before;
	int result = 0;

	do {
		before = left;
		for (size_t i = list->count; i-- > 0; ) {
			if (is_removed[i] || remove_one(instance, event, &list->items[i]) <= 0)
				continue;
			print(instance, &list->items[i]);
			is_removed[i] = 1;
			left--;
		}
	} while (left && left < before);
	for (size_t i = 0; i < list->count; i++) {
		if (is_removed[i])
			continue;
		complain(instance, event, &list->items[i],
			 remove_one(instance, event, &list->items[i]));
		result = -1;
	}
	return result;
}

static int remove_named(const struct instance *instance, const struct listed_event *event,
			const struct trigger_list *list, const struct trigger *wanted)
{
	size_t count;
	const struct listed_trigger *item = find(list, wanted, &count);
	int result;

	if (count != 1) {
		if (count)
			message("cannot remove the trigger \"%s\" of %s:%s: %zu are like "
				"that; give one as --list prints it", wanted->line, event->system,
				event->name, count);
		else
			message("cannot remove the trigger \"%s\" of %s:%s: it has none "
				"like that; "
				"--list prints those that it has", wanted->line, event->system,
				event->name);
		return -1;
	}
	result = remove_one(instance, event, item);
	if (result <= 0) {
		complain(instance, event, item, result);
		return -1;
	}
	print(instance, item);
	return 0;
}

int trigger_remove(const struct instance *instance, const struct listed_event *event,
		   const char *text)
{
	AUTO(trigger_list_free) struct trigger_list list = { 0 };
	struct trigger wanted;
	int result = trigger_list_event(instance, event->system, event->name, &list);

	if (result) {
		message("cannot remove a trigger of %s:%s: %s; run as root",
			event->system, event->name, strerror(-result));
	} else if (!text) {
		result = remove_all(instance, event, &list);
	} else {
		trigger_parse(&wanted, text);
		result = remove_named(instance, event, &list, &wanted);
		trigger_free(&wanted);
	}
	return result ? -1 : 0;
}
