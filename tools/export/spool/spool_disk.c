/* SPDX-License-Identifier: MIT */
/*
 * Finds the files of a queue that an earlier process left; and runs the thread that has
 * the disk write the files, for machines that lose their power.
 */
#include "spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cli/clock.h"
#include "common/cli/memory.h"
#include "common/cli/message.h"

/*
 * Finds the files of a queue that an earlier process left. A file that is none of ours,
 * that others could have written, or of another version is left alone, and reported.
 */

#define SUFFIX ".queue"

void spool_name(const struct spool *spool, const struct spool_segment *segment,
		char *name)
{
	snprintf(name, SPOOL_NAME_ROOM, "%s-%016llx" SUFFIX,
		 spool->options.names[segment->lane], (unsigned long long)segment->file);
}

static const char *why_not(const struct stat *status)
{
	if (!S_ISREG(status->st_mode))
		return "it is no regular file";
	if (status->st_uid != geteuid())
		return "it belongs to another user";
	if (status->st_mode & 022 || status->st_nlink != 1)
		return "others can write to it";
	return NULL;
}

const char *spool_open_file(const struct spool *spool, const char *name, int *fd,
			    uint64_t *size, int *error)
{
	struct stat status;
	const char *reason;

	*fd = openat(spool->fd, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	*error = *fd < 0 ? errno : 0;
	if (*fd < 0)
		return errno == ELOOP ? "it is a symbolic link" : strerror(errno);
	reason = fstat(*fd, &status) ? strerror(errno) : why_not(&status);
	*size = (uint64_t)status.st_size;
	if (reason)
		close(*fd);
	return reason;
}

/* 1 if it is a name of ours. */
static int parse_name(const struct spool *spool, const char *name,
		      struct spool_segment *segment)
{
	char again[SPOOL_NAME_ROOM], *end;

	for (unsigned int i = 0; i < spool->options.lanes; i++) {
		const size_t length = strlen(spool->options.names[i]);

		if (strncmp(name, spool->options.names[i], length) != 0 ||
		    name[length] != '-')
			continue;
		segment->lane = i;
		segment->file = strtoull(name + length + 1, &end, 16);
		spool_name(spool, segment, again);
		return !strcmp(name, again);
	}
	return 0;
}

/* Sort files by their numbers, as a folder does not keep them in order. */
static void insert(struct spool *spool, const struct spool_segment *found)
{
	struct spool_lane *lane = &spool->lanes[found->lane];
	struct spool_segment **at = &lane->first, *segment = xmalloc(sizeof(*segment));

	*segment = *found;
	while (*at && (*at)->file < segment->file)
		at = &(*at)->next;
	segment->next = *at;
	*at = segment;
	if (!segment->next)
		lane->last = segment;
}

static void leave(struct spool *spool, const char *name, const char *reason)
{
	spool->left++;
	message("cannot read %s/%s: %s; it is left alone", spool->directory, name,
		reason);
}

/* The requests that wait in it, from its begin. Each is looked at when it is sent. */
static void sum_up(struct spool *spool, struct spool_segment *segment)
{
	const uint64_t begin = segment->at;
	struct spool_record record;

	while (spool_segment_next(segment, &record)) {
		spool_sums_add(&segment->unread, &record);
		segment->at += spool_record_size(record.length);
		if (record.number >= spool->number)
			spool->number = record.number + 1;
	}
	segment->at = begin;
}

/* A kill left an incomplete record at the end, which is not damage. */
static void report_damage(struct spool *spool, const char *name, uint64_t damage)
{
	spool->damage += damage;
	if (damage)
		message("%s/%s is damaged in %llu place%s; the rest is sent",
			spool->directory, name, (unsigned long long)damage,
			PLURAL(damage));
}

static void look_at(struct spool *spool, const char *name, struct spool_segment *segment)
{
	uint64_t size;
	int fd, error;
	const char *reason = spool_open_file(spool, name, &fd, &size, &error);

	if (!reason && size && (reason = spool_segment_read(segment, fd, size)))
		close(fd);
	if (reason) {
		leave(spool, name, reason);
		return;
	}
	if (size)
		sum_up(spool, segment);
	close(fd);
	report_damage(spool, name, segment->damage);
	segment->damage = 0;
	segment->fd = -1;
	if (!segment->unread.requests) {
		unlinkat(spool->fd, name, 0);
		return;
	}
	spool->bytes += size;
	insert(spool, segment);
}

static void look_at_name(struct spool *spool, const char *name)
{
	struct spool_segment segment = { .fd = -1 };

	if (!parse_name(spool, name, &segment))
		return;
	if (segment.file >= spool->file)
		spool->file = segment.file + 1;
	look_at(spool, name, &segment);
}

int spool_scan(struct spool *spool)
{
	const int fd = openat(spool->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *names = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!names) {
		message("cannot read %s: %s", spool->directory, strerror(errno));
		return -1;
	}
	while ((entry = readdir(names)))
		look_at_name(spool, entry->d_name);
	closedir(names);
	return 0;
}

#define SECOND INT64_C(1000000000)
#define SYNCED_AT_ONCE 16

static int must_write(const struct spool_segment *segment)
{
	return segment->is_dirty && segment->fd >= 0 &&
	       (segment->unread.requests || segment->taken);
}

/* Descriptors of files that the disk must have. Callers go on meanwhile. */
static size_t dirty_files(struct spool *spool, int *fds)
{
	size_t count = 0;

	for (unsigned int i = 0; i < spool->options.lanes; i++) {
		struct spool_lane *lane = &spool->lanes[i];

		for (struct spool_segment *at = lane->first; at; at = at->next) {
			spool_release(spool, lane, at);
			if (count == SYNCED_AT_ONCE || !must_write(at))
				continue;
			fds[count] = fcntl(at->fd, F_DUPFD_CLOEXEC, 0);
			if (fds[count] < 0)
				continue; /* the next time */
			at->is_dirty = 0;
			count++;
		}
	}
	return count;
}

/* The caller holds the lock, which is released meanwhile. */
static void write_through(struct spool *spool)
{
	int fds[SYNCED_AT_ONCE];
	const size_t count = dirty_files(spool, fds);
	const int has_names = spool->is_directory_dirty;

	spool->is_directory_dirty = 0;
	pthread_mutex_unlock(&spool->lock);
	for (size_t i = 0; i < count; i++) {
		fdatasync(fds[i]);
		close(fds[i]);
	}
	if (has_names)
		fsync(spool->fd);
	pthread_mutex_lock(&spool->lock);
}

static void *run(void *context)
{
	struct spool *spool = context;

	pthread_mutex_lock(&spool->lock);
	while (!spool->is_ending) {
		const int64_t until = clock_now(CLOCK_MONOTONIC) + SECOND;
		const struct timespec time = { until / SECOND, until % SECOND };

		pthread_cond_timedwait(&spool->wake, &spool->lock, &time);
		write_through(spool);
	}
	pthread_mutex_unlock(&spool->lock);
	return NULL;
}

void spool_start_writing(struct spool *spool)
{
	sigset_t all, before;

	if (spool->is_started)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	spool->is_started = !pthread_create(&spool->thread, NULL, run, spool);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void spool_end_writing(struct spool *spool)
{
	pthread_mutex_lock(&spool->lock);
	spool->is_ending = 1;
	pthread_cond_signal(&spool->wake);
	pthread_mutex_unlock(&spool->lock);
	if (spool->is_started)
		pthread_join(spool->thread, NULL);
}
