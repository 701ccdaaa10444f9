/* SPDX-License-Identifier: MIT */
/*
 * Text of any charset, and any bytes, as valid UTF-8.
 */
#ifndef UE__UTF_TEXT_H
#define UE__UTF_TEXT_H

#include "byte_buffer.h"

enum ue__escape {
	UE__AS_IS,
	UE__ESCAPED, /* as within a JSON string: \n, \u001f, \", \\ */
};

/* UTF-8; a byte that begins no valid character is taken as ISO 8859-1. */
void ue__put_utf8(struct ue__bytes *bytes, const uint8_t *text, size_t length,
		  enum ue__escape escape);
/* ISO 8859-1. */
void ue__put_latin1(struct ue__bytes *bytes, const uint8_t *text, size_t length,
		    enum ue__escape escape);
/*
 * UTF-16 and UTF-32, length in bytes; bytes that do not fill a unit are dropped.
 * What is no character becomes U+FFFD.
 */
void ue__put_utf16(struct ue__bytes *bytes, const uint8_t *text, size_t length,
		   int big_endian, enum ue__escape escape);
void ue__put_utf32(struct ue__bytes *bytes, const uint8_t *text, size_t length,
		   int big_endian, enum ue__escape escape);

#endif
