/* SPDX-License-Identifier: MIT */
/*
 * Measures the time from one event to another with the same key by histograms of the kernel:
 *
 *	START	hist:keys=id:ue_start=common_timestamp
 *	STOP	hist:keys=id:ue_ns=common_timestamp-$ue_start:
 *			onmatch(SYSTEM.START).trace(PAIR,$ue_ns)
 *	STOP	hist:keys=common_cpu	how many there are
 *	PAIR	hist:keys=ns...		a synthetic event, whose numbers are the answer
 *
 * The kernel clears ue_start as it is read, so one start has one stop. Histograms never forget
 * a key: when that of START is full, starts with other keys are dropped, which the answer
 * reports.
 */
#include "kernel_question.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "kernel/tracefs/hist_file.h"
#include "kernel/tracefs/tracing_files.h"
#include "common/text/text_table.h"

struct pair_question {
	struct question question; /* first, for dropped() */
	const struct kernel_pair_options *options;
	struct instance top;
	struct event_list start, stop;
	struct pair_fields fields;
	uint64_t starts, stops, pairs, dropped; /* dropped: of starts and stops */
	int has_totals;
};

/* Triggers */

static char *filter_of(const char *filter)
{
	return filter ? xprintf(" if %s", filter) : xstrdup("");
}

/* A power of 2, of 128 at least, as the kernel wants. */
static uint64_t key_room(const struct question *question)
{
	uint64_t size = 128;

	while (size < question->options->size)
		size *= 2;
	return size;
}

static char *start_trigger(const struct pair_question *asked)
{
	const struct question *question = &asked->question;
	AUTO_FREE char *filter = filter_of(asked->options->where_start);

	return xprintf("hist:keys=%s:ue_start=common_timestamp%s" HIST_CLOCK
		       ":size=%" PRIu64 "%s",
		       asked->fields.start_keys, asked->fields.saved,
		       key_room(question), filter);
}

static char *stop_trigger(const struct pair_question *asked)
{
	const struct question *question = &asked->question;
	const struct listed_event *start = &asked->start.events[0];
	AUTO_FREE char *filter = filter_of(asked->options->where_stop);

	return xprintf("hist:keys=%s:ue_ns=common_timestamp-$ue_start%s" HIST_CLOCK
		       ":size=%" PRIu64 ":onmatch(%s.%s).trace(%s,$ue_ns%s)%s",
		       asked->fields.stop_keys, asked->fields.taken, key_room(question),
		       start->system, start->name, question->event.name,
		       asked->fields.passed, filter);
}

/* It counts all that might be ends; processors are few. */
#define COUNT_TRIGGER "hist:keys=common_cpu:size=16384"

static char *count_trigger(const struct pair_question *asked)
{
	AUTO_FREE char *filter = filter_of(asked->options->where_stop);

	return xprintf("%s%s", COUNT_TRIGGER, filter);
}

static int set_one(struct pair_question *asked, const struct listed_event *event,
		   char *trigger)
{
	int result = own_triggers_set(&asked->question.own, event, trigger);

	free(trigger);
	return result;
}

static int check_filters(struct pair_question *asked)
{
	struct own_triggers *own = &asked->question.own;
	const struct kernel_pair_options *options = asked->options;

	return (options->where_start &&
		own_triggers_check(own, &asked->start.events[0], options->where_start)) ||
	       (options->where_stop &&
		own_triggers_check(own, &asked->stop.events[0], options->where_stop)) ? -1 : 0;
}

/* Each refers to one before. */
static int set(void *context)
{
	struct pair_question *asked = context;
	struct question *question = &asked->question;
	struct own_triggers *own = &question->own;

	if (tracing_lacks(asked->top.tracefs, TRACING_SYNTHETIC_EVENTS, question->verb) ||
	    own_triggers_begin(own, question->options->tracefs, question->verb,
			       question->limit) ||
	    check_filters(asked) || own_triggers_define(own, asked->fields.declared))
		return -1;
	question->event.name = xstrdup(own->synthetic);
	question_make_triggers(question, NULL);
	if (question_set_triggers(question) ||
	    set_one(asked, &asked->start.events[0], start_trigger(asked)) ||
	    set_one(asked, &asked->stop.events[0], stop_trigger(asked)) ||
	    set_one(asked, &asked->stop.events[0], count_trigger(asked)))
		return -1;
	return 0;
}

/* Totals */

static int read_totals(struct pair_question *asked, const struct listed_event *event,
		       struct hist_table *tables, size_t count)
{
	size_t length;
	AUTO_FREE char *text = own_triggers_read(&asked->question.own, event, &length);

	return text ? hist_file_totals(text, length, tables, count) : -1;
}

/* STOP has two histograms, in the order in which they were set. */
static int take_totals(struct pair_question *asked)
{
	struct hist_table start, stop[2];

	if (read_totals(asked, &asked->stop.events[0], stop, 2) ||
	    read_totals(asked, &asked->start.events[0], &start, 1))
		return -1;
	asked->starts = start.hits + start.dropped;
	asked->stops = stop[1].hits;
	asked->dropped = start.dropped + stop[0].dropped;
	return 0;
}

static uint64_t dropped(struct question *question)
{
	struct pair_question *asked = (struct pair_question *)question;

	asked->has_totals = !take_totals(asked);
	return asked->has_totals ? asked->dropped : 0;
}

/* Events that happened while the histograms were read are in some of them alone. */
static uint64_t difference(uint64_t all, uint64_t part)
{
	return all > part ? all - part : 0;
}

static void add_json(void *context, struct bytes *json)
{
	const struct pair_question *asked = context;

	json_string(json, "start", asked->start.events[0].name);
	json_string(json, "stop", asked->stop.events[0].name);
	json_string(json, "unit", "ns");
	if (!asked->has_totals)
		return;
	json_count(json, "starts", asked->starts);
	json_count(json, "stops", asked->stops);
	json_count(json, "neverEnded", difference(asked->starts, asked->pairs));
	json_count(json, "withoutStart", difference(asked->stops, asked->pairs));
	json_count(json, "startsDropped", asked->dropped);
}

/* The same question to "userevents latency", which keeps starts only until they end. */
static void report_dropped(const struct pair_question *asked)
{
	const struct question *question = &asked->question;
	AUTO_FREE char *command = pair_fields_latency(
		&asked->fields, asked->options, &question->options->by,
		&asked->start.events[0], &asked->stop.events[0]);

	message("cannot %s: %" PRIu64 " events were DROPPED, so the answer is of the "
		"others alone: "
		"the kernel keeps every key for ever, and has room for %" PRIu64 "; %s%s",
		question->verb, asked->dropped, key_room(question),
		command ? "measure in user space: " :
			  "let filters pass fewer, as \"userevents latency\" has one key "
			  "of one name",
		command ? command : "");
}

static void print_totals(const struct pair_question *asked)
{
	printf("\n%" PRIu64 " start%s, %" PRIu64 " without a stop in this time; %" PRIu64
	       " stop%s, %" PRIu64 " without a start in this time\n",
	       asked->starts, asked->starts == 1 ? "" : "s",
	       difference(asked->starts, asked->pairs), asked->stops,
	       asked->stops == 1 ? "" : "s", difference(asked->stops, asked->pairs));
}

static int answer(struct pair_question *asked, struct look *look)
{
	int failed;

	asked->pairs = look->table.hits + look->table.dropped;
	failed = question_answer(&asked->question, look, add_json, asked);
	if (!asked->has_totals) {
		message("cannot %s: the kernel's histograms of keys cannot be read; "
			"texts of events may look like their lines", asked->question.verb);
		return 1;
	}
	if (!asked->question.options->is_json)
		print_totals(asked);
	if (!asked->dropped)
		return failed;
	fflush(stdout);
	report_dropped(asked);
	return 1;
}

static int run(struct pair_question *asked)
{
	struct question *question = &asked->question;
	AUTO(look_free) struct look look = { .text = NULL };
	int status = question_run(question, set, asked, &look);

	if (!status)
		status = question->exit_status;
	if (look.text && answer(asked, &look) && !status)
		status = EXIT_FAILED;
	if (own_triggers_end(&question->own) && !status)
		status = EXIT_FAILED;
	return status;
}

/* Checks before anything is touched */

static void name_it(struct pair_question *asked)
{
	struct question *question = &asked->question;
	const struct listed_event *start = &asked->start.events[0];
	const struct listed_event *stop = &asked->stop.events[0];

	question->field_name = "duration";
	question->dropped_by_others = dropped;
	question->noun = "pair";
	question->in_user_space = "latency";
	question->nanoseconds = 1;
	question->event.system = xstrdup("synthetic");
	question->verb = xprintf("measure from %s:%s to %s:%s", start->system, start->name,
				 stop->system, stop->name);
	question->title = xprintf("from %s:%s to %s:%s", start->system, start->name, stop->system,
				  stop->name);
}

static int ask(struct pair_question *asked)
{
	struct question *question = &asked->question;
	const struct question_options *options = question->options;
	const struct listed_event *start = &asked->start.events[0];
	const struct listed_event *stop = &asked->stop.events[0];
	int status;

	name_it(asked);
	if (!strcmp(start->system, stop->system) && !strcmp(start->name, stop->name)) {
		message("cannot %s: in the kernel both must be different events; \"userevents "
			"latency\" measures from one to the next", question->verb);
		return EXIT_FAILED;
	}
	if (pair_fields_find(&asked->fields, asked->options, options, start, stop, question))
		return EXIT_FAILED;
	status = bucket_plan_make(&question->plan, &question->fields[0], options->buckets,
				  options->unit ? options->unit_nanoseconds : 1000,
				  question->verb);
	return status ? status : run(asked);
}

int pair_question_answer(const struct question_options *options,
			 const struct kernel_pair_options *pairs, const char *start,
			 const char *stop)
{
	struct pair_question asked = { .question.options = options, .options = pairs };
	int status = EXIT_FAILED;

	if (instance_open(&asked.top, options->tracefs, NULL))
		return status;
	if (!instance_find_to_enable(&asked.top, start, &asked.start)) {
		if (!instance_find_to_enable(&asked.top, stop, &asked.stop)) {
			status = ask(&asked);
			event_list_free(&asked.stop);
		}
		event_list_free(&asked.start);
	}
	instance_close(&asked.top);
	pair_fields_free(&asked.fields);
	question_free(&asked.question);
	return status;
}
