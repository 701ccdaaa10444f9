/* SPDX-License-Identifier: MIT */
/* Exports events as a trace of the Common Trace Format. */
#include "ctf_stream.h"
#include "export/tree/exported_event.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <userevents/decode/render.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"

struct ctf_export {
	struct exporter exporter;
	struct ctf_graph graph;
	struct ctf_folder folder;
	struct ctf_stream stream;
	struct ctf_classes classes;
	int has_begun;
	int has_failed; /* after a message */
};

static struct ctf_export *of(struct exporter *exporter)
{
	return (struct ctf_export *)exporter;
}

static int fail(struct ctf_export *export)
{
	const struct ctf_folder *folder = &export->folder;

	if (folder->error)
		message("cannot write %s: %s; it has the events up to then", folder->path,
			file_reason(folder->error));
	else
		message("cannot write %s: libbabeltrace2 failed; remove what it has written",
			folder->path);
	export->has_failed = 1;
	return -1;
}

/*
 * The directory comes into being with the first event, or at the end of none. Recordings are
 * private, so it is.
 */
static int open_graph(struct ctf_export *export)
{
	const mode_t before = umask(0077);
	const int result = ctf_folder_check(&export->folder) ||
			   ctf_graph_open(&export->graph, export->folder.path);

	umask(before);
	return result;
}

/* Space for the metadata of a trace without events. */
static int reserve_first(struct ctf_export *export)
{
	struct ctf_folder *folder = &export->folder;

	if (!ctf_folder_reserve(folder, 16384))
		return 0;
	message("cannot write %s: %s", folder->path, strerror(folder->error));
	ctf_graph_free(&export->graph);
	ctf_folder_remove(folder);
	return -1;
}

static int begin(struct ctf_export *export, const struct exported_event *first)
{
	export->has_begun = 1;
	if (open_graph(export) || reserve_first(export)) {
		export->has_failed = 1;
		return -1;
	}
	return ctf_stream_begin(&export->stream, first) ? fail(export) : 0;
}

static int take(struct exporter *exporter, const struct exported_event *event)
{
	struct ctf_export *export = of(exporter);
	int late;

	if (!export->has_begun && begin(export, event))
		return -1;
	if (ctf_stream_advance(&export->stream, event, &late) ||
	    ctf_classes_put(&export->classes, event, late))
		return fail(export);
	return 0;
}

static int lost(struct exporter *exporter, const struct lost_events *lost)
{
	of(exporter)->stream.lost += lost->count;
	return 0;
}

static int flush(struct exporter *exporter)
{
	struct ctf_export *export = of(exporter);

	if (!export->graph.count)
		return 0;
	return ctf_graph_run(&export->graph) ? fail(export) : 0;
}

/* Without a place for its metadata, the library would abort. */
static int write_metadata(struct ctf_export *export)
{
	if (!ctf_folder_is_ready(&export->folder)) {
		message("cannot write %s/metadata: it was removed meanwhile",
			export->folder.path);
		return -1;
	}
	ctf_classes_free(&export->classes);
	ctf_stream_free(&export->stream);
	ctf_graph_free(&export->graph);
	return 0;
}

/* After a failure of the library nothing of it can be used. */
static int end_stream(struct ctf_export *export)
{
	if (export->has_failed && !export->folder.error)
		return -1;
	if (ctf_stream_end(&export->stream) || ctf_graph_end(&export->graph)) {
		export->folder.error = 0;
		return fail(export);
	}
	if (export->folder.error && !export->has_failed)
		fail(export);
	return write_metadata(export);
}

static int end(struct exporter *exporter)
{
	struct ctf_export *export = of(exporter);

	if (!export->has_begun && begin(export, NULL))
		return -1;
	return (export->stream.stream && end_stream(export)) || export->has_failed ? -1 : 0;
}

/* A graph that was not ended stays: freeing it would write its metadata. */
static void free_export(struct exporter *exporter)
{
	free(exporter);
}

static int check(const struct export_options *options)
{
	const char *problem = NULL;

	if (!options->output || !strcmp(options->output, "-"))
		problem = "it is a directory of several files; use --output DIRECTORY";
	else if (options->is_flat)
		problem = "its names have no dots; leave out --flatten";
	if (problem)
		message("cannot export to ctf: %s", problem);
	return problem ? -1 : 0;
}

struct exporter *ctf_export_open(const struct export_options *options, int *status)
{
	struct ctf_export *export;

	*status = EXIT_WRONG_USAGE;
	if (check(options))
		return NULL;
	export = xcalloc(1, sizeof(*export));
	*status = EXIT_FAILED;
	export->exporter = (struct exporter){
		.take = take,
		.lost = lost,
		.flush = flush,
		.end = end,
		.free = free_export,
	};
	export->folder.path = options->output;
	export->stream.graph = &export->graph;
	export->stream.folder = &export->folder;
	export->classes.stream = &export->stream;
	export->classes.folder = &export->folder;
	if (!ctf_folder_check(&export->folder))
		return &export->exporter;
	free(export);
	return NULL;
}

/* Makes events of those that no class takes. */

/* Classes */

static void append(bt_field_class *to, const char *name, bt_field_class *member)
{
	if (bt_field_class_structure_append_member(to, name, member))
		memory_is_short();
	bt_field_class_put_ref(member);
}

static struct ctf_class *make(const struct ctf_stream *stream, const char *name,
			      bt_field_class *payload)
{
	struct ctf_class *class = xcalloc(1, sizeof(*class));

	class->class = ctf_made(bt_event_class_create(stream->class));
	if (bt_event_class_set_name(class->class, name) ||
	    bt_event_class_set_payload_field_class(class->class, payload))
		memory_is_short();
	bt_field_class_put_ref(payload);
	return class;
}

struct ctf_class *ctf_class_of_json(const struct ctf_stream *stream)
{
	bt_trace_class *trace = stream->trace_class;
	bt_field_class *payload = ctf_made(bt_field_class_structure_create(trace));

	append(payload, "json", ctf_made(bt_field_class_string_create(trace)));
	return make(stream, "userevents:json", payload);
}

static bt_field_class *texts_class(bt_trace_class *trace)
{
	bt_field_class *text = ctf_made(bt_field_class_string_create(trace));
	bt_field_class *class =
		ctf_made(bt_field_class_array_dynamic_create(trace, text, NULL));

	bt_field_class_put_ref(text);
	return class;
}

enum { NAME, ERROR, OFFSET, BYTES };

struct ctf_class *ctf_class_of_bytes(const struct ctf_stream *stream)
{
	bt_trace_class *trace = stream->trace_class;
	bt_field_class *payload = ctf_made(bt_field_class_structure_create(trace));

	append(payload, "name", ctf_made(bt_field_class_string_create(trace)));
	append(payload, "error", ctf_made(bt_field_class_string_create(trace)));
	append(payload, "offset", ctf_type_class(trace, (struct ctf_type){ CTF_UNSIGNED, 8 }));
	append(payload, "bytes", texts_class(trace));
	return make(stream, "userevents:bytes", payload);
}

/* JSON */

static ptrdiff_t render(struct event *event, char *at, size_t room)
{
	const struct tracepoint *tracepoint = event->record->tracepoint;
	const struct ue_render_opts opts = { .size = sizeof(opts),
					     .sample = &event->record->sample };

	return tracepoint->is_bare ?
		       ue_reader_to_json(&event->reader, &opts, at, room) :
		       ue_record_to_json(&tracepoint->format, event->bytes, event->length, &opts,
					 at, room);
}

/* Events that repeat names too often would take long to render. */
static int is_bounded(struct event *event, struct field_walk *walk,
		      struct ue_eventheader_error *fault)
{
	field_walk_begin(walk, event);
	while (field_walk_next(walk) != WALK_END)
		;
	*fault = walk->fault;
	return walk->names_length <= WALK_NAMES_MAX;
}

const char *ctf_json_of(struct event *event, struct field_walk *walk, struct bytes *text,
			struct ue_eventheader_error *fault)
{
	size_t room = 1024;
	ptrdiff_t length;

	if (!is_bounded(event, walk, fault))
		return NULL;
	if (redaction_is_on())
		return ""; /* it would have all fields */
	text->length = 0;
	for (;; room = (size_t)length + 1) {
		length = render(event, bytes_room(text, room), room);
		if (length < 0)
			return "";
		if (length > CTF_JSON_MAX)
			break;
		if ((size_t)length < room)
			return (const char *)text->at;
	}
	if (!fault->error)
		*fault = (struct ue_eventheader_error){ .name = "too_long" };
	return NULL;
}

/* Bytes */

static uint64_t set_text(bt_field *field, const uint8_t *bytes, size_t count)
{
	static const char digits[] = "0123456789abcdef";
	char text[2 * CTF_BYTES_OF_TEXT];

	for (size_t i = 0; i < count; i++) {
		text[2 * i] = digits[bytes[i] >> 4];
		text[2 * i + 1] = digits[bytes[i] & 15];
	}
	return ctf_set_words(field, text, 2 * count);
}

static uint64_t set_texts(bt_field *field, const struct event *event)
{
	const size_t most = redaction_is_on() ? 0 : CTF_BYTES_MAX;
	const size_t length = event->length < most ? event->length : most;
	const size_t count = (length + CTF_BYTES_OF_TEXT - 1) / CTF_BYTES_OF_TEXT;
	uint64_t size = CTF_COUNT_SIZE;

	if (bt_field_array_dynamic_set_length(field, count))
		memory_is_short();
	for (size_t i = 0; i < count; i++) {
		const size_t at = i * CTF_BYTES_OF_TEXT, left = length - at;

		size += set_text(bt_field_array_borrow_element_field_by_index(field, i),
				 event->bytes + at,
				 left < CTF_BYTES_OF_TEXT ? left : CTF_BYTES_OF_TEXT);
	}
	return size;
}

static bt_field *member(bt_field *payload, uint64_t index)
{
	return bt_field_structure_borrow_member_field_by_index(payload, index);
}

uint64_t ctf_set_bytes(bt_field *payload, const struct exported_event *event,
		       const struct ue_eventheader_error *fault)
{
	bt_field_integer_unsigned_set_value(member(payload, OFFSET), fault->offset);
	return sizeof(uint64_t) +
	       ctf_set_text(member(payload, NAME), event->name.at, event->name.length) +
	       ctf_set_words(member(payload, ERROR), fault->name, strlen(fault->name)) +
	       set_texts(member(payload, BYTES), event->event);
}
