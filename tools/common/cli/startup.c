/* SPDX-License-Identifier: MIT */
/* Starts, finds and ends the programs of the tool. */
#include "startup.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "memory.h"
#include "message.h"
#include "program.h"

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

void start_up(void)
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
int finish(int status)
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
	start_up();
	if (argc < 2) {
		message("cannot start: userevents starts this program; run userevents");
		return EXIT_WRONG_USAGE;
	}
	return finish(command(argc - 1, argv + 1));
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
