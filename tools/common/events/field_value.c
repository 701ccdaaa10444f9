/* SPDX-License-Identifier: MIT */
/* Converts, compares and shows values. */
#include "field.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <userevents/decode/render.h>

#include "common/records/byte_cursor.h"

int bytes_are_ascii(const void *all, size_t length)
{
	const uint8_t *bytes = all;
	uint64_t eight, high = 0;
	size_t i = 0;

	for (; i + 8 <= length; i += 8) {
		memcpy(&eight, bytes + i, sizeof(eight));
		high |= eight;
	}
	for (; i < length; i++)
		high |= bytes[i];
	return !(high & 0x8080808080808080u);
}

static void set_text(struct value *value, const void *text, size_t length)
{
	value->type = VALUE_TEXT;
	value->text = text;
	value->length = length;
}

void value_printed(const struct ue_value *item, struct value *value, struct bytes *scratch)
{
	ptrdiff_t length;
	size_t room = 128;

	*value = (struct value){ .type = VALUE_NONE };
	scratch->length = 0;
	length = ue_value_to_text(item, 0, bytes_room(scratch, room), room);
	if (length >= (ptrdiff_t)room) {
		room = (size_t)length + 1;
		length = ue_value_to_text(item, 0, bytes_room(scratch, room), room);
	}
	if (length >= 0)
		set_text(value, scratch->at, (size_t)length);
}

/* Text of one byte a character, which needs no conversion if that is ASCII. */
static int is_plain_text(const struct ue_value *item)
{
	return (item->encoding == UE_ENCODING_ZSTRING_CHAR8 ||
		item->encoding == UE_ENCODING_STRING_LENGTH16_CHAR8) &&
	       bytes_are_ascii(item->bytes, item->length);
}

static void set_unsigned(const struct ue_value *item, struct value *value,
			 enum value_spelling spelling)
{
	uint64_t number;

	if (ue_value_u64(item, &number))
		return;
	value->type = VALUE_UNSIGNED;
	value->whole = (int64_t)number;
	value->spelling = (uint8_t)spelling;
}

static void set_signed(const struct ue_value *item, struct value *value,
		       enum value_spelling spelling)
{
	if (ue_value_s64(item, &value->whole))
		return;
	value->type = VALUE_SIGNED;
	value->spelling = (uint8_t)spelling;
}

/* Neither 0 nor 1 is a number: of 32 bits, signed, as the library prints it. */
static void set_boolean(const struct ue_value *item, struct value *value)
{
	set_unsigned(item, value, SPELT_DIGITS);
	if (value->type == VALUE_NONE)
		return;
	value->whole = (uint64_t)value->whole > 1 ? (int32_t)(uint32_t)value->whole : value->whole;
	value->type = value->whole < 0 ? VALUE_SIGNED :
		      value->whole > 1 ? VALUE_UNSIGNED : VALUE_BOOLEAN;
}

/* Whole numbers of 24 bits, and halves of them, are the same in both sizes. */
static double by_digits(const struct ue_value *item, double number)
{
	char digits[40];

	if (fabs(number) < 0x1p24 && number * 2 == (int32_t)(number * 2))
		return number;
	if (ue_value_to_text(item, 0, digits, sizeof(digits)) >= (ptrdiff_t)sizeof(digits))
		return number;
	return strtod(digits, NULL);
}

static void set_float(const struct ue_value *item, struct value *value)
{
	if (ue_value_f64(item, &value->number))
		return;
	value->type = VALUE_FLOAT;
	if (item->length == sizeof(float) && isfinite(value->number))
		value->number = by_digits(item, value->number);
}

void value_of(const struct ue_value *item, struct value *value, struct bytes *scratch)
{
	*value = (struct value){ .type = VALUE_NONE };
	switch (ue_value_type(item)) {
	case UE_TYPE_NULL:
		value->is_null = 1;
		break;
	case UE_TYPE_UNSIGNED:
	case UE_TYPE_PORT:
		set_unsigned(item, value, SPELT_DIGITS);
		break;
	case UE_TYPE_HEX:
		set_unsigned(item, value, SPELT_HEX);
		break;
	case UE_TYPE_BOOLEAN:
		set_boolean(item, value);
		break;
	case UE_TYPE_SIGNED:
		set_signed(item, value, SPELT_DIGITS);
		break;
	case UE_TYPE_ERRNO:
		set_signed(item, value, SPELT_ERRNO);
		break;
	case UE_TYPE_TIME:
		set_signed(item, value, SPELT_TIME);
		break;
	case UE_TYPE_FLOAT:
		set_float(item, value);
		break;
	case UE_TYPE_BYTES:
		set_text(value, item->bytes, item->length);
		value->type = VALUE_BYTES;
		break;
	case UE_TYPE_TEXT:
		if (is_plain_text(item))
			set_text(value, item->bytes, item->length);
		else
			value_printed(item, value, scratch);
		break;
	case UE_TYPE_UUID:
	case UE_TYPE_IP_ADDRESS:
		value_printed(item, value, scratch);
	}
}

double value_as_double(const struct value *value)
{
	switch (value->type) {
	case VALUE_BOOLEAN:
	case VALUE_SIGNED:
		return (double)value->whole;
	case VALUE_UNSIGNED:
		return (double)(uint64_t)value->whole;
	case VALUE_FLOAT:
		return value->number;
	default:
		return 0;
	}
}

/* Order */

static int order(int is_less, int is_more)
{
	return is_more - is_less;
}

static int is_negative(const struct value *value)
{
	return value->type == VALUE_SIGNED && value->whole < 0;
}

static int compare_whole(const struct value *one, const struct value *other)
{
	if (is_negative(one) || is_negative(other))
		return is_negative(one) && is_negative(other) ?
			       order(one->whole < other->whole, one->whole > other->whole) :
			       order(is_negative(one), is_negative(other));
	return order((uint64_t)one->whole < (uint64_t)other->whole,
		     (uint64_t)one->whole > (uint64_t)other->whole);
}

#define TWO_TO_63 0x1p63
#define TWO_TO_64 0x1p64

/* Whole numbers are exact, which they would not be as doubles. */
static int compare_with_float(const struct value *whole, double number)
{
	struct value rounded = { .type = VALUE_SIGNED };
	double floored = floor(number);
	int result;

	if (isnan(number))
		return 1;
	if (number >= TWO_TO_64)
		return -1;
	if (number < -TWO_TO_63)
		return 1;
	if (floored >= TWO_TO_63) {
		rounded.type = VALUE_UNSIGNED;
		rounded.whole = (int64_t)(uint64_t)floored;
	} else {
		rounded.whole = (int64_t)floored;
	}
	result = compare_whole(whole, &rounded);
	return result ? result : -(number > floored);
}

static int compare_floats(double one, double other)
{
	if (isnan(one) || isnan(other))
		return order(isnan(one) && !isnan(other), !isnan(one) && isnan(other));
	return order(one < other, one > other);
}

static int compare_numbers(const struct value *one, const struct value *other)
{
	if (one->type == VALUE_FLOAT && other->type == VALUE_FLOAT)
		return compare_floats(one->number, other->number);
	if (one->type == VALUE_FLOAT)
		return -compare_with_float(other, one->number);
	if (other->type == VALUE_FLOAT)
		return compare_with_float(one, other->number);
	return compare_whole(one, other);
}

static int compare_bytes(const struct value *one, const struct value *other)
{
	size_t least = one->length < other->length ? one->length : other->length;
	int result = least ? memcmp(one->text, other->text, least) : 0;

	return result ? result : order(one->length < other->length,
				       one->length > other->length);
}

int value_compare(const struct value *one, const struct value *other)
{
	if (value_is_number(one) && value_is_number(other))
		return compare_numbers(one, other);
	if (one->type != other->type)
		return order(one->type < other->type, one->type > other->type);
	return one->type == VALUE_TEXT || one->type == VALUE_BYTES ?
		       compare_bytes(one, other) : 0;
}

/* A float that is a whole number hashes as that. */
static uint64_t hash_float(double number)
{
	struct value whole = { .type = VALUE_SIGNED };
	uint64_t bits;

	if (number == floor(number) && number >= -TWO_TO_63 && number < TWO_TO_64) {
		whole.whole = number < TWO_TO_63 ? (int64_t)number :
						   (int64_t)(uint64_t)number;
		return hash_number((uint64_t)whole.whole);
	}
	if (isnan(number))
		return 1;
	memcpy(&bits, &number, sizeof(bits));
	return hash_number(~bits);
}

uint64_t value_hash(const struct value *value)
{
	switch (value->type) {
	case VALUE_BOOLEAN:
	case VALUE_SIGNED:
	case VALUE_UNSIGNED:
		return hash_number((uint64_t)value->whole);
	case VALUE_FLOAT:
		return hash_float(value->number);
	case VALUE_TEXT:
	case VALUE_BYTES:
		return hash_bytes(value->text, value->length) ^ value->type;
	default:
		return value->type;
	}
}

/* Text for people */

const char *value_type_name(enum value_type type)
{
	static const char *const names[] = {
		[VALUE_NONE] = "nothing",	  [VALUE_BOOLEAN] = "true or false",
		[VALUE_SIGNED] = "a number",	  [VALUE_UNSIGNED] = "a number",
		[VALUE_FLOAT] = "a number",	  [VALUE_TEXT] = "text",
		[VALUE_BYTES] = "bytes",	  [VALUE_COMPOUND] = "an array or a struct",
	};

	return names[type];
}

static void put_hex(const struct value *value, struct bytes *to)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < value->length; i++) {
		const uint8_t byte = (uint8_t)value->text[i];
		const char two[2] = { digits[byte >> 4], digits[byte & 15] };

		bytes_add(to, two, 2);
	}
}

static uint8_t format_of(const struct value *value)
{
	static const uint8_t formats[] = {
		[SPELT_HEX] = UE_FORMAT_HEX_INT,
		[SPELT_ERRNO] = UE_FORMAT_ERRNO,
		[SPELT_TIME] = UE_FORMAT_TIME,
	};

	if (value->type == VALUE_FLOAT)
		return UE_FORMAT_FLOAT;
	if (value->spelling)
		return formats[value->spelling];
	return value->type == VALUE_SIGNED ? UE_FORMAT_SIGNED_INT : UE_FORMAT_UNSIGNED_INT;
}

static void put_number(const struct value *value, struct bytes *to)
{
	const int64_t whole = value->whole;
	const int is_errno = value->spelling == SPELT_ERRNO;
	const int32_t error = (int32_t)whole;
	const struct ue_value item = {
		.bytes = is_errno ? (const void *)&error : (const void *)&whole,
		.length = is_errno ? sizeof(error) : sizeof(whole),
		.encoding = is_errno ? UE_ENCODING_VALUE32 : UE_ENCODING_VALUE64,
		.format = format_of(value),
		.big_endian = HOST_IS_BIG_ENDIAN,
	};
	char text[64];

	bytes_add(to, text, (size_t)ue_value_to_text(&item, 0, text, sizeof(text)));
}

/* Characters that a terminal obeys, or that hide others, are escaped. */
static void put_text(struct bytes *to, const char *text, size_t length)
{
	const struct ue_value item = {
		.bytes = (const uint8_t *)text,
		.length = (uint32_t)length,
		.encoding = UE_ENCODING_STRING_LENGTH16_CHAR8,
	};
	const size_t room = 6 * length + 1;

	if (length)
		to->length += (size_t)ue_value_to_text(&item, UE_RENDER_ESCAPE,
						       bytes_room(to, room), room);
}

void value_put(const struct value *value, struct bytes *to)
{
	if (value->type == VALUE_BYTES)
		put_hex(value, to);
	else if (value->type == VALUE_TEXT)
		put_text(to, value->text, value->length);
	else if (value->type == VALUE_BOOLEAN)
		put_text(to, value->whole ? "true" : "false", value->whole ? 4 : 5);
	else if (value_is_number(value))
		put_number(value, to);
	else
		put_text(to, value->type == VALUE_NONE ? "-" : "...",
			 value->type == VALUE_NONE ? 1 : 3);
}
