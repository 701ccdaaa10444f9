/* SPDX-License-Identifier: MIT */
/* Finds the offset of a function in the file of a program. */
#include "program_place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "common/process/elf_symbols.h"

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

static int check_function(const struct probe *probe, const char *path,
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
	char *name = part_text(probe->symbol), *near = NULL;
	const char *why = elf_find_function(file, name, &function, &near);
	int result;

	result = why ? complain_of_symbol(probe, path, why, near, fault) :
		       check_function(probe, path, &function, fault);
	*offset = function.offset + probe->offset;
	free(near);
	free(name);
	return result;
}

/* The kernel accepts any offset; a probe outside code is never hit. */
static int find_place(const struct probe *probe, int fd, const char *path,
		      uint64_t *offset, struct fault *fault)
{
	const size_t at = place_of(probe, probe->path.at) + probe->path.length + 1;
	struct elf_file file;
	const char *why = elf_file_begin(&file, fd);
	int result = 0;

	*offset = probe->offset;
	if (why)
		result = fault_at(fault, place_of(probe, probe->path.at),
				  "cannot use %s: %s", path, why);
	else if (probe->symbol.length)
		result = find_offset(probe, &file, path, offset, fault);
	else if (!elf_is_code(&file, *offset))
		result = fault_at(fault, at, "0x%llx is not the offset of code in %s",
				  (unsigned long long)*offset, path);
	elf_file_free(&file);
	return result;
}

char *program_place(const struct probe *probe, struct fault *fault)
{
	char *path = part_text(probe->path), *full = NULL, *result = NULL;
	int fd = open_program(probe, path, fault);
	uint64_t offset;

	if (fd >= 0) {
		full = full_path(probe, path, fault);
		if (full && !find_place(probe, fd, path, &offset, fault))
			result =
				xprintf("%s:0x%llx%.*s", full, (unsigned long long)offset,
					(int)probe->counter.length,
					probe->counter.length ? probe->counter.at : "");
		close(fd);
	}
	free(full);
	free(path);
	return result;
}
