/* SPDX-License-Identifier: MIT */
/*
 * A file of a queue: a head, and records that are only ever appended.
 *
 *	head	"UEQUEUE\n", version, byte order, salt, checksum
 *	record	head: mark, two checksums, length, the parts of the request, state;
 *		then the request, and zeros up to a multiple of 8
 *
 * The state of a record becomes SPOOL_DONE in its place, when the request was delivered
 * or is lost; so it is no part of the checksum. A collector that is killed leaves at most
 * one record that is not whole, at the end. Behind damage, the next record is found by
 * its mark and checksum, which begins with the salt: so no request can contain a record.
 */
#ifndef UE__TOOLS_EXPORT_SPOOL_SEGMENT_H
#define UE__TOOLS_EXPORT_SPOOL_SEGMENT_H

#include <stddef.h>
#include <stdint.h>

#define SPOOL_VERSION 1u
/* Longer requests do not exist, but damaged lengths do. */
#define SPOOL_LENGTH_MOST (64u << 20)

enum spool_state { SPOOL_WAITING = 0x74696177,
		   SPOOL_DONE = 0x656e6f64 };

struct spool_head {
	char magic[8];
	uint32_t version, order;
	uint64_t salt;
	uint32_t reserved, checksum;
};

struct spool_record {
	uint32_t mark, checksum; /* of the members up to the state, with the salt */
	uint32_t body_checksum, length;
	uint64_t number; /* increases */
	uint64_t items, events;
	int64_t time; /* of the wall clock */
	uint32_t state, reserved;
};

struct spool_sums {
	uint64_t requests, items, events, bytes;
};

struct spool_segment {
	struct spool_segment *next;
	unsigned int lane;
	uint64_t file; /* its number, in its name */
	int fd;	       /* -1: it is not open */
	uint64_t salt;
	uint64_t size; /* in bytes, of the written part */
	uint64_t at;   /* where reading goes on */
	struct spool_sums unread; /* of records that wait, from there on */
	uint64_t taken;	 /* records that were read, and are not done */
	uint64_t damage; /* places that cannot be read, with a record behind them */
	int is_dirty;	 /* the disk need not have all of it */
};

/* Write the head of a file that is empty. 0 or -errno. */
int spool_segment_begin(struct spool_segment *segment, int fd, uint64_t salt);
/* Read the head of a file. NULL, or why it is none of these. */
const char *spool_segment_read(struct spool_segment *segment, int fd, uint64_t size);
/*
 * Append a record; its number, items, events, time and length are set. 0, or -errno, and
 * then the file is as before.
 */
int spool_segment_add(struct spool_segment *segment, struct spool_record *record,
		      const void *body);
/*
 * The next record that waits, at segment->at or behind it: 1, with segment->at its place;
 * or 0, if there is none.
 */
int spool_segment_next(struct spool_segment *segment, struct spool_record *record);
/* The request of that record: 0, or -EBADMSG if it is damaged. */
int spool_segment_body(const struct spool_segment *segment,
		       const struct spool_record *record, void *body);
void spool_segment_done(const struct spool_segment *segment, uint64_t at);
/* Nothing in it waits: begin it anew. 0 or -errno. */
int spool_segment_empty(struct spool_segment *segment);

/* The bytes that a record takes. */
static inline uint64_t spool_record_size(uint64_t length)
{
	return sizeof(struct spool_record) + ((length + 7) & ~UINT64_C(7));
}

void spool_sums_add(struct spool_sums *sums, const struct spool_record *record);
void spool_sums_subtract(struct spool_sums *sums, const struct spool_record *record);

#endif
