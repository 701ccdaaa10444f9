/* SPDX-License-Identifier: MIT */
/*
 * Maps counts that outlive a collector, and settles those of one that was killed; locks
 * files of metrics.
 */
#include "metrics.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <userevents/loss.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"

/* Identifies this layout: another one has another size, and the same head. */
#define MARK_HEAD 0x5545636f756e7400u
#define MARK (MARK_HEAD + sizeof(struct kept_counts) / 8)

_Static_assert(MARK >> 16 == MARK_HEAD >> 16, "a size that changes the head");

/* Opening */

static const char no_counts[] = "it is no file of counts; name another, or remove it";

/* These return a reason why not, or NULL. */

static const char *check_file(int fd)
{
	struct stat status;

	if (fstat(fd, &status))
		return strerror(errno);
	if (!S_ISREG(status.st_mode))
		return "it is no regular file; name another";
	if (status.st_uid != geteuid() || status.st_nlink != 1 || status.st_mode & 022)
		return "others can write to it; remove it, or name another file";
	return NULL;
}

/* A record lock is not inherited by the process that records. */
static const char *lock_file(int fd)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	const char *reason = check_file(fd);

	if (reason || !fcntl(fd, F_SETLK, &lock))
		return reason;
	return errno == EACCES || errno == EAGAIN ?
		       "another collector does; give each a file of its own" :
		       strerror(errno);
}

enum layout {
	LAYOUT_OURS,  /* or there is none yet */
	LAYOUT_OTHER, /* of another version, or not whole */
	LAYOUT_NONE,  /* it has no counts */
};

static enum layout layout_of(int fd)
{
	struct stat status;
	uint64_t mark;

	if (fstat(fd, &status) || !status.st_size)
		return LAYOUT_OURS;
	if (pread(fd, &mark, sizeof(mark), 0) != sizeof(mark))
		return LAYOUT_NONE;
	if ((mark == MARK || !mark) && status.st_size == (off_t)sizeof(struct kept_counts))
		return LAYOUT_OURS;
	return mark >> 16 == MARK_HEAD >> 16 ? LAYOUT_OTHER : LAYOUT_NONE;
}

/*
 * Its room on the disk is taken now: a page that finds none later would end the process.
 * is_new: a file of another version was set aside for it.
 */
static const char *map_file(int fd, int is_new, struct kept_counts **kept)
{
	const int error = posix_fallocate(fd, 0, sizeof(**kept));

	if (error)
		return strerror(error);
	*kept = mmap(NULL, sizeof(**kept), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (*kept == MAP_FAILED)
		return strerror(errno);
	(*kept)->mark = MARK;
	(*kept)->set_aside += (uint64_t)is_new;
	return NULL;
}

/*
 * The descriptor stays open, as closing it would give the lock up; also that of a file
 * which was set aside, so that nobody who opened it under its old name can lock it.
 */
static const char *open_locked(const char *path, int *fd)
{
	*fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	return *fd < 0 ? strerror(errno) : lock_file(*fd);
}

static const char *set_aside(const char *path)
{
	AUTO_FREE char *old = xprintf("%s.old", path);
	const char *reason = rename(path, old) ? strerror(errno) : NULL;

	if (!reason)
		message("the counts in %s are of another version of userevents, or not "
			"whole: they are in %s now, and all counts begin at 0", path, old);
	return reason;
}

/* An upgrade must not keep a collector from its start. */
static const char *open_file(const char *path, struct kept_counts **kept)
{
	int fd, is_new = 0;
	const char *reason = open_locked(path, &fd);
	const enum layout layout = reason ? LAYOUT_OURS : layout_of(fd);

	if (layout == LAYOUT_NONE)
		return no_counts;
	if (layout == LAYOUT_OTHER) {
		reason = set_aside(path);
		is_new = !reason;
	}
	if (is_new)
		reason = open_locked(path, &fd);
	return reason ? reason : map_file(fd, is_new, kept);
}

int kept_counts_are_ours(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	const char *reason = fd < 0 ? strerror(errno) : check_file(fd);

	if (!reason && layout_of(fd) == LAYOUT_NONE)
		reason = no_counts;
	if (fd >= 0)
		close(fd);
	if (reason)
		message("cannot keep counts in %s: %s", path, reason);
	return !reason;
}

/* Those of a collector that was killed, which this one will open again. */
static void leave_rings(struct kept_counts *kept)
{
	for (size_t i = 0; i < KEPT_RINGS; i++)
		if (kept->rings[i].is_open)
			kept_ring_leave(&kept->rings[i], 0);
}

struct kept_counts *kept_counts_open(const char *path)
{
	struct kept_counts *kept = NULL;
	const char *reason;

	if (!path)
		return xcalloc(1, sizeof(*kept));
	reason = open_file(path, &kept);
	if (!reason) {
		leave_rings(kept);
		return kept;
	}
	message("cannot keep counts in %s: %s", path, reason);
	return NULL;
}

/* Settling */

static uint64_t events_done(const struct event_sums *sums, const struct sender_counts *sent)
{
	uint64_t done = sums->restart + sums->corrupt + sent->delivered.events;

	for (int i = 0; i < SENDER_LOSSES; i++)
		done += sent->lost[i].events;
	return done;
}

uint64_t events_in_encoder(const struct event_sums *sums, const struct sender_counts *sent)
{
	return sums->given - events_done(sums, sent) - sent->queued.events;
}

static struct safe_sums safe_of(const struct event_sums *sums)
{
	return (struct safe_sums){
		.passed = sums->passed,
		.left_out = sums->left_out,
		.misfits = sums->misfits,
		.limited = sums->limited,
		.given = sums->given,
	};
}

/*
 * A kill may come at any moment: so the other one is written, and then it is the latest.
 */
void kept_counts_are_safe(struct kept_counts *kept)
{
	const uint64_t other = !kept->latest_safe;

	kept->safe[other] = safe_of(&kept->sums);
	__atomic_store_n(&kept->latest_safe, other, __ATOMIC_RELEASE);
	kept->has_safe = 1;
}

void kept_counts_pass(struct kept_counts *kept, const struct event_sums *before)
{
	struct safe_sums *safe = &kept->safe[kept->latest_safe & 1];
	const struct event_sums *now = &kept->sums;

	safe->passed += now->passed - before->passed;
	safe->left_out += now->left_out - before->left_out;
	safe->misfits += now->misfits - before->misfits;
	safe->limited += now->limited - before->limited;
	safe->given += now->given - before->given;
}

/* The rings have the events since then, and they will be read and counted once more. */
static void go_back(struct kept_counts *kept)
{
	const struct safe_sums *safe = &kept->safe[kept->latest_safe & 1];

	if (!kept->has_safe)
		return;
	kept->has_safe = 0;
	kept->sums.passed = safe->passed;
	kept->sums.left_out = safe->left_out;
	kept->sums.misfits = safe->misfits;
	kept->sums.limited = safe->limited;
	kept->sums.given = safe->given;
}

/*
 * They are in files or were delivered, and their rings have them, too: they are read
 * twice.
 */
static void count_again(struct event_sums *sums, uint64_t events)
{
	sums->passed += events;
	sums->given += events;
}

static void count_left(struct kept_counts *kept, uint64_t left, const uint64_t *waiting)
{
	const uint64_t stored =
		kept->sent.slots[kept->sent.latest & 1].stored.events;
	uint64_t corrupt = waiting && stored > *waiting ? stored - *waiting : 0;

	if (corrupt > left)
		corrupt = left;
	kept->sums.corrupt += corrupt;
	kept->sums.restart += left - corrupt;
}

uint64_t kept_counts_settle(struct kept_counts *kept, const uint64_t *waiting)
{
	const struct sender_counts *sent = &kept->sent.slots[kept->sent.latest & 1];
	uint64_t known;

	go_back(kept);
	known = events_done(&kept->sums, sent) + (waiting ? *waiting : 0);
	if (known >= kept->sums.given) {
		count_again(&kept->sums, known - kept->sums.given);
		return 0;
	}
	known = kept->sums.given - known;
	count_left(kept, known, waiting);
	return known;
}

/* Rings */

struct source_losses source_losses_of(const uint64_t *lost)
{
	struct source_losses losses = { 0 };

	for (int i = 0; i < UE_LOSS_REASONS; i++)
		*(i == UE_LOSS_CAPTURE_FULL ? &losses.ring : &losses.in_programs) += lost[i];
	return losses;
}

void kept_ring_leave(struct kept_ring *ring, int is_over)
{
	if (is_over)
		ring->inode = ring->device = 0;
	ring->is_open = 0;
	ring->used = (uint32_t)time(NULL);
}

/* The place with the least is taken: one that is free, or the oldest. */
static uint64_t kept_value_of(const struct kept_ring *ring)
{
	if (ring->is_open)
		return UINT64_MAX;
	return ring->inode ? (uint64_t)ring->used + 1 : 0;
}

struct kept_ring *kept_ring_find(struct kept_counts *kept, const struct kept_ring *wanted)
{
	struct kept_ring *found = &kept->rings[0];

	for (size_t i = 0; i < KEPT_RINGS; i++) {
		struct kept_ring *ring = &kept->rings[i];

		if (ring->inode == wanted->inode && ring->device == wanted->device &&
		    ring->created == wanted->created)
			return ring;
		if (kept_value_of(ring) < kept_value_of(found))
			found = ring;
	}
	if (found->is_open)
		return NULL;
	*found = *wanted;
	return found;
}

/*
 * Locks files of metrics, by a file FILE.lock beside each, as the file itself is
 * replaced all the time. A record lock is not inherited by the process that records.
 */

static int find(const struct words *words, const char *word)
{
	for (size_t i = 0; i < words->count; i++)
		if (!strcmp(words->items[i], word))
			return (int)i;
	return -1;
}

/* Whoever had the lock may have removed the file since it was opened. */
static int has_path(int fd, const char *path)
{
	struct stat mine, named;

	return !fstat(fd, &mine) && !lstat(path, &named) && mine.st_ino == named.st_ino &&
	       mine.st_dev == named.st_dev;
}

/*
 * The descriptor; -1: it cannot be created; -2 after a message: another collector has
 * it.
 */
static int take(const char *path, const char *file)
{
	struct flock range = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int fd, is_locked = 0;

	do {
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
			  0600);
		is_locked = fd >= 0 && !fcntl(fd, F_SETLK, &range);
	} while (is_locked && !has_path(fd, path) && !close(fd));
	if (fd < 0 && errno != EACCES)
		return -1;
	if (is_locked || (fd >= 0 && errno != EACCES && errno != EAGAIN))
		return fd;
	if (fd < 0 && access(path, F_OK))
		return -1;
	if (fd >= 0)
		close(fd);
	message("cannot write %s: another collector does; give each a file of its own",
		file);
	return -2;
}

/*
 * A file that has been replaced is given up by closing it: so one that is kept is
 * moved.
 */
static int add(struct metrics_lock *to, struct metrics_lock *from, const char *file)
{
	char *path = xprintf("%s.lock", file);
	const int had = find(&from->paths, path);
	int fd;

	if (find(&to->paths, path) >= 0) {
		free(path);
		return 0;
	}
	fd = had >= 0 ? from->fds[had] : take(path, file);
	to->fds = xgrow(to->fds, to->paths.count, sizeof(*to->fds));
	to->fds[to->paths.count] = fd;
	words_add(&to->paths, path);
	return fd == -2 ? -1 : 0;
}

/* Close those that the other one does not have. */
static void leave(struct metrics_lock *lock, const struct metrics_lock *kept)
{
	for (size_t i = 0; i < lock->paths.count; i++) {
		if (lock->fds[i] < 0 ||
		    (kept && find(&kept->paths, lock->paths.items[i]) >= 0))
			continue;
		unlink(lock->paths.items[i]);
		close(lock->fds[i]);
	}
	words_free(&lock->paths);
	free(lock->fds);
	*lock = (struct metrics_lock){ .fds = NULL };
}

int metrics_lock_take(struct metrics_lock *lock, const struct words *files)
{
	struct metrics_lock wanted = { .fds = NULL };
	int result = 0;

	for (size_t i = 0; i < files->count && !result; i++)
		result = add(&wanted, lock, files->items[i]);
	if (result) {
		leave(&wanted, lock);
		return -1;
	}
	leave(lock, &wanted);
	*lock = wanted;
	return 0;
}

void metrics_lock_free(struct metrics_lock *lock)
{
	leave(lock, NULL);
}
