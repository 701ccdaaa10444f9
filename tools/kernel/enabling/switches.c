/* SPDX-License-Identifier: MIT */
/* Sets switches of events, all or none. */
#include "switches.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/message.h"
#include "event_switch.h"

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
