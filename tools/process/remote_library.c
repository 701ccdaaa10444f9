/* SPDX-License-Identifier: MIT */
/*
 * Find copies of the library in a process, by their note (userevents/abi/process_note.h).
 *
 * ELF headers are read in the memory of the process, at the beginning of a mapping: the
 * file may be deleted, replaced, or in another mount namespace. A file that is only
 * mapped to be looked at has no mapping that can be executed, and no copy.
 */
#include "remote_library.h"

#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <userevents/abi/process_note.h>

#include "cli/memory.h"
#include "remote_memory.h"

/* An honest image has few segments, and few bytes of notes. */
#define SEGMENTS_MAX 256u
#define NOTES_MAX 65536u

static const unsigned char ident[] = {
	ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3,
	sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32,
	__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB,
};

static uint32_t rounded(uint32_t size)
{
	return (size + 3) & ~UINT32_C(3);
}

/* Each address is stored as its distance from where it is stored. */
static void take_addresses(const uint8_t *bytes, uint64_t where, struct library *library)
{
	intptr_t distance[2];

	memcpy(distance, bytes, sizeof(distance));
	library->overview = (uintptr_t)(where + (uint64_t)distance[0]);
	library->first = (uintptr_t)(where + sizeof(distance[0]) + (uint64_t)distance[1]);
}

/* 1 if one of the notes is ours. */
static int take_notes(const uint8_t *notes, uint64_t where, size_t size,
		      struct library *library)
{
	ElfW(Nhdr) head;
	size_t at = 0;

	while (size - at >= sizeof(head)) {
		const uint8_t *name = notes + at + sizeof(head);
		const size_t left = size - at - sizeof(head);

		memcpy(&head, notes + at, sizeof(head));
		if (head.n_namesz > left || rounded(head.n_namesz) > left ||
		    head.n_descsz > left || rounded(head.n_descsz) >
						    left - rounded(head.n_namesz))
			return 0;
		if (head.n_type == UE_OVERVIEW_NOTE &&
		    head.n_namesz == sizeof(UE_OVERVIEW_NAME) &&
		    !memcmp(name, UE_OVERVIEW_NAME, sizeof(UE_OVERVIEW_NAME)) &&
		    head.n_descsz >= 2 * sizeof(intptr_t)) {
			name += rounded(head.n_namesz);
			take_addresses(name, where + (uint64_t)(name - notes), library);
			return 1;
		}
		at += sizeof(head) + rounded(head.n_namesz) + rounded(head.n_descsz);
	}
	return 0;
}

static int look_in_segment(pid_t pid, uint64_t bias, const ElfW(Phdr) *segment,
			   struct library *library)
{
	static uint8_t notes[NOTES_MAX];
	const uint64_t where = bias + segment->p_vaddr;

	return segment->p_type == PT_NOTE && segment->p_memsz <= sizeof(notes) &&
	       !memory_read(pid, where, notes, segment->p_memsz) &&
	       take_notes(notes, where, segment->p_memsz, library);
}

/* How far the image was moved: by the segment that has the header. */
static uint64_t bias_of(uint64_t begin, const ElfW(Phdr) *segments, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (segments[i].p_type == PT_LOAD && segments[i].p_offset < 4096)
			return begin + segments[i].p_offset - segments[i].p_vaddr;
	return 0;
}

/* 1 with a copy, 0 without one, or -errno when the process cannot be read. */
static int look_in_image(pid_t pid, uint64_t begin, struct library *library)
{
	static ElfW(Phdr) segments[SEGMENTS_MAX];
	ElfW(Ehdr) header;
	uint64_t bias;
	int result = memory_read(pid, begin, &header, sizeof(header));

	if (result)
		return result == -EFAULT ? 0 : result;
	if (memcmp(header.e_ident, ident, sizeof(ident)) ||
	    header.e_phentsize != sizeof(segments[0]) || header.e_phnum > SEGMENTS_MAX ||
	    memory_read(pid, begin + header.e_phoff, segments,
			header.e_phnum * sizeof(segments[0])))
		return 0;
	bias = bias_of(begin, segments, header.e_phnum);
	for (unsigned i = 0; i < header.e_phnum; i++)
		if (look_in_segment(pid, bias, &segments[i], library))
			return 1;
	return 0;
}

/* The mapping of a file's beginning that was seen last. */
struct beginning {
	uint64_t address;
	char *path;
};

static int take_mapping(pid_t pid, char *line, struct beginning *last,
			struct libraries *libraries)
{
	struct library *library = &libraries->items[libraries->count];
	unsigned long long begin, offset, inode;
	char rights[5], *path;
	int length, result;

	if (sscanf(line, "%llx-%*x %4s %llx %*s %llu %n", &begin, rights, &offset, &inode,
		   &length) != 4 || !inode || libraries->count == LIBRARIES_MAX)
		return 0;
	path = line + length;
	path[strcspn(path, "\n")] = '\0';
	if (!offset) {
		free(last->path);
		*last = (struct beginning){ begin, xstrdup(path) };
	}
	if (rights[2] != 'x' || !last->path || strcmp(last->path, path))
		return 0;
	result = look_in_image(pid, last->address, library);
	if (result > 0) {
		library->path = last->path;
		libraries->count++;
	} else {
		free(last->path);
	}
	last->path = NULL;
	return result < 0 ? result : 0;
}

int libraries_find(pid_t pid, struct libraries *libraries)
{
	struct beginning last = { 0 };
	char path[64], *line = NULL;
	size_t room = 0;
	int result = -ESRCH; /* a process that has ended has no mapping */
	FILE *file;

	libraries->count = 0;
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return errno == ENOENT ? -ESRCH : -errno;
	while (getline(&line, &room, file) >= 0) {
		result = take_mapping(pid, line, &last, libraries);
		if (result)
			break;
	}
	free(line);
	free(last.path);
	fclose(file);
	return result;
}
