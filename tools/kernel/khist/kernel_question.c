/* SPDX-License-Identifier: MIT */
/* Sets the histograms that answer a question, and reads them, once or until its end. */
#include "kernel_question.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "answers/screen/screen.h"
#include "common/cli/clock.h"
#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/cli/program.h"
#include "common/text/text_table.h"

/* More is not needed for the buckets of one histogram of several. */
#define GROWING_SIZE 16384u
#define SIZE_LEAST 128u /* of the kernel */

/* How many entries each of its histograms can have: a power of 2. */
static uint64_t question_size(const struct question *question)
{
	const uint64_t most = question->plan.is_relative ? GROWING_SIZE : QUESTION_SIZE_MOST;
	uint64_t size = SIZE_LEAST;

	while (size < question->options->size && size < most)
		size *= 2;
	return size;
}

static char *keys_of(const struct question *question, const struct plan_piece *piece)
{
	char *keys = xprintf("%s%s", question->fields[0].name, piece->modifier);

	for (size_t i = 1; i < question->field_count; i++)
		xappend(&keys, ",%s", question->fields[i].name);
	return keys;
}

/* Both filters; NULL if there is none. */
static char *join(const char *filter, const char *other)
{
	if (filter && other)
		return xprintf("(%s) && %s", filter, other);
	return filter || other ? xstrdup(filter ? filter : other) : NULL;
}

void question_make_triggers(struct question *question, const char *filter)
{
	struct hist_shape *shape = &question->shape;

	for (size_t i = 0; i < question->plan.count; i++) {
		const struct plan_piece *piece = &question->plan.pieces[i];
		AUTO_FREE char *keys = keys_of(question, piece),
			       *both = join(filter, piece->filter);

		question->triggers[i] = xprintf("hist:keys=%s:size=%" PRIu64 "%s%s", keys,
						question_size(question), both ? " if " : "",
						both ? both : "");
	}
	shape->count = question->field_count;
	shape->keys = xcalloc(shape->count, sizeof(*shape->keys));
	for (size_t i = 0; i < shape->count; i++)
		shape->keys[i] = (struct hist_key){
			question->fields[i].name,
			!i ? question->plan.kind :
			     question->fields[i].is_text ? HIST_TEXT : HIST_NUMBER,
		};
}

int question_set_triggers(struct question *question)
{
	for (size_t i = 0; i < question->plan.count; i++)
		if (own_triggers_set(&question->own, &question->event, question->triggers[i]))
			return -1;
	return 0;
}

struct key_field *question_add_field(struct question *question)
{
	struct key_field *field;

	question->fields = xgrow(question->fields, question->field_count, sizeof(*field));
	field = &question->fields[question->field_count++];
	*field = (struct key_field){ .name = NULL };
	return field;
}

/* Looks */

/* 0, or -1 after a message. */
static int question_look(struct question *question, struct look *look)
{
	const int64_t end = question->ended ? question->ended : clock_now(CLOCK_MONOTONIC);
	size_t length;

	*look = (struct look){ .text = own_triggers_read(&question->own, &question->event,
							 &length) };
	if (!look->text)
		return -1;
	look->is_damaged = hist_file_parse(look->text, length, &question->shape,
					   question->plan.count, &look->table) != 0;
	look->counts.fields = question->fields;
	look->counts.field_count = question->field_count;
	group_counts_make(&look->counts, &look->table, &question->plan);
	look->picture = (struct picture){
		.counts = &look->counts,
		.plan = &question->plan,
		.title = question->title,
		.noun = question->noun,
		.field = question->field_name,
		.by = question->by,
		.nanoseconds = question->nanoseconds,
		.top = question->options->top,
		.seconds = (double)(end - question->begun) / 1e9,
		.dropped = look->table.dropped,
	};
	if (question->dropped_by_others)
		look->picture.dropped += question->dropped_by_others(question);
	return 0;
}

void look_free(struct look *look)
{
	group_counts_free(&look->counts);
	hist_table_free(&look->table);
	free(look->text);
	*look = (struct look){ .text = NULL };
}

void question_free(struct question *question)
{
	for (size_t i = 0; i < question->plan.count; i++)
		free(question->triggers[i]);
	bucket_plan_free(&question->plan);
	for (size_t i = 0; i < question->field_count; i++)
		key_field_free(&question->fields[i]);
	free(question->fields);
	free(question->by);
	free(question->shape.keys);
	free(question->limit);
	free(question->event.system);
	free(question->event.name);
	free(question->verb);
	free(question->title);
}

/* Checks the options that khist and klatency share. */

#define SECONDS_MOST 1e9

static const struct {
	const char *name;
	uint64_t nanoseconds;
} units[] = { { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };

/* How many arguments are behind "--"; -1: there is none. */
static int count_behind(int argc, char **argv)
{
	for (int i = 0; i < argc; i++)
		if (!strcmp(argv[i], "--"))
			return argc - i - 1;
	return -1;
}

static int check_unit(struct question_options *options, const struct usage *usage)
{
	for (size_t i = 0; options->unit && i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(units[i].name, options->unit))
			options->unit_nanoseconds = units[i].nanoseconds;
	if (options->unit && !options->unit_nanoseconds)
		return options_complain(usage, "the option --unit needs ns, us, ms or s, not "
					"\"%s\"", options->unit);
	return 0;
}

static int check_duration(struct question_options *options, const struct usage *usage)
{
	char *end;

	if (!options->duration)
		return 0;
	options->seconds = strtod(options->duration, &end);
	if (*end || end == options->duration ||
	    !(options->seconds > 0 && options->seconds <= SECONDS_MOST))
		return options_complain(usage, "the option --duration needs seconds, more than 0, "
					"not \"%s\"", options->duration);
	return 0;
}

static int check(struct question_options *options, const struct usage *usage)
{
	int status = check_unit(options, usage);

	if (!status)
		status = check_duration(options, usage);
	if (status)
		return status;
	if (options->size > QUESTION_SIZE_MOST)
		return options_complain(usage, "--size is at most %d: the kernel has no larger "
					"histograms", QUESTION_SIZE_MOST);
	if (options->duration && options->command)
		return options_complain(usage, "--duration and a COMMAND exclude each other");
	if (options->is_json && options->is_batch)
		return options_complain(usage, "--json and --batch exclude each other");
	return 0;
}

int question_options_parse(struct question_options *options, const struct usage *usage,
			   int argc, char **argv, const char *const names[2],
			   const char *given[2])
{
	const int behind = count_behind(argc, argv);
	int status = options_parse(usage, &argc, &argv), before;

	if (status != OPTIONS_GO_ON)
		return status;
	before = behind > 0 ? argc - behind : argc;
	if (before < 2)
		return options_complain(usage, before == 1 ? "no %s is given" : "no %s and no %s "
					"are given", before == 1 ? names[1] : names[0], names[1]);
	if (before > 2)
		return options_complain(usage, "\"%s\" is one argument too many; a COMMAND stands "
					"behind \"--\"", argv[2]);
	if (!behind)
		return options_complain(usage, "no COMMAND is behind \"--\"");
	given[0] = argv[0];
	given[1] = argv[1];
	options->command = behind > 0 ? argv + 2 : NULL;
	status = check(options, usage);
	return status ? status : OPTIONS_GO_ON;
}

/* Prints the answer to a question, and the reasons why it is wrong. */

static void put_json(const struct question *question, const struct look *look,
		     void (*add_json)(void *context, struct bytes *json), void *context,
		     struct bytes *json)
{
	json_open(json, NULL, '{');
	add_json(context, json);
	json_string(json, "bucketWidth", question->options->buckets);
	json_count(json, "dropped", look->table.dropped);
	picture_json(&look->picture, json);
	json_close(json, '}');
	bytes_add(json, "\n", 1);
}

static int write_svg(const char *path, const struct look *look)
{
	FILE *file = fopen(path, "we");
	AUTO(bytes_free) struct bytes svg = { .length = 0 };
	int failed = !file;

	picture_svg(&look->picture, &svg);
	if (file) {
		failed = fwrite(svg.at, 1, svg.length, file) != svg.length;
		failed |= fclose(file) != 0;
	}
	if (failed)
		message("cannot write %s: %s", path, strerror(errno));
	return failed;
}

/* Report events that the histograms of the question could not hold. */
static int report_dropped(const struct question *question, const struct look *look)
{
	if (!look->table.dropped)
		return 0;
	message("cannot %s: %" PRIu64 " events were dropped, as a histogram of the size %" PRIu64
		" holds no more different values; give %swider --buckets, or ask in user space "
		"with \"userevents %s\"", question->verb, look->table.dropped,
		question_size(question),
		question_size(question) < QUESTION_SIZE_MOST ? "a larger --size, or " : "",
		question->in_user_space);
	return 1;
}

int question_answer(struct question *question, const struct look *look,
		    void (*add_json)(void *context, struct bytes *json), void *context)
{
	AUTO(bytes_free) struct bytes out = { .length = 0 };
	int failed = report_dropped(question, look);

	if (question->options->is_json)
		put_json(question, look, add_json, context, &out);
	else
		picture_put(&look->picture, &out);
	bytes_print(&out);
	if (question->options->svg)
		failed |= write_svg(question->options->svg, look);
	if (!look->is_damaged)
		return failed;
	message("cannot %s: the kernel's histogram cannot be read; texts of events may look like "
		"its lines", question->verb);
	return 1;
}

/*
 * Shows the kernel's counts until a signal, the end of a command, or of a time.
 *
 * With a COMMAND, the terminal is the command's, and the answer comes at the end.
 * Otherwise there is a picture on a screen, or a line each second where there is none.
 */

#define SECOND 1000000000ll
/* Reading large histograms must not be most of the processor's work. */
#define SHARE_OF_LOOKS 4
/* The interval at which the program's end is checked, if it has no descriptor. */
#define STEP 50000000ll

struct run {
	struct question *question;
	int is_screen, is_lines;
	int is_over;
	int64_t next; /* look */
	pid_t pid;    /* of the COMMAND; 0: none, or it has ended */
	int pid_fd;
	int status;   /* of waitpid(2) */
	sigset_t before; /* the signals that were blocked */
};

/* Signals are blocked except while waiting, so none is missed. */

static volatile sig_atomic_t caught;

static void on_signal(int number)
{
	caught = number;
}

static void catch_signals(struct run *run)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = on_signal }, before;
	sigset_t blocked;

	sigemptyset(&blocked);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		/* nohup(1) counts for the tool and for the command */
		if (signals[i] == SIGHUP && !sigaction(SIGHUP, NULL, &before) &&
		    before.sa_handler == SIG_IGN)
			continue;
		sigaddset(&blocked, signals[i]);
		sigaction(signals[i], &action, NULL);
	}
	sigprocmask(SIG_BLOCK, &blocked, &run->before);
}

static void release_signals(void *context)
{
	const struct run *run = context;

	sigprocmask(SIG_SETMASK, &run->before, NULL);
}

/* The command */

static int let_go(struct run *run, struct program *program)
{
	const int error = program_go(program);

	if (error)
		return program_complain(run->question->options->command[0], error);
	run->pid = program->pid;
	run->pid_fd = (int)syscall(SYS_pidfd_open, run->pid, 0);
	return 0;
}

static void look_for_end(struct run *run)
{
	if (run->pid && waitpid(run->pid, &run->status, WNOHANG) == run->pid) {
		run->pid = 0;
		run->is_over = 1;
	}
}

/* Ctrl-C reaches the command by itself, other signals do not. */
static void pass_on_signal(const struct run *run)
{
	if (run->pid && caught && caught != SIGINT)
		kill(run->pid, caught);
}

static int command_status(const struct run *run)
{
	if (!run->question->options->command || run->pid)
		return 0;
	return WIFEXITED(run->status) ? WEXITSTATUS(run->status) :
					128 + WTERMSIG(run->status);
}

/* Looks */

/* Lines beyond the height of the screen are left out. */
static void put_screen(const struct bytes *lines)
{
	const struct screen_size size = screen_size();
	const char *at = (const char *)lines->at, *end = at + lines->length;
	AUTO(bytes_free) struct bytes text = { .length = 0 };

	bytes_put(&text, "\x1b[H");
	for (size_t row = 0; row + 1 < size.rows && at < end; row++) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const size_t length = (size_t)((newline ? newline : end) - at);

		bytes_add(&text, at, length);
		bytes_put(&text, "\x1b[K\r\n");
		at += length + 1;
	}
	bytes_put(&text, "\x1b[J\x1b[7mq quits and prints the whole picture\x1b[m");
	screen_show(&text);
}

static int show(struct run *run)
{
	AUTO(bytes_free) struct bytes text = { .length = 0 };
	struct look look;

	if (question_look(run->question, &look))
		return -1;
	if (run->is_screen) {
		picture_put(&look.picture, &text);
		put_screen(&text);
	} else {
		picture_put_line(&look.picture, &text);
		bytes_print(&text);
		run->is_over |= fflush(stdout) != 0;
	}
	look_free(&look);
	return 0;
}

static int show_when_due(struct run *run)
{
	const int64_t now = clock_now(CLOCK_MONOTONIC);
	int64_t cost;
	int result;

	if (!(run->is_screen || run->is_lines) || (now < run->next && !screen_is_stale()))
		return 0;
	result = show(run);
	cost = clock_now(CLOCK_MONOTONIC) - now;
	run->next =
		now + (cost * SHARE_OF_LOOKS > SECOND ? cost * SHARE_OF_LOOKS : SECOND);
	return result;
}

/* Waiting */

static int64_t left_until(const struct run *run)
{
	const struct question *question = run->question;
	const int64_t now = clock_now(CLOCK_MONOTONIC);
	const double seconds = question->options->seconds;
	int64_t next = run->is_screen || run->is_lines ? run->next : INT64_MAX;

	if (seconds > 0 && (double)(next - question->begun) > seconds * 1e9)
		next = question->begun + (int64_t)(seconds * 1e9);
	if (run->pid && run->pid_fd < 0 && next > now + STEP)
		next = now + STEP;
	return next > now ? next - now : 0;
}

static void wait_for_something(struct run *run)
{
	const int64_t left = left_until(run);
	const struct timespec time = { left / SECOND, left % SECOND };
	struct pollfd fds[] = {
		{ .fd = run->is_screen ? screen_fd() : -1, .events = POLLIN },
		{ .fd = run->pid ? run->pid_fd : -1, .events = POLLIN },
	};

	ppoll(fds, 2, left < INT64_MAX / 2 ? &time : NULL, &run->before);
}

static void take_keys(struct run *run)
{
	char bytes[64];
	const char *at = bytes;
	const int got = screen_read(bytes, sizeof(bytes));
	size_t length = got > 0 ? (size_t)got : 0;

	run->is_over |= got < 0;
	while (length) {
		const int key = key_next(&at, &length);

		if (key == KEY_CONTROL('z'))
			screen_suspend();
		run->is_over |= key == 'q' || key == KEY_CONTROL('c');
	}
}

static int is_time_over(const struct question *question)
{
	const double gone = (double)(clock_now(CLOCK_MONOTONIC) - question->begun);

	return question->options->seconds > 0 && gone >= question->options->seconds * 1e9;
}

static int follow(struct run *run)
{
	int result = 0;

	while (!run->is_over && !result) {
		wait_for_something(run);
		if (run->is_screen)
			take_keys(run);
		look_for_end(run);
		run->is_over |= caught || is_time_over(run->question);
		if (!run->is_over)
			result = show_when_due(run);
	}
	pass_on_signal(run);
	return result;
}

static int has_screen(const struct question_options *options)
{
	const char *kind = getenv("TERM");

	return !options->is_json && !options->is_batch && !options->command &&
	       isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && kind && *kind &&
	       strcmp(kind, "dumb");
}

static int count(struct run *run, struct program *program)
{
	struct question *question = run->question;
	const struct question_options *options = question->options;
	const int wants_screen = has_screen(options);
	int status = wants_screen ? screen_open(NULL) : 0;

	run->is_screen = wants_screen && !status;
	run->is_lines = !run->is_screen && !options->is_json && !options->command;
	if (!status && own_triggers_release(&question->own))
		status = EXIT_FAILED;
	question->begun = clock_now(CLOCK_MONOTONIC);
	if (!status && !run->is_screen && !options->command)
		message("counting %s", question->title);
	run->next = question->begun + (run->is_screen ? 0 : SECOND);
	if (!status && program->pid)
		status = let_go(run, program);
	if (!status && follow(run))
		status = EXIT_FAILED;
	screen_close();
	return status;
}

int question_run(struct question *question, int (*set)(void *context), void *context,
		 struct look *last)
{
	struct run run = { .question = question, .pid_fd = -1 };
	char **command = question->options->command;
	struct program program = { .pid = 0 };
	int status = 0;

	catch_signals(&run);
	if (command && program_start(&program, command, release_signals, &run))
		status = EXIT_FAILED;
	if (!status && set(context))
		status = EXIT_FAILED;
	if (!status)
		status = count(&run, &program);
	program_drop(&program);
	if (run.pid_fd >= 0)
		close(run.pid_fd);
	if (status)
		return status;
	question->ended = clock_now(CLOCK_MONOTONIC);
	if (own_triggers_hold(&question->own) || question_look(question, last))
		return EXIT_FAILED;
	question->exit_status = command_status(&run);
	return 0;
}
