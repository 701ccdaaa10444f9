/* SPDX-License-Identifier: MIT */
/*
 * The table of values: each line in events of both byte orders and both sizes of
 * pointer, as a value, as an element of both kinds of array, and as a member of a
 * struct that is in an array.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <userevents/decode/render.h>

#include "../support/golden.h"
#include "../support/json_check.h"

struct line {
	int number;
	unsigned int encoding;
	unsigned int format;
	uint8_t payload[2][256]; /* little endian, big endian */
	long length[2];
	char text[512];
	size_t text_length;
	char json[520];
};

struct event {
	uint8_t bytes[2048];
	size_t length;
	int is_big;
};

static int failures, checks;

static void complain(const struct line *line, const char *what,
		     const char *expected, const char *got)
{
	fprintf(stderr, "line %d, encoding %u, format %u: %s\n  expected %s\n"
		"  got      %s\n",
		line->number, line->encoding, line->format, what, expected, got);
	failures++;
}

/* Events */

static void put(struct event *event, const void *bytes, size_t length)
{
	memcpy(event->bytes + event->length, bytes, length);
	event->length += length;
}

static void put8(struct event *event, unsigned int byte)
{
	event->bytes[event->length++] = (uint8_t)byte;
}

static void put16(struct event *event, unsigned int value)
{
	put8(event, event->is_big ? value >> 8 : value & 255);
	put8(event, event->is_big ? value & 255 : value >> 8);
}

static void put_field(struct event *event, const char *name, unsigned int encoding,
		      unsigned int format)
{
	put(event, name, strlen(name) + 1);
	put8(event, encoding | UE_ENCODING_CHAIN);
	put8(event, format);
}

static void put_header(struct event *event, int flags, size_t metadata)
{
	event->length = 0;
	event->is_big = !(flags & UE_HEADER_LITTLE_ENDIAN);
	put8(event, (unsigned int)flags | UE_HEADER_EXTENSION);
	put(event, "\0\0\0\0\0\0\5", 7);
	put16(event, (unsigned int)metadata);
	put16(event, UE_EXTENSION_METADATA);
	put(event, "E", 2);
}

static void check_event(const struct line *line, const struct event *event,
			const char *format)
{
	char out[2048], expected[2048];
	struct ue_reader reader;

	snprintf(expected, sizeof(expected), format, line->json, line->json);
	ue_reader_begin(&reader, "P_L5K0", 6, event->bytes, event->length, NULL);
	ue_reader_to_json(&reader, NULL, out, sizeof(out));
	if (strcmp(out, expected))
		complain(line, "JSON of an event", expected, out);
	if (json_wrong(out, strlen(out)))
		complain(line, "JSON", "valid", out);
	checks++;
}

static void check_text(const struct line *line, const struct event *event)
{
	struct ue_reader reader;
	ptrdiff_t needed;
	char out[2048];

	ue_reader_begin(&reader, "P_L5K0", 6, event->bytes, event->length, NULL);
	if (ue_reader_next(&reader) != UE_ITEM_VALUE) {
		complain(line, "item", "a value", "something else");
		return;
	}
	needed = ue_value_to_text(&ue_reader_item(&reader)->value, 0, out, sizeof(out));
	if (needed != (ptrdiff_t)line->text_length ||
	    memcmp(out, line->text, line->text_length))
		complain(line, "text", line->text, out);
	ue_value_to_json(&ue_reader_item(&reader)->value, out, sizeof(out));
	if (strcmp(out, line->json))
		complain(line, "JSON of a value", line->json, out);
	ue_reader_item_to_json(&reader, NULL, out, sizeof(out));
	if (strcmp(out, line->json))
		complain(line, "JSON of an item", line->json, out);
}

static void check(const struct line *line, int flags)
{
	const uint8_t *payload = line->payload[!(flags & UE_HEADER_LITTLE_ENDIAN)];
	size_t length = (size_t)line->length[!(flags & UE_HEADER_LITTLE_ENDIAN)];
	struct event event;

	put_header(&event, flags, 2 + 4);
	put_field(&event, "v", line->encoding, line->format);
	put(&event, payload, length);
	check_event(line, &event, "{\"n\":\"P:E\",\"v\":%s,\"meta\":{\"level\":5}}");
	check_text(line, &event);

	put_header(&event, flags, 2 + 4 + 2 + 4);
	put_field(&event, "c", line->encoding | UE_ENCODING_CARRAY, line->format);
	put16(&event, 1);
	put_field(&event, "v", line->encoding | UE_ENCODING_VARRAY, line->format);
	put(&event, payload, length);
	put16(&event, 1);
	put(&event, payload, length);
	check_event(line, &event, "{\"n\":\"P:E\",\"c\":[%s],\"v\":[%s],"
				  "\"meta\":{\"level\":5}}");

	put_header(&event, flags, 2 + 4 + 4);
	put_field(&event, "s", UE_ENCODING_STRUCT | UE_ENCODING_VARRAY, 1);
	put_field(&event, "v", line->encoding, line->format);
	put16(&event, 2);
	put(&event, payload, length);
	put(&event, payload, length);
	check_event(line, &event, "{\"n\":\"P:E\",\"s\":[{\"v\":%s},{\"v\":%s}],"
				  "\"meta\":{\"level\":5}}");
}

/* The table */

/* Up to " | " or the end; a column may be empty. */
static char *column(char **rest)
{
	char *begin = *rest, *end = strstr(begin, "| ");

	*rest = end ? end + 2 : begin + strlen(begin);
	if (!end)
		end = *rest;
	begin += strspn(begin, " ");
	while (end > begin && end[-1] == ' ')
		end--;
	if (begin > end)
		begin = end;
	*end = '\0';
	return begin;
}

/* With \uXXXX replaced, all below U+0800. */
static void set_text(struct line *line, const char *text)
{
	char *to = line->text;

	while (*text) {
		unsigned int code;

		if (sscanf(text, "\\u%4x", &code) != 1) {
			*to++ = *text++;
			continue;
		}
		if (code >= 0x80)
			*to++ = (char)(0xc0 | code >> 6);
		*to++ = (char)(code >= 0x80 ? 0x80 | (code & 0x3f) : code);
		text += 6;
	}
	*to = '\0';
	line->text_length = (size_t)(to - line->text);
}

static void set_bytes(struct line *line, int order, const char *hex)
{
	line->length[order] = golden_hex(hex, line->payload[order],
					 sizeof(line->payload[order]));
	if (line->length[order] < 0)
		complain(line, "bytes", "hex", hex);
}

static void check_formats(struct line *line, const char *formats)
{
	while (*formats) {
		unsigned int first, last;
		int used, more = 0;

		if (sscanf(formats, "%u%n", &first, &used) != 1)
			abort();
		if (sscanf(formats + used, "-%u%n", &last, &more) != 1)
			last = first;
		formats += used + more;
		formats += *formats == ',';
		for (line->format = first; line->format <= last; line->format++)
			for (int flags = 0; flags < 4; flags++)
				check(line, flags);
	}
}

static void check_line(char *text, int number)
{
	static struct line line;
	char formats[64];
	char *rest, *big, *json;

	line.number = number;
	if (sscanf(column(&text), "%u %63s", &line.encoding, formats) != 2)
		abort();
	rest = column(&text);
	set_bytes(&line, 0, rest);
	big = column(&text);
	set_bytes(&line, 1, strcmp(big, "=") ? big : rest);
	set_text(&line, column(&text));
	json = column(&text);
	if (strcmp(json, "="))
		snprintf(line.json, sizeof(line.json), "%s", json);
	else
		snprintf(line.json, sizeof(line.json), "\"%s\"", line.text);
	check_formats(&line, formats);
}

int main(int argc, char **argv)
{
	FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
	char line[4096];
	int number = 0;

	if (!file)
		return 2;
	while (fgets(line, sizeof(line), file)) {
		number++;
		line[strcspn(line, "\n")] = '\0';
		if (*line && *line != '#')
			check_line(line, number);
	}
	fclose(file);
	printf("%sok 1 - %d events, %d failures\n1..1\n",
	       failures || !checks ? "not " : "", checks, failures);
	return failures || !checks;
}
