/* SPDX-License-Identifier: MIT */
/*
 * Build EventHeader events at run time, field by field: for language bindings, and for
 * layers that know the fields only at run time.
 *
 *	struct ue_tracepoint info;
 *	struct ue_builder *builder = ue_builder_new();
 *
 *	ue_tracepoint_init(&info, "MyCompany_Shop", NULL, UE_LEVEL_INFORMATION, 1, 0, NULL);
 *	ue_register(fd, &info.event);
 *	...
 *	if (ue_enabled(&info.event)) {
 *		ue_builder_begin(builder, "OrderPlaced", 0);
 *		ue_builder_u64(builder, "order", 17);
 *		ue_builder_string(builder, "path", "/index.html");
 *		error = ue_builder_write(builder, fd, &info, NULL, NULL);
 *	}
 *	...
 *	ue_builder_free(builder);
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
 * leave errno alone. Everything is since 0.1.
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

/* A builder, in memory of the library. */
struct ue_builder;

/* Allocate a builder. Returns it, for ue_builder_free(), or NULL without memory. */
UE__PUBLIC struct ue_builder *ue_builder_new(void);
/* Free a builder and its memory. NULL is ignored. */
UE__PUBLIC void ue_builder_free(struct ue_builder *builder);

/*
 * Begin an event, whatever the state.
 *
 * name: UTF-8, without NUL. options: UE_ID(), UE_OPCODE(), UE_EVENT_TAG() of eventheader_event.h,
 * or 0.
 */
static inline void ue_builder_begin(struct ue_builder *builder, const char *name,
				    uint64_t options);
/* The same with a name that need not end with a NUL. */
UE__PUBLIC void ue_builder_begin_named(struct ue_builder *builder, const char *name,
				   size_t length, uint64_t options);

/* The error that sticks, or 0. */
UE__PUBLIC int ue_builder_error(const struct ue_builder *builder);

/* Tag the next field with a number that the provider defines. */
UE__PUBLIC void ue_builder_tag(struct ue_builder *builder, uint16_t tag);

/*
 * Add a field with its value. ue_builder_u8() and the like, below, are short forms of
 * this.
 *
 * encoding: gives the size and the kind of the value. With UE_ENCODING_CARRAY, whose
 *   count is part of the description and not 0, or UE_ENCODING_VARRAY it is an array of
 *   such values.
 * format: enum ue_format.
 * values, count: by the encoding,
 *
 *	VALUE8 to VALUE128	bytes of the value; count is 1
 *	ZSTRING_*		characters of 1, 2 or 4 bytes, without a 0 at the end
 *	STRING_LENGTH16_*	the same
 *	BINARY_LENGTH16_CHAR8	bytes
 *	arrays of VALUE*	values, one after the other
 *	all other arrays	struct ue_span, one for each string or binary value
 *
 * With count SIZE_MAX, ZSTRING_CHAR8 takes a C string, or NULL for "".
 *
 * A value that may be missing is one of binary encoding with the format of a number,
 * address or UUID, and count its size in bytes or, for null, 0.
 */
UE__PUBLIC void ue_builder_add(struct ue_builder *builder, const char *name,
			       uint8_t encoding, uint8_t format, const void *values,
			       size_t count);

/* Numbers. */
static inline void ue_builder_u8(struct ue_builder *builder, const char *name,
				 uint8_t value);
static inline void ue_builder_u16(struct ue_builder *builder, const char *name,
				  uint16_t value);
static inline void ue_builder_u32(struct ue_builder *builder, const char *name,
				  uint32_t value);
static inline void ue_builder_u64(struct ue_builder *builder, const char *name,
				  uint64_t value);
static inline void ue_builder_s8(struct ue_builder *builder, const char *name,
				 int8_t value);
static inline void ue_builder_s16(struct ue_builder *builder, const char *name,
				  int16_t value);
static inline void ue_builder_s32(struct ue_builder *builder, const char *name,
				  int32_t value);
static inline void ue_builder_s64(struct ue_builder *builder, const char *name,
				  int64_t value);
static inline void ue_builder_f32(struct ue_builder *builder, const char *name,
				  float value);
static inline void ue_builder_f64(struct ue_builder *builder, const char *name,
				  double value);
static inline void ue_builder_bool(struct ue_builder *builder, const char *name,
				   int value);

/* A string of UTF-8 that ends with a NUL; NULL is "". */
static inline void ue_builder_string(struct ue_builder *builder, const char *name,
				     const char *text);

/*
 * Begin a struct, or an array of structs, which ue_builder_struct_end() ends.
 *
 * array: 0 for one struct, whose members are the fields up to its end, 1 to 127 of
 * them; or UE_ENCODING_VARRAY, or UE_ENCODING_CARRAY with at least one element.
 *
 * Each element of an array begins with ue_builder_struct_next(), and has the same
 * fields as the first: number, names and types. Fields before the first element
 * describe the members, and their values are ignored: this makes an array without
 * elements. A UE_ENCODING_CARRAY among them needs its elements nevertheless.
 */
UE__PUBLIC void ue_builder_struct_begin(struct ue_builder *builder, const char *name,
					uint8_t array);
UE__PUBLIC void ue_builder_struct_next(struct ue_builder *builder);
UE__PUBLIC void ue_builder_struct_end(struct ue_builder *builder);

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
UE__PUBLIC ptrdiff_t ue_builder_bytes(struct ue_builder *builder, uint8_t level,
				      const struct ue_activity *activity,
				      const struct ue_activity *related,
				      const void **bytes);

/* Everything below is internal. */

static inline void ue_builder_begin(struct ue_builder *builder, const char *name,
				    uint64_t options)
{
	ue_builder_begin_named(builder, name, name ? __builtin_strlen(name) : 0, options);
}

#define UE__BUILDER_NUMBER(suffix, type, encoding, format)                      \
	static inline void ue_builder_##suffix(struct ue_builder *builder,      \
					       const char *name, type value)    \
	{                                                                       \
		ue_builder_add(builder, name, encoding, format, &value, 1);     \
	}
UE__BUILDER_NUMBER(u8, uint8_t, UE_ENCODING_VALUE8, 0)
UE__BUILDER_NUMBER(u16, uint16_t, UE_ENCODING_VALUE16, 0)
UE__BUILDER_NUMBER(u32, uint32_t, UE_ENCODING_VALUE32, 0)
UE__BUILDER_NUMBER(u64, uint64_t, UE_ENCODING_VALUE64, 0)
UE__BUILDER_NUMBER(s8, int8_t, UE_ENCODING_VALUE8, UE_FORMAT_SIGNED_INT)
UE__BUILDER_NUMBER(s16, int16_t, UE_ENCODING_VALUE16, UE_FORMAT_SIGNED_INT)
UE__BUILDER_NUMBER(s32, int32_t, UE_ENCODING_VALUE32, UE_FORMAT_SIGNED_INT)
UE__BUILDER_NUMBER(s64, int64_t, UE_ENCODING_VALUE64, UE_FORMAT_SIGNED_INT)
UE__BUILDER_NUMBER(f32, float, UE_ENCODING_VALUE32, UE_FORMAT_FLOAT)
UE__BUILDER_NUMBER(f64, double, UE_ENCODING_VALUE64, UE_FORMAT_FLOAT)
#undef UE__BUILDER_NUMBER

static inline void ue_builder_bool(struct ue_builder *builder, const char *name,
				   int value)
{
	const uint8_t byte = value != 0;

	ue_builder_add(builder, name, UE_ENCODING_VALUE8, UE_FORMAT_BOOLEAN, &byte, 1);
}

static inline void ue_builder_string(struct ue_builder *builder, const char *name,
				     const char *text)
{
	ue_builder_add(builder, name, UE_ENCODING_ZSTRING_CHAR8, 0, text, SIZE_MAX);
}

#ifdef __cplusplus
}
#endif

#include <userevents/abi/restore_names.h>
#endif
