/* SPDX-License-Identifier: MIT */
/*
 * Stacks of rings, and of captures.
 *
 * Processes describe the code that they have mapped by events with the name ue_mapping
 * (lib/ring/write/stack.h), which are none of the program's. A process describes all of its
 * code at once, numbered from 0, before its first stack and now and then again.
 */
#include "stacks.h"

#include <stdlib.h>
#include <string.h>

#include "common/records/byte_cursor.h"

#define NAME "ue_mapping"
#define PATH_SIZE 200

static int is_mapping(const struct tracepoint *tracepoint)
{
	static const char *const names[] = { "number", "begin", "end", "offset", "inode", "path" };
	const struct ue_record_layout *format = &tracepoint->format;

	if (strcmp(tracepoint->name, NAME) != 0 || strcmp(tracepoint->system, "user_events") != 0 ||
	    format->field_count != sizeof(names) / sizeof(names[0]))
		return 0;
	for (uint32_t i = 0; i < format->field_count; i++)
		if (format->fields[i].name_length != strlen(names[i]) ||
		    memcmp(format->fields[i].name, names[i], strlen(names[i])) != 0)
			return 0;
	return 1;
}

static void take_mapping(struct ring_stacks *stacks, const struct record *record,
			 uint64_t process)
{
	struct cursor cursor = cursor_of(record->bytes, record->length,
					 record->tracepoint->format.big_endian);
	const uint32_t number = cursor_u32(&cursor);
	const uint64_t time = (uint64_t)record->sample.time;
	struct module_identity identity = { .seen = record->sample.time };
	struct code_map map = { .time = time };
	const uint8_t *path;

	map.begin = cursor_u64(&cursor);
	map.end = cursor_u64(&cursor);
	map.offset = cursor_u64(&cursor);
	identity.inode = cursor_u64(&cursor);
	path = cursor_take(&cursor, PATH_SIZE);
	if (!path || map.end > INT64_MAX)
		return;
	if (!number)
		code_maps_exec(&stacks->code, process, time);
	map.module = module_of(*path ? (const char *)path : "//anon", *path ? PATH_SIZE : 6,
			       &identity);
	code_maps_add(&stacks->code, process, &map);
}

struct ring_stack ring_stack_of(const struct ue_captured *event)
{
	return (struct ring_stack){
		.process = event->writer,
		.addresses = event->stack,
		.count = event->frames,
		.asked = event->frames_asked,
		.is_cut = event->is_stack_cut != 0,
	};
}

int ring_stacks_take(struct ring_stacks *stacks, struct record *record,
		     const struct ring_stack *stack)
{
	const uint32_t given = stack->count;
	const uint32_t count = given < RING_FRAMES_MOST ? given : RING_FRAMES_MOST;

	if (is_mapping(record->tracepoint)) {
		take_mapping(stacks, record, stack->process);
		return 0;
	}
	if (!count)
		return 1;
	if (!stacks->frames)
		stacks->frames = xmalloc(RING_FRAMES_MOST * sizeof(*stacks->frames));
	for (uint32_t i = 0; i < count; i++) {
		stacks->frames[i].address = stack->addresses[i];
		code_maps_find(&stacks->code, stack->process, 1, &stacks->frames[i]);
	}
	record->frames = stacks->frames;
	record->frame_count = count;
	record->frames_asked = stack->asked;
	record->is_stack_cut = stack->is_cut;
	return 1;
}

int ring_stacks_is_event(const struct tracepoint *tracepoint)
{
	return !is_mapping(tracepoint);
}

int ring_stacks_describes(const char *definition)
{
	return !strncmp(definition, NAME " u32 number; u64 begin; ",
			strlen(NAME " u32 number; u64 begin; "));
}

uint32_t ring_stacks_events(const struct ue_captured_page *page)
{
	uint32_t count = 0, known = UINT32_MAX;
	int is_event = 0;

	for (uint32_t i = 0; i < page->event_count; i++) {
		const struct ue_page_event *event = &page->events[i];

		if (event->index != known)
			is_event = !ring_stacks_describes(event->definition);
		known = event->index;
		count += (uint32_t)is_event;
	}
	return count;
}

void ring_stacks_free(struct ring_stacks *stacks)
{
	code_maps_free(&stacks->code);
	free(stacks->frames);
	*stacks = (struct ring_stacks){ .frames = NULL };
}
