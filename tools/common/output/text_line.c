/* SPDX-License-Identifier: MIT */
/*
 * Puts the context of an event in a line of text: time, processor, process, and the
 * colour and alignment of its name.
 *
 * Lines are printed as records arrive, so that no column's width is known before. A
 * column is as wide as its widest content so far: after a few lines all of them are
 * aligned. One of unusual length is not followed.
 */
#include "printer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <userevents/abi/eventheader.h>
#include <userevents/decode/status.h>
#include <userevents/eventheader_name.h>

#include "common/cli/message.h"

/*
 * Puts times of records: time of day, since another record, or by the recording's clock.
 *
 * A line has the time of day alone, as a recording seldom has more than one date. Printed
 * times are accepted by --from and --to: "Z" for UTC, and local time without it.
 */

#define SECOND 1000000000
#define MINUTE (60 * (int64_t)SECOND)

/* The width of a time since another record, of less than a thousand seconds. */
#define SPAN_WIDTH 14

static int64_t floored(int64_t number, int64_t unit)
{
	return number / unit - (number % unit < 0);
}

static void set_minute(struct time_minute *minute, int64_t number, int is_utc)
{
	const time_t seconds = (time_t)(number * 60);
	struct tm tm = { 0 };

	*minute = (struct time_minute){ .is_known = 1, .number = number };
	if (!(is_utc ? gmtime_r(&seconds, &tm) : localtime_r(&seconds, &tm)))
		return;
	minute->offset = tm.tm_gmtoff;
	strftime(minute->date, sizeof(minute->date), "%Y-%m-%d", &tm);
	strftime(minute->text, sizeof(minute->text), "%H:%M:", &tm);
}

static const struct time_minute *minute_of(struct time_column *column, int64_t time)
{
	const int64_t number = floored(time, MINUTE);

	if (!column->minute.is_known || column->minute.number != number)
		set_minute(&column->minute, number, column->is_utc);
	return &column->minute;
}

/* "Z" or "+01:00" */
static void put_zone(const struct time_column *column, struct bytes *to, long offset)
{
	const unsigned long size = (unsigned long)(offset < 0 ? -offset : offset);

	if (column->is_utc) {
		bytes_put(to, "Z");
		return;
	}
	bytes_put(to, offset < 0 ? "-" : "+");
	put_number(to, size / 3600, 2, '0');
	bytes_put(to, ":");
	put_number(to, size / 60 % 60, 2, '0');
}

static int is_wall_clock(const struct time_column *column, const struct record *record)
{
	return column->kind == COLUMN_WALL && record->sample.is_wall_clock;
}

static void begin_today(struct time_column *column)
{
	struct time_minute today;

	set_minute(&today, time(NULL) / 60, column->is_utc);
	strcpy(column->date, today.date);
	column->offset = today.offset;
}

/*
 * A line with the date, if it or the time zone is not that of the line before. Before the
 * first line, today is known.
 */
static void time_column_put_date(struct time_column *column, struct bytes *to,
				 const struct record *record)
{
	const struct time_minute *minute;

	if (column->is_wide || !is_wall_clock(column, record))
		return;
	if (!*column->date)
		begin_today(column);
	minute = minute_of(column, record->sample.time);
	if (minute->offset == column->offset && !strcmp(minute->date, column->date))
		return;
	column->offset = minute->offset;
	strcpy(column->date, minute->date);
	bytes_put(to, "-- ");
	bytes_put(to, minute->date);
	bytes_put(to, " ");
	put_zone(column, to, minute->offset);
	bytes_put(to, "\n");
}

/* ".518818", rounded down, or with nanoseconds. */
static void put_fraction(struct bytes *to, int64_t rest, int is_long)
{
	bytes_put(to, ".");
	if (is_long)
		put_number(to, (uint64_t)rest, 9, '0');
	else
		put_number(to, (uint64_t)rest / 1000, 6, '0');
}

static void put_wall(struct time_column *column, struct bytes *to, int64_t time)
{
	const struct time_minute *minute = minute_of(column, time);
	const int64_t rest = time % MINUTE + (time % MINUTE < 0 ? MINUTE : 0);

	if (column->is_wide) {
		bytes_put(to, minute->date);
		bytes_put(to, "T");
	}
	bytes_put(to, minute->text);
	put_number(to, (uint64_t)(rest / SECOND), 2, '0');
	put_fraction(to, rest % SECOND, column->is_wide);
	if (column->is_wide)
		put_zone(column, to, minute->offset);
	else if (column->is_utc)
		bytes_put(to, "Z");
}

static uint64_t size_of(int64_t time)
{
	return time < 0 ? 0 - (uint64_t)time : (uint64_t)time;
}

static void put_seconds(struct bytes *to, int64_t time, int is_long)
{
	const uint64_t size = size_of(time);

	if (time < 0)
		bytes_put(to, "-");
	put_number(to, size / SECOND, time < 0 ? 0 : 5, ' ');
	put_fraction(to, (int64_t)(size % SECOND), is_long);
}

/* "+0.000012345" */
static void put_span(struct bytes *to, int64_t time)
{
	const uint64_t size = size_of(time);
	uint64_t seconds = size / SECOND;
	char text[32], *at = text + sizeof(text);
	const char *const end = at;

	do
		*--at = (char)('0' + seconds % 10);
	while (seconds /= 10);
	*--at = time < 0 ? '-' : '+';
	while (end - at < SPAN_WIDTH - 10)
		*--at = ' ';
	bytes_add(to, at, (size_t)(end - at));
	put_fraction(to, (int64_t)(size % SECOND), 1);
}

/* Times of two clocks have no distance: the new one's count begins anew. */
static void put_distance(struct time_column *column, struct bytes *to,
			 const struct ue_sample *sample)
{
	const int is_first = !column->has_reference ||
			     column->reference_is_wall != sample->is_wall_clock;

	put_span(to, is_first ? 0 : (int64_t)((uint64_t)sample->time -
					      (uint64_t)column->reference));
	if (!is_first && column->kind == COLUMN_RELATIVE)
		return;
	column->has_reference = 1;
	column->reference_is_wall = sample->is_wall_clock;
	column->reference = sample->time;
}

/* The time, without a blank behind it. */
static void time_column_put(struct time_column *column, struct bytes *to,
			    const struct record *record)
{
	const struct ue_sample *sample = &record->sample;

	if (column->kind == COLUMN_DELTA || column->kind == COLUMN_RELATIVE)
		put_distance(column, to, sample);
	else if (is_wall_clock(column, record))
		put_wall(column, to, sample->time);
	else if (!sample->is_wall_clock)
		put_seconds(to, sample->time, column->is_wide);
	else if (record->has_clock_time)
		put_seconds(to, record->clock_time, column->is_wide);
	else
		bytes_put(to, "    -       ");
}

#define DIM "\x1b[2m"
#define BOLD "\x1b[1m"
#define BOLD_RED "\x1b[1;31m"
#define BOLD_YELLOW "\x1b[1;33m"
#define PLAIN "\x1b[0m"

#define WHO_MOST 32u
#define NAME_MOST 48u

/* Print the losses in a line of its own, before the event that followed the lost ones. */
static void put_losses(const struct text_line *line, struct bytes *to,
		       const struct ue_sample *sample)
{
	if (!(sample->present & line->meta & UE_META_LOST) || !sample->lost)
		return;
	bytes_put(to, "(");
	put_number(to, sample->lost, 0, ' ');
	bytes_put(to, sample->lost == 1 ? " event of process " : " events of process ");
	put_number(to, sample->pid, 0, ' ');
	bytes_put(to, " lost here)\n");
}

/* The longest name, and its length with each byte escaped as \u0001. */
#define COMM_LENGTH 64
#define COMM_ROOM (6 * COMM_LENGTH + 2)

static int is_plain(char c)
{
	return c >= ' ' && c <= '~' && c != '"' && c != '\\';
}

/* A thread's name may have any bytes. */
static size_t escape_comm(const char *comm, char *out)
{
	const struct ue_value value = {
		.bytes = (const uint8_t *)comm,
		.length = (uint32_t)strnlen(comm, COMM_LENGTH),
		.encoding = UE_ENCODING_ZSTRING_CHAR8,
	};
	ptrdiff_t length = ue_value_to_text(&value, UE_RENDER_ESCAPE, out, COMM_ROOM);

	return length > 0 ? (size_t)length : 0;
}

static void put_comm(struct bytes *to, const char *comm)
{
	char *out = bytes_room(to, COMM_ROOM);
	size_t length = 0;

	for (; length < COMM_LENGTH && is_plain(comm[length]); length++)
		out[length] = comm[length];
	if (comm[length])
		length = escape_comm(comm, out);
	to->length += length;
}

/* Bytes of UTF-8 after the first of a character take no place. */
static size_t width_of(const char *text, size_t length)
{
	size_t width = 0;

	for (size_t i = 0; i < length; i++)
		width += (text[i] & 0xc0) != 0x80;
	return width;
}

/* Blanks that are missing from a column, which grows up to most. */
static size_t missing(size_t *column, size_t width, size_t most)
{
	if (width > *column && width <= most)
		*column = width;
	return width < *column ? *column - width : 0;
}

/* "hello[14160]", "hello[14160/14161]", "14160", "hello" */
static void put_who(struct text_line *line, struct bytes *to,
		    const struct ue_sample *sample, uint32_t shown)
{
	const int has_ids = (shown & (UE_META_PID | UE_META_TID)) != 0;
	const int is_bracketed = has_ids && shown & UE_META_COMM;
	const size_t begin = to->length;

	if (shown & UE_META_COMM)
		put_comm(to, sample->comm);
	if (is_bracketed)
		bytes_put(to, "[");
	if (shown & UE_META_PID)
		put_number(to, sample->pid, 0, ' ');
	if (shown & UE_META_TID) {
		if (shown & UE_META_PID)
			bytes_put(to, "/");
		put_number(to, sample->tid, 0, ' ');
	}
	if (is_bracketed)
		bytes_put(to, "]");
	put_blanks(to, 1 + missing(&line->who_width,
				   width_of((char *)to->at + begin, to->length - begin),
				   WHO_MOST));
}

static void put_columns(struct text_line *line, struct bytes *to,
			const struct record *record, uint32_t shown)
{
	if (line->has_colour)
		bytes_put(to, DIM);
	if (shown & UE_META_TIME) {
		time_column_put(&line->time, to, record);
		bytes_put(to, " ");
	}
	if (shown & UE_META_CPU) {
		bytes_put(to, "[");
		put_number(to, record->sample.cpu, 3, '0');
		bytes_put(to, "] ");
	}
	if (shown & (UE_META_COMM | UE_META_PID | UE_META_TID))
		put_who(line, to, &record->sample, shown);
	if (line->has_colour)
		bytes_put(to, PLAIN);
}

/* A record may have the number of its thread alone: that stands for its process, too. */
static uint32_t columns_of(const struct text_line *line, const struct ue_sample *sample)
{
	const uint32_t present = sample->present;
	uint32_t meta = line->meta;

	if (meta & UE_META_PID && !(present & UE_META_PID))
		meta |= UE_META_TID;
	return present & meta & TEXT_LINE_COLUMNS;
}

void text_line_begin(struct text_line *line, struct bytes *to, const struct record *record)
{
	const uint32_t shown = columns_of(line, &record->sample);

	if (!shown)
		return;
	put_losses(line, to, &record->sample);
	if (shown & UE_META_TIME)
		time_column_put_date(&line->time, to, record);
	if (shown & ~UE_META_LOST)
		put_columns(line, to, record, shown);
}

/* The event's name */

/* A name that is no word stands in quotes, in which '"' has a backslash before it. */
static size_t name_length(const char *text, size_t length)
{
	const char *blank;
	size_t at = 1;

	if (*text != '"') {
		blank = memchr(text, ' ', length);
		return blank ? (size_t)(blank - text) : length;
	}
	while (at < length && text[at] != '"')
		at += 1 + (text[at] == '\\');
	return at < length ? at + 1 : length;
}

/*
 * The color goes by the level of an EventHeader event, which is the last byte of its
 * header.
 */
static const char *colour_of(const struct record *record)
{
	const size_t level_at = record_common_size(record) + sizeof(struct ue_eventheader) - 1;
	const struct tracepoint *tracepoint = record->tracepoint;

	if ((!tracepoint->is_bare && !tracepoint->format.is_eventheader) ||
	    level_at >= record->length)
		return BOLD;
	switch (record->bytes[level_at]) {
	case UE_LEVEL_CRITICAL_ERROR:
	case UE_LEVEL_ERROR:
		return BOLD_RED;
	case UE_LEVEL_WARNING:
		return BOLD_YELLOW;
	default:
		return BOLD;
	}
}

/* Put text around the name, and blanks behind it unless nothing follows. */
static void dress(struct bytes *to, size_t begin, size_t name, const char *before,
		  const char *behind, size_t blanks)
{
	const size_t rest = to->length - begin - name;
	const size_t lead = strlen(before), trail = strlen(behind);
	char *at;

	bytes_room(to, lead + trail + blanks);
	at = (char *)to->at + begin;
	memmove(at + lead + name + trail + blanks, at + name, rest);
	if (lead)
		memmove(at + lead, at, name);
	memcpy(at, before, lead);
	memcpy(at + lead + name, behind, trail);
	memset(at + lead + name + trail, ' ', blanks);
	to->length += lead + trail + blanks;
}

/* A line without columns is not aligned, either. */
static size_t blanks_behind(struct text_line *line, const char *name, size_t length,
			    const struct record *record)
{
	if (!(columns_of(line, &record->sample) & ~UE_META_LOST))
		return 0;
	/* a name without quotes is ASCII */
	return missing(&line->name_width, *name == '"' ? width_of(name, length) : length,
		       NAME_MOST);
}

void text_line_end(struct text_line *line, struct bytes *to, size_t begin,
		   const struct record *record)
{
	const char *at = (const char *)to->at + begin;
	const size_t length = to->length - begin;
	size_t blanks, name;

	if (line->meta & UE_META_N && length) {
		name = name_length(at, length);
		blanks = name < length ? blanks_behind(line, at, name, record) : 0;
		if (line->has_colour)
			dress(to, begin, name, colour_of(record), PLAIN, blanks);
		else if (blanks)
			dress(to, begin, name, "", "", blanks);
	}
	bytes_put(to, "\n");
}

/* Prints the parts of an event's name, and its listeners. */

static const char *level_name(unsigned int level)
{
	static const char *const names[] = {
		[UE_LEVEL_CRITICAL_ERROR] = " (critical error)",
		[UE_LEVEL_ERROR] = " (error)",
		[UE_LEVEL_WARNING] = " (warning)",
		[UE_LEVEL_INFORMATION] = " (information)",
		[UE_LEVEL_VERBOSE] = " (verbose)",
	};

	return level && level < sizeof(names) / sizeof(names[0]) ? names[level] : "";
}

int eventheader_print(const char *before, const char *name, size_t length)
{
	struct ue_eventheader_name parts;

	if (ue_eventheader_name_parse(name, length, &parts, NULL))
		return 0;
	printf("%sprovider ", before);
	controls_print(parts.provider, parts.provider_length);
	printf(", level %u%s, keyword 0x%" PRIx64, parts.level, level_name(parts.level),
	       parts.keyword);
	if (parts.group_length) {
		printf(", group ");
		controls_print(parts.group, parts.group_length);
	}
	return 1;
}

void eventheader_print_json(const char *name, size_t length)
{
	struct ue_eventheader_name parts;

	if (ue_eventheader_name_parse(name, length, &parts, NULL))
		return;
	json_member("provider", parts.provider, parts.provider_length, 0);
	printf(",\"level\":%u,\"keyword\":\"0x%" PRIX64 "\"", parts.level, parts.keyword);
	if (parts.options_length)
		json_member("options", parts.options, parts.options_length, 0);
}

/* Listeners */

static const struct {
	uint32_t user;
	const char *name;
} known[] = {
	{ UE_USER_FTRACE, "ftrace" },
	{ UE_USER_PERF, "perf" },
	{ UE_USER_OTHER, "other" },
};

#define KNOWN (sizeof(known) / sizeof(known[0]))

void listeners_print(uint32_t users)
{
	const char *before = "";

	if (!users)
		fputs("none", stdout);
	for (size_t i = 0; i < KNOWN; i++)
		if (users & known[i].user) {
			printf("%s%s", before, known[i].name);
			before = " ";
		}
}

void listeners_print_json(uint32_t users)
{
	const char *before = "";

	fputs(",\"listeners\":[", stdout);
	for (size_t i = 0; i < KNOWN; i++)
		if (users & known[i].user) {
			printf("%s\"%s\"", before, known[i].name);
			before = ",";
		}
	putchar(']');
}
