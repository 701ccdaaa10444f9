/* SPDX-License-Identifier: MIT */
/*
 * The scheduler's records, and the states of threads between two times.
 *
 * A thread is running from a sched_switch to it up to the sched_switch from it; then it
 * is runnable if it was preempted, otherwise blocked; from a sched_wakeup on it is
 * runnable. A thread that writes an event is running: so the state of a thread is known
 * from its first record, or event, behind the first sched_switch.
 *
 * Unknown states stay unknown, and are never guessed: all before that; a state that a
 * later record contradicts, as records between the two are missing; the state in which a
 * thread was when the recording reports losses, up to the next record of this thread.
 */
#ifndef UE__TOOLS_COMMON_SCHED_SCHED_H
#define UE__TOOLS_COMMON_SCHED_SCHED_H

#include <stdint.h>

#include "common/cli/key_table.h"
#include "common/cli/memory.h"
#include "common/records/tracepoint.h"

/* Reads records of sched_switch, sched_wakeup and the like. */

enum sched_kind {
	SCHED_SWITCH = 1,
	SCHED_WAKEUP,
};

#define SCHED_COMM_MAX 32

struct sched_task {
	uint32_t tid; /* of the whole machine; 0: the processor is idle */
	int32_t priority;
	char comm[SCHED_COMM_MAX];
};

struct sched_record {
	enum sched_kind kind;
	struct sched_task prev; /* of a switch */
	struct sched_task task; /* that runs now, or is woken up */
	/*
	 * The state of prev: 'R' is runnable; 'S', 'D' and so on as the kernel prints
	 * them.
	 */
	char letter;
	int is_preempted; /* it is runnable, and the kernel says why */
	uint32_t writer; /* the thread during which this happened */
	int has_cpu;
	uint32_t cpu;
	int64_t time; /* of the recording's clock, if that is known */
};

#define SCHED_LETTERS 24

struct sched_field {
	uint32_t offset, size; /* size 0: the tracepoint has no such field */
};

/* One tracepoint, whose fields and numbers differ between kernels. */
struct sched_layout {
	uint64_t tracepoint; /* its serial; 0: none */
	enum sched_kind kind;
	struct sched_field prev_pid, prev_comm, prev_priority, prev_state;
	struct sched_field pid, comm, priority;
	struct {
		uint64_t bit;
		char letter;
	} letters[SCHED_LETTERS];
	uint32_t letter_count;
};

#define SCHED_LAYOUTS 8

/* Zero it before the first use. */
struct sched_reader {
	struct sched_layout layouts[SCHED_LAYOUTS];
	uint32_t next; /* to be replaced */
};

/* A record for whose tracepoint tracepoint->is_sched: 0, or -1 if it lacks a field. */
int sched_read(struct sched_reader *reader, const struct record *record,
	       struct sched_record *to);
/* The time of any record by that clock. */
static inline int64_t sched_time(const struct record *record)
{
	return record->has_clock_time ? record->clock_time : record->sample.time;
}

/* thread_states.c */

enum thread_state {
	THREAD_RUNNING,
	THREAD_RUNNABLE,
	THREAD_BLOCKED,	 /* and may be interrupted; also stopped, or ended */
	THREAD_UNINTERRUPTIBLE, /* blocked, as D of ps(1) */
	THREAD_UNKNOWN,
	THREAD_STATES,
};

/* Nanoseconds in each state. */
struct thread_times {
	uint64_t of[THREAD_STATES];
};

/* If there are more, all threads are forgotten. */
#define THREADS_MOST 262144u

struct known_thread {
	uint32_t tid;
	uint32_t gap; /* of struct thread_states, when the state began */
	uint8_t state;
	uint32_t cpu; /* while running; NO_CPU: not known */
	int64_t since;
	struct thread_times times; /* up to then */
};

/* Zero it before the first use. */
struct thread_states {
	/*
	 * A count that grows where records may be missing, from there up to a time; or
	 * both NULL.
	 */
	const uint64_t *lost;
	const int64_t *doubt_until;
	int has_switches;
	/* Own */
	struct sched_reader reader;
	struct known_thread *threads;
	uint32_t count;
	struct key_table by_tid;
	uint32_t *running; /* by processor: tid + 1; 0: not known */
	uint32_t processors;
	uint64_t lost_seen;
	uint32_t gap; /* how often records were missing */
	uint32_t forgotten; /* how often all threads were */
};

/* Where an interval of a thread begins. */
struct thread_mark {
	uint32_t tid; /* 0: no thread is known */
	uint32_t forgotten;
	struct thread_times times;
};

/* Take a record of the scheduler; all, in the order of their times. */
void thread_states_take(struct thread_states *states, const struct record *record);
/* An event of a thread, which ran then: it ends the unknown time. */
void thread_states_see(struct thread_states *states, const struct record *event);
/* An interval begins with an event. */
void thread_states_begin(struct thread_states *states, const struct record *event,
			 struct thread_mark *mark);
/*
 * It ends with an event, after so many nanoseconds, which the times add up to. 1; or 0 if
 * another thread wrote that event, or no thread is known: then an interval is not one
 * thread's.
 */
int thread_states_end(struct thread_states *states, const struct record *event,
		      const struct thread_mark *mark, int64_t nanoseconds,
		      struct thread_times *times);
void thread_states_free(struct thread_states *states);

/* "ran", "runnable", "blocked", "uninterruptible", "unknown". */
extern const char *const thread_state_names[THREAD_STATES];

/* thread_states.c: their text. */

/* The time in a state; THREAD_BLOCKED includes uninterruptible time. */
uint64_t thread_times_part(const struct thread_times *times, enum thread_state state);
double thread_times_percent(const struct thread_times *times, enum thread_state state);
/* "ran 1 ms 50%, blocked 1 ms 50% (uninterruptible 1 ms)" */
void thread_times_put(const struct thread_times *times, struct bytes *to);

#endif
