/* SPDX-License-Identifier: MIT */
/* Sets histograms of the kernel for one run, and removes them. */
#include "kernel_question.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "kernel/control/control_file.h"
#include "kernel/control/instance.h"

/* An exit without own_triggers_end(), such as for want of memory. */
static struct own_triggers *current;
static pid_t owner;

static void end_current(void)
{
	if (current && owner == getpid())
		own_triggers_end(current);
}

int own_triggers_begin(struct own_triggers *own, const char *tracefs, const char *verb)
{
	static int is_registered;

	*own = (struct own_triggers){ .verb = verb };
	if (own_instance_make(&own->instance, tracefs, "hist"))
		return -1;
	if (!is_registered)
		atexit(end_current);
	is_registered = 1;
	current = own;
	owner = getpid();
	return 0;
}

static int write_command(struct own_triggers *own, const char *log, const char *path,
			 const char *text)
{
	struct refusal refusal;
	int result = control_try(log, path, text, &refusal);

	if (result)
		refusal_report(&refusal, own->verb);
	refusal_free(&refusal);
	return result ? -1 : 0;
}

int own_triggers_define(struct own_triggers *own, const char *fields)
{
	char *path = xprintf("%s/synthetic_events", own->instance.tracefs), *text;
	int result;

	own->synthetic = own_name("latency");
	text = xprintf("%s %s", own->synthetic, fields);
	result = write_command(own, own->instance.tracefs, path, text);
	free(text);
	free(path);
	if (result) {
		free(own->synthetic);
		own->synthetic = NULL;
	}
	return result;
}

int own_triggers_check(struct own_triggers *own, const struct listed_event *event,
		       const char *filter)
{
	char *path = instance_event_path(&own->instance, event, "filter");
	int result = write_command(own, own->instance.directory, path, filter);

	control_write(path, "0");
	free(path);
	return result;
}

int own_triggers_set(struct own_triggers *own, const struct listed_event *event,
		     const char *trigger)
{
	char *path = instance_event_path(&own->instance, event, "trigger");
	int result = write_command(own, own->instance.directory, path, trigger);

	free(path);
	return result;
}

void own_triggers_pause(struct own_triggers *own, const struct listed_event *event,
			const char *trigger)
{
	const char *filter = strstr(trigger, " if ");
	char *path = instance_event_path(&own->instance, event, "trigger");
	char *text = filter ? xprintf("%.*s:pause%s", (int)(filter - trigger), trigger, filter) :
			      xprintf("%s:pause", trigger);

	control_write(path, text);
	free(text);
	free(path);
}

char *own_triggers_read(struct own_triggers *own, const struct listed_event *event,
			size_t *length)
{
	char *path = instance_event_path(&own->instance, event, "hist");
	char *text = read_file(path, length);

	if (!text)
		message("cannot %s: %s: %s", own->verb, path, strerror(errno));
	free(path);
	return text;
}

/* The kernel frees what refers to the event a moment later. */
#define TRIES 50

static int remove_synthetic(struct own_triggers *own)
{
	const struct timespec pause = { .tv_nsec = 20000000 };
	char *path = xprintf("%s/synthetic_events", own->instance.tracefs);
	char *text = xprintf("!%s", own->synthetic);
	int result = -EBUSY;

	for (int i = 0; i < TRIES && result == -EBUSY; i++) {
		result = control_write(path, text);
		if (result == -EBUSY)
			nanosleep(&pause, NULL);
	}
	if (result)
		message("cannot delete the synthetic event %s: %s; \"userevents cleanup\" tries "
			"again", own->synthetic, strerror(-result));
	free(text);
	free(path);
	free(own->synthetic);
	own->synthetic = NULL;
	return result ? -1 : 0;
}

int own_triggers_end(struct own_triggers *own)
{
	int failed;

	current = NULL;
	if (!own->instance.directory)
		return 0;
	failed = instance_remove(&own->instance) != 0;
	if (own->synthetic)
		failed |= remove_synthetic(own) != 0;
	instance_close(&own->instance);
	return failed ? -1 : 0;
}
