/* SPDX-License-Identifier: MIT */
/*
 * A list of fields, made by Go, is written in one call: a call from Go into C costs as much as
 * the rest of a write.
 */
#ifndef USEREVENTS_GO_PACK_H
#define USEREVENTS_GO_PACK_H

#include <stddef.h>
#include <stdint.h>

#include <userevents/userevents.h>

enum pack_op {
	PACK_FIELD,
	PACK_STRUCT_BEGIN,
	PACK_STRUCT_END,
	PACK_STRUCTS_BEGIN,
	PACK_STRUCT_NEXT,
	PACK_UNSIGNED, /* of classic events: value is 8 bytes, or text, or bytes */
	PACK_SIGNED,
	PACK_TEXT,
	PACK_BYTES,
};

/* A field: this, its name with a NUL, its value. Nothing is aligned. */
struct pack_head {
	uint8_t op;
	uint8_t encoding, format;
	uint8_t spare;
	uint16_t tag;
	uint16_t spare2;
	uint32_t name;	/* bytes of the name without its NUL */
	uint32_t value; /* bytes of the value */
};

/* As ue_open() with the one option. Go may not set a pointer in memory of C that is not zero. */
int pack_open_path(const char *path);
int pack_open_fd(int fd);

/* What failed, if error is negative. */
struct pack_result {
	enum ue_call call;
	int error;
};

/* As ue_builder_write(), for the fields in bytes. */
struct pack_result pack_record(struct ue_builder *builder, const char *name, size_t length,
			       uint64_t options, const void *bytes, size_t size, int fd,
			       struct ue_tracepoint *tracepoint, const void *activity,
			       const void *related);

/* As ue_write(), or the error of a value. */
struct pack_result pack_event(struct ue_payload *payload, const void *bytes, size_t size, int fd,
			      struct ue_event *event);
/* The error of an event that could not be packed; it is counted if it is a loss. */
struct pack_result pack_failed(int fd, const struct ue_event *event, int error);

/* ue_builder_new() and others have the types that Go needs; this reads a member. */
static inline uint32_t *pack_word_of(struct ue_event *event)
{
	return event->word;
}

#endif
