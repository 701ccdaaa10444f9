/* SPDX-License-Identifier: MIT */
/*
 * Tracepoints recorded by the kernel's perf into a ring of memory for each processor.
 * Events may be added while others are recorded: a dummy event holds each ring.
 */
#ifndef UE__TOOLS_RECORD_PERF_RINGS_H
#define UE__TOOLS_RECORD_PERF_RINGS_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/bytes.h"
#include "recorded_processes.h"

struct perf_ring {
	int cpu;
	int fd; /* the dummy */
	int is_over; /* its thread has ended: nothing to wait for */
	struct perf_event_mmap_page *page;
	const uint8_t *data;
};

struct perf_rings {
	struct perf_ring *rings;
	size_t count;
	size_t size;	     /* of each, in bytes: a power of two */
	size_t least;
	const struct target *target;
	uint64_t read_format; /* that this kernel knows */
	int *fds;    /* of all events */
	size_t fd_count;
};

/* The ids of what was opened for one event; ids are to be freed. */
struct perf_opened {
	struct perf_event_attr attr;
	uint64_t *ids;
	size_t id_count;
};

/*
 * Open the rings, of size bytes each at least, or of least where there is no more; 0, or
 * -1 after a message.
 */
int perf_rings_open(struct perf_rings *rings, size_t size, size_t least,
		    const struct target *target, struct perf_opened *dummy);
/*
 * Add the tracepoint with this id; 0, an errno when there is none, or -1 after a message
 * that has the name.
 */
int perf_rings_add(struct perf_rings *rings, uint32_t id, const char *name,
		   struct perf_opened *opened);
/* From now on nothing is recorded. */
void perf_rings_stop(struct perf_rings *rings);
/* Wait until there is enough to read, or so long. */
void perf_rings_wait(struct perf_rings *rings, int milliseconds);
/* Does this kernel count losses by event? Linux 6.0 and later do. */
int perf_rings_count_lost(const struct perf_rings *rings);
/* Events that were lost, if it does; else 0. */
uint64_t perf_rings_lost(const struct perf_rings *rings);
void perf_rings_close(struct perf_rings *rings);

/* Move the records of a ring behind other bytes, so that the kernel has room for more. */
void perf_ring_take(const struct perf_rings *rings, const struct perf_ring *ring,
		    struct bytes *to);

#endif
