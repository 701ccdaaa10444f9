/* SPDX-License-Identifier: MIT */
/*
 * The fields of an event as annotations: arrays and structs nested, each name once, and in a
 * dict "eventheader" what an EventHeader event has beside its fields.
 */
#ifndef UE__TOOLS_EXPORT_PERFETTO_PERFETTO_ANNOTATIONS_H
#define UE__TOOLS_EXPORT_PERFETTO_PERFETTO_ANNOTATIONS_H

#include "export/tree/protobuf.h"
#include "export/tree/exported_event.h"
#include "export/tree/field_walk.h"
#include "export/tree/unique_names.h"
#include "perfetto_proto.h"

/* An array or struct whose elements are being appended. */
struct open_annotation {
	size_t begun; /* for protobuf_end() */
	size_t body;  /* where its elements begin */
};

/* The facts that events of a kind have in common, as they are written. */
struct kept_constants {
	uint64_t keyword;
	uint16_t id, tag;
	uint8_t version, opcode, level;
	uint32_t length; /* of bytes; 0: not in use */
	uint8_t bytes[104];
};

#define KEPT_CONSTANTS 64

/* Zero it before the first use. */
struct perfetto_annotations {
	struct field_walk walk;
	struct unique_names names;
	struct bytes text; /* of a value */
	struct open_annotation open[WALK_DEPTH_MAX + 2]; /* and "stop" and an error */
	uint32_t depth;
	struct kept_constants kept[KEPT_CONSTANTS]; /* by the kind's number */
	int is_brief; /* leave out what is equal for all events of a kind */
};

/* Append them to a TrackEvent. */
void perfetto_annotate(struct perfetto_annotations *annotations,
		       const struct exported_event *event, struct bytes *to);
/* The same, as one annotation that is a dict: "stop" of the event that ends a slice. */
void perfetto_annotate_stop(struct perfetto_annotations *annotations,
			    const struct exported_event *event, struct bytes *to);
/* Append one annotation of a TrackEvent. */
void perfetto_annotate_number(struct bytes *to, const char *name, uint64_t number);
void perfetto_annotations_free(struct perfetto_annotations *annotations);

/*
 * One annotation with a value, appended to a message. Its length is known before it is
 * written, so it is written at once: an event has a dozen of them.
 */

#define LITERAL(text) ((struct clean_text){ (text), sizeof(text) - 1 })

static inline uint8_t *annotation_key_at(uint8_t *at, uint32_t field, enum protobuf_wire wire)
{
	return protobuf_varint_at(at, (uint64_t)field << 3 | wire);
}

static inline uint8_t *annotation_text_at(uint8_t *at, uint32_t field, struct clean_text text)
{
	at = annotation_key_at(at, field, PROTOBUF_LENGTH);
	at = protobuf_varint_at(at, text.length);
	if (text.length)
		memcpy(at, text.at, text.length);
	return at + text.length;
}

/* Numbers of the fields within an annotation take one byte. */
static inline size_t annotation_text_size(struct clean_text text)
{
	return 1 + protobuf_varint_size(text.length) + text.length;
}

/* Up to its value, of so many bytes, for which there is room. An element has no name. */
static inline uint8_t *annotation_begin_at(struct bytes *to, uint32_t field,
					   const struct clean_text *name, size_t value)
{
	const size_t size = value + (name ? annotation_text_size(*name) : 0);
	uint8_t *at = bytes_room(to, size + 2 * PROTOBUF_VARINT_MAX);

	at = annotation_key_at(at, field, PROTOBUF_LENGTH);
	at = protobuf_varint_at(at, size);
	return name ? annotation_text_at(at, ANNOTATION_NAME, *name) : at;
}

static inline void annotation_end_at(struct bytes *to, const uint8_t *at)
{
	to->length = (size_t)(at - to->at);
}

static inline void annotation_text(struct bytes *to, uint32_t field,
				   const struct clean_text *name, struct clean_text text)
{
	uint8_t *at = annotation_begin_at(to, field, name, annotation_text_size(text));

	annotation_end_at(to, annotation_text_at(at, ANNOTATION_TEXT, text));
}

/* type: ANNOTATION_BOOL, _UINT or _INT. */
static inline void annotation_number(struct bytes *to, uint32_t field,
				     const struct clean_text *name, uint32_t type,
				     uint64_t number)
{
	uint8_t *at = annotation_begin_at(to, field, name, 1 + protobuf_varint_size(number));

	at = annotation_key_at(at, type, PROTOBUF_VARINT);
	annotation_end_at(to, protobuf_varint_at(at, number));
}

static inline void annotation_double(struct bytes *to, uint32_t field,
				     const struct clean_text *name, double number)
{
	uint8_t *at = annotation_begin_at(to, field, name, 1 + sizeof(uint64_t));
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	bits = htole64(bits);
	at = annotation_key_at(at, ANNOTATION_DOUBLE, PROTOBUF_FIXED64);
	memcpy(at, &bits, sizeof(bits));
	annotation_end_at(to, at + sizeof(bits));
}

#endif
