/* SPDX-License-Identifier: MIT */
/*
 * Writes records of the scheduler as those of ftrace, from which Perfetto makes a row for
 * each processor, and the states of threads.
 */
#include "perfetto_tracks.h"

/* Perfetto refuses a trace with more. */
#define PROCESSORS_MOST 1024u

/*
 * The numbers of Linux 4.4, which Perfetto expects if it does not know the kernel: the
 * letters are known here, whatever numbers the kernel has for them.
 */
static uint32_t state_of(const struct sched_record *record)
{
	static const char letters[] = "SDTtXZxKWPN";
	const char *at = record->letter == 'R' ? NULL : strchr(letters, record->letter);

	if (record->letter == 'R')
		return record->is_preempted ? 1u << (sizeof(letters) - 1) : 0;
	return at ? 1u << (at - letters) : record->letter == 'I' ? 2 : 1;
}

static void put_task(struct bytes *trace, const struct sched_task *task, uint32_t comm,
		     uint32_t pid, uint32_t priority, struct clean_texts *texts)
{
	const struct clean_text name = clean_text(texts, task->comm, strlen(task->comm));

	protobuf_bytes(trace, comm, name.at, name.length);
	protobuf_int(trace, pid, (int32_t)task->tid);
	protobuf_int(trace, priority, task->priority);
}

static void put_switch(struct bytes *trace, const struct sched_record *record,
		       struct clean_texts *texts)
{
	const size_t begun = protobuf_begin(trace, FTRACE_SCHED_SWITCH);

	put_task(trace, &record->prev, SWITCH_PREV_COMM, SWITCH_PREV_PID,
		 SWITCH_PREV_PRIO, texts);
	protobuf_uint(trace, SWITCH_PREV_STATE, state_of(record));
	put_task(trace, &record->task, SWITCH_NEXT_COMM, SWITCH_NEXT_PID,
		 SWITCH_NEXT_PRIO, texts);
	protobuf_end(trace, begun);
}

/* Later versions of Perfetto make states of sched_waking alone. */
static void put_wakeup(struct bytes *trace, const struct sched_record *record,
		       struct clean_texts *texts)
{
	const size_t begun = protobuf_begin(trace, FTRACE_SCHED_WAKING);

	put_task(trace, &record->task, WAKING_COMM, WAKING_PID, WAKING_PRIO, texts);
	protobuf_end(trace, begun);
}

void perfetto_put_sched(struct bytes *trace, const struct sched_record *record,
			uint64_t timestamp, struct clean_texts *texts)
{
	size_t packet, bundle, event;

	if (!record->has_cpu || record->cpu >= PROCESSORS_MOST)
		return;
	packet = protobuf_begin(trace, TRACE_PACKET);
	bundle = protobuf_begin(trace, PACKET_FTRACE);
	protobuf_uint(trace, FTRACE_CPU, record->cpu);
	event = protobuf_begin(trace, FTRACE_EVENT);
	protobuf_uint(trace, FTRACE_TIMESTAMP, timestamp);
	protobuf_uint(trace, FTRACE_PID, record->writer);
	if (record->kind == SCHED_SWITCH)
		put_switch(trace, record, texts);
	else
		put_wakeup(trace, record, texts);
	protobuf_end(trace, event);
	protobuf_end(trace, bundle);
	protobuf_end(trace, packet);
}
