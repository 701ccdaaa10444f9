/* SPDX-License-Identifier: MIT */
/*
 * Finds programs without frame pointers, by stacks that end after a function or two.
 *
 * A stack that ends where a program or a thread begins is whole, however short it is.
 */
#include "stacks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/text/text_table.h"

#define SHORT 2u

/* Until glibc 2.33 its files were "libc-2.33.so" and "libpthread-2.33.so". */
static int is_of_libc(const char *path)
{
	static const char *const begins[] = { "/libc.", "/libc-2.", "/libpthread-2.", "/ld-musl" };
	const char *slash = strrchr(path, '/');

	for (size_t i = 0; slash && i < sizeof(begins) / sizeof(*begins); i++)
		if (!strncmp(slash, begins[i], strlen(begins[i])))
			return 1;
	return 0;
}

static int is_beginning(const struct stack_frame *frame)
{
	static const char *const names[] = { "main", "_start", "start_thread" };
	uint64_t inside;
	const char *name = frame_function(frame, &inside);

	for (size_t i = 0; name && i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return 1;
	return frame->module && is_of_libc(frame->module->path);
}

static int is_short(const struct record *record)
{
	const struct program_stack stack = stack_of_program(record);

	/* without frame pointers, even the first address may be none of the program's code */
	if (stack.count > SHORT || record->is_stack_cut || record->is_stack_full ||
	    (record->frames_asked && record->frames_asked <= SHORT))
		return 0;
	for (uint32_t i = 0; i < stack.count; i++)
		if (is_beginning(&stack.frames[i]))
			return 0;
	return 1;
}

static struct stacks_of_program *find(struct short_stacks *stacks, const char *name)
{
	const size_t length = strnlen(name, sizeof(stacks->programs[0].name) - 1);

	for (uint32_t i = 0; i < stacks->count; i++)
		if (!strncmp(stacks->programs[i].name, name, length) &&
		    !stacks->programs[i].name[length])
			return &stacks->programs[i];
	if (stacks->count == SHORT_STACKS_PROGRAMS)
		return NULL;
	memcpy(stacks->programs[stacks->count].name, name, length);
	return &stacks->programs[stacks->count++];
}

void short_stacks_note(struct short_stacks *stacks, const struct record *record)
{
	struct stacks_of_program *program;

	if (!record->frame_count)
		return;
	program = find(stacks, record->program ? record->program : "");
	if (!program)
		return;
	program->all++;
	program->shorts += (uint64_t)is_short(record);
}

char *short_stacks_text(const struct short_stacks *stacks)
{
	AUTO(bytes_free) struct bytes names = { 0 };
	size_t count = 0;
	char *text = NULL;

	for (uint32_t i = 0; i < stacks->count; i++) {
		const struct stacks_of_program *program = &stacks->programs[i];
		char name[sizeof(program->name)];

		if (program->shorts <= program->all / 2)
			continue;
		memcpy(name, program->name, sizeof(name));
		controls_blank(name, strlen(name));
		bytes_list(&names, count++, "%s", *name ? name : "a program");
	}
	if (count)
		text = xprintf("Most stacks of %s have no more than %u functions, as code "
			       "without frame pointers has; compile it, and its "
			       "libraries, with -fno-omit-frame-pointer.",
			       (const char *)names.at, SHORT);
	return text;
}

/*
 * Finds the program's part of a stack.
 *
 * The functions that write an event are the library's, or made by its macros, and say
 * nothing about it. They are left out by their names, and by the name of the library's
 * file; in a stripped program a function that a macro made cannot be told from others,
 * and is shown.
 */

/*
 * Macros make functions NAME_ue__write of a program's own, whose names compilers extend:
 * "_ue__write.constprop.0", and in C++ "_ZL15shop_ue__writeiP8ue_event".
 */
static int is_writer(const char *name)
{
	static const char marked[] = "_ue__write", of_activity[] = "_activity";
	const char *end = strstr(name, marked);

	if (!end)
		return 0;
	end += strlen(marked);
	if (!strncmp(end, of_activity, strlen(of_activity)))
		end += strlen(of_activity);
	return !*end || *end == '.' || (*end == 'i' && !strncmp(name, "_Z", 2));
}

/* One of the headers, in C++: "_ZL9ue__printPFiiP8ue_eventPKcEiS0_S2_z". */
static int is_inline(const char *name)
{
	if (strncmp(name, "_Z", 2) != 0)
		return 0;
	name += 2;
	name += *name == 'L';
	name += strspn(name, "0123456789");
	return !strncmp(name, "ue__", 4);
}

/*
 * A program that is linked to the static library has these in its own file, and perhaps a part
 * of one, such as "ue_writev.cold".
 */
static int is_library_name(const char *name)
{
	static const char *const names[] = {
		"ue_write", "ue_writev", "ue_builder_write",
	};

	const size_t length = strcspn(name, ".");

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (length == strlen(names[i]) && !memcmp(name, names[i], length))
			return 1;
	return !strncmp(name, "ue__", 4) || is_inline(name) || is_writer(name);
}

static int is_of_library(const struct stack_frame *frame)
{
	static const char file[] = "libuserevents.so";
	uint64_t inside;
	const char *name = frame_function(frame, &inside);
	const char *slash = frame->module ? strrchr(frame->module->path, '/') : NULL;

	return (name && is_library_name(name)) ||
	       (slash && !strncmp(slash + 1, file, strlen(file)));
}

struct program_stack stack_of_program(const struct record *record)
{
	struct program_stack stack = { record->frames, record->frame_count };

	for (; stack.count > 1 && is_of_library(stack.frames); stack.frames++)
		stack.count--;
	if (record->frames_asked && stack.count > record->frames_asked)
		stack.count = record->frames_asked;
	return stack;
}

/* Reads the code that running processes have mapped, from /proc. */

/* Read the file that the process sees at the path, if it is still the mapped one. */
static void read_build_id(uint32_t pid, const char *path, struct module_identity *identity)
{
	AUTO_FREE char *there = xprintf("/proc/%u/root%s", pid, path);
	const char *why;
	const int fd = regular_file_open(there, &why);
	struct elf_file file = { .fd = -1 };
	struct stat status;

	if (fd < 0)
		return;
	if (!fstat(fd, &status) && status.st_ino == identity->inode &&
	    !elf_file_begin(&file, fd))
		identity->build_id_size = elf_build_id(&file, identity->build_id);
	elf_file_free(&file);
	close(fd);
}

/* Programs share libraries, whose files need not be read for each. */
static struct module *module_of_file(uint32_t pid, const char *path, uint64_t inode)
{
	struct module_identity identity = { .inode = inode };
	struct module *known = inode ? module_known(path, inode) : NULL;

	if (known)
		return known;
	if (inode && *path == '/')
		read_build_id(pid, path, &identity);
	return module_of(path, strlen(path), &identity);
}

static void read_line(struct code_maps *maps, uint32_t pid, const char *line)
{
	unsigned long long begin, end, offset, inode;
	char rights[5];
	int path_at = 0;
	struct code_map map;

	if (sscanf(line, "%llx-%llx %4s %llx %*s %llu %n", &begin, &end, rights, &offset,
		   &inode, &path_at) < 5 || !path_at || rights[2] != 'x')
		return;
	map = (struct code_map){ .begin = begin, .end = end, .offset = offset };
	map.module = module_of_file(pid, line[path_at] ? line + path_at : "//anon", inode);
	code_maps_add(maps, pid, &map);
}

void code_maps_read(struct code_maps *maps, uint32_t pid)
{
	AUTO_FREE char *path = xprintf("/proc/%u/maps", pid);
	char *text = read_file(path, NULL), *rest = text, *line;

	while ((line = strsep(&rest, "\n")))
		if (*line)
			read_line(maps, pid, line);
	free(text);
}
