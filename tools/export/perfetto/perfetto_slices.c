/* SPDX-License-Identifier: MIT */
/*
 * Chooses the tracks of slices.
 *
 * Slices of a track must be within each other, or apart. A slice whose start and stop are
 * of one thread, and that is within those around it, is on the track of the thread. All
 * others are in lanes of their process: a slice takes the first one that is free when it
 * starts, so there are no more lanes than slices that overlap. Which of the two it is, is
 * known when it stops. So the packets of a start, and of events within it, are held until
 * then, in memory that common/pairs bounds.
 */
#include "perfetto_tracks.h"

#include <stddef.h>
#include <stdlib.h>

#include "common/cli/memory.h"

/*
 * Bytes of an open slice that are held; further events are on the tracks of their
 * threads.
 */
#define HELD_MOST (256u << 10)
/*
 * Lanes of a process with a slice that does not end; beyond these, others get in there.
 */
#define ENDLESS_MOST 4096u
/*
 * Pools in which no lane is taken are forgotten then; threads without a slice, at once.
 */
#define POOLS_MOST 1024u
#define TOPS_MOST 1024u
/* Most slices fit into this; there may be many at a time. Larger buffers are freed. */
#define HELD_USUAL 512u
#define SPARE_MOST 4096u

/* A packet without its track. */
struct held_packet {
	uint64_t timestamp;
	uint64_t thread; /* the track of its thread */
	uint64_t length;
};

struct lane {
	uint64_t until; /* where the slice before ended */
	int is_described;
};

/* The lanes of a process, or of all events without one. */
struct lane_pool {
	uint64_t process; /* its track, or 0 */
	uint32_t pid;
	struct lane *lanes;
	uint64_t *free; /* a bit for each lane: many may stay taken before the first free one */
	uint32_t count;
	uint32_t lowest; /* all before are taken */
	uint32_t taken;
	uint32_t endless; /* lanes that stay taken */
};

/* Lanes */

static void drop_pool(struct lane_pool *pool)
{
	free(pool->lanes);
	free(pool->free);
	free(pool);
}

/* Memory is bounded, while processes come and go. */
static void forget_pools(struct perfetto_slices *slices)
{
	uint32_t left = 0;

	slices->last = NULL;
	key_table_clear(&slices->by_process);
	for (uint32_t i = 0; i < slices->pool_count; i++) {
		struct lane_pool *pool = slices->pools[i];

		if (!pool->taken) {
			drop_pool(pool);
			continue;
		}
		key_table_add(&slices->by_process, pool->process, left);
		slices->pools[left++] = pool;
	}
	slices->pool_count = left;
	slices->pools_most = POOLS_MOST + 2 * left;
}

static struct lane_pool *pool_of(struct perfetto_slices *slices,
				 const struct origin *origin)
{
	const uint64_t process = perfetto_process_uuid(origin);
	struct lane_pool *pool = slices->last;
	uint32_t found;

	if (pool && pool->process == process)
		return pool;
	found = key_table_find(&slices->by_process, process);
	if (found != KEY_UNKNOWN)
		return slices->last = slices->pools[found];
	if (slices->pool_count >= slices->pools_most)
		forget_pools(slices);
	pool = xcalloc(1, sizeof(*pool));
	pool->process = process;
	pool->pid = origin->has_pid ? origin->pid : 0;
	slices->pools =
		xgrow(slices->pools, slices->pool_count, sizeof(struct lane_pool *));
	key_table_add(&slices->by_process, process, slices->pool_count);
	slices->pools[slices->pool_count++] = pool;
	return slices->last = pool;
}

static uint32_t add_lane(struct lane_pool *pool)
{
	pool->lanes = xgrow(pool->lanes, pool->count, sizeof(*pool->lanes));
	pool->lanes[pool->count] = (struct lane){ .until = 0 };
	if (pool->count % 64 == 0) {
		pool->free = xgrow(pool->free, pool->count / 64, sizeof(*pool->free));
		pool->free[pool->count / 64] = 0;
	}
	return pool->count++;
}

/*
 * Events may be late, so a lane can be free, and its last slice end later than this
 * starts.
 */
static uint32_t find_lane(struct lane_pool *pool, uint64_t begun)
{
	for (uint32_t word = pool->lowest / 64; word * 64 < pool->count; word++)
		for (uint64_t bits = pool->free[word]; bits; bits &= bits - 1) {
			const uint32_t lane = word * 64 + (uint32_t)__builtin_ctzll(bits);

			if (pool->lanes[lane].until <= begun)
				return lane;
		}
	return add_lane(pool);
}

static uint32_t take_lane(struct lane_pool *pool, uint64_t begun)
{
	const uint32_t lane = find_lane(pool, begun);

	pool->free[lane / 64] &= ~(UINT64_C(1) << lane % 64);
	pool->taken++;
	pool->lowest += lane == pool->lowest;
	return lane;
}

static void free_lane(struct lane_pool *pool, uint32_t lane, uint64_t until)
{
	if (until > pool->lanes[lane].until)
		pool->lanes[lane].until = until;
	pool->free[lane / 64] |= UINT64_C(1) << lane % 64;
	pool->taken--;
	if (lane < pool->lowest)
		pool->lowest = lane;
}

/* A slice that does not end keeps its lane. */
static void keep_lane(struct lane_pool *pool, uint32_t lane)
{
	if (pool->endless < ENDLESS_MOST)
		pool->endless++;
	else
		free_lane(pool, lane, 0);
}

static uint64_t lane_track(const struct open_slice *slice, struct bytes *trace)
{
	struct lane *lane = &slice->pool->lanes[slice->lane];
	const uint64_t uuid = perfetto_lane_uuid(slice->pool->process != 0,
						 slice->pool->pid, slice->lane);

	if (!lane->is_described)
		perfetto_describe_lane(trace, uuid, slice->pool->process);
	lane->is_described = 1;
	return uuid;
}

/* Threads, each with its open slices: the last one that started is the top */

static void push(struct perfetto_slices *slices, struct open_slice *slice)
{
	uint32_t found = key_table_find(&slices->by_thread, slice->thread);

	if (found == KEY_UNKNOWN) {
		found = slices->free_top;
		if (found < slices->top_count) {
			slices->free_top = slices->tops[found].next_free;
		} else {
			slices->tops = xgrow(slices->tops, slices->top_count,
					     sizeof(*slices->tops));
			slices->top_count++;
			slices->free_top = slices->top_count;
		}
		slices->tops[found].slice = NULL;
		key_table_add(&slices->by_thread, slice->thread, found);
	}
	slice->stack = found;
	slice->below = slices->tops[found].slice;
	if (slice->below)
		slice->below->above = slice;
	slices->tops[found].slice = slice;
}

static void unlink_slice(struct perfetto_slices *slices, const struct open_slice *slice)
{
	struct thread_top *top = &slices->tops[slice->stack];

	*(slice->above ? &slice->above->below : &top->slice) = slice->below;
	if (slice->below)
		slice->below->above = slice->above;
	if (top->slice || slices->by_thread.count <= TOPS_MOST)
		return;
	key_table_remove(&slices->by_thread, slice->thread, slice->stack);
	top->next_free = slices->free_top;
	slices->free_top = slice->stack;
}

/* The one around must not begin with those on the thread's track, nor end before them. */
static void note_within(struct open_slice *around, uint64_t first, uint64_t until)
{
	if (!around)
		return;
	if (first < around->first_within)
		around->first_within = first;
	if (until > around->within_until)
		around->within_until = until;
}

static int fits_thread(const struct open_slice *slice, uint64_t thread, uint64_t end)
{
	return slice->is_of_thread && slice->thread == thread && !slice->above &&
	       !slice->is_late && slice->first_within > slice->begun &&
	       slice->within_until <= end;
}

/* Slices */

void perfetto_slice_begin(struct perfetto_slices *slices, struct open_slice *slice,
			  const struct exported_event *event, uint64_t thread,
			  uint64_t timestamp)
{
	*slice = (struct open_slice){
		.thread = thread,
		.begun = timestamp,
		.is_of_thread = event->has_tid,
		.is_late = timestamp < slices->latest_end,
		.first_within = UINT64_MAX,
		.pool = pool_of(slices, event->origin),
	};
	slice->lane = take_lane(slice->pool, timestamp);
	if (slices->spare_count)
		slice->held = slices->spare[--slices->spare_count];
	else
		slice->held =
			(struct bytes){ .at = xmalloc(HELD_USUAL), .room = HELD_USUAL };
	push(slices, slice);
}

struct bytes *perfetto_slice_room(struct open_slice *slice, uint64_t timestamp,
				  uint64_t thread)
{
	const struct held_packet packet = { .timestamp = timestamp, .thread = thread };

	if (slice->whole > HELD_MOST)
		return NULL;
	slice->held.length = slice->whole;
	bytes_add(&slice->held, &packet, sizeof(packet));
	return &slice->held;
}

size_t perfetto_slice_hold(struct open_slice *slice)
{
	const size_t added = slice->held.length - slice->whole;
	const uint64_t length = added - sizeof(struct held_packet);

	memcpy(slice->held.at + slice->whole + offsetof(struct held_packet, length),
	       &length, sizeof(length));
	slice->whole = slice->held.length;
	return added;
}

static void free_held(struct perfetto_slices *slices, struct open_slice *slice)
{
	slice->held.length = slice->whole = 0;
	if (slices->spare_count < SPARE_BUFFERS && slice->held.room <= SPARE_MOST)
		slices->spare[slices->spare_count++] = slice->held;
	else
		bytes_free(&slice->held);
	slice->held = (struct bytes){ .length = 0 };
}

/* Events of other threads within a slice of a thread are on their own tracks. */
static void put_held(struct open_slice *slice, uint64_t track,
		     enum track_event_type first, put_packet *put, void *context)
{
	struct held_packet packet;
	size_t at = 0;

	while (at < slice->whole) {
		memcpy(&packet, slice->held.at + at, sizeof(packet));
		at += sizeof(packet);
		put(context, packet.timestamp,
		    at == sizeof(packet) ? first : EVENT_INSTANT,
		    track == slice->thread ? packet.thread : track, slice->held.at + at,
		    packet.length);
		at += packet.length;
	}
}

uint64_t perfetto_slice_end(struct perfetto_slices *slices, struct open_slice *slice,
			    uint64_t thread, uint64_t end, put_packet *put, void *context,
			    struct bytes *trace)
{
	const int is_on_thread = fits_thread(slice, thread, end);
	const uint64_t track = is_on_thread ? slice->thread : lane_track(slice, trace);

	note_within(slice->below, is_on_thread ? slice->begun : slice->first_within,
		    is_on_thread ? end : slice->within_until);
	unlink_slice(slices, slice);
	free_lane(slice->pool, slice->lane, is_on_thread ? 0 : end);
	slices->latest_end = end > slices->latest_end ? end : slices->latest_end;
	slice->is_done = 1;
	put_held(slice, track, EVENT_SLICE_BEGIN, put, context);
	free_held(slices, slice);
	return track;
}

/* It neither ended nor will. With a stop that has no time, it is an instant. */
void perfetto_slice_leave(struct perfetto_slices *slices, struct open_slice *slice,
			  enum pair_fate fate, put_packet *put, void *context,
			  struct bytes *trace)
{
	const int is_instant = fate == START_NEGATIVE || fate == START_OTHER_CLOCK;

	if (slice->pool && !slice->is_done) {
		note_within(slice->below, slice->first_within, slice->within_until);
		unlink_slice(slices, slice);
		if (is_instant)
			free_lane(slice->pool, slice->lane, slice->begun);
		if (fate != START_FREED)
			put_held(slice,
				 is_instant ? slice->thread : lane_track(slice, trace),
				 is_instant ? EVENT_INSTANT : EVENT_SLICE_BEGIN, put,
				 context);
		if (!is_instant)
			keep_lane(slice->pool, slice->lane);
		free_held(slices, slice);
	}
}

void perfetto_slices_free(struct perfetto_slices *slices)
{
	for (uint32_t i = 0; i < slices->pool_count; i++)
		drop_pool(slices->pools[i]);
	while (slices->spare_count)
		bytes_free(&slices->spare[--slices->spare_count]);
	free(slices->pools);
	free(slices->tops);
	key_table_free(&slices->by_process);
	key_table_free(&slices->by_thread);
}

/*
 * Writes records of the scheduler as those of ftrace, from which Perfetto makes a row for
 * each processor, and the states of threads.
 */

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
