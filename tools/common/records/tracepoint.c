/* SPDX-License-Identifier: MIT */
/*
 * Parses the description of a tracepoint, matches names of events with globs, and
 * renders and copies records.
 */
#include "tracepoint.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <userevents/eventheader_name.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"

#define USUAL_FIELDS 64

static uint32_t byte_order(int is_big_endian)
{
	return is_big_endian ? UE_RECORD_BIG_ENDIAN : UE_RECORD_LITTLE_ENDIAN;
}

static struct tracepoint *allocate(void)
{
	static uint64_t serial;
	struct tracepoint *tracepoint = xcalloc(1, sizeof(*tracepoint));

	tracepoint->serial = ++serial;
	return tracepoint;
}

/* Parse the text of the format: 0 or -EBADMSG. */
static int parse(struct tracepoint *tracepoint, uint32_t order, size_t length)
{
	size_t room = 0;
	int count = USUAL_FIELDS;

	while (count > 0 && (size_t)count > room) {
		room = (size_t)count;
		tracepoint->fields = xrealloc(tracepoint->fields,
					      room * sizeof(*tracepoint->fields));
		count = ue_record_layout_parse(&tracepoint->format, tracepoint->system,
					       tracepoint->text, length,
					       tracepoint->fields, room, order);
	}
	return count < 0 ? count : 0;
}

static void parse_raw(struct tracepoint *tracepoint, uint32_t order)
{
	size_t name = strcspn(tracepoint->name, "\n"); /* a name has no newline */

	free(tracepoint->text);
	tracepoint->text = xprintf("name: %.*s\nID: 0\nformat:\n"
				   "\tfield:struct raw raw;\toffset:8;\tsize:0;\tsigned:0;\n",
				   name ? (int)name : 7, name ? tracepoint->name : "unknown");
	parse(tracepoint, order, strlen(tracepoint->text));
	tracepoint->format.common_size = 0; /* show these bytes too */
}

/* Those that common/sched/sched.h reads. */
static int is_sched(const struct tracepoint *tracepoint)
{
	static const char *const names[] = { "sched_switch", "sched_wakeup",
					     "sched_wakeup_new", "sched_waking" };

	if (strcmp(tracepoint->system, "sched"))
		return 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(tracepoint->name, names[i]))
			return 1;
	return 0;
}

/* It may have a NUL, too. */
static char *terminated(const char *format, size_t length)
{
	char *text = memcpy(xmalloc(length + 1), format, length);

	text[length] = '\0';
	return text;
}

struct tracepoint *tracepoint_new(const char *system, const char *name,
				  const char *format, size_t length, int is_big_endian)
{
	struct tracepoint *tracepoint = allocate();
	uint32_t order = byte_order(is_big_endian);
	size_t name_length = name ? strlen(name) : 0;

	if (!name && format)
		name = format_line(format, length, "name", &name_length);
	tracepoint->system = xstrdup(system);
	tracepoint->is_multi = !strcmp(system, "user_events_multi");
	tracepoint->name = xstrndup(name ? name : "", name_length);
	if (format)
		tracepoint->text = terminated(format, length);
	if (!format || parse(tracepoint, order, length))
		parse_raw(tracepoint, order);
	tracepoint->is_sched = is_sched(tracepoint);
	return tracepoint;
}

struct tracepoint *tracepoint_bare(const char *name)
{
	struct tracepoint *tracepoint = allocate();

	tracepoint->is_bare = 1;
	tracepoint->system = xstrdup("user_events");
	tracepoint->name = xstrdup(name);
	return tracepoint;
}

struct tracepoint *tracepoint_define(const char *definition, int is_big_endian)
{
	struct tracepoint *tracepoint = allocate();
	uint32_t order = byte_order(is_big_endian);
	int count;

	tracepoint->system = xstrdup("user_events");
	tracepoint->text = xstrdup(definition);
	count = ue_record_layout_define(&tracepoint->format, tracepoint->system,
					tracepoint->text, NULL, 0, order);
	if (count < 0) {
		tracepoint_free(tracepoint);
		return NULL;
	}
	tracepoint->name = xstrndup(definition, tracepoint->format.name_length);
	tracepoint->fields = xcalloc((size_t)count, sizeof(*tracepoint->fields));
	ue_record_layout_define(&tracepoint->format, tracepoint->system, tracepoint->text,
				tracepoint->fields, (size_t)count, order);
	return tracepoint;
}

void tracepoint_free(struct tracepoint *tracepoint)
{
	if (!tracepoint)
		return;
	tracepoint->is_freed = 1;
	if (tracepoint->keepers)
		return;
	free(tracepoint->system);
	free(tracepoint->name);
	free(tracepoint->text);
	free(tracepoint->fields);
	free(tracepoint);
}

/* Let it last until tracepoint_release(), although its owner frees it earlier. */
static struct tracepoint *tracepoint_keep(struct tracepoint *tracepoint)
{
	tracepoint->keepers++;
	return tracepoint;
}

static void tracepoint_release(struct tracepoint *tracepoint)
{
	tracepoint->keepers--;
	if (tracepoint->is_freed)
		tracepoint_free(tracepoint);
}

const char *format_line(const char *text, size_t length, const char *key,
			size_t *line_length)
{
	size_t key_length = strlen(key);

	while (length) {
		const char *end = memchr(text, '\n', length);
		size_t line = end ? (size_t)(end - text) : length;

		if (line > key_length + 2 && !memcmp(text, key, key_length) &&
		    !memcmp(text + key_length, ": ", 2)) {
			*line_length = line - key_length - 2;
			return text + key_length + 2;
		}
		length -= end ? line + 1 : line;
		text += end ? line + 1 : line;
	}
	return NULL;
}

/* Matches names of events with globs. */

int glob_matches(const struct words *patterns, const char *system, const char *name,
		 size_t name_length)
{
	char full[1024];
	const char *bare;

	if (!patterns->count)
		return 1;
	snprintf(full, sizeof(full), "%s:%.*s", system, (int)name_length, name);
	bare = full + strlen(system) + 1;
	for (size_t i = 0; i < patterns->count; i++) {
		const char *pattern = patterns->items[i];

		if (!fnmatch(pattern, strchr(pattern, ':') ? full : bare, 0))
			return 1;
	}
	return 0;
}

void globs_strike(struct words *patterns, const char *system, const char *name,
		  size_t name_length)
{
	size_t left = 0;

	for (size_t i = 0; i < patterns->count; i++) {
		const struct words one = { &patterns->items[i], 1 };

		if (!glob_matches(&one, system, name, name_length))
			patterns->items[left++] = patterns->items[i];
	}
	patterns->count = left;
}

int glob_may_match_events(const char *pattern, const char *tracepoint)
{
	const char *colon = strchr(pattern, ':');
	struct ue_eventheader_name parts;
	char provider[256], wanted[256];

	if (ue_eventheader_name_parse(tracepoint, strlen(tracepoint), &parts, NULL))
		return 0;
	/* a colon may stand in a bracket, too; the filter decides in the end */
	if (!colon || memchr(pattern, '[', (size_t)(colon - pattern)))
		return 1;
	snprintf(provider, sizeof(provider), "%.*s", (int)parts.provider_length,
		 parts.provider);
	snprintf(wanted, sizeof(wanted), "%.*s", (int)(colon - pattern), pattern);
	return !fnmatch(wanted, provider, 0);
}

int globs_found(const struct words *patterns, size_t count)
{
	if (!patterns->count || count)
		return 1;
	message("cannot find an event: there is no event that %s%s%s matches",
		patterns->count == 1 ? "\"" : "",
		patterns->count == 1 ? patterns->items[0] : "any of these",
		patterns->count == 1 ? "\"" : "");
	return 0;
}

/* Keeps copies of records. */

static void *copy(uint8_t **end, const void *bytes, size_t length)
{
	uint8_t *begin = *end;

	if (length)
		memcpy(begin, bytes, length);
	*end += length;
	return begin;
}

/* A name that the sample has, with its NUL. */
static size_t name_length(const struct ue_sample *sample, uint32_t which, const char *name)
{
	return sample->present & which && name ? strlen(name) + 1 : 0;
}

static ptrdiff_t render_reader(struct ue_reader *reader, const struct ue_render_opts *opts,
			       int is_text, char *out, size_t size)
{
	return (is_text ? ue_reader_to_text : ue_reader_to_json)(reader, opts, out, size);
}

ptrdiff_t record_render(const struct record *record, struct ue_reader *reader,
			const struct ue_render_opts *opts, int is_text, char *out,
			size_t size)
{
	const struct tracepoint *tracepoint = record->tracepoint;
	const size_t common = record_common_size(record);
	struct ue_reader bare;

	if (reader)
		return render_reader(reader, opts, is_text, out, size);
	if (!tracepoint->is_bare)
		return (is_text ? ue_record_to_text : ue_record_to_json)(
			&tracepoint->format, record->bytes + common,
			record->length - common, opts, out, size);
	/* A bare event has no reader yet; one that cannot begin renders the error. */
	ue_reader_begin(&bare, tracepoint->name, strlen(tracepoint->name), record->bytes,
			record->length, NULL);
	return render_reader(&bare, opts, is_text, out, size);
}

/*
 * The reader may forget names as soon as another record gives a thread or a group its own. A
 * fault while the record is read leaves the copy empty.
 */
size_t record_keep(struct kept_record *kept, const struct record *record, const void *more,
		   size_t length, const char **copied)
{
	const struct ue_sample *sample = &record->sample;
	const size_t comm = name_length(sample, UE_META_COMM, sample->comm);
	const size_t cgroup = name_length(sample, UE_META_CGROUP, sample->cgroup);
	const size_t program = record->program ? strlen(record->program) + 1 : 0;
	const size_t frames = record->frame_count * sizeof(*record->frames);
	const size_t names = comm + cgroup + program;
	const size_t size = frames + record->length + names + length + 1;
	uint8_t *const memory = xmalloc(size), *end = memory;

	kept->memory = NULL;
	kept->record = *record;
	kept->record.frames = copy(&end, record->frames, frames); /* first: aligned */
	kept->record.bytes = copy(&end, record->bytes, record->length);
	if (comm)
		kept->record.sample.comm = copy(&end, sample->comm, comm);
	if (cgroup)
		kept->record.sample.cgroup = copy(&end, sample->cgroup, cgroup);
	if (program)
		kept->record.program = copy(&end, record->program, program);
	if (length)
		*copied = copy(&end, more, length);
	tracepoint_keep(record->tracepoint);
	kept->memory = memory;
	return size;
}

void record_drop(struct kept_record *kept)
{
	if (kept->memory)
		tracepoint_release(kept->record.tracepoint);
	free(kept->memory);
	kept->memory = NULL;
}
