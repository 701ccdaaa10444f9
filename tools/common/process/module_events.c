/* SPDX-License-Identifier: MIT */
/*
 * Reads the events of a module, a program or shared object, in the memory of a process.
 *
 * The section "ue_events" has their addresses. Sections are not in memory, so the place of
 * this one comes from the module's file, and everything else from the memory. Neither is
 * trusted: memory that cannot be read, or is not a struct ue_event, is passed over.
 */
#include "process_losses.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <userevents/abi/event_state.h>
#include <userevents/abi/eventheader.h>
#include <userevents/event.h>
#include <userevents/eventheader_name.h>
#include <userevents/tracepoint.h>

#include "common/cli/memory.h"
#include "common/cli/options.h"

/* Reads struct ue_event, of both word sizes. */

/*
 * Members of struct ue_event and struct ue_tracepoint_parts, by the size of a pointer: 32
 * bits align 64-bit members as well.
 */
#define SIZE_AT 0u
#define FLAGS_AT 4u
#define DEFINITION_AT 8u
#define PARTS_AT(word) (24 + 3 * (word))
#define REGISTRATION_AT(word) (32 + 4 * (word))
#define PROVIDER_AT 0u
#define GROUP_AT(word) (word)
#define KEYWORD_AT(word) (2 * (word))
#define LEVEL_AT(word) (2 * (word) + 8)

/* A program that was built with an earlier version has less than today's struct. */
#define EVENT_READ(word) (REGISTRATION_AT(word) + (word))

#define OFFSET(type, member) offsetof(struct type, member)
#define WORD sizeof(void *)

static_assert(OFFSET(ue_event, size) == SIZE_AT && OFFSET(ue_event, flags) == FLAGS_AT &&
	      OFFSET(ue_event, definition) == DEFINITION_AT &&
	      OFFSET(ue_event, ue__parts) == PARTS_AT(WORD) &&
	      OFFSET(ue_event, ue__registration) == REGISTRATION_AT(WORD) &&
	      OFFSET(ue_tracepoint_parts, provider) == PROVIDER_AT &&
	      OFFSET(ue_tracepoint_parts, group) == GROUP_AT(WORD) &&
	      OFFSET(ue_tracepoint_parts, keyword) == KEYWORD_AT(WORD) &&
	      OFFSET(ue_tracepoint_parts, level) == LEVEL_AT(WORD), "the struct's layout");

static uint32_t read_u32(const struct event_image *image, uint64_t address)
{
	uint32_t number = 0;

	image->read(image->context, address, &number, sizeof(number));
	return number;
}

static uint64_t image_pointer(const struct event_image *image, uint64_t address)
{
	uint64_t pointer;

	return image->read_pointer(image->context, address, &pointer) ? 0 : pointer;
}

/* The text at a pointer, as much as fits; "" without one. */
static size_t read_text(const struct event_image *image, uint64_t pointer, char *to,
			size_t size)
{
	size_t length = pointer ? image->read(image->context, pointer, to, size - 1) : 0;

	to[length] = '\0';
	return strlen(to);
}

/* Registering makes the definition of its parts. */
static char *define_tracepoint(const struct event_image *image, uint64_t parts,
			       const char **problem)
{
	char text[UE__TRACEPOINT_TEXT], provider[256], group[256];
	uint64_t provider_at = image_pointer(image, parts + PROVIDER_AT);
	uint64_t group_at = image_pointer(image, parts + GROUP_AT(image->word));
	uint32_t level = read_u32(image, parts + LEVEL_AT(image->word));
	struct ue_eventheader_error error;
	struct ue_eventheader_name name = {
		.provider = provider,
		.provider_length = read_text(image, provider_at, provider, 256),
		.group = group,
		.group_length = read_text(image, group_at, group, 256),
		.level = level <= UINT8_MAX ? (uint8_t)level : 0,
	};

	image->read(image->context, parts + KEYWORD_AT(image->word), &name.keyword,
		    sizeof(name.keyword));
	if (ue_eventheader_name_make(&name, text, sizeof(text), &error) >= 0)
		return xprintf("%s %s", text, UE_EVENTHEADER_FIELDS);
	*problem = error.reason;
	return xstrdup(provider);
}

static char *read_definition(const struct event_image *image, uint64_t address,
			     uint32_t flags, const char **problem)
{
	struct ue_definition_error error;
	char text[1024];

	read_text(image, image_pointer(image, address + DEFINITION_AT), text, sizeof(text));
	*problem = ue_definition_check(text, flags, &error) ? error.reason : NULL;
	return *problem ? xstrdup(text) : definition_canonical(text);
}

int image_event_read(const struct event_image *image, uint64_t address,
		     struct image_event *event)
{
	*event = (struct image_event){
		.flags = read_u32(image, address + FLAGS_AT),
		.is_registered =
			image_pointer(image, address + REGISTRATION_AT(image->word)) != 0,
	};
	return read_u32(image, address + SIZE_AT) < EVENT_READ(image->word) ? -1 : 0;
}

void image_event_define(const struct event_image *image, uint64_t address,
			struct image_event *event)
{
	uint64_t parts = image_pointer(image, address + PARTS_AT(image->word));

	event->definition = parts ? define_tracepoint(image, parts, &event->problem) :
				    read_definition(image, address, event->flags,
						    &event->problem);
}

/*
 * The file of a module that another process has mapped.
 *
 * The process may have chosen any file, and any path for it. Opening a device or a pipe
 * can have effects, so nothing but a regular file is opened.
 */

/* inode: 0 for any. */
static int open_regular(const char *path, uint64_t inode, const char **why)
{
	int place = open(path, O_PATH | O_CLOEXEC), file = -1;
	struct stat status;
	char again[64];

	*why = NULL;
	if (place < 0 || fstat(place, &status))
		*why = strerror(errno);
	else if (inode && (!S_ISREG(status.st_mode) || status.st_ino != inode))
		*why = "another file has its path";
	else if (!S_ISREG(status.st_mode))
		*why = "it is no regular file";
	snprintf(again, sizeof(again), "/proc/self/fd/%d", place);
	if (!*why) {
		file = open(again, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
		*why = file < 0 ? strerror(errno) : NULL;
	}
	if (place >= 0)
		close(place);
	return file;
}

int regular_file_open(const char *path, const char **why)
{
	return open_regular(path, 0, why);
}

/*
 * The file at the path, if it is the mapped one. Devices are not compared: with overlayfs
 * and btrfs, stat(2) returns another one than /proc/PID/maps has.
 */
static int open_path(int memory, const char *path, const struct mapping *mapping,
		     const char **why)
{
	int file = open_regular(path, mapping->inode, why);
	ElfW(Ehdr) here, there;

	if (file < 0)
		return -1;
	*why = file_read_at(file, 0, &here, sizeof(here));
	if (!*why && (file_read_at(memory, mapping->begin, &there, sizeof(there)) ||
		      memcmp(&here, &there, sizeof(here))))
		*why = "another file has its path";
	if (!*why)
		return file;
	close(file);
	return -1;
}

/*
 * Only root may open the mapped file itself, which also works if it has no path any more.
 * A path of maps is below the root of the process, or, after chroot(2), below the tool's.
 */
int module_file_open(int memory, pid_t pid, const struct mapping *mapping,
		     const char **why)
{
	AUTO_FREE char *mapped = xprintf("/proc/%d/map_files/%llx-%llx", (int)pid,
					 (unsigned long long)mapping->begin,
					 (unsigned long long)mapping->end);
	AUTO_FREE char *inside = xprintf("/proc/%d/root%s", (int)pid, mapping->path);
	int file = open_regular(mapped, 0, why);
	const char *ignored;

	if (file < 0)
		file = open_path(memory, inside, mapping, why);
	if (file < 0)
		file = open_path(memory, mapping->path, mapping, &ignored);
	if (file >= 0)
		*why = NULL;
	return file;
}

/* Find the section. NULL, or why the file cannot be read: a static text. */
static const char *module_file_find(int file, struct module_section *found)
{
	struct elf_file elf;
	struct elf_section section = { 0 };
	const char *why = elf_file_begin(&elf, file);

	if (!why)
		why = elf_file_section(&elf, EVENTS_SECTION, &section);
	found->size = section.size;
	if (!why)
		found->at = section.address -
			    (elf.segments[0].address - elf.segments[0].offset);
	elf_file_free(&elf);
	return why;
}

#define ENTRIES_MAX 65536 /* of all modules; the kernel has no more events */
#define MODULES_MAX 4096

static size_t read_memory(const void *memory, uint64_t address, void *to, size_t size)
{
	ssize_t got = pread(*(const int *)memory, to, size, (off_t)address);

	return got > 0 ? (size_t)got : 0;
}

static int read_pointer(const void *memory, uint64_t address, uint64_t *pointer)
{
	uintptr_t word;

	if (read_memory(memory, address, &word, sizeof(word)) != sizeof(word))
		return -1;
	*pointer = word;
	return 0;
}

/* "NAME", or "NAME (REASON)" if it can never be registered; the reason is a sentence. */
static const char *describe(const struct image_event *event)
{
	int name = (int)strcspn(event->definition, " ");
	size_t length = event->problem ? strlen(event->problem) : 0;

	length -= length && event->problem[length - 1] == '.';
	return length ? xprintf("%.*s (%.*s)", name, event->definition, (int)length,
				event->problem) :
			xstrndup(event->definition, (size_t)name);
}

static void read_event(const struct event_image *image, uint64_t address,
		       struct module_events *module, struct process_losses *losses)
{
	struct image_event event;

	if (image_event_read(image, address, &event))
		return;
	image_event_define(image, address, &event);
	module->count++;
	module->missing += !event.is_registered;
	if (!event.is_registered && module->names.count < MODULE_NAMES)
		words_add(&module->names, describe(&event));
	if (event.problem || event.flags & UE_EVENT_MULTI_FORMAT)
		free(event.definition);
	else
		words_add(event.is_registered ? &losses->registered : &module->unregistered,
			  event.definition);
}

static const char *read_events(int memory, uint64_t at, uint64_t count,
			       struct module_events *module, struct process_losses *losses)
{
	const struct event_image image = {
		.word = sizeof(void *),
		.read = read_memory,
		.read_pointer = read_pointer,
		.context = &memory,
	};
	uint64_t address;

	for (; count && !losses->is_cancelled; count--, at += image.word) {
		if (losses->entries == ENTRIES_MAX)
			return "the process lists more than 65,536 events";
		losses->entries++;
		if (read_pointer(&memory, at, &address))
			return "its memory has no list of events";
		read_event(&image, address, module, losses);
	}
	return NULL;
}

void module_events_read(int memory, const struct mapping *mapping,
			struct process_losses *losses)
{
	struct module_events module = { 0 };
	struct module_section section = { 0 };
	int file = -1;

	if (losses->module_count > MODULES_MAX)
		return;
	module.path = xstrdup(mapping->path);
	if (losses->module_count < MODULES_MAX)
		file = module_file_open(memory, losses->pid, mapping, &module.why);
	else
		module.why = "it and others behind it are more than 4,096 modules";
	if (file >= 0) {
		module.why = module_file_find(file, &section);
		close(file);
		if (!module.why)
			module.why = read_events(memory, mapping->begin + section.at,
						 section.size / sizeof(void *), &module, losses);
	}
	losses->modules = xgrow(losses->modules, losses->module_count, sizeof(module));
	losses->modules[losses->module_count++] = module;
}
