/* SPDX-License-Identifier: MIT */
/* Finds the functions that probes name, of the kernel and of programs. */
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "common/cli/options.h"
#include "common/process/process_losses.h"

void kernel_symbols_read(struct kernel_symbols *symbols)
{
	symbols->text = read_file("/proc/kallsyms", NULL);
	symbols->blacklist = read_file("/sys/kernel/debug/kprobes/blacklist", NULL);
}

void kernel_symbols_free(struct kernel_symbols *symbols)
{
	free(symbols->text);
	free(symbols->blacklist);
	*symbols = (struct kernel_symbols){ 0 };
}

/* A line "ADDRESS TYPE NAME\t[MODULE]" */
struct symbol {
	uint64_t address; /* 0: hidden from this user */
	char type;
	struct part name, module;
};

static int read_line(const char **rest, struct symbol *symbol)
{
	const char *line = *rest, *end = strchr(line, '\n'), *tab;
	char *after;

	if (!end)
		return 0;
	*rest = end + 1;
	symbol->address = strtoull(line, &after, 16);
	symbol->type = after + 3 < end ? after[1] : '\0';
	if (!symbol->type)
		return 1;
	symbol->name = (struct part){ after + 3, (size_t)(end - after - 3) };
	symbol->module = (struct part){ 0 };
	tab = memchr(symbol->name.at, '\t', symbol->name.length);
	if (!tab)
		return 1;
	symbol->name.length = (size_t)(tab - symbol->name.at);
	if (end - tab > 3)
		symbol->module = (struct part){ tab + 2, (size_t)(end - tab - 3) };
	return 1;
}

static int is_function(const struct symbol *symbol)
{
	return symbol->type && strchr("tTwWi", symbol->type);
}

static int is_same(struct part a, struct part b)
{
	return a.length == b.length && !memcmp(a.at, b.at, a.length);
}

/* The functions and the data of one name. */
struct matches {
	size_t functions, data;
	struct symbol function;
	struct symbol second;
};

static struct matches find(const char *text, struct part module, struct part name)
{
	struct matches found = { 0 };
	struct symbol symbol;

	while (read_line(&text, &symbol)) {
		if (!symbol.type || !is_same(symbol.name, name) ||
		    (module.length && !is_same(symbol.module, module)))
			continue;
		if (!is_function(&symbol))
			found.data++;
		else if (found.functions++)
			found.second = symbol;
		else
			found.function = symbol;
	}
	return found;
}

static uint64_t address_after(const char *text, uint64_t address)
{
	uint64_t next = UINT64_MAX;
	struct symbol symbol;

	while (address && read_line(&text, &symbol))
		if (symbol.type && symbol.address > address && symbol.address < next)
			next = symbol.address;
	return next;
}

/* Names of all functions, or of all symbols, to be freed with their texts. */
static char *nearest_symbol(const char *text, struct part name, int wants_function)
{
	AUTO_FREE char *typed = part_text(name);
	struct words names = { 0 };
	struct symbol symbol;

	while (read_line(&text, &symbol)) {
		if (!symbol.type || (wants_function && !is_function(&symbol)) ||
		    symbol.name.length + 3 < name.length ||
		    symbol.name.length > name.length + 12)
			continue;
		words_add(&names, part_text(symbol.name));
	}
	return words_nearest(&names, typed);
}

static int complain(const char *text, struct part name, size_t at, int wants_function,
		    struct fault *fault)
{
	AUTO_FREE char *near = nearest_symbol(text, name, wants_function);
	const char *what = wants_function ? "function" : "symbol";

	if (near)
		fault_at(fault, at, "the kernel has no %s \"%.*s\"; did you mean \"%s\"?",
			 what, (int)name.length, name.at, near);
	else
		fault_at(fault, at, "the kernel has no %s \"%.*s\"%s in /proc/kallsyms",
			 what, (int)name.length, name.at,
			 wants_function ? "; it may be inlined, or have another name" :
					  ", or it lists functions alone (without "
					  "CONFIG_KALLSYMS_ALL)");
	return -1;
}

static int has_module(const char *text, struct part module)
{
	struct symbol symbol;

	while (read_line(&text, &symbol))
		if (symbol.type && is_same(symbol.module, module))
			return 1;
	return 0;
}

/* A line of the blacklist is "0xFROM-0xTO\tNAME". */
static int is_forbidden(const char *blacklist, uint64_t address)
{
	uint64_t from, to;
	char *after;

	for (; blacklist && *blacklist; blacklist = strchr(blacklist, '\n')) {
		blacklist += *blacklist == '\n';
		from = strtoull(blacklist, &after, 16);
		to = *after == '-' ? strtoull(after + 1, NULL, 16) : 0;
		if (address >= from && address < to)
			return 1;
	}
	return 0;
}

static int check_found(const struct kernel_symbols *symbols, const struct probe *probe,
		       const struct matches *found, struct fault *fault)
{
	const size_t at = (size_t)(probe->symbol.at - probe->text);
	const int length = (int)probe->symbol.length;
	const char *name = probe->symbol.at;
	uint64_t address = found->function.address, size;

	if (found->functions > 1)
		return fault_at(fault, at,
				"%zu functions have the name \"%.*s\"; give an address: "
				"0x%llx, 0x%llx%s",
				found->functions, length, name,
				(unsigned long long)address,
				(unsigned long long)found->second.address,
				found->functions > 2 ? ", ..." : "");
	if (address && is_forbidden(symbols->blacklist, address + probe->offset))
		return fault_at(fault, at,
				"the kernel forbids probes in \"%.*s\", which probes "
				"themselves may use; take a function that it calls, or "
				"its caller",
				length, name);
	size = address_after(symbols->text, address) - address;
	if (probe->offset && address && probe->offset >= size)
		return fault_at(fault, at + probe->symbol.length,
				"\"%.*s\" has only %llu bytes", length, name,
				(unsigned long long)size);
	return 0;
}

static int check_function(const struct kernel_symbols *symbols, const struct probe *probe,
			  struct fault *fault)
{
	const struct matches found = find(symbols->text, probe->module, probe->symbol);
	const size_t at = (size_t)(probe->symbol.at - probe->text);

	if (found.functions)
		return check_found(symbols, probe, &found, fault);
	/* the probe begins when the module is loaded */
	if (probe->module.length && !has_module(symbols->text, probe->module))
		return 0;
	if (found.data)
		return fault_at(
			fault, at,
			"\"%.*s\" is data, no function; an argument @%.*s fetches it",
			(int)probe->symbol.length, probe->symbol.at,
			(int)probe->symbol.length, probe->symbol.at);
	return complain(symbols->text, probe->symbol, at, 1, fault);
}

/* Kernels accept symbols that do not exist, or report the function for it. */
static int check_argument(const struct kernel_symbols *symbols, const struct probe *probe,
			  struct part argument, struct fault *fault)
{
	const char *sign = memchr(argument.at, '@', argument.length);
	struct matches found;
	struct part name;

	if (!sign || memchr(argument.at, ':', (size_t)(sign - argument.at)) ||
	    memchr(argument.at, '"', argument.length))
		return 0;
	name = (struct part){ sign + 1, 0 };
	while (name.at + name.length < argument.at + argument.length &&
	       !strchr("+-:)", name.at[name.length]))
		name.length++;
	if (!name.length || (*name.at >= '0' && *name.at <= '9'))
		return 0;
	found = find(symbols->text, (struct part){ 0 }, name);
	if (found.functions || found.data)
		return 0;
	return complain(symbols->text, name, (size_t)(name.at - probe->text), 0, fault);
}

int kernel_symbols_check(const struct kernel_symbols *symbols, const struct probe *probe,
			 struct fault *fault)
{
	const int has_function = probe->head.length && strchr("pr", *probe->head.at) &&
				 probe->symbol.length;
	struct part rest = probe->rest, word;
	int result = 0;

	if (!symbols->text || probe->kind != PROBE_FUNCTION)
		return 0;
	if (has_function)
		result = check_function(symbols, probe, fault);
	while (!result && (word = part_next(&rest)).length)
		result = check_argument(symbols, probe, word, fault);
	return result;
}

/* Finds the offset of a function in the file of a program. */

static size_t place_of(const struct probe *probe, const char *at)
{
	return (size_t)(at - probe->text);
}

static int open_program(const struct probe *probe, const char *path, struct fault *fault)
{
	const size_t at = place_of(probe, probe->path.at);
	struct stat stat_of;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return fault_at(fault, at, "cannot open %s: %s", path, strerror(errno));
	if (!fstat(fd, &stat_of) && S_ISREG(stat_of.st_mode))
		return fd;
	close(fd);
	return fault_at(fault, at, "%s is not a regular file", path);
}

/* The kernel takes them from the root of the tool, and the line ends words at blanks. */
static char *full_path(const struct probe *probe, const char *path, struct fault *fault)
{
	const size_t at = place_of(probe, probe->path.at);
	char *full = realpath(path, NULL);

	if (!full)
		fault_at(fault, at, "cannot open %s: %s", path, strerror(errno));
	else if (full[strcspn(full, " \t\n\r\v\f#")])
		fault_at(fault, at,
			 "the kernel takes no path with a blank, a control character or "
			 "'#'; make a link to the file elsewhere");
	if (!fault->reason)
		return full;
	free(full);
	return NULL;
}

static int complain_of_symbol(const struct probe *probe, const char *path,
			      const char *why, const char *near, struct fault *fault)
{
	const size_t at = place_of(probe, probe->symbol.at);

	return near ? fault_at(fault, at,
			       "cannot find \"%.*s\" in %s: %s; did you mean \"%s\"?",
			       (int)probe->symbol.length, probe->symbol.at, path, why,
			       near) :
		      fault_at(fault, at, "cannot find \"%.*s\" in %s: %s",
			       (int)probe->symbol.length, probe->symbol.at, path, why);
}

static int check_program_function(const struct probe *probe, const char *path,
			  const struct elf_function *function, struct fault *fault)
{
	const size_t at = place_of(probe, probe->symbol.at);
	const int length = (int)probe->symbol.length;

	if (function->is_chosen)
		return fault_at(
			fault, at,
			"\"%.*s\" is chosen when %s is loaded (IFUNC), and a probe "
			"there would see the choice alone; take one of its variants",
			length, probe->symbol.at, path);
	if (function->others)
		return fault_at(
			fault, at,
			"%s has %zu functions \"%.*s\"; give an offset, of the first "
			"0x%llx",
			path, function->others + 1, length, probe->symbol.at,
			(unsigned long long)function->offset);
	if (probe->offset && function->size && probe->offset >= function->size)
		return fault_at(fault, at + probe->symbol.length,
				"\"%.*s\" has only %llu bytes", length, probe->symbol.at,
				(unsigned long long)function->size);
	return 0;
}

static int find_offset(const struct probe *probe, const struct elf_file *file,
		       const char *path, uint64_t *offset, struct fault *fault)
{
	struct elf_function function = { 0 };
	AUTO_FREE char *name = part_text(probe->symbol), *near = NULL;
	const char *why = elf_find_function(file, name, &function, &near);
	int result;

	result = why ? complain_of_symbol(probe, path, why, near, fault) :
		       check_program_function(probe, path, &function, fault);
	*offset = function.offset + probe->offset;
	return result;
}

/*
 * The file is found as the kernel does: by the path that was given, if there is no better
 * one.
 */
static char *offset_place(const struct probe *probe)
{
	const struct part place = { probe->path.at + probe->path.length,
				    probe->place.length - probe->path.length };
	AUTO_FREE char *path = part_text(probe->path), *full = realpath(path, NULL);

	return xprintf("%s%.*s",
		       full && !full[strcspn(full, " \t\n\r\v\f#")] ? full : path,
		       (int)place.length, place.at);
}

static int find_place(const struct probe *probe, int fd, const char *path,
		      uint64_t *offset, struct fault *fault)
{
	AUTO(elf_file_free) struct elf_file file;
	const char *why = elf_file_begin(&file, fd);

	return why ? fault_at(fault, place_of(probe, probe->path.at),
			      "cannot use %s: %s", path, why) :
		     find_offset(probe, &file, path, offset, fault);
}

char *program_place(const struct probe *probe, struct fault *fault)
{
	char *path, *full, *result = NULL;
	uint64_t offset = 0;
	int fd;

	if (!probe->symbol.length)
		return offset_place(probe);
	path = part_text(probe->path);
	fd = open_program(probe, path, fault);
	full = fd < 0 ? NULL : full_path(probe, path, fault);
	if (full && !find_place(probe, fd, path, &offset, fault))
		result = xprintf("%s:0x%llx%.*s", full, (unsigned long long)offset,
				 (int)probe->suffix.length, probe->suffix.at);
	if (fd >= 0)
		close(fd);
	free(full);
	free(path);
	return result;
}

/* A probe outside code is never hit. */
int program_place_doubt(const struct probe *probe, struct fault *fault)
{
	const size_t at = place_of(probe, probe->path.at) + probe->path.length + 1;
	AUTO_FREE char *path = part_text(probe->path);
	struct fault other = { 0 };
	struct elf_file file;
	const char *why;
	int fd = probe->symbol.length ? -1 : open_program(probe, path, &other),
	    result = 0;

	if (fd >= 0) {
		why = elf_file_begin(&file, fd);
		if (why)
			result = fault_at(fault, place_of(probe, probe->path.at),
					  "%s: %s", path, why);
		else if (!elf_is_code(&file, probe->offset))
			result = fault_at(fault, at,
					  "0x%llx is not the offset of code in %s",
					  (unsigned long long)probe->offset, path);
		elf_file_free(&file);
		close(fd);
	}
	free(other.reason);
	return result;
}
