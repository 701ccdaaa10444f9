/* SPDX-License-Identifier: MIT */
/* Finds functions in the symbol tables of an ELF file. */
#include "process_losses.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "common/cli/options.h"

/* The symbol tables of a browser with debug symbols have a tenth of it. */
#define TABLE_MAX ((uint64_t)1 << 30)
/*
 * The limit for all files whose functions are named: their names stay until the tool
 * ends. A file with holes costs its owner nothing, so each of many may have the most of
 * one.
 */
#define NAMED_MAX ((uint64_t)256 << 20)

static const char *const table_sections[][2] = { { ".symtab", ".strtab" },
						 { ".dynsym", ".dynstr" } };

/* A symbol of either word size. */
struct symbol {
	const char *name;
	uint64_t value;
	uint64_t size;
	unsigned type, binding;
	int is_defined;
};

/* Two sections, read whole: symbols, and their names. */
struct table {
	uint8_t *symbols;
	char *names;
	uint64_t symbols_size, names_size;
};

static const char *read_section(const struct elf_file *file, const char *name, uint64_t *room,
				void **bytes, uint64_t *size)
{
	struct elf_section section;
	const char *why = elf_file_section(file, name, &section);

	*bytes = NULL;
	*size = 0;
	if (why || section.is_empty || !section.size)
		return why;
	if (section.size > *room || section.offset > INT64_MAX)
		return section.size > NAMED_MAX ? "its symbol table is too large" :
						  "the symbols of all files are too large together";
	*room -= section.size;
	*bytes = xmalloc((size_t)section.size);
	*size = section.size;
	return file_read_at(file->fd, section.offset, *bytes, (size_t)section.size);
}

static void free_table(struct table *table)
{
	free(table->symbols);
	free(table->names);
}

static const char *read_table(const struct elf_file *file, const char *symbols,
			      const char *names, uint64_t *room, struct table *table)
{
	const char *why;
	void *bytes;

	*table = (struct table){ 0 };
	why = read_section(file, symbols, room, &bytes, &table->symbols_size);
	table->symbols = bytes;
	if (why || !table->symbols_size)
		return why;
	why = read_section(file, names, room, &bytes, &table->names_size);
	table->names = bytes;
	/* hostile names must end, too */
	if (table->names_size)
		table->names[table->names_size - 1] = '\0';
	return why;
}

/* The entry, as that of 64 bits; 1, or 0 behind the last one. */
static int read_entry(const struct elf_file *file, const struct table *table,
		      uint64_t index, Elf64_Sym *entry)
{
	const uint64_t size = file->word == 8 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	Elf32_Sym small;

	if (index >= table->symbols_size / size)
		return 0;
	if (file->word == 8) {
		memcpy(entry, table->symbols + index * size, sizeof(*entry));
		return 1;
	}
	memcpy(&small, table->symbols + index * size, sizeof(small));
	*entry = (Elf64_Sym){ .st_name = small.st_name,
			      .st_info = small.st_info,
			      .st_shndx = small.st_shndx,
			      .st_value = small.st_value,
			      .st_size = small.st_size };
	return 1;
}

static int take_symbol(const struct elf_file *file, const struct table *table,
		       uint64_t index, struct symbol *symbol)
{
	Elf64_Sym entry;

	if (!read_entry(file, table, index, &entry))
		return 0;
	symbol->name =
		entry.st_name < table->names_size ? table->names + entry.st_name : "";
	symbol->value = entry.st_value;
	symbol->size = entry.st_size;
	symbol->type = ELF64_ST_TYPE(entry.st_info);
	symbol->binding = ELF64_ST_BIND(entry.st_info);
	symbol->is_defined = entry.st_shndx != SHN_UNDEF;
	return 1;
}

static int is_function(const struct symbol *symbol)
{
	return symbol->is_defined && *symbol->name &&
	       (symbol->type == STT_FUNC || symbol->type == STT_GNU_IFUNC);
}

static int is_named(const struct symbol *symbol, const char *name, size_t length)
{
	return !strncmp(symbol->name, name, length) &&
	       (symbol->name[length] == '\0' || symbol->name[length] == '@');
}

static int offset_of(const struct elf_file *file, uint64_t address, uint64_t *offset)
{
	for (size_t i = 0; i < file->segment_count; i++) {
		const struct elf_segment *segment = &file->segments[i];
		uint64_t inside = address - segment->address;

		if (inside >= segment->size || !segment->is_code)
			continue;
		*offset = segment->offset + inside;
		return 1;
	}
	return 0;
}

int elf_is_code(const struct elf_file *file, uint64_t offset)
{
	for (size_t i = 0; i < file->segment_count; i++)
		if (file->segments[i].is_code && offset >= file->segments[i].offset &&
		    offset - file->segments[i].offset < file->segments[i].size)
			return 1;
	return 0;
}

/* How many there are, at different places; function is the first. */
static size_t find_in(const struct elf_file *file, const struct table *table,
		      const char *name, struct elf_function *function,
		      struct words *names)
{
	const size_t length = strlen(name);
	struct symbol symbol;
	uint64_t offset;
	size_t count = 0;

	for (uint64_t i = 0; take_symbol(file, table, i, &symbol); i++) {
		if (!is_function(&symbol) || !offset_of(file, symbol.value, &offset))
			continue;
		words_add(names, symbol.name);
		if (!is_named(&symbol, name, length) ||
		    (count && offset == function->offset))
			continue;
		if (!count++)
			*function =
				(struct elf_function){ offset, symbol.size,
						       symbol.type == STT_GNU_IFUNC, 0 };
	}
	return count;
}

const char *elf_find_function(const struct elf_file *file, const char *name,
			      struct elf_function *function, char **near)
{
	const char *why = NULL, *found;
	size_t count = 0, functions = 0;
	uint64_t room = TABLE_MAX;

	*near = NULL;
	for (size_t i = 0; i < 2 && !count && !why; i++) {
		struct words names = { 0 };
		struct table table;

		why = read_table(file, table_sections[i][0], table_sections[i][1], &room,
				 &table);
		if (!why)
			count = find_in(file, &table, name, function, &names);
		found = nearest(name, names.items, names.count, sizeof(*names.items));
		if (found && !*near)
			*near = xstrdup(found);
		functions += names.count;
		free(names.items);
		free_table(&table);
	}
	if (count) {
		function->others = count - 1;
		return NULL;
	}
	return why	 ? why :
	       functions ? "it has no function of this name" :
			   "it is stripped: it names no functions";
}

/* Symbols by address */

static int compare_code(const void *a, const void *b)
{
	const struct elf_code *one = a, *other = b;

	if (one->address != other->address)
		return one->address < other->address ? -1 : 1;
	return one->rank - other->rank;
}

/* Names of a library's own, such as __libc_start_main_impl, come last. */
static int rank_of(const struct symbol *symbol)
{
	return (symbol->binding != STB_GLOBAL) * 2 + (*symbol->name == '_') + !symbol->size * 4;
}

static void add_functions(const struct elf_file *file, const struct table *table,
			  struct elf_functions *functions)
{
	struct symbol symbol;
	uint64_t offset;
	size_t kept = 0;

	for (uint64_t i = 0; take_symbol(file, table, i, &symbol); i++) {
		if (!is_function(&symbol) || !offset_of(file, symbol.value, &offset))
			continue;
		functions->functions = xgrow(functions->functions, functions->count,
					     sizeof(*functions->functions));
		functions->functions[functions->count++] = (struct elf_code){
			symbol.value, symbol.size, symbol.name, rank_of(&symbol),
		};
	}
	if (functions->count)
		qsort(functions->functions, functions->count, sizeof(struct elf_code),
		      compare_code);
	for (size_t i = 0; i < functions->count; i++)
		if (!i || functions->functions[i].address !=
				  functions->functions[kept - 1].address)
			functions->functions[kept++] = functions->functions[i];
	functions->count = kept;
}

const char *elf_functions_read(const struct elf_file *file, struct elf_functions *functions)
{
	static uint64_t room = NAMED_MAX;
	const char *why = NULL;

	*functions = (struct elf_functions){ .count = 0 };
	for (size_t i = 0; i < 2 && !functions->count && !why; i++) {
		struct table table;

		elf_functions_free(functions);
		why = read_table(file, table_sections[i][0], table_sections[i][1], &room,
				 &table);
		if (!why)
			add_functions(file, &table, functions);
		functions->names = table.names;
		free(table.symbols);
	}
	return why;
}

void elf_functions_free(struct elf_functions *functions)
{
	free(functions->functions);
	free(functions->names);
	*functions = (struct elf_functions){ .count = 0 };
}
