/* SPDX-License-Identifier: MIT */
/* How a value is to be shown, and showing it. */
#ifndef UE__RENDER_VALUE_H
#define UE__RENDER_VALUE_H

#include <userevents/decode/reader.h>

#include "util/utf_text.h"

/* 1 to 8 bytes in some byte order. */
uint64_t ue__load_bytes(const uint8_t *bytes, uint32_t length, int big_endian);

/* The same, mostly in the machine's. */
static inline uint64_t ue__load(const uint8_t *bytes, uint32_t length, int big_endian)
{
	uint32_t four;
	uint64_t eight;

	if (big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__))
		return ue__load_bytes(bytes, length, big_endian);
	switch (length) {
	case 1:
		return bytes[0];
	case 4:
		memcpy(&four, bytes, sizeof(four));
		return four;
	case 8:
		memcpy(&eight, bytes, sizeof(eight));
		return eight;
	default:
		return ue__load_bytes(bytes, length, big_endian);
	}
}

static inline int64_t ue__load_signed(const uint8_t *bytes, uint32_t length,
				      int big_endian)
{
	uint32_t shift = 64 - 8 * length;

	return (int64_t)(ue__load(bytes, length, big_endian) << shift) >> shift;
}

static inline float ue__load_float(const uint8_t *bytes, int big_endian)
{
	uint32_t four = (uint32_t)ue__load(bytes, sizeof(four), big_endian);
	float number;

	memcpy(&number, &four, sizeof(number));
	return number;
}

static inline double ue__load_double(const uint8_t *bytes, uint32_t length,
				     int big_endian)
{
	uint64_t eight;
	double number;

	if (length == 4)
		return (double)ue__load_float(bytes, big_endian);
	eight = ue__load(bytes, sizeof(eight), big_endian);
	memcpy(&number, &eight, sizeof(number));
	return number;
}

enum ue__style {
	UE__STYLE_UNSIGNED,
	UE__STYLE_SIGNED,
	UE__STYLE_BOOLEAN,
	UE__STYLE_PORT,
	UE__STYLE_NULL,
	UE__STYLE_FLOAT,
	UE__STYLE_HEX,
	UE__STYLE_ERRNO,
	UE__STYLE_TIME,
	UE__STYLE_UUID,
	UE__STYLE_IP,
	/* from here on of any length */
	UE__STYLE_BYTES,
	UE__STYLE_LATIN1,
	UE__STYLE_UTF8,
	UE__STYLE_UTF16,
	UE__STYLE_UTF32,
	/* a byte order mark decides, or else: */
	UE__STYLE_BOM8,
	UE__STYLE_BOM16,
	UE__STYLE_BOM32,
	/* not known from encoding and format alone */
	UE__STYLE_NULLABLE,
	UE__STYLE_NONE,
};

/* UE_FORMAT_END, and more for a multiplication that is a shift. */
#define UE__FORMATS 32

/*
 * The style of an encoding and a format below UE_FORMAT_END; UE__STYLE_NULLABLE when
 * it depends on the length.
 */
extern UE__HIDDEN const uint8_t ue__styles[UE_ENCODING_END][UE__FORMATS];

/* The first of the styles with quotes in a form. */
#define UE__QUOTED_IN_JSON UE__STYLE_HEX
#define UE__QUOTED_IN_TEXT UE__STYLE_BYTES

/* The place that a value needs in the room, its quotes included. */
#define UE__ROOM_VALUE (2 + UE__SHORT_TEXT + 7)

/* The style of a value whose length fits its encoding, as the reader's do. */
enum ue__style ue__value_style(const struct ue_value *value);
/* A value of a style before UE__STYLE_BYTES, without quotes. */
char *ue__put_short(char *at, enum ue__style style, const uint8_t *bytes, uint32_t length,
		    int big_endian);
/* Put quotes around a float that is inf or nan; returns the end. */
char *ue__quote_word(char *at, char *end);
/*
 * A value of any style at the write cursor: behind at most UE__ROOM - UE__ROOM_VALUE
 * bytes of the room that are not committed yet.
 */
void ue__put_value(struct ue__bytes *bytes, char *at, const struct ue_value *value,
		   enum ue__style quoted);
/* 0, or -EINVAL for a value that no reader makes. */
int ue__check_value(const struct ue_value *value);

#endif
