/* SPDX-License-Identifier: MIT */
#include "printer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <userevents/record_format.h>

#include "cursor.h"
#include "message.h"
#include "nearest.h"

#define FIRST_ROOM ((size_t)64 << 10)
#define OUTPUT_BUFFER ((size_t)256 << 10)

/* Options */

int print_format_parse(const char *text, enum print_format *format)
{
	static const char *const names[] = {
		[PRINT_TEXT] = "text",
		[PRINT_JSON] = "json",
		[PRINT_JSONL] = "jsonl",
		[PRINT_PERF_DECODE] = "perf-decode",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(names[i], text)) {
			*format = (enum print_format)i;
			return 0;
		}
	}
	message("There is no format \"%s\": it is text, json, jsonl or perf-decode.", text);
	return -1;
}

static const struct {
	const char *name;
	uint32_t bit;
} members[] = {
	{ "n", UE_META_N },
	{ "time", UE_META_TIME },
	{ "cpu", UE_META_CPU },
	{ "pid", UE_META_PID },
	{ "tid", UE_META_TID },
	{ "id", UE_META_ID },
	{ "version", UE_META_VERSION },
	{ "level", UE_META_LEVEL },
	{ "keyword", UE_META_KEYWORD },
	{ "opcode", UE_META_OPCODE },
	{ "tag", UE_META_TAG },
	{ "activity", UE_META_ACTIVITY },
	{ "relatedActivity", UE_META_RELATED_ACTIVITY },
	{ "provider", UE_META_PROVIDER },
	{ "event", UE_META_EVENT },
	{ "options", UE_META_OPTIONS },
	{ "flags", UE_META_FLAGS },
	{ "common", UE_META_COMMON },
};

#define MEMBERS (sizeof(members) / sizeof(members[0]))

static uint32_t all_members(void)
{
	uint32_t all = 0;

	for (size_t i = 0; i < MEMBERS; i++)
		all |= members[i].bit;
	return all;
}

static int complain_of(const char *name, size_t length)
{
	const char *names[MEMBERS + 1];
	char word[64];
	const char *near;

	for (size_t i = 0; i < MEMBERS; i++)
		names[i] = members[i].name;
	names[MEMBERS] = NULL;
	snprintf(word, sizeof(word), "%.*s", (int)length, name);
	near = nearest(word, names);
	message("There is no member \"%s\" of meta%s%s%s.", word,
		near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
	return -1;
}

static int find_member(const char *name, size_t length, uint32_t *bits)
{
	if (length == 3 && !memcmp(name, "all", 3)) {
		*bits = all_members();
		return 0;
	}
	if (length == 4 && !memcmp(name, "none", 4)) {
		*bits = 0;
		return 0;
	}
	for (size_t i = 0; i < MEMBERS; i++) {
		if (strlen(members[i].name) == length &&
		    !memcmp(members[i].name, name, length)) {
			*bits = members[i].bit;
			return 0;
		}
	}
	return complain_of(name, length);
}

int print_meta_parse(const char *text, uint32_t *meta)
{
	uint32_t bits;

	*meta = *text == '+' || *text == '-' ? UE_META_DEFAULT & all_members() : 0;
	for (;;) {
		size_t length = strcspn(text, ",");
		char sign = *text == '+' || *text == '-' ? *text : 0;

		if (find_member(text + !!sign, length - !!sign, &bits))
			return -1;
		*meta = sign == '-' ? *meta & ~bits : *meta | bits;
		if (!text[length])
			break;
		text += length + 1;
	}
	if (!*meta)
		*meta = UE_META_NONE;
	return 0;
}

/* Around records */

static void print_quoted(const char *text)
{
	struct ue_value value = {
		.bytes = (const uint8_t *)text,
		.length = (uint32_t)strlen(text),
		.encoding = UE_ENCODING_ZSTRING_CHAR8,
	};
	char out[4096 * 6 + 16];

	if (ue_value_to_json(&value, out, sizeof(out)) > 0)
		fputs(out, stdout);
}

void printer_begin(struct printer *printer)
{
	setvbuf(stdout, NULL, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, OUTPUT_BUFFER);
	printer->count = 0;
	printer->files = 0;
	if (printer->format == PRINT_JSON)
		putchar('[');
	if (printer->format == PRINT_PERF_DECODE)
		printf("%s{", isatty(STDOUT_FILENO) ? "" : "\xef\xbb\xbf");
}

void printer_begin_file(struct printer *printer, const char *name)
{
	if (printer->format != PRINT_PERF_DECODE)
		return;
	fputs(printer->files++ ? ",\n" : "\n", stdout);
	print_quoted(name);
	fputs(": [", stdout);
	printer->count = 0;
}

void printer_end_file(struct printer *printer)
{
	if (printer->format == PRINT_PERF_DECODE)
		fputs(" ]", stdout);
}

void printer_end(struct printer *printer)
{
	if (printer->format == PRINT_JSON)
		fputs(printer->count ? "\n]\n" : "]\n", stdout);
	if (printer->format == PRINT_PERF_DECODE)
		fputs("\n}\n", stdout);
	free(printer->line);
	printer->line = NULL;
	printer->room = 0;
}

/* Records */

/* The common fields of the record itself. */
static void take_common(const struct record *record, struct ue_sample *sample)
{
	int is_big_endian = record->tracepoint->format.big_endian;

	if (record->tracepoint->is_bare || record->length < 8)
		return;
	sample->present |= UE_META_COMMON;
	sample->common_type = load_u16(record->bytes, is_big_endian);
	sample->common_flags = record->bytes[2];
	sample->common_preempt_count = record->bytes[3];
	sample->common_pid = (int32_t)load_u32(record->bytes + 4, is_big_endian);
}

static ptrdiff_t render_bare(const struct record *record,
			     const struct ue_render_opts *opts, int is_text, char *out,
			     size_t size)
{
	const struct tracepoint *tracepoint = record->tracepoint;
	struct ue_reader reader;

	ue_reader_begin(&reader, tracepoint->name, strlen(tracepoint->name),
			record->bytes, record->length, NULL);
	return is_text ? ue_event_to_text(&reader, opts, out, size) :
			 ue_event_to_json(&reader, opts, out, size);
}

static ptrdiff_t render_once(const struct record *record,
			     const struct ue_render_opts *opts, int is_text, char *out,
			     size_t size)
{
	const struct ue_record_format *format = &record->tracepoint->format;
	size_t common = format->common_size;
	const uint8_t *bytes = record->bytes;
	size_t length = record->length;

	if (record->tracepoint->is_bare)
		return render_bare(record, opts, is_text, out, size);
	if (common > length)
		common = length;
	return is_text ? ue_record_to_text(format, bytes + common, length - common, opts,
					   out, size) :
			 ue_record_to_json(format, bytes + common, length - common, opts,
					   out, size);
}

static int make_room(struct printer *printer, size_t room)
{
	char *line;

	if (room <= printer->room)
		return 0;
	line = realloc(printer->line, room);
	if (!line) {
		message("There is no memory left to print an event.");
		return -1;
	}
	printer->line = line;
	printer->room = room;
	return 0;
}

/* The text of a record, in printer->line; its length, or -1. */
static ptrdiff_t render(struct printer *printer, const struct record *record,
			uint32_t meta)
{
	int is_text = printer->format == PRINT_TEXT;
	struct ue_sample sample = record->sample;
	struct ue_render_opts opts = {
		.size = sizeof(opts),
		.flags = UE_RENDER_TAGS,
		.meta = meta,
		.sample = &sample,
	};
	ptrdiff_t length;

	if (printer->format == PRINT_PERF_DECODE)
		opts.flags |= UE_RENDER_SPACE;
	if (meta & UE_META_COMMON && meta != UE_META_NONE)
		take_common(record, &sample);
	if (make_room(printer, FIRST_ROOM))
		return -1;
	length = render_once(record, &opts, is_text, printer->line, printer->room);
	if (length < 0 || (size_t)length < printer->room)
		return length;
	if (make_room(printer, (size_t)length + 1))
		return -1;
	return render_once(record, &opts, is_text, printer->line, printer->room);
}

/* What a line of text begins with: when, on which processor, and who. */

#define SECOND 1000000000

static void print_time(const struct ue_sample *sample)
{
	static time_t minute = -1;
	static struct tm tm;
	static char date[64];
	int64_t seconds = sample->time / SECOND, rest = sample->time % SECOND;
	time_t begin;

	if (rest < 0) {
		rest += SECOND;
		seconds--;
	}
	if (!sample->is_wall_clock) {
		printf("%5lld.%09lld", (long long)seconds, (long long)rest);
		return;
	}
	begin = (time_t)(seconds - (seconds % 60 + 60) % 60);
	if (begin != minute || !*date) {
		if (!gmtime_r(&begin, &tm) ||
		    !strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:", &tm))
			strcpy(date, "?");
		minute = begin;
	}
	printf("%s%02lld.%09lldZ", date, (long long)(seconds - begin), (long long)rest);
}

#define DIM "\x1b[2m"
#define BOLD "\x1b[1m"
#define PLAIN "\x1b[0m"

static void print_prefix(const struct printer *printer, const struct ue_sample *sample)
{
	uint32_t shown = sample->present & printer->meta;

	if (!(shown & (UE_META_TIME | UE_META_CPU | UE_META_PID | UE_META_TID)))
		return;
	if (printer->has_colour)
		fputs(DIM, stdout);
	if (shown & UE_META_TIME) {
		print_time(sample);
		putchar(' ');
	}
	if (shown & UE_META_CPU)
		printf("[%03u] ", sample->cpu);
	if (shown & UE_META_PID)
		printf("%u%c", sample->pid, shown & UE_META_TID ? '/' : ' ');
	if (shown & UE_META_TID)
		printf("%u ", sample->tid);
	if (printer->has_colour)
		fputs(PLAIN, stdout);
}

static int print_text(struct printer *printer, const struct record *record)
{
	uint32_t meta = printer->meta;
	size_t name = 0;
	ptrdiff_t length;

	if (meta != UE_META_NONE)
		meta &= ~(UE_META_TIME | UE_META_CPU | UE_META_PID | UE_META_TID);
	length = render(printer, record, meta ? meta : UE_META_NONE);
	if (length < 0)
		return -1;
	print_prefix(printer, &record->sample);
	if (printer->has_colour && meta & UE_META_N && meta != UE_META_NONE) {
		name = strcspn(printer->line, " ");
		printf(BOLD "%.*s" PLAIN, (int)name, printer->line);
	}
	fwrite(printer->line + name, 1, (size_t)length - name, stdout);
	putchar('\n');
	return 0;
}

static int print_json(struct printer *printer, const struct record *record)
{
	ptrdiff_t length = render(printer, record, printer->meta);

	if (length < 0)
		return -1;
	if (printer->format != PRINT_JSONL)
		fputs(printer->count ? ",\n " : "\n ", stdout);
	printer->count = 1;
	fwrite_unlocked(printer->line, 1, (size_t)length, stdout);
	if (printer->format == PRINT_JSONL)
		putchar_unlocked('\n');
	return 0;
}

int printer_print(struct printer *printer, const struct record *record)
{
	int result = printer->format == PRINT_TEXT ? print_text(printer, record) :
						     print_json(printer, record);

	return result || ferror(stdout) ? -1 : 0;
}
