/* SPDX-License-Identifier: MIT */
/*
 * Reads the events of a module, a program or shared object, in the memory of a process.
 *
 * The section "ue_events" has their addresses. Sections are not in memory, so the place of
 * this one comes from the module's file, and everything else from the memory. Neither is
 * trusted: what cannot be read, or is no struct ue_event, is passed over.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <userevents/event.h>
#include <userevents/eventheader_name.h>
#include <userevents/tracepoint.h>

#include "cli/memory.h"
#include "module_file.h"

#define ENTRIES_MAX 65536 /* of all modules; the kernel has no more events */
#define MODULES_MAX 4096

/* A program that was built with an earlier version has less than today's struct. */
#define EVENT_READ (offsetof(struct ue_event, ue__registration) + sizeof(void *))

static int read_at(int memory, uint64_t at, void *to, size_t size)
{
	return pread(memory, to, size, (off_t)at) == (ssize_t)size ? 0 : -1;
}

static size_t read_text(int memory, const char *address, char *to, size_t size)
{
	ssize_t length = pread(memory, to, size - 1, (off_t)(uintptr_t)address);

	to[length > 0 ? length : 0] = '\0';
	return strlen(to);
}

/* The reason is a sentence, and becomes a part of one. */
static const char *with_reason(const char *name, const char *reason)
{
	size_t length = strlen(reason);

	length -= length && reason[length - 1] == '.';
	return xprintf("%s (%.*s)", name, (int)length, reason);
}

/* Registering makes the name of its parts. */
static const char *describe_tracepoint(int memory,
				       const struct ue_tracepoint_parts *parts)
{
	char text[UE_TRACEPOINT_TEXT], provider[256], group[256];
	struct ue_eventheader_error error;
	struct ue_eventheader_name name = {
		.provider = provider,
		.provider_length = read_text(memory, parts->provider, provider, 256),
		.group = group,
		.group_length = read_text(memory, parts->group, group, 256),
		.keyword = parts->keyword,
		.level = parts->level <= UINT8_MAX ? (uint8_t)parts->level : 0,
	};

	if (ue_eventheader_name_make(&name, text, sizeof(text), &error) >= 0)
		return xstrdup(text);
	return with_reason(provider, error.reason);
}

/* "NAME", or "NAME (REASON)" if it can never be registered. */
static const char *describe(int memory, const struct ue_event *event)
{
	struct ue_definition_error error = { .reason = NULL };
	struct ue_tracepoint_parts parts;
	char text[1024];

	if (!read_at(memory, (uintptr_t)event->ue__parts, &parts, sizeof(parts)))
		return describe_tracepoint(memory, &parts);
	read_text(memory, event->definition, text, sizeof(text));
	ue_definition_check(text, event->flags, &error);
	text[strcspn(text, " ")] = '\0';
	return error.reason ? with_reason(text, error.reason) : xstrdup(text);
}

static void read_event(int memory, uint64_t address, struct module_events *module)
{
	struct ue_event event;

	if (read_at(memory, address, &event, EVENT_READ) || event.size < EVENT_READ)
		return;
	module->count++;
	if (event.ue__registration)
		return;
	module->missing++;
	if (module->names.count < MODULE_NAMES)
		words_add(&module->names, describe(memory, &event));
}

static const char *read_events(int memory, uint64_t at, uint64_t count,
			       struct module_events *module, struct process_losses *losses)
{
	uintptr_t address;

	for (; count && !losses->is_cancelled; count--, at += sizeof(address)) {
		if (losses->entries == ENTRIES_MAX)
			return "the process lists more than 65,536 events";
		losses->entries++;
		if (read_at(memory, at, &address, sizeof(address)))
			return "its memory has no list of events";
		read_event(memory, address, module);
	}
	return NULL;
}

void module_events_read(int memory, const struct mapping *mapping,
			struct process_losses *losses)
{
	struct module_events module = { 0 };
	struct module_section section;
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
