/* SPDX-License-Identifier: MIT */
/*
 * Convert values to numbers of C.
 */
#include <errno.h>

#include "value.h"

uint64_t ue__load_bytes(const uint8_t *bytes, uint32_t length, int big_endian)
{
	uint64_t number = 0;

	if (big_endian)
		for (uint32_t i = 0; i < length; i++)
			number = number << 8 | bytes[i];
	else
		for (uint32_t i = length; i-- > 0;)
			number = number << 8 | bytes[i];
	return number;
}

static int is_number(const struct ue_value *value)
{
	if (value->encoding >= UE_ENCODING_ZSTRING_CHAR8 &&
	    value->encoding != UE_ENCODING_STRING_LENGTH16_CHAR8 &&
	    value->encoding != UE_ENCODING_BINARY_LENGTH16_CHAR8)
		return 0;
	return value->length == 1 || value->length == 2 || value->length == 4 ||
	       value->length == 8;
}

/* The byte order that counts. */
static int order_of(const struct ue_value *value)
{
	return value->big_endian ||
	       (value->format == UE_FORMAT_PORT && value->length == 2);
}

UE__PUBLIC int ue_value_u64(const struct ue_value *value, uint64_t *number)
{
	if (!is_number(value))
		return -EINVAL;
	*number = ue__load(value->bytes, value->length, order_of(value));
	return 0;
}

UE__PUBLIC int ue_value_s64(const struct ue_value *value, int64_t *number)
{
	if (!is_number(value))
		return -EINVAL;
	*number = ue__load_signed(value->bytes, value->length, order_of(value));
	return 0;
}

UE__PUBLIC int ue_value_f64(const struct ue_value *value, double *number)
{
	if (!is_number(value) || value->length < 4)
		return -EINVAL;
	*number = ue__load_double(value->bytes, value->length, order_of(value));
	return 0;
}
