/* SPDX-License-Identifier: MIT */
/* Starts a pager. */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory.h"
#include "program.h"

static pid_t pager = -1;
static int pager_columns;

int output_is_terminal(void)
{
	return pager > 0 || isatty(STDOUT_FILENO);
}

int output_columns(void)
{
	struct winsize size = { 0 };

	if (pager > 0)
		return pager_columns;
	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ? 0 : size.ws_col;
}

int output_has_colour(void)
{
	const char *unwanted = getenv("NO_COLOR"), *kind = getenv("TERM");

	return output_is_terminal() && !(unwanted && *unwanted) && kind && *kind &&
	       strcmp(kind, "dumb");
}

static void wait_for_pager(void)
{
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		;
}

static void at_end(void)
{
	fflush(stdout);
	wait_for_pager();
}

/* Ctrl-C ends the output, not the pager, which would leave the terminal as it is. */
static void on_signal(int number)
{
	wait_for_pager();
	signal(number, SIG_DFL);
	raise(number);
}

/* A command that needs a shell to be understood is left to it. */
static int can_run(const char *command)
{
	AUTO_FREE char *word = xstrndup(command, strcspn(command, " \t"));

	return word[strcspn(word, "|&;<>()$`\\\"'*?[#~=%")] || program_exists(word);
}

/* Who may not read the terminal, as it is another job's, would stop the pager. */
static int is_in_foreground(void)
{
	return tcgetpgrp(STDOUT_FILENO) == getpgrp();
}

/* NULL: none. */
static const char *command_of(void)
{
	const char *own = getenv("USEREVENTS_PAGER"), *usual = getenv("PAGER");
	const char *command = own ? own : usual ? usual : "less", *kind = getenv("TERM");

	if (!*command || !strcmp(command, "cat") || !kind || !strcmp(kind, "dumb"))
		return NULL;
	return can_run(command) ? command : NULL;
}

/* less: end if all is on one screen (F), keep colours (R) and the screen (X). */
static _Noreturn void run(const char *command, int from)
{
	if (from != STDIN_FILENO)
		dup2(from, STDIN_FILENO);
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	execlp("sh", "sh", "-c", command, NULL);
	_exit(127);
}

static int are_files(char *const *files)
{
	struct stat status;

	for (; files && *files; files++)
		if (stat(*files, &status) || !S_ISREG(status.st_mode))
			return 0;
	return 1;
}

static void print_to(int to)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

	if (isatty(STDERR_FILENO))
		dup2(to, STDERR_FILENO);
	dup2(to, STDOUT_FILENO);
	atexit(at_end);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (signal(numbers[i], on_signal) == SIG_IGN)
			signal(numbers[i], SIG_IGN);
}

void pager_begin(char *const *files)
{
	const char *command = isatty(STDOUT_FILENO) && is_in_foreground() ? command_of() : NULL;
	const int columns = output_columns();
	int ends[2];

	if (!command || pager > 0 || !are_files(files) || pipe2(ends, O_CLOEXEC))
		return;
	pager = fork();
	if (!pager)
		run(command, ends[0]);
	if (pager > 0) {
		pager_columns = columns;
		print_to(ends[1]);
	}
	close(ends[0]);
	close(ends[1]);
}
