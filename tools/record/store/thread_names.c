/* SPDX-License-Identifier: MIT */
/* Keeps the names of threads in a hash table, from the kernel's records of tasks. */
#include "thread_names.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "read/perf/perf_input.h"

/* The body of PERF_RECORD_FORK and PERF_RECORD_EXIT, after the header. */
struct task {
	uint32_t pid, parent_pid;
	uint32_t tid, parent_tid;
};

static struct thread_name *place_of(const struct thread_names *names, uint32_t tid)
{
	size_t at = (tid * 0x9e3779b1u) & (names->room - 1);

	while (names->threads[at].tid && names->threads[at].tid != tid)
		at = (at + 1) & (names->room - 1);
	return &names->threads[at];
}

int thread_name_counts(const struct thread_names *names, const struct thread_name *thread)
{
	return thread->tid && (!thread->ended || names->round + 1 - thread->ended < 2);
}

/* Leave out threads that ended, then make at most a quarter of the table used. */
static void make_room(struct thread_names *names)
{
	struct thread_names more = { .room = 64, .round = names->round };

	for (size_t i = 0; i < names->room; i++)
		more.count += (size_t)thread_name_counts(names, &names->threads[i]);
	while (more.count > more.room / 4)
		more.room *= 2;
	more.threads = xcalloc(more.room, sizeof(*more.threads));
	for (size_t i = 0; i < names->room; i++)
		if (thread_name_counts(names, &names->threads[i]))
			*place_of(&more, names->threads[i].tid) = names->threads[i];
	free(names->threads);
	*names = more;
}

/* The place of a thread for a record of this time, or NULL if a later one was taken. */
static struct thread_name *begin_change(struct thread_names *names, uint32_t pid,
					uint32_t tid, uint64_t time)
{
	struct thread_name *thread;

	if (!tid)
		return NULL;
	if (names->count >= names->room / 2)
		make_room(names);
	thread = place_of(names, tid);
	if (thread->tid && thread->time > time)
		return NULL;
	names->count += !thread->tid;
	thread->tid = tid;
	thread->pid = pid;
	thread->time = time;
	if (time > thread->end)
		thread->ended = 0;
	return thread;
}

static void set_name(struct thread_name *thread, const char *name, size_t length)
{
	if (length > sizeof(thread->name) - 1)
		length = sizeof(thread->name) - 1;
	memcpy(thread->before, thread->name, sizeof(thread->before));
	memset(thread->name, 0, sizeof(thread->name));
	memcpy(thread->name, name, strnlen(name, length));
}

static void take_name(struct thread_names *names, const uint8_t *body, size_t length,
		      uint64_t time)
{
	uint32_t who[2];
	struct thread_name *thread;

	memcpy(who, body, sizeof(who));
	thread = begin_change(names, who[0], who[1], time);
	if (thread)
		set_name(thread, (const char *)body + sizeof(who), length - sizeof(who));
}

static void take_fork(struct thread_names *names, const struct task *task, uint64_t time)
{
	const char *parent = thread_names_find(names, task->parent_tid, time);
	char name[THREAD_NAME_SIZE] = "";
	struct thread_name *thread;

	if (parent)
		memcpy(name, parent, sizeof(name)); /* the table may move */
	thread = begin_change(names, task->pid, task->tid, time);
	if (thread)
		set_name(thread, name, sizeof(name));
}

/* Nothing may be known of the thread yet: 0 is before the record that will name it. */
static void take_exit(struct thread_names *names, uint32_t pid, uint32_t tid, uint64_t time)
{
	struct thread_name *thread = names->room ? place_of(names, tid) : NULL;

	if (!thread || !thread->tid)
		thread = begin_change(names, pid, tid, 0);
	if (!thread || thread->time > time)
		return;
	thread->ended = names->round + 1;
	thread->end = time;
}

void thread_names_take(struct thread_names *names, const uint8_t *record, size_t time_at)
{
	struct perf_event_header header;
	const uint8_t *body = record + sizeof(header);
	struct task task;
	uint64_t time;

	memcpy(&header, record, sizeof(header));
	if (header.type == PERF_FINISHED_ROUND)
		names->round++;
	if (header.type != PERF_RECORD_COMM && header.type != PERF_RECORD_FORK &&
	    header.type != PERF_RECORD_EXIT)
		return;
	if (header.size < sizeof(header) + sizeof(task) + time_at)
		return;
	memcpy(&task, body, sizeof(task));
	memcpy(&time, record + header.size - time_at, sizeof(time));
	if (header.type == PERF_RECORD_COMM)
		take_name(names, body, header.size - sizeof(header), time);
	else if (header.type == PERF_RECORD_FORK)
		take_fork(names, &task, time);
	else
		take_exit(names, task.pid, task.tid, time);
}

const char *thread_names_find(const struct thread_names *names, uint32_t tid, uint64_t time)
{
	const struct thread_name *thread = names->room && tid ? place_of(names, tid) : NULL;

	if (!thread || !thread->tid || !*thread->name)
		return NULL;
	return time < thread->time && *thread->before ? thread->before : thread->name;
}

void thread_names_free(struct thread_names *names)
{
	free(names->threads);
	*names = (struct thread_names){ 0 };
}
