/* SPDX-License-Identifier: MIT */
/*
 * Read a ring page by page.
 *
 * A pass goes through all pages, as that of ring/read/ring_pass.c does. But the records
 * of a page are copied at once and handed out, unsorted among other pages. So each byte
 * of the ring is touched once, and who records events need not put them in order.
 *
 * Most pages are complete: nobody is amid a record of them. All that is new there is
 * copied and looked at in the copy. Those with holes, or with records that have to wait
 * for the next pass, are left to the functions that ring_pass.c has for them.
 *
 * Events are taken out of the ring when the caller comes back, as everywhere.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ring/read/ring_reader.h"

/* The least record has a write index. */
#define LEAST_RECORD (sizeof(struct ue__ring_record) + 8)
#define EVENTS ((UE__RING_LARGE - sizeof(struct ue__ring_page)) / LEAST_RECORD)

struct ue__ring_copied {
	struct ue_page_event events[EVENTS];
	struct ue_page_thread threads[EVENTS];
	uint32_t last; /* of the threads: that of the last event */
	/* Each at its place. A record is aligned as in its page. */
	char bytes[UE__RING_LARGE] __attribute__((aligned(8)));
};

/*
 * Of a boot before this one, moments of two pages tell how fast its counter was. A page
 * that is handed out at once needs those of all others before.
 */
static void note_moments(struct ue__ring_reader *reader)
{
	uint64_t word;

	for (uint32_t i = 0; i < reader->memory.page_count; i++)
		ue__ring_look(reader, i, &word);
}

static int prepare(struct ue__ring_reader *reader)
{
	if (reader->is_by_page)
		return 0;
	if (!reader->copied) {
		reader->copied = calloc(1, sizeof(*reader->copied));
		if (!reader->copied)
			return -ENOMEM;
		ue__ring_let_go(reader); /* this goes to all pages */
		note_moments(reader);
	}
	reader->is_by_page = 1;
	reader->page = reader->memory.page_count;
	return 0;
}

/* Events in the copy */

static uint32_t thread_of(struct ue__ring_reader *reader, struct ue_captured_page *page,
			  uint32_t tid)
{
	struct ue_page_thread *threads = reader->copied->threads;
	const char *name;

	for (uint32_t i = page->thread_count; i > 0; i--)
		if ((uint32_t)threads[i - 1].tid == tid)
			return i - 1;
	name = ue__ring_thread_name(reader, reader->header.owner, tid);
	threads[page->thread_count].tid = (pid_t)tid;
	memcpy(threads[page->thread_count].name, name, sizeof(reader->names[0].name));
	return page->thread_count++;
}

static void clear(struct ue__ring_reader *reader, struct ue_captured_page *page)
{
	*page = (struct ue_captured_page){ .event_count = 0 };
	reader->descriptions = 0;
}

/* A size that is rounded up does not tell whether there is room for the write index. */
static inline int has_index(const struct ue__ring_record *record)
{
	return (record->head & UE__RING_SIZE) >= sizeof(uint32_t);
}

/* The record has a size that it may have. */
static inline void add_event(struct ue__ring_reader *reader,
			     struct ue_captured_page *page,
			     const struct ue__ring_record *record, uint64_t time)
{
	struct ue__ring_copied *copied = reader->copied;
	struct ue_page_event *event = &copied->events[page->event_count++];
	const struct ue__ring_stack parts = ue__ring_parts(record);

	if (!page->thread_count ||
	    (uint32_t)copied->threads[copied->last].tid != record->tid)
		copied->last = thread_of(reader, page, record->tid);
	event->bytes = record->bytes + sizeof(uint32_t);
	event->clock = time;
	event->length = parts.length;
	event->frames = parts.frames;
	event->is_stack_cut = parts.is_cut;
	event->frames_asked = parts.asked;
	memcpy(&event->index, record->bytes, sizeof(event->index));
	event->thread = copied->last;
	reader->descriptions += !!(record->head & UE__RING_DESCRIBES);
}

static void describe(struct ue__ring_reader *reader, uint32_t index, uint32_t number,
		     struct ue_captured_page *page)
{
	const struct ue__ring_page *header = &reader->header;

	ue__ring_copy_name(reader->process, header->name);
	page->events = reader->copied->events;
	page->threads = reader->copied->threads;
	page->place = index;
	page->number = number;
	page->pass = reader->passes;
	page->writer = header->owner;
	page->pid = (pid_t)header->pid;
	page->cpu = header->cpu;
	page->clock_id = reader->memory.clock << 16 |
			 (ue__ring_boot_of_page(reader, header) & 0xffff);
	page->process = reader->process;
	page->opened = header->counter;
	page->time = header->monotonic;
	page->real_time = ue__ring_wall_time(reader, header, header->monotonic);
	page->rate = ue__ring_page_rate(reader, header);
}

static void copy_header(struct ue__ring_reader *reader, uint32_t index)
{
	memcpy(&reader->header, ue__ring_page(&reader->memory, index),
	       sizeof(reader->header));
}

/* Pages that are complete */

static int compare_events(const void *a, const void *b)
{
	const struct ue_page_event *one = a, *other = b;

	if (one->clock != other->clock)
		return one->clock < other->clock ? -1 : 1;
	return one->bytes < other->bytes ? -1 : one->bytes > other->bytes;
}

/*
 * Add the events of the copy between two places: 0, or -1 if there is a record among
 * them that is not to be read now. Writers get their time after their place, so a later
 * record may be older.
 */
static int add_events(struct ue__ring_reader *reader, const struct ue__ring_seen *seen,
		      uint32_t end, struct ue_captured_page *page)
{
	const char *copy = reader->copied->bytes;
	uint64_t last = 0;
	int is_sorted = 1;

	for (uint32_t at = seen->at, total; at < end; at += total) {
		const struct ue__ring_record *record = (const void *)(copy + at);

		total = ue__ring_record_size(record->head & UE__RING_SIZE);
		if ((record->head & (UE__RING_DONE | UE__RING_TAKEN)) != UE__RING_DONE ||
		    !has_index(record) || total > end - at ||
		    ue__ring_is_too_young(reader, seen->boot, record->time))
			return -1;
		is_sorted &= record->time >= last;
		last = record->time;
		add_event(reader, page, record, last);
	}
	if (!is_sorted)
		qsort(page->events, page->event_count, sizeof(*page->events),
		      compare_events);
	return 0;
}

/* The number of records that were copied; 0 if there are none, or the page is not so. */
static uint32_t copy_complete(struct ue__ring_reader *reader, uint32_t index,
			      uint64_t word, struct ue_captured_page *page)
{
	const struct ue__ring_page *from = ue__ring_page(&reader->memory, index);
	const struct ue__ring_seen *seen = &reader->seen[index];
	const uint32_t end =
		ue__ring_used(word, ue__ring_size_of(&reader->memory, index));

	if (seen->ahead || seen->waiting || seen->at >= end ||
	    ue__ring_number_of(word) != seen->number || !ue__ring_is_complete(from, word))
		return 0;
	copy_header(reader, index);
	memcpy(reader->copied->bytes + seen->at, (const char *)from + seen->at,
	       end - seen->at);
	if (!ue__ring_is_page(reader, index, seen->number))
		return 0;
	clear(reader, page);
	describe(reader, index, seen->number, page);
	page->lost = ue__ring_loss_before(reader, index, &reader->header);
	if (add_events(reader, seen, end, page))
		return 0;
	reader->in_hand = (struct ue__ring_in_hand){
		.page = index, .end = end, .count = page->event_count,
		.described = reader->descriptions,
	};
	return page->event_count;
}

/* Other pages, and the rest of a sorted pass */

/* References from the next one on that are of one page. */
static uint32_t count_of_page(const struct ue__ring_reader *reader)
{
	const struct ue__ring_reference *first = &reader->found[reader->next];
	const size_t left = reader->found_count - reader->next;
	uint32_t count = 1;

	while (count < left && count < EVENTS && first[count].index == first->index)
		count++;
	return count;
}

/* A program that scribbles may have changed the size since it was looked at. */
static void copy_record(struct ue__ring_reader *reader, struct ue_captured_page *page,
			const struct ue__ring_reference *reference)
{
	const char *from = (const char *)ue__ring_page(&reader->memory, reference->index);
	const uint32_t room =
		ue__ring_size_of(&reader->memory, reference->index) - reference->at;
	struct ue__ring_record *record = (void *)(reader->copied->bytes + reference->at);
	uint32_t total;

	memcpy(record, from + reference->at, sizeof(*record));
	total = ue__ring_record_size(record->head & UE__RING_SIZE);
	if (!has_index(record) || total > room)
		return;
	memcpy(record->bytes, from + reference->at + sizeof(*record),
	       total - sizeof(*record));
	add_event(reader, page, record, reference->time);
}

/* The number of events that were copied, of records that were found. */
static uint32_t copy_found(struct ue__ring_reader *reader, struct ue_captured_page *page)
{
	struct ue__ring_reference *first = &reader->found[reader->next];
	const uint32_t count = count_of_page(reader);

	qsort(first, count, sizeof(*first), ue__ring_compare);
	copy_header(reader, first->index);
	clear(reader, page);
	for (uint32_t i = 0; i < count; i++)
		copy_record(reader, page, &first[i]);
	if (!ue__ring_is_page(reader, first->index, first->number))
		page->event_count = 0;
	describe(reader, first->index, first->number, page);
	page->lost = ue__ring_loss_before(reader, first->index, &reader->header);
	ue__ring_take(reader, count, page->event_count > 0);
	return page->event_count;
}

/* Passes */

static void begin_pass(struct ue__ring_reader *reader)
{
	reader->may_bury = ue__ring_begin_pass(reader);
	reader->page = 0;
	reader->passes++;
}

/* Most pages may be free. Those of a ring that overwrites have counts to look at. */
static void pass_over_free(struct ue__ring_reader *reader)
{
	const struct ue__ring_memory *memory = &reader->memory;

	if (memory->mode == UE__RING_OVERWRITE)
		return;
	while (reader->page < memory->page_count &&
	       !__atomic_load_n(&memory->states[reader->page], __ATOMIC_RELAXED))
		reader->page++;
}

/* Was the page opened since the pass began? So all that is in it has to wait. */
static int is_new(const struct ue__ring_reader *reader, uint32_t index, uint64_t word)
{
	const struct ue__ring_seen *seen = &reader->seen[index];

	return ue__ring_number_of(word) == seen->number &&
	       ue__ring_is_too_young(reader, seen->boot,
				     ue__ring_page(&reader->memory, index)->counter);
}

/*
 * The events of a page: their number, or 0, with records that were found or none.
 * -ENOMEM.
 */
static int visit(struct ue__ring_reader *reader, uint32_t index,
		 struct ue_captured_page *page)
{
	uint64_t word;
	int count;

	if (!ue__ring_look(reader, index, &word) || is_new(reader, index, word))
		return 0;
	count = (int)copy_complete(reader, index, word, page);
	return count ? count : ue__ring_collect(reader, index, word, reader->may_bury);
}

/* Go on to the next page with records. The result is as above. */
static int visit_pages(struct ue__ring_reader *reader, struct ue_captured_page *page)
{
	int result = 0;

	reader->found_count = reader->next = 0;
	while (!result && !reader->found_count) {
		pass_over_free(reader);
		if (reader->page == reader->memory.page_count)
			return 0;
		result = visit(reader, reader->page++, page);
	}
	return result;
}

int ue__ring_reader_next_page(struct ue__ring_reader *reader,
			      struct ue_captured_page *page)
{
	int result;

	ue__ring_let_go(reader);
	result = prepare(reader);
	if (result)
		return result;
	if (reader->next == reader->found_count &&
	    reader->page == reader->memory.page_count)
		begin_pass(reader);
	do {
		if (reader->next < reader->found_count)
			result = (int)copy_found(reader, page);
		else
			result = visit_pages(reader, page);
	} while (!result && (reader->next < reader->found_count ||
			     reader->page < reader->memory.page_count));
	reader->events += result > 0 ? page->event_count : 0;
	return result > 0 ? 1 : result;
}

int ue__ring_reader_same(struct ue__ring_reader *reader, struct ue_captured_page *page)
{
	const struct ue__ring_record *record = &reader->copy.record;
	const struct ue__ring_reference none = { .index = 0 };
	const struct ue__ring_reference *by =
		reader->next ? &reader->found[reader->next - 1] : &none;
	const int result = prepare(reader);

	if (result)
		return result;
	clear(reader, page);
	describe(reader, by->index, by->number, page);
	add_event(reader, page, record, record->time);
	return 1;
}
