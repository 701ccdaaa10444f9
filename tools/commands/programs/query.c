/* SPDX-License-Identifier: MIT */
/*
 * userevents query: answers questions in SQL about events of any source.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/cli/options.h"
#include "common/cli/program.h"
#include "answers/query/event_tables.h"
#include "read/stream/stream.h"
#include "kernel/tracefs/tracing_files.h"

static const char *format_text;
static const char *path;
static int is_json, is_csv, is_tsv;
static struct stream stream = STREAM_INIT("query");

static const struct tool_option options[] = {
	{ .name = "format", .letter = 'f', .text = &format_text, .value = "FORMAT",
	  .help = "text (the default): aligned columns, json: one array of\n"
		  "objects, jsonl: an object a line, csv, or tsv." },
	{ .name = "json", .letter = 'j', .flag = &is_json,
	  .help = "JSON lines: the same as --format jsonl." },
	{ .name = "csv", .flag = &is_csv,
	  .help = "Rows with commas (RFC 4180), the names of columns first:\n"
		  "the same as --format csv." },
	{ .name = "tsv", .flag = &is_tsv,
	  .help = "The same with tabs, as --format tsv; in values \\t, \\n, \\r,\n"
		  "\\\\ stand for a tab, line ends and a backslash, \\N for NULL." },
	{ .name = "db", .text = &path, .value = "FILE", .is_path = 1,
	  .help = "Keep the tables in this SQLite database, for other tools\n"
		  "and for further questions. Also needed for more events\n"
		  "than memory holds. An older database of this command is\n"
		  "replaced, any other file is not." },
	STREAM_OPTIONS(stream),
	OPTIONS_END,
};

static const struct usage usage = {
	.command = "query",
	.arguments = "FILE... SQL | SQL --run PROGRAM | SQL --watch",
	.help = "Puts events into tables of SQLite and answers questions about them.\n"
		"SQL is one or more statements, .tables, or .schema [TABLE]; - reads it\n"
		"from standard input. Statements can only read. FILE can also be a\n"
		"database of --db, alone.\n\n"
		"Each event has a table, shop_request, and a view with its provider or\n"
		"system, \"user_events:shop_request\". An event of two providers has\n"
		"only the long names. Names that are words of SQL (\"Order\"), or have\n"
		"other characters than letters, digits and _, stand in double quotes;\n"
		"text stands in single quotes. The table events has all events, with all\n"
		"fields of each as a line of text, and as JSON: the columns text and\n"
		"fields. They double the time, so a database of --db has them only if\n"
		"the SQL with which it is made names them.\n\n"
		"Columns are event_id, time (nanoseconds), pid, tid, comm, cpu, cgroup;\n"
		"of EventHeader events also level, keyword, opcode, meta.id,\n"
		"meta.version, activity, relatedActivity; then the fields of all\n"
		"versions of the event. If there is a field pid, the column pid is this\n"
		"field, and the property is \"meta.pid\", as in --where. Arrays and\n"
		"structs are JSON: client->>'port', json_each(sizes). Bytes are blobs.\n"
		"Numbers from 2^63 on, which SQLite does not have, are text: exact in\n"
		"ORDER BY, max(), p99(), and where a column is compared with a number\n"
		"(id = 18446744073709551615, id > 1e19, also IN, BETWEEN), but greater\n"
		"than any result, rounded in +, total() and avg(), and not for & and %.\n"
		"NaN is NULL.\n"
		"NULL is printed as nothing, as sqlite3(1) and psql(1) do: an empty cell,\n"
		"in CSV without quotes, where an empty text is \"\"; in TSV it is \\N.\n\n"
		"The table requests has a row for each start of an activity, or without\n"
		"one of a thread (opcodes start and stop, as \"latency\" pairs them):\n"
		"request_id, start_id and stop_id (event_id), start and stop (the names\n"
		"of the events), time, duration (nanoseconds), pid, tid, comm, activity\n"
		"of the start; start_fields, stop_fields (JSON); parent, the activity that\n"
		"the start is related to. What never ended has no stop: stop_id, stop,\n"
		"duration and stop_fields are NULL.\n\n"
		"Functions beside those of SQLite:\n"
		"  percentile(X, P), median(X), p50(X), p90(X), p99(X), p999(X)\n"
		"      exact, by the nearest rank: a value that occurs\n"
		"  histogram(X)           JSON: from, to, count for each power of two\n"
		"  bar(N, OF [, WIDTH])   as many # of WIDTH (40) as N is of OF\n"
		"  time_text(NS), duration_text(NS)\n\n"
		"How long did requests take, from their starts to their ends?\n"
		"  userevents query a.data 'SELECT id, duration_text(e.time - s.time)\n"
		"      FROM request_start s JOIN request_end e USING (id)'\n\n"
		"Which requests took longest, and how many events has each?\n"
		"  userevents query a.data 'SELECT duration_text(duration), start_fields,\n"
		"      count(event_id) FROM requests r LEFT JOIN events e\n"
		"      ON e.activity = r.activity AND event_id BETWEEN start_id AND stop_id\n"
		"      GROUP BY request_id ORDER BY duration DESC LIMIT 5'\n\n"
		"Which clients had errors, whatever the event is called?\n"
		"  userevents query a.data \"SELECT fields->>'client' AS client, count(*)\n"
		"      FROM events WHERE text LIKE '%ETIMEDOUT%' GROUP BY 1\"\n\n"
		"The exit status is 1 when events are missing or malformed (see\n"
		"\"userevents decode --help\"), or a statement fails; 2 when one is\n"
		"wrong.\n",
	.options = options,
};

/* The SQL */

static char *read_standard_input(void)
{
	struct bytes text = { .at = NULL };
	ssize_t length;

	do {
		length = read(STDIN_FILENO, bytes_room(&text, 65536), 65536);
		text.length += length > 0 ? (size_t)length : 0;
	} while (length > 0 || (length < 0 && errno == EINTR));
	bytes_add(&text, "", 1);
	if (!length && strlen((char *)text.at) == text.length - 1)
		return (char *)text.at;
	message("cannot read the SQL from standard input: %s",
		length ? strerror(errno) : "it has a NUL");
	bytes_free(&text);
	return NULL;
}

static int is_file(const char *word)
{
	struct stat status;

	return !stat(word, &status) && S_ISREG(status.st_mode);
}

static int has_word(char **words, const char *word)
{
	for (; *words; words++)
		if (!strcmp(*words, word))
			return 1;
	return 0;
}

/*
 * Take the SQL out of the arguments: the last one behind files, and the first one before
 * a program. *sql is to be freed. 0, or an exit status after a message.
 */
static int take_sql(int argc, char **argv, char **sql)
{
	const int at = stream.is_run || stream.is_watch ? 0 : argc - 1;
	char *word = argc ? argv[at] : NULL;

	if (!argc || (!at && is_file(word)))
		return options_complain(&usage, "no SQL is given");
	if (is_file(word))
		return options_complain(&usage, "no SQL follows the files, as \"%s\" is "
					"one", word);
	memmove(argv + at, argv + at + 1, (size_t)(argc - at) * sizeof(*argv));
	if (strcmp(word, "-")) {
		*sql = xstrdup(word);
	} else if (has_word(argv, "-")) {
		return options_complain(&usage, "standard input cannot be a recording "
					"and the SQL");
	} else {
		*sql = read_standard_input();
		if (!*sql)
			return EXIT_FAILED;
	}
	if (!(*sql)[strspn(*sql, " \t\r\n;")])
		return options_complain(&usage, "the SQL is empty");
	return 0;
}

/* Answers */

static int answer(struct database *database, const char *sql, enum result_format format)
{
	AUTO(result_free) struct result result = { .format = format };
	int status;

	pager_begin(NULL);
	result.is_terminal = output_is_terminal();
	status = statements_run(database->handle, sql, &result);

	return status;
}

static int answer_from_kept(const char *kept, const char *sql, enum result_format format)
{
	struct database database;
	int status;

	if (path)
		return options_complain(&usage, "%s is a database already; --db is for "
					"recordings", kept);
	if (stream.filter.globs.count || stream.filter.expression || stream.from ||
	    stream.to)
		return options_complain(&usage, "%s is a database, and -e, --where, "
					"--from and --to select events of recordings; use "
					"WHERE in the SQL", kept);
	status = database_open(&database, kept) ? EXIT_FAILED :
						  answer(&database, sql, format);
	database_close(&database);
	return status;
}

static int answer_from_events(char **arguments, const char *sql,
			      enum result_format format)
{
	struct database database;
	struct event_tables tables = { .rows = 0 };
	int status = EXIT_FAILED;

	if (!database_create(&database, path) &&
	    !event_tables_begin(&tables, &database, sql))
		status = stream_read(&stream, &usage, arguments, &tables.sink);
	if (!status && tables.is_incomplete)
		status = EXIT_FAILED;
	event_tables_free(&tables);
	if (tables.is_finished && (stream.events || !status)) {
		int answered = database_finish(&database) ?
				       EXIT_FAILED : answer(&database, sql, format);

		status = status ? status : answered;
	}
	stream_free(&stream);
	database_close(&database);
	return status;
}

static const char *find_kept(char **arguments)
{
	for (; !stream.is_run && !stream.is_watch && *arguments; arguments++)
		if (database_is_kept(*arguments))
			return *arguments;
	return NULL;
}

/* 0, or EXIT_WRONG_USAGE after a message. */
static int choose_format(enum result_format *format)
{
	const char *name = is_json ? "jsonl" : is_csv ? "csv" : is_tsv ? "tsv" : format_text;

	if (is_json + is_csv + is_tsv + !!format_text > 1)
		return options_complain(&usage, "--format, --json, --csv and --tsv exclude "
					"each other");
	return result_format_parse(name ? name : "text", format) ? EXIT_WRONG_USAGE : 0;
}

static int query(char **arguments, const char *sql)
{
	const char *kept = find_kept(arguments);
	enum result_format format;

	if (choose_format(&format))
		return EXIT_WRONG_USAGE;
	if (!kept)
		return answer_from_events(arguments, sql, format);
	if (arguments[1])
		return options_complain(&usage, "%s is a database, which is read alone",
					kept);
	return answer_from_kept(kept, sql, format);
}

static int command_query(int argc, char **argv)
{
	int status = options_parse(&usage, &argc, &argv);
	AUTO_FREE char *sql = NULL;

	if (status != OPTIONS_GO_ON)
		return status;
	status = take_sql(argc, argv, &sql);
	if (!status)
		status = query(argv, sql);
	return status;
}

int main(int argc, char **argv)
{
	return run_apart(command_query, argc, argv);
}
