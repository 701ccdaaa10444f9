/* SPDX-License-Identifier: MIT */
/*
 * Text of any charset, and any bytes, as valid UTF-8.
 */
#ifndef UE__UTIL_UTF_TEXT_H
#define UE__UTIL_UTF_TEXT_H

#include "byte_buffer.h"

enum ue__escape {
	UE__AS_IS,
	/*
	 * Escape for a JSON string: \n, \u001f, \", \\. DEL and C1 too, which JSON would
	 * allow, as they control a terminal, and characters that turn text around.
	 */
	UE__ESCAPED,
};

enum ue__charset {
	UE__LATIN1, /* ISO 8859-1 */
	UE__UTF8,   /* a byte that begins no valid character is taken as ISO 8859-1 */
	/* bytes that do not fill a unit are dropped, other units become U+FFFD */
	UE__UTF16,
	UE__UTF32,
};

/* Text of so many bytes. */
void ue__put_text(struct ue__bytes *bytes, const uint8_t *text, size_t length,
		  enum ue__charset charset, int big_endian, enum ue__escape escape);

/*
 * Eight bytes at once: 0 when none needs an escape or is above 0x7e. The first bit that
 * is set is in the first such byte: with 1 added, 0x7f to 0xfe have the high bit, and
 * 0xff keeps it when 0x20 is taken away.
 */
static inline uint64_t ue__not_plain(uint64_t eight)
{
	const uint64_t ones = 0x0101010101010101u;
	uint64_t quote = eight ^ ones * '"';
	uint64_t backslash = eight ^ ones * '\\';

	return ((eight + ones) | (eight - ones * 0x20) | (quote - ones) |
		(backslash - ones)) & ones * 0x80;
}

/* 1 to 7 bytes, with blanks for the rest. */
static inline uint64_t ue__load_part(const uint8_t *text, size_t length)
{
	uint64_t eight;
	uint32_t low, high;

	if (length >= 4) {
		memcpy(&low, text, 4);
		memcpy(&high, text + length - 4, 4);
		eight = low | (uint64_t)high << 8 * (length - 4);
	} else {
		eight = text[0] | (uint64_t)text[length / 2] << 8 * (length / 2) |
			(uint64_t)text[length - 1] << 8 * (length - 1);
	}
	return eight | 0x2020202020202020u << 8 * length;
}

/*
 * Copy text of which no byte needs an escape or is above 0x7e; at has room for 7
 * bytes more. The end, or NULL when there is such a byte, or when a big-endian machine
 * leaves short text to the slow way.
 */
static inline char *ue__copy_plain(char *at, const uint8_t *text, size_t length)
{
	uint64_t eight, wrong = 0;

	if (length >= 8) {
		/* the last eight overlap those before them */
		const uint8_t *last = text + length - 8;
		char *last_at = at + length - 8;

		for (; text < last; text += 8, at += 8) {
			memcpy(&eight, text, 8);
			memcpy(at, &eight, 8);
			wrong |= ue__not_plain(eight);
		}
		memcpy(&eight, last, 8);
		memcpy(last_at, &eight, 8);
		wrong |= ue__not_plain(eight);
		return wrong ? NULL : last_at + 8;
	}
	if (!length)
		return at;
	if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
		return NULL;
	eight = ue__load_part(text, length);
	memcpy(at, &eight, 8);
	return ue__not_plain(eight) ? NULL : at + length;
}

/* Text up to this length is tried with ue__copy_plain(). */
#define UE__SHORT_TEXT 80u

/*
 * Put UTF-8, escaped, at a cursor in the room, which has UE__SHORT_TEXT + 7 bytes more.
 * Returns the cursor behind it, perhaps in other room.
 */
static inline char *ue__put_escaped(struct ue__bytes *bytes, char *at, const void *text,
				    size_t length)
{
	char *end = length <= UE__SHORT_TEXT ? ue__copy_plain(at, text, length) : NULL;

	if (end)
		return end;
	ue__bytes_used(bytes, at);
	ue__put_text(bytes, text, length, UE__UTF8, 0, UE__ESCAPED);
	return ue__bytes_room(bytes);
}

/* Eight bytes of a name, where blank and '!' are rare enough to count as well. */
static inline uint64_t ue__not_word(uint64_t eight)
{
	const uint64_t ones = 0x0101010101010101u;
	uint64_t backslash = eight ^ ones * '\\';

	return ((eight + ones) | (eight - ones * ('"' + 1)) | (backslash - ones)) &
	       ones * 0x80;
}

/*
 * The same for text that ends with a NUL: where that is, or NULL when there is a
 * byte to be escaped or above 0x7e before it, when it is not within most bytes, or
 * when the 8 bytes around it reach beyond end. *at has room for most + 8 bytes.
 */
static inline const uint8_t *ue__copy_plain_zstring(char **at, const uint8_t *text,
						    const uint8_t *end, size_t most)
{
	if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
		return NULL;
	for (; most >= 8 && end - text >= 8; most -= 8, text += 8, *at += 8) {
		uint64_t eight, stop;

		memcpy(&eight, text, 8);
		memcpy(*at, &eight, 8);
		/* the NUL is a control character; below it no bit is wrong */
		stop = ue__not_plain(eight);
		if (stop) {
			uint32_t length = (uint32_t)__builtin_ctzll(stop) / 8;

			*at += length;
			return text[length] ? NULL : text + length;
		}
	}
	return NULL;
}

#endif
