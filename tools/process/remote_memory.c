/* SPDX-License-Identifier: MIT */
#include "remote_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Text is read in pieces that lie in one page, of the smallest size that pages have. */
#define PIECE 4096u

_Static_assert(sizeof(off_t) == 8, "addresses of 64-bit processes, in a tool of 32 bits");

int memory_open(struct memory *memory, pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	memory->pid = pid;
	memory->fd = open(path, O_RDONLY | O_CLOEXEC);
	return memory->fd < 0 ? -errno : 0;
}

void memory_close(struct memory *memory)
{
	close(memory->fd);
}

/* What is not mapped is an error, and of a process that is gone nothing comes. */
int memory_is_over(const struct memory *memory)
{
	char byte;

	return !pread(memory->fd, &byte, 1, PIECE);
}

int memory_read(const struct memory *memory, uint64_t address, void *to, size_t size)
{
	if (address > INT64_MAX - size)
		return -EFAULT;
	return pread(memory->fd, to, size, (off_t)address) == (ssize_t)size ? 0 : -EFAULT;
}

int memory_text(const struct memory *memory, uint64_t address, char *to, size_t size)
{
	size_t used = 0;

	while (used < size - 1) {
		size_t piece = PIECE - (address + used) % PIECE;

		if (piece > size - 1 - used)
			piece = size - 1 - used;
		if (memory_read(memory, address + used, to + used, piece))
			return -EFAULT;
		if (memchr(to + used, '\0', piece))
			return (int)strlen(to);
		used += piece;
	}
	to[used] = '\0';
	return (int)used;
}

static int parse(char *line, struct mapping *mapping)
{
	unsigned long long begin, end, offset, inode;
	char rights[5];
	int length;

	if (sscanf(line, "%llx-%llx %4s %llx %*s %llu %n", &begin, &end, rights, &offset,
		   &inode, &length) != 5)
		return -EPROTO;
	line[strcspn(line, "\n")] = '\0';
	*mapping = (struct mapping){
		.begin = begin,
		.end = end,
		.offset = offset,
		.is_readable = rights[0] == 'r',
		.is_writable = rights[1] == 'w',
		.is_file = inode != 0,
		.path = line + length,
	};
	return 0;
}

int memory_each(const struct memory *memory,
		int (*call)(const struct mapping *mapping, void *context), void *context)
{
	char path[64], *line = NULL;
	struct mapping mapping;
	size_t room = 0;
	int result = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)memory->pid);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	while (!result && getline(&line, &room, file) >= 0) {
		result = parse(line, &mapping);
		if (!result)
			result = call(&mapping, context);
	}
	free(line);
	fclose(file);
	return result;
}
