/* SPDX-License-Identifier: MIT */
/*
 * Reads the events of a program that is about to be started.
 *
 * Only the loader knows which libraries a program gets: LD_LIBRARY_PATH, RUNPATH, the
 * cache and its own rules decide. So the loader that the program names is asked, with
 * "--list", which those of glibc and musl have (ldd uses it). That runs no code of the
 * program, and nothing that the program would not run a moment later. Libraries that it
 * opens with dlopen() are not known before.
 */
#include "command_events.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cli/bytes.h"
#include "common/cli/memory.h"
#include "common/cli/program.h"
#include "elf_file.h"
#include "module_file.h"

struct command {
	char *path;
	void (*see)(const char *path, const struct defined_events *events,
		    const char *why, void *context);
	void *context;
};

/*
 * The file that execvp(3) runs, to be freed, or NULL. A shared object need not be
 * executable.
 */
static char *find_program(const char *command)
{
	return strchr(command, '/') ? xstrdup(command) : program_find(command);
}

/* Files */

static void read_events(const struct command *command, const char *path, int fd)
{
	struct defined_events events;
	const char *why = defined_events_read(&events, fd);

	if (why != elf_is_no_elf && (why || events.count))
		command->see(path, &events, why, command->context);
	defined_events_free(&events);
}

static void read_library(const struct command *command, const char *path)
{
	const char *why;
	int fd = regular_file_open(path, &why);

	if (fd < 0)
		return;
	read_events(command, path, fd);
	close(fd);
}

/*
 * The loader, to be freed; NULL: it has none, as it is linked statically or no program.
 */
static char *find_loader(int fd)
{
	char path[4096] = "";
	struct elf_file file;
	size_t size;

	if (elf_file_begin(&file, fd)) {
		elf_file_free(&file);
		return NULL;
	}
	size = file.interpreter.size < sizeof(path) ? (size_t)file.interpreter.size : 0;
	size = elf_file_read(&file, file.interpreter.address, path, size);
	elf_file_free(&file);
	return size && !path[size - 1] && path[0] == '/' ? xstrdup(path) : NULL;
}

/* The loader */

static _Noreturn void list(const char *loader, const char *program, int output)
{
	int nowhere = open("/dev/null", O_RDWR);

	dup2(nowhere, STDIN_FILENO);
	dup2(nowhere, STDERR_FILENO);
	dup2(output, STDOUT_FILENO);
	execl(loader, loader, "--list", program, (char *)NULL);
	_exit(127);
}

/* A list of libraries is shorter. */
#define OUTPUT_MAX ((size_t)1 << 20)

/* All text up to the end of the pipe, to be freed. */
static char *read_text(int fd)
{
	struct bytes text = { 0 };
	ssize_t got;

	do {
		got = read(fd, bytes_room(&text, 4096), 4095);
		text.length += got > 0 ? (size_t)got : 0;
	} while (got > 0 && text.length < OUTPUT_MAX);
	text.at[text.length] = '\0';
	return (char *)text.at;
}

/* The output of the loader, to be freed; empty if it cannot be run. */
static char *ask_loader(const char *loader, const char *program)
{
	char *text;
	int pipes[2];
	pid_t pid;

	if (pipe2(pipes, O_CLOEXEC))
		return xstrdup("");
	pid = fork();
	if (!pid)
		list(loader, program, pipes[1]);
	close(pipes[1]);
	text = pid > 0 ? read_text(pipes[0]) : xstrdup("");
	close(pipes[0]);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return text;
}

/*
 * Lines "NAME => PATH (ADDRESS)", or "PATH (ADDRESS)" of a library that the program or
 * LD_PRELOAD names by its path. The kernel's library has no path.
 */
static char *path_in(char *line)
{
	char *arrow = strstr(line, " => ");
	char *path = arrow ? arrow + strlen(" => ") : line + strspn(line, "\t");
	char *end = strstr(path, " (0x");

	if (!end || !memchr(path, '/', (size_t)(end - path)))
		return NULL;
	*end = '\0';
	return path;
}

static void read_libraries(const struct command *command, char *text)
{
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		char *path = path_in(line);

		if (path)
			read_library(command, path);
	}
}

static void read_program(const struct command *command, int fd)
{
	char *loader = find_loader(fd), *libraries;

	read_events(command, command->path, fd);
	if (!loader)
		return;
	libraries = ask_loader(loader, command->path);
	read_libraries(command, libraries);
	free(libraries);
	free(loader);
}

void command_events_each(const char *command,
			 void (*see)(const char *path,
				     const struct defined_events *events,
				     const char *why, void *context),
			 void *context)
{
	struct command one = { .see = see, .context = context };
	const char *why;
	int fd;

	one.path = find_program(command);
	fd = one.path ? regular_file_open(one.path, &why) : -1;
	if (fd >= 0) {
		read_program(&one, fd);
		close(fd);
	}
	free(one.path);
}
