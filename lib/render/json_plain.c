/* SPDX-License-Identifier: MIT */
/*
 * Write plain fields as JSON, fast: a field that is one value, plain in name and text, of a
 * little-endian event on such a machine, goes from the event's bytes to the buffer without
 * an item in between. All other fields are left to the reader, which also finds the
 * errors. Without this the JSON of an event with 10 fields takes 6050 instructions instead
 * of about 3180, and the limit is 3200 (scripts/bench-decode).
 */
#include <assert.h>

#include "render.h"

#define PLAIN_NAME 64u
#define PLAIN_TEXT 160u

static_assert(2 + PLAIN_NAME + 8 + 2 + PLAIN_TEXT + 8 + 2 <= UE__ROOM, "it fits");
static_assert(2 + PLAIN_NAME + 8 + 2 + UE__ROOM_VALUE <= UE__ROOM, "it fits");

/* The cursors of the reader and the buffer, where the compiler keeps them at hand. */
struct lane {
	const uint8_t *field; /* the definition that is next */
	const uint8_t *fields_end;
	const uint8_t *loadable; /* definitions before this can be loaded */
	const uint8_t *payload;
	const uint8_t *end;
	char *at;
};

/* So that the loop over fields has the registers for itself. */
#define APART __attribute__((noinline))

/* A text was written up to here, and this follows it in the payload. */
struct put {
	char *at; /* NULL: it was not plain */
	const uint8_t *payload;
};

static APART struct put put_zstring(char *at, const uint8_t *payload,
				    const uint8_t *end)
{
	const uint8_t *nul;

	*at++ = '"';
	nul = ue__copy_plain_zstring(&at, payload, end, PLAIN_TEXT);
	if (!nul)
		return (struct put){ NULL, NULL };
	*at++ = '"';
	return (struct put){ at, nul + 1 };
}

static APART struct put put_counted(char *at, const uint8_t *payload,
				    const uint8_t *end)
{
	uint16_t length;

	if (end - payload < 2)
		return (struct put){ NULL, NULL };
	memcpy(&length, payload, 2);
	payload += 2;
	if (length > PLAIN_TEXT || length > end - payload)
		return (struct put){ NULL, NULL };
	*at++ = '"';
	at = ue__copy_plain(at, payload, length);
	if (!at)
		return (struct put){ NULL, NULL };
	*at++ = '"';
	return (struct put){ at, payload + length };
}

/*
 * The number of 1 to 8 bytes that ends here. The event's header is before it, so
 * that eight bytes are there.
 */
static inline uint64_t load_unsigned(const uint8_t *end, uint32_t size)
{
	uint64_t eight;

	memcpy(&eight, end - sizeof(eight), sizeof(eight));
	return eight >> (64 - 8 * size);
}

static inline int64_t load_signed(const uint8_t *end, uint32_t size)
{
	int64_t eight;

	memcpy(&eight, end - sizeof(eight), sizeof(eight));
	return eight >> (64 - 8 * size);
}

static_assert(sizeof(struct ue_eventheader) >= 8, "before every payload");
static_assert(1 << (UE_ENCODING_VALUE128 - UE_ENCODING_VALUE8) == 16, "2^n bytes");

static APART char *put_signed(char *at, const uint8_t *end, uint32_t size)
{
	return ue__put_signed(at, load_signed(end, size));
}

/* Quotes that do not belong there are overwritten. */
static inline char *put_short(char *at, enum ue__style style, const uint8_t *payload,
			      uint32_t size)
{
	if (style == UE__STYLE_FLOAT)
		return ue__quote_word(at, ue__put_short(at, style, payload, size, 0));
	*at = '"';
	at = ue__put_short(at + (style >= UE__QUOTED_IN_JSON), style, payload, size, 0);
	*at = '"';
	return at + (style >= UE__QUOTED_IN_JSON);
}

static inline struct put put_value(const struct lane *lane, char *at,
				   uint32_t encoding, uint32_t format)
{
	uint32_t style = ue__styles[encoding][format];
	const uint8_t *payload = lane->payload;
	uint32_t size;

	if (style >= UE__STYLE_BYTES) {
		if (style != UE__STYLE_UTF8)
			return (struct put){ NULL, NULL };
		return encoding == UE_ENCODING_ZSTRING_CHAR8 ?
			       put_zstring(at, payload, lane->end) :
			       put_counted(at, payload, lane->end);
	}
	size = 1u << (encoding - UE_ENCODING_VALUE8);
	if ((size_t)(lane->end - payload) < size)
		return (struct put){ NULL, NULL };
	payload += size;
	if (style == UE__STYLE_UNSIGNED)
		at = ue__put_decimal(at, load_unsigned(payload, size));
	else if (style == UE__STYLE_SIGNED)
		at = put_signed(at, payload, size);
	else
		at = put_short(at, (enum ue__style)style, payload - size, size);
	return (struct put){ at, payload };
}

/* A name of more than seven bytes: its NUL, or NULL when it is not plain. */
static APART const uint8_t *put_long_name(char *at, const uint8_t *name,
					  const uint8_t *end)
{
	if (!memcmp(name, "common_", 7))
		return NULL;
	return ue__copy_plain_zstring(&at, name, end, PLAIN_NAME);
}

/* First bytes of such names, as bits: '_', 'm', 'n'. */
#define BEGINNINGS (1u | 1u << ('m' - '_') | 1u << ('n' - '_'))

/* "n", "meta", or with '_' before them: names that are not put as they are. */
static inline int may_be_taken(uint64_t eight)
{
	uint32_t first = (uint8_t)eight - '_';

	return first <= 'n' - '_' && BEGINNINGS >> first & 1 &&
	       (!first || (eight & 0xffff) == 'n' ||
		(eight & 0xffffffffff) == 0x6174656d /* meta */);
}

/* The same for any. */
static inline const uint8_t *put_name(const struct lane *lane, char *at)
{
	uint64_t eight, stop;
	uint32_t length;

	memcpy(&eight, lane->field, 8);
	if (may_be_taken(eight))
		return NULL;
	stop = ue__not_word(eight);
	if (!stop)
		return put_long_name(at, lane->field, lane->end - 2);
	memcpy(at, &eight, 8);
	length = (uint32_t)__builtin_ctzll(stop) / 8;
	return lane->field[length] ? NULL : lane->field + length;
}

/* The field that is next: 1, or 0 when it is not plain. */
static inline int put_field(struct lane *lane)
{
	const uint8_t *definition;
	char *at = lane->at;
	uint32_t encoding, format = 0;
	struct put put;

	definition = put_name(lane, at);
	if (!definition)
		return 0;
	at += definition - lane->field;
	encoding = definition[1];
	definition += 2;
	if (encoding & UE_ENCODING_CHAIN) {
		encoding &= ~(uint32_t)UE_ENCODING_CHAIN;
		format = *definition++;
		if (format >= UE_FORMAT_END)
			return 0;
	}
	if (encoding >= UE_ENCODING_END || definition > lane->fields_end)
		return 0;
	at[0] = '"';
	at[1] = ':';
	put = put_value(lane, at + 2, encoding, format);
	if (!put.at)
		return 0;
	memcpy(put.at, ",\"", 2);
	lane->at = put.at + 2;
	lane->payload = put.payload;
	lane->field = definition;
	return 1;
}

/* Names are loaded eight bytes at once; encoding and format follow. */
#define LOADED (8 + 2)

static inline const uint8_t *find_loadable(const struct ue__reader *reader)
{
	const uint8_t *end = reader->metadata + reader->metadata_length;
	const uint8_t *event_end = reader->bytes + reader->length;

	/* header, extension and name of the event are more than that */
	return event_end - end < LOADED ? event_end - LOADED + 1 : end;
}

/* Write plain fields, up to this many; returns how many there were. */
static uint32_t put_fields(struct ue__bytes *bytes, struct ue__reader *reader,
			   uint32_t most, int is_first)
{
	/* each fits the room */
	size_t room = (bytes->easy - bytes->length - 1) / UE__ROOM + 1;
	uint32_t fields = most < room ? most : (uint32_t)room, left = fields;
	struct lane lane = {
		.field = reader->metadata + reader->field,
		.fields_end = reader->metadata + reader->metadata_length,
		.loadable = find_loadable(reader),
		.payload = reader->bytes + reader->at,
		.end = reader->bytes + reader->length,
		.at = bytes->out + bytes->length,
	};

	*lane.at = ',';
	lane.at += !is_first;
	*lane.at++ = '"';
	while (left && lane.field < lane.loadable && put_field(&lane))
		left--;
	if (left == fields)
		return 0;
	/* without the text before one more */
	bytes->length = (size_t)(lane.at - bytes->out) - 2;
	fields -= left;
	reader->steps -= (uint64_t)fields * UE__STEP +
			     (uint64_t)(lane.field - reader->metadata) -
			     reader->field;
	reader->field = (uint32_t)(lane.field - reader->metadata);
	reader->at = (uint32_t)(lane.payload - reader->bytes);
	return fields;
}

/* Is the first byte of a number the lowest, in the event and in this machine? */
static inline int is_little_endian(const struct ue__reader *reader)
{
	return reader->info.flags & UE_HEADER_LITTLE_ENDIAN &&
	       __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
}

void ue__json_plain_fields(struct ue__render *render, struct ue__reader *reader)
{
	struct ue__bytes *bytes = &render->bytes;
	uint32_t fields = UINT32_MAX;
	uint8_t *remaining = NULL;

	if (!is_little_endian(reader) || !ue__reader_is_among_fields(reader) ||
	    reader->error.error || bytes->length >= bytes->easy)
		return;
	/* enough for any definitions, each of at least two bytes */
	if (reader->steps < (uint64_t)reader->metadata_length * UE__STEP)
		return;
	if (reader->depth) {
		remaining = &reader->frames[reader->depth - 1].remaining;
		fields = *remaining;
	}
	fields = put_fields(bytes, reader, fields, render->is_first);
	if (remaining)
		*remaining -= (uint8_t)fields;
	if (fields)
		render->is_first = 0;
}
