/* SPDX-License-Identifier: MIT */
/* Renders records into a buffer, and writes it to standard output. */
#include "printer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <userevents/decode/record.h>

#include "cli/message.h"
#include "cli/safe_text.h"
#include "records/byte_cursor.h"

/* Text is written when there is this much; a record has as much room behind that. */
#define ENOUGH ((size_t)64 << 10)

/* The reader that closed a pipe needs no message. */
static int fail_to_write(struct printer *printer)
{
	printer->is_broken = 1;
	if (errno != EPIPE)
		message("cannot write the output: %s", strerror(errno));
	return -1;
}

int printer_flush(struct printer *printer)
{
	size_t length = printer->text.length;

	printer->text.length = printer->whole = 0;
	if (printer->is_broken)
		return -1;
	if (write_all(STDOUT_FILENO, printer->text.at, length) < length)
		return fail_to_write(printer);
	return 0;
}

static void put_bytes(struct printer *printer, const char *text, size_t length)
{
	bytes_add(&printer->text, text, length);
}

static void put(struct printer *printer, const char *text)
{
	put_bytes(printer, text, strlen(text));
}

/* printf(3) would be most of what a line costs. */
static void put_number(struct printer *printer, uint64_t number, int width, char fill)
{
	char text[32], *at = text + sizeof(text);
	const char *end = at;

	do
		*--at = (char)('0' + number % 10);
	while (number /= 10);
	while (end - at < width)
		*--at = fill;
	put_bytes(printer, at, (size_t)(end - at));
}

/* Around records */

static void put_quoted(struct printer *printer, const char *text)
{
	struct ue_value value = {
		.bytes = (const uint8_t *)text,
		.length = (uint32_t)strlen(text),
		.encoding = UE_ENCODING_ZSTRING_CHAR8,
	};
	size_t room = (size_t)value.length * 6 + 3; /* every byte as \u0001 */
	ptrdiff_t length;

	length = ue_value_to_json(&value, bytes_room(&printer->text, room), room);
	printer->text.length += length > 0 ? (size_t)length : 0;
}

/* The text ends with a whole record; see printer_drop_part(). */
static void mark_whole(struct printer *printer)
{
	printer->whole = printer->text.length;
}

void printer_drop_part(struct printer *printer)
{
	printer->text.length = printer->whole;
}

void printer_begin(struct printer *printer)
{
	printer->count = 0;
	printer->files = 0;
	if (printer->format == PRINT_JSON)
		put(printer, "[");
	if (printer->format == PRINT_PERF_DECODE)
		put(printer, isatty(STDOUT_FILENO) ? "{" : "\xef\xbb\xbf{");
	mark_whole(printer);
}

void printer_begin_file(struct printer *printer, const char *name)
{
	if (printer->format != PRINT_PERF_DECODE)
		return;
	put(printer, printer->files++ ? ",\n" : "\n");
	put_quoted(printer, name);
	put(printer, ": [");
	printer->count = 0;
	printer->is_in_file = 1;
	mark_whole(printer);
}

void printer_end_file(struct printer *printer)
{
	if (printer->is_in_file)
		put(printer, " ]");
	printer->is_in_file = 0;
}

int printer_end(struct printer *printer)
{
	int result;

	printer_end_file(printer); /* a fault may have left it open */
	if (printer->format == PRINT_JSON)
		put(printer, printer->count ? "\n]\n" : "]\n");
	if (printer->format == PRINT_PERF_DECODE)
		put(printer, "\n}\n");
	result = printer_flush(printer);
	bytes_free(&printer->text);
	return result;
}

/* Records */

/* The common fields of the record itself. */
static void take_common(const struct record *record, struct ue_sample *sample)
{
	int is_big_endian = record->tracepoint->format.big_endian;

	if (!record_common_size(record) || record->length < 8)
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
	return is_text ? ue_reader_to_text(&reader, opts, out, size) :
			 ue_reader_to_json(&reader, opts, out, size);
}

static ptrdiff_t render_once(const struct record *record,
			     const struct ue_render_opts *opts, int is_text, char *out,
			     size_t size)
{
	const struct ue_record_layout *format = &record->tracepoint->format;
	size_t common = record_common_size(record);
	const uint8_t *bytes = record->bytes;
	size_t length = record->length;

	if (record->tracepoint->is_bare)
		return render_bare(record, opts, is_text, out, size);
	return is_text ? ue_record_to_text(format, bytes + common, length - common, opts,
					   out, size) :
			 ue_record_to_json(format, bytes + common, length - common, opts,
					   out, size);
}

/* Append the text of a record; -1 without memory. */
static int put_record(struct printer *printer, const struct record *record,
		      uint32_t meta)
{
	int is_text = printer->format == PRINT_TEXT;
	struct ue_sample sample = record->sample;
	struct ue_eventheader_error error;
	struct ue_render_opts opts = {
		.size = sizeof(opts),
		.flags = UE_RENDER_TAGS,
		.meta = meta,
		.sample = &sample,
		.error = &error,
	};
	char *out = bytes_room(&printer->text, ENOUGH);
	size_t left = printer->text.room - printer->text.length;
	ptrdiff_t length;

	if (printer->format == PRINT_PERF_DECODE)
		opts.flags |= UE_RENDER_SPACE;
	if (meta & UE_META_COMMON && meta != UE_META_NONE)
		take_common(record, &sample);
	length = render_once(record, &opts, is_text, out, left);
	if (length < 0)
		return -1;
	if ((size_t)length >= left) {
		left = (size_t)length + 1;
		out = bytes_room(&printer->text, left);
		render_once(record, &opts, is_text, out, left);
	}
	printer->text.length += (size_t)length;
	printer->malformed += error.error != 0;
	return 0;
}

int printer_report(const struct printer *printer)
{
	if (!printer->malformed)
		return 0;
	message("cannot decode all of %llu event%s: the bytes do not match the description; "
		"\"error\" in the meta of each shows the place",
		(unsigned long long)printer->malformed,
		printer->malformed == 1 ? "" : "s");
	return 1;
}

/* The beginning of a line of text: time, processor, process, thread. */

#define SECOND 1000000000

#define DIM "\x1b[2m"
#define BOLD "\x1b[1m"
#define PLAIN "\x1b[0m"

/* "2026-01-31T12:00:" of a time is the same for many records. */
static const char *minute_text(time_t minute)
{
	static time_t known = -1;
	static char text[64];
	struct tm tm;

	if (minute != known || !*text) {
		if (!gmtime_r(&minute, &tm) ||
		    !strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:", &tm))
			strcpy(text, "?");
		known = minute;
	}
	return text;
}

static void put_time(struct printer *printer, const struct ue_sample *sample)
{
	int64_t seconds = sample->time / SECOND, rest = sample->time % SECOND;
	int64_t minute;

	if (rest < 0) {
		rest += SECOND;
		seconds--;
	}
	if (!sample->is_wall_clock) {
		put(printer, seconds < 0 ? "-" : "");
		put_number(printer, (uint64_t)(seconds < 0 ? -seconds : seconds),
			   seconds < 0 ? 0 : 5, ' ');
	} else {
		minute = seconds - (seconds % 60 + 60) % 60;
		put(printer, minute_text((time_t)minute));
		put_number(printer, (uint64_t)(seconds - minute), 2, '0');
	}
	put(printer, ".");
	put_number(printer, (uint64_t)rest, 9, '0');
	put(printer, sample->is_wall_clock ? "Z " : " ");
}

#define SAMPLE_META                                                              \
	(UE_META_TIME | UE_META_CPU | UE_META_PID | UE_META_TID | UE_META_COMM | \
	 UE_META_LOST)

/* A thread's name may have any bytes. */
static void put_comm(struct printer *printer, const char *comm)
{
	char text[64];

	snprintf(text, sizeof(text), "%s ", comm);
	controls_blank(text, strlen(text));
	put(printer, text);
}

/* In a line of its own, before the event that followed the lost ones. */
static void put_losses(struct printer *printer, const struct ue_sample *sample)
{
	char text[100];

	if (!(sample->present & printer->meta & UE_META_LOST) || !sample->lost)
		return;
	snprintf(text, sizeof(text), "(%u event%s of process %u lost here)\n", sample->lost,
		 sample->lost == 1 ? "" : "s", sample->pid);
	put(printer, text);
}

static void put_sample(struct printer *printer, const struct ue_sample *sample)
{
	uint32_t shown = sample->present & printer->meta & SAMPLE_META;

	if (!shown)
		return;
	if (printer->has_colour)
		put(printer, DIM);
	if (shown & UE_META_TIME)
		put_time(printer, sample);
	if (shown & UE_META_CPU) {
		put(printer, "[");
		put_number(printer, sample->cpu, 3, '0');
		put(printer, "] ");
	}
	if (shown & UE_META_COMM)
		put_comm(printer, sample->comm);
	if (shown & UE_META_PID) {
		put_number(printer, sample->pid, 0, ' ');
		put(printer, shown & UE_META_TID ? "/" : " ");
	}
	if (shown & UE_META_TID) {
		put_number(printer, sample->tid, 0, ' ');
		put(printer, " ");
	}
	if (printer->has_colour)
		put(printer, PLAIN);
}

/* Make the event's name at the beginning of the line bold. */
static void embolden(struct printer *printer, size_t begin)
{
	const size_t added = strlen(BOLD) + strlen(PLAIN);
	size_t length = printer->text.length - begin, name;
	const char *blank;
	char *at;

	bytes_room(&printer->text, added);
	at = (char *)printer->text.at + begin;
	blank = memchr(at, ' ', length);
	name = blank ? (size_t)(blank - at) : length;
	memmove(at + name + added, at + name, length - name);
	memmove(at + strlen(BOLD), at, name);
	memcpy(at, BOLD, strlen(BOLD));
	memcpy(at + strlen(BOLD) + name, PLAIN, strlen(PLAIN));
	printer->text.length += added;
}

static int print_text(struct printer *printer, const struct record *record)
{
	uint32_t meta = printer->meta;
	size_t begin;

	put_losses(printer, &record->sample);
	put_sample(printer, &record->sample);
	begin = printer->text.length;
	if (meta != UE_META_NONE)
		meta &= ~SAMPLE_META;
	if (put_record(printer, record, meta ? meta : UE_META_NONE))
		return -1;
	if (printer->has_colour && meta & UE_META_N)
		embolden(printer, begin);
	put(printer, "\n");
	return 0;
}

static int print_json(struct printer *printer, const struct record *record)
{
	if (printer->format != PRINT_JSONL)
		put(printer, printer->count ? ",\n " : "\n ");
	if (put_record(printer, record, printer->meta))
		return -1;
	printer->count = 1;
	if (printer->format == PRINT_JSONL)
		put(printer, "\n");
	return 0;
}

int printer_print(struct printer *printer, const struct record *record)
{
	if ((printer->format == PRINT_TEXT ? print_text(printer, record) :
					     print_json(printer, record)))
		return -1;
	mark_whole(printer);
	return printer->text.length >= ENOUGH ? printer_flush(printer) : 0;
}
