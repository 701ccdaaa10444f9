/* SPDX-License-Identifier: MIT */
/* Renders records into a buffer, and writes it to standard output. */
#include "printer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <userevents/decode/record.h>
#include <userevents/decode/render.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/cli/program.h"
#include "common/records/byte_cursor.h"
#include "common/text/text_table.h"

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

/* Text around records */

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
		bytes_put(&printer->text, "[");
	if (printer->format == PRINT_PERF_DECODE)
		bytes_put(&printer->text, isatty(STDOUT_FILENO) ? "{" : "\xef\xbb\xbf{");
	mark_whole(printer);
}

void printer_begin_file(struct printer *printer, const char *name)
{
	if (printer->format != PRINT_PERF_DECODE)
		return;
	bytes_put(&printer->text, printer->files++ ? ",\n" : "\n");
	put_quoted(printer, name);
	bytes_put(&printer->text, ": [");
	printer->count = 0;
	printer->is_in_file = 1;
	mark_whole(printer);
}

void printer_end_file(struct printer *printer)
{
	if (printer->is_in_file)
		bytes_put(&printer->text, " ]");
	printer->is_in_file = 0;
}

int printer_end(struct printer *printer)
{
	int result;

	printer_end_file(printer); /* a fault may have left it open */
	if (printer->format == PRINT_JSON)
		bytes_put(&printer->text, printer->count ? "\n]\n" : "]\n");
	if (printer->format == PRINT_PERF_DECODE)
		bytes_put(&printer->text, "\n}\n");
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
	const int is_text = printer->format == PRINT_TEXT;
	char *out = bytes_room(&printer->text, ENOUGH);
	size_t left = printer->text.room - printer->text.length;
	ptrdiff_t length;

	if (printer->format == PRINT_PERF_DECODE)
		opts.flags |= UE_RENDER_SPACE;
	if (printer->format == PRINT_JSONL_NESTED)
		opts.flags |= UE_RENDER_NESTED;
	if (meta & UE_META_COMMON && meta != UE_META_NONE)
		take_common(record, &sample);
	length = record_render(record, printer->reader, &opts, is_text, out, left);
	if (length < 0)
		return -1;
	if ((size_t)length >= left) {
		left = (size_t)length + 1;
		out = bytes_room(&printer->text, left);
		record_render(record, printer->reader, &opts, is_text, out, left);
	}
	printer->text.length += (size_t)length;
	printer->malformed += error.error != 0;
	return 0;
}

void printer_gap(struct printer *printer)
{
	if (printer->format == PRINT_TEXT)
		bytes_put(&printer->text, "--\n");
}

static void report_short_stacks(const struct printer *printer)
{
	AUTO_FREE char *text = short_stacks_text(&printer->short_stacks);

	if (text)
		message("%s", text);
}

int printer_report(const struct printer *printer)
{
	modules_report();
	report_short_stacks(printer);
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
	if (!printer->has_stacks)
		return 0;
	stack_put_text(&printer->text, record);
	short_stacks_note(&printer->short_stacks, record);
	return 0;
}

static int is_line_each(const struct printer *printer)
{
	return printer->format == PRINT_JSONL || printer->format == PRINT_JSONL_NESTED;
}

/* The last member of the record's object. */
static void add_stack(struct printer *printer, const struct record *record)
{
	struct bytes *text = &printer->text;

	while (text->length && text->at[text->length - 1] != '}')
		text->length--;
	text->length -= text->length > 0;
	stack_put_json(text, "stack", record);
	short_stacks_note(&printer->short_stacks, record);
	json_close(text, '}');
}

static int print_json(struct printer *printer, const struct record *record)
{
	if (!is_line_each(printer))
		bytes_put(&printer->text, printer->count ? ",\n " : "\n ");
	if (put_record(printer, record, printer->meta))
		return -1;
	if (printer->has_stacks && record->frame_count)
		add_stack(printer, record);
	printer->count = 1;
	if (is_line_each(printer))
		bytes_put(&printer->text, "\n");
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

/* Parses the options of commands that print events. */

static int parse_format(const struct print_options *options, enum print_format *format)
{
	static const char *const names[] = {
		[PRINT_TEXT] = "text",
		[PRINT_JSON] = "json",
		[PRINT_JSONL] = "jsonl",
		[PRINT_JSONL_NESTED] = "jsonl-nested",
		[PRINT_PERF_DECODE] = "perf-decode",
	};
	const size_t count = sizeof(names) / sizeof(names[0]) - !options->has_files;
	const char *text = options->is_json  ? "jsonl" :
			   options->format   ? options->format : "text";

	for (size_t i = 0; i < count; i++) {
		if (!strcmp(names[i], text)) {
			*format = (enum print_format)i;
			return 0;
		}
	}
	message("cannot print as \"%s\": the formats are text, json, jsonl%s", text,
		options->has_files ? ", jsonl-nested and perf-decode" : " and jsonl-nested");
	return -1;
}

static int parse_time(const char *text, enum time_kind *kind)
{
	static const char *const names[] = {
		[COLUMN_WALL] = "wall",
		[COLUMN_DELTA] = "delta",
		[COLUMN_RELATIVE] = "relative",
		[COLUMN_MONOTONIC] = "monotonic",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(names[i], text)) {
			*kind = (enum time_kind)i;
			return 0;
		}
	}
	message("cannot print times as \"%s\": --time is wall, delta, relative or monotonic",
		text);
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
	{ "comm", UE_META_COMM },
	{ "lost", UE_META_LOST },
	{ "cgroup", UE_META_CGROUP },
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
	const char *near;
	char word[64];

	snprintf(word, sizeof(word), "%.*s", (int)length, name);
	near = nearest(word, members, MEMBERS, sizeof(members[0]));
	message("cannot show \"%s\" of meta: there is no such member%s%s%s", word,
		near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
	return -1;
}

static int find_member(const char *name, size_t length, uint32_t *bits)
{
	if (length == 3 && !memcmp(name, "all", 3)) {
		*bits = all_members();
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

/*
 * "time,level": these and the name, without which an event is hard to recognize;
 * "+provider,-cpu": the usual ones and changes; "all"; "none", after which the list begins
 * anew.
 */
static int parse_meta(const char *text, uint32_t usual, uint32_t *meta)
{
	uint32_t bits;

	*meta = *text == '+' || *text == '-' ? usual : UE_META_N;
	for (;;) {
		size_t length = strcspn(text, ",");
		char sign = *text == '+' || *text == '-' ? *text : 0;

		if (length == 4 && !memcmp(text, "none", 4))
			*meta = 0;
		else if (find_member(text + !!sign, length - !!sign, &bits))
			return -1;
		else
			*meta = sign == '-' ? *meta & ~bits : *meta | bits;
		if (!text[length])
			break;
		text += length + 1;
	}
	if (!*meta)
		*meta = UE_META_NONE;
	return 0;
}

/* Members that would make a line too long to be read. */
#define WIDE_META                                                            \
	(UE_META_CPU | UE_META_TID | UE_META_ID | UE_META_VERSION |           \
	 UE_META_KEYWORD | UE_META_TAG | UE_META_RELATED_ACTIVITY | UE_META_CGROUP)

static uint32_t usual_meta(const struct print_options *options, enum print_format format)
{
	const uint32_t usual = UE_META_DEFAULT & all_members();

	return format == PRINT_TEXT && !options->is_wide ? usual & ~WIDE_META : usual;
}

int print_options_apply(const struct print_options *options, struct printer *printer)
{
	const char *meta = options->meta ? options->meta : "+n";
	struct text_line *line = &printer->line;

	if (parse_format(options, &printer->format) ||
	    parse_meta(meta, usual_meta(options, printer->format), &printer->meta) ||
	    (options->time && parse_time(options->time, &line->time.kind)))
		return -1;
	printer->has_stacks = options->has_stacks;
	line->time.is_utc = options->is_utc;
	line->time.is_wide = options->is_wide;
	line->has_colour = printer->format == PRINT_TEXT &&
			   output_has_colour();
	return 0;
}

int print_options_are_given(const struct print_options *options)
{
	return options->format || options->meta || options->time || options->is_json ||
	       options->is_utc || options->is_wide;
}
