/* SPDX-License-Identifier: MIT */
/* Adds requests to the files of a queue, and takes them. */
#include "spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cli/clock.h"
#include "common/cli/memory.h"
#include "common/cli/message.h"

#define SECOND INT64_C(1000000000)
/* A disk that is full is reported no more often than this. */
#define SILENCE_NS (60 * SECOND)
/* Files are a sixteenth of the limit, within these bounds. */
#define FILE_LEAST (UINT64_C(64) << 10)
#define FILE_MOST (UINT64_C(8) << 20)
/*
 * A file in which nothing waits is begun anew when it is longer, so that little is
 * written.
 */
#define EMPTY_BYTES (UINT64_C(256) << 10)

/* Opening and closing */

/* A record lock is not inherited by the process that records. */
static const char *lock_directory(struct spool *spool)
{
	const int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	spool->lock_file = openat(spool->fd, "lock", flags, 0600);
	if (spool->lock_file < 0)
		return strerror(errno);
	if (!fcntl(spool->lock_file, F_SETLK, &lock))
		return NULL;
	return errno == EACCES || errno == EAGAIN ?
		       "another collector does; give each a directory of its own" :
		       strerror(errno);
}

static const char *open_directory(struct spool *spool)
{
	struct stat status;

	if (mkdir(spool->directory, 0700) && errno != EEXIST)
		return strerror(errno);
	spool->fd = open(spool->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (spool->fd < 0 || fstat(spool->fd, &status))
		return strerror(errno);
	if (status.st_uid != geteuid())
		return "it belongs to another user; name a directory of its own";
	if (status.st_mode & 022)
		return "others can write to it; chmod go-w it, or name another";
	return lock_directory(spool);
}

static void free_spool(struct spool *spool)
{
	for (unsigned int i = 0; i < spool->options.lanes; i++)
		while (spool->lanes[i].first) {
			AUTO_FREE struct spool_segment *segment = spool->lanes[i].first;

			spool->lanes[i].first = segment->next;
			if (segment->fd >= 0)
				close(segment->fd);
		}
	if (spool->lock_file >= 0)
		close(spool->lock_file);
	if (spool->fd >= 0)
		close(spool->fd);
	pthread_cond_destroy(&spool->wake);
	pthread_mutex_destroy(&spool->lock);
	free(spool->directory);
	free(spool);
}

static struct spool *new_spool(const struct spool_options *options)
{
	struct spool *spool = xcalloc(1, sizeof(*spool));
	pthread_condattr_t attributes;

	spool->options = *options;
	spool->directory = xstrdup(options->directory);
	spool->fd = spool->lock_file = -1;
	spool->number = spool->file = 1;
	pthread_mutex_init(&spool->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&spool->wake, &attributes);
	pthread_condattr_destroy(&attributes);
	return spool;
}

struct spool *spool_open(const struct spool_options *options)
{
	struct spool *spool = new_spool(options);
	const char *reason = open_directory(spool);

	if (reason)
		message("cannot keep a queue in %s: %s", spool->directory, reason);
	if (!reason && !spool_scan(spool)) {
		for (unsigned int i = 0; i < options->lanes; i++)
			spool->lanes[i].read = spool->lanes[i].first;
		return spool;
	}
	free_spool(spool);
	return NULL;
}

static int has_records(const struct spool_segment *segment)
{
	return segment->unread.requests || segment->taken;
}

/* A file in which nothing waits. */
static void remove_file(struct spool *spool, const struct spool_segment *segment)
{
	char name[SPOOL_NAME_ROOM];

	spool_name(spool, segment, name);
	unlinkat(spool->fd, name, 0);
	spool->bytes -= segment->size;
}

void spool_close(struct spool *spool)
{
	if (!spool)
		return;
	spool_end_writing(spool);
	for (unsigned int i = 0; i < spool->options.lanes; i++)
		if (spool->lanes[i].last && !has_records(spool->lanes[i].last))
			remove_file(spool, spool->lanes[i].last);
	free_spool(spool);
}

/* Files */

static int is_added_to(const struct spool_lane *lane, const struct spool_segment *segment)
{
	return lane->is_new && segment == lane->last;
}

/*
 * Remove the files that are done: not the one that records are added to. All behind the
 * one that is read have records that wait.
 */
static void forget_done(struct spool *spool, struct spool_lane *lane)
{
	const struct spool_segment *const end = lane->read ? lane->read->next : NULL;
	struct spool_segment **at = &lane->first, *before = NULL;

	while (*at && *at != end) {
		struct spool_segment *segment = *at;

		if (has_records(segment) || is_added_to(lane, segment)) {
			before = segment;
			at = &segment->next;
			continue;
		}
		*at = segment->next;
		if (lane->read == segment)
			lane->read = segment->next;
		if (lane->last == segment)
			lane->last = before;
		remove_file(spool, segment);
		if (segment->fd >= 0)
			close(segment->fd);
		free(segment);
	}
}

static uint64_t file_bytes(const struct spool *spool)
{
	const uint64_t part = spool->options.limit / 16;

	return part < FILE_LEAST ? FILE_LEAST : part < FILE_MOST ? part :
								   FILE_MOST;
}

static uint64_t random_salt(void)
{
	uint64_t salt = (uint64_t)clock_now(CLOCK_REALTIME);

	if (getrandom(&salt, sizeof(salt), 0) < 0)
		salt ^= (uint64_t)getpid() << 32;
	return salt;
}

static int create_file(struct spool *spool, struct spool_segment *segment)
{
	char name[SPOOL_NAME_ROOM];
	int fd, result;

	spool_name(spool, segment, name);
	fd = openat(spool->fd, name,
		    O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	result = spool_segment_begin(segment, fd, random_salt());
	if (!result)
		return 0;
	close(fd);
	unlinkat(spool->fd, name, 0);
	return result;
}

/* Only the first of these to be read, and the last, need be open. */
void spool_release(const struct spool *spool, const struct spool_lane *lane,
		   struct spool_segment *segment)
{
	if (segment == lane->read || segment == lane->last || segment->fd < 0 ||
	    segment->taken || (segment->is_dirty && spool->is_started))
		return;
	close(segment->fd);
	segment->fd = -1;
}

/* The one before is complete. */
static int add_file(struct spool *spool, struct spool_lane *lane)
{
	struct spool_segment *segment = xcalloc(1, sizeof(*segment)), *before = lane->last;
	int result;

	segment->lane = (unsigned int)(lane - spool->lanes);
	segment->file = spool->file++;
	result = create_file(spool, segment);
	if (result) {
		free(segment);
		return result;
	}
	*(before ? &before->next : &lane->first) = segment;
	lane->last = segment;
	lane->is_new = 1;
	if (!lane->read)
		lane->read = segment;
	spool->bytes += segment->size;
	spool->is_directory_dirty = 1;
	if (before)
		spool_release(spool, lane, before);
	forget_done(spool, lane);
	return 0;
}

/* Nothing waits in the last file: its space is used again. */
static void empty_last(struct spool *spool, struct spool_lane *lane)
{
	struct spool_segment *last = lane->last;
	const uint64_t before = last->size;

	if (has_records(last) || before < EMPTY_BYTES || spool_segment_empty(last))
		return;
	spool->bytes -= before - last->size;
}

static int find_file(struct spool *spool, struct spool_lane *lane, uint64_t more)
{
	if (lane->is_new)
		empty_last(spool, lane);
	if (spool->bytes + more + sizeof(struct spool_head) > spool->options.limit)
		return -EDQUOT;
	if (lane->is_new && lane->last->size + more <= file_bytes(spool))
		return 0;
	return add_file(spool, lane);
}

/* Adding */

static void report(struct spool *spool, int error)
{
	const int64_t now = clock_now(CLOCK_MONOTONIC);

	if (now < spool->next_complaint)
		return;
	spool->next_complaint = now + SILENCE_NS;
	spool->has_complained = 1;
	if (error == -EDQUOT)
		message("the queue in %s is full: %llu MiB wait; what follows waits in "
			"memory, and is lost when that is full", spool->directory,
			(unsigned long long)(spool->bytes >> 20));
	else
		message("cannot add to the queue in %s: %s; what follows waits in "
			"memory, and is lost when that is full", spool->directory,
			strerror(-error));
}

static void note_result(struct spool *spool, int result)
{
	if (result) {
		report(spool, result);
	} else if (spool->has_complained) {
		message("the queue in %s takes requests again", spool->directory);
		spool->has_complained = 0;
	}
}

static int put(struct spool *spool, struct spool_lane *lane, struct spool_record *record,
	       const void *body)
{
	const uint64_t size = spool_record_size(record->length);
	int result = record->length > SPOOL_LENGTH_MOST ? -EFBIG :
							  find_file(spool, lane, size);

	if (!result)
		result = spool_segment_add(lane->last, record, body);
	if (result)
		return result;
	spool->bytes += size;
	spool_start_writing(spool);
	return 0;
}

int spool_put(struct spool *spool, unsigned int lane, struct spool_record *record,
	      const void *body)
{
	int result;

	pthread_mutex_lock(&spool->lock);
	record->number = spool->number++;
	result = put(spool, &spool->lanes[lane], record, body);
	note_result(spool, result);
	pthread_mutex_unlock(&spool->lock);
	return result;
}

uint64_t spool_number(struct spool *spool)
{
	uint64_t number;

	pthread_mutex_lock(&spool->lock);
	number = spool->number++;
	pthread_mutex_unlock(&spool->lock);
	return number;
}

/* Taking */

/* There may be a descriptor or memory for it later. */
static int is_for_now(int error)
{
	return error == EMFILE || error == ENFILE || error == ENOMEM || error == EINTR;
}

/* A file that was removed has nothing. 0, or -errno if it has to wait. */
static int open_again(struct spool *spool, struct spool_segment *segment)
{
	char name[SPOOL_NAME_ROOM];
	uint64_t size;
	int error;

	if (segment->fd >= 0)
		return 0;
	spool_name(spool, segment, name);
	if (!spool_open_file(spool, name, &segment->fd, &size, &error))
		return 0;
	segment->fd = -1;
	return is_for_now(error) ? -error : 0;
}

/* Records that were there at the last look are gone. */
static int report_missing(struct spool *spool, struct spool_segment *segment,
			  struct spool_sums *missing)
{
	*missing = segment->unread;
	segment->unread = (struct spool_sums){ .requests = 0 };
	spool->damage++;
	return -EBADMSG;
}

static int next(struct spool *spool, struct spool_lane *lane, struct spool_record *record,
		struct spool_sums *missing)
{
	while (lane->read) {
		struct spool_segment *segment = lane->read;
		const int error = segment->unread.requests ? open_again(spool, segment) : 0;

		if (error)
			return error;
		if (segment->unread.requests && segment->fd >= 0 &&
		    spool_segment_next(segment, record))
			return 1;
		if (segment->unread.requests)
			return report_missing(spool, segment, missing);
		if (is_added_to(lane, segment))
			return 0;
		lane->read = segment->next;
		forget_done(spool, lane);
	}
	return 0;
}

int spool_next(struct spool *spool, unsigned int lane, struct spool_record *record,
	       struct spool_sums *missing)
{
	int result;

	pthread_mutex_lock(&spool->lock);
	result = next(spool, &spool->lanes[lane], record, missing);
	pthread_mutex_unlock(&spool->lock);
	return result;
}

static void finish(struct spool *spool, struct spool_segment *segment, uint64_t at)
{
	spool_segment_done(segment, at);
	segment->taken--;
	forget_done(spool, &spool->lanes[segment->lane]);
}

/* The file may have changed since its record was read, which says how long the body is. */
static int take(struct spool *spool, struct spool_segment *segment,
		const struct spool_record *record, void *body, struct spool_place *place)
{
	const int result = spool_segment_body(segment, record, body);

	*place = (struct spool_place){ segment, segment->at };
	spool_sums_subtract(&segment->unread, record);
	segment->taken++;
	segment->at += spool_record_size(record->length);
	if (result) {
		spool->damage++;
		finish(spool, segment, place->at);
	}
	return result;
}

int spool_take(struct spool *spool, unsigned int lane, const struct spool_record *record,
	       void *body, struct spool_place *place)
{
	int result;

	pthread_mutex_lock(&spool->lock);
	result = take(spool, spool->lanes[lane].read, record, body, place);
	pthread_mutex_unlock(&spool->lock);
	return result;
}

void spool_done(struct spool *spool, const struct spool_place *place)
{
	pthread_mutex_lock(&spool->lock);
	finish(spool, place->segment, place->at);
	pthread_mutex_unlock(&spool->lock);
}

/* Counts */

static void add_sums(struct spool_sums *sums, const struct spool_lane *lane)
{
	for (const struct spool_segment *at = lane->first; at; at = at->next) {
		sums->requests += at->unread.requests;
		sums->items += at->unread.items;
		sums->events += at->unread.events;
		sums->bytes += at->unread.bytes;
	}
}

struct spool_sums spool_waiting(struct spool *spool)
{
	struct spool_sums sums = { .requests = 0 };

	pthread_mutex_lock(&spool->lock);
	for (unsigned int i = 0; i < spool->options.lanes; i++)
		add_sums(&sums, &spool->lanes[i]);
	pthread_mutex_unlock(&spool->lock);
	return sums;
}

void spool_count(struct spool *spool, struct spool_counts *counts)
{
	pthread_mutex_lock(&spool->lock);
	*counts = (struct spool_counts){ spool->bytes, spool->damage, spool->left };
	pthread_mutex_unlock(&spool->lock);
}
