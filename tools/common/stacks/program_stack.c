/* SPDX-License-Identifier: MIT */
/*
 * Finds the program's part of a stack.
 *
 * The functions that write an event are the library's, or made by its macros, and say
 * nothing about it. They are left out by their names, and by the name of the library's
 * file; in a stripped program a function that a macro made cannot be told from others,
 * and is shown.
 */
#include "stacks.h"

#include <string.h>

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
