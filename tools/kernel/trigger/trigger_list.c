/* SPDX-License-Identifier: MIT */
/* Reads the trigger files of events. */
#include "trigger_list.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"

static void add(struct trigger_list *list, const char *system, const char *event,
		const char *text)
{
	struct listed_trigger item = { .event = xprintf("%s:%s", system, event),
				       .text = xstrdup(text) };
	struct trigger_fault fault;

	if (trigger_parse(&item.trigger, text, &fault))
		free(fault.sentence);
	list->items = xgrow(list->items, list->count, sizeof(item));
	list->items[list->count++] = item;
}

/* Without triggers, the file has comments: which kinds there are. */
int trigger_list_event(const struct instance *instance, const char *system, const char *event,
		       struct trigger_list *list)
{
	char *path = instance_path(instance, "events/%s/%s/trigger", system, event);
	char *text = read_file(path, NULL), *rest = text, *line;
	int error = text ? 0 : -errno;

	while (rest && (line = strsep(&rest, "\n")))
		if (*line && *line != '#')
			add(list, system, event, line);
	free(text);
	free(path);
	return error;
}

static int is_name(const struct dirent *entry)
{
	return entry->d_type == DT_DIR && entry->d_name[0] != '.';
}

static int add_system(const struct instance *instance, const char *system,
		      struct trigger_list *list)
{
	char *path = instance_path(instance, "events/%s", system);
	DIR *directory = opendir(path);
	struct dirent *entry;
	int error = 0;

	free(path);
	/* events may have gone meanwhile, and some of the system ftrace have no triggers */
	while (directory && (entry = readdir(directory)))
		if (is_name(entry)) {
			int result = trigger_list_event(instance, system, entry->d_name, list);

			error = result && result != -ENOENT && result != -ENODEV ? result : error;
		}
	if (directory)
		closedir(directory);
	return error;
}

int trigger_list_all(const struct instance *instance, struct trigger_list *list)
{
	char *path = instance_path(instance, "events");
	DIR *directory = opendir(path);
	int error = directory ? 0 : -errno;
	struct dirent *entry;

	while (directory && (entry = readdir(directory)))
		if (is_name(entry)) {
			int result = add_system(instance, entry->d_name, list);

			error = result ? result : error;
		}
	if (directory)
		closedir(directory);
	if (error)
		message("cannot read the triggers in %s: %s; run as root", path, strerror(-error));
	free(path);
	return error ? -1 : 0;
}

void trigger_list_free(struct trigger_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->items[i].event);
		free(list->items[i].text);
		trigger_free(&list->items[i].trigger);
	}
	free(list->items);
	*list = (struct trigger_list){ 0 };
}
