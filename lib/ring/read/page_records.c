/* SPDX-License-Identifier: MIT */
/*
 * Find the records of a page.
 *
 * A record that is not done is a hole. A pass goes on behind it. A busy record tells its size.
 * If the writer has not come so far, the hole is zeros, and the next word that is
 * not zero is the head of the next record, or a byte of this one: the writer may have gone on
 * meanwhile. But it stores its head before any other byte. So the pass reads the zeros
 * once more after it has found that word: if all of them are still zeros, no writer had stored
 * a head there, and so no other byte either, when the pass found the word.
 *
 * A record behind a hole is remembered by a bit, until the hole is filled or its writer is
 * dead.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ring_pass.h"

#define UNITS (UE__RING_LARGE / 8)

void ue__ring_forget(struct ue__ring_seen *seen, uint32_t number)
{
	free(seen->ahead);
	*seen = (struct ue__ring_seen){
		.number = number, .at = sizeof(struct ue__ring_page), .gone = seen->gone,
	};
}

static int is_ahead(const struct ue__ring_seen *seen, uint32_t at)
{
	return seen->ahead && seen->ahead[at / 512] >> at / 8 % 64 & 1;
}

static int note_ahead(struct ue__ring_seen *seen, uint32_t at)
{
	if (!seen->ahead)
		seen->ahead = calloc(UNITS / 64, sizeof(*seen->ahead));
	if (!seen->ahead)
		return -ENOMEM;
	seen->ahead[at / 512] |= UINT64_C(1) << at / 8 % 64;
	return 0;
}

/*
 * The first place from at that is not zero; end if there is none. A writer may fill the hole
 * meanwhile, which is a race to ThreadSanitizer; end_of_hole() looks twice for that.
 */
__attribute__((no_sanitize("thread"))) static uint32_t
skip_zeros(const struct ue__ring_page *page, uint32_t at, uint32_t end)
{
	const char *bytes = (const char *)page;

	while (at < end && !__atomic_load_n((const uint32_t *)(const void *)(bytes + at),
					    __ATOMIC_ACQUIRE))
		at += 8;
	return at;
}

/* The end of a hole, as explained above. */
static uint32_t end_of_hole(const struct ue__ring_page *page, uint32_t at, uint32_t end)
{
	uint32_t stop, again = skip_zeros(page, at, end);

	do {
		stop = again;
		again = skip_zeros(page, at, stop);
	} while (again != stop);
	return stop;
}

/* References: records that a reader keeps, and the most that it takes beyond its need. */
#define REFERENCES_KEPT 1024u
#define REFERENCES_STEP 16384u

static int grow(struct ue__ring_reader *reader)
{
	const size_t before = reader->found_size;
	const size_t more = before < REFERENCES_STEP ? before : REFERENCES_STEP;
	const size_t size = before + (more ? more : REFERENCES_KEPT);
	struct ue__ring_reference *found = realloc(reader->found, size * sizeof(*found));

	if (!found)
		return -ENOMEM;
	reader->found = found;
	reader->found_size = size;
	return 0;
}

static int add_reference(struct ue__ring_reader *reader, struct ue__ring_reference reference)
{
	const int result = reader->found_count == reader->found_size ? grow(reader) : 0;

	if (result)
		return result;
	reader->found[reader->found_count++] = reference;
	return 0;
}

/* One full ring may need more memory than itself, and a reader may have many rings. */
void ue__ring_forget_references(struct ue__ring_reader *reader)
{
	reader->found_count = reader->next = 0;
	if (reader->found_size <= REFERENCES_KEPT)
		return;
	free(reader->found);
	reader->found = NULL;
	reader->found_size = 0;
}

/* Collect a record that is done; 1, or 0 if it has to wait, or -ENOMEM. */
static int collect(struct ue__ring_reader *reader, struct ue__ring_reference reference,
		   uint32_t head, int is_behind)
{
	const uint32_t at = reference.at;
	struct ue__ring_seen *seen = &reader->seen[reference.index];
	const char *page = (const char *)ue__ring_page(&reader->memory, reference.index);
	int result;

	if (is_ahead(seen, at))
		return 1;
	if (head & UE__RING_TAKEN) {
		seen->handed_out += !seen->handed_out; /* so its page's losses were, too */
		return 1;
	}
	memcpy(&reference.time, page + at + offsetof(struct ue__ring_record, time),
	       sizeof(reference.time));
	if (ue__ring_is_too_young(reader, seen->boot, reference.time)) {
		seen->is_young = 1;
		return 0;
	}
	result = is_behind ? note_ahead(seen, at) : 0;
	if (!result)
		result = add_reference(reader, reference);
	if (result)
		return result;
	seen->waiting++;
	return 1;
}

/* Go through the records of a page. 0 or -ENOMEM. */
int ue__ring_collect_page(struct ue__ring_reader *reader, uint32_t index, uint32_t end)
{
	struct ue__ring_seen *seen = &reader->seen[index];
	const struct ue__ring_page *page = ue__ring_page(&reader->memory, index);
	struct ue__ring_reference reference = {
		.boot = ue__ring_order_of(&reader->boots, seen->boot),
		.number = seen->number, .index = index,
	};
	int is_behind = 0, result;

	seen->is_young = 0;
	for (uint32_t at = seen->at; at < end;) {
		const uint32_t head = ue__ring_head_at(page, at);
		const uint32_t total = ue__ring_record_size(head & UE__RING_SIZE);

		if (!head) {
			at = end_of_hole(page, at, end);
			is_behind = 1;
			continue;
		}
		if ((head & UE__RING_SIZE) < sizeof(uint32_t) || total > end - at) {
			/* Overwritten, or scribbled over: nothing behind it can be found. */
			reader->malformed += ue__ring_number_of(__atomic_load_n(
				&reader->memory.states[index], __ATOMIC_RELAXED)) == seen->number;
			seen->at = end;
			return 0;
		}
		reference.at = (uint16_t)at;
		reference.describes = !!(head & UE__RING_DESCRIBES);
		result = head & UE__RING_DONE ?
				 collect(reader, reference, head, is_behind) :
				 0;
		if (result < 0)
			return result;
		is_behind |= !result;
		at += total;
		if (!is_behind)
			seen->at = at;
	}
	return 0;
}
