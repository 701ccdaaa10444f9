/* SPDX-License-Identifier: MIT */
/* Reads and writes one file of a queue. */
#include "spool.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static const char magic[8] = {'U', 'E', 'Q', 'U', 'E', 'U', 'E', '\n'};

#define MARK 0x71724575u
#define BYTE_ORDER_MARK 0x01020304u
#define AT_ONCE ((size_t)64 << 10)

/* Checksums */

#define POLYNOMIAL 0x82f63b78u

static uint32_t table[256];
static pthread_once_t table_is_filled = PTHREAD_ONCE_INIT;

static void fill_table(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t crc = i;

		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
		table[i] = crc;
	}
}

/* CRC-32C. */
static uint32_t spool_checksum(uint32_t before, const void *bytes, size_t length)
{
	const uint8_t *at = bytes;
	uint32_t crc = ~before;

	pthread_once(&table_is_filled, fill_table);
	while (length--)
		crc = crc >> 8 ^ table[(crc ^ *at++) & 0xff];
	return ~crc;
}

static uint32_t checksum_of(const struct spool_segment *segment,
			    const struct spool_record *record)
{
	const size_t begin = offsetof(struct spool_record, body_checksum);
	const uint32_t salted = spool_checksum(0, &segment->salt, sizeof(segment->salt));

	return spool_checksum(salted, (const char *)record + begin,
			      offsetof(struct spool_record, state) - begin);
}

/* The head */

int spool_segment_begin(struct spool_segment *segment, int fd, uint64_t salt)
{
	struct spool_head head = {
		.version = SPOOL_VERSION, .order = BYTE_ORDER_MARK, .salt = salt,
	};
	ssize_t written;

	memcpy(head.magic, magic, sizeof(magic));
	head.checksum = spool_checksum(0, &head, offsetof(struct spool_head, checksum));
	written = pwrite(fd, &head, sizeof(head), 0);
	if (written != sizeof(head))
		return written < 0 ? -errno : -ENOSPC;
	segment->fd = fd;
	segment->salt = salt;
	segment->size = segment->at = sizeof(head);
	return 0;
}

const char *spool_segment_read(struct spool_segment *segment, int fd, uint64_t size)
{
	struct spool_head head;

	if (pread(fd, &head, sizeof(head), 0) != sizeof(head) ||
	    memcmp(head.magic, magic, sizeof(magic)) != 0)
		return "it is no file of a queue";
	if (head.order != BYTE_ORDER_MARK || head.version != SPOOL_VERSION)
		return "another version of userevents, or another machine, wrote it";
	if (head.checksum !=
	    spool_checksum(0, &head, offsetof(struct spool_head, checksum)))
		return "its head is damaged";
	segment->fd = fd;
	segment->salt = head.salt;
	segment->size = size;
	segment->at = sizeof(head);
	return NULL;
}

/* Adding */

int spool_segment_empty(struct spool_segment *segment)
{
	if (ftruncate(segment->fd, sizeof(struct spool_head)))
		return -errno;
	segment->size = segment->at = sizeof(struct spool_head);
	return 0;
}

/* A part of a record is taken back, if the disk is full. */
static int write_record(const struct spool_segment *segment, const struct iovec *parts,
			uint64_t whole)
{
	const ssize_t written = pwritev(segment->fd, parts, 3, (off_t)segment->size);
	const int error = written < 0 ? errno : ENOSPC;

	if (written >= 0 && (uint64_t)written == whole)
		return 0;
	if (written > 0 && ftruncate(segment->fd, (off_t)segment->size))
		return -errno;
	return -error;
}

int spool_segment_add(struct spool_segment *segment, struct spool_record *record,
		      const void *body)
{
	static const char zeros[8];
	const uint64_t whole = spool_record_size(record->length);
	const struct iovec parts[] = {
		{ record, sizeof(*record) },
		{ (void *)body, record->length },
		{ (void *)zeros, whole - sizeof(*record) - record->length },
	};
	int result;

	record->mark = MARK;
	record->state = SPOOL_WAITING;
	record->body_checksum = spool_checksum(0, body, record->length);
	record->checksum = checksum_of(segment, record);
	result = write_record(segment, parts, whole);
	if (result)
		return result;
	segment->size += whole;
	segment->is_dirty = 1;
	spool_sums_add(&segment->unread, record);
	return 0;
}

/* Reading */

static int is_record(const struct spool_segment *segment, uint64_t at,
		     struct spool_record *record)
{
	const off_t place = (off_t)at;

	return segment->size - at >= sizeof(*record) &&
	       pread(segment->fd, record, sizeof(*record), place) == sizeof(*record) &&
	       record->mark == MARK && record->length <= SPOOL_LENGTH_MOST &&
	       spool_record_size(record->length) <= segment->size - at &&
	       record->checksum == checksum_of(segment, record);
}

/* The first record in these bytes, which are those of the file from at on; or 0. */
static uint64_t find_in(const struct spool_segment *segment, const uint8_t *bytes,
			size_t length, uint64_t at)
{
	struct spool_record record;
	uint32_t mark;

	for (size_t i = 0; i + sizeof(mark) <= length; i += 8) {
		memcpy(&mark, bytes + i, sizeof(mark));
		if (mark == MARK && is_record(segment, at + i, &record))
			return at + i;
	}
	return 0;
}

/* The next record behind damage, or the end of the file. */
static uint64_t find_record(const struct spool_segment *segment, uint64_t at)
{
	static _Thread_local uint8_t bytes[AT_ONCE];
	uint64_t found = 0;
	ssize_t got;

	for (; !found && at < segment->size; at += AT_ONCE) {
		got = pread(segment->fd, bytes, sizeof(bytes), (off_t)at);
		if (got <= 0)
			break;
		found = find_in(segment, bytes, (size_t)got, at);
	}
	return found ? found : segment->size;
}

int spool_segment_next(struct spool_segment *segment, struct spool_record *record)
{
	while (segment->at < segment->size) {
		if (!is_record(segment, segment->at, record)) {
			segment->at = find_record(segment, segment->at + 8);
			segment->damage += segment->at < segment->size;
			continue;
		}
		if (record->state != SPOOL_DONE)
			return 1;
		segment->at += spool_record_size(record->length);
	}
	return 0;
}

int spool_segment_body(const struct spool_segment *segment,
		       const struct spool_record *record, void *body)
{
	const off_t at = (off_t)(segment->at + sizeof(*record));

	if (pread(segment->fd, body, record->length, at) != (ssize_t)record->length ||
	    spool_checksum(0, body, record->length) != record->body_checksum)
		return -EBADMSG;
	return 0;
}

/* If that fails, the request is sent once more after a restart. */
void spool_segment_done(const struct spool_segment *segment, uint64_t at)
{
	const uint32_t done = SPOOL_DONE;
	ssize_t written = pwrite(segment->fd, &done, sizeof(done),
				 (off_t)(at + offsetof(struct spool_record, state)));

	(void)written;
}

/* Sums */

void spool_sums_add(struct spool_sums *sums, const struct spool_record *record)
{
	sums->requests++;
	sums->items += record->items;
	sums->events += record->events;
	sums->bytes += record->length;
}

void spool_sums_subtract(struct spool_sums *sums, const struct spool_record *record)
{
	sums->requests--;
	sums->items -= record->items;
	sums->events -= record->events;
	sums->bytes -= record->length;
}
