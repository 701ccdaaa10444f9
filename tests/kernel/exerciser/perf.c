/* SPDX-License-Identifier: MIT */
/*
 * Operations of perf: events of perf on random events, with small rings.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "exerciser.h"

/* The id of the event, or 0: perf then refuses with EINVAL or ENOENT. */
static uint64_t find_id(const char *name)
{
	char path[1000], text[32] = "";
	int fd;

	snprintf(path, sizeof(path), TRACING "events/user_events/%s/id", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (read(fd, text, sizeof(text) - 1) < 0)
		text[0] = 0;
	close(fd);
	return strtoull(text, NULL, 10);
}

static unsigned draw_slot(struct worker *worker)
{
	return below(worker, PERF_FILES);
}

static void draw_attributes(struct worker *worker, struct perf_event_attr *attr)
{
	*attr = (struct perf_event_attr){ .size = sizeof(*attr),
					  .type = PERF_TYPE_TRACEPOINT };
	attr->sample_type = PERF_SAMPLE_RAW |
			    (draw(worker) & (PERF_SAMPLE_TIME | PERF_SAMPLE_TID |
					     PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_CPU));
	attr->sample_period = 1 + below(worker, 3);
	attr->disabled = (unsigned)one_in(worker, 4) & 1;
	attr->inherit = (unsigned)one_in(worker, 4) & 1;
	attr->watermark = (unsigned)one_in(worker, 2) & 1;
	attr->wakeup_watermark = below(worker, 9000);
}

static long open_perf(struct worker *worker)
{
	struct perf_event_attr attr;
	int *slot = &worker->process->perf[draw_slot(worker)], fd;
	int pid = one_in(worker, 2) ? 0 : -1, cpu = (int)below(worker, 3) - 1;
	char name[800];

	draw_attributes(worker, &attr);
	draw_name(worker, name, sizeof(name));
	attr.config = find_id(name);
	if (!attr.config) {
		errno = ENOENT;
		return -1;
	}
	fd = (int)syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return keep(slot, fd);
}

/* The pages of a ring are a power of two and one; others are refused. */
static long map_perf(struct worker *worker)
{
	unsigned slot = draw_slot(worker);
	size_t pages =
		one_in(worker, 10) ? below(worker, 8) : 1 + (1U << below(worker, 3));
	int protection = one_in(worker, 3) ? PROT_READ : PROT_READ | PROT_WRITE;
	void *address = mmap(NULL, pages * PAGE, protection, MAP_SHARED,
			     worker->process->perf[slot], 0);

	if (address == MAP_FAILED)
		return -1;
	return keep_mapping(&worker->process->rings[slot], address, pages);
}

static long unmap_perf(struct worker *worker)
{
	return keep_mapping(&worker->process->rings[draw_slot(worker)], NULL, 0);
}

static long close_perf(struct worker *worker)
{
	int *slot = &worker->process->perf[draw_slot(worker)];

	return close(__atomic_exchange_n(slot, -1, __ATOMIC_RELAXED));
}

static long control_perf(struct worker *worker)
{
	static const char *const filters[] = { "f0 == 1", "f0 == \"A\"",
					       "f1 > 2 && f2 != 1", "f0 ==" };
	int fd = worker->process->perf[draw_slot(worker)];
	int other = worker->process->perf[draw_slot(worker)];
	const char *filter = filters[below(worker, 4)];

	switch (below(worker, 6)) {
	case 0:
		return ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	case 1:
		return ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	case 2:
		return ioctl(fd, PERF_EVENT_IOC_RESET, 0);
	case 3:
		return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, other);
	case 4:
		return ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1);
	default:
		return ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter);
	}
}

static long read_perf(struct worker *worker)
{
	uint64_t count;

	return read(worker->process->perf[draw_slot(worker)], &count, sizeof(count));
}

const struct kind perf_kinds[] = {
	{ "perf open", 30, open_perf },
	{ "perf mmap", 12, map_perf },
	{ "perf munmap", 6, unmap_perf },
	{ "perf close", 6, close_perf },
	{ "perf ioctl", 15, control_perf },
	{ "perf read", 4, read_perf },
	{ 0 },
};
