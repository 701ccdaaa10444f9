/* SPDX-License-Identifier: MIT */
/*
 * Records pages of rings.
 *
 * A file that cannot be written, or for which the disk is too slow, is left, and another
 * one is begun later: it tells all that it refers to again. Events meanwhile are counted.
 */
#include "ring_recording.h"

#include <stdlib.h>

#include <userevents/loss.h>

#include "common/cli/clock.h"
#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "event_pages.h"
#include "common/output/capture_writer.h"
#include "common/stacks/stacks.h"

#define SECOND ((int64_t)1000000000)
/* Bytes that are handed over at once, and those of a page with its references. */
#define AT_ONCE ((size_t)64 << 10)
#define PAGE_BYTES ((uint64_t)24 << 10)
/* A disk that is full is asked again so often, and a slow one. */
#define AGAIN_FULL_NS (60 * SECOND)
#define AGAIN_SLOW_NS SECOND
/* A slow disk is reported no more often than this. */
#define SILENCE_NS (60 * SECOND)
#define END_NS (10 * SECOND)

struct ring_recording {
	struct ring_recording_options options;
	struct file_writer *files;
	struct capture_writer writer;
	struct event_pages pages;
	uint64_t events;     /* in the writer's bytes */
	uint64_t file_bytes; /* of the file, handed over */
	int is_open;	     /* there is a file to write to */
	int64_t again;	     /* when to begin another one, by CLOCK_MONOTONIC */
	int64_t next_complaint;
	struct ue_capture_counts lost, lost_before; /* so far, and when the file began */
	uint64_t in_programs, in_programs_before;
};

struct ring_recording *ring_recording_begin(const struct ring_recording_options *options)
{
	struct file_writer *files = file_writer_open(&options->files);
	struct ring_recording *recording;

	if (!files)
		return NULL;
	recording = xcalloc(1, sizeof(*recording));
	recording->options = *options;
	recording->files = files;
	capture_writer_begin(&recording->writer, NULL);
	recording->writer.has_rounds = 1;
	return recording;
}

/* Files */

static void begin_file(struct ring_recording *recording)
{
	capture_writer_restart(&recording->writer);
	recording->lost_before = recording->lost;
	recording->in_programs_before = recording->in_programs;
	recording->file_bytes = 0;
	recording->is_open = 1;
}

static void leave_file(struct ring_recording *recording, int64_t wait)
{
	recording->is_open = 0;
	recording->again = clock_now(CLOCK_MONOTONIC) + wait;
}

static void miss(struct ring_recording *recording, uint64_t events)
{
	atomic_fetch_add_explicit(&recording->options.files.counts->missed, events,
				  memory_order_relaxed);
}

static void complain(struct ring_recording *recording)
{
	const int64_t now = clock_now(CLOCK_MONOTONIC);

	if (now < recording->next_complaint)
		return;
	recording->next_complaint = now + SILENCE_NS;
	message("cannot record all events into %s: its disk is too slow; some are in no file",
		recording->options.directory);
}

/* Hand over the writer's bytes. */
static void hand_over(struct ring_recording *recording)
{
	struct bytes *bytes = &recording->writer.bytes;
	const uint64_t events = recording->events, length = bytes->length;

	recording->events = 0;
	if (!length || !recording->is_open)
		return;
	if (!file_writer_put(recording->files, bytes, events, !recording->file_bytes)) {
		recording->file_bytes += length;
		return;
	}
	if (file_writer_has_failed(recording->files)) {
		leave_file(recording, AGAIN_FULL_NS);
		return;
	}
	complain(recording);
	leave_file(recording, AGAIN_SLOW_NS);
}

static int can_begin(const struct ring_recording *recording)
{
	return clock_now(CLOCK_MONOTONIC) >= recording->again &&
	       file_writer_has_room(recording->files);
}

/* Whether there is a file for a page. */
static int is_open(struct ring_recording *recording)
{
	const uint64_t bytes = recording->file_bytes + recording->writer.bytes.length;

	if (!recording->is_open && can_begin(recording))
		begin_file(recording);
	if (!recording->is_open || bytes + PAGE_BYTES <= recording->options.file_bytes)
		return recording->is_open;
	hand_over(recording);
	if (recording->is_open)
		begin_file(recording);
	return recording->is_open;
}

void ring_recording_remove(struct ring_recording *recording, struct written_ring *ring)
{
	if (ring)
		capture_writer_remove_ring(&recording->writer, ring);
}

/* Events */

void ring_recording_page(struct ring_recording *recording, struct written_ring *ring,
			 const struct ue_captured_page *page)
{
	if (!page->event_count && !page->lost)
		return;
	if (!is_open(recording)) {
		miss(recording, ring_stacks_events(page));
		return;
	}
	capture_writer_page(&recording->writer, ring, page);
	recording->events += ring_stacks_events(page);
	if (recording->writer.bytes.length >= AT_ONCE)
		hand_over(recording);
}

void ring_recording_event(struct ring_recording *recording, const struct ue_captured *event)
{
	event_pages_add(&recording->pages, event);
}

void ring_recording_end_events(struct ring_recording *recording, struct written_ring *ring)
{
	struct ue_captured_page page;

	while (event_pages_next(&recording->pages, &page))
		ring_recording_page(recording, ring, &page);
}

/* Rounds */

void ring_recording_end_round(struct ring_recording *recording, int64_t until)
{
	if (recording->is_open)
		capture_writer_end_pass(&recording->writer, until);
}

void ring_recording_lose(struct ring_recording *recording, uint64_t in_rings,
			 uint64_t in_programs)
{
	recording->lost.lost[UE_LOSS_CAPTURE_FULL] = in_rings;
	recording->in_programs = in_programs;
}

static void write_losses(struct ring_recording *recording)
{
	struct ue_capture_counts lost = { .size = sizeof(lost) };

	lost.lost[UE_LOSS_CAPTURE_FULL] =
		recording->lost.lost[UE_LOSS_CAPTURE_FULL] -
		recording->lost_before.lost[UE_LOSS_CAPTURE_FULL];
	capture_writer_losses(&recording->writer, &lost,
			      recording->in_programs - recording->in_programs_before);
}

/* A file that failed is found here, too, as no event may come for long. */
void ring_recording_flush(struct ring_recording *recording)
{
	if (recording->is_open && recording->file_bytes &&
	    file_writer_has_failed(recording->files)) {
		miss(recording, recording->events);
		recording->events = 0;
		leave_file(recording, AGAIN_FULL_NS);
	}
	if (!recording->is_open)
		return;
	write_losses(recording);
	hand_over(recording);
}

void ring_recording_end(struct ring_recording *recording)
{
	struct file_counts *counts = recording->options.files.counts;
	uint64_t missed;

	ring_recording_flush(recording);
	if (file_writer_close(recording->files, END_NS))
		message("cannot complete the files in %s: the disk does not answer",
			recording->options.directory);
	missed = atomic_load_explicit(&counts->missed, memory_order_relaxed);
	if (missed)
		message("%llu event%s in no file of %s.", (unsigned long long)missed,
			missed == 1 ? " is" : "s are", recording->options.directory);
	capture_writer_free(&recording->writer);
	event_pages_free(&recording->pages);
	free(recording);
}
