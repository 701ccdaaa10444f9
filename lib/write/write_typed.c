/* SPDX-License-Identifier: MIT */
/*
 * Send the record that UE_WRITE() packed. The caller has tested the event's word, so
 * one check is left before the system call: is the event registered on this session?
 * Everything rare is out of line.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <string.h>

#include <userevents/abi/write_calls.h>
#include <userevents/classic_event.h>

#include "ring/write/ring_writer.h"
#include "util/copy.h"
#include "state/binding.h"
#include "send_packed.h"
#include "write.h"

#define COLD __attribute__((cold, noinline))
#define NOINLINE __attribute__((noinline))

static_assert(UE__RECORD <= UE__SMALL_RECORD, "small records are sent unasked");

static inline uint32_t direct_max_of(const struct ue_event *event)
{
	return __atomic_load_n(&event->ue__direct_max, __ATOMIC_RELAXED);
}

/*
 * The record is too large for some listener; or it is empty, and the kernel is one up
 * to 6.3, which refuses that, so one byte of padding follows.
 */
static COLD int write_with_question(int fd, char *record, size_t size,
				    uint32_t *writers, struct ue_event *event)
{
	if (size - INDEX_SIZE > ue__payload_max_of(event))
		return ue__end_failed(fd, event, -EMSGSIZE, writers);
	if (size == INDEX_SIZE && !direct_max_of(event))
		record[size++] = 0;
	return ue__end_with(fd, record, size, event, writers);
}

/* A record of exactly the largest size is checked, too. */
static inline int goes_without_question(const struct ue_event *event, size_t size)
{
	return __builtin_expect(size - INDEX_SIZE < direct_max_of(event), 1);
}

/* The record may be empty, or larger than some session takes. */
UE__PUBLIC int ue__send_fixed(int fd, void *record, size_t size, struct ue_event *event)
{
	uint32_t *writers = ue__enter(record);
	uint64_t binding = ue__binding_of(event);

	if (__builtin_expect(!ue__is_bound_to(binding, fd), 0))
		return ue__end_elsewhere(fd, record, size, binding, event, writers);
	ue__set_index(record, binding);
	if (!goes_without_question(event, size))
		return write_with_question(fd, record, size, writers, event);
	return ue__end_with(fd, record, size, event, writers);
}

UE__PUBLIC int ue__send_small(int fd, void *record, size_t size, struct ue_event *event)
{
	return ue__send_packed(fd, record, size, event);
}

static inline size_t measure_string(const struct ue__piece *piece)
{
	return __builtin_expect(piece->data != NULL, 1) ? strlen(piece->data) : 0;
}

/* Size << 16, and the distance from the end of the location field to the piece. */
static inline void set_location(char *record, const struct ue__piece *piece,
				size_t at, size_t size)
{
	uint32_t location = (uint32_t)((size << 16) + at - piece->located);

	memcpy(record + piece->located - sizeof(location), &location, sizeof(location));
}

static inline size_t fixed_size(const struct ue_event *event)
{
	return event->ue__fixed_size + INDEX_SIZE;
}

/*
 * Set every location, and make of each piece one of known length; the record's size or
 * -errno.
 */
static COLD long refer(const struct ue_event *event, char *record,
		       struct ue__piece *piece)
{
	const size_t max = ue__payload_max_of(event);
	size_t at = fixed_size(event);

	for (; piece != (void *)record; piece++) {
		int is_string = piece->kind == UE__STRING_PIECE;
		size_t length = is_string ? measure_string(piece) : piece->length;
		size_t size = length + (piece->kind != UE__BYTES);

		if (!piece->data && length)
			return -EFAULT;
		if (length > max || at + size > max + INDEX_SIZE)
			return -EMSGSIZE;
		set_location(record, piece, at, size);
		piece->length = (uint32_t)length;
		if (is_string)
			piece->kind = UE__TERMINATED;
		at += size;
	}
	return (long)at;
}

/* Copies small pieces behind the fixed part while there is room, and refers to others. */
static COLD int gather(struct ue__gathered *g, const struct ue__piece *piece)
{
	g->iov[g->count++] = (struct iovec){ g->record, g->used };
	for (; piece != (void *)g->record; piece++)
		if (!ue__gather(g, piece->data, piece->length) ||
		    !ue__gather(g, "", piece->kind))
			return 0;
	return 1;
}

static COLD void copy_pieces(char *to, const char *record, const struct ue__piece *piece)
{
	for (; piece != (const void *)record; piece++) {
		if (piece->length)
			memcpy(to, piece->data, piece->length);
		to += piece->length;
		if (piece->kind)
			*to++ = '\0';
	}
}

/* More than 8 pieces of medium size. */
static COLD long write_mapped(int fd, struct ue_event *event, const char *record,
			      size_t at, size_t size, const struct ue__piece *piece)
{
	char *all = ue__map_record();
	long result;

	if (!all)
		return -ENOMEM;
	memcpy(all, record, at);
	copy_pieces(all + at, record, piece);
	result = ue__send_record(fd, event, all, size);
	ue__unmap_record(all);
	return result;
}

/* The pieces do not fit behind the fixed part: send them from where they are. */
static COLD long write_by_reference(int fd, struct ue_event *event, char *record,
				    struct ue__piece *pieces)
{
	const size_t fixed = fixed_size(event);
	struct ue__gathered gathered = { .record = record, .room = UE__RECORD,
					 .used = fixed };
	long size = refer(event, record, pieces);

	if (size < 0)
		return size;
	if (!gather(&gathered, pieces))
		return write_mapped(fd, event, record, fixed, (size_t)size, pieces);
	return ue__send_gathered(fd, event, gathered.iov, gathered.count);
}

/* Into a ring the pieces are copied, as they are. */
static COLD long put_by_reference(int fd, uint64_t binding, struct ue_event *event,
				  char *record, struct ue__piece *pieces, const void *caller)
{
	const size_t fixed = fixed_size(event);
	long size = refer(event, record, pieces);
	char *all = size < 0 ? NULL : ue__map_record();
	struct iovec piece;
	int result;

	if (!all)
		return size < 0 ? size : -ENOMEM;
	memcpy(all, record, fixed);
	copy_pieces(all + fixed, record, pieces);
	piece = (struct iovec){ all + INDEX_SIZE, (size_t)size - INDEX_SIZE };
	result = ue__put_pieces(fd, binding, &piece, 1, (uint32_t)piece.iov_len, caller);
	ue__unmap_record(all);
	return result;
}

/* The same as a write of its own. pieces: any of them. */
static COLD int send_by_reference(int fd, struct ue_event *event, char *record,
				  struct ue__piece *pieces)
{
	uint32_t *writers = ue__enter(record);
	uint64_t binding = ue__binding_of(event);
	const int is_in_ring = ue__ring_of(binding, fd) != NULL;

	if (!is_in_ring && !ue__is_bound_to(binding, fd))
		return ue__end_unbound(fd, event, binding, writers);
	ue__set_index(record, binding);
	while (!pieces->is_first)
		pieces--;
	if (is_in_ring)
		return ue__end(fd, event,
			       put_by_reference(fd, binding, event, record, pieces,
						__builtin_return_address(0)), writers);
	return ue__end(fd, event, write_by_reference(fd, event, record, pieces), writers);
}

/* A size_t of 32 bits may have wrapped around. */
static inline int fits(size_t end, size_t length)
{
	return __builtin_expect(end <= UE__RECORD, 1) &&
	       (sizeof(size_t) == 8 || length <= UE__RECORD);
}

/* Put bytes that may need a NUL; the end, or 0 if they are invalid or do not fit. */
static NOINLINE size_t put_bytes(char *record, size_t at, const struct ue__piece *piece)
{
	const size_t length = piece->length;
	const size_t size = length + piece->kind; /* UE__TERMINATED is 1 */

	if ((!piece->data && length) || !fits(at + size, length))
		return 0;
	set_location(record, piece, at, size);
	/* Bytes need no NUL: the next piece overwrites theirs, if there is one. */
	record[at + length] = 0;
	if (length)
		memcpy(record + at, piece->data, length);
	return at + size;
}

static NOINLINE void put_other(char *to, const char *text, size_t length)
{
	ue__copy(to, text, length);
	to[length] = '\0';
}

/* Common lengths in place: so the length needs no register that survives a call. */
static inline void put_text(char *to, const char *text, size_t length)
{
	if (length - 8 > 8) {
		put_other(to, text, length);
		return;
	}
	ue__copy(to, text, length);
	to[length] = '\0';
}

/*
 * The pieces are copied before the write begins, and few values stay alive across the
 * calls in the loop, so that they fit into registers: the record's address also ends the
 * pieces, and everything rare starts anew, with the first piece.
 */
UE__PUBLIC int ue__send_pieces(int fd, struct ue_event *event, void *record,
			   struct ue__piece *piece)
{
	size_t at = fixed_size(event);

	do {
		if (__builtin_expect(piece->kind == UE__STRING_PIECE, 1)) {
			const size_t length = measure_string(piece);
			char *to = (char *)record + at;

			set_location(record, piece, at, length + 1);
			at += length + 1;
			if (!fits(at, length))
				return send_by_reference(fd, event, record, piece);
			put_text(to, piece->data, length);
		} else {
			at = put_bytes(record, at, piece);
			if (!at)
				return send_by_reference(fd, event, record, piece);
		}
	} while (++piece != record);
	/* UE__RECORD is no more than every session takes. */
	return ue__send_packed(fd, record, at, event);
}

UE__PUBLIC void ue__set_chars(char *to, const char *text, size_t size)
{
	size_t length = text ? strnlen(text, size - 1) : 0;

	if (length)
		memcpy(to, text, length);
	memset(to + length, 0, size - length);
}
