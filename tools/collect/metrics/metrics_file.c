/* SPDX-License-Identifier: MIT */
/*
 * Writes metrics into a file for the textfile collector of node_exporter, which may read it at
 * any moment: so it is written under another name, which that ignores, and renamed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "metrics.h"

static int write_new(const char *path, const struct bytes *text)
{
	int fd, result = 0;

	unlink(path); /* whatever it is: opening a pipe would wait */
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	if (write_all(fd, text->at, text->length) != text->length)
		result = -errno;
	if (close(fd) && !result)
		result = -errno;
	return result;
}

int metrics_file_write(const char *path, const struct bytes *text)
{
	char *new = xprintf("%s.new", path);
	int result = write_new(new, text);

	if (!result && rename(new, path))
		result = -errno;
	if (result)
		unlink(new);
	free(new);
	return result;
}
