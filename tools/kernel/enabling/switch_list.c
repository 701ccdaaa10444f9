/* SPDX-License-Identifier: MIT */
/* Lists switches of events and systems, and prints them. */
#include "switches.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/cli/safe_text.h"
#include "event_switch.h"

/* Systems that have anything to show, as globs SYSTEM:*. */
static int systems_to_show(const struct instance *instance, struct words *globs)
{
	char *path = instance_path(instance, "events");
	DIR *directory = opendir(path);
	struct dirent *entry;

	if (!directory)
		message("cannot read %s: %s; run as root", path, strerror(errno));
	free(path);
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
	struct event_list list = { 0 };
	int result = words->count ? instance_find_events(instance, words, &list) :
				    find_shown(instance, &list);

	for (size_t i = 0; !result && i < list.count; i++) {
		add_system(switches, instance, list.events[i].system);
		add_event(switches, instance, &list.events[i], words->count > 0);
	}
	event_list_free(&list);
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
