/* SPDX-License-Identifier: MIT */
/* Prints synthetic events, with the triggers that write them and the values that these keep. */
#include "synth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/text/text_table.h"

/* A trigger that writes an event, with the one that keeps its starts. */
struct writer {
	const struct found_trigger *stop, *start; /* start: NULL unless synth create made it */
	struct hist_state state, of_start;
};

static int is_start(const struct found_trigger *trigger, const struct found_trigger *stop,
		    const char *name)
{
	return !trigger_writes(trigger, name) && synth_event_owns(trigger, name) &&
	       trigger->instance && stop->instance &&
	       !strcmp(trigger->instance, stop->instance);
}

static void find_writer(const struct found_triggers *triggers, const char *name,
			struct writer *writer)
{
	for (size_t i = 0; i < triggers->count; i++)
		if (is_start(&triggers->items[i], writer->stop, name))
			writer->start = &triggers->items[i];
	hist_state_read(writer->stop, &writer->state);
	if (writer->start)
		hist_state_read(writer->start, &writer->of_start);
}

static void free_writer(struct writer *writer)
{
	hist_state_free(&writer->state);
	hist_state_free(&writer->of_start);
}

static uint64_t dropped(const struct writer *writer)
{
	return writer->state.dropped + writer->of_start.dropped;
}

static uint64_t entries(const struct writer *writer)
{
	return writer->of_start.entries > writer->state.entries ? writer->of_start.entries :
								  writer->state.entries;
}

static char *event_name(const struct found_trigger *trigger)
{
	return trigger ? xprintf("%s:%s", trigger->system, trigger->event) : xstrdup("");
}

static void tell_dropped(const struct writer *writer, const char *name)
{
	if (dropped(writer))
		message("%s has lost %llu events: its histograms are full, as the kernel never "
			"forgets a key; delete it and create it again, with fewer keys or a "
			"larger --size, or use \"userevents latency\"", name,
			(unsigned long long)dropped(writer));
}

/* JSON */

/* A text of an event that looks like the kernel's lines may stand in place of a number. */
static void put_number(struct bytes *json, const char *name, const char *text)
{
	const char *digits = text + (*text == '-');
	const size_t length = strspn(digits, "0123456789");

	if (length && !digits[length] && (*digits != '0' || length == 1))
		json_raw(json, name, text, strlen(text));
	else
		json_string(json, name, text);
}

static void put_field(struct bytes *json, const struct saved_field *field)
{
	if (field->is_number)
		put_number(json, field->name, field->value);
	else
		json_string(json, field->name, field->value);
}

static void put_saved(struct bytes *json, const struct hist_state *state)
{
	json_open(json, "saved", '[');
	for (size_t i = 0; i < state->saved_count; i++) {
		const struct saved_value *saved = &state->saved[i];

		json_open(json, NULL, '{');
		json_string(json, "key", saved->key);
		put_number(json, "value", saved->value);
		json_open(json, "fields", '{');
		for (size_t j = 0; j < saved->count; j++)
			put_field(json, &saved->fields[j]);
		json_close(json, '}');
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void put_writer(struct bytes *json, const struct writer *writer)
{
	AUTO_FREE char *from = event_name(writer->start), *to = event_name(writer->stop);

	json_open(json, NULL, '{');
	json_string(json, "instance", writer->stop->instance);
	json_string(json, "from", writer->start ? from : NULL);
	json_string(json, "to", to);
	json_string(json, "on", writer->state.on);
	json_boolean(json, "created_by_synth", writer->start != NULL);
	json_count(json, "hits", writer->state.hits);
	json_count(json, "entries", entries(writer));
	json_count(json, "dropped", dropped(writer));
	json_string(json, "snapshot_of", writer->state.snapshot);
	put_saved(json, &writer->state);
	json_string(json, "trigger", writer->stop->text);
	json_close(json, '}');
}

static void put_event(struct bytes *json, const struct synth_event *event,
		      const struct found_triggers *triggers)
{
	json_open(json, NULL, '{');
	json_string(json, "event", event->name);
	json_string(json, "fields", event->fields);
	json_open(json, "written_by", '[');
	for (size_t i = 0; i < triggers->count; i++) {
		struct writer writer = { .stop = &triggers->items[i] };

		if (!trigger_writes(writer.stop, event->name))
			continue;
		find_writer(triggers, event->name, &writer);
		put_writer(json, &writer);
		free_writer(&writer);
	}
	json_close(json, ']');
	json_close(json, '}');
	bytes_add(json, "\n", 1);
}

/* Text */

struct tables {
	struct text_table writers, saved;
	size_t hidden; /* saved values */
};

static void begin(struct tables *tables)
{
	struct text_table *writers = &tables->writers, *saved = &tables->saved;

	table_column(writers, "EVENT", 0);
	table_column(writers, "FROM", 0);
	table_column(writers, "TO", 0);
	table_column(writers, "ON", 0);
	table_column(writers, "INSTANCE", 0);
	table_column(writers, "HITS", 1);
	table_column(writers, "KEYS", 1);
	table_column(writers, "DROPPED", 1);
	table_column(saved, "EVENT", 0);
	table_column(saved, "ON", 0);
	table_column(saved, "KEY", 0);
	table_column(saved, "VALUE", 1);
	table_column(saved, "SAVED", 0);
}

/* The kernel does not check names and texts. */
static void cell(struct text_table *table, const char *text)
{
	AUTO_FREE char *copy = xstrdup(text);

	controls_blank(copy, strlen(copy));
	table_cell(table, copy);
}

/* More are in the JSON. */
#define SHOWN_MAX 20

static void put_rows(struct text_table *table, const char *name,
		     const struct hist_state *state)
{
	for (size_t i = 0; i < state->saved_count && i < SHOWN_MAX; i++) {
		const struct saved_value *saved = &state->saved[i];
		AUTO_FREE char *fields = xstrdup("");

		for (size_t j = 0; j < saved->count; j++)
			xappend(&fields, "%s%s=%s", j ? " " : "", saved->fields[j].name,
				saved->fields[j].value);
		cell(table, name);
		cell(table, state->on);
		cell(table, saved->key);
		cell(table, saved->value);
		cell(table, fields);
	}
}

static void put_row(struct text_table *table, const char *name, const struct writer *writer)
{
	AUTO_FREE char *from = event_name(writer->start), *to = event_name(writer->stop);

	cell(table, name);
	cell(table, from);
	cell(table, to);
	cell(table, writer->state.on);
	cell(table, writer->stop->instance ? writer->stop->instance : "(top)");
	table_cellf(table, "%llu", (unsigned long long)writer->state.hits);
	table_cellf(table, "%llu", (unsigned long long)entries(writer));
	table_cellf(table, "%llu", (unsigned long long)dropped(writer));
}

static void tabulate(struct tables *tables, const struct synth_event *event,
		     const struct found_triggers *triggers)
{
	for (size_t i = 0; i < triggers->count; i++) {
		struct writer writer = { .stop = &triggers->items[i] };
		struct hist_state *state = &writer.state;

		if (!trigger_writes(writer.stop, event->name))
			continue;
		find_writer(triggers, event->name, &writer);
		put_row(&tables->writers, event->name, &writer);
		put_rows(&tables->saved, event->name, state);
		if (state->saved_count > SHOWN_MAX)
			tables->hidden += state->saved_count - SHOWN_MAX;
		tell_dropped(&writer, event->name);
		free_writer(&writer);
	}
}

static void print(struct bytes *text)
{
	bytes_print(text);
	bytes_free(text);
}

static void print_tables(struct tables *tables)
{
	struct bytes text = { 0 };

	if (table_has_rows(&tables->writers)) {
		bytes_add(&text, "\n", 1);
		table_put(&tables->writers, &text);
	}
	if (table_has_rows(&tables->saved)) {
		bytes_add(&text, "\n", 1);
		table_put(&tables->saved, &text);
	}
	print(&text);
	if (tables->hidden)
		printf("%zu more: --json\n", tables->hidden);
}

/* Both */

static int is_wanted(const struct words *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++)
		if (!strcmp(names->items[i], name))
			return 1;
	return !names->count;
}

static int complain_of_unknown(const struct synth_events *events, const struct words *names)
{
	int result = 0;

	for (size_t i = 0; i < names->count; i++) {
		if (synth_events_find(events, names->items[i]))
			continue;
		message("cannot list %s: there is no such synthetic event", names->items[i]);
		result = -1;
	}
	return result;
}

static void print_events(const struct synth_events *events, const struct words *names,
			 const struct found_triggers *triggers)
{
	struct tables tables = { 0 };

	begin(&tables);
	for (size_t i = 0; i < events->count; i++) {
		const struct synth_event *event = &events->items[i];

		if (!is_wanted(names, event->name))
			continue;
		printf("%s %s\n", event->name, event->fields);
		tabulate(&tables, event, triggers);
	}
	print_tables(&tables);
}

static void print_json(const struct synth_events *events, const struct words *names,
		       const struct found_triggers *triggers)
{
	for (size_t i = 0; i < events->count; i++) {
		struct bytes json = { 0 };

		if (!is_wanted(names, events->items[i].name))
			continue;
		put_event(&json, &events->items[i], triggers);
		print(&json);
	}
}

int synth_list(const char *tracefs, const struct words *names, int is_json)
{
	struct found_triggers triggers;
	struct synth_events events;
	int result;

	if (synth_events_read(tracefs, &events))
		return -1;
	triggers_find(tracefs, &triggers);
	(is_json ? print_json : print_events)(&events, names, &triggers);
	result = complain_of_unknown(&events, names);
	triggers_free(&triggers);
	synth_events_free(&events);
	return result;
}
