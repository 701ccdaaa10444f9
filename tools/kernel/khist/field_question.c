/* SPDX-License-Identifier: MIT */
/* Counts the values of a field of one event by histograms of the kernel. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/text/text_table.h"
#include "kernel/control/instance.h"
#include "kernel/filter/kfilter.h"
#include "kernel/tracefs/tracing_files.h"
#include "kernel_question.h"

/* Sets histograms of the kernel for one run, and removes them. */

/* An exit without own_triggers_end(), such as for want of memory. */
static struct own_triggers *current;
static pid_t owner;

static void end_current(void)
{
	if (current && owner == getpid())
		own_triggers_end(current);
}

int own_triggers_begin(struct own_triggers *own, const char *tracefs, const char *verb,
		       const char *limit)
{
	static int is_registered;

	*own = (struct own_triggers){ .verb = verb, .limit = limit };
	tracefs = tracing_find(tracefs);
	if (!tracefs || tracing_lacks(tracefs, TRACING_HISTOGRAMS, verb) ||
	    own_instance_make(&own->instance, tracefs, "hist"))
		return -1;
	if (!is_registered)
		atexit(end_current);
	is_registered = 1;
	current = own;
	owner = getpid();
	return own_triggers_hold(own);
}

/*
 * Several histograms, and those of two events, cannot be set by one write, nor stopped by one.
 * So an instance that lets no event of programs pass is filled with them, and then lets all pass:
 * its file set_event_pid is opened with O_TRUNC, after which each event is in all of its
 * histograms or in none. Process 2 is the thread of the kernel that starts others: it writes no
 * user events, and next to no others. A number that nobody has could be given to somebody.
 */
#define NOBODY "2"

static int write_pids(const struct own_triggers *own, const char *text, int flags)
{
	AUTO_FREE char *path = instance_path(&own->instance, "set_event_pid");
	const int fd = open(path, O_WRONLY | O_CLOEXEC | flags);
	int result = fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text) ? -1 : 0;

	if (result)
		message("cannot %s: %s: %s", own->verb, path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return result;
}

int own_triggers_hold(struct own_triggers *own)
{
	return write_pids(own, NOBODY, 0);
}

int own_triggers_release(struct own_triggers *own)
{
	return write_pids(own, "", O_TRUNC);
}

static int write_command(struct own_triggers *own, const char *log, const char *path,
			 const char *text, const char *limit)
{
	AUTO(refusal_free) struct refusal refusal;
	int result = control_try(log, path, text, &refusal);

	if (result && limit)
		message("%s", limit);
	else if (result)
		refusal_report(&refusal, own->verb);
	return result ? -1 : 0;
}

int own_triggers_define(struct own_triggers *own, const char *fields)
{
	AUTO_FREE char *path = xprintf("%s/synthetic_events", own->instance.tracefs),
		       *text;
	int result;

	own->synthetic = own_name("latency");
	text = xprintf("%s %s", own->synthetic, fields);
	result = write_command(own, own->instance.tracefs, path, text, NULL);
	if (result) {
		free(own->synthetic);
		own->synthetic = NULL;
	}
	return result;
}

int own_triggers_check(struct own_triggers *own, const struct listed_event *event,
		       const char *filter)
{
	AUTO_FREE char *path = instance_event_path(&own->instance, event, "filter");
	AUTO(refusal_free) struct refusal refusal;
	int result = control_try(own->instance.directory, path, filter, &refusal);

	control_write(path, "0");
	if (!result)
		kfilter_warn(filter, event);
	else if (!kfilter_accept(filter, event, own->verb))
		refusal_report(&refusal, own->verb);
	return result ? -1 : 0;
}

int own_triggers_set(struct own_triggers *own, const struct listed_event *event,
		     const char *trigger)
{
	AUTO_FREE char *path = instance_event_path(&own->instance, event, "trigger");

	return write_command(own, own->instance.directory, path, trigger,
			     own->limit);
}

char *own_triggers_read(struct own_triggers *own, const struct listed_event *event,
			size_t *length)
{
	AUTO_FREE char *path = instance_event_path(&own->instance, event, "hist");
	char *text = read_file(path, length);

	if (!text)
		message("cannot %s: %s: %s", own->verb, path, strerror(errno));
	return text;
}

/* The kernel frees references to the event a moment later. */
#define TRIES 50

static int remove_synthetic(struct own_triggers *own)
{
	const struct timespec pause = { .tv_nsec = 20000000 };
	AUTO_FREE char *path = xprintf("%s/synthetic_events", own->instance.tracefs);
	AUTO_FREE char *text = xprintf("!%s", own->synthetic);
	int result = -EBUSY;

	for (int i = 0; i < TRIES && result == -EBUSY; i++) {
		result = control_write(path, text);
		if (result == -EBUSY)
			nanosleep(&pause, NULL);
	}
	if (result)
		message("cannot delete the synthetic event %s: %s; \"userevents cleanup\" tries "
			"again", own->synthetic, strerror(-result));
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

struct field_question {
	struct question question;
	struct instance top;
	struct event_list list;
	const char *where;
};

static int find_fields(struct field_question *asked, const char *field)
{
	struct question *question = &asked->question;
	const struct listed_event *event = &asked->list.events[0];
	const struct words *by = &question->options->by;

	if (by->count + 1 > HIST_KEYS_KNOWN)
		question->limit = xprintf("cannot count by %zu fields: the kernel has %d "
					  "keys, of which one is FIELD",
					  by->count, HIST_KEYS_KNOWN);
	if (key_field_find(event, field, "count", question_add_field(question)))
		return -1;
	question->by = xcalloc(by->count, sizeof(*question->by));
	for (size_t i = 0; i < by->count; i++) {
		question->by[i] = by->items[i];
		if (key_field_find(event, by->items[i], "count by",
				   question_add_field(question)))
			return -1;
	}
	return 0;
}

static int set(void *context)
{
	struct field_question *asked = context;
	struct question *question = &asked->question;

	if (own_triggers_begin(&question->own, question->options->tracefs, question->verb,
			       question->limit))
		return -1;
	if (asked->where &&
	    own_triggers_check(&question->own, &question->event, asked->where))
		return -1;
	return question_set_triggers(question);
}

static void add_json(void *context, struct bytes *json)
{
	const struct field_question *asked = context;
	const struct question *question = &asked->question;

	json_string(json, "system", question->event.system);
	json_string(json, "event", question->event.name);
	json_string(json, "field", question->field_name);
	if (question->options->unit)
		json_string(json, "unit", question->options->unit);
	if (asked->where)
		json_string(json, "where", asked->where);
}

static int run(struct field_question *asked)
{
	struct question *question = &asked->question;
	AUTO(look_free) struct look look = { .text = NULL };
	int status = question_run(question, set, asked, &look);

	if (!status)
		status = question->exit_status;
	if (look.text && question_answer(question, &look, add_json, asked) && !status)
		status = EXIT_FAILED;
	if (own_triggers_end(&question->own) && !status)
		status = EXIT_FAILED;
	return status;
}

static void name_it(struct question *question, const struct listed_event *event,
		    const char *field)
{
	question->field_name = field;
	question->noun = "event";
	question->event.system = xstrdup(event->system);
	question->event.name = xstrdup(event->name);
	question->verb = xprintf("count %s of %s:%s", field, event->system, event->name);
	question->title = xprintf("%s of %s:%s", field, event->system, event->name);
	question->nanoseconds = (double)question->options->unit_nanoseconds;
}

static int ask(struct field_question *asked, const char *field)
{
	struct question *question = &asked->question;
	int status;

	name_it(question, &asked->list.events[0], field);
	if (find_fields(asked, field))
		return EXIT_FAILED;
	question->in_user_space = question->fields[0].is_text ? "stat" : "hist";
	if (question->fields[0].is_text && question->options->unit) {
		message("cannot %s: --unit is for numbers, and the field is a text",
			question->verb);
		return EXIT_WRONG_USAGE;
	}
	status = bucket_plan_make(&question->plan, &question->fields[0],
				  question->options->buckets, 1, question->verb);
	if (status)
		return status;
	question_make_triggers(question, asked->where);
	return run(asked);
}

int field_question_answer(const struct question_options *options, const char *event,
			  const char *field, const char *where)
{
	struct field_question asked = { .question.options = options, .where = where };
	int status = EXIT_FAILED;

	if (instance_open(&asked.top, options->tracefs, NULL))
		return status;
	if (!instance_find_to_enable(&asked.top, event, &asked.list)) {
		status = ask(&asked, field);
		event_list_free(&asked.list);
	}
	instance_close(&asked.top);
	question_free(&asked.question);
	return status;
}
