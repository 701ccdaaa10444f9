/* SPDX-License-Identifier: MIT */
/*
 * Add fields with their values to an event that is being built.
 */
#include <errno.h>

#include "util/string_length.h"
#include "builder.h"

/* A field that is not a fixed array. Whether its value is meant to be there. */
static inline __attribute__((always_inline)) int
add_field(struct ue_builder *builder, const char *name, uint8_t encoding, uint8_t format)
{
	const size_t length = ue__builder_length(name);
	const size_t size = length + 1 + (format ? 2 : 1);
	char *at = builder->description.at;

	if (!builder->is_plain || !name ||
	    !ue__builder_has_room(&builder->description, size)) {
		ue__builder_describe_field(builder, name, length, encoding, format, 0);
		return !builder->error && !builder->without_values;
	}
	builder->description.at = at + size;
	ue__copy(at, name, length);
	at += length;
	*at++ = '\0';
	*at = (char)(encoding | (format ? UE_ENCODING_CHAIN : 0));
	if (format)
		at[1] = (char)format;
	return 1;
}

/* Bytes of a value of fixed size, or 0. */
static size_t value_size(uint8_t encoding)
{
	if (encoding < UE_ENCODING_VALUE8 || encoding > UE_ENCODING_VALUE128)
		return 0;
	return (size_t)1 << (encoding - UE_ENCODING_VALUE8);
}

/* Bytes of a unit of a string or binary value, or 0. */
static size_t unit_size(uint8_t encoding)
{
	switch (encoding) {
	case UE_ENCODING_ZSTRING_CHAR8:
	case UE_ENCODING_STRING_LENGTH16_CHAR8:
	case UE_ENCODING_BINARY_LENGTH16_CHAR8:
		return 1;
	case UE_ENCODING_ZSTRING_CHAR16:
	case UE_ENCODING_STRING_LENGTH16_CHAR16:
		return 2;
	case UE_ENCODING_ZSTRING_CHAR32:
	case UE_ENCODING_STRING_LENGTH16_CHAR32:
		return 4;
	default:
		return 0;
	}
}

static inline void add_value(struct ue_builder *builder, const char *name,
			     uint8_t encoding,
			     uint8_t format, const void *value, size_t size)
{
	if (add_field(builder, name, encoding, format))
		ue__builder_put_values(builder, value, size);
}

static int has_zero(const char *units, size_t count, size_t unit)
{
	static const char zero[4];

	for (size_t i = 0; i < count; i++)
		if (!memcmp(units + i * unit, zero, unit))
			return 1;
	return 0;
}

static int ends_with_zero(uint8_t encoding)
{
	return encoding >= UE_ENCODING_ZSTRING_CHAR8 &&
	       encoding <= UE_ENCODING_ZSTRING_CHAR32;
}

/* 0, or why the units cannot be a value of this encoding. */
static int check_units(uint8_t encoding, uint8_t format, const void *units, size_t count)
{
	const size_t unit = unit_size(encoding);

	if (!unit || format & UE_FORMAT_CHAIN)
		return -EINVAL;
	if (count > UINT16_MAX)
		return -E2BIG;
	if (count && !units)
		return -EFAULT;
	return ends_with_zero(encoding) && has_zero(units, count, unit) ? -EINVAL : 0;
}

static void add_units(struct ue_builder *builder, uint8_t encoding, const void *units,
		      size_t count)
{
	static const char zero[4];
	const size_t unit = unit_size(encoding);

	if (!ends_with_zero(encoding))
		ue__builder_add_count(builder, count);
	ue__builder_add_values(builder, units, count * unit);
	if (ends_with_zero(encoding)) /* gcc may not see that a unit is no longer */
		ue__builder_add_values(builder, zero, unit < sizeof(zero) ? unit : sizeof(zero));
}

static int add_text(struct ue_builder *builder, const char *name, uint8_t encoding,
		    uint8_t format, const void *units, size_t count)
{
	const int error = check_units(encoding, format, units, count);

	if (!error && add_field(builder, name, encoding, format))
		add_units(builder, encoding, units, count);
	return error;
}

/* 0, or why this is no array. */
static int check_array(uint8_t encoding, uint8_t format, const void *values, size_t count)
{
	const int array = encoding & (UE_ENCODING_CARRAY | UE_ENCODING_VARRAY);

	if (!array || count > UINT16_MAX)
		return !array ? -EINVAL : -E2BIG;
	if (ue__builder_is_malformed(encoding, format, (uint16_t)count))
		return -EINVAL;
	return count && !values ? -EFAULT : 0;
}

static void describe_array(struct ue_builder *builder, const char *name, uint8_t encoding,
			   uint8_t format, size_t count)
{
	ue__builder_describe_field(builder, name, ue__builder_length(name), encoding,
				   format, (uint16_t)count);
	if (encoding & UE_ENCODING_VARRAY)
		ue__builder_add_count(builder, count);
}

static int add_array(struct ue_builder *builder, const char *name, uint8_t encoding,
		     uint8_t format, const void *values, size_t count)
{
	const size_t size = value_size(encoding & UE_ENCODING_VALUE_MASK);
	const int error = check_array(encoding, format, values, count);

	if (error)
		return error;
	describe_array(builder, name, encoding, format, count);
	ue__builder_add_values(builder, values, count * size);
	return 0;
}

static int add_spans(struct ue_builder *builder, const char *name, uint8_t encoding,
		     uint8_t format, const struct ue_span *spans, size_t count)
{
	const uint8_t one = encoding & UE_ENCODING_VALUE_MASK;
	int error = check_array(encoding, format, spans, count);

	for (size_t i = 0; !error && i < count; i++)
		error = check_units(one, format, spans[i].data, spans[i].length);
	if (error)
		return error;
	describe_array(builder, name, encoding, format, count);
	for (size_t i = 0; i < count; i++)
		add_units(builder, one, spans[i].data, spans[i].length);
	return 0;
}

/* Everything but single values. */
static __attribute__((noinline)) void
add_other(struct ue_builder *builder, const char *name, uint8_t encoding, uint8_t format,
	  const void *values, size_t count)
{
	const uint8_t one = encoding & UE_ENCODING_VALUE_MASK;
	int error = -EINVAL;

	if (value_size(encoding))
		error = count == 1 ? -EFAULT : -EINVAL;
	else if (value_size(one))
		error = add_array(builder, name, encoding, format, values, count);
	else if (unit_size(encoding))
		error = add_text(builder, name, encoding, format, values, count);
	else if (unit_size(one))
		error = add_spans(builder, name, encoding, format, values, count);
	if (error)
		ue__builder_fail(builder, error);
}

static __attribute__((noinline)) void
add_any(struct ue_builder *builder, const char *name, uint8_t encoding, uint8_t format,
	const void *values, size_t count)
{
	const size_t size = value_size(encoding);

	if (format & UE_FORMAT_CHAIN) {
		ue__builder_fail(builder, -EINVAL);
	} else if (size && count == 1 && values) {
		add_value(builder, name, encoding, format, values, size);
	} else if (encoding == UE_ENCODING_ZSTRING_CHAR8 && count == SIZE_MAX) {
		const char *text = values ? values : "";

		add_value(builder, name, encoding, format, text, strlen(text) + 1);
	} else {
		add_other(builder, name, encoding, format, values, count);
	}
}

/*
 * The rest makes no call but the last, so that it saves no registers. It leaves to add_any() what
 * is special or long, and what may not fit.
 */
static inline __attribute__((always_inline)) int
is_easy(const struct ue_builder *builder, const char *name, uint8_t format, const void *values)
{
	return builder->is_plain && name && values && !(format & UE_FORMAT_CHAIN) &&
	       ue__builder_has_room(&builder->description, UE__BUILDER_EASY) &&
	       ue__builder_has_room(&builder->values, UE__BUILDER_EASY);
}

/* Whether the name was short. */
static inline __attribute__((always_inline)) int
describe_easy(struct ue_builder *builder, const char *name, uint8_t encoding, uint8_t format)
{
	const size_t length = ue__string_length(name);
	char *at = builder->description.at;

	if (length > UE__BUILDER_SHORT)
		return 0;
	ue__copy(at, name, length);
	at += length;
	at[0] = '\0';
	at[1] = (char)encoding;
	builder->description.at = at + 2;
	if (format) {
		at[1] = (char)(encoding | UE_ENCODING_CHAIN);
		at[2] = (char)format;
		builder->description.at = at + 3;
	}
	return 1;
}

static inline __attribute__((always_inline)) void
put_number(struct ue__builder_buffer *values, uint8_t encoding, const void *value)
{
	size_t size = sizeof(uint64_t);

	if (encoding == UE_ENCODING_VALUE64) {
		memcpy(values->at, value, sizeof(uint64_t));
	} else if (encoding == UE_ENCODING_VALUE32) {
		size = sizeof(uint32_t);
		memcpy(values->at, value, sizeof(uint32_t));
	} else {
		size = (size_t)1 << (encoding - UE_ENCODING_VALUE8);
		ue__copy(values->at, value, size);
	}
	values->at += size;
}

static __attribute__((noinline)) void
add_string(struct ue_builder *builder, const char *name, uint8_t encoding, uint8_t format,
	   const void *text, size_t count)
{
	if (is_easy(builder, name, format, text)) {
		const size_t size = ue__string_length(text) + 1;

		if (size <= UE__BUILDER_SHORT &&
		    describe_easy(builder, name, encoding, format)) {
			ue__copy(builder->values.at, text, size);
			builder->values.at += size;
			return;
		}
	}
	add_any(builder, name, encoding, format, text, count);
}

UE__PUBLIC void ue_builder_add(struct ue_builder *builder, const char *name,
			       uint8_t encoding, uint8_t format, const void *values,
			       size_t count)
{
	if (count == 1 && encoding >= UE_ENCODING_VALUE8 &&
	    encoding <= UE_ENCODING_VALUE128) {
		if (is_easy(builder, name, format, values) &&
		    describe_easy(builder, name, encoding, format)) {
			put_number(&builder->values, encoding, values);
			return;
		}
	} else if (count == SIZE_MAX && encoding == UE_ENCODING_ZSTRING_CHAR8) {
		add_string(builder, name, encoding, format, values, count);
		return;
	}
	add_any(builder, name, encoding, format, values, count);
}

UE__PUBLIC void ue_builder_raw(struct ue_builder *builder, const void *bytes, size_t size)
{
	if (size && !bytes)
		ue__builder_fail(builder, -EFAULT);
	else
		ue__builder_add_values(builder, bytes, size);
}
