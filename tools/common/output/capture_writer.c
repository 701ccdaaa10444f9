/* SPDX-License-Identifier: MIT */
/*
 * Writes capture files. An event costs the recorder some 10 bytes and little time: it
 * is not looked at, and nothing is put in order.
 */
#include <stdlib.h>
#include <string.h>

#include "capture_writer.h"
#include "common/cli/memory.h"

/* Bytes of a write(2). */
#define AT_ONCE (256u << 10)
/* Threads that are remembered. One that is forgotten gets another number. */
#define THREADS 1024u
#define NONE UINT32_MAX
/* A varint of 64 bits; an event has two of them, and two of 32 bits. */
#define VARINT_MOST 10u
#define EVENT_MOST (4 * VARINT_MOST)

struct written_place {
	uint32_t place;	 /* in the file, or NONE */
	uint32_t number; /* of the page that was written last */
};

struct written_thread {
	uint32_t pid, tid;
	uint32_t number; /* in the file, and 1 */
	char comm[16];
};

int capture_writer_begin(struct capture_writer *writer, struct outfile *out)
{
	struct capture_file_header header = {
		.order = CAPTURE_FILE_ORDER, .version = CAPTURE_FILE_VERSION,
	};

	*writer = (struct capture_writer){ .out = out };
	writer->threads = xcalloc(THREADS, sizeof(*writer->threads));
	memcpy(header.magic, CAPTURE_FILE_MAGIC, sizeof(header.magic));
	return outfile_write(out, &header, sizeof(header));
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

static int is_defined(struct capture_writer *writer, uint32_t index)
{
	for (; writer->indexes <= index; writer->indexes++) {
		writer->is_defined = xgrow(writer->is_defined, writer->indexes, 1);
		writer->is_defined[writer->indexes] = 0;
	}
	return writer->is_defined[index];
}

static void define(struct capture_writer *writer, const struct ue_page_event *event)
{
	struct capture_file_definition record = {
		.head.kind = CAPTURE_FILE_DEFINITION,
		.index = event->index,
		.length = (uint32_t)strlen(event->definition),
	};

	writer->is_defined[event->index] = 1;
	add(&writer->bytes, &record, sizeof(record), event->definition,
	    record.length + 1);
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

static struct written_place *find_place(struct capture_writer *writer, uint32_t place)
{
	for (; writer->place_room <= place; writer->place_room++) {
		writer->places = xgrow(writer->places, writer->place_room,
				       sizeof(*writer->places));
		writer->places[writer->place_room] = (struct written_place){ NONE, NONE };
	}
	return &writer->places[place];
}

/* The place of the page in the file. */
static uint32_t add_page(struct capture_writer *writer,
			 const struct ue_captured_page *page)
{
	struct written_place *place = find_place(writer, page->place);
	struct capture_file_page record = {
		.head.kind = CAPTURE_FILE_PAGE,
		.pid = (uint32_t)page->pid,
		.cpu = page->cpu,
		.lost = page->lost,
		.clock = page->clock_id,
		.opened = page->opened,
		.clock_time = page->time,
		.time = page->real_time,
	};

	if (place->place != NONE && place->number == page->number && !page->lost)
		return place->place;
	if (place->place == NONE)
		place->place = writer->place_count++;
	place->number = page->number;
	record.place = place->place;
	copy_name(record.process, page->process);
	add(&writer->bytes, &record, sizeof(record), NULL, 0);
	return place->place;
}

/* Events */

static inline uint8_t *put_varint(uint8_t *at, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		*at++ = (uint8_t)(number | 0x80);
	*at++ = (uint8_t)number;
	return at;
}

/* Most are of one or two bytes, without a branch, as nobody can foresee which. */
static inline uint8_t *put_difference(uint8_t *at, uint64_t number)
{
	const int is_long = number >= 0x80;

	if (number >= 1 << 14)
		return put_varint(at, number);
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

static void pack(struct capture_writer *writer, const struct ue_captured_page *page)
{
	struct bytes *packed = &writer->packed;
	uint64_t clock = page->opened;
	uint32_t thread = NONE, defined = NONE;
	uint8_t *at;

	packed->length = 0;
	forget_numbers(writer, page->thread_count);
	at = bytes_room(packed, EVENT_MOST);
	for (uint32_t i = 0; i < page->event_count; i++) {
		const struct ue_page_event event = page->events[i];
		const int is_other = event.thread != thread;

		if (event.index != defined && !is_defined(writer, event.index))
			define(writer, &event);
		if ((size_t)(packed->at + packed->room - at) <
		    EVENT_MOST + event.length) {
			packed->length = (size_t)(at - packed->at);
			at = bytes_room(packed, EVENT_MOST + event.length);
		}
		at = put_varint(at, (uint64_t)event.index * 2 + is_other);
		if (is_other)
			at = put_varint(at, number_of(writer, page, event.thread));
		at = put_difference(at, event.clock - clock);
		at = put_varint(at, event.length);
		at = put_payload(at, event.bytes, event.length);
		thread = event.thread;
		defined = event.index;
		clock = event.clock;
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

/* Passes */

static void end_pass(struct capture_writer *writer, uint32_t next_threads)
{
	struct capture_file_pass record = {
		.head.kind = CAPTURE_FILE_PASS,
		.forgets_threads =
			writer->thread_count + next_threads > CAPTURE_FILE_THREADS_MAX,
	};

	if (!writer->runs && !record.forgets_threads)
		return;
	if (record.forgets_threads) {
		memset(writer->threads, 0, THREADS * sizeof(*writer->threads));
		writer->thread_count = 0;
	}
	add(&writer->bytes, &record, sizeof(record), NULL, 0);
	writer->runs = 0;
}

static void begin_page(struct capture_writer *writer, const struct ue_captured_page *page)
{
	if (page->pass != writer->pass || writer->runs == CAPTURE_FILE_RUNS_MAX ||
	    writer->thread_count + page->thread_count > CAPTURE_FILE_THREADS_MAX)
		end_pass(writer, page->thread_count);
	writer->pass = page->pass;
}

static int write_bytes(struct capture_writer *writer)
{
	const size_t length = writer->bytes.length;

	writer->bytes.length = 0;
	return length ? outfile_write_records(writer->out, writer->bytes.at, length) : 0;
}

int capture_writer_page(struct capture_writer *writer,
			const struct ue_captured_page *page)
{
	uint32_t place;

	if (!page->event_count && !page->lost)
		return 0;
	begin_page(writer, page);
	place = add_page(writer, page);
	if (page->event_count) {
		pack(writer, page);
		add_events(writer, page, place);
	}
	return writer->bytes.length < AT_ONCE ? 0 : write_bytes(writer);
}

void capture_writer_losses(struct capture_writer *writer,
			   const struct ue_capture_counts *counts)
{
	struct capture_file_lost record = {
		.head = { sizeof(record), CAPTURE_FILE_LOST },
		.overwritten = counts->overwritten,
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
	end_pass(writer, 0);
	return write_bytes(writer);
}

void capture_writer_free(struct capture_writer *writer)
{
	bytes_free(&writer->packed);
	bytes_free(&writer->bytes);
	free(writer->is_defined);
	free(writer->places);
	free(writer->threads);
	free(writer->numbers);
}
