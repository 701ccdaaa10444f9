/* SPDX-License-Identifier: MIT */
/* Keeps the code that processes have mapped, as recordings and rings describe it. */
#include "stacks.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/records/byte_cursor.h"

/* The kernel lets a process have some 65,000 mappings; of code, no program has as many. */
#define OF_PROCESS_MOST 16384u
/*
 * Mappings and processes. Beyond it, processes that ended are forgotten, or those that
 * were not looked for for long.
 */
#define MAPS_MOST ((size_t)1 << 20)
/* Memory of modules; those beyond it have no names. A rich system has some thousand. */
#define MODULE_BYTES_MOST ((size_t)32 << 20)

struct mapped_process {
	uint64_t number;
	uint64_t used; /* maps->uses, when it was looked for last */
	int has_ended;
	uint64_t began; /* when it ran its program; earlier mappings are void */
	struct code_map *maps; /* by address; none overlap */
	uint32_t count, room;
};

/* Modules */

static struct module **modules;
static size_t module_count, module_bytes;
static struct key_table by_file;

/*
 * A recording may have many files with one path. The inode is enough of a key if there is one, so
 * that module_known() needs no build-id.
 */
static uint64_t key_of(const char *path, size_t length, const struct module_identity *identity)
{
	return hash_bytes(path, length) ^
	       (identity->inode ? hash_number(identity->inode) :
				  hash_bytes(identity->build_id, identity->build_id_size));
}

static int is_same(const struct module *module, const char *path, size_t length,
		   const struct module_identity *identity)
{
	const struct module_identity *own = &module->identity;

	return strlen(module->path) == length && !memcmp(module->path, path, length) &&
	       own->build_id_size == identity->build_id_size &&
	       !memcmp(own->build_id, identity->build_id, own->build_id_size) &&
	       own->inode == identity->inode;
}

struct module *module_of(const char *path, size_t length,
			 const struct module_identity *identity)
{
	static struct module others = { .path = "//other" };
	uint64_t key;
	uint32_t steps = 0, found;
	struct module *module;

	length = strnlen(path, length);
	key = key_of(path, length, identity);
	while ((found = key_table_next(&by_file, key, &steps)) != KEY_UNKNOWN)
		if (is_same(modules[found], path, length, identity)) {
			if (identity->seen > modules[found]->identity.seen)
				modules[found]->identity.seen = identity->seen;
			return modules[found];
		}
	if (module_bytes + sizeof(*module) + length > MODULE_BYTES_MOST)
		return &others;
	module_bytes += sizeof(*module) + length;
	module = xcalloc(1, sizeof(*module));
	module->path = xstrndup(path, length);
	module->identity = *identity;
	modules = xgrow(modules, module_count, sizeof(module));
	key_table_add(&by_file, key, (uint32_t)module_count);
	modules[module_count++] = module;
	return module;
}

struct module *module_known(const char *path, uint64_t inode)
{
	const struct module_identity identity = { .inode = inode };
	const uint64_t key = key_of(path, strlen(path), &identity);
	uint32_t steps = 0, found;

	while ((found = key_table_next(&by_file, key, &steps)) != KEY_UNKNOWN)
		if (modules[found]->identity.inode == inode &&
		    !strcmp(modules[found]->path, path))
			return modules[found];
	return NULL;
}

/* Processes */

static struct mapped_process *find(struct code_maps *maps, uint64_t number)
{
	const uint32_t found = key_table_find(&maps->by_number, number);

	if (found == KEY_UNKNOWN)
		return NULL;
	maps->processes[found].used = ++maps->uses;
	return &maps->processes[found];
}

static struct mapped_process *process_of(struct code_maps *maps, uint64_t number)
{
	struct mapped_process *process = find(maps, number);

	if (process)
		return process;
	maps->processes = xgrow(maps->processes, maps->count, sizeof(*process));
	key_table_set(&maps->by_number, number, maps->count);
	process = &maps->processes[maps->count++];
	*process = (struct mapped_process){ .number = number, .used = ++maps->uses };
	return process;
}

static int by_use(const void *a, const void *b)
{
	const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

	return one < other ? -1 : one > other;
}

/* Half of the processes were used last at this moment or later. */
static uint64_t middle_use(const struct code_maps *maps)
{
	uint64_t *uses = xmalloc(maps->count * sizeof(*uses) + 1), middle;

	for (uint32_t i = 0; i < maps->count; i++)
		uses[i] = maps->processes[i].used;
	qsort(uses, maps->count, sizeof(*uses), by_use);
	middle = maps->count ? uses[maps->count / 2] : 0;
	free(uses);
	return middle;
}

/* Processes that ended, and those that were used before a moment. */
static void forget(struct code_maps *maps, uint64_t used)
{
	uint32_t kept = 0;

	key_table_clear(&maps->by_number);
	maps->map_count = 0;
	for (uint32_t i = 0; i < maps->count; i++) {
		if (maps->processes[i].has_ended || maps->processes[i].used < used) {
			free(maps->processes[i].maps);
			continue;
		}
		key_table_set(&maps->by_number, maps->processes[i].number, kept);
		maps->map_count += maps->processes[i].count;
		maps->processes[kept++] = maps->processes[i];
	}
	maps->count = kept;
	maps->ended = 0;
}

/*
 * Whether there is room for so many more mappings, once processes were forgotten. To look
 * at all of them is worth it, as it is a part of them that goes. Rings never tell that a
 * process ended, and may have had any number.
 */
static int has_room(struct code_maps *maps, size_t more)
{
	if (maps->map_count + maps->count + more > MAPS_MOST)
		forget(maps, maps->ended > maps->count / 16 ? 0 : middle_use(maps));
	return maps->map_count + maps->count + more <= MAPS_MOST;
}

static void set_ended(struct code_maps *maps, struct mapped_process *process, int has_ended)
{
	maps->ended += (uint32_t)has_ended - (uint32_t)process->has_ended;
	process->has_ended = has_ended;
}

/* Mappings */

/* The first mapping that ends behind an address. */
static uint32_t place_of(const struct mapped_process *process, uint64_t address)
{
	uint32_t begin = 0, end = process->count;

	while (begin < end) {
		const uint32_t middle = begin + (end - begin) / 2;

		if (process->maps[middle].end <= address)
			begin = middle + 1;
		else
			end = middle;
	}
	return begin;
}

static void insert(struct mapped_process *process, uint32_t at, const struct code_map *map)
{
	if (process->count == process->room) {
		process->room = process->room ? process->room * 2 : 16;
		process->maps = xrealloc(process->maps, process->room * sizeof(*map));
	}
	memmove(process->maps + at + 1, process->maps + at,
		(process->count - at) * sizeof(*map));
	process->maps[at] = *map;
	process->count++;
}

static void cut_begin(struct code_map *map, uint64_t begin)
{
	map->offset += begin - map->begin;
	map->begin = begin;
}

/*
 * Nothing says that memory was unmapped. A mapping takes the place of earlier ones there; of
 * one that it splits, both ends stay.
 */
static void put(struct mapped_process *process, const struct code_map *map)
{
	uint32_t at = place_of(process, map->begin), end = at;
	struct code_map *first = process->maps ? process->maps + at : NULL;
	struct code_map rest;

	if (at < process->count && first->begin < map->begin && first->end > map->end) {
		rest = *first;
		cut_begin(&rest, map->end);
		first->end = map->begin;
		insert(process, at + 1, &rest);
		insert(process, at + 1, map);
		return;
	}
	if (at < process->count && first->begin < map->begin) {
		first->end = map->begin;
		at = ++end;
	}
	while (end < process->count && process->maps[end].end <= map->end)
		end++;
	if (end < process->count && process->maps[end].begin < map->end)
		cut_begin(&process->maps[end], map->end);
	if (end > at)
		memmove(process->maps + at, process->maps + end,
			(process->count - end) * sizeof(*map));
	process->count -= end - at;
	insert(process, at, map);
}

void code_maps_add(struct code_maps *maps, uint64_t number, const struct code_map *map)
{
	struct mapped_process *process;
	uint32_t before;

	if (map->begin >= map->end || !has_room(maps, 2))
		return;
	process = process_of(maps, number);
	if (map->time < process->began || process->count >= OF_PROCESS_MOST)
		return;
	before = process->count;
	set_ended(maps, process, 0);
	put(process, map);
	maps->map_count += (size_t)process->count - before;
}

/* Keep those that a process mapped since then. */
static void drop_before(struct code_maps *maps, struct mapped_process *process, uint64_t time)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < process->count; i++)
		if (process->maps[i].time >= time)
			process->maps[kept++] = process->maps[i];
	maps->map_count -= process->count - kept;
	process->count = kept;
	process->began = time;
	set_ended(maps, process, 0);
}

void code_maps_exec(struct code_maps *maps, uint64_t number, uint64_t time)
{
	struct mapped_process *process = find(maps, number);

	if (process && process->began <= time)
		drop_before(maps, process, time);
}

static void copy_maps(struct code_maps *maps, const struct mapped_process *from,
		      struct mapped_process *to)
{
	AUTO_FREE struct code_map *own = to->maps;
	const uint32_t count = to->count;

	to->count = to->room = from->count;
	to->maps = xmalloc(from->count * sizeof(*to->maps) + 1);
	memcpy(to->maps, from->maps, from->count * sizeof(*to->maps));
	for (uint32_t i = 0; i < count; i++)
		put(to, &own[i]);
	maps->map_count += (size_t)to->count - count;
}

void code_maps_fork(struct code_maps *maps, uint64_t parent, uint64_t child,
		    uint64_t time)
{
	const struct mapped_process *from = find(maps, parent);
	struct mapped_process *to;

	if (parent == child || (!from && !find(maps, child)) ||
	    (from && !has_room(maps, (size_t)from->count + 1)))
		return;
	to = process_of(maps, child);
	if (to->began > time)
		return;
	drop_before(maps, to, time);
	from = find(maps, parent);
	if (from && from->count)
		copy_maps(maps, from, to);
}

void code_maps_exit(struct code_maps *maps, uint64_t number)
{
	struct mapped_process *process = find(maps, number);

	if (process)
		set_ended(maps, process, 1);
}

void code_maps_find(struct code_maps *maps, uint64_t number, int is_return,
		    struct stack_frame *frame)
{
	const struct mapped_process *process = find(maps, number);
	const uint64_t address = frame->address - (is_return && frame->address);
	const struct code_map *map;
	uint32_t at;

	frame->module = NULL;
	frame->offset = 0;
	frame->is_return = is_return;
	at = process ? place_of(process, address) : 0;
	if (!process || at == process->count || process->maps[at].begin > address)
		return;
	map = &process->maps[at];
	frame->module = map->module;
	frame->offset = frame->address - map->begin + map->offset;
}

void code_maps_each(const struct code_maps *maps,
		    void (*see)(void *context, uint64_t process,
				const struct code_map *map),
		    void *context)
{
	for (uint32_t i = 0; i < maps->count; i++)
		for (uint32_t k = 0; k < maps->processes[i].count; k++)
			if (!maps->processes[i].has_ended)
				see(context, maps->processes[i].number,
				    &maps->processes[i].maps[k]);
}

void code_maps_free(struct code_maps *maps)
{
	for (uint32_t i = 0; i < maps->count; i++)
		free(maps->processes[i].maps);
	free(maps->processes);
	key_table_free(&maps->by_number);
	*maps = (struct code_maps){ .count = 0 };
}

/*
 * Stacks of rings, and of captures.
 *
 * Processes describe the code that they have mapped by events with the name ue_mapping
 * (lib/ring/write/stack.h), which are none of the program's. A process describes all of its
 * code at once, numbered from 0, before its first stack and now and then again.
 */

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
