/* SPDX-License-Identifier: MIT */
/*
 * Lets an instance record the stack of the program.
 *
 * The kernel follows the frame pointers, so a program or library that was built without them
 * ends the stack, or adds numbers that are no addresses.
 */
#include "trigger.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "kernel/control/instance.h"

static const char *const switches[] = { "userstacktrace", "sym-userobj" };

#define SWITCHES 2

/* Set one to "1": 1 if it was not, 0 if it was, or -1 after a message. */
static int set(const struct instance *instance, const char *name)
{
	char *path = instance_path(instance, "options/%s", name), *text = read_file(path, NULL);
	int is_set = text && *text == '1';
	int error = is_set ? 0 : control_write(path, "1");

	if (error)
		message("cannot set %s: %s", path, strerror(-error));
	free(text);
	free(path);
	return error ? -1 : !is_set;
}

static void unset(const struct instance *instance, const char *name)
{
	char *path = instance_path(instance, "options/%s", name);

	control_write(path, "0");
	free(path);
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
