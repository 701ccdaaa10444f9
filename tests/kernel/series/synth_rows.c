/* SPDX-License-Identifier: MIT */
/*
 * Asks the kernel's own user of its API for synthetic events, a module, to trace while another
 * process is traced only. One of its events is written piece by piece.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "surprises.h"

#define MODULE "synth_event_gen_test"

static int load_module(void)
{
	const char *directory = getenv("UE_VM_MODULES");
	char path[PATH_MAX];
	int fd, result, error;

	snprintf(path, sizeof(path), "%s/" MODULE ".ko", directory ? directory : "");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		perror(path);
		exit(2);
	}
	result = syscall(SYS_finit_module, fd, "", 0);
	error = errno;
	close(fd);
	errno = error;
	return result;
}

static void event_in_pieces(void)
{
	int result;

	if (put_tracefs("set_event_pid", "1"))
		perror("set_event_pid");
	result = load_module();
	answer("%s", verdict(result));
	if (!result)
		syscall(SYS_delete_module, MODULE, O_NONBLOCK);
	close(open_tracefs("set_event_pid", O_WRONLY | O_TRUNC)); /* empties it */
}

const struct surprise synth_surprises[] = {
	{ "synth-pieces", "writing a synthetic event piece by piece while set_event_pid has another pid",
	  event_in_pieces },
	{ 0 },
};
