/* SPDX-License-Identifier: MIT */
/*
 * The file of a module that another process has mapped.
 *
 * The process may have chosen any file, and any path for it. Opening a device or a pipe
 * can have effects, so nothing but a regular file is opened.
 */
#include "module_file.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "elf_file.h"
#include "event_image.h"

/* All of it, or the reason why not. */
static const char *read_at(int fd, uint64_t at, void *to, size_t size)
{
	ssize_t got = pread(fd, to, size, (off_t)at);

	return got < 0 ? strerror(errno) : (size_t)got < size ? "it ends early" : NULL;
}

/* inode: 0 for any. */
static int open_regular(const char *path, uint64_t inode, const char **why)
{
	int place = open(path, O_PATH | O_CLOEXEC), file = -1;
	struct stat status;
	char again[64];

	*why = NULL;
	if (place < 0 || fstat(place, &status))
		*why = strerror(errno);
	else if (inode && (!S_ISREG(status.st_mode) || status.st_ino != inode))
		*why = "another file has its path";
	else if (!S_ISREG(status.st_mode))
		*why = "it is no regular file";
	snprintf(again, sizeof(again), "/proc/self/fd/%d", place);
	if (!*why) {
		file = open(again, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
		*why = file < 0 ? strerror(errno) : NULL;
	}
	if (place >= 0)
		close(place);
	return file;
}

int regular_file_open(const char *path, const char **why)
{
	return open_regular(path, 0, why);
}

/*
 * The file at the path, if it is the mapped one. Devices are not compared: with overlayfs
 * and btrfs, stat(2) returns another one than /proc/PID/maps has.
 */
static int open_path(int memory, const char *path, const struct mapping *mapping,
		     const char **why)
{
	int file = open_regular(path, mapping->inode, why);
	ElfW(Ehdr) here, there;

	if (file < 0)
		return -1;
	*why = read_at(file, 0, &here, sizeof(here));
	if (!*why && (read_at(memory, mapping->begin, &there, sizeof(there)) ||
		      memcmp(&here, &there, sizeof(here))))
		*why = "another file has its path";
	if (!*why)
		return file;
	close(file);
	return -1;
}

/*
 * Only root may open the mapped file itself, which also works if it has no path any more.
 * A path of maps is below the root of the process, or, after chroot(2), below the tool's.
 */
int module_file_open(int memory, pid_t pid, const struct mapping *mapping,
		     const char **why)
{
	char *mapped = xprintf("/proc/%d/map_files/%llx-%llx", (int)pid,
			       (unsigned long long)mapping->begin,
			       (unsigned long long)mapping->end);
	char *inside = xprintf("/proc/%d/root%s", (int)pid, mapping->path);
	int file = open_regular(mapped, 0, why);
	const char *ignored;

	if (file < 0)
		file = open_path(memory, inside, mapping, why);
	if (file < 0)
		file = open_path(memory, mapping->path, mapping, &ignored);
	if (file >= 0)
		*why = NULL;
	free(mapped);
	free(inside);
	return file;
}

const char *module_file_find(int file, struct module_section *found)
{
	struct elf_file elf;
	struct elf_section section = { 0 };
	const char *why = elf_file_begin(&elf, file);

	if (!why)
		why = elf_file_section(&elf, EVENTS_SECTION, &section);
	found->size = section.size;
	if (!why)
		found->at = section.address -
			    (elf.segments[0].address - elf.segments[0].offset);
	elf_file_free(&elf);
	return why;
}
