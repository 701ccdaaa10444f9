/* SPDX-License-Identifier: MIT */
/*
 * Tracepoints that the kernel's perf records into a ring of memory for each processor;
 * the processors, and the processes to record. Events may be added during a recording,
 * as each ring belongs to a dummy event.
 */
#ifndef UE__TOOLS_RECORD_TARGET_PERF_RINGS_H
#define UE__TOOLS_RECORD_TARGET_PERF_RINGS_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <userevents/abi/process_note.h>

#include "common/cli/memory.h"
#include "common/cli/options.h"
#include "common/cli/program.h"

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

/*
 * Processors that go and come.
 *
 * When one goes offline, the kernel removes the perf events that are bound to it, and
 * does not attach them again: they stay open, and are silent. So users of such events
 * look again and again, and when the kernel sends a message, and open new ones.
 */

struct processor {
	uint64_t node; /* differs each time that it comes online; 0: offline */
	uint64_t gap_ns; /* not covered so far, as nothing could be attached to it, or 0 */
	int had_gap; /* that is to be reported */
};

struct processors {
	struct processor *each; /* by number */
	size_t count;
	int is_blind; /* sysfs does not show them, so they are not followed */
	uint64_t looked; /* when that was, of CLOCK_MONOTONIC */
	int fd; /* the kernel's messages, or -1 */
	/* The time that was not covered, for a sentence. */
	uint64_t gap_ns; /* the longest, of one that came */
	uint64_t gaps_ns; /* all of them */
	uint64_t reported_ns; /* of these */
};

/*
 * How many numbers processors of this machine may have, those that are added later included.
 * sysconf() counts those that are present, or even those that this process may use, with
 * older versions of glibc, and with musl.
 */
size_t processors_possible(void);
/* The same of a list such as "0,2-3"; 0 if it is none. */
size_t processors_in_list(const char *list);
/* All that this machine may have. */
void processors_begin(struct processors *processors);
/*
 * A descriptor that is readable when it is time to look; -1: there is none, or nothing
 * has begun. Look every tenth of a second, too.
 */
int processors_fd(const struct processors *processors);
/*
 * Call change() for each that went or came since the last look: detach from it, as what
 * is attached is dead, and, if it is online, attach to it. It returns 0; an errno, and
 * nothing is attached, if that is to be tried again at the next look (ENODEV: it has gone);
 * or -1 after a message, which is returned.
 */
int processors_look(struct processors *processors,
		    int (*change)(void *context, size_t number, int is_online),
		    void *context);
/* Report the gaps since the last call. */
void processors_report(struct processors *processors);
void processors_end(struct processors *processors);

/* The processes whose events are recorded: all, some by number, or a command. */

struct target {
	pid_t *threads; /* none: all processes */
	size_t thread_count;
	pid_t *processes; /* as given, to see when all have ended */
	size_t process_count;
	struct program command;
	struct ue_loss_page *losses; /* in the command; NULL: not known */
	int losses_fd; /* its file, for the command; valid if losses is not NULL */
	const char *name; /* of the command */
	int status;    /* of the command, once it has ended */
	int has_ended;
};

/* Processes by number; 0, or an exit status after a message. */
int target_add_processes(struct target *target, const struct words *pids);
/* A command that waits for target_go(); 0, or -1 after a message. */
int target_start(struct target *target, char **command);
/* Let the command begin: 0, or -1 after a message when it cannot be run. */
int target_go(struct target *target);
/* Whether all processes have ended whose events are recorded. */
int target_is_over(struct target *target);
/* End a command that never began. */
void target_close(struct target *target);

#endif
