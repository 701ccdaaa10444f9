/* SPDX-License-Identifier: MIT */
/*
 * Numbers the things that a capture file names: definitions, rings, places and threads.
 * The number of one that has ended is used again.
 */
#include "capture_writer.h"

#include <stdlib.h>
#include <string.h>

/* Threads that are remembered. One that is forgotten gets another number. */
#define THREADS 1024u
#define NONE CAPTURE_NAMES_NONE
/* Then no event waits for the end of a pass that may refer to ended things. */
#define PASSES_TO_REST 2u

struct ended_number {
	uint32_t number;
	uint64_t pass; /* when it ended */
};

/* Rings that have the same one share it. */
struct written_definition {
	uint64_t key; /* the hash of the text */
	uint32_t index, users;
	char text[];
};

struct written_thread {
	uint32_t pid, tid;
	uint32_t number; /* in the file, and 1 */
	char comm[16];
};

/* Numbers */

void capture_number_end(const struct capture_writer *writer,
			struct written_numbers *numbers, uint32_t number)
{
	const struct ended_number ended = { number, writer->passes };

	numbers->ended = xgrow(numbers->ended, numbers->count, sizeof(ended));
	numbers->ended[numbers->count++] = ended;
}

/* Those in front were taken. */
static void drop_taken(struct written_numbers *numbers)
{
	if (numbers->first < numbers->count && numbers->first < 1024)
		return;
	numbers->count -= numbers->first;
	memmove(numbers->ended, numbers->ended + numbers->first,
		numbers->count * sizeof(*numbers->ended));
	numbers->first = 0;
}

uint32_t capture_number_take(const struct capture_writer *writer,
			     struct written_numbers *numbers)
{
	const struct ended_number *first = numbers->ended + numbers->first;
	uint32_t number;

	if (numbers->first == numbers->count ||
	    writer->passes - first->pass < PASSES_TO_REST)
		return numbers->next++;
	number = first->number;
	numbers->first++;
	drop_taken(numbers);
	return number;
}

static void forget_all_numbers(struct written_numbers *numbers)
{
	numbers->next = 0;
	numbers->first = numbers->count = 0;
}

void capture_add(struct bytes *bytes, void *record, size_t size,
		 const void *content, size_t length)
{
	struct capture_file_head *head = record;
	size_t begin = bytes->length;

	head->size = (uint32_t)((size + length + 7) & ~(size_t)7);
	bytes_add(bytes, record, size);
	bytes_add(bytes, content, length);
	bytes_pad(bytes, begin);
}

void capture_copy_name(char *to, const char *from)
{
	memcpy(to, from, strnlen(from, 15));
}

/* Definitions */

static struct written_definition *define(struct capture_writer *writer, uint64_t key,
					 const char *text)
{
	struct capture_file_definition record = {
		.head.kind = CAPTURE_FILE_DEFINITION,
		.index = capture_number_take(writer, &writer->indexes),
		.length = (uint32_t)strlen(text),
	};
	struct written_definition *definition =
		xmalloc(sizeof(*definition) + record.length + 1);

	definition->key = key;
	definition->index = record.index;
	definition->users = 0;
	memcpy(definition->text, text, record.length + 1);
	for (; writer->definition_count <= record.index; writer->definition_count++)
		writer->definitions = xgrow(writer->definitions, writer->definition_count,
					    sizeof(*writer->definitions));
	writer->definitions[record.index] = definition;
	key_table_add(&writer->by_text, key, record.index);
	capture_add(&writer->bytes, &record, sizeof(record), text, record.length + 1);
	return definition;
}

static struct written_definition *find_definition(struct capture_writer *writer,
						  const char *text)
{
	const uint64_t key = hash_bytes(text, strlen(text));
	uint32_t steps = 0, found;

	while ((found = key_table_next(&writer->by_text, key, &steps)) != KEY_UNKNOWN)
		if (!strcmp(writer->definitions[found]->text, text))
			return writer->definitions[found];
	return define(writer, key, text);
}

uint32_t capture_definition_index(struct capture_writer *writer,
				  struct written_ring *ring,
				  const struct ue_page_event *event)
{
	struct written_definition **definition;

	for (; ring->definition_room <= event->index; ring->definition_room++) {
		ring->definitions = xgrow(ring->definitions, ring->definition_room,
					  sizeof(*ring->definitions));
		ring->definitions[ring->definition_room] = NULL;
	}
	definition = &ring->definitions[event->index];
	if (!*definition) {
		*definition = find_definition(writer, event->definition);
		(*definition)->users++;
	}
	return (*definition)->index;
}

void capture_definition_leave(struct capture_writer *writer,
			      struct written_definition *definition)
{
	if (--definition->users)
		return;
	key_table_remove(&writer->by_text, definition->key, definition->index);
	writer->definitions[definition->index] = NULL;
	capture_number_end(writer, &writer->indexes, definition->index);
	free(definition);
}

static void forget_definitions(struct capture_writer *writer)
{
	for (uint32_t i = 0; i < writer->definition_count; i++)
		free(writer->definitions[i]);
	free(writer->definitions);
	writer->definitions = NULL;
	writer->definition_count = 0;
	key_table_free(&writer->by_text);
}

/* Threads */

void capture_threads_forget(struct capture_writer *writer)
{
	memset(writer->threads, 0, THREADS * sizeof(*writer->threads));
	writer->thread_count = 0;
}

static void name_thread(struct capture_writer *writer, struct written_thread *thread)
{
	struct capture_file_thread record = {
		.head.kind = CAPTURE_FILE_THREAD,
		.tid = thread->tid,
	};

	thread->number = ++writer->thread_count;
	memcpy(record.comm, thread->comm, sizeof(record.comm));
	capture_add(&writer->bytes, &record, sizeof(record), NULL, 0);
}

static uint32_t find_thread(struct capture_writer *writer,
			    const struct ue_captured_page *page,
			    const struct ue_page_thread *thread)
{
	struct written_thread wanted = {
		.pid = (uint32_t)page->pid, .tid = (uint32_t)thread->tid,
	};
	struct written_thread *found = &writer->threads[wanted.tid % THREADS];

	capture_copy_name(wanted.comm, thread->name);
	wanted.number = found->number;
	if (found->number && !memcmp(found, &wanted, sizeof(wanted)))
		return found->number - 1;
	*found = wanted;
	name_thread(writer, found);
	return found->number - 1;
}

void capture_threads_begin_page(struct capture_writer *writer, uint32_t count)
{
	for (; writer->number_room < count; writer->number_room++)
		writer->numbers = xgrow(writer->numbers, writer->number_room,
					sizeof(*writer->numbers));
	for (uint32_t i = 0; i < count; i++)
		writer->numbers[i] = NONE;
}

uint32_t capture_thread_number(struct capture_writer *writer,
			       const struct ue_captured_page *page, uint32_t thread)
{
	uint32_t *number = &writer->numbers[thread];

	if (*number == NONE)
		*number = find_thread(writer, page, &page->threads[thread]);
	return *number;
}

/* The file's */

void capture_names_begin(struct capture_writer *writer)
{
	writer->threads = xcalloc(THREADS, sizeof(*writer->threads));
}

void capture_names_restart(struct capture_writer *writer)
{
	forget_definitions(writer);
	forget_all_numbers(&writer->indexes);
	forget_all_numbers(&writer->rings);
	forget_all_numbers(&writer->places);
	capture_threads_forget(writer);
}

void capture_names_free(struct capture_writer *writer)
{
	forget_definitions(writer);
	free(writer->indexes.ended);
	free(writer->rings.ended);
	free(writer->places.ended);
	free(writer->threads);
	free(writer->numbers);
}
