/* SPDX-License-Identifier: MIT */
/*
 * The parts of the builder share this: its two buffers, and the description's end.
 *
 *	builder.c		begin an event; memory
 *	builder_describe.c	descriptions of fields
 *	builder_value.c	fields with their values
 *	builder_struct.c	structs, and arrays of them
 *	builder_write.c	the record
 */
#ifndef UE__WRITE_BUILDER_H
#define UE__WRITE_BUILDER_H

#include <string.h>

#include <userevents/builder.h>
#include <userevents/abi/write_calls.h>

#include "util/copy.h"
#include "write.h"

/* A struct that is open. Offsets are in the description, or in the values. */
struct ue__builder_struct {
	uint32_t format_at;   /* where the number of members goes */
	uint32_t begin, end;  /* of the description of its members; end 0: not known */
	uint32_t count_at;    /* where the number of elements goes */
	uint32_t count;	      /* elements */
	uint16_t members;     /* of this element */
	uint8_t array;	      /* 0, UE_ENCODING_CARRAY, UE_ENCODING_VARRAY */
	uint8_t is_repeated;  /* its description was there already */
	uint8_t is_without_values; /* members are described, but no element has begun */
	uint8_t spare;
	uint16_t raw_members; /* still to come, of structs that are described alone */
};

/* The most bytes that ue_builder_add() puts without a call: a name or a value, and its end. */
#define UE__BUILDER_SHORT 32
#define UE__BUILDER_EASY  (UE__BUILDER_SHORT + 3u)

/* Bytes are between begin and at; there is room up to end. All are NULL before the first event. */
struct ue__builder_buffer {
	char *begin, *at, *end;
	char *memory;
	size_t room;
};

struct ue_builder {
	struct ue__builder_buffer description; /* room for the header before it */
	struct ue__builder_buffer values;
	uint64_t options;
	uint32_t is_plain; /* begun; no error, no open struct, no tag */
	int32_t error;
	uint32_t repeat; /* where in the description the next field is found; 0: it is
				described at the end */
	uint32_t without_values; /* open structs that are only described */
	uint16_t tag;
	uint16_t depth;
	struct ue__builder_struct structs[UE_BUILDER_DEPTH_MAX];
};

/*
 * The bytes before the description: write index, header, activity, the description's
 * prefix.
 */
#define UE__BUILDER_HEAD                                                       \
	(sizeof(uint32_t) + sizeof(struct ue_eventheader) + UE__ACTIVITY_MAX + \
	 sizeof(struct ue_eventheader_extension))

#define UE__BUILDER_COLD __attribute__((cold, noinline))

/* The error that sticks, if it is the first. */
UE__BUILDER_COLD void ue__builder_fail(struct ue_builder *builder, int error);

static inline int ue__builder_is_name(const char *name, size_t length)
{
	return name && !memchr(name, '\0', length);
}

static inline size_t ue__builder_length(const char *name)
{
	return __builtin_expect(name != NULL, 1) ? strlen(name) : 0;
}

/* Buffers */

static inline size_t ue__builder_used(const struct ue__builder_buffer *buffer)
{
	return (size_t)(buffer->at - buffer->begin);
}

static inline int ue__builder_has_room(const struct ue__builder_buffer *buffer,
				       size_t size)
{
	return __builtin_expect((size_t)(buffer->end - buffer->at) >= size, 1);
}

/* Room for size bytes after head bytes: 0 or -ENOMEM. */
UE__BUILDER_COLD int ue__builder_grow(struct ue__builder_buffer *buffer, size_t head,
				      size_t size);
/* Room for size more bytes, or the error that sticks. */
UE__BUILDER_COLD int ue__builder_make_room(struct ue_builder *builder,
					   struct ue__builder_buffer *buffer,
					   size_t size);

/* Values */

/* Bytes that are meant to be there. */
static inline void ue__builder_put_values(struct ue_builder *builder, const void *bytes,
					  size_t size)
{
	struct ue__builder_buffer *values = &builder->values;

	if (!ue__builder_has_room(values, size) &&
	    ue__builder_make_room(builder, values, size))
		return;
	ue__copy(values->at, bytes, size);
	values->at += size;
}

static inline void ue__builder_add_values(struct ue_builder *builder, const void *bytes,
					  size_t size)
{
	if (size && !builder->error && !builder->without_values)
		ue__builder_put_values(builder, bytes, size);
}

static inline void ue__builder_add_count(struct ue_builder *builder, size_t count)
{
	const uint16_t count16 = (uint16_t)count;

	ue__builder_add_values(builder, &count16, sizeof(count16));
}

/* Description */

static inline char *ue__builder_described_at(const struct ue_builder *builder,
					     size_t offset)
{
	return builder->description.begin + offset;
}

/* The next field is described here. */
static inline uint32_t ue__builder_described(const struct ue_builder *builder)
{
	return builder->repeat ?
		       builder->repeat :
		       (uint32_t)ue__builder_used(&builder->description);
}

/* Is the next field a field of the event itself, with nothing special about it? */
static inline void ue__builder_settle(struct ue_builder *builder)
{
	builder->is_plain =
		!builder->error && !builder->depth && !builder->tag &&
		builder->description.at != builder->description.begin;
}

/* A field, whatever is special about it. */
UE__BUILDER_COLD void ue__builder_describe_field(struct ue_builder *builder,
						 const char *name, size_t length,
						 uint8_t encoding, uint8_t format,
						 uint16_t count);
int ue__builder_is_malformed(uint8_t encoding, uint8_t format, uint16_t count);

#endif
