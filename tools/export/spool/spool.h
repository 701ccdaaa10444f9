/* SPDX-License-Identifier: MIT */
/*
 * A queue in files of a directory, which outlives its process. Each lane has files of its
 * own, and an order of its own.
 *
 *	spool = spool_open(&options);
 *	spool_put(spool, lane, &record, body);
 *	while (spool_next(spool, lane, &record, &missing) > 0) {
 *		result = spool_take(spool, lane, &record, body, &place);
 *		... send it ...
 *		spool_done(spool, &place);
 *	}
 *
 * Records survive a SIGKILL: they are in the page cache. A thread writes them to the disk
 * within a second or so, for a machine that loses its power, if they still wait by then.
 */
#ifndef UE__TOOLS_EXPORT_SPOOL_H
#define UE__TOOLS_EXPORT_SPOOL_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

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

#define SPOOL_LANES_MOST 4

struct spool_options {
	const char *directory; /* is made, if need be */
	uint64_t limit;	       /* of all files, in bytes */
	unsigned int lanes;
	const char *const *names; /* of the lanes: files begin with them */
};

struct spool_lane {
	struct spool_segment *first, *last;
	struct spool_segment *read; /* NULL: none */
	int is_new; /* this process made the last one, and adds records to it */
};

struct spool {
	struct spool_options options;
	char *directory;
	int fd, lock_file;
	pthread_mutex_t lock;
	struct spool_lane lanes[SPOOL_LANES_MOST];
	uint64_t bytes;	 /* of the files */
	uint64_t number; /* of the next record */
	uint64_t file;	 /* of the next file */
	uint64_t damage; /* places in files that could not be read */
	uint64_t left;	 /* files that are none of this queue, or cannot be read */
	int64_t next_complaint;
	int has_complained; /* and did not say since that records are written again */
	/* The thread */
	pthread_t thread;
	pthread_cond_t wake;
	int is_started, is_ending, is_directory_dirty;
};

/*
 * NULL after a message: there can be no queue. Files that cannot be read are left alone.
 */
struct spool *spool_open(const struct spool_options *options);
/* Waiting requests stay there. */
void spool_close(struct spool *spool);

/* Requests that wait and were not taken. */
struct spool_sums spool_waiting(struct spool *spool);

/*
 * Add a request; its items, events, time and length are set, and its number is set by it.
 * 0 or -errno: -EDQUOT if the files have no room by the limit. A message says so, now and
 * then.
 */
int spool_put(struct spool *spool, unsigned int lane, struct spool_record *record,
	      const void *body);
/* The number of the next record; also for those that are kept elsewhere. */
uint64_t spool_number(struct spool *spool);

/*
 * The next request of a lane: 1, or 0 if there is none. -EBADMSG: some are not there any
 * more, of which missing has the sums. Another error, such as -EMFILE: their file cannot be
 * opened now.
 */
int spool_next(struct spool *spool, unsigned int lane, struct spool_record *record,
	       struct spool_sums *missing);

struct spool_place {
	struct spool_segment *segment; /* NULL: it is in no file */
	uint64_t at;
};

/* Take the record of spool_next(): 0, or -EBADMSG if it is damaged; then it is done, too. */
int spool_take(struct spool *spool, unsigned int lane, const struct spool_record *record,
	       void *body, struct spool_place *place);
/* It was delivered, or is lost. */
void spool_done(struct spool *spool, const struct spool_place *place);

struct spool_counts {
	uint64_t bytes; /* of the files */
	uint64_t damage, left;
};

void spool_count(struct spool *spool, struct spool_counts *counts);

/* Close a file, unless it is read, added to, or not on the disk yet. */
void spool_release(const struct spool *spool, const struct spool_lane *lane,
		   struct spool_segment *segment);

/*
 * Find the existing files, and their waiting requests. 0, or -1 after a
 * message.
 */
int spool_scan(struct spool *spool);

/*
 * The thread begins with the first record, as the process may be forked
 * before. If it cannot, the kernel writes the files in its own time.
 */
void spool_start_writing(struct spool *spool);
void spool_end_writing(struct spool *spool);

/* The name of a file, in a buffer. */
#define SPOOL_NAME_ROOM 64
void spool_name(const struct spool *spool, const struct spool_segment *segment,
		char *name);
/*
 * Open a file of the queue. NULL, or why it is not opened; *error: of that, the number, or
 * 0 if the file is none of ours.
 */
const char *spool_open_file(const struct spool *spool, const char *name, int *fd,
			    uint64_t *size, int *error);

#endif
