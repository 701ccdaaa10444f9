/* SPDX-License-Identifier: MIT */
/* Renders records into a buffer, and writes it to standard output. */
#include "printer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <userevents/decode/record.h>

#include "common/cli/message.h"
#include "put_text.h"
#include "common/records/byte_cursor.h"

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
	printer->line.meta = printer->meta;
	if (printer->format == PRINT_JSON)
		put(&printer->text, "[");
	if (printer->format == PRINT_PERF_DECODE)
		put(&printer->text, isatty(STDOUT_FILENO) ? "{" : "\xef\xbb\xbf{");
	mark_whole(printer);
}

void printer_begin_file(struct printer *printer, const char *name)
{
	if (printer->format != PRINT_PERF_DECODE)
		return;
	put(&printer->text, printer->files++ ? ",\n" : "\n");
	put_quoted(printer, name);
	put(&printer->text, ": [");
	printer->count = 0;
	printer->is_in_file = 1;
	mark_whole(printer);
}

void printer_end_file(struct printer *printer)
{
	if (printer->is_in_file)
		put(&printer->text, " ]");
	printer->is_in_file = 0;
}

int printer_end(struct printer *printer)
{
	int result;

	printer_end_file(printer); /* a fault may have left it open */
	if (printer->format == PRINT_JSON)
		put(&printer->text, printer->count ? "\n]\n" : "]\n");
	if (printer->format == PRINT_PERF_DECODE)
		put(&printer->text, "\n}\n");
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

static ptrdiff_t render_reader(struct ue_reader *reader, const struct ue_render_opts *opts,
			       int is_text, char *out, size_t size)
{
	return is_text ? ue_reader_to_text(reader, opts, out, size) :
			 ue_reader_to_json(reader, opts, out, size);
}

/* Its reader, which could not be begun, renders the error. */
static ptrdiff_t render_bare(const struct record *record,
			     const struct ue_render_opts *opts, int is_text, char *out,
			     size_t size)
{
	const struct tracepoint *tracepoint = record->tracepoint;
	struct ue_reader reader;

	ue_reader_begin(&reader, tracepoint->name, strlen(tracepoint->name),
			record->bytes, record->length, NULL);
	return render_reader(&reader, opts, is_text, out, size);
}

static ptrdiff_t render_once(struct printer *printer, const struct record *record,
			     const struct ue_render_opts *opts, char *out, size_t size)
{
	const struct ue_record_layout *format = &record->tracepoint->format;
	const int is_text = printer->format == PRINT_TEXT;
	size_t common = record_common_size(record);
	const uint8_t *bytes = record->bytes;
	size_t length = record->length;

	if (printer->reader)
		return render_reader(printer->reader, opts, is_text, out, size);
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
	if (printer->format == PRINT_JSONL_NESTED)
		opts.flags |= UE_RENDER_NESTED;
	if (meta & UE_META_COMMON && meta != UE_META_NONE)
		take_common(record, &sample);
	length = render_once(printer, record, &opts, out, left);
	if (length < 0)
		return -1;
	if ((size_t)length >= left) {
		left = (size_t)length + 1;
		out = bytes_room(&printer->text, left);
		render_once(printer, record, &opts, out, left);
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

static int print_text(struct printer *printer, const struct record *record)
{
	uint32_t meta = printer->meta;
	size_t begin;

	if (meta != UE_META_NONE)
		meta &= ~TEXT_LINE_COLUMNS;
	text_line_begin(&printer->line, &printer->text, record);
	begin = printer->text.length;
	if (put_record(printer, record, meta ? meta : UE_META_NONE))
		return -1;
	text_line_end(&printer->line, &printer->text, begin, record);
	return 0;
}

static int is_line_each(const struct printer *printer)
{
	return printer->format == PRINT_JSONL || printer->format == PRINT_JSONL_NESTED;
}

static int print_json(struct printer *printer, const struct record *record)
{
	if (!is_line_each(printer))
		put(&printer->text, printer->count ? ",\n " : "\n ");
	if (put_record(printer, record, printer->meta))
		return -1;
	printer->count = 1;
	if (is_line_each(printer))
		put(&printer->text, "\n");
	return 0;
}

int printer_print(struct printer *printer, const struct record *record,
		  struct ue_reader *reader)
{
	printer->reader = reader;
	if ((printer->format == PRINT_TEXT ? print_text(printer, record) :
					     print_json(printer, record)))
		return -1;
	mark_whole(printer);
	return printer->text.length >= ENOUGH ? printer_flush(printer) : 0;
}
