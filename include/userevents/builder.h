/* SPDX-License-Identifier: MIT */
/*
 * Build EventHeader events at run time, field by field: for language bindings, and for
 * layers that know the fields only at run time.
 *
 *	struct ue_tracepoint info;
 *	struct ue_builder builder = { 0 };
 *
 *	ue_tracepoint_init(&info, "MyCompany_Shop", NULL, UE_LEVEL_INFORMATION, 1, 0, NULL);
 *	ue_register(fd, &info.event);
 *	...
 *	if (ue_enabled(&info.event)) {
 *		ue_builder_begin(&builder, "OrderPlaced", 0);
 *		ue_builder_u64(&builder, "order", 17);
 *		ue_builder_string(&builder, "path", "/index.html");
 *		error = ue_builder_write(&builder, fd, &info, NULL, NULL);
 *	}
 *	...
 *	ue_builder_release(&builder);
 *
 * Errors stick: after the first, calls do nothing until ue_builder_begin(), and
 * ue_builder_write() returns that error and writes nothing. One check at the end is enough.
 * The errors are
 *
 *	-EINVAL		a name that is missing or has a NUL inside; an encoding, format or
 *			count that is malformed; a 0 inside a NUL-terminated string; struct
 *			calls out of order; an element unlike the first
 *	-EFAULT		NULL for values
 *	-E2BIG		structs nested deeper than UE_BUILDER_DEPTH_MAX, a struct with more
 *			than 127 members, a count of more than 65535
 *	-EMSGSIZE	more than UE_BUILDER_MAX bytes of description, or of values
 *	-ENOMEM
 *
 * Memory is kept between events, so that a builder stops allocating after its largest
 * event. A builder belongs to one thread at a time; nothing here is for signal handlers. All
 * leave errno alone. Everything is since 0.1. For a builder on the heap, see bindings.h.
 */
#ifndef USEREVENTS_BUILDER_H
#define USEREVENTS_BUILDER_H

#include <stddef.h>
#include <stdint.h>

#include <userevents/activity.h>
#include <userevents/abi/event_state.h>
#include <userevents/abi/eventheader.h>
#include <userevents/eventheader_fields.h>
#include <userevents/tracepoint.h>

#include <userevents/abi/hide_names.h>

#ifdef __cplusplus
extern "C" {
#endif

#define UE_BUILDER_DEPTH_MAX 8u
/* Bytes of description, and of values: what the format and any listener can take. */
#define UE_BUILDER_MAX 65535u

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

/* Bytes are between begin and at; there is room up to end. */
struct ue__builder_buffer {
	char *begin, *at, *end;
	char *memory;
	size_t room;
};

/* A builder, initialised with zeros. All members belong to the library. */
struct ue_builder {
	struct ue__builder_buffer ue__description; /* room for the header before it */
	struct ue__builder_buffer ue__values;
	uint64_t ue__options;
	uint32_t ue__is_plain; /* begun; no error, no open struct, no tag */
	int32_t ue__error;
	uint32_t ue__repeat; /* where in the description the next field is found; 0: it is
				described at the end */
	uint32_t ue__without_values; /* open structs that are only described */
	uint16_t ue__tag;
	uint16_t ue__depth;
	struct ue__builder_struct ue__structs[UE_BUILDER_DEPTH_MAX];
};

/* Release the memory that the builder has allocated. It can be used again. */
UE__PUBLIC void ue_builder_release(struct ue_builder *builder);

/*
 * Begin an event, whatever the state.
 *
 * name: UTF-8, without NUL. options: UE_ID(), UE_OPCODE(), UE_EVENT_TAG() of eventheader_event.h,
 * or 0.
 */
UE__PUBLIC void ue_builder_begin(struct ue_builder *builder, const char *name,
			     uint64_t options);
/* The same with a name that need not end with a NUL. */
UE__PUBLIC void ue_builder_begin_named(struct ue_builder *builder, const char *name,
				   size_t length, uint64_t options);

/* The error that sticks, or 0. */
UE__PUBLIC int ue_builder_error(const struct ue_builder *builder);

/* Tag the next field with a number that the provider defines. */
UE__PUBLIC void ue_builder_tag(struct ue_builder *builder, uint16_t tag);

/* Numbers. */
UE__PUBLIC void ue_builder_u8(struct ue_builder *builder, const char *name, uint8_t value);
UE__PUBLIC void ue_builder_u16(struct ue_builder *builder, const char *name, uint16_t value);
UE__PUBLIC void ue_builder_u32(struct ue_builder *builder, const char *name, uint32_t value);
UE__PUBLIC void ue_builder_u64(struct ue_builder *builder, const char *name, uint64_t value);
UE__PUBLIC void ue_builder_s8(struct ue_builder *builder, const char *name, int8_t value);
UE__PUBLIC void ue_builder_s16(struct ue_builder *builder, const char *name, int16_t value);
UE__PUBLIC void ue_builder_s32(struct ue_builder *builder, const char *name, int32_t value);
UE__PUBLIC void ue_builder_s64(struct ue_builder *builder, const char *name, int64_t value);
UE__PUBLIC void ue_builder_f32(struct ue_builder *builder, const char *name, float value);
UE__PUBLIC void ue_builder_f64(struct ue_builder *builder, const char *name, double value);
UE__PUBLIC void ue_builder_bool(struct ue_builder *builder, const char *name, int value);

/* A string of UTF-8 that ends with a NUL; NULL is "". */
UE__PUBLIC void ue_builder_string(struct ue_builder *builder, const char *name,
			      const char *text);

/*
 * One value of fixed size.
 *
 * encoding: UE_ENCODING_VALUE8 to VALUE128, which gives the size. format: enum ue_format.
 * value: its bytes.
 */
UE__PUBLIC void ue_builder_value(struct ue_builder *builder, const char *name,
			     uint8_t encoding, uint8_t format, const void *value);

/*
 * A string or binary value.
 *
 * encoding: UE_ENCODING_ZSTRING_* and STRING_LENGTH16_*, BINARY_LENGTH16_CHAR8.
 * units, count: characters of 1, 2 or 4 bytes, without a 0 at the end.
 *
 * A value that may be missing is one of binary encoding with the format of a number,
 * address or UUID, and count its size in bytes or, for null, 0.
 */
UE__PUBLIC void ue_builder_units(struct ue_builder *builder, const char *name,
			     uint8_t encoding, uint8_t format, const void *units,
			     size_t count);

/*
 * An array of values of fixed size, one after the other.
 *
 * encoding: as for ue_builder_value(), with UE_ENCODING_CARRAY, whose count is part of
 * the description and not 0, or with UE_ENCODING_VARRAY.
 */
UE__PUBLIC void ue_builder_array(struct ue_builder *builder, const char *name,
			     uint8_t encoding, uint8_t format, const void *values,
			     size_t count);

/* An array of strings or binary values: encodings of ue_builder_units(), and a flag. */
UE__PUBLIC void ue_builder_spans(struct ue_builder *builder, const char *name,
			     uint8_t encoding, uint8_t format,
			     const struct ue_span *spans, size_t count);

/*
 * A struct. The fields up to ue_builder_struct_end() are its members, 1 to 127 of them.
 */
UE__PUBLIC void ue_builder_struct_begin(struct ue_builder *builder, const char *name);
UE__PUBLIC void ue_builder_struct_end(struct ue_builder *builder);

/*
 * An array of structs, which ue_builder_struct_end() ends.
 *
 * array: UE_ENCODING_VARRAY, or UE_ENCODING_CARRAY with at least one element.
 *
 * Each element begins with ue_builder_struct_next(), and has the same fields as the first:
 * number, names and types. Fields before the first element describe the members, and their
 * values are ignored: this makes an array without elements. A UE_ENCODING_CARRAY among them
 * needs its elements nevertheless.
 */
UE__PUBLIC void ue_builder_structs_begin(struct ue_builder *builder, const char *name,
				     uint8_t array);
UE__PUBLIC void ue_builder_struct_next(struct ue_builder *builder);

/*
 * The raw parts, the description of a field and bytes of the payload, for programs that
 * have them ready or nest what the calls above cannot.
 *
 * name, length: need not end with a NUL. encoding: with its flag, as above, or
 * UE_ENCODING_STRUCT, where format is the number of members that follow, before the struct
 * or the element ends that it is in. count: of UE_ENCODING_CARRAY.
 */
UE__PUBLIC void ue_builder_describe(struct ue_builder *builder, const char *name,
				size_t length, uint8_t encoding, uint8_t format,
				uint16_t count);
UE__PUBLIC void ue_builder_raw(struct ue_builder *builder, const void *bytes, size_t size);

/*
 * Write the event. The builder keeps it, so that it can be written again.
 *
 * fd: from ue_open(). tracepoint: registered there. activity, related: as for
 * UE_WRITE_ACTIVITY(), or NULL.
 *
 * Returns 0 when written, while disabled, and when the tracepoint is not registered; the
 * error that sticks, or -EINVAL for a struct that is open, for related without activity, or
 * without ue_builder_begin(), both also while disabled, when they are not counted; -ENOMEM;
 * otherwise as ue_write(). Errors of this call do not stick.
 */
UE__PUBLIC int ue_builder_write(struct ue_builder *builder, int fd,
			    struct ue_tracepoint *tracepoint,
			    const struct ue_activity *activity,
			    const struct ue_activity *related);

/*
 * The event's bytes, to send them in another way.
 *
 * level: of the tracepoint, not 0. activity, related: as above. bytes: set to them on
 * success; valid until the builder is used again.
 *
 * Returns their number; the error that sticks; -EINVAL as above and for level 0; or
 * -ENOMEM.
 */
UE__PUBLIC long ue_builder_bytes(struct ue_builder *builder, uint8_t level,
			     const struct ue_activity *activity,
			     const struct ue_activity *related, const void **bytes);

#ifdef __cplusplus
}
#endif

#include <userevents/abi/restore_names.h>
#endif
