/* SPDX-License-Identifier: MIT */
/* Reads and writes the switch of one event, or of a system. */
#include "event_switch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "kernel/control/control_file.h"

char *switch_path(const struct instance *instance, const char *system, const char *name)
{
	return instance_path(instance, "events/%s%s%s/enable", system, name ? "/" : "",
			     name ? name : "");
}

int switch_read(struct event_switch *item, const struct instance *instance)
{
	char *path = switch_path(instance, item->system, item->name);
	char *text = read_file(path, NULL);
	int error = text ? 0 : -errno;
	size_t length = text ? strcspn(text, "\n") : 0;

	free(path);
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

int switch_write(const struct event_switch *item, const struct instance *instance, int is_on)
{
	char *path = switch_path(instance, item->system, item->name);
	int result = control_write(path, is_on ? "1" : "0");

	free(path);
	return result;
}

int switch_is_of_user(const struct event_switch *item)
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

const char *switch_meaning(const struct event_switch *item)
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
