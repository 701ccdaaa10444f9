/* SPDX-License-Identifier: MIT */
/*
 * Choose the style and the type of a value, from a table by encoding and format.
 */
#include <errno.h>

#include "value.h"

/* Short names, for a table that can be read. */
enum {
	dec = UE__STYLE_UNSIGNED,
	sgn = UE__STYLE_SIGNED,
	boo = UE__STYLE_BOOLEAN,
	prt = UE__STYLE_PORT,
	nul = UE__STYLE_NULLABLE, /* the length has to be asked: nullable_style() */
	flt = UE__STYLE_FLOAT,
	hex = UE__STYLE_HEX,
	err = UE__STYLE_ERRNO,
	tim = UE__STYLE_TIME,
	uid = UE__STYLE_UUID,
	ipa = UE__STYLE_IP,
	byt = UE__STYLE_BYTES,
	lat = UE__STYLE_LATIN1,
	utf = UE__STYLE_UTF8,
	u16 = UE__STYLE_UTF16,
	u32 = UE__STYLE_UTF32,
	m08 = UE__STYLE_BOM8,
	m16 = UE__STYLE_BOM16,
	m32 = UE__STYLE_BOM32,
	non = UE__STYLE_NONE,
};

/*
 * The table goes by encoding and format. The columns: default, unsigned, signed, hex,
 * errno, pid, time, boolean, float, bytes; string8, UTF, UTF with mark, XML, JSON, UUID,
 * port, IP address, and its old number.
 */
const uint8_t ue__styles[UE_ENCODING_END][UE__FORMATS] = {
	[UE_ENCODING_INVALID ... UE_ENCODING_STRUCT] = {
		non, non, non, non, non, non, non, non, non, non,
		non, non, non, non, non, non, non, non, non },
	[UE_ENCODING_VALUE8] = {
		dec, dec, sgn, hex, dec, dec, dec, boo, dec, byt,
		lat, dec, dec, dec, dec, dec, dec, dec, dec },
	[UE_ENCODING_VALUE16] = {
		dec, dec, sgn, hex, dec, dec, dec, boo, dec, byt,
		dec, u16, dec, dec, dec, dec, prt, dec, dec },
	[UE_ENCODING_VALUE32] = {
		dec, dec, sgn, hex, err, sgn, tim, boo, flt, byt,
		dec, u32, dec, dec, dec, dec, dec, ipa, ipa },
	[UE_ENCODING_VALUE64] = {
		dec, dec, sgn, hex, dec, dec, tim, dec, flt, byt,
		dec, dec, dec, dec, dec, dec, dec, dec, dec },
	[UE_ENCODING_VALUE128] = {
		byt, byt, byt, byt, byt, byt, byt, byt, byt, byt,
		byt, byt, byt, byt, byt, uid, byt, ipa, ipa },
	[UE_ENCODING_ZSTRING_CHAR8] = {
		utf, utf, utf, utf, utf, utf, utf, utf, utf, byt,
		lat, utf, m08, m08, m08, utf, utf, utf, utf },
	[UE_ENCODING_ZSTRING_CHAR16] = {
		u16, u16, u16, u16, u16, u16, u16, u16, u16, byt,
		u16, u16, m16, m16, m16, u16, u16, u16, u16 },
	[UE_ENCODING_ZSTRING_CHAR32] = {
		u32, u32, u32, u32, u32, u32, u32, u32, u32, byt,
		u32, u32, m32, m32, m32, u32, u32, u32, u32 },
	[UE_ENCODING_STRING_LENGTH16_CHAR8] = {
		utf, nul, nul, nul, nul, nul, nul, nul, nul, byt,
		lat, utf, m08, m08, m08, nul, nul, nul, nul },
	[UE_ENCODING_STRING_LENGTH16_CHAR16] = {
		u16, u16, u16, u16, u16, u16, u16, u16, u16, byt,
		u16, u16, m16, m16, m16, u16, u16, u16, u16 },
	[UE_ENCODING_STRING_LENGTH16_CHAR32] = {
		u32, u32, u32, u32, u32, u32, u32, u32, u32, byt,
		u32, u32, m32, m32, m32, u32, u32, u32, u32 },
	[UE_ENCODING_BINARY_LENGTH16_CHAR8] = {
		byt, nul, nul, nul, nul, nul, nul, nul, nul, byt,
		lat, utf, m08, m08, m08, nul, nul, nul, nul },
};

/*
 * A counted value with the format of a fixed one is that when its length fits,
 * and null when it is empty. Lengths as a set of bits.
 */
#define BYTES(n) (1u << (n))

static const uint32_t nullable_lengths[UE_FORMAT_END] = {
	[UE_FORMAT_UNSIGNED_INT] = BYTES(1) | BYTES(2) | BYTES(4) | BYTES(8),
	[UE_FORMAT_SIGNED_INT] = BYTES(1) | BYTES(2) | BYTES(4) | BYTES(8),
	[UE_FORMAT_HEX_INT] = BYTES(1) | BYTES(2) | BYTES(4) | BYTES(8),
	[UE_FORMAT_ERRNO] = BYTES(4),
	[UE_FORMAT_PID] = BYTES(4),
	[UE_FORMAT_TIME] = BYTES(4) | BYTES(8),
	[UE_FORMAT_BOOLEAN] = BYTES(1) | BYTES(2) | BYTES(4),
	[UE_FORMAT_FLOAT] = BYTES(4) | BYTES(8),
	[UE_FORMAT_UUID] = BYTES(16),
	[UE_FORMAT_PORT] = BYTES(2),
	[UE_FORMAT_IP_ADDRESS] = BYTES(4) | BYTES(16),
	[UE_FORMAT_IP_ADDRESS_OBSOLETE] = BYTES(4) | BYTES(16),
};

static const uint8_t encoding_of_length[17] = {
	[1] = UE_ENCODING_VALUE8,   [2] = UE_ENCODING_VALUE16,
	[4] = UE_ENCODING_VALUE32,  [8] = UE_ENCODING_VALUE64,
	[16] = UE_ENCODING_VALUE128,
};

/* Encodings 10 and 13, of formats that are numbers. */
static uint32_t nullable_style(const struct ue_value *value, uint32_t format)
{
	uint32_t encoding = value->encoding;
	uint32_t style;

	if (!value->length)
		return UE__STYLE_NULL;
	if (value->length <= 16 && nullable_lengths[format] & BYTES(value->length))
		encoding = encoding_of_length[value->length];
	style = ue__styles[encoding][format];
	return style == UE__STYLE_NULLABLE ? ue__styles[encoding][0] : style;
}

enum ue__style ue__value_style(const struct ue_value *value)
{
	uint32_t format = value->format < UE_FORMAT_END ? value->format : 0;
	uint32_t style = ue__styles[value->encoding][format];

	return (enum ue__style)(style == UE__STYLE_NULLABLE ?
					nullable_style(value, format) : style);
}

UE__PUBLIC int ue_value_type(const struct ue_value *value)
{
	static const uint8_t types[] = {
		[UE__STYLE_UNSIGNED] = UE_TYPE_UNSIGNED,
		[UE__STYLE_SIGNED] = UE_TYPE_SIGNED,
		[UE__STYLE_BOOLEAN] = UE_TYPE_BOOLEAN,
		[UE__STYLE_PORT] = UE_TYPE_PORT,
		[UE__STYLE_NULL] = UE_TYPE_NULL,
		[UE__STYLE_FLOAT] = UE_TYPE_FLOAT,
		[UE__STYLE_HEX] = UE_TYPE_HEX,
		[UE__STYLE_ERRNO] = UE_TYPE_ERRNO,
		[UE__STYLE_TIME] = UE_TYPE_TIME,
		[UE__STYLE_UUID] = UE_TYPE_UUID,
		[UE__STYLE_IP] = UE_TYPE_IP_ADDRESS,
		[UE__STYLE_BYTES] = UE_TYPE_BYTES,
		[UE__STYLE_LATIN1 ... UE__STYLE_BOM32] = UE_TYPE_TEXT,
	};
	const int result = ue__check_value(value);

	return result ? result : types[ue__value_style(value)];
}

int ue__check_value(const struct ue_value *value)
{
	if (value->encoding < UE_ENCODING_VALUE8 ||
	    value->encoding >= UE_ENCODING_END)
		return -EINVAL;
	if (value->encoding <= UE_ENCODING_VALUE128 &&
	    (value->length > 16 ||
	     encoding_of_length[value->length] != value->encoding))
		return -EINVAL;
	return 0;
}
