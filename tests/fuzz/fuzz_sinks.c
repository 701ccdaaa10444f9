/* SPDX-License-Identifier: MIT */
/*
 * A recording, whose last two bytes choose a question and a filter: the answer is given, JSON
 * is valid, and no control character is printed. Two zeros ask each question.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sys/mman.h>
#include <unistd.h>

#include "../../tools/answers/counts/context.h"
#include "../../tools/answers/counts/tally.h"
#include "../../tools/common/cli/message.h"
#include "../../tools/answers/pairs/pairing.h"
#include "../../tools/answers/query/event_tables.h"
#include "../../tools/answers/report/html_page.h"
#include "../../tools/read/stream/stream.h"
#include "../support/json_check.h"
#include "fuzz.h"
#include "top_sink.h"

/* The output */

static FILE *messages;
static int output, real_output;

static void divert_output(void)
{
	fflush(stdout);
	if (!messages) {
		messages = fopen("/dev/null", "w");
		output = memfd_create("output", MFD_CLOEXEC);
		real_output = dup(STDOUT_FILENO);
		PROMISE(messages && output >= 0 && real_output >= 0);
	}
	message_divert(messages);
	PROMISE(!ftruncate(output, 0) && !lseek(output, 0, SEEK_SET));
	PROMISE(dup2(output, STDOUT_FILENO) == STDOUT_FILENO);
}

/* The text so far, to be freed; the next begins anew. */
static char *take_output(size_t *length)
{
	off_t size;
	char *text;

	fflush(stdout);
	size = lseek(output, 0, SEEK_CUR);
	text = malloc((size_t)size + 1);
	PROMISE(text && pread(output, text, (size_t)size, 0) == size);
	PROMISE(!ftruncate(output, 0) && !lseek(output, 0, SEEK_SET));
	text[size] = '\0';
	*length = (size_t)size;
	return text;
}

/* A character of C0 or C1, the latter two bytes in UTF-8. Names may not be UTF-8. */
static int is_control(const char *text)
{
	return ((uint8_t)*text < ' ' && *text != '\n') || *text == 0x7f ||
	       (*text == '\xc2' && (text[1] & 0xe0) == 0x80);
}

static void check_text(void)
{
	size_t length;
	char *text = take_output(&length);

	for (size_t i = 0; i < length; i++)
		PROMISE(!is_control(text + i));
	free(text);
}

/* Each line is a value. */
static void check_json(void)
{
	size_t length, line;
	char *text = take_output(&length);

	for (size_t at = 0; at < length; at += line + 1) {
		line = strcspn(text + at, "\n");
		PROMISE(line && !json_wrong(text + at, line));
	}
	free(text);
}

/* Questions. Without events, commands print nothing. */

struct asked {
	char **paths;
	struct stream stream;
	int is_json;
	enum answer_form form; /* of the questions that have several */
	int has_rows; /* CSV or TSV, which keep control characters */
};

static void read_into(struct asked *asked, struct sink *sink)
{
	FILE *real = stderr;
	int status;

	stderr = messages; /* for carets */
	PROMISE(!stream_begin(&asked->stream));
	status = stream_files(&asked->stream, asked->paths, sink);
	stderr = real;
	PROMISE(status == EXIT_ALL_WORKED || status == EXIT_FAILED);
}

static void ask_lines(struct asked *asked)
{
	const struct print_options options = {
		.is_json = asked->is_json, .is_wide = 1, .is_utc = 1, .time = "delta",
	};
	struct lines lines;

	PROMISE(!lines_init(&lines, &options));
	read_into(asked, &lines.sink);
	bytes_free(&lines.printer.text);
}

static void ask_tally(struct asked *asked)
{
	struct asked_field by = { .found = 0 };
	struct tally tally;

	PROMISE(!asked_field_parse(&by, "comm"));
	tally_begin(&tally, asked->is_json ? &by : NULL, 3);
	read_into(asked, &tally.sink);
	asked->has_rows = asked->form > FORM_JSON;
	if (asked->form)
		tally_print_form(&tally, asked->stream.lost, asked->form);
	else
		tally_print(&tally, asked->stream.lost);
	tally_free(&tally);
	asked_field_report(&by);
	asked_field_free(&by);
}

static void ask_histogram(struct asked *asked)
{
	struct asked_field by = { .found = 0 };
	struct field_hist hist;

	field_hist_begin(&hist, "*");
	PROMISE(!asked_field_parse(&hist.field, "n") && !asked_field_parse(&by, "event"));
	hist.set.by = &by;
	hist.set.groups.most = 3;
	read_into(asked, &hist.sink);
	if (asked->stream.events)
		field_hist_print(&hist, &asked->stream.kinds, asked->form);
	asked->has_rows = asked->form > FORM_JSON;
	field_hist_free(&hist);
	asked_field_report(&by);
	asked_field_free(&by);
}

static void ask_pairs(struct asked *asked, const char *name, enum pair_key key)
{
	struct asked_field by = { .found = 0 };
	struct pairing pairing;
	const struct pair_options options = { .start = name, .end = name, .key = "n" };

	PROMISE(!pairing_begin(&pairing, &options, &asked->stream.kinds));
	pairing.pairs.key = key;
	pairing.set.groups.most = 3;
	pairing.slowest.most = 3;
	pairing.slowest.is_json = asked->is_json;
	pairing.pairs.most = 5;
	PROMISE(!asked_field_parse(&by, "meta.event"));
	pairing.set.by = name ? NULL : &by;
	pairing.lists_open = pairing.slowest.has_within = 1;
	pairing_follow_threads(&pairing, &asked->stream);
	if (asked->stream.filter.expression)
		PROMISE(!pairing_choose(&pairing, asked->stream.filter.expression));
	asked->stream.filter.expression = NULL;
	read_into(asked, &pairing.sink);
	if (asked->stream.events)
		pairing_print(&pairing, asked->form);
	asked->has_rows = asked->form > FORM_JSON;
	pairing_free(&pairing);
	asked_field_free(&by);
}

static void ask_activities(struct asked *asked)
{
	ask_pairs(asked, NULL, PAIR_BY_EITHER);
}

static void ask_intervals(struct asked *asked)
{
	ask_pairs(asked, "*", PAIR_BY_FIELD);
}

static void ask_database(struct asked *asked)
{
	static const char sql[] =
		".tables; SELECT * FROM events; SELECT event, count(*), "
		"p99(time), histogram(pid) FROM events GROUP BY 1; SELECT * FROM tick";
	struct result result = { .format = asked->is_json ? RESULT_JSONL : RESULT_TEXT,
				 .is_terminal = 1 };
	struct event_tables tables = { .rows = 0 };
	struct database database;
	FILE *real = stderr;

	PROMISE(!database_create(&database, NULL) && !event_tables_begin(&tables, &database, sql));
	read_into(asked, &tables.sink);
	event_tables_free(&tables);
	PROMISE(tables.is_finished && !database_finish(&database));
	stderr = messages;
	statements_run(database.handle, sql, &result);
	if (!asked->is_json)
		statements_run(database.handle, ".schema", &result);
	stderr = real;
	result_free(&result);
	database_close(&database);
}

/* The page */

struct gathering {
	struct sink sink;
	struct facts facts;
};

static int gather(struct sink *sink, struct event *event)
{
	facts_take(&((struct gathering *)sink)->facts, event);
	return 0;
}

static int gather_sched(struct sink *sink, const struct record *record)
{
	facts_take_sched(&((struct gathering *)sink)->facts, record);
	return 0;
}

static void ask_page(struct asked *asked)
{
	struct gathering gathering = {
		.sink = { .take = gather, .take_sched = gather_sched, .fd = -1 },
	};
	struct page_source source = { .title = "title", .detail = "", .version = "0" };
	struct bytes page = { 0 };

	facts_begin(&gathering.facts, &asked->stream.kinds);
	read_into(asked, &gathering.sink);
	facts_end(&gathering.facts);
	source.lost = asked->stream.lost;
	page_write(&page, &gathering.facts, &source);
	PROMISE(page.length < 16u << 20);
	PROMISE(!memmem(page.at, page.length, "<script", 7));
	PROMISE(fwrite(page.at, 1, page.length, stdout) == page.length);
	check_text();
	bytes_free(&page);
	facts_free(&gathering.facts);
}

static void ask_top(struct asked *asked)
{
	struct sink *sink = top_sink_begin();

	read_into(asked, sink);
	top_sink_print(sink, asked->is_json);
}

static void (*const questions[])(struct asked *) = {
	ask_lines, ask_tally, ask_histogram, ask_activities, ask_intervals, ask_database,
	ask_page, ask_top,
};

#define QUESTIONS (sizeof(questions) / sizeof(questions[0]))

static const char *const filters[] = {
	NULL, "number >= 1 || n != 1.5", "text ~ \"a*\" || comm == \"first\"",
	"!(pid == 0) && time > 0", "provider ~ \"S*\" && level <= 4",
	"opcode == start || activity != \"0\" || keyword & 1",
};

#define FILTERS (sizeof(filters) / sizeof(filters[0]))

static void ask(char **paths, size_t question, uint8_t options)
{
	struct asked asked = {
		.paths = paths, .stream = STREAM_INIT("fuzz"), .is_json = options & 1,
	};

	asked.form = asked.is_json ? FORM_JSON : !(options & 0x80) ? FORM_TEXT :
		     options & 0x40 ? FORM_CSV : FORM_TSV;
	asked.stream.filter.expression = filters[(options >> 1) % FILTERS];
	divert_output();
	questions[question](&asked);
	if (asked.is_json)
		check_json();
	else if (!asked.has_rows)
		check_text();
	stream_free(&asked.stream);
	dup2(real_output, STDOUT_FILENO);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64], *paths[] = { path, NULL };
	uint8_t options;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (size < 2 || size > 4096)
		return close(fd);
	PROMISE(fd >= 0 && write(fd, data, size - 2) == (ssize_t)size - 2);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	options = data[size - 2];
	if (options)
		ask(paths, data[size - 1] % QUESTIONS, options);
	for (size_t i = 0; !options && i < 2 * QUESTIONS; i++)
		ask(paths, i / 2, i & 1);
	close(fd);
	return 0;
}
