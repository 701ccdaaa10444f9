/* SPDX-License-Identifier: MIT */
/* How a value is to be shown, and showing it. */
#ifndef UE__EVENTHEADER_VALUE_H
#define UE__EVENTHEADER_VALUE_H

#include <userevents/eventheader_reader.h>

#include "utf_text.h"

enum ue__style {
	UE__STYLE_UNSIGNED,
	UE__STYLE_SIGNED,
	UE__STYLE_BOOLEAN,
	UE__STYLE_PORT,
	UE__STYLE_NULL,
	UE__STYLE_FLOAT,
	/* from here on quoted in JSON */
	UE__STYLE_HEX,
	UE__STYLE_ERRNO,
	UE__STYLE_TIME,
	UE__STYLE_UUID,
	UE__STYLE_IP,
	/* from here on quoted in a line of text */
	UE__STYLE_BYTES,
	UE__STYLE_LATIN1,
	UE__STYLE_UTF8,
	UE__STYLE_UTF16,
	UE__STYLE_UTF32,
	/* a byte order mark decides, or else: */
	UE__STYLE_BOM8,
	UE__STYLE_BOM16,
	UE__STYLE_BOM32,
};

/* UE_FORMAT_END, and more for a multiplication that is a shift. */
#define UE__FORMATS 32

/*
 * The style of an encoding and a format below UE_FORMAT_END; UE__STYLE_NULL when it
 * takes the length to tell.
 */
extern UE__HIDDEN const uint8_t ue__styles[UE_ENCODING_END][UE__FORMATS];

/* A function for each style that is short, of the bytes of a value. */
typedef char *ue__put_style(char *at, const uint8_t *bytes, uint32_t length,
			    int big_endian);
extern UE__HIDDEN ue__put_style *const ue__put_styles[UE__STYLE_BYTES];

int ue__is_finite(const uint8_t *bytes, uint32_t length, int big_endian);

/* The JSON of a style before UE__STYLE_BYTES. */
static inline char *ue__put_json_short(char *at, enum ue__style style,
				       const uint8_t *bytes, uint32_t length,
				       int big_endian)
{
	if (style < UE__STYLE_FLOAT ||
	    (style == UE__STYLE_FLOAT && ue__is_finite(bytes, length, big_endian)))
		return ue__put_styles[style](at, bytes, length, big_endian);
	*at++ = '"';
	at = ue__put_styles[style](at, bytes, length, big_endian);
	*at++ = '"';
	return at;
}

/* For a value whose length fits its encoding, as the reader's do. */
enum ue__style ue__value_style(const struct ue_value *value);
/* The text of the value, without quotes. */
void ue__put_value(struct ue__bytes *bytes, const struct ue_value *value,
		   enum ue__style style, enum ue__escape escape);
/*
 * The value in JSON, at the end of what has been put into the room of bytes but not
 * been told yet: at most UE__ROOM - UE__ROOM_VALUE bytes.
 */
void ue__put_json_value(struct ue__bytes *bytes, char *at,
			const struct ue_value *value);
#define UE__ROOM_VALUE 72u
/* 16 bytes as 8-4-4-4-12 hex digits. */
char *ue__put_uuid(char *at, const uint8_t *uuid);
/* 0, or -EINVAL for a value that no reader makes. */
int ue__check_value(const struct ue_value *value);

#endif
