/* SPDX-License-Identifier: MIT */
/* Events as a trace of CTF: its stream, classes of events, types of fields. */
#ifndef UE__TOOLS_EXPORT_CTF_CTF_STREAM_H
#define UE__TOOLS_EXPORT_CTF_CTF_STREAM_H

#include <babeltrace2/babeltrace.h>
#include <stddef.h>
#include <stdint.h>

#include "common/cli/memory.h"
#include "export/tree/exported_event.h"
#include "export/tree/field_walk.h"

/* Names of members of a struct that are identifiers, each once. */

/* Longer names are cut off. */
#define CTF_NAME_MAX 1024

/* The names that a struct has so far. Zero it before the first use. */
struct ctf_names {
	char **items;
	uint32_t count;
	struct key_table by_name;
};

/*
 * The identifier for the name of the next member: other characters than letters, digits and
 * '_' become '_' and two hexadecimal digits a byte, a first digit gets '_' before it, and a
 * name that exists already "_N", N being the number of the member, or the next that is free.
 * Valid until ctf_names_free().
 */
const char *ctf_name_add(struct ctf_names *names, const char *name, size_t length);
void ctf_names_free(struct ctf_names *names);

/*
 * Append the name of an event, or a part of it: as it is, but for bytes that are not printable
 * ASCII, which become '_' and two hexadecimal digits. In the metadata of sink.ctf.fs, 0x7f and
 * "d" would be "\x7fd", which readers take for one byte.
 */
void ctf_name_print(struct bytes *to, const char *name, size_t length);

/* Types of fields in CTF, and values of these. */

/* Takes the result of a function of the library; without memory the tool ends. */
void *ctf_made(void *made);

/* Bytes of the count before a sequence. */
#define CTF_COUNT_SIZE 4

enum ctf_base {
	CTF_NULL, /* a struct without members */
	CTF_UNSIGNED,
	CTF_HEX, /* unsigned, with a preferred base */
	CTF_SIGNED,
	CTF_FLOAT,
	CTF_TEXT,
	CTF_BYTES, /* a sequence of unsigned bytes */
	CTF_STRUCT,
};

struct ctf_type {
	uint8_t base; /* enum ctf_base */
	uint8_t size; /* of a number, in bytes; else 0 */
};

/*
 * The type of a value. Elements of an array are of one type, whatever their lengths: so inside
 * of an array a number that may be missing is text, as it is printed. So are bytes there, as
 * sink.ctf.fs can write no sequence of sequences.
 */
struct ctf_type ctf_type_of(const struct ue_value *raw, enum ue_value_type type, int in_array);
/* The same of the elements of an array, of which item is the beginning. */
struct ctf_type ctf_type_of_elements(const struct walk_item *item);
/* The same of a definition without value (ue_reader_next_field()), inside of an array. */
struct ctf_type ctf_type_of_definition(const struct ue_item *item);

static inline int ctf_type_is(struct ctf_type type, struct ctf_type other)
{
	return type.base == other.base && type.size == other.size;
}

/* A class for it, which the caller puts; not of CTF_STRUCT. */
bt_field_class *ctf_type_class(bt_trace_class *trace, struct ctf_type type);
/* Set the value. Returns the bytes that it takes in the stream. */
uint64_t ctf_type_set(bt_field *field, struct ctf_type type, const struct walk_item *item,
		      struct bytes *scratch);
/* The same of text, in which a NUL becomes U+2400, since the format ends text with one. */
uint64_t ctf_set_text(bt_field *field, const char *text, size_t length);
/* The same of text that has no NUL. */
uint64_t ctf_set_words(bt_field *field, const char *text, size_t length);

/*
 * The fields that all events of a class have: as many steps as one walk makes through an event
 * whose arrays have one element each.
 */

struct ctf_step {
	uint8_t kind; /* enum walk_kind */
	/* Set for WALK_VALUE, and for the elements of WALK_ARRAY_BEGIN: */
	struct ctf_type type;
	/* Set for WALK_VALUE in the event that the layout was read from: */
	uint8_t encoding;
	uint8_t format;
	uint32_t length;
	uint32_t member;  /* its number in the struct around it */
	uint32_t end;	  /* of WALK_ARRAY_BEGIN: the step that ends it */
	uint32_t name;	  /* where it is in names */
	uint32_t name_length;
};

/* Events with more are text: sink.ctf.fs compares each sequence with all its siblings. */
#define CTF_STEPS_MAX 1024u

struct ctf_layout {
	struct ctf_step *steps;
	uint32_t count;
	struct bytes names; /* of the fields, without attributes */
};

/*
 * That of an event: 0, or -1 if the event is damaged or has too many fields. layout: zeroed by
 * the caller, and freed also after -1.
 */
int ctf_layout_read(struct ctf_layout *layout, struct field_walk *walk, struct event *event);
void ctf_layout_free(struct ctf_layout *layout);

/* Values of an event in the fields of its class. */

/*
 * Set the members of a struct. 0, or -1 if the event does not have this layout, or is damaged.
 * payload may be NULL if the layout is empty. size: increased by the bytes that they take in the
 * stream.
 */
int ctf_fill(const struct ctf_layout *layout, struct field_walk *walk, struct event *event,
	     bt_field *payload, struct bytes *scratch, uint64_t *size);

/*
 * A graph of libbabeltrace2 with two components: ours, a source, and sink.ctf.fs. A sink pulls
 * messages, but events are pushed here: so messages wait in a queue, and the graph runs when
 * that is full.
 */

/* The library takes this many at once. */
#define CTF_QUEUE_MAX 15

struct ctf_graph {
	bt_graph *graph;
	bt_self_component *component;
	bt_self_message_iterator *iterator; /* that creates messages */
	const bt_message *queue[CTF_QUEUE_MAX];
	size_t count;
	int is_end; /* no message follows those in the queue */
};

/* A graph that writes into a directory, which does not exist yet. 0, or -1 after a message. */
int ctf_graph_open(struct ctf_graph *graph, const char *path);
/* Pass a message on, of which the caller's reference goes away. 0, or -1 if writing failed. */
int ctf_graph_push(struct ctf_graph *graph, bt_message *message);
/* Let the sink take the queue. The result as above. */
int ctf_graph_run(struct ctf_graph *graph);
/* The same with everything, when nothing follows. */
int ctf_graph_end(struct ctf_graph *graph);
/* The sink writes its metadata now. */
void ctf_graph_free(struct ctf_graph *graph);

/*
 * The directory of a trace. sink.ctf.fs creates it and writes into it, but it frees memory twice
 * when the disk is full, and aborts the program when it cannot write the metadata, which it does
 * last of all. So space is reserved before it writes.
 */

struct ctf_folder {
	const char *path;
	uint64_t metadata; /* bytes that are reserved */
	uint64_t stream;
	int error; /* errno of a failed reservation; 0: none */
};

/* Whether it can be created, and does not exist. 0, or -1 after a message. */
int ctf_folder_check(const struct ctf_folder *folder);
/* Remove it, and the metadata in it. */
void ctf_folder_remove(const struct ctf_folder *folder);
/* Reserve this many bytes more for the metadata: 0, or -1 with folder->error. */
int ctf_folder_reserve(struct ctf_folder *folder, uint64_t more);
/* Reserve the bytes of the stream before this one, which exists. The result as above. */
int ctf_folder_reserve_stream(struct ctf_folder *folder, uint64_t end);
/* Whether the metadata can be written. */
int ctf_folder_is_ready(const struct ctf_folder *folder);

/* Contexts of CTF: the properties of events beside their fields. */

/* Returns the bytes that it takes in the stream. */
uint64_t ctf_set_common_context(bt_field *context, const struct exported_event *event,
			    struct clean_texts *texts);

/*
 * Properties that an event has, as a set of bits: those whose value is not 0. late: the time is
 * not the packet's.
 */
uint32_t ctf_properties_of(const struct exported_event *event, int late);
/* The context of events that have these; NULL: none. */
bt_field_class *ctf_own_context(bt_trace_class *trace, uint32_t properties);
/* The same for the event's own context. */
uint64_t ctf_set_own_context(bt_field *context, const struct exported_event *event,
			 uint32_t properties);

/* The trace with its one stream: the clock, packets, and losses between them. */

struct ctf_stream {
	struct ctf_graph *graph;
	struct ctf_folder *folder;
	bt_trace_class *trace_class;
	bt_stream_class *class;
	bt_trace *trace;
	bt_stream *stream; /* NULL: not begun */
	bt_packet *packet; /* that is open; NULL: none */
	int has_packet;	   /* there was one */
	uint64_t bytes;	   /* of events in it */
	uint64_t end;	   /* of the stream, in bytes; or the bytes after that */
	int64_t offset;	   /* of the clock: its 0 in the times of samples */
	uint64_t now;	   /* by the clock */
	uint64_t lost;	   /* events that are missing before the next */
};

/*
 * Begin with the first event; NULL: there is none. graph and folder are set before. 0, or -1 if
 * writing failed: then folder->error is set, or else the library failed.
 */
int ctf_stream_begin(struct ctf_stream *stream, const struct exported_event *first);
/*
 * Go on to the time of an event, if it is not before that of the last: *late says so. Ends a
 * packet that is large enough, and reports losses. The result as above.
 */
int ctf_stream_advance(struct ctf_stream *stream, const struct exported_event *event, int *late);
/* Make sure that an event of this size, without its header, can be written. */
int ctf_stream_reserve(struct ctf_stream *stream, uint64_t size);
/* If there is no space, report no losses. */
int ctf_stream_end(struct ctf_stream *stream);
/* It must be called before the graph is freed. */
void ctf_stream_free(struct ctf_stream *stream);

/* A class of events in CTF: those of one name, level and layout. */

struct ctf_class {
	struct ctf_class *next; /* of the same kind of events */
	bt_event_class *class;
	struct ctf_layout layout;
	uint32_t properties; /* ctf_properties_of() */
	uint8_t level;
	int has_arrays;
	/* Only of large events, whose arrays the library keeps for reuse. */
	int is_large;
	uint64_t largest; /* event, in bytes, if there are arrays */
};

/* The classes of all events, of which there are only so many. */

/* One for events of one name. */
#define CTF_CLASSES_OF_KIND_MAX 64

/* The number of fields and elements of all classes; each takes about 100 bytes. */
#define CTF_ROOM (1u << 21)
/* A field takes a class here, one of the sink, and a value in each event of a queue. */
#define CTF_ROOM_OF_FIELD 20

/* Zero it before the first use; set stream and folder. */
struct ctf_classes {
	struct ctf_stream *stream;
	struct ctf_folder *folder;
	struct ctf_class **by_kind; /* first the one of the last event */
	uint32_t kinds;
	uint64_t room; /* that is used */
	struct ctf_class *json, *bytes; /* NULL until an event needs them */
	struct field_walk walk;
	struct bytes scratch;
	struct clean_texts texts;
};

/*
 * Write an event as one of its class, which may be new; if there is no room for that, or the
 * event is damaged, as JSON or bytes. 0, or -1 if writing failed.
 */
int ctf_classes_put(struct ctf_classes *classes, const struct exported_event *event, int late);
void ctf_classes_free(struct ctf_classes *classes);

/* Events that no class takes: as JSON, or as bytes if that would be too long. */

/*
 * Longer JSON is not written: 64 KiB in an event can make a gigabyte of it, and babeltrace2 takes
 * time in the square of the length of a text.
 */
#define CTF_JSON_MAX (1u << 16)
/* So many bytes of an event are written, as texts with the digits of so many each. */
#define CTF_BYTES_MAX (1u << 20)
#define CTF_BYTES_OF_TEXT 2048u

/* A class with a field of text, "json"; and one with "name", "error", "offset", "bytes". */
struct ctf_class *ctf_class_of_json(const struct ctf_stream *stream);
struct ctf_class *ctf_class_of_bytes(const struct ctf_stream *stream);

/* NULL: it would be too long; fault names the problem of the event, or of that. */
const char *ctf_json_of(struct event *event, struct field_walk *walk, struct bytes *text,
			struct ue_eventheader_error *fault);
/* Set the fields of a class of bytes. Returns the bytes that they take in the stream. */
uint64_t ctf_set_bytes(bt_field *payload, const struct exported_event *event,
		       const struct ue_eventheader_error *fault);

/* The format "ctf": a directory with a trace of CTF 1.8. */

exporter_open ctf_export_open;

#endif
