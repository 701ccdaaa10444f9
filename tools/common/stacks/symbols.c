/* SPDX-License-Identifier: MIT */
/*
 * Names the functions of stacks.
 *
 * The file of a module may be another one by now, or that of another machine. Names of it
 * would be wrong, and look right. So the build-id that the recording has is compared with that
 * of the file, or the inode if there is none.
 *
 * Names stay as they are in the file: those of C++ can be piped through c++filt(1).
 */
#include "stacks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/text/text_table.h"

struct module_functions {
	struct elf_segment *segments; /* of the file, to find addresses by offsets */
	size_t segment_count;
	struct elf_functions named;
	const char *why; /* there are no names; NULL: there are */
};

static struct bytes unnamed; /* the sentence about modules without names */
static size_t unnamed_count;

/* Files */

static int64_t changed_at(const struct stat *status)
{
	return (int64_t)status->st_ctim.tv_sec * 1000000000 + status->st_ctim.tv_nsec;
}

static const char *check_identity(const struct module *module, const struct elf_file *file)
{
	const struct module_identity *identity = &module->identity;
	uint8_t id[BUILD_ID_MOST];
	struct stat status;

	if (identity->build_id_size)
		return elf_build_id(file, id) == identity->build_id_size &&
				       !memcmp(id, identity->build_id, identity->build_id_size) ?
			       NULL : "the file has another build-id than the recorded one";
	if (!identity->inode || fstat(file->fd, &status))
		return NULL;
	if (status.st_ino != identity->inode)
		return "another file has its path by now";
	return identity->seen && changed_at(&status) > identity->seen ?
		       "the file was changed afterwards" : NULL;
}

/* Packages of debug symbols have the names of a stripped file under its build-id. */
static char *debug_path(const struct elf_file *file)
{
	uint8_t id[BUILD_ID_MOST];
	const uint8_t size = elf_build_id(file, id);
	char *path = size ? xprintf("/usr/lib/debug/.build-id/%02x/", id[0]) : NULL;

	for (uint8_t i = 1; i < size; i++)
		xappend(&path, "%02x", id[i]);
	if (path)
		xappend(&path, ".debug");
	return path;
}

static int has_names(const struct elf_file *file)
{
	struct elf_section section;

	return !elf_file_section(file, ".symtab", &section) && section.size;
}

/* 1 if the debug file has names. */
static int read_debug_file(const struct elf_file *file, struct elf_functions *named)
{
	AUTO_FREE char *path = debug_path(file);
	const char *why = NULL;
	const int fd = path ? regular_file_open(path, &why) : -1;
	struct elf_file debug;

	if (fd < 0)
		return 0;
	why = elf_file_begin(&debug, fd);
	if (!why)
		why = elf_functions_read(&debug, named);
	elf_file_free(&debug);
	close(fd);
	if (!why && named->count)
		return 1;
	elf_functions_free(named);
	return 0;
}

static const char *read_names(const struct elf_file *file, struct elf_functions *named)
{
	const char *why;

	if (!has_names(file) && read_debug_file(file, named))
		return NULL;
	why = elf_functions_read(file, named);
	return why ? why : named->count ? NULL : "it is stripped: it names no functions";
}

/* The segments are taken from the file, which is freed then. */
static const char *read_module(const struct module *module, struct module_functions *functions)
{
	const char *why = NULL;
	const int fd = *module->path == '/' && module->path[1] != '/' ?
			       regular_file_open(module->path, &why) : -1;
	struct elf_file file;

	if (fd < 0)
		return why ? why : "it is not a file";
	why = elf_file_begin(&file, fd);
	if (!why)
		why = check_identity(module, &file);
	if (!why)
		why = read_names(&file, &functions->named);
	functions->segments = file.segments;
	functions->segment_count = file.segment_count;
	file.segments = NULL;
	elf_file_free(&file);
	close(fd);
	return why;
}

static struct module_functions *functions_of(const struct module *module)
{
	struct module *own = (struct module *)(uintptr_t)module;
	struct module_functions *functions = own->functions;

	if (functions)
		return functions;
	functions = own->functions = xcalloc(1, sizeof(*functions));
	functions->why = read_module(module, functions);
	/* memory that is no file has nothing that could be wrong with it */
	if (functions->why && *module->path == '/' && module->path[1] != '/')
		bytes_list(&unnamed, unnamed_count++, "%s (%s)", module->path,
			   functions->why);
	return functions;
}

/* Functions */

static int address_of(const struct module_functions *functions, uint64_t offset,
		      uint64_t *address)
{
	for (size_t i = 0; i < functions->segment_count; i++) {
		const struct elf_segment *segment = &functions->segments[i];

		if (!segment->is_code || offset - segment->offset >= segment->size)
			continue;
		*address = segment->address + (offset - segment->offset);
		return 1;
	}
	return 0;
}

/* The last function that begins at or before an address. */
static const struct elf_code *find(const struct elf_functions *named, uint64_t address)
{
	size_t begin = 0, end = named->count;

	while (begin < end) {
		const size_t middle = begin + (end - begin) / 2;

		if (named->functions[middle].address <= address)
			begin = middle + 1;
		else
			end = middle;
	}
	return begin ? &named->functions[begin - 1] : NULL;
}

const char *frame_function(const struct stack_frame *frame, uint64_t *inside)
{
	const struct module_functions *functions;
	const struct elf_code *code;
	uint64_t address;

	if (!frame->module)
		return NULL;
	functions = functions_of(frame->module);
	if (functions->why ||
	    !address_of(functions, frame->offset - (frame->is_return != 0), &address))
		return NULL;
	code = find(&functions->named, address);
	if (!code || (code->size && address - code->address >= code->size))
		return NULL;
	*inside = address - code->address + (frame->is_return != 0);
	return code->name;
}

/* Output */

/* Names of templates are long; longer ones than this say no more. */
#define NAME_MOST 1024

static void put_harmless(struct bytes *to, const char *text)
{
	const size_t before = to->length;

	bytes_add(to, text, strnlen(text, NAME_MOST));
	controls_blank((char *)to->at + before, to->length - before);
}

/* The last part of a path. */
static const char *short_path(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

void frame_put_name(struct bytes *to, const struct stack_frame *frame)
{
	uint64_t inside;
	const char *name = frame_function(frame, &inside);

	if (name) {
		put_harmless(to, name);
	} else if (frame->module) {
		put_harmless(to, short_path(frame->module->path));
		bytes_addf(to, "+0x%" PRIx64, frame->offset);
	} else {
		bytes_addf(to, "0x%" PRIx64, frame->address);
	}
}

static void put_line(struct bytes *to, const struct stack_frame *frame)
{
	uint64_t inside;
	const char *name = frame_function(frame, &inside);

	bytes_addf(to, "    %12" PRIx64 " ", frame->address);
	if (name) {
		put_harmless(to, name);
		bytes_addf(to, "+0x%" PRIx64, inside);
	} else {
		bytes_put(to, "?");
	}
	if (frame->module) {
		bytes_put(to, " (");
		put_harmless(to, frame->module->path);
		if (!name)
			bytes_addf(to, "+0x%" PRIx64, frame->offset);
		bytes_put(to, ")");
	}
	bytes_put(to, "\n");
}

void stack_put_text(struct bytes *to, const struct record *record)
{
	const struct program_stack stack = stack_of_program(record);

	for (uint32_t i = 0; i < stack.count; i++)
		put_line(to, &stack.frames[i]);
}

static void put_object(struct bytes *to, const struct stack_frame *frame)
{
	uint64_t inside;
	const char *name = frame_function(frame, &inside);
	char address[24];

	snprintf(address, sizeof(address), "0x%" PRIx64, frame->address);
	json_open(to, NULL, '{');
	json_string(to, "ip", address);
	if (name) {
		json_string(to, "symbol", name);
		json_count(to, "offset", inside);
	}
	if (frame->module)
		json_string(to, "module", frame->module->path);
	if (frame->module && !name)
		json_count(to, "moduleOffset", frame->offset);
	json_close(to, '}');
}

void stack_put_json(struct bytes *to, const char *key, const struct record *record)
{
	const struct program_stack stack = stack_of_program(record);

	json_open(to, key, '[');
	for (uint32_t i = 0; i < stack.count; i++)
		put_object(to, &stack.frames[i]);
	json_close(to, ']');
}

void modules_report(void)
{
	if (!unnamed_count)
		return;
	message("cannot name the functions of %s", (const char *)unnamed.at);
	bytes_free(&unnamed);
	unnamed_count = 0;
}
