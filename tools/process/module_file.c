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

#include "cli/memory.h"

#define SECTION "ue_events"

/* All of it, or the reason why not. */
static const char *read_at(int fd, uint64_t at, void *to, size_t size)
{
	ssize_t got = pread(fd, to, size, (off_t)at);

	return got < 0 ? strerror(errno) : (size_t)got < size ? "it ends early" : NULL;
}

/* The descriptor, or -1 with the reason. inode: 0 for any. */
static int open_regular(const char *path, uint64_t inode, const char **why)
{
	int place = open(path, O_PATH | O_CLOEXEC), file = -1;
	struct stat status;
	char again[64];

	*why = NULL;
	if (place < 0 || fstat(place, &status))
		*why = strerror(errno);
	else if (!S_ISREG(status.st_mode) || (inode && status.st_ino != inode))
		*why = "another file has its path";
	snprintf(again, sizeof(again), "/proc/self/fd/%d", place);
	if (!*why) {
		file = open(again, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
		*why = file < 0 ? strerror(errno) : NULL;
	}
	if (place >= 0)
		close(place);
	return file;
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

/* The address of the file's byte 0, if memory were as the file was linked. */
static const char *find_base(int file, const ElfW(Ehdr) *header, uint64_t *base)
{
	ElfW(Phdr) segment;

	if (header->e_phentsize != sizeof(segment))
		return "its header is malformed";
	for (unsigned i = 0; i < header->e_phnum; i++) {
		const char *why = read_at(file, header->e_phoff + i * sizeof(segment),
					  &segment, sizeof(segment));

		*base = segment.p_vaddr - segment.p_offset;
		if (why || segment.p_type == PT_LOAD)
			return why;
	}
	return "it has no segment to load";
}

/* The last name of a file may be shorter than this one. */
static const char *compare_name(int file, uint64_t at, int *is_equal)
{
	char name[sizeof(SECTION)];
	ssize_t got = pread(file, name, sizeof(name), (off_t)at);

	*is_equal = got == (ssize_t)sizeof(name) && !memcmp(name, SECTION, sizeof(name));
	return got < 0 ? strerror(errno) : NULL;
}

static const char *find_in_sections(int file, const ElfW(Ehdr) *header,
				    struct module_section *found)
{
	ElfW(Shdr) names, section;
	const char *why = read_at(file, header->e_shoff + header->e_shstrndx * sizeof(names),
				  &names, sizeof(names));
	int is_equal = 0;

	for (unsigned i = 0; !why && i < header->e_shnum; i++) {
		why = read_at(file, header->e_shoff + i * sizeof(section), &section,
			      sizeof(section));
		if (!why)
			why = compare_name(file, names.sh_offset + section.sh_name, &is_equal);
		if (why || !is_equal)
			continue;
		found->at = section.sh_addr;
		found->size = section.sh_size;
		return NULL;
	}
	return why;
}

const char *module_file_find(int file, struct module_section *found)
{
	ElfW(Ehdr) header;
	uint64_t base = 0;
	const char *why = read_at(file, 0, &header, sizeof(header));

	*found = (struct module_section){ 0 };
	if (why)
		return why;
	if (!header.e_shoff || !header.e_shnum)
		return "it has no section headers";
	if (header.e_shentsize != sizeof(ElfW(Shdr)) || header.e_shstrndx >= header.e_shnum)
		return "its section headers are malformed";
	why = find_base(file, &header, &base);
	if (!why)
		why = find_in_sections(file, &header, found);
	found->at -= base;
	return why;
}
