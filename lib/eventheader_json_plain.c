/* SPDX-License-Identifier: MIT */
/*
 * The fast lane of JSON: a field that is one value, plain in name and text, of an event in
 * this machine's byte order, goes from the event's bytes to the buffer without an
 * item in between. Whatever is not as simple as that is left, untouched, to the
 * reader, which also finds the errors. Both lanes write the same, as the fuzzer
 * makes sure.
 */
#include "eventheader_json_plain.h"
#include "eventheader_reader.h"
#include "eventheader_value.h"

#define PLAIN_NAME 64u
#define PLAIN_TEXT 160u

static_assert(2 + PLAIN_NAME + 8 + 2 + PLAIN_TEXT + 8 + 2 <= UE__ROOM, "it fits");
static_assert(2 + PLAIN_NAME + 8 + 2 + UE__ROOM_VALUE <= UE__ROOM, "it fits");

/* The cursors of the reader and the buffer, where the compiler keeps them at hand. */
struct lane {
	const uint8_t *field; /* the definition that is next */
	const uint8_t *fields_end;
	const uint8_t *fields_near_end; /* eight bytes of the event before its end */
	const uint8_t *payload;
	const uint8_t *end;
	char *at;
};

/* Where a value was written to, and what of the payload follows it. */
struct put {
	char *at; /* NULL: it was not plain */
	const uint8_t *payload;
};

static const struct put not_plain;

static struct put put_plain_zstring(char *at, const uint8_t *payload,
				    const uint8_t *end)
{
	const uint8_t *nul;

	*at++ = '"';
	nul = ue__copy_plain_zstring(&at, payload, end, PLAIN_TEXT);
	if (!nul)
		return not_plain;
	*at++ = '"';
	return (struct put){ at, nul + 1 };
}

static struct put put_plain_counted(char *at, const uint8_t *payload,
				    const uint8_t *end)
{
	uint16_t length;

	if (end - payload < 2)
		return not_plain;
	memcpy(&length, payload, 2);
	payload += 2;
	if (length > PLAIN_TEXT || length > end - payload)
		return not_plain;
	*at++ = '"';
	at = ue__copy_plain(at, payload, length);
	if (!at)
		return not_plain;
	*at++ = '"';
	return (struct put){ at, payload + length };
}

static __attribute__((noinline)) struct put
put_plain_text(char *at, const uint8_t *payload, const uint8_t *end,
	       uint32_t encoding, uint32_t style)
{
	if (style != UE__STYLE_UTF8)
		return not_plain;
	if (encoding == UE_ENCODING_ZSTRING_CHAR8)
		return put_plain_zstring(at, payload, end);
	return put_plain_counted(at, payload, end);
}

static_assert(1 << (UE_ENCODING_VALUE128 - UE_ENCODING_VALUE8) == 16, "2^n bytes");

static inline struct put put_plain_value(char *at, const uint8_t *payload,
					 const uint8_t *end, uint32_t encoding,
					 uint32_t format)
{
	uint32_t style = ue__styles[encoding][format];
	uint32_t size;

	if (encoding > UE_ENCODING_VALUE128)
		return put_plain_text(at, payload, end, encoding, style);
	size = 1u << (encoding - UE_ENCODING_VALUE8);
	if ((size_t)(end - payload) < size || style >= UE__STYLE_BYTES)
		return not_plain;
	at = ue__put_json_short(at, (enum ue__style)style, payload, size,
				__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	return (struct put){ at, payload + size };
}

/* The field that is next: 1, or 0 when it is not plain. */
static inline int put_plain_field(struct lane *lane)
{
	const uint8_t *definition;
	char *at = lane->at;
	uint32_t encoding, format = 0;
	struct put put;

	*at++ = '"';
	definition = ue__copy_plain_word(&at, lane->field, lane->end, PLAIN_NAME);
	if (!definition || lane->fields_end - definition < 3)
		return 0;
	encoding = definition[1] & ~(uint32_t)UE_ENCODING_CHAIN;
	definition += 2;
	if (definition[-1] & UE_ENCODING_CHAIN)
		format = *definition++;
	if (encoding - UE_ENCODING_VALUE8 >= UE_ENCODING_END - UE_ENCODING_VALUE8 ||
	    format >= UE_FORMAT_END)
		return 0;
	at[0] = '"';
	at[1] = ':';
	put = put_plain_value(at + 2, lane->payload, lane->end, encoding, format);
	if (!put.at)
		return 0;
	lane->at = put.at;
	lane->payload = put.payload;
	lane->field = definition;
	return 1;
}

/* Definitions before this can be loaded eight bytes at once. */
static const uint8_t *lane_end(const struct ue_reader *reader)
{
	uint32_t begin = (uint32_t)(reader->ue__metadata - reader->ue__bytes);
	uint32_t end = begin + reader->ue__metadata_length;

	if (reader->ue__length - end < 8)
		end = reader->ue__length - begin < 8 ? begin :
						       reader->ue__length - 7;
	return reader->ue__bytes + end;
}

/*
 * As many fields as are plain, of at most so many; how many were not. The caller
 * has seen to it that there are steps enough for any.
 */
static __attribute__((noinline)) uint32_t put_lane(struct ue__bytes *bytes,
						   struct ue_reader *reader,
						   uint32_t fields, int is_first)
{
	const char *easy = bytes->out + bytes->easy;
	uint32_t left = fields;
	struct lane lane = {
		.field = reader->ue__metadata + reader->ue__field,
		.fields_end = reader->ue__metadata + reader->ue__metadata_length,
		.fields_near_end = lane_end(reader),
		.payload = reader->ue__bytes + reader->ue__at,
		.end = reader->ue__bytes + reader->ue__length,
		.at = bytes->out + bytes->length,
	};

	if (!is_first)
		*lane.at++ = ',';
	while (left && lane.field < lane.fields_near_end && lane.at < easy &&
	       put_plain_field(&lane)) {
		*lane.at++ = ',';
		left--;
	}
	lane.at -= left < fields || !is_first;
	reader->ue__steps -= (uint64_t)(fields - left) * UE__STEP +
			     (uint64_t)(lane.field - reader->ue__metadata) -
			     reader->ue__field;
	reader->ue__field = (uint32_t)(lane.field - reader->ue__metadata);
	reader->ue__at = (uint32_t)(lane.payload - reader->ue__bytes);
	bytes->length = (size_t)(lane.at - bytes->out);
	return left;
}

static inline int is_native(const struct ue_reader *reader)
{
	return !(reader->info.flags & UE_HEADER_LITTLE_ENDIAN) ==
	       (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

int ue__json_plain_fields(struct ue__bytes *bytes, struct ue_reader *reader,
			  int is_first)
{
	uint32_t fields = UINT32_MAX, left;

	if (!is_native(reader) || !ue__reader_is_among_fields(reader) ||
	    bytes->length >= bytes->easy)
		return 0;
	/* enough for any definitions, each of at least two bytes */
	if (reader->ue__steps < (uint64_t)reader->ue__metadata_length * UE__STEP)
		return 0;
	if (reader->ue__depth)
		fields = reader->ue__frames[reader->ue__depth - 1].remaining;
	left = put_lane(bytes, reader, fields, is_first);
	if (reader->ue__depth)
		reader->ue__frames[reader->ue__depth - 1].remaining = (uint8_t)left;
	return left < fields;
}
