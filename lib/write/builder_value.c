/* SPDX-License-Identifier: MIT */
/*
 * Add fields with their values to an event that is being built.
 */
#include <errno.h>

#include "builder.h"

/* A field that is no fixed array. Whether its value is meant to be there. */
static inline __attribute__((always_inline)) int
add_field(struct ue_builder *builder, const char *name, uint8_t encoding, uint8_t format)
{
	const size_t length = ue__builder_length(name);
	const size_t size = length + 1 + (format ? 2 : 1);
	char *at = builder->ue__description.at;

	if (!builder->ue__is_plain || !name ||
	    !ue__builder_has_room(&builder->ue__description, size)) {
		ue__builder_describe_field(builder, name, length, encoding, format, 0);
		return !builder->ue__error && !builder->ue__without_values;
	}
	builder->ue__description.at = at + size;
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

static inline void add_number(struct ue_builder *builder, const char *name,
			      uint8_t encoding, uint8_t format, const void *value,
			      size_t size)
{
	if (add_field(builder, name, encoding, format))
		ue__builder_put_values(builder, value, size);
}

#define NUMBER(suffix, type, encoding, format)                                        \
	UE__PUBLIC void ue_builder_##suffix(struct ue_builder *builder, const char *name, \
					type value)                                   \
	{                                                                             \
		add_number(builder, name, encoding, format, &value, sizeof(value));   \
	}

NUMBER(u8, uint8_t, UE_ENCODING_VALUE8, 0)
NUMBER(u16, uint16_t, UE_ENCODING_VALUE16, 0)
NUMBER(u32, uint32_t, UE_ENCODING_VALUE32, 0)
NUMBER(u64, uint64_t, UE_ENCODING_VALUE64, 0)
NUMBER(s8, int8_t, UE_ENCODING_VALUE8, UE_FORMAT_SIGNED_INT)
NUMBER(s16, int16_t, UE_ENCODING_VALUE16, UE_FORMAT_SIGNED_INT)
NUMBER(s32, int32_t, UE_ENCODING_VALUE32, UE_FORMAT_SIGNED_INT)
NUMBER(s64, int64_t, UE_ENCODING_VALUE64, UE_FORMAT_SIGNED_INT)
NUMBER(f32, float, UE_ENCODING_FLOAT, UE_FORMAT_FLOAT)
NUMBER(f64, double, UE_ENCODING_DOUBLE, UE_FORMAT_FLOAT)

UE__PUBLIC void ue_builder_bool(struct ue_builder *builder, const char *name, int value)
{
	const uint8_t byte = value != 0;

	add_number(builder, name, UE_ENCODING_VALUE8, UE_FORMAT_BOOLEAN, &byte,
		   sizeof(byte));
}

UE__PUBLIC void ue_builder_string(struct ue_builder *builder, const char *name,
			      const char *text)
{
	const char *shown = text ? text : "";

	if (add_field(builder, name, UE_ENCODING_ZSTRING_CHAR8, 0))
		ue__builder_put_values(builder, shown, strlen(shown) + 1);
}

UE__PUBLIC void ue_builder_value(struct ue_builder *builder, const char *name,
			     uint8_t encoding, uint8_t format, const void *value)
{
	const size_t size = value_size(encoding);

	if (!size || format & UE_FORMAT_CHAIN)
		ue__builder_fail(builder, -EINVAL);
	else if (!value)
		ue__builder_fail(builder, -EFAULT);
	else
		add_number(builder, name, encoding, format, value, size);
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
	if (ends_with_zero(encoding))
		ue__builder_add_values(builder, zero, unit);
}

UE__PUBLIC void ue_builder_units(struct ue_builder *builder, const char *name,
			     uint8_t encoding, uint8_t format, const void *units,
			     size_t count)
{
	const int error = check_units(encoding, format, units, count);

	if (error) {
		ue__builder_fail(builder, error);
		return;
	}
	if (add_field(builder, name, encoding, format))
		add_units(builder, encoding, units, count);
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

static void add_array(struct ue_builder *builder, const char *name, uint8_t encoding,
		      uint8_t format, size_t count)
{
	ue__builder_describe_field(builder, name, ue__builder_length(name), encoding,
				   format, (uint16_t)count);
	if (encoding & UE_ENCODING_VARRAY)
		ue__builder_add_count(builder, count);
}

UE__PUBLIC void ue_builder_array(struct ue_builder *builder, const char *name,
			     uint8_t encoding, uint8_t format, const void *values,
			     size_t count)
{
	const size_t size = value_size(encoding & UE_ENCODING_VALUE_MASK);
	const int error = size ? check_array(encoding, format, values, count) : -EINVAL;

	if (error) {
		ue__builder_fail(builder, error);
		return;
	}
	add_array(builder, name, encoding, format, count);
	ue__builder_add_values(builder, values, count * size);
}

UE__PUBLIC void ue_builder_spans(struct ue_builder *builder, const char *name,
			     uint8_t encoding, uint8_t format,
			     const struct ue_span *spans, size_t count)
{
	const uint8_t one = encoding & UE_ENCODING_VALUE_MASK;
	int error = -EINVAL;

	if (unit_size(one))
		error = check_array(encoding, format, spans, count);
	for (size_t i = 0; !error && i < count; i++)
		error = check_units(one, format, spans[i].data, spans[i].length);
	if (error) {
		ue__builder_fail(builder, error);
		return;
	}
	add_array(builder, name, encoding, format, count);
	for (size_t i = 0; i < count; i++)
		add_units(builder, one, spans[i].data, spans[i].length);
}

UE__PUBLIC void ue_builder_raw(struct ue_builder *builder, const void *bytes, size_t size)
{
	if (size && !bytes)
		ue__builder_fail(builder, -EFAULT);
	else
		ue__builder_add_values(builder, bytes, size);
}
