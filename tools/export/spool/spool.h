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

#include "spool_segment.h"

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
 * spool_scan.c: find the existing files, and their waiting requests. 0, or -1 after a
 * message.
 */
int spool_scan(struct spool *spool);

/*
 * spool_disk.c: the thread begins with the first record, as the process may be forked
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
