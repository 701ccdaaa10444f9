/* SPDX-License-Identifier: MIT */
/* Sets switches of events, all or none. */
#include "switches.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "kernel/control/instance.h"

/* Reads and writes the switch of one event, or of a system. */

char *switch_path(const struct instance *instance, const char *system, const char *name)
{
	return instance_path(instance, "events/%s%s%s/enable", system, name ? "/" : "",
			     name ? name : "");
}

/* Read the state; '?' for a system without events that can be switched. 0 or -errno. */
static int switch_read(struct event_switch *item, const struct instance *instance)
{
	AUTO_FREE char *path = switch_path(instance, item->system, item->name);
	char *text = read_file(path, NULL);
	int error = text ? 0 : -errno;
	size_t length = text ? strcspn(text, "\n") : 0;

	if (error == -ENOENT && !item->name) {
		strcpy(item->state, "?");
		return 0;
	}
	if (text && length < sizeof(item->state)) {
		memcpy(item->state, text, length);
		item->state[length] = '\0';
	} else if (text) {
		error = -EIO;
	}
	free(text);
	return error;
}

/* Write 0 or 1: 0 or -errno. */
static int switch_write(const struct event_switch *item, const struct instance *instance, int is_on)
{
	AUTO_FREE char *path = switch_path(instance, item->system, item->name);

	return control_write(path, is_on ? "1" : "0");
}

/* Whether it is one of a user event. */
static int switch_is_of_user(const struct event_switch *item)
{
	return !strcmp(item->system, SYSTEM) || !strcmp(item->system, SYSTEM_MULTI);
}

/*
 * A trigger keeps an event switched on in the kernel's "soft" mode, which the file of a
 * system does not tell from being on.
 */
static const struct {
	const char *state, *of_event, *of_system;
} meanings[] = {
	{ "0", "off", "all of its events are off" },
	{ "1", "on", "all of its events are on, or a trigger needs them" },
	{ "0*", "off, but a trigger needs it: it acts and is not recorded", "" },
	{ "1*", "on, and a trigger needs it, too", "" },
	{ "X", "", "some of its events are on, or a trigger needs them" },
	{ "?", "", "it has no event that can be switched" },
};

/* The state in words. */
static const char *switch_meaning(const struct event_switch *item)
{
	if (item->is_gone)
		return "off, and deleted, as no program has it registered";
	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		if (!strcmp(meanings[i].state, item->state))
			return item->name ? meanings[i].of_event : meanings[i].of_system;
	return "";
}

static int is_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

struct event_switch *switch_of(struct switches *switches, const char *system,
			       const char *name)
{
	for (size_t i = 0; i < switches->count; i++)
		if (is_same(switches->items[i].name, name) &&
		    !strcmp(switches->items[i].system, system))
			return &switches->items[i];
	switches->items = xgrow(switches->items, switches->count, sizeof(*switches->items));
	switches->items[switches->count] = (struct event_switch){
		.system = xstrdup(system), .name = name ? xstrdup(name) : NULL,
	};
	return &switches->items[switches->count++];
}

static int by_name(const void *a, const void *b)
{
	const struct event_switch *x = a, *y = b;
	int order = strcmp(x->system, y->system);

	return order ? order : strcmp(x->name ? x->name : "", y->name ? y->name : "");
}

void switches_sort(struct switches *switches)
{
	if (switches->count)
		qsort(switches->items, switches->count, sizeof(*switches->items), by_name);
}

void switches_free(struct switches *switches)
{
	for (size_t i = 0; i < switches->count; i++) {
		free(switches->items[i].system);
		free(switches->items[i].name);
	}
	free(switches->items);
	*switches = (struct switches){ 0 };
}

static void complain(const struct event_switch *item, int error)
{
	const char *verb = item->is_wanted ? "enable" : "disable";

	if (error == -ENOENT || error == -ENODEV)
		message("cannot %s %s:%s: it has just gone, with the program that had it "
			"registered", verb, item->system, item->name);
	else
		message("cannot %s %s:%s: %s%s", verb, item->system, item->name,
			strerror(-error), error == -EACCES || error == -EPERM ?
						  "; run as root" : "");
}

/* Other users of the instance may switch at the same time, so look at the result. */
static int confirm(struct event_switch *item, const struct instance *instance)
{
	int error = switch_read(item, instance);

	if (error == -ENOENT && !item->is_wanted) {
		item->is_gone = 1;
		strcpy(item->state, "0");
		return 0;
	}
	if (error) {
		complain(item, error);
		return -1;
	}
	if (switch_is_on(item) == item->is_wanted)
		return 0;
	message("cannot %s %s:%s: another program has just switched it %s",
		item->is_wanted ? "enable" : "disable", item->system, item->name,
		item->is_wanted ? "off" : "on");
	return -1;
}

static int set(struct event_switch *item, const struct instance *instance)
{
	int error = switch_read(item, instance);

	if (!error && switch_is_on(item) == item->is_wanted)
		return 0;
	if (!error)
		error = switch_write(item, instance, item->is_wanted);
	if (error) {
		complain(item, error);
		return -1;
	}
	item->is_changed = 1;
	return confirm(item, instance);
}

int switches_set(struct switches *switches, const struct instance *instance)
{
	switches_sort(switches);
	for (size_t i = 0; i < switches->count; i++)
		if (set(&switches->items[i], instance)) {
			switches_set_back(switches, instance);
			return -1;
		}
	return 0;
}

void switches_set_back(struct switches *switches, const struct instance *instance)
{
	for (size_t i = switches->count; i > 0; i--) {
		struct event_switch *item = &switches->items[i - 1];

		if (item->is_changed && switch_write(item, instance, !item->is_wanted))
			message("cannot switch %s:%s %s again", item->system, item->name,
				item->is_wanted ? "off" : "on");
		item->is_changed = 0;
	}
}

/* Lists switches of events and systems, and prints them. */

/* Systems that have anything to show, as globs SYSTEM:*. */
static int systems_to_show(const struct instance *instance, struct words *globs)
{
	AUTO_FREE char *path = instance_path(instance, "events");
	DIR *directory = opendir(path);
	struct dirent *entry;

	if (!directory)
		message("cannot read %s: %s; run as root", path, strerror(errno));
	while (directory && (entry = readdir(directory))) {
		struct event_switch item = { .system = entry->d_name };

		if (entry->d_type != DT_DIR || *entry->d_name == '.' ||
		    switch_read(&item, instance) || *item.state == '?')
			continue;
		if (switch_is_of_user(&item) || strcmp(item.state, "0"))
			words_add(globs, xprintf("%s:*", entry->d_name));
	}
	if (directory)
		closedir(directory);
	return directory ? 0 : -1;
}

static int find_shown(const struct instance *instance, struct event_list *list)
{
	static struct words globs;

	if (systems_to_show(instance, &globs))
		return -1;
	*list = (struct event_list){ .directory = instance->directory, .globs = &globs };
	/* no globs would mean all user events */
	return globs.count ? event_list_look(list, NULL, NULL) : 0;
}

static void add_event(struct switches *switches, const struct instance *instance,
		      const struct listed_event *event, int has_all)
{
	struct event_switch one = { .system = event->system, .name = event->name };
	int is_there = !switch_read(&one, instance);

	if (!is_there || (!has_all && !switch_is_of_user(&one) && !strcmp(one.state, "0")))
		return;
	strcpy(switch_of(switches, event->system, event->name)->state, one.state);
}

static void add_system(struct switches *switches, const struct instance *instance,
		       const char *system)
{
	struct event_switch *item = switch_of(switches, system, NULL);

	if (!*item->state)
		switch_read(item, instance);
}

int switches_look(struct switches *switches, const struct instance *instance,
		  const struct words *words)
{
	AUTO(event_list_free) struct event_list list = { 0 };
	int result = words->count ? instance_find_events(instance, words, &list) :
				    find_shown(instance, &list);

	for (size_t i = 0; !result && i < list.count; i++) {
		add_system(switches, instance, list.events[i].system);
		add_event(switches, instance, &list.events[i], words->count > 0);
	}
	switches_sort(switches);
	return result;
}

/* Printing */

static int width_of(const struct switches *switches, int is_name)
{
	enum { LEAST = 6, MOST = 40 };
	int width = LEAST;

	for (size_t i = 0; i < switches->count; i++) {
		const struct event_switch *item = &switches->items[i];
		const char *text = is_name ? item->name : item->system;
		int length = text ? (int)strlen(text) : 0;

		if (length > width && length <= MOST)
			width = length;
	}
	return width;
}

static void print_cell(const char *text, int width)
{
	int length = (int)strlen(text);

	controls_print(text, strlen(text));
	printf("%*s  ", length < width ? width - length : 0, "");
}

static void print_json(const struct event_switch *item)
{
	putchar('{');
	json_member("system", item->system, strlen(item->system), 1);
	if (item->name)
		json_member("event", item->name, strlen(item->name), 0);
	json_member("state", item->state, strlen(item->state), 0);
	json_member("meaning", switch_meaning(item), strlen(switch_meaning(item)), 0);
	fputs("}\n", stdout);
}

void switches_print(const struct switches *switches, int is_json)
{
	const int systems = width_of(switches, 0), names = width_of(switches, 1);

	if (switches->count && !is_json)
		printf("%-*s  %-*s  STATE  MEANING\n", systems, "SYSTEM", names, "EVENT");
	for (size_t i = 0; i < switches->count; i++) {
		const struct event_switch *item = &switches->items[i];

		if (is_json) {
			print_json(item);
			continue;
		}
		print_cell(item->system, systems);
		print_cell(item->name ? item->name : "", names);
		print_cell(item->state, (int)strlen("STATE"));
		puts(switch_meaning(item));
	}
}
