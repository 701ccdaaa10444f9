/* SPDX-License-Identifier: MIT */
/*
 * Starts a program in two steps, so that its recording can begin before it does. Starts
 * and ends the programs of the tool, and shows their output with a pager.
 */
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory.h"
#include "message.h"

static void (*inherited_sigpipe)(int);
static void (*inherited_sigxfsz)(int);

/* From here on a closed pipe or a file size limit is the error of a write. */
static void signals_ignore(void)
{
	inherited_sigpipe = signal(SIGPIPE, SIG_IGN);
	inherited_sigxfsz = signal(SIGXFSZ, SIG_IGN);
}

/* Have the dispositions that the tool inherited again, before exec. */
static void signals_inherit(void)
{
	signal(SIGPIPE, inherited_sigpipe);
	signal(SIGXFSZ, inherited_sigxfsz);
}

void signals_hold(sigset_t *before)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, before);
}

static ssize_t read_once(int fd, void *bytes, size_t length)
{
	ssize_t got;

	do
		got = read(fd, bytes, length);
	while (got < 0 && errno == EINTR);
	return got;
}

static _Noreturn void run(char **argv, int go, int failure, void (*prepare)(void *),
			  void *context)
{
	char byte;
	int error;

	if (read_once(go, &byte, 1) != 1) /* the tool has ended */
		_exit(126);
	signals_inherit();
	if (prepare)
		prepare(context);
	execvp(argv[0], argv);
	error = errno;
	write_all(failure, &error, sizeof(error));
	_exit(127);
}

static int fail(int *go)
{
	message("cannot start a program: %s", strerror(errno));
	close(go[0]);
	close(go[1]);
	return -1;
}

int program_start(struct program *program, char **argv, void (*prepare)(void *context),
		  void *context)
{
	int go[2] = { -1, -1 }, failure[2];
	pid_t pid;

	if (pipe2(go, O_CLOEXEC) || pipe2(failure, O_CLOEXEC))
		return fail(go);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		close(go[1]);
		run(argv, go[0], failure[1], prepare, context);
	}
	close(failure[1]);
	if (pid < 0) {
		close(failure[0]);
		return fail(go);
	}
	close(go[0]);
	*program = (struct program){ pid, go[1], failure[0] };
	return 0;
}

int program_go(struct program *program)
{
	int error = 0;

	write_all(program->go, "", 1); /* fails only if the child has ended */
	close(program->go);
	program->go = -1;
	if (read_once(program->failure, &error, sizeof(error)) == sizeof(error))
		waitpid(program->pid, NULL, 0);
	close(program->failure);
	return error;
}

int is_file_at(const char *path)
{
	struct stat file;

	return !stat(path, &file) && !S_ISDIR(file.st_mode);
}

static int is_executable(const char *path)
{
	return is_file_at(path) && !access(path, X_OK);
}

/* A folder of PATH that is empty is the current one, as for execvp(3). */
char *program_find(const char *name)
{
	const char *path = getenv("PATH");

	for (path = path ? path : "/bin:/usr/bin";; path++) {
		size_t length = strcspn(path, ":");
		char *file = length ? xprintf("%.*s/%s", (int)length, path, name) :
				      xprintf("./%s", name);

		if (is_executable(file))
			return file;
		free(file);
		path += length;
		if (!*path)
			return NULL;
	}
}

int program_exists(const char *name)
{
	AUTO_FREE char *file = strchr(name, '/') ? xstrdup(name) : program_find(name);

	return file && is_executable(file);
}

static const char *why_not_found(const char *name)
{
	if (!is_file_at(name))
		return "there is no such program";
	return strchr(name, '/') ? "its interpreter, or its loader, does not exist" :
				   "there is no such program in PATH, but a file here";
}

int program_complain(const char *name, int error)
{
	const int is_here = error == ENOENT && is_file_at(name) && !strchr(name, '/');

	message("cannot run %s: %s%s%s", name,
		error == ENOENT ? why_not_found(name) : strerror(error),
		is_here ? ": ./" : "", is_here ? name : "");
	return error == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
}

void program_drop(struct program *program)
{
	if (!program->pid || program->go < 0)
		return;
	close(program->go);
	close(program->failure);
	waitpid(program->pid, NULL, 0);
}

/* Starts, finds and ends the programs of the tool. */

/*
 * If a standard descriptor is closed, the next file that the tool opens must not take its
 * number. /dev/null takes it, refuses writes, and is closed again in programs that the
 * tool starts.
 */
static void fill_standard(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

void tool_begin(void)
{
	fill_standard();
	signals_ignore();
}

/* A pipe without a reader. The write that failed may have been long ago. */
static int has_no_reader(int fd)
{
	struct pollfd poll_fd = { .fd = fd };

	return poll(&poll_fd, 1, 0) == 1 && poll_fd.revents & POLLERR;
}

/* Output that did not arrive, because of a full disk or a closed pipe, is a failure. */
int tool_end(int status)
{
	int failed = ferror(stdout), is_wanted = !has_no_reader(STDOUT_FILENO);

	errno = 0;
	if (!fclose(stdout) && !failed)
		return status;
	if (is_wanted)
		message("cannot write the output: %s",
			errno ? strerror(errno) : "an earlier write failed");
	return status ? status : EXIT_FAILED;
}

int run_apart(int (*command)(int argc, char **argv), int argc, char **argv)
{
	tool_begin();
	if (argc < 2) {
		message("cannot start: userevents starts this program; run userevents");
		return EXIT_WRONG_USAGE;
	}
	return tool_end(command(argc - 1, argv + 1));
}

/*
 * The folder of this program, to be freed; NULL if it cannot be told. Without /proc, the
 * kernel still says by which path it was started.
 */
static char *own_folder(void)
{
	const char *started = (const char *)(uintptr_t)getauxval(AT_EXECFN);
	char *path = realpath("/proc/self/exe", NULL);

	if (!path && started)
		path = realpath(started, NULL);
	if (path && strrchr(path, '/'))
		*strrchr(path, '/') = 0;
	return path;
}

char *apart_find(const char *name)
{
	static const char *const places[] = { ".", UE__LIBEXEC };
	char *folder = own_folder(), *path = NULL;

	for (size_t i = 0; i < 2 && !path; i++) {
		const int is_relative = *places[i] != '/';

		if (is_relative && !folder)
			continue;
		path = xprintf("%s%s%s/userevents-%s", is_relative ? folder : "",
			       is_relative ? "/" : "", places[i], name);
		if (!program_exists(path)) {
			free(path);
			path = NULL;
		}
	}
	free(folder);
	return path;
}

int apart_run(const char *name, char **argv)
{
	char *path = apart_find(name);
	int error;

	if (!path) {
		message("cannot run %s: userevents-%s is not installed; install the package "
			"that has it, or what \"scripts/packages tool\" prints, and build again",
			name, name);
		return EXIT_FAILED;
	}
	signals_inherit();
	execv(path, argv);
	error = errno;
	signals_ignore();
	message("cannot run %s: %s: %s", name, path, strerror(error));
	free(path);
	return EXIT_FAILED;
}

/* Starts a pager. */

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
static _Noreturn void show(const char *command, int from)
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
		show(command, ends[0]);
	if (pager > 0) {
		pager_columns = columns;
		print_to(ends[1]);
	}
	close(ends[0]);
	close(ends[1]);
}
