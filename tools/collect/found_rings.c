/* SPDX-License-Identifier: MIT */
/*
 * Finds the rings of files by their paths, lets those of programs in by a door, and parts with
 * rings that were removed or whose programs ended.
 */
#include "found_rings.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <userevents/ring.h>

#include "common/cli/clock.h"
#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/output/capture_writer.h"
#include "service_rings.h"

#define LOOK_NS 1000000000
/* A ring that could not be read is tried again after so long. */
#define AGAIN_NS ((int64_t)10 * 1000000000)
/* A removed ring is left when nothing came for so long, and one without a lock in it. */
#define UNUSED_NS ((int64_t)60 * 1000000000)
#define FILES_MAX 1024
/* Programs that are let in before the next look at the rings. */
#define GUESTS_AT_ONCE 64
/* So long the service manager may take to hear of the last rings. */
#define TELL_NS 500000000
#define TELL_PAUSE_MS 10
/* So long they are let in before the end. */
#define ADMIT_NS 1000000000
/* Requests that are not full are stored so often. */
#define STORE_NS 1000000000

/* Overwriting rings can be read without the right to write. */
static int open_file(const char *path)
{
	const int flags = O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW;
	int fd = open(path, O_RDWR | flags);

	return fd < 0 && (errno == EACCES || errno == EROFS) ? open(path, O_RDONLY | flags) : fd;
}

static void record_ring(struct collected_ring *ring)
{
	if (ring->recording)
		ring->written = capture_writer_add_ring(ring->guest ? ring->guest->cgroup :
								      NULL);
}

static void open_ring(struct ring_source *source, struct collected_ring *ring, int error)
{
	int result = error ? error : collected_ring_open(ring, source->collector->metrics.kept);

	if (result && result != ring->error && !ring->guest)
		message("cannot collect from %s: %s", ring->path,
			ring_reason(ring->fd, result));
	ring->error = result;
	ring->tried = clock_now(CLOCK_MONOTONIC);
	if (result)
		collected_ring_leave(ring);
	else
		record_ring(ring);
}

/*
 * It is kept even if it cannot be read, so that it is not tried all the time, and reported once.
 * error: 0, or why it has no descriptor.
 */
static struct collected_ring *add(struct ring_source *source, struct collected_ring given,
				  int error)
{
	struct collected_ring *ring = xcalloc(1, sizeof(*ring));

	*ring = given;
	ring->recording = source->recording;
	ring->may_hold = source->collector->holds;
	open_ring(source, ring, error);
	source->rings = xgrow(source->rings, source->count, sizeof(struct collected_ring *));
	source->rings[source->count++] = ring;
	return ring;
}

static void add_file(struct ring_source *source, const char *path, const struct stat *status)
{
	const int fd = open_file(path);
	const struct collected_ring ring = {
		.path = xstrdup(path),
		.device = status->st_dev,
		.inode = status->st_ino,
		.since = source->collector->metrics.started,
		.last = clock_now(CLOCK_MONOTONIC),
		.fd = fd,
	};

	add(source, ring, fd < 0 ? -errno : 0);
}

/* Its reader may have ended, its rights may have changed, and descriptors may be free again. */
static void try_again(struct ring_source *source, int64_t now)
{
	for (size_t i = 0; i < source->count; i++) {
		struct collected_ring *ring = source->rings[i];

		if (ring->guest || ring->fd >= 0 || now - ring->tried < AGAIN_NS)
			continue;
		ring->fd = open_file(ring->path);
		open_ring(source, ring, ring->fd < 0 ? -errno : 0);
	}
}

static int is_known(const struct ring_source *source, const struct stat *status)
{
	for (size_t i = 0; i < source->count; i++)
		if (source->rings[i]->device == status->st_dev &&
		    source->rings[i]->inode == status->st_ino)
			return 1;
	return 0;
}

/* Guests have limits of their own. */
static size_t count_files(const struct ring_source *source)
{
	size_t count = 0;

	for (size_t i = 0; i < source->count; i++)
		count += !source->rings[i]->guest;
	return count;
}

/* Whether there is a file that may be a ring. */
static int look_at(struct ring_source *source, const char *path)
{
	struct stat status;

	if (stat(path, &status) || !S_ISREG(status.st_mode))
		return 0;
	if (is_known(source, &status))
		return 1;
	if (count_files(source) < FILES_MAX)
		add_file(source, path, &status);
	else if (is_due(&source->next_number, clock_now(CLOCK_MONOTONIC), SILENCE_NS))
		message("cannot collect from %s: %d files are the most; start another "
			"collector for some of them", path, FILES_MAX);
	return 1;
}

/* The number of files. */
static size_t look_for(struct ring_source *source, const char *pattern)
{
	glob_t found;
	size_t files = 0;

	if (!glob(pattern, 0, NULL, &found))
		for (size_t i = 0; i < found.gl_pathc; i++)
			files += (size_t)look_at(source, found.gl_pathv[i]);
	globfree(&found);
	return files;
}

/* A typing error would look like a quiet machine. */
static void look_for_patterns(struct ring_source *source)
{
	for (size_t i = 0; i < source->patterns->count; i++) {
		const char *pattern = source->patterns->items[i];

		if (!look_for(source, pattern) && !source->has_begun)
			message("no ring matches %s yet; it is looked for every second", pattern);
	}
	source->has_begun = 1;
}

static int is_other(const struct collected_ring *ring)
{
	struct stat status;

	return stat(ring->path, &status) || status.st_dev != ring->device ||
	       status.st_ino != ring->inode;
}

static int is_unlinked(const struct collected_ring *ring)
{
	struct stat status;

	return ring->fd >= 0 && !fstat(ring->fd, &status) && !status.st_nlink;
}

/* Programs that run may write into a file without a name. */
static int is_removed(struct collected_ring *ring, int64_t now)
{
	if (ring->guest)
		return ring->is_done;
	if (ring->fd < 0)
		return is_other(ring);
	return now - ring->last > UNUSED_NS && is_unlinked(ring) && !collected_ring_has_events(ring);
}

/* Its ring is kept for the next collector as long as its program lives. */
static void leave_guest(struct ring_source *source, struct collected_ring *ring)
{
	if (ring->is_over)
		service_forget(ring->guest);
	door_guest_leave(source->door, ring->guest);
}

void ring_part_with(struct ring_source *source, struct collected_ring *ring)
{
	if (ring->guest)
		ring->is_over = ring->is_over || door_guest_is_gone(ring->guest);
	if (ring->guest ? ring->is_over : is_unlinked(ring))
		collected_ring_count_left(ring);
	collected_ring_settle(ring, &source->collector->metrics);
	collected_ring_leave(ring);
	if (ring->guest)
		leave_guest(source, ring);
	free(ring->path);
	free(ring);
}

/*
 * Removed files, whose place another may take, and those of programs that ended. Events
 * are stored before the first of them is freed, as that looks at all rings.
 */
static void forget_removed(struct ring_source *source, int64_t now)
{
	size_t kept = 0;

	for (size_t i = 0; i < source->count; i++) {
		struct collected_ring *ring = source->rings[i];

		if (!is_removed(ring, now)) {
			source->rings[kept++] = ring;
			continue;
		}
		if (kept == i)
			rings_store(source);
		ring_part_with(source, ring);
	}
	source->count = kept;
}

int rings_store(struct ring_source *source)
{
	struct collector *collector = source->collector;
	const int result = collector->holds ? collector_store(collector) : 0;

	for (size_t i = 0; collector->holds && i < source->count; i++)
		collected_ring_release(source->rings[i]);
	source->next_store = clock_now(CLOCK_MONOTONIC) + STORE_NS;
	if (collector->holds)
		source->puts = delivery_puts(collector->metrics.delivery);
	return result;
}

/* Later messages would not be read. */
void rings_tell_all(struct ring_source *source)
{
	const int64_t end = clock_now(CLOCK_MONOTONIC) + TELL_NS;

	while (!service_tell_again(ring_door_guests(source->door))) {
		if (clock_now(CLOCK_MONOTONIC) >= end) {
			message("the service manager takes no messages; it may keep "
				"other rings than it should");
			return;
		}
		poll(NULL, 0, TELL_PAUSE_MS);
	}
}

/* A program whose ring cannot be read offers it again. */
static void add_guest(struct ring_source *source, struct door_guest *guest, int is_kept)
{
	const int64_t now = clock_now(CLOCK_MONOTONIC);
	const int fd = fcntl(guest->ring, F_DUPFD_CLOEXEC, 0);
	const struct collected_ring given = {
		.path = xprintf("the ring of process %d of user %u", (int)guest->pid,
				(unsigned)guest->user),
		.device = guest->device,
		.inode = guest->inode,
		.room_at = now,
		.last = now,
		.fd = fd,
		.guest = guest,
	};
	struct collected_ring *ring = add(source, given, fd < 0 ? -errno : 0);

	if (!ring->error) {
		if (!is_kept)
			service_keep(guest);
		return;
	}
	source->count--;
	service_forget(guest); /* so that the next collector is spared it */
	ring_door_refuse(source->door, guest, ring_reason(guest->ring, ring->error));
	free(ring->path);
	free(ring);
}

void rings_adopt(struct ring_source *source)
{
	struct door_guest *guest;

	while ((guest = service_kept(source->door)))
		add_guest(source, guest, 1);
}

/* Let one waiting program in; 0 if none waits. */
static int admit_one(struct ring_source *source)
{
	struct door_guest *guest = ring_door_next(source->door);

	if (guest)
		add_guest(source, guest, 0);
	return guest != NULL;
}

void rings_admit(struct ring_source *source)
{
	if (ring_door_is_short(source->door) && !source->has_looked)
		return; /* the next round does */
	forget_removed(source, clock_now(CLOCK_MONOTONIC));
	for (int i = 0; i < GUESTS_AT_ONCE && admit_one(source); i++)
		;
}

static void admit_all(struct ring_source *source)
{
	const int64_t end = clock_now(CLOCK_MONOTONIC) + ADMIT_NS;
	int is_one;

	do {
		is_one = admit_one(source);
	} while ((is_one || is_readable(ring_door_fd(source->door), 0)) &&
		 clock_now(CLOCK_MONOTONIC) < end);
}

/* A ring whose program ended has now all that it will ever have. */
static void look_for_ended(struct ring_source *source, int64_t now)
{
	for (size_t i = 0; i < source->count; i++) {
		struct collected_ring *ring = source->rings[i];

		if (!ring->guest || ring->is_over)
			continue;
		ring->guest->is_unused = now - ring->last > UNUSED_NS;
		ring->is_over = door_guest_is_gone(ring->guest);
	}
}

int rings_exchange(struct ring_source *source)
{
	const int64_t now = clock_now(CLOCK_MONOTONIC);

	forget_removed(source, now);
	admit_all(source);
	look_for_ended(source, now);
	for (size_t i = 0; i < source->count; i++)
		if (source->rings[i]->guest && source->rings[i]->is_over)
			return 1;
	return 0;
}

int is_readable(int fd, int milliseconds)
{
	struct pollfd one = { .fd = fd, .events = POLLIN };

	return poll(&one, 1, milliseconds) == 1;
}

void rings_look(struct ring_source *source)
{
	const int64_t now = clock_now(CLOCK_MONOTONIC);
	const int is_needed = source->door && ring_door_is_short(source->door) &&
			      is_readable(ring_door_fd(source->door), 0);

	source->has_looked = now >= source->next_look || is_needed;
	if (source->door)
		service_tell_again(ring_door_guests(source->door));
	if (!source->has_looked)
		return;
	source->next_look = now + LOOK_NS;
	forget_removed(source, now);
	try_again(source, now);
	look_for_ended(source, now);
	look_for_patterns(source);
}
