/* SPDX-License-Identifier: MIT */
/*
 * Reads the events of a module, a program or shared object, in the memory of a process.
 *
 * The section "ue_events" has their addresses. Sections are not in memory, so the place of
 * this one comes from the module's file, and everything else from the memory. Neither is
 * trusted: what cannot be read, or is no struct ue_event, is passed over.
 */
#include "process_losses.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <userevents/event.h>
#include <userevents/eventheader_name.h>
#include <userevents/tracepoint.h>

#include "cli/memory.h"

#define SECTION "ue_events"
#define EVENTS_MAX 65536 /* the kernel has no more */

/* Of a file, or of the memory. */
static int read_at(int fd, uint64_t at, void *to, size_t size)
{
	return pread(fd, to, size, (off_t)at) == (ssize_t)size ? 0 : -1;
}

static size_t read_text(int memory, const char *address, char *to, size_t size)
{
	ssize_t length = pread(memory, to, size - 1, (off_t)(uintptr_t)address);

	to[length > 0 ? length : 0] = '\0';
	return strlen(to);
}

/* "NAME", or "NAME (REASON)" if it can never be registered. */
static const char *describe(int memory, const struct ue_event *event)
{
	char text[1024], provider[256], group[256];
	struct ue_definition_error error = { .reason = NULL };
	struct ue_tracepoint_parts parts;
	struct ue_eventheader_name name = { .provider = provider, .group = group };

	if (!read_at(memory, (uintptr_t)event->ue__parts, &parts, sizeof(parts))) {
		/* registering makes the name of its parts */
		name.keyword = parts.keyword;
		name.level = (uint8_t)parts.level;
		name.provider_length = read_text(memory, parts.provider, provider, 256);
		name.group_length = read_text(memory, parts.group, group, 256);
		if (ue_eventheader_name_make(&name, text, sizeof(text), NULL) >= 0)
			return xstrdup(text);
		return xprintf("%s (%s)", provider, ue_explain(UE_CALL_REGISTER, -EINVAL));
	}
	read_text(memory, event->definition, text, sizeof(text));
	ue_definition_check(text, event->flags, &error);
	text[strcspn(text, " ")] = '\0';
	return error.reason ? xprintf("%s (%s)", text, error.reason) : xstrdup(text);
}

static void read_events(int memory, uint64_t at, uint64_t count, struct module_events *module)
{
	struct ue_event event;
	uintptr_t address;

	for (; count && module->count < EVENTS_MAX; count--, at += sizeof(address)) {
		if (read_at(memory, at, &address, sizeof(address)))
			break;
		if (read_at(memory, address, &event, sizeof(event)) ||
		    event.size < sizeof(event))
			continue;
		module->count++;
		if (!event.ue__registration)
			words_add(&module->unregistered, describe(memory, &event));
	}
}

/* The section's distance from the beginning of the mapped file; 0 if there is none. */
static uint64_t find_section(int file, uint64_t *size)
{
	ElfW(Ehdr) header;
	ElfW(Phdr) segment = { .p_type = PT_NULL };
	ElfW(Shdr) names, section;
	char name[sizeof(SECTION)];
	uint64_t at;

	if (read_at(file, 0, &header, sizeof(header)))
		return 0;
	for (at = header.e_phoff; segment.p_type != PT_LOAD; at += sizeof(segment))
		if (!header.e_phnum-- || read_at(file, at, &segment, sizeof(segment)))
			return 0;
	at = header.e_shoff;
	if (read_at(file, at + header.e_shstrndx * sizeof(names), &names, sizeof(names)))
		return 0;
	for (; header.e_shnum--; at += sizeof(section)) {
		if (read_at(file, at, &section, sizeof(section)))
			return 0;
		*size = section.sh_size;
		if (!read_at(file, names.sh_offset + section.sh_name, name, sizeof(name)) &&
		    !memcmp(name, SECTION, sizeof(name)))
			return section.sh_addr - (segment.p_vaddr - segment.p_offset);
	}
	return 0;
}

void module_events_read(int memory, uintptr_t begin, const char *path,
			struct process_losses *losses)
{
	struct module_events module = { .path = xstrdup(path) };
	char *inside = xprintf("/proc/%d/root%s", (int)losses->pid, path);
	int file = open(inside, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	uint64_t size, at = file < 0 ? 0 : find_section(file, &size);

	module.error = file < 0 ? errno : 0;
	free(inside);
	if (at)
		read_events(memory, begin + at, size / sizeof(void *), &module);
	if (file >= 0)
		close(file);
	losses->modules = xgrow(losses->modules, losses->module_count, sizeof(module));
	losses->modules[losses->module_count++] = module;
}
