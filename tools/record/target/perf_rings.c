/* SPDX-License-Identifier: MIT */
/* Opens perf events, maps their rings, and follows processors. */
#include "perf_rings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"

#ifndef PERF_FORMAT_LOST
#define PERF_FORMAT_LOST (1u << 4) /* Linux 6.0 */
#endif

int perf_open(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

int perf_complain(const char *verb, const char *what, int error)
{
	char *paranoid = NULL;

	switch (error) {
	case EACCES:
	case EPERM:
		paranoid = read_file("/proc/sys/kernel/perf_event_paranoid", NULL);
		message("cannot %s %s: the kernel does not allow it to this user; run as "
			"root, or with CAP_PERFMON, or, as root, sysctl "
			"kernel.perf_event_paranoid=-1 (it is %.*s)", verb, what,
			paranoid ? (int)strcspn(paranoid, "\n") : 7,
			paranoid ? paranoid : "unknown");
		free(paranoid);
		break;
	case EMFILE:
		message("cannot %s %s: it needs more open files than are allowed; raise "
			"the limit with ulimit -n", verb, what);
		break;
	case EOVERFLOW:
		message("cannot %s %s: the kernel allows no stacks of so many frames; as root, "
			"raise them with sysctl kernel.perf_event_max_stack", verb, what);
		break;
	default:
		message("cannot %s %s: %s", verb, what, strerror(error));
	}
	return -1;
}

static int complain(const char *what, int error)
{
	return perf_complain("record", what, error);
}

int perf_is_short_of(int error)
{
	return error == EMFILE || error == ENFILE || error == ENOMEM;
}

/* The number of the target's threads; 0: all threads. */
static size_t thread_count(const struct perf_rings *rings)
{
	return rings->is_for_all ? 0 : rings->target->thread_count;
}

static void fill_attr(const struct perf_rings *rings, struct perf_event_attr *attr)
{
	/* an event of a command that waits is enabled by its exec */
	uint64_t on_exec = thread_count(rings) && rings->target->command.go > 0;

	*attr = (struct perf_event_attr){
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(*attr),
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW |
			       (rings->has_cgroups ? PERF_SAMPLE_CGROUP : 0),
		.read_format = rings->read_format,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.inherit = thread_count(rings) > 0,
		.disabled = on_exec,
		.enable_on_exec = on_exec,
		.watermark = 1,
		.write_backward = rings->is_overwritten != 0,
		.wakeup_watermark = (uint32_t)(rings->size / 4),
	};
}

static void keep_fd(struct perf_rings *rings, const struct perf_ring *ring, int fd)
{
	rings->fds = xgrow(rings->fds, rings->fd_count, sizeof(*rings->fds));
	rings->fds[rings->fd_count++] =
		(struct perf_fd){ fd, (uint32_t)(ring - rings->rings) };
}

static int keep_id(struct perf_opened *opened, int fd)
{
	opened->ids = xgrow(opened->ids, opened->id_count, sizeof(*opened->ids));
	if (ioctl(fd, PERF_EVENT_IOC_ID, &opened->ids[opened->id_count])) {
		message("cannot read the id of an event: %s",
			strerror(errno));
		return -1;
	}
	opened->id_count++;
	return 0;
}

/*
 * Open an event of one thread, or all, on one processor. A thread may have ended. If the
 * event has gone, as no program holds it, returns an errno.
 */
static int open_one(struct perf_rings *rings, struct perf_opened *opened, pid_t thread,
		    const struct perf_ring *ring, const char *what)
{
	int fd = perf_open(&opened->attr, thread, ring->cpu);

	if (fd < 0 && (errno == ESRCH || errno == ENODEV))
		return 0;
	if (fd < 0 && !opened->id_count && (errno == EINVAL || errno == ENOENT))
		return errno;
	if (fd < 0 && rings->is_late && perf_is_short_of(errno))
		return errno;
	if (fd < 0)
		return complain(what, errno);
	keep_fd(rings, ring, fd);
	if (keep_id(opened, fd))
		return -1;
	if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd))
		return complain(what, errno);
	if (rings->filter && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, rings->filter)) {
		/* all events come, and are filtered here */
	}
	return 0;
}

/* Descriptors that the tool itself opens now and then: directories, formats, files. */
#define RESERVE 16

/* Whether opening a late event would leave too few descriptors to go on with. */
static int has_too_few(const struct perf_rings *rings)
{
	const size_t threads = rings->target->thread_count ? rings->target->thread_count : 1;
	const size_t wanted = rings->fd_count + rings->count * (threads + 1) + RESERVE;
	struct rlimit limit;

	return rings->is_late && !getrlimit(RLIMIT_NOFILE, &limit) && wanted > limit.rlim_cur;
}

/* Close the descriptors of an event that cannot be opened whole. */
static void drop_from(struct perf_rings *rings, size_t first)
{
	while (rings->fd_count > first)
		close(rings->fds[--rings->fd_count].fd);
}

static int open_all(struct perf_rings *rings, struct perf_opened *opened, const char *name)
{
	int result = 0;

	for (size_t r = 0; r < rings->count && !result; r++) {
		if (rings->rings[r].fd < 0)
			continue;
		if (!thread_count(rings))
			result = open_one(rings, opened, -1, &rings->rings[r], name);
		for (size_t t = 0; t < thread_count(rings) && !result; t++)
			result = open_one(rings, opened, rings->target->threads[t],
					  &rings->rings[r], name);
	}
	return result;
}

/* Threads take their events to any processor, so these need not be opened again. */
static void keep_added(struct perf_rings *rings, const struct perf_event_attr *attr,
		       const char *name)
{
	if (rings->target->thread_count)
		return;
	rings->added = xgrow(rings->added, rings->added_count, sizeof(*rings->added));
	rings->added[rings->added_count++] = (struct perf_added){
		.attr = *attr,
		.name = name ? xstrdup(name) : NULL,
		.filter = name && rings->filter ? xstrdup(rings->filter) : NULL,
	};
}

/*
 * One more for the library, which makes the system call, if the kernel allows one more.
 */
static uint16_t frames_with_library(uint16_t frames)
{
	AUTO_FREE char *text = read_file("/proc/sys/kernel/perf_event_max_stack", NULL);
	const unsigned long most = text ? strtoul(text, NULL, 10) : frames;

	return frames < most ? frames + 1 : (uint16_t)most;
}

int perf_rings_add(struct perf_rings *rings, uint32_t id, const char *name,
		   struct perf_opened *opened)
{
	const size_t before = rings->fd_count;
	int result;

	*opened = (struct perf_opened){ .ids = NULL };
	fill_attr(rings, &opened->attr);
	opened->attr.config = id;
	if (rings->frames) {
		opened->attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
		opened->attr.exclude_callchain_kernel = 1;
		opened->attr.sample_max_stack = frames_with_library(rings->frames);
	}
	if (has_too_few(rings))
		return EMFILE;
	result = open_all(rings, opened, name);
	if (result > 0)
		drop_from(rings, before);
	/* one processor may have gone, but not all */
	if (!result && !opened->id_count && !thread_count(rings))
		return ENODEV;
	if (!result)
		keep_added(rings, &opened->attr, name);
	return result;
}

/* Rings */

/* The first ring may become smaller, down to the least size; then so do all. */
static void *map_as_allowed(struct perf_rings *rings, const struct perf_ring *ring)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (;;) {
		/* a reader that may not write cannot stop the kernel from overwriting */
		void *map = mmap(NULL, page + rings->size,
				 PROT_READ | (rings->is_overwritten ? 0 : PROT_WRITE),
				 MAP_SHARED, ring->fd, 0);

		if (map != MAP_FAILED || rings->mapped ||
		    rings->size / 2 < rings->least)
			return map;
		rings->size /= 2;
	}
}

/* 0, or an errno. */
static int map_ring(struct perf_rings *rings, struct perf_ring *ring)
{
	void *map = map_as_allowed(rings, ring);

	if (map == MAP_FAILED)
		return errno;
	rings->mapped++;
	ring->taken = 0;
	ring->page = map;
	ring->data = (const uint8_t *)map + sysconf(_SC_PAGESIZE);
	return 0;
}

/* At the beginning nothing can be recorded without it. */
static int map_first(struct perf_rings *rings, struct perf_ring *ring)
{
	const int error = map_ring(rings, ring);

	if (!error)
		return 0;
	message("cannot map rings of %zu kB: %s; use a smaller --buffer, or, as root, "
		"raise sysctl kernel.perf_event_mlock_kb",
		rings->size >> 10, strerror(error));
	return -1;
}

/* The dummy records the names of threads and control groups, which perf script shows. */
static void make_dummy(const struct perf_rings *rings, struct perf_event_attr *attr)
{
	fill_attr(rings, attr);
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_DUMMY;
	attr->comm = 1;
	attr->task = 1;
	attr->cgroup = rings->has_cgroups != 0;
	if (!rings->wants_code)
		return;
	attr->mmap = attr->mmap2 = 1;
	attr->comm_exec = 1;
#ifdef PERF_RECORD_MISC_MMAP_BUILD_ID
	attr->build_id = rings->has_build_ids != 0;
#endif
}

/* The first dummy finds the kernel's abilities. */
static int open_dummy(struct perf_rings *rings, struct perf_opened *dummy, pid_t thread,
		      int cpu)
{
	static const struct {
		uint64_t read_format;
		int has_cgroups;
		int has_build_ids;
	} choices[] = { { PERF_FORMAT_LOST, 1, 1 }, { PERF_FORMAT_LOST, 0, 1 },
			{ 0, 1, 1 },		    { 0, 0, 1 },
			{ 0, 1, 0 },		    { 0, 0, 0 } };
	int fd = -1;

	if (dummy->id_count)
		return perf_open(&dummy->attr, thread, cpu);
	errno = EINVAL;
	for (size_t i = 0; i < 6 && fd < 0 && errno == EINVAL; i++) {
		rings->read_format = choices[i].read_format;
		rings->has_cgroups = choices[i].has_cgroups;
		rings->has_build_ids = choices[i].has_build_ids;
		make_dummy(rings, &dummy->attr);
		fd = perf_open(&dummy->attr, thread, cpu);
	}
	return fd;
}

/* Without dummies of their own, the names of the other threads would not be recorded. */
static int open_for_threads(struct perf_rings *rings, const struct perf_ring *ring,
			    struct perf_opened *dummy)
{
	for (size_t t = 1; t < rings->target->thread_count; t++)
		if (open_one(rings, dummy, rings->target->threads[t], ring, "events"))
			return -1;
	return 0;
}

/* A processor that is offline has no dummy. */
static int open_ring(struct perf_rings *rings, struct perf_ring *ring,
		     struct perf_opened *dummy)
{
	pid_t thread = rings->target->thread_count ? rings->target->threads[0] : -1;

	ring->is_over = 0;
	ring->fd = open_dummy(rings, dummy, thread, ring->cpu);
	if (ring->fd < 0)
		return errno == ENODEV ? 0 : complain("events", errno);
	return map_first(rings, ring) || keep_id(dummy, ring->fd) ||
	       open_for_threads(rings, ring, dummy) ? -1 : 0;
}

void perf_raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

int perf_rings_open(struct perf_rings *rings, size_t size, size_t least,
		    struct perf_opened *dummy)
{
	const size_t cpus = processors_possible();

	rings->size = (size_t)sysconf(_SC_PAGESIZE);
	rings->least = least;
	while (rings->size < size)
		rings->size *= 2;
	perf_raise_file_limit();
	rings->rings = xcalloc(cpus, sizeof(*rings->rings));
	rings->count = cpus;
	for (size_t cpu = 0; cpu < cpus; cpu++)
		rings->rings[cpu] = (struct perf_ring){ .cpu = (int)cpu, .fd = -1 };
	*dummy = (struct perf_opened){ .ids = NULL };
	for (size_t i = 0; i < rings->count; i++)
		if (open_ring(rings, &rings->rings[i], dummy))
			return -1;
	rings->dummy_fds = rings->fd_count;
	keep_added(rings, &dummy->attr, NULL);
	if (dummy->id_count)
		return 0;
	message("cannot record: perf opens no event on any processor");
	return -1;
}

static void unmap_ring(const struct perf_rings *rings, struct perf_ring *ring)
{
	if (ring->page)
		munmap(ring->page, (size_t)sysconf(_SC_PAGESIZE) + rings->size);
	ring->page = NULL;
}

static void close_ring(const struct perf_rings *rings, struct perf_ring *ring)
{
	unmap_ring(rings, ring);
	if (ring->fd >= 0)
		close(ring->fd);
	ring->fd = -1;
}

void perf_rings_close(struct perf_rings *rings)
{
	drop_from(rings, 0);
	for (size_t i = 0; i < rings->count; i++)
		close_ring(rings, &rings->rings[i]);
	for (size_t i = 0; i < rings->added_count; i++) {
		free(rings->added[i].name);
		free(rings->added[i].filter);
	}
	free(rings->added);
	bytes_free(&rings->newest);
	free(rings->fds);
	free(rings->rings);
	*rings = (struct perf_rings){ 0 };
}

/* Processors that go and come */

/* An event that has gone since is left out. */
static int open_again(struct perf_rings *rings, struct perf_ring *ring,
		      const struct perf_added *added, struct perf_opened *opened)
{
	char *filter = rings->filter;
	int result;

	opened->attr = added->attr;
	rings->filter = added->filter;
	result = open_one(rings, opened, -1, ring, added->name);
	rings->filter = filter;
	return result > 0 && !perf_is_short_of(result) ? 0 : result;
}

/*
 * A dummy in place of the dead one. It takes over the ring: to get as much memory again may
 * take longer than all else, and meanwhile the processor's events are missed.
 */
static int open_dummy_again(struct perf_rings *rings, struct perf_ring *ring, int dead)
{
	ring->fd = perf_open(&rings->added[0].attr, -1, ring->cpu);
	if (ring->fd < 0 && errno != ENODEV && !perf_is_short_of(errno))
		return complain("events", errno);
	if (ring->fd < 0)
		return errno;
	ring->is_over = 0;
	if (ring->page && ioctl(ring->fd, PERF_EVENT_IOC_SET_OUTPUT, dead))
		unmap_ring(rings, ring);
	return ring->page ? 0 : map_ring(rings, ring);
}

/* Open the dummy, and then all events; ids has 0 for those that are left out. */
static int open_events_again(struct perf_rings *rings, struct perf_ring *ring, int dead,
			     uint64_t *ids)
{
	struct perf_opened opened = { .attr = rings->added[0].attr };
	int result = open_dummy_again(rings, ring, dead);

	if (!result)
		result = keep_id(&opened, ring->fd);
	for (size_t i = 0; i < rings->added_count && !result; i++) {
		if (i)
			result = open_again(rings, ring, &rings->added[i], &opened);
		if (!result && opened.id_count)
			ids[i] = opened.ids[0];
		opened.id_count = 0;
	}
	free(opened.ids);
	return result;
}

/* Back to the dead dummy. The ids of the new events' records are unknown. */
static void detach_again(struct perf_rings *rings, struct perf_ring *ring, int dead)
{
	perf_rings_detach(rings, (size_t)(ring - rings->rings));
	if (ring->fd >= 0)
		close(ring->fd);
	ring->fd = dead;
	if (!ring->page)
		return;
	ring->taken = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	if (!rings->is_overwritten)
		__atomic_store_n(&ring->page->data_tail, ring->taken, __ATOMIC_RELEASE);
}

int perf_rings_attach(struct perf_rings *rings, size_t number,
		      void (*take)(void *context, size_t event, uint64_t id),
		      void *context)
{
	struct perf_ring *ring = &rings->rings[number];
	AUTO_FREE uint64_t *ids = xcalloc(rings->added_count, sizeof(*ids));
	const int dead = ring->fd;
	const int result = open_events_again(rings, ring, dead, ids);

	if (result)
		detach_again(rings, ring, dead);
	else if (dead >= 0)
		close(dead);
	for (size_t i = 0; i < rings->added_count && !result; i++)
		if (ids[i])
			take(context, i, ids[i]);
	return result;
}
