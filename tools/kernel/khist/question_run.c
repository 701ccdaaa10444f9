/* SPDX-License-Identifier: MIT */
/*
 * Shows the kernel's counts until a signal, the end of a command, or of a time.
 *
 * With a COMMAND, the terminal is the command's, and the answer comes at the end. Otherwise
 * there is a picture on a screen, or a line each second where there is none.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cli/clock.h"
#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/cli/program.h"
#include "kernel_question.h"
#include "answers/screen/screen.h"

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

static void catch(int number)
{
	caught = number;
}

static void catch_signals(struct run *run)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = catch }, before;
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
	return WIFEXITED(run->status) ? WEXITSTATUS(run->status) : 128 + WTERMSIG(run->status);
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
	run->next = now + (cost * SHARE_OF_LOOKS > SECOND ? cost * SHARE_OF_LOOKS : SECOND);
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
