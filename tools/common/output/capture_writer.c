/* SPDX-License-Identifier: MIT */
/*
 * Writes capture files. An event costs the recorder some 10 bytes and little time: it
 * is not looked at, and nothing is put in order.
 */
#include <stdlib.h>
#include <string.h>

#include "capture_writer.h"
#include "common/cli/memory.h"
#include "common/records/byte_cursor.h"

/* Bytes of a write(2). */
#define AT_ONCE (256u << 10)
#define NONE CAPTURE_NAMES_NONE
/* An event has two varints of 64 bits, and two of 32. */
#define EVENT_MOST (4 * VARINT_MOST)

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

void capture_writer_restart(struct capture_writer *writer)
{
	capture_names_restart(writer);
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
	capture_names_begin(writer);
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
		.number = capture_number_take(writer, &writer->rings),
		.length = (uint32_t)strlen(ring->cgroup),
	};

	ring->number = record.number;
	capture_add(&writer->bytes, &record, sizeof(record), ring->cgroup,
		    record.length + 1);
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
			capture_definition_leave(writer, ring->definitions[i]);
	for (uint32_t i = 0; i < ring->place_room; i++)
		if (ring->places[i].place != NONE)
			capture_number_end(writer, &writer->places,
					   ring->places[i].place);
	if (ring->cgroup)
		capture_number_end(writer, &writer->rings, ring->number);
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
		place->place = capture_number_take(writer, &writer->places);
	place->number = page->number;
	record.place = place->place;
	capture_copy_name(record.process, page->process);
	capture_add(&writer->bytes, &record, sizeof(record), NULL, 0);
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
	struct capture_writer *writer = packing->writer;

	if (event->index != packing->known)
		packing->index = capture_definition_index(writer, packing->ring, event);
	packing->known = event->index;
	at = varint_put(at, (uint64_t)packing->index * 2 + is_other);
	if (is_other)
		at = varint_put(at, capture_thread_number(writer, packing->page,
							  event->thread));
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
	capture_threads_begin_page(writer, page->thread_count);
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

	capture_add(&writer->bytes, &record, sizeof(record), writer->packed.at,
		    writer->packed.length);
	writer->runs++;
}

/* Stacks: an address is written as the difference from the one before. */

/* Small numbers for small differences, of both signs. */
static uint64_t zigzag(uint64_t difference)
{
	return difference << 1 ^ (uint64_t)((int64_t)difference >> 63);
}

static uint8_t *put_stack(uint8_t *at, const struct ue_page_event *event, uint64_t *last)
{
	const uint64_t *stack = ue_page_event_stack(event);

	at = varint_put(at, event->frames * 2u + !!event->is_stack_cut);
	for (uint32_t i = 0; i < event->frames; i++) {
		at = varint_put(at, zigzag(stack[i] - *last));
		*last = stack[i];
	}
	return at;
}

/* Put them in place of the packed bytes. The head of their record; its count may be 0. */
static struct capture_file_stacks pack_stacks(const struct ue_captured_page *page,
					      struct bytes *packed)
{
	struct capture_file_stacks record = { .head.kind = CAPTURE_FILE_STACKS };
	uint64_t last = 0;
	uint32_t next = 0;

	packed->length = 0;
	for (uint32_t i = 0; i < page->event_count; i++) {
		const struct ue_page_event *event = &page->events[i];
		uint8_t *at;

		if (!event->frames)
			continue;
		at = bytes_room(packed, (event->frames + 2u) * VARINT_MOST);
		at = varint_put(at, i - next);
		at = put_stack(at, event, &last);
		packed->length = (size_t)(at - packed->at);
		next = i + 1;
		record.count++;
		if (record.asked < event->frames_asked)
			record.asked = event->frames_asked;
	}
	return record;
}

static void add_stacks(struct capture_writer *writer, const struct ue_captured_page *page)
{
	struct capture_file_stacks record = pack_stacks(page, &writer->packed);

	if (record.count)
		capture_add(&writer->bytes, &record, sizeof(record), writer->packed.at,
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
		capture_threads_forget(writer);
	capture_add(&writer->bytes, &record, sizeof(record), NULL, 0);
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
	capture_add(&writer->bytes, &record, sizeof(record), NULL, 0);
}

int capture_writer_flush(struct capture_writer *writer)
{
	end_pass(writer, INT64_MAX, 0);
	return write_bytes(writer);
}

void capture_writer_free(struct capture_writer *writer)
{
	capture_names_free(writer);
	bytes_free(&writer->packed);
	bytes_free(&writer->bytes);
}
