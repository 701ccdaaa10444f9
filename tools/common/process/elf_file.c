/* SPDX-License-Identifier: MIT */
/* Reads headers, sections and relocations of ELF files. */
#include "process_losses.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cli/memory.h"

const char elf_is_no_elf[] = "it is no program and no shared object (ELF)";
static const char ends_early[] = "it ends early";

/* No program has as many; and the entries of the dynamic section. */
#define RELOCATIONS_MAX ((uint64_t)4 << 20)
#define SEGMENTS_MAX 128 /* each is looked at for each symbol */
#define DYNAMIC_MAX 4096

/* A struct of either word size, and one of its members. */
#define EITHER(type)            \
	union {                 \
		Elf32_##type of32; \
		Elf64_##type of64; \
	}
#define MEMBER(file, either, member) \
	((file)->word == 8 ? (either).of64.member : (either).of32.member)
#define SIZE(file, either) \
	((file)->word == 8 ? sizeof((either).of64) : sizeof((either).of32))

const char *file_read_at(int fd, uint64_t offset, void *to, size_t size)
{
	ssize_t got = offset > INT64_MAX ? 0 : pread(fd, to, size, (off_t)offset);

	return got < 0 ? strerror(errno) : (size_t)got < size ? ends_early : NULL;
}

/* Headers */

static const char *check_kind(struct elf_file *file, const unsigned char *ident)
{
	const int order = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? ELFDATA2MSB : ELFDATA2LSB;

	if (memcmp(ident, ELFMAG, SELFMAG))
		return elf_is_no_elf;
	if (ident[EI_CLASS] != ELFCLASS32 && ident[EI_CLASS] != ELFCLASS64)
		return "its header is malformed";
	if (ident[EI_DATA] != order)
		return "it is for machines of another byte order";
	file->word = ident[EI_CLASS] == ELFCLASS64 ? 8 : 4;
	return NULL;
}

static const char *read_segments(struct elf_file *file, uint64_t offset, unsigned int count)
{
	EITHER(Phdr) header = { .of64 = { 0 } };
	const char *why = NULL;

	for (unsigned int i = 0; i < count && !why; i++, offset += SIZE(file, header)) {
		struct elf_segment segment;
		unsigned int type;

		why = file_read_at(file->fd, offset, &header, SIZE(file, header));
		segment.address = MEMBER(file, header, p_vaddr);
		segment.offset = MEMBER(file, header, p_offset);
		segment.size = MEMBER(file, header, p_filesz);
		segment.is_code = (MEMBER(file, header, p_flags) & PF_X) != 0;
		type = MEMBER(file, header, p_type);
		if (!why && type == PT_DYNAMIC)
			file->dynamic = segment;
		if (!why && type == PT_INTERP)
			file->interpreter = segment;
		if (why || type != PT_LOAD)
			continue;
		if (file->segment_count == SEGMENTS_MAX)
			return "it has more than 128 segments to load";
		file->segments = xgrow(file->segments, file->segment_count, sizeof(segment));
		file->segments[file->segment_count++] = segment;
	}
	return why ? why : file->segment_count ? NULL : "it has no segment to load";
}

const char *elf_file_begin(struct elf_file *file, int fd)
{
	EITHER(Ehdr) header = { .of64 = { .e_ident = "" } };
	EITHER(Phdr) segment;
	const char *why;
	int type;

	*file = (struct elf_file){ .fd = fd };
	why = file_read_at(file->fd, 0, &header, EI_NIDENT);
	if (why)
		return why == ends_early ? elf_is_no_elf : why;
	why = check_kind(file, header.of64.e_ident);
	if (!why)
		why = file_read_at(file->fd, 0, &header, SIZE(file, header));
	if (why)
		return why;
	type = MEMBER(file, header, e_type);
	if (type == ET_REL)
		return "it is an object file; link it first";
	if (type != ET_EXEC && type != ET_DYN)
		return elf_is_no_elf;
	if (MEMBER(file, header, e_phentsize) != SIZE(file, segment))
		return "its header is malformed";
	file->section_headers = MEMBER(file, header, e_shoff);
	file->section_count = MEMBER(file, header, e_shnum);
	file->section_of_names = MEMBER(file, header, e_shstrndx);
	if (MEMBER(file, header, e_shentsize) != (file->word == 8 ? sizeof(Elf64_Shdr) :
								    sizeof(Elf32_Shdr)) ||
	    file->section_of_names >= file->section_count)
		file->section_of_names = UINT32_MAX;
	return read_segments(file, MEMBER(file, header, e_phoff),
			     MEMBER(file, header, e_phnum));
}

void elf_file_free(struct elf_file *file)
{
	free(file->segments);
	free(file->relocations);
	*file = (struct elf_file){ .fd = -1 };
}

/* Sections */

/* The last name of a file may be shorter than the one to find. */
static const char *compare_name(const struct elf_file *file, uint64_t offset,
				const char *name, int *is_equal)
{
	char text[64];
	size_t size = strlen(name) + 1;
	ssize_t got = offset > INT64_MAX ? 0 : pread(file->fd, text, size, (off_t)offset);

	*is_equal = got == (ssize_t)size && !memcmp(text, name, size);
	return got < 0 ? strerror(errno) : NULL;
}

const char *elf_file_section(const struct elf_file *file, const char *name,
			     struct elf_section *section)
{
	EITHER(Shdr) names = { .of64 = { 0 } }, header = { .of64 = { 0 } };
	const uint64_t size = SIZE(file, header);
	const char *why;
	int is_equal = 0;

	*section = (struct elf_section){ 0 };
	if (!file->section_headers || !file->section_count)
		return "it has no section headers";
	if (file->section_of_names == UINT32_MAX)
		return "its section headers are malformed";
	why = file_read_at(file->fd, file->section_headers + file->section_of_names * size,
			   &names, size);
	for (unsigned int i = 0; !why && i < file->section_count; i++) {
		why = file_read_at(file->fd, file->section_headers + i * size, &header,
				   size);
		if (!why)
			why = compare_name(file, MEMBER(file, names, sh_offset) +
					   MEMBER(file, header, sh_name), name, &is_equal);
		if (why || !is_equal)
			continue;
		section->address = MEMBER(file, header, sh_addr);
		section->offset = MEMBER(file, header, sh_offset);
		section->size = MEMBER(file, header, sh_size);
		section->is_empty = MEMBER(file, header, sh_type) == SHT_NOBITS;
		return NULL;
	}
	return why;
}

/* The section is one note, in files that ld, gold and lld make. */
uint8_t elf_build_id(const struct elf_file *file, uint8_t *id)
{
	struct {
		uint32_t name_size, size, type;
		char name[4];
	} note;
	struct elf_section section;

	if (elf_file_section(file, ".note.gnu.build-id", &section) || section.is_empty ||
	    section.size < sizeof(note) ||
	    file_read_at(file->fd, section.offset, &note, sizeof(note)) ||
	    note.type != NT_GNU_BUILD_ID || note.name_size != sizeof(note.name) ||
	    memcmp(note.name, "GNU", sizeof(note.name)) || !note.size)
		return 0;
	if (note.size > BUILD_ID_MOST)
		note.size = BUILD_ID_MOST;
	if (file_read_at(file->fd, section.offset + sizeof(note), id, note.size))
		return 0;
	return (uint8_t)note.size;
}

/* Memory */

size_t elf_file_read(const struct elf_file *file, uint64_t address, void *to, size_t size)
{
	for (size_t i = 0; i < file->segment_count; i++) {
		const struct elf_segment *segment = &file->segments[i];
		uint64_t inside = address - segment->address;
		ssize_t got;

		if (inside >= segment->size || inside > INT64_MAX - segment->offset)
			continue;
		if (size > segment->size - inside)
			size = (size_t)(segment->size - inside);
		got = pread(file->fd, to, size, (off_t)(segment->offset + inside));
		return got > 0 ? (size_t)got : 0;
	}
	return 0;
}

static int read_word(const struct elf_file *file, uint64_t address, uint64_t *value)
{
	EITHER(Addr) word;

	if (elf_file_read(file, address, &word, file->word) != file->word)
		return -1;
	*value = file->word == 8 ? word.of64 : word.of32;
	return 0;
}

/* Relocations */

/* Addresses in the dynamic section: of the tables, with and without addends. */
struct tables {
	uint64_t rela, rela_size;
	uint64_t rel, rel_size;
};

static const char *read_dynamic(struct elf_file *file, struct tables *tables)
{
	EITHER(Dyn) entry = { .of64 = { 0 } };
	const char *why = NULL;

	for (uint64_t i = 0; i < DYNAMIC_MAX && i < file->dynamic.size / SIZE(file, entry) &&
	     !why; i++) {
		uint64_t value;

		why = file_read_at(file->fd, file->dynamic.offset + i * SIZE(file, entry),
				   &entry, SIZE(file, entry));
		if (why || MEMBER(file, entry, d_tag) == DT_NULL)
			break;
		value = MEMBER(file, entry, d_un.d_val);
		switch (MEMBER(file, entry, d_tag)) {
		case DT_RELA:
			tables->rela = value;
			break;
		case DT_RELASZ:
			tables->rela_size = value;
			break;
		case DT_REL:
			tables->rel = value;
			break;
		case DT_RELSZ:
			tables->rel_size = value;
			break;
		case DT_SYMTAB:
			file->symbols = value;
		}
	}
	return why;
}

static int add_relocation(struct elf_file *file, const struct elf_relocation *relocation)
{
	/* the usual one of tables without addends: the address is in its place already */
	if (relocation->is_in_place && !relocation->symbol)
		return 0;
	if (file->relocation_count == RELOCATIONS_MAX)
		return -1;
	file->relocations = xgrow(file->relocations, file->relocation_count,
				  sizeof(*relocation));
	file->relocations[file->relocation_count++] = *relocation;
	return 0;
}

/* Entries of a table, read by blocks; the size of an entry tells both kinds apart. */
static const char *read_table(struct elf_file *file, uint64_t address, uint64_t size,
			      size_t entry_size, int is_in_place)
{
	const uint64_t count = size / entry_size;
	uint8_t block[6144];

	for (uint64_t i = 0; i < count;) {
		size_t some = sizeof(block) / entry_size;

		if (some > count - i)
			some = (size_t)(count - i);
		if (elf_file_read(file, address + i * entry_size, block, some * entry_size) !=
		    some * entry_size)
			return ends_early;
		for (const uint8_t *at = block; some; some--, i++, at += entry_size) {
			EITHER(Rela) entry = { .of64 = { 0 } };
			struct elf_relocation relocation = {
				.is_in_place = (uint32_t)is_in_place,
			};
			uint64_t info;

			memcpy(&entry, at, entry_size);
			info = MEMBER(file, entry, r_info);
			relocation.address = MEMBER(file, entry, r_offset);
			relocation.symbol = (uint32_t)(info >> (file->word == 8 ? 32 : 8));
			relocation.addend = (uint64_t)MEMBER(file, entry, r_addend);
			if (add_relocation(file, &relocation))
				return "it has more than 4 million relocations";
		}
	}
	return NULL;
}

static int by_address(const void *a, const void *b)
{
	const struct elf_relocation *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

/*
 * Relocations of the third kind, DT_RELR, have their addends in place, and no symbols: the
 * file has the pointers.
 */
const char *elf_file_relocate(struct elf_file *file)
{
	struct tables tables = { 0 };
	const char *why = read_dynamic(file, &tables);

	if (!why)
		why = read_table(file, tables.rela, tables.rela_size, file->word * 3, 0);
	if (!why)
		why = read_table(file, tables.rel, tables.rel_size, file->word * 2, 1);
	if (file->relocation_count)
		qsort(file->relocations, file->relocation_count, sizeof(*file->relocations),
		      by_address);
	return why;
}

/* The address of a symbol; -1 if it is not defined in this file. */
static int find_symbol(const struct elf_file *file, uint32_t index, uint64_t *value)
{
	EITHER(Sym) symbol = { .of64 = { 0 } };
	uint64_t address = file->symbols + index * (uint64_t)SIZE(file, symbol);

	if (!file->symbols || elf_file_read(file, address, &symbol, SIZE(file, symbol)) !=
				      SIZE(file, symbol) ||
	    MEMBER(file, symbol, st_shndx) == SHN_UNDEF)
		return -1;
	*value = MEMBER(file, symbol, st_value);
	return 0;
}

/* Pointers to data have no other kinds than an address in this file, or that of a symbol. */
int elf_file_pointer(const struct elf_file *file, uint64_t address, uint64_t *pointer)
{
	const struct elf_relocation key = { .address = address }, *found = NULL;
	uint64_t symbol = 0, addend;

	if (file->relocation_count)
		found = bsearch(&key, file->relocations, file->relocation_count, sizeof(key),
				by_address);
	if (read_word(file, address, &addend))
		return -1;
	if (found && !found->is_in_place)
		addend = found->addend;
	if (found && found->symbol && find_symbol(file, found->symbol, &symbol))
		return -1;
	*pointer = symbol + addend;
	return 0;
}
