/* SPDX-License-Identifier: MIT */
/*
 * Events of a module, a program or shared object, in its image: the memory of a process,
 * or a file that is not loaded (elf_file.h). The image may hold anything.
 */
#ifndef UE__TOOLS_COMMON_PROCESS_MODULE_EVENTS_H
#define UE__TOOLS_COMMON_PROCESS_MODULE_EVENTS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "process_losses.h"

/* The section with the addresses of a module's events. */
#define EVENTS_SECTION "ue_events"

struct event_image {
	unsigned int word; /* size of a pointer: 4 or 8 */
	/* How many bytes there are, up to size. */
	size_t (*read)(const void *context, uint64_t address, void *to, size_t size);
	/* 0, or -1 if there is none. */
	int (*read_pointer)(const void *context, uint64_t address, uint64_t *pointer);
	const void *context;
};

struct image_event {
	uint32_t flags; /* UE_EVENT_* */
	int is_registered;
	/* Set by image_event_define(). */
	char *definition; /* to be freed; without a problem, it can be registered */
	const char *problem; /* a sentence, or NULL */
};

/* Read the event at this address: 0, or -1 if there is none. */
int image_event_read(const struct event_image *image, uint64_t address,
		     struct image_event *event);
/* Read its definition, which of an EventHeader tracepoint is made of its parts. */
void image_event_define(const struct event_image *image, uint64_t address,
			struct image_event *event);

/* The file of a program or shared object (a module) that another process has mapped. */

/* The section with the addresses of the module's events. */
struct module_section {
	uint64_t at;   /* its distance from the beginning of the mapped file */
	uint64_t size; /* 0: there is none */
};

/* Open a file at a path: the descriptor, or -1 with why; a device or pipe is not opened. */
int regular_file_open(const char *path, const char **why);

/*
 * Open the file. memory: of the process. Returns the descriptor, or -1 with why, which is
 * a static text.
 */
int module_file_open(int memory, pid_t pid, const struct mapping *mapping,
		     const char **why);

#endif
