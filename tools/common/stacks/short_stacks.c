/* SPDX-License-Identifier: MIT */
/*
 * Finds programs without frame pointers, by stacks that end after a function or two.
 *
 * A stack that ends where a program or a thread begins is whole, however short it is.
 */
#include "stacks.h"

#include <string.h>

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
	struct bytes names = { 0 };
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
	bytes_free(&names);
	return text;
}
