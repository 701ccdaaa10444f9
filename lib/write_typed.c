/* SPDX-License-Identifier: MIT */
/*
 * Write what UE_WRITE() has packed. The caller has tested the event's word, so the
 * only question left on the way to the kernel is whether the event is registered on
 * this session; everything rare is out of line.
 */
#include <errno.h>
#include <string.h>

#include <userevents/static_event.h>

#include "event.h"
#include "kernel.h"
#include "system_call.h"
#include "write.h"

#define COLD __attribute__((cold, noinline))

/* Linux up to 6.3, where nothing but the library knows whether somebody listens. */
static COLD int write_if_listened(int fd, const struct ue_event *event, void *record,
				  size_t size)
{
	if (!ue__is_listened(event))
		return 0;
	/* No empty payload there: one byte of padding. */
	if (size == INDEX_SIZE)
		((char *)record)[size++] = 0;
	return ue__write_result(fd, ue__system_write(fd, record, size));
}

static inline int is_bound_to(uint64_t binding, int fd)
{
	return __builtin_expect(binding >> 32 == (uint64_t)(uint32_t)fd + 1, 1);
}

static inline int asks(const struct ue_event *event)
{
	return __builtin_expect(*event->word & UE_WORD_ASK, 0);
}

UE_API int ue__write_fixed(int fd, const struct ue_event *event, void *record,
			   size_t fixed)
{
	uint64_t binding = ue__binding_of(event);
	uint32_t index = ue__binding_index(binding);

	if (!is_bound_to(binding, fd))
		return ue__not_written(fd, binding);
	if (__builtin_expect(fixed - INDEX_SIZE > event->ue__payload_max, 0))
		return -EMSGSIZE;
	memcpy(record, &index, INDEX_SIZE);
	if (asks(event))
		return write_if_listened(fd, event, record, fixed);
	return ue__write_result(fd, ue__system_write(fd, record, fixed));
}

/* Size << 16 | distance from the end of the location field to the piece. */
static inline void set_location(char *record, const struct ue__piece *piece,
				size_t at, size_t size)
{
	uint32_t location = (uint32_t)(size << 16 | (at - piece->location - 4));

	memcpy(record + piece->location, &location, sizeof(location));
}

/* Every location, and the size of the record; or -errno. Nothing is copied. */
static COLD long set_locations(char *record, size_t fixed, size_t max,
			       const struct ue__piece *pieces, size_t count)
{
	size_t at = fixed;

	for (size_t i = 0; i < count; i++) {
		size_t size = (size_t)pieces[i].length + pieces[i].terminated;

		if (!pieces[i].data && pieces[i].length)
			return -EFAULT;
		if (at + size > max)
			return -EMSGSIZE;
		set_location(record, &pieces[i], at, size);
		at += size;
	}
	return (long)at;
}

/* The payload does not fit into the record: the pieces go from where they are. */
static COLD int write_by_reference(int fd, const struct ue_event *event, char *record,
				   size_t fixed, const struct ue__piece *pieces,
				   size_t count)
{
	struct iovec iov[1 + 2 * 64];
	long size = set_locations(record, fixed, event->ue__payload_max + INDEX_SIZE,
				  pieces, count);
	uint32_t index;
	int used = 0;

	if (size < 0)
		return (int)size;
	if (!ue__is_listened(event))
		return 0;
	iov[used++] = (struct iovec){ record + INDEX_SIZE, fixed - INDEX_SIZE };
	for (size_t i = 0; i < count; i++) {
		if (pieces[i].length)
			iov[used++] = (struct iovec){ (void *)pieces[i].data,
						      pieces[i].length };
		if (pieces[i].terminated)
			iov[used++] = (struct iovec){ (void *)"", 1 };
	}
	memcpy(&index, record, INDEX_SIZE);
	return ue__write_gathered(fd, event, index, iov, used,
				  (size_t)size - INDEX_SIZE);
}

/* Copy the pieces behind the fixed part; the record's size, or 0 without room. */
static inline size_t copy_pieces(char *record, size_t at, size_t end,
				 const struct ue__piece *pieces, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct ue__piece *piece = &pieces[i];
		size_t size = (size_t)piece->length + piece->terminated;

		if (at + size > end)
			return 0;
		set_location(record, piece, at, size);
		if (piece->length) {
			if (!piece->data)
				return 0;
			memcpy(record + at, piece->data, piece->length);
		}
		at += size;
		if (piece->terminated)
			record[at - 1] = 0;
	}
	return at;
}

UE_API int ue__write_pieces(int fd, const struct ue_event *event, void *record,
			    size_t fixed, size_t room, const struct ue__piece *pieces,
			    size_t count)
{
	uint64_t binding = ue__binding_of(event);
	uint32_t index = ue__binding_index(binding);
	size_t size;

	if (!is_bound_to(binding, fd))
		return ue__not_written(fd, binding);
	memcpy(record, &index, INDEX_SIZE);
	size = copy_pieces(record, fixed, fixed + room, pieces, count);
	if (__builtin_expect(!size, 0))
		return write_by_reference(fd, event, record, fixed, pieces, count);
	if (__builtin_expect(size - INDEX_SIZE > event->ue__payload_max, 0))
		return -EMSGSIZE;
	if (asks(event))
		return write_if_listened(fd, event, record, size);
	return ue__write_result(fd, ue__system_write(fd, record, size));
}
