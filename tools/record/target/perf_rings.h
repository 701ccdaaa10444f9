/* SPDX-License-Identifier: MIT */
/*
 * Tracepoints that the kernel's perf records into a ring of memory for each processor.
 * Events may be added during a recording, as each ring belongs to a dummy event.
 */
#ifndef UE__TOOLS_RECORD_TARGET_PERF_RINGS_H
#define UE__TOOLS_RECORD_TARGET_PERF_RINGS_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

#include "common/cli/memory.h"
#include "processors.h"

struct perf_ring {
	int cpu;
	int fd; /* the dummy; -1: the processor has not been online yet */
	int is_over; /* its thread has ended: do not wait for it */
	struct perf_event_mmap_page *page;
	const uint8_t *data;
	/* The head of a ring that is overwritten, when it was last read, and that time. */
	uint64_t taken, taken_at; /* bytes; ns of CLOCK_MONOTONIC */
};

/* An event of all processes, to be opened again for a processor that comes online. */
struct perf_added {
	struct perf_event_attr attr;
	char *name; /* of the tracepoint; NULL: the dummy */
	char *filter;
};

/* A descriptor of an event. */
struct perf_fd {
	int fd;
	uint32_t ring; /* its number */
};

struct perf_rings {
	struct perf_ring *rings; /* of each processor that the machine may have */
	size_t count;
	size_t mapped; /* how many have been, so far */
	size_t size;	     /* of each, in bytes: a power of two */
	size_t least;
	int is_overwritten; /* the kernel replaces the oldest records */
	int is_stopped;
	int wants_code; /* the dummies record the code that processes map */
	int has_build_ids; /* ... with build-ids: 0 before Linux 5.12 */
	uint16_t frames; /* the stack of the event that is added next: at most so many; 0: none */
	struct bytes newest; /* of a ring that is overwritten, the newest record first */
	const struct target *target;
	char *filter; /* for the kernel, of the event that is added next; or NULL */
	int is_for_all; /* that event is of all processes, whatever the target is */
	uint64_t read_format; /* 0 before Linux 6.0, which does not count losses */
	int has_cgroups; /* 0 before Linux 5.7, and without CONFIG_CGROUP_PERF */
	struct perf_fd *fds; /* of all events, behind the dummies of other threads */
	size_t fd_count;
	size_t dummy_fds;
	uint64_t lost_before, counted_before; /* by events that were closed */
	struct perf_added *added; /* the dummy, and others in their order */
	size_t added_count;
	int is_late; /* an event that cannot be added is left out, and ends nothing */
};

/* The ids of one event on all processors; the caller frees them. */
struct perf_opened {
	struct perf_event_attr attr;
	uint64_t *ids;
	size_t id_count;
};

/*
 * Open the rings, of at least size bytes each, or of least bytes if more is not allowed;
 * 0, or -1 after a message. The caller has set target, is_overwritten and wants_code,
 * and nothing else.
 */
int perf_rings_open(struct perf_rings *rings, size_t size, size_t least,
		    struct perf_opened *dummy);
/*
 * Add the tracepoint with this id; 0, an errno if it does not exist, or is late and there are
 * too few descriptors or too little memory for it, or -1 after a message with this name.
 */
int perf_rings_add(struct perf_rings *rings, uint32_t id, const char *name,
		   struct perf_opened *opened);
/*
 * Called after a processor went offline, once its ring has been taken: close its
 * events, apart from the dummy, which keeps the ring for the time when it comes
 * back.
 */
void perf_rings_detach(struct perf_rings *rings, size_t ring);
/*
 * Called after a processor came online, if the events are of all processes: open its ring
 * and all events. take() is given the index of each event, 0 for the dummy, and its new
 * id. 0; an errno, and nothing is open, if the processor has gone again (ENODEV) or there
 * are too few descriptors or too little memory; or -1 after a message.
 */
int perf_rings_attach(struct perf_rings *rings, size_t ring,
		      void (*take)(void *context, size_t event, uint64_t id),
		      void *context);
/* Stop recording. */
void perf_rings_stop(struct perf_rings *rings);
/* Wait until there is enough to read, also from fd if it is not -1, or for this time. */
void perf_rings_wait(struct perf_rings *rings, int fd, int milliseconds);
/* The number of lost events, if this kernel counts them for each event; otherwise 0. */
uint64_t perf_rings_lost(const struct perf_rings *rings);
/* The number of all events that happened, whether they were recorded or not. */
uint64_t perf_rings_counted(const struct perf_rings *rings);
void perf_rings_close(struct perf_rings *rings);

/*
 * Move the records of a ring behind other bytes, so that the kernel has room for more. 1
 * if earlier ones were overwritten before they could be taken.
 */
int perf_ring_take(struct perf_rings *rings, struct perf_ring *ring, struct bytes *to);

/* perf_event_open(2): a descriptor, or -1 with errno. */
int perf_open(struct perf_event_attr *attr, pid_t pid, int cpu);
/* Whether another call may succeed, once there are more descriptors or more memory. */
int perf_is_short_of(int error);
/* Report its error: "cannot VERB WHAT: ...". Returns -1. */
int perf_complain(const char *verb, const char *what, int error);
/* It needs a descriptor for each event and processor. */
void perf_raise_file_limit(void);

#endif
