/* SPDX-License-Identifier: MIT */
/*
 * The thread that has the disk write the files of a queue, for machines that lose their
 * power.
 */
#include "spool.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "common/cli/clock.h"

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
