/* SPDX-License-Identifier: MIT */
/*
 * Writes capture files. An event costs the recorder some 10 bytes and little time: it
 * is not looked at, and nothing is put in order.
 */
#include <stdlib.h>
#include <string.h>

#include "capture_writer.h"
#include "capture_stacks.h"
#include "common/cli/memory.h"
#include "common/records/byte_cursor.h"

/* Bytes of a write(2). */
#define AT_ONCE (256u << 10)
/* Threads that are remembered. One that is forgotten gets another number. */
#define THREADS 1024u
#define NONE UINT32_MAX
/* An event has two varints of 64 bits, and two of 32. */
#define EVENT_MOST (4 * VARINT_MOST)
/* Then no event waits for the end of a pass that may refer to what has ended. */
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

struct written_place {
	uint32_t place;	 /* in the file, or NONE */
	uint32_t number; /* of the page that was written last */
};

struct written_ring {
	char *cgroup;
	uint32_t number; /* in the file, if it has a cgroup */
	uint32_t serial; /* the ring's number among those of the file */
	uint32_t file;	 /* the file of which the rest is; 0: none */
	uint64_t pass;	 /* of its last page */
	struct written_definition **definitions; /* by index in the ring */
	uint32_t definition_room;
	struct written_place *places; /* by place in the ring */
	uint32_t place_room;
};

struct written_thread {
	uint32_t pid, tid;
	uint32_t number; /* in the file, and 1 */
	char comm[16];
};

/* Numbers */

static void end_number(const struct capture_writer *writer, struct written_numbers *numbers,
		       uint32_t number)
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

static uint32_t take_number(const struct capture_writer *writer,
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

/* Add a record: head, which takes the size, then content. */
static void add(struct bytes *bytes, void *record, size_t size, const void *content,
		size_t length)
{
	struct capture_file_head *head = record;
	size_t begin = bytes->length;

	head->size = (uint32_t)((size + length + 7) & ~(size_t)7);
	bytes_add(bytes, record, size);
	bytes_add(bytes, content, length);
	bytes_pad(bytes, begin);
}

/* A name in 16 bytes, which are zeros. */
static void copy_name(char *to, const char *from)
{
	memcpy(to, from, strnlen(from, 15));
}

/* Definitions */

static struct written_definition *define(struct capture_writer *writer, uint64_t key,
					 const char *text)
{
	struct capture_file_definition record = {
		.head.kind = CAPTURE_FILE_DEFINITION,
		.index = take_number(writer, &writer->indexes),
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
	add(&writer->bytes, &record, sizeof(record), text, record.length + 1);
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

/* The index in the file. */
static uint32_t index_of(struct capture_writer *writer, struct written_ring *ring,
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

/* A ring that has it ends. */
static void leave_definition(struct capture_writer *writer,
			     struct written_definition *definition)
{
	if (--definition->users)
		return;
	key_table_remove(&writer->by_text, definition->key, definition->index);
	writer->definitions[definition->index] = NULL;
	end_number(writer, &writer->indexes, definition->index);
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

/* Files */

static void begin_file(struct capture_writer *writer)
{
	struct capture_file_header header = {
		.order = CAPTURE_FILE_ORDER, .version = CAPTURE_FILE_VERSION,
	};

	memcpy(header.magic, CAPTURE_FILE_MAGIC, sizeof(header.magic));
	bytes_add(&writer->bytes, &header, sizeof(header));
	writer->file++;
}

static void forget_threads(struct capture_writer *writer)
{
	memset(writer->threads, 0, THREADS * sizeof(*writer->threads));
	writer->thread_count = 0;
}

void capture_writer_restart(struct capture_writer *writer)
{
	forget_definitions(writer);
	forget_all_numbers(&writer->indexes);
	forget_all_numbers(&writer->rings);
	forget_all_numbers(&writer->places);
	forget_threads(writer);
	writer->lost = (struct capture_file_lost){ .head.size = 0 };
	writer->runs = 0;
	writer->bytes.length = 0;
	begin_file(writer);
}

static int write_bytes(struct capture_writer *writer)
{
	const size_t length = writer->bytes.length;

	writer->bytes.length = 0;
	return length ? outfile_write_records(writer->out, writer->bytes.at, length) : 0;
}

int capture_writer_begin(struct capture_writer *writer, struct outfile *out)
{
	*writer = (struct capture_writer){ .out = out };
	writer->threads = xcalloc(THREADS, sizeof(*writer->threads));
	begin_file(writer);
	if (!out)
		return 0;
	writer->bytes.length = 0;
	return outfile_write(out, writer->bytes.at, sizeof(struct capture_file_header));
}

/* Rings */

struct written_ring *capture_writer_add_ring(const char *cgroup)
{
	struct written_ring *ring = xcalloc(1, sizeof(*ring));

	ring->cgroup = cgroup && *cgroup ? xstrdup(cgroup) : NULL;
	return ring;
}

static void number_ring(struct capture_writer *writer, struct written_ring *ring)
{
	struct capture_file_ring record = {
		.head.kind = CAPTURE_FILE_RING,
		.number = take_number(writer, &writer->rings),
		.length = (uint32_t)strlen(ring->cgroup),
	};

	ring->number = record.number;
	add(&writer->bytes, &record, sizeof(record), ring->cgroup, record.length + 1);
}

/* Another file knows nothing of the ring. */
static void find_ring(struct capture_writer *writer, struct written_ring *ring)
{
	if (ring->file == writer->file)
		return;
	ring->file = writer->file;
	ring->serial = writer->serial++;
	ring->definition_room = ring->place_room = 0;
	ring->number = CAPTURE_FILE_NO_RING;
	if (ring->cgroup)
		number_ring(writer, ring);
}

static void end_numbers(struct capture_writer *writer, const struct written_ring *ring)
{
	for (uint32_t i = 0; i < ring->definition_room; i++)
		if (ring->definitions[i])
			leave_definition(writer, ring->definitions[i]);
	for (uint32_t i = 0; i < ring->place_room; i++)
		if (ring->places[i].place != NONE)
			end_number(writer, &writer->places, ring->places[i].place);
	if (ring->cgroup)
		end_number(writer, &writer->rings, ring->number);
}

void capture_writer_remove_ring(struct capture_writer *writer, struct written_ring *ring)
{
	if (!ring)
		return;
	if (ring->file == writer->file)
		end_numbers(writer, ring);
	free(ring->cgroup);
	free(ring->definitions);
	free(ring->places);
	free(ring);
}

/* Threads */

static void name_thread(struct capture_writer *writer, struct written_thread *thread)
{
	struct capture_file_thread record = {
		.head.kind = CAPTURE_FILE_THREAD,
		.tid = thread->tid,
	};

	thread->number = ++writer->thread_count;
	memcpy(record.comm, thread->comm, sizeof(record.comm));
	add(&writer->bytes, &record, sizeof(record), NULL, 0);
}

static uint32_t find_thread(struct capture_writer *writer,
			    const struct ue_captured_page *page,
			    const struct ue_page_thread *thread)
{
	struct written_thread wanted = {
		.pid = (uint32_t)page->pid, .tid = (uint32_t)thread->tid,
	};
	struct written_thread *found = &writer->threads[wanted.tid % THREADS];

	copy_name(wanted.comm, thread->name);
	wanted.number = found->number;
	if (found->number && !memcmp(found, &wanted, sizeof(wanted)))
		return found->number - 1;
	*found = wanted;
	name_thread(writer, found);
	return found->number - 1;
}

static void forget_numbers(struct capture_writer *writer, uint32_t count)
{
	for (; writer->number_room < count; writer->number_room++)
		writer->numbers = xgrow(writer->numbers, writer->number_room,
					sizeof(*writer->numbers));
	for (uint32_t i = 0; i < count; i++)
		writer->numbers[i] = NONE;
}

static uint32_t number_of(struct capture_writer *writer,
			  const struct ue_captured_page *page, uint32_t thread)
{
	uint32_t *number = &writer->numbers[thread];

	if (*number == NONE)
		*number = find_thread(writer, page, &page->threads[thread]);
	return *number;
}

/* Pages */

static struct written_place *find_place(struct written_ring *ring, uint32_t place)
{
	for (; ring->place_room <= place; ring->place_room++) {
		ring->places = xgrow(ring->places, ring->place_room, sizeof(*ring->places));
		ring->places[ring->place_room] = (struct written_place){ NONE, NONE };
	}
	return &ring->places[place];
}

/* The place of the page in the file. */
static uint32_t add_page(struct capture_writer *writer, struct written_ring *ring,
			 const struct ue_captured_page *page)
{
	struct written_place *place = find_place(ring, page->place);
	struct capture_file_page record = {
		.head.kind = CAPTURE_FILE_PAGE,
		.pid = (uint32_t)page->pid,
		.cpu = page->cpu,
		.lost = page->lost,
		.clock = page->clock_id,
		.ring = ring->number,
		.opened = page->opened,
		.clock_time = page->time,
		.time = page->real_time,
		.writer = (uint64_t)ring->serial << 32 | page->writer,
	};

	if (place->place != NONE && place->number == page->number && !page->lost)
		return place->place;
	if (place->place == NONE)
		place->place = take_number(writer, &writer->places);
	place->number = page->number;
	record.place = place->place;
	copy_name(record.process, page->process);
	add(&writer->bytes, &record, sizeof(record), NULL, 0);
	return place->place;
}

/* Events */

/* Most are of one or two bytes, without a branch, as nobody can foresee which. */
static inline uint8_t *put_difference(uint8_t *at, uint64_t number)
{
	const int is_long = number >= 0x80;

	if (number >= 1 << 14)
		return varint_put(at, number);
	at[0] = (uint8_t)((number & 0x7f) | (unsigned)is_long << 7);
	at[1] = (uint8_t)(number >> 7);
	return at + 1 + is_long;
}

/* Most payloads are short, and a call of memcpy() takes longer than these. */
static inline uint8_t *put_payload(uint8_t *at, const uint8_t *from, uint32_t length)
{
	if (length - 8 <= 8) {
		memcpy(at, from, 8);
		memcpy(at + length - 8, from + length - 8, 8);
	} else if (length - 4 < 4) {
		memcpy(at, from, 4);
		memcpy(at + length - 4, from + length - 4, 4);
	} else {
		memcpy(at, from, length);
	}
	return at + length;
}

/* The event before the next one, and how that begins if it is like it. */
struct packing {
	struct capture_writer *writer;
	struct written_ring *ring;
	const struct ue_captured_page *page;
	uint32_t known, thread; /* as of the page */
	uint32_t index;		/* in the file */
};

/* An event of another kind or thread than the one before, or of any length. */
static uint8_t *put_other(struct packing *packing, uint8_t *at,
			  const struct ue_page_event *event, uint64_t difference)
{
	const int is_other = event->thread != packing->thread;

	if (event->index != packing->known)
		packing->index = index_of(packing->writer, packing->ring, event);
	packing->known = event->index;
	at = varint_put(at, (uint64_t)packing->index * 2 + is_other);
	if (is_other)
		at = varint_put(at, number_of(packing->writer, packing->page, event->thread));
	packing->thread = event->thread;
	at = put_difference(at, difference);
	at = varint_put(at, event->length);
	return put_payload(at, event->bytes, event->length);
}

/* Most events are like the one before, so index and length take a byte each. */
static inline int is_like(const struct packing *packing, const struct ue_page_event *event)
{
	return event->index == packing->known && event->thread == packing->thread &&
	       packing->index < 0x40 && event->length < 0x80;
}

static void pack(struct capture_writer *writer, struct written_ring *ring,
		 const struct ue_captured_page *page)
{
	struct packing packing = { writer, ring, page, NONE, NONE, NONE };
	const struct ue_page_event *event = page->events, *end = event + page->event_count;
	struct bytes *packed = &writer->packed;
	uint64_t clock = page->opened;
	uint8_t *at, *most;

	packed->length = 0;
	forget_numbers(writer, page->thread_count);
	at = bytes_room(packed, EVENT_MOST);
	for (most = packed->at + packed->room; event != end; clock = event++->clock) {
		if ((size_t)(most - at) < EVENT_MOST + event->length) {
			packed->length = (size_t)(at - packed->at);
			at = bytes_room(packed, EVENT_MOST + event->length);
			most = packed->at + packed->room;
		}
		if (!is_like(&packing, event)) {
			at = put_other(&packing, at, event, event->clock - clock);
			continue;
		}
		*at++ = (uint8_t)(packing.index * 2);
		at = put_difference(at, event->clock - clock);
		*at++ = (uint8_t)event->length;
		at = put_payload(at, event->bytes, event->length);
	}
	packed->length = (size_t)(at - packed->at);
}

static void add_events(struct capture_writer *writer, const struct ue_captured_page *page,
		       uint32_t place)
{
	struct capture_file_events record = {
		.head.kind = CAPTURE_FILE_EVENTS,
		.place = place,
		.count = page->event_count,
		.rate = page->rate,
	};

	add(&writer->bytes, &record, sizeof(record), writer->packed.at,
	    writer->packed.length);
	writer->runs++;
}

static void add_stacks(struct capture_writer *writer, const struct ue_captured_page *page)
{
	struct capture_file_stacks record = capture_stacks_pack(page, &writer->packed);

	if (record.count)
		add(&writer->bytes, &record, sizeof(record), writer->packed.at,
		    writer->packed.length);
}

/* Passes */

/* next_threads: how many may be named before the end of the next pass. */
static void end_pass(struct capture_writer *writer, int64_t until, uint32_t next_threads)
{
	struct capture_file_pass record = {
		.head.kind = CAPTURE_FILE_PASS,
		.forgets_threads =
			writer->thread_count + next_threads > CAPTURE_FILE_THREADS_MAX,
		.until = until,
	};

	if (!writer->runs && !record.forgets_threads)
		return;
	if (record.forgets_threads)
		forget_threads(writer);
	add(&writer->bytes, &record, sizeof(record), NULL, 0);
	writer->runs = 0;
	writer->passes++;
}

void capture_writer_end_pass(struct capture_writer *writer, int64_t until)
{
	end_pass(writer, until, 0);
}

static void begin_page(struct capture_writer *writer, struct written_ring *ring,
		       const struct ue_captured_page *page)
{
	const int is_next = !writer->has_rounds && page->pass != ring->pass;

	if (is_next || writer->runs == CAPTURE_FILE_RUNS_MAX ||
	    writer->thread_count + page->thread_count > CAPTURE_FILE_THREADS_MAX)
		end_pass(writer, INT64_MAX, page->thread_count);
	ring->pass = page->pass;
}

int capture_writer_page(struct capture_writer *writer, struct written_ring *ring,
			const struct ue_captured_page *page)
{
	uint32_t place;

	if (!page->event_count && !page->lost)
		return 0;
	begin_page(writer, ring, page);
	find_ring(writer, ring);
	place = add_page(writer, ring, page);
	if (page->event_count) {
		pack(writer, ring, page);
		add_events(writer, page, place);
		add_stacks(writer, page);
	}
	return !writer->out || writer->bytes.length < AT_ONCE ? 0 : write_bytes(writer);
}

void capture_writer_losses(struct capture_writer *writer,
			   const struct ue_capture_counts *counts, uint64_t in_programs)
{
	struct capture_file_lost record = {
		.head = { sizeof(record), CAPTURE_FILE_LOST },
		.overwritten = counts->overwritten,
		.in_programs = in_programs,
	};

	memcpy(record.lost, counts->lost, sizeof(record.lost));
	if (!writer->lost.head.size)
		writer->lost.head = record.head; /* all are 0 */
	if (!memcmp(&record, &writer->lost, sizeof(record)))
		return;
	writer->lost = record;
	add(&writer->bytes, &record, sizeof(record), NULL, 0);
}

int capture_writer_flush(struct capture_writer *writer)
{
	end_pass(writer, INT64_MAX, 0);
	return write_bytes(writer);
}

void capture_writer_free(struct capture_writer *writer)
{
	forget_definitions(writer);
	bytes_free(&writer->packed);
	bytes_free(&writer->bytes);
	free(writer->indexes.ended);
	free(writer->rings.ended);
	free(writer->places.ended);
	free(writer->threads);
	free(writer->numbers);
}
