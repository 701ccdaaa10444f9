/* SPDX-License-Identifier: MIT */
/*
 * Write what UE_WRITE() has packed. The caller has tested the event's word, so the
 * only question left on the way to the kernel is whether the event is registered on
 * this session; everything rare is out of line.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>

#include <userevents/log_put.h>
#include <userevents/static_event.h>

#include "copy.h"
#include "event.h"
#include "system_call.h"
#include "write.h"

#define COLD __attribute__((cold, noinline))

static inline int is_bound_to(uint64_t binding, int fd)
{
	return __builtin_expect(binding >> 32 == (uint64_t)(uint32_t)fd + 1, 1);
}

/*
 * The record does not go as it is: it is too large for some listener; or it is empty and
 * the kernel one up to 6.3, which refuses that, so that one byte of padding follows.
 */
static COLD int write_with_question(int fd, const struct ue_event *event, char *record,
				    size_t size)
{
	if (size - INDEX_SIZE > event->ue__payload_max)
		return -EMSGSIZE;
	if (size == INDEX_SIZE && !event->ue__direct_max)
		record[size++] = 0;
	return ue__write_result(fd, ue__system_write(fd, record, size));
}

/* A record of the very largest size asks, too. */
static inline int goes_without_question(const struct ue_event *event, size_t size)
{
	return __builtin_expect(
		size - INDEX_SIZE <
			__atomic_load_n(&event->ue__direct_max, __ATOMIC_RELAXED),
		1);
}

static inline int send_packed(int fd, const struct ue_event *event, char *record,
			      size_t size)
{
	uint64_t binding = ue__binding_of(event);
	uint32_t index = ue__binding_index(binding);

	if (!is_bound_to(binding, fd))
		return ue__not_written(fd, binding);
	memcpy(record, &index, INDEX_SIZE);
	if (!goes_without_question(event, size))
		return write_with_question(fd, event, record, size);
	return ue__write_result(fd, ue__system_write(fd, record, size));
}

UE_API int ue__send_fixed(int fd, const struct ue_event *event, void *record,
			  size_t fixed)
{
	return send_packed(fd, event, record, fixed);
}

UE_API int ue__send_log(int fd, const struct ue_event *event, char *record,
			char *end)
{
	return send_packed(fd, event, record, (size_t)(end - record));
}

/* The length of a string that may be missing, or of which only max bytes count. */
static COLD size_t length_of(const char *text, size_t max)
{
	size_t length = !text ? 0 : max == UE__NO_MAX ? strlen(text) :
							strnlen(text, max);

	return length < UINT32_MAX ? length : UINT32_MAX;
}

static inline size_t measure_string(const struct ue__piece *piece)
{
	if (__builtin_expect(!piece->data || piece->length != UE__NO_MAX, 0))
		return length_of(piece->data, piece->length);
	return strlen(piece->data);
}

/* Size << 16 | distance from the end of the location field to the piece. */
static inline void set_location(char *record, const struct ue__piece *piece,
				size_t at, size_t size)
{
	uint32_t location = (uint32_t)(size << 16 | (at - piece->location - 4));

	memcpy(record + piece->location, &location, sizeof(location));
}

static inline size_t fixed_size(const struct ue_event *event)
{
	return event->ue__fixed_size + INDEX_SIZE;
}

/* Set every location, and say where the pieces are; the payload's size or -errno. */
static COLD long refer(const struct ue_event *event, char *record,
		       const struct ue__piece *piece, struct iovec *iov, int *used)
{
	size_t at = fixed_size(event);

	iov[(*used)++] = (struct iovec){ record + INDEX_SIZE, at - INDEX_SIZE };
	for (; piece != (void *)record; piece++) {
		int is_string = piece->kind == UE__STRING_PIECE;
		size_t length = is_string ? measure_string(piece) : piece->length;
		size_t size = length + (piece->kind != UE__BYTES);

		if (!piece->data && length)
			return -EFAULT;
		if (length > event->ue__payload_max ||
		    at + size > event->ue__payload_max + INDEX_SIZE)
			return -EMSGSIZE;
		set_location(record, piece, at, size);
		at += size;
		if (length)
			iov[(*used)++] = (struct iovec){ (void *)piece->data, length };
		if (size > length)
			iov[(*used)++] = (struct iovec){ (void *)"", 1 };
	}
	return (long)(at - INDEX_SIZE);
}

/* The pieces do not fit behind the fixed part: they go from where they are. */
static COLD int write_by_reference(int fd, const struct ue_event *event, char *record,
				   const struct ue__piece *pieces)
{
	struct iovec iov[1 + 2 * 64];
	uint32_t index;
	int used = 0;
	long length;

	length = refer(event, record, pieces, iov, &used);
	if (length < 0)
		return (int)length;
	memcpy(&index, record, INDEX_SIZE);
	return ue__write_gathered(fd, event, index, iov, used, (size_t)length);
}

/*
 * Few values stay alive across the calls in the loop, so that they fit into registers:
 * the record's address ends the pieces too, and everything rare starts anew.
 */
UE_API int ue__send_pieces(int fd, const struct ue_event *event, void *record,
			   const struct ue__piece *pieces)
{
	uint64_t binding = ue__binding_of(event);
	uint32_t index = ue__binding_index(binding);
	const struct ue__piece *piece = pieces;
	size_t at = fixed_size(event);

	if (!is_bound_to(binding, fd))
		return ue__not_written(fd, binding);
	memcpy(record, &index, INDEX_SIZE);
	do {
		size_t length, size;

		if (piece->kind == UE__STRING_PIECE) {
			length = measure_string(piece);
			size = length + 1;
		} else {
			length = piece->length;
			size = length + piece->kind;
			if (__builtin_expect(!piece->data && length, 0))
				return -EFAULT;
		}
		/* A size_t of 32 bits may have wrapped around. */
		if (__builtin_expect(at + size > UE__RECORD, 0) ||
		    (sizeof(size_t) < 8 && length > UE__RECORD))
			return write_by_reference(fd, event, record, pieces);
		set_location(record, piece, at, size);
		ue__copy((char *)record + at, piece->data, length);
		/* Behind bytes the next piece, or nothing, overwrites it. */
		((char *)record)[at + length] = 0;
		at += size;
	} while (++piece != record);
	if (!goes_without_question(event, at))
		return write_with_question(fd, event, record, at);
	return ue__write_result(fd, ue__system_write(fd, record, at));
}

UE_API void ue__set_chars(char *to, const char *text, size_t size)
{
	size_t length = text ? strnlen(text, size - 1) : 0;

	if (length)
		memcpy(to, text, length);
	memset(to + length, 0, size - length);
}
