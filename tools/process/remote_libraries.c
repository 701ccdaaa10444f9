/* SPDX-License-Identifier: MIT */
/*
 * Find copies of the library in a process, by their note (userevents/overview.h).
 *
 * ELF headers are read in the memory of the process, where they lie at the beginning of a
 * mapping: the file may be deleted, replaced, or in a mount namespace of its own. Both
 * classes are understood, so that a tool of 64 bits sees processes of 32.
 */
#include "remote_libraries.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <userevents/abi/process_note.h>

/* An honest image has few segments, and few bytes of notes. */
#define SEGMENTS_MAX 256
#define NOTES_MAX 65536

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define BYTE_ORDER_HERE ELFDATA2LSB
#else
#define BYTE_ORDER_HERE ELFDATA2MSB
#endif

/* What both classes say, in the larger one. */
struct image {
	const struct memory *memory;
	uint64_t begin; /* where its header is */
	uint64_t bias;	/* what is added to its addresses */
	int is_64;
	Elf64_Phdr segments[SEGMENTS_MAX];
	unsigned segment_count;
};

static int read_segment(const struct image *image, uint64_t at, Elf64_Phdr *segment)
{
	Elf32_Phdr small;

	if (image->is_64)
		return memory_read(image->memory, at, segment, sizeof(*segment));
	if (memory_read(image->memory, at, &small, sizeof(small)))
		return -EFAULT;
	*segment = (Elf64_Phdr){
		.p_type = small.p_type,
		.p_offset = small.p_offset,
		.p_vaddr = small.p_vaddr,
		.p_filesz = small.p_filesz,
		.p_memsz = small.p_memsz,
	};
	return 0;
}

static int read_segments(struct image *image, uint64_t offset, unsigned count,
			 unsigned size)
{
	if (size != (image->is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr)) ||
	    count > SEGMENTS_MAX)
		return -EPROTO;
	image->segment_count = count;
	for (unsigned i = 0; i < count; i++)
		if (read_segment(image, image->begin + offset + i * size,
				 &image->segments[i]))
			return -EFAULT;
	return 0;
}

/* The segment that has the header tells where all were moved to. */
static int find_bias(struct image *image)
{
	for (unsigned i = 0; i < image->segment_count; i++) {
		const Elf64_Phdr *segment = &image->segments[i];

		if (segment->p_type == PT_LOAD && segment->p_offset < 4096) {
			image->bias = image->begin + segment->p_offset - segment->p_vaddr;
			return 0;
		}
	}
	return -EPROTO;
}

static int read_image(const struct memory *memory, uint64_t begin, struct image *image)
{
	unsigned char ident[EI_NIDENT];
	Elf64_Ehdr large;
	Elf32_Ehdr small;
	int result;

	image->memory = memory;
	image->begin = begin;
	if (memory_read(memory, begin, ident, sizeof(ident)) ||
	    memcmp(ident, ELFMAG, SELFMAG) || ident[EI_DATA] != BYTE_ORDER_HERE)
		return -ENOEXEC;
	image->is_64 = ident[EI_CLASS] == ELFCLASS64;
	if (image->is_64)
		result = memory_read(memory, begin, &large, sizeof(large)) ? -EFAULT :
			 read_segments(image, large.e_phoff, large.e_phnum,
				       large.e_phentsize);
	else
		result = memory_read(memory, begin, &small, sizeof(small)) ? -EFAULT :
			 read_segments(image, small.e_phoff, small.e_phnum,
				       small.e_phentsize);
	return result ? result : find_bias(image);
}

/* An address, as the distance from where it stands. */
static uint64_t address_at(const struct image *image, const uint8_t *bytes,
			   uint64_t where)
{
	int32_t small;
	int64_t large;

	if (image->is_64) {
		memcpy(&large, bytes, sizeof(large));
		return where + (uint64_t)large;
	}
	memcpy(&small, bytes, sizeof(small));
	return (uint32_t)(where + (uint64_t)small);
}

static uint32_t rounded(uint32_t size, uint32_t align)
{
	return (size + align - 1) & ~(align - 1);
}

/* 1 when the note at *at is ours; in any case *at is moved behind it, or to the end. */
static int take_note(const struct image *image, const uint8_t *notes, uint64_t where,
		     uint32_t size, uint32_t *at, struct copy *copy)
{
	const uint32_t pointer_size = image->is_64 ? 8 : 4;
	const uint8_t *name = notes + *at + sizeof(Elf64_Nhdr);
	uint32_t left = size - *at - (uint32_t)sizeof(Elf64_Nhdr), name_size;
	Elf64_Nhdr head;

	memcpy(&head, notes + *at, sizeof(head));
	*at = size;
	if (head.n_namesz > left || head.n_descsz > left)
		return 0;
	name_size = rounded(head.n_namesz, 4);
	if (name_size > left || rounded(head.n_descsz, 4) > left - name_size)
		return 0;
	*at = size - left + name_size + rounded(head.n_descsz, 4);
	if (head.n_namesz != sizeof(UE_OVERVIEW_NAME) ||
	    memcmp(name, UE_OVERVIEW_NAME, sizeof(UE_OVERVIEW_NAME)) ||
	    head.n_type != UE_OVERVIEW_NOTE || head.n_descsz < 2 * pointer_size)
		return 0;
	where += (uint64_t)(name + name_size - notes);
	copy->overview = address_at(image, name + name_size, where);
	copy->first = address_at(image, name + name_size + pointer_size,
				 where + pointer_size);
	copy->pointer_size = pointer_size;
	return 1;
}

static int look_in_notes(const struct image *image, const Elf64_Phdr *segment,
			 struct copy *copy)
{
	static uint8_t notes[NOTES_MAX];
	const uint64_t where = image->bias + segment->p_vaddr;
	uint32_t at = 0, size = (uint32_t)segment->p_memsz;

	if (segment->p_memsz > sizeof(notes) ||
	    memory_read(image->memory, where, notes, size))
		return 0;
	while (size - at >= sizeof(Elf64_Nhdr))
		if (take_note(image, notes, where, size, &at, copy))
			return 1;
	return 0;
}

/* The segment with the list; one that has nothing in the file is in place anywhere. */
static int find_data(const struct image *image, struct copy *copy)
{
	for (unsigned i = 0; i < image->segment_count; i++) {
		const Elf64_Phdr *segment = &image->segments[i];
		const uint64_t begin = image->bias + segment->p_vaddr;

		if (segment->p_type != PT_LOAD || copy->first < begin ||
		    copy->first - begin >= segment->p_memsz)
			continue;
		copy->header = image->begin;
		copy->data = begin;
		copy->data_offset = segment->p_offset;
		copy->is_in_place = !segment->p_filesz;
		return 1;
	}
	return 0;
}

static int look_in_image(const struct image *image, struct copy *copy)
{
	for (unsigned i = 0; i < image->segment_count; i++)
		if (image->segments[i].p_type == PT_NOTE &&
		    look_in_notes(image, &image->segments[i], copy))
			return find_data(image, copy);
	return 0;
}

struct search {
	const struct memory *memory;
	struct copies *copies;
};

static int look_in_mapping(const struct mapping *mapping, void *context)
{
	struct search *search = context;
	static struct image image;
	struct copy copy = { 0 };

	if (!mapping->is_readable || !mapping->is_file ||
	    search->copies->count == COPIES_MAX ||
	    read_image(search->memory, mapping->begin, &image) ||
	    !look_in_image(&image, &copy))
		return 0;
	copy.path = strdup(mapping->path);
	if (!copy.path)
		return -ENOMEM;
	search->copies->items[search->copies->count++] = copy;
	return 0;
}

static int is_in(uint64_t address, const struct mapping *mapping)
{
	return address >= mapping->begin && address < mapping->end;
}

/*
 * A copy that runs writes to its list. A file that is only read is not moved in place:
 * its data lie as in the file, behind the header, and where they would be there may be
 * anything.
 */
static int mark_live(const struct mapping *mapping, void *context)
{
	struct copies *copies = context;

	for (size_t i = 0; i < copies->count; i++) {
		struct copy *copy = &copies->items[i];

		if (mapping->is_writable && is_in(copy->first, mapping))
			copy->is_writable = 1;
		if (mapping->is_file && is_in(copy->data, mapping) &&
		    (mapping->is_writable || !is_in(copy->header, mapping)) &&
		    copy->data - mapping->begin + mapping->offset == copy->data_offset)
			copy->is_in_place = 1;
	}
	return 0;
}

static void drop_others(struct copies *copies)
{
	size_t kept = 0;

	for (size_t i = 0; i < copies->count; i++)
		if (copies->items[i].is_writable && copies->items[i].is_in_place)
			copies->items[kept++] = copies->items[i];
		else
			free(copies->items[i].path);
	copies->count = kept;
}

int copies_find(const struct memory *memory, struct copies *copies)
{
	struct search search = { memory, copies };
	int result;

	copies->count = 0;
	result = memory_each(memory, look_in_mapping, &search);
	if (!result)
		result = memory_each(memory, mark_live, copies);
	drop_others(copies);
	return result;
}

void copies_free(struct copies *copies)
{
	for (size_t i = 0; i < copies->count; i++)
		free(copies->items[i].path);
	copies->count = 0;
}
