/* SPDX-License-Identifier: MIT */
/*
 * Follows the states of threads.
 *
 * Each thread has sums of the times in its states, up to the moment at which its last
 * state began. An interval is the difference of two such sums. So it takes no more memory
 * and time when an interval is long, and nothing need be kept of the past.
 *
 * A state is added to the sums when the next record of the thread confirms that it lasted
 * so long; one that this record contradicts is not. An event confirms that its thread
 * runs. So the sums never lose the beginning of an interval.
 */
#include "sched.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/records/byte_cursor.h"
#include "common/text/amount.h"

/* Reads records of the scheduler by the names of their fields. */

/* Layouts */

static struct sched_field field_of(const struct tracepoint *tracepoint, const char *name)
{
	const struct ue_record_layout *format = &tracepoint->format;

	for (uint32_t i = 0; i < format->field_count; i++) {
		const struct ue_record_field *field = &format->fields[i];

		if (field->location == UE_LOCATION_HERE &&
		    field->name_length == strlen(name) &&
		    !memcmp(field->name, name, field->name_length))
			return (struct sched_field){ field->offset, field->size };
	}
	return (struct sched_field){ .size = 0 };
}

static void add_letter(struct sched_layout *layout, uint64_t bit, char letter)
{
	if (bit && layout->letter_count < SCHED_LETTERS) {
		layout->letters[layout->letter_count].bit = bit;
		layout->letters[layout->letter_count++].letter = letter;
	}
}

/*
 * The numbers of states differ between kernels, and stand in the print format, as pairs
 * { 0x00000001, "S" }. The bit of a thread that was preempted is not among them, whatever
 * its number is: so a state without any of these bits is runnable.
 */
static void read_letters(struct sched_layout *layout, const char *text)
{
	const char *at = text ? strstr(text, "print fmt:") : NULL;

	while (at && (at = strchr(at, '{'))) {
		char *end;
		const uint64_t bit = strtoull(++at, &end, 0);

		end += strspn(end, ", ");
		if (end[0] == '"' && end[1] && end[1] != '"' && end[2] == '"')
			add_letter(layout, bit, end[1]);
	}
}

/* Those of Linux 4.14 and later, for a recording without the print format. */
static void use_usual_letters(struct sched_layout *layout)
{
	static const char letters[] = "SDTtXZPI";

	for (size_t i = 0; letters[i]; i++)
		add_letter(layout, 1u << i, letters[i]);
}

static void read_layout(struct sched_layout *layout, const struct tracepoint *tracepoint)
{
	*layout = (struct sched_layout){
		.tracepoint = tracepoint->serial,
		.kind = strcmp(tracepoint->name, "sched_switch") ? SCHED_WAKEUP :
								   SCHED_SWITCH,
	};
	if (layout->kind == SCHED_WAKEUP) {
		layout->pid = field_of(tracepoint, "pid");
		layout->comm = field_of(tracepoint, "comm");
		layout->priority = field_of(tracepoint, "prio");
		return;
	}
	layout->prev_pid = field_of(tracepoint, "prev_pid");
	layout->prev_comm = field_of(tracepoint, "prev_comm");
	layout->prev_priority = field_of(tracepoint, "prev_prio");
	layout->prev_state = field_of(tracepoint, "prev_state");
	layout->pid = field_of(tracepoint, "next_pid");
	layout->comm = field_of(tracepoint, "next_comm");
	layout->priority = field_of(tracepoint, "next_prio");
	read_letters(layout, tracepoint->text);
	if (!layout->letter_count)
		use_usual_letters(layout);
}

static const struct sched_layout *layout_of(struct sched_reader *reader,
					    const struct tracepoint *tracepoint)
{
	struct sched_layout *layout;

	for (size_t i = 0; i < SCHED_LAYOUTS; i++)
		if (reader->layouts[i].tracepoint == tracepoint->serial)
			return &reader->layouts[i];
	layout = &reader->layouts[reader->next++ % SCHED_LAYOUTS];
	read_layout(layout, tracepoint);
	return layout;
}

/* Fields */

struct payload {
	const uint8_t *bytes;
	size_t length;
	int is_big_endian;
};

/* 0, or -1 if there is no such number. */
static int number_of(const struct payload *payload, struct sched_field field,
		     uint64_t *number)
{
	const uint8_t *at = payload->bytes + field.offset;

	if (!field.size || field.offset > payload->length ||
	    field.size > payload->length - field.offset)
		return -1;
	switch (field.size) {
	case 2:
		*number = load_u16(at, payload->is_big_endian);
		return 0;
	case 4:
		*number = load_u32(at, payload->is_big_endian);
		return 0;
	case 8:
		*number = load_u64(at, payload->is_big_endian);
		return 0;
	default:
		return -1;
	}
}

static int task_of(const struct payload *payload, struct sched_field pid,
		   struct sched_field comm, struct sched_field priority,
		   struct sched_task *task)
{
	uint64_t number;
	size_t length;

	if (number_of(payload, pid, &number))
		return -1;
	task->tid = (uint32_t)number;
	task->priority = number_of(payload, priority, &number) ? 0 : (int32_t)number;
	task->comm[0] = '\0';
	if (comm.offset > payload->length || comm.size > payload->length - comm.offset)
		return 0;
	length = strnlen((const char *)payload->bytes + comm.offset,
			 comm.size < SCHED_COMM_MAX ? comm.size : SCHED_COMM_MAX - 1);
	memcpy(task->comm, payload->bytes + comm.offset, length);
	task->comm[length] = '\0';
	return 0;
}

static char letter_of(const struct sched_layout *layout, uint64_t state)
{
	for (uint32_t i = 0; i < layout->letter_count; i++)
		if (state & layout->letters[i].bit)
			return layout->letters[i].letter;
	return 'R';
}

/*
 * The thread that wrote any record, 0 if that is not known: the kernel's number. perf has
 * another one for a recorder in a PID namespace, but records begin with that of the
 * machine.
 */
static uint32_t sched_thread(const struct record *event)
{
	if (record_common_size(event) >= 8) /* common_pid */
		return load_u32(event->bytes + 4, event->tracepoint->format.big_endian);
	return event->sample.present & UE_META_TID ? event->sample.tid : 0;
}

int sched_read(struct sched_reader *reader, const struct record *record,
	       struct sched_record *to)
{
	const struct sched_layout *layout = layout_of(reader, record->tracepoint);
	const size_t common = record_common_size(record);
	const struct payload payload = {
		record->bytes + common,
		record->length - common,
		record->tracepoint->format.big_endian,
	};
	uint64_t state;

	to->kind = layout->kind;
	to->has_cpu = !!(record->sample.present & UE_META_CPU);
	to->cpu = to->has_cpu ? record->sample.cpu : 0;
	to->time = sched_time(record);
	to->writer = sched_thread(record);
	to->letter = 'R';
	to->is_preempted = 0;
	if (!(record->sample.present & UE_META_TIME) ||
	    task_of(&payload, layout->pid, layout->comm, layout->priority, &to->task))
		return -1;
	if (layout->kind == SCHED_WAKEUP)
		return 0;
	if (number_of(&payload, layout->prev_state, &state) ||
	    task_of(&payload, layout->prev_pid, layout->prev_comm, layout->prev_priority,
		    &to->prev))
		return -1;
	to->letter = letter_of(layout, state);
	to->is_preempted = to->letter == 'R' && state;
	return 0;
}

#define NO_CPU UINT32_MAX
#define PROCESSORS_MOST 65536u

/* Threads */

static void forget_all(struct thread_states *states)
{
	states->count = 0;
	states->forgotten++;
	key_table_clear(&states->by_tid);
	if (states->running)
		memset(states->running, 0, states->processors * sizeof(*states->running));
}

static struct known_thread *find(struct thread_states *states, uint32_t tid)
{
	const uint32_t found = key_table_find(&states->by_tid, tid);

	return found == KEY_UNKNOWN ? NULL : &states->threads[found];
}

/* Valid until the next call. */
static struct known_thread *find_or_add(struct thread_states *states, uint32_t tid)
{
	struct known_thread *found = find(states, tid);

	if (found)
		return found;
	if (states->count == THREADS_MOST)
		forget_all(states);
	states->threads = xgrow(states->threads, states->count, sizeof(*states->threads));
	key_table_add(&states->by_tid, tid, states->count);
	found = &states->threads[states->count++];
	*found = (struct known_thread){
		.tid = tid, .state = THREAD_UNKNOWN, .cpu = NO_CPU, .since = INT64_MIN
	};
	return found;
}

/* States */

/* Whether no record is missing since the state began. */
static int is_sure(const struct thread_states *states, const struct known_thread *thread)
{
	return thread->state != THREAD_UNKNOWN && thread->gap == states->gap &&
	       (!states->doubt_until || thread->since > *states->doubt_until);
}

/* The state ended at this time, or, if it is not confirmed, at one that is not known. */
static void enter(struct thread_states *states, struct known_thread *thread, int64_t time,
		  int is_confirmed, enum thread_state state)
{
	if (is_confirmed && is_sure(states, thread) && time > thread->since)
		thread->times.of[thread->state] +=
			(uint64_t)time - (uint64_t)thread->since;
	if (time > thread->since)
		thread->since = time;
	thread->state = (uint8_t)state;
	thread->gap = states->gap;
	thread->cpu = NO_CPU;
}

static int is_running(const struct known_thread *thread)
{
	return thread->state == THREAD_RUNNING;
}

/* Processors */

static uint32_t *processor(struct thread_states *states, uint32_t cpu)
{
	uint32_t count = states->processors;

	if (cpu >= PROCESSORS_MOST)
		return NULL;
	if (cpu >= count) {
		count = cpu < 8 ? 16 : 2 * cpu;
		states->running =
			xrealloc(states->running, count * sizeof(*states->running));
		memset(states->running + states->processors, 0,
		       (count - states->processors) * sizeof(*states->running));
		states->processors = count;
	}
	return &states->running[cpu];
}

/*
 * A thread runs on this processor, or did up to now: if that was another one by what is
 * known, a record is missing, and when that one stopped is not known.
 */
static void check_processor(struct thread_states *states, uint32_t cpu, uint32_t tid,
			    int64_t time)
{
	const uint32_t *running = processor(states, cpu);
	struct known_thread *other;

	if (!running || *running <= 1 || *running == tid + 1)
		return;
	other = find(states, *running - 1);
	if (other && is_running(other) && other->cpu == cpu)
		enter(states, other, time, 0, THREAD_UNKNOWN);
}

static void set_processor(struct thread_states *states, uint32_t cpu, uint32_t tid)
{
	uint32_t *running = processor(states, cpu);

	if (running)
		*running = tid + 1;
}

/* Records are missing since the last one: the running thread is not known. */
static void follow_losses(struct thread_states *states)
{
	if (!states->lost || *states->lost == states->lost_seen)
		return;
	states->lost_seen = *states->lost;
	states->gap++;
	if (states->running)
		memset(states->running, 0, states->processors * sizeof(*states->running));
}

/* Records */

static enum thread_state state_of(char letter)
{
	return letter == 'R' ? THREAD_RUNNABLE :
	       letter == 'D' ? THREAD_UNINTERRUPTIBLE :
			       THREAD_BLOCKED;
}

static void leave_processor(struct thread_states *states,
			    const struct sched_record *record)
{
	struct known_thread *thread;

	if (record->has_cpu)
		check_processor(states, record->cpu, record->prev.tid, record->time);
	if (!record->prev.tid)
		return;
	thread = find_or_add(states, record->prev.tid);
	enter(states, thread, record->time,
	      is_running(thread) && (!record->has_cpu || thread->cpu == NO_CPU ||
				     thread->cpu == record->cpu),
	      state_of(record->letter));
}

static void enter_processor(struct thread_states *states,
			    const struct sched_record *record)
{
	struct known_thread *thread;

	if (record->has_cpu)
		set_processor(states, record->cpu, record->task.tid);
	if (!record->task.tid)
		return;
	thread = find_or_add(states, record->task.tid);
	enter(states, thread, record->time, !is_running(thread), THREAD_RUNNING);
	thread->cpu = record->has_cpu ? record->cpu : NO_CPU;
}

/*
 * The kernel may wake up a thread that runs, or that nobody has let run yet: nothing
 * changes.
 */
static void wake_up(struct thread_states *states, const struct sched_record *record)
{
	struct known_thread *thread = find_or_add(states, record->task.tid);

	if (thread->gap != states->gap)
		enter(states, thread, record->time, 0, THREAD_UNKNOWN);
	if (!is_running(thread) && thread->state != THREAD_RUNNABLE)
		enter(states, thread, record->time, 1, THREAD_RUNNABLE);
}

void thread_states_take(struct thread_states *states, const struct record *record)
{
	struct sched_record read;

	follow_losses(states);
	if (sched_read(&states->reader, record, &read))
		return;
	if (read.kind == SCHED_WAKEUP) {
		wake_up(states, &read);
		return;
	}
	states->has_switches = 1;
	leave_processor(states, &read);
	enter_processor(states, &read);
}

/* Intervals */

/*
 * The thread that wrote an event runs. NULL: no thread is known. Valid until the next
 * call.
 */
static struct known_thread *writer_of(struct thread_states *states,
				      const struct record *event)
{
	const int has_cpu = !!(event->sample.present & UE_META_CPU);
	const uint32_t tid = sched_thread(event),
		       cpu = has_cpu ? event->sample.cpu : NO_CPU;
	const int64_t time = sched_time(event);
	struct known_thread *thread;

	follow_losses(states);
	if (!tid || !(event->sample.present & UE_META_TIME))
		return NULL;
	thread = find_or_add(states, tid);
	if (!states->has_switches)
		return thread;
	if (has_cpu)
		check_processor(states, cpu, tid, time);
	enter(states, thread, time,
	      is_running(thread) &&
		      (!has_cpu || thread->cpu == NO_CPU || thread->cpu == cpu),
	      THREAD_RUNNING);
	thread->cpu = cpu;
	if (has_cpu)
		set_processor(states, cpu, tid);
	return thread;
}

void thread_states_see(struct thread_states *states, const struct record *event)
{
	writer_of(states, event);
}

void thread_states_begin(struct thread_states *states, const struct record *event,
			 struct thread_mark *mark)
{
	const struct known_thread *thread = writer_of(states, event);

	mark->tid = thread ? thread->tid : 0;
	mark->forgotten = states->forgotten;
	if (thread)
		mark->times = thread->times;
}

/* No more than the rest of the interval. */
static uint64_t part_of(uint64_t now, uint64_t before, uint64_t left)
{
	const uint64_t part = now - before;

	return part < left ? part : left;
}

int thread_states_end(struct thread_states *states, const struct record *event,
		      const struct thread_mark *mark, int64_t nanoseconds,
		      struct thread_times *times)
{
	const struct known_thread *thread = writer_of(states, event);
	uint64_t left = nanoseconds > 0 ? (uint64_t)nanoseconds : 0;

	*times = (struct thread_times){ .of = { 0 } };
	if (!thread || !mark->tid || thread->tid != mark->tid)
		return 0;
	for (int i = 0; i < THREAD_UNKNOWN && mark->forgotten == states->forgotten; i++) {
		times->of[i] = part_of(thread->times.of[i], mark->times.of[i], left);
		left -= times->of[i];
	}
	times->of[THREAD_UNKNOWN] = left;
	return 1;
}

void thread_states_free(struct thread_states *states)
{
	free(states->threads);
	free(states->running);
	key_table_free(&states->by_tid);
}

/* Prints the states of a thread. */

const char *const thread_state_names[THREAD_STATES] = {
	[THREAD_RUNNING] = "ran",
	[THREAD_RUNNABLE] = "runnable",
	[THREAD_BLOCKED] = "blocked",
	[THREAD_UNINTERRUPTIBLE] = "uninterruptible",
	[THREAD_UNKNOWN] = "unknown",
};

uint64_t thread_times_part(const struct thread_times *times, enum thread_state state)
{
	return times->of[state] +
	       (state == THREAD_BLOCKED ? times->of[THREAD_UNINTERRUPTIBLE] : 0);
}

double thread_times_percent(const struct thread_times *times, enum thread_state state)
{
	uint64_t whole = 0;

	for (int i = 0; i < THREAD_STATES; i++)
		whole += times->of[i];
	return whole ? 100.0 * (double)thread_times_part(times, state) / (double)whole :
		       0;
}

static void put_state(const struct thread_times *times, enum thread_state state,
		      int is_first, struct bytes *to)
{
	char duration[QUANTITY_TEXT_MAX];

	quantity_text(duration, (double)thread_times_part(times, state), UNIT_NS);
	if (state == THREAD_UNINTERRUPTIBLE)
		bytes_addf(to, " (%s %s)", thread_state_names[state], duration);
	else
		bytes_addf(to, "%s%s %s %.0f%%", is_first ? "" : ", ",
			   thread_state_names[state], duration,
			   thread_times_percent(times, state));
}

void thread_times_put(const struct thread_times *times, struct bytes *to)
{
	const size_t begun = to->length;

	for (int i = 0; i < THREAD_STATES; i++)
		if (thread_times_part(times, i))
			put_state(times, i, to->length == begun, to);
}
