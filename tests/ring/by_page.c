/* SPDX-License-Identifier: MIT */
/*
 * Linked to a test, this reads rings by pages whenever the test asks for the next record
 * (--wrap=ue__ring_reader_next, --wrap=ue__ring_reader_end): it puts the events of a
 * pass in order, as whoever reads pages has to, and hands them out. So the readers of
 * both kinds are held to the same tests.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ring/read/ring_reader.h"

int __wrap_ue__ring_reader_next(struct ue__ring_reader *reader,
				struct ue__ring_event *event);
void __real_ue__ring_reader_end(struct ue__ring_reader *reader);
void __wrap_ue__ring_reader_end(struct ue__ring_reader *reader);

struct copy {
	struct ue__ring_event event;
	uint64_t clock;
	uint32_t clock_id;
	char process[17], thread[20];
	char *payload;
};

/* The events of the last pass of a reader. */
static struct kept {
	const struct ue__ring_reader *reader;
	struct copy *copies;
	size_t count, next;
} kept[16];

static struct kept *kept_of(const struct ue__ring_reader *reader)
{
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		if (!kept[i].reader || kept[i].reader == reader) {
			kept[i].reader = reader;
			return &kept[i];
		}
	abort();
}

static void forget(struct kept *of)
{
	for (size_t i = 0; i < of->count; i++)
		free(of->copies[i].payload);
	free(of->copies);
	*of = (struct kept){ .reader = of->reader };
}

static struct copy copy_of(const struct ue_captured_page *page, uint32_t number)
{
	const struct ue_page_event *event = &page->events[number];
	const double counts = (double)(int64_t)(event->clock - page->opened);
	const uint64_t since = (uint64_t)(int64_t)(counts * page->rate);
	struct copy copy = {
		.event = {
			.index = event->index,
			.length = event->length,
			.time = (int64_t)((uint64_t)page->time + since),
			.real_time = (int64_t)((uint64_t)page->real_time + since),
			.pid = (uint32_t)page->pid,
			.tid = (uint32_t)page->threads[event->thread].tid,
			.cpu = page->cpu,
			.lost = number ? 0 : page->lost,
		},
		.clock = event->clock,
		.clock_id = page->clock_id,
		.payload = malloc(event->length + 1),
	};

	if (!copy.payload || event->length > UE__RING_LARGE)
		abort();
	memcpy(copy.payload, event->bytes, event->length);
	memcpy(copy.process, page->process, sizeof(copy.process));
	memcpy(copy.thread, page->threads[event->thread].name, sizeof(copy.thread));
	return copy;
}

static int compare(const void *a, const void *b)
{
	const struct copy *one = a, *other = b;

	if (one->clock_id != other->clock_id)
		return one->event.time < other->event.time ? -1 : 1;
	return one->clock < other->clock ? -1 : one->clock > other->clock;
}

static void keep(struct kept *of, const struct ue_captured_page *page)
{
	of->copies = realloc(of->copies,
			     (of->count + page->event_count) * sizeof(*of->copies));
	if (!of->copies)
		abort();
	for (uint32_t i = 0; i < page->event_count; i++)
		of->copies[of->count++] = copy_of(page, i);
}

/* One that finds nothing may end amid a pass, so there is another one. */
static int read_pass(struct ue__ring_reader *reader, struct kept *of)
{
	struct ue_captured_page page;
	int result = 0;

	forget(of);
	for (int i = 0; i < 2 && !of->count; i++)
		while ((result = ue__ring_reader_next_page(reader, &page)) == 1)
			keep(of, &page);
	if (of->count)
		qsort(of->copies, of->count, sizeof(*of->copies), compare);
	return result;
}

int __wrap_ue__ring_reader_next(struct ue__ring_reader *reader,
				struct ue__ring_event *event)
{
	struct kept *of = kept_of(reader);
	struct copy *copy;

	if (of->next == of->count) {
		const int result = read_pass(reader, of);

		if (!of->count)
			return result;
	}
	copy = &of->copies[of->next++];
	*event = copy->event;
	event->payload = copy->payload;
	event->process = copy->process;
	event->thread = copy->thread;
	return 1;
}

void __wrap_ue__ring_reader_end(struct ue__ring_reader *reader)
{
	struct kept *of = kept_of(reader);

	forget(of);
	of->reader = NULL;
	__real_ue__ring_reader_end(reader);
}
