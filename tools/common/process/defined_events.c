/* SPDX-License-Identifier: MIT */
/*
 * Lists the events of a file as they will be once it is loaded: the section "ue_events" has
 * their addresses.
 */
#include "defined_events.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <userevents/abi/event_state.h>

#include "common/cli/bytes.h"
#include "common/cli/memory.h"
#include "elf_file.h"
#include "event_image.h"
#include "module_file.h"

#define EVENTS_MAX 65536 /* the kernel has no more */

static size_t read_file_image(const void *file, uint64_t address, void *to, size_t size)
{
	return elf_file_read(file, address, to, size);
}

static int read_file_pointer(const void *file, uint64_t address, uint64_t *pointer)
{
	return elf_file_pointer(file, address, pointer);
}

static const char *add(struct defined_events *events, const struct event_image *image,
		       uint64_t address)
{
	struct image_event event;

	if (image_event_read(image, address, &event))
		return "an entry of its list is no event of libuserevents";
	image_event_define(image, address, &event);
	events->events = xgrow(events->events, events->count, sizeof(*events->events));
	events->events[events->count++] = (struct defined_event){
		event.definition, event.problem, event.flags,
	};
	return NULL;
}

static const char *read_list(struct defined_events *events, const struct elf_file *file,
			     const struct elf_section *section)
{
	const struct event_image image = {
		.word = file->word,
		.read = read_file_image,
		.read_pointer = read_file_pointer,
		.context = file,
	};
	const char *why = NULL;
	uint64_t event;

	for (uint64_t at = 0; at < section->size / file->word && !why; at++) {
		if (at == EVENTS_MAX)
			return "it lists more than 65,536 events";
		if (elf_file_pointer(file, section->address + at * file->word, &event))
			return "it ends early, or lists an event of another file";
		/* the linker may leave holes */
		if (event)
			why = add(events, &image, event);
	}
	return why;
}

int has_own_name(const struct defined_event *event)
{
	return !event->problem && !(event->flags & UE_EVENT_MULTI_FORMAT);
}

int are_namesakes(const struct defined_event *one, const struct defined_event *other)
{
	const size_t length = strcspn(one->definition, " ");

	return has_own_name(one) && has_own_name(other) &&
	       strcspn(other->definition, " ") == length &&
	       !memcmp(one->definition, other->definition, length) &&
	       strcmp(one->definition, other->definition) != 0;
}

static int by_definition(const void *a, const void *b)
{
	const struct defined_event *x = a, *y = b;

	return strcmp(x->definition, y->definition);
}

const char *defined_events_read(struct defined_events *events, int fd)
{
	struct elf_section section = { 0 };
	struct elf_file file;
	const char *why = elf_file_begin(&file, fd);

	*events = (struct defined_events){ 0 };
	if (!why)
		why = elf_file_section(&file, EVENTS_SECTION, &section);
	if (!why && section.is_empty)
		why = "it has debug symbols alone; the program itself has the events";
	if (!why && section.size)
		why = elf_file_relocate(&file);
	if (!why)
		why = read_list(events, &file, &section);
	if (events->count)
		qsort(events->events, events->count, sizeof(*events->events), by_definition);
	elf_file_free(&file);
	return why;
}

const char *defined_events_open(struct defined_events *events, const char *path)
{
	const char *why;
	int fd = regular_file_open(path, &why);

	*events = (struct defined_events){ 0 };
	if (fd < 0)
		return why;
	why = defined_events_read(events, fd);
	close(fd);
	return why;
}

void defined_events_free(struct defined_events *events)
{
	for (size_t i = 0; i < events->count; i++)
		free(events->events[i].definition);
	free(events->events);
	*events = (struct defined_events){ 0 };
}

/* Processes */

struct modules {
	pid_t pid;
	int memory;
	uint64_t last; /* inode of the mapping before; one file may be mapped in pieces */
	void (*see)(const char *path, const struct defined_events *events, const char *why,
		    void *context);
	void *context;
};

static void read_module(struct modules *modules, const struct mapping *mapping)
{
	struct defined_events events = { 0 };
	const char *why;
	int fd;

	if (mapping->inode == modules->last)
		return;
	modules->last = mapping->inode;
	fd = module_file_open(modules->memory, modules->pid, mapping, &why);
	if (fd >= 0) {
		why = defined_events_read(&events, fd);
		close(fd);
	}
	/* other files may be mapped, too */
	if (why != elf_is_no_elf && (why || events.count))
		modules->see(mapping->path, &events, why, modules->context);
	defined_events_free(&events);
}

int process_events_each(pid_t pid,
			void (*see)(const char *path, const struct defined_events *events,
				    const char *why, void *context),
			void *context)
{
	struct modules modules = { .pid = pid, .see = see, .context = context };
	char path[64], *mappings;
	struct mapping mapping;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	mappings = read_file(path, NULL);
	if (!mappings || !*mappings) {
		free(mappings);
		return mappings ? ESRCH : errno;
	}
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	modules.memory = open(path, O_RDONLY | O_CLOEXEC);
	for (char *line = strtok(mappings, "\n"); line; line = strtok(NULL, "\n"))
		if (mapping_parse(line, &mapping))
			read_module(&modules, &mapping);
	if (modules.memory >= 0)
		close(modules.memory);
	free(mappings);
	return 0;
}
