/* SPDX-License-Identifier: MIT */
/* Keeps batches until they are delivered or lost, and counts them. */
#include "http_request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/clock.h"
#include "common/cli/memory.h"

#define LOOK_NS INT64_C(100000000)

static struct sender_amount amount_of_sums(const struct spool_sums *sums)
{
	return (struct sender_amount){
		.requests = sums->requests,
		.items = sums->items,
		.events = sums->events,
		.bytes = sums->bytes,
	};
}

void send_queue_init(struct send_queue *queue, uint64_t room, struct spool *spool)
{
	pthread_condattr_t attributes;

	*queue = (struct send_queue){ .room = room, .spool = spool };
	if (spool) {
		const struct spool_sums waiting = spool_waiting(spool);

		queue->counts.stored = queue->counts.queued = amount_of_sums(&waiting);
	}
	pthread_mutex_init(&queue->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&queue->has_room, &attributes);
	pthread_cond_init(&queue->has_work, NULL);
	pthread_condattr_destroy(&attributes);
}

void send_queue_destroy(struct send_queue *queue)
{
	pthread_cond_destroy(&queue->has_work);
	pthread_cond_destroy(&queue->has_room);
	pthread_mutex_destroy(&queue->lock);
}

/* Counts */

static struct sender_amount amount_of(const struct queued_batch *batch)
{
	return (struct sender_amount){
		.requests = 1,
		.items = batch->items,
		.events = batch->events,
		.bytes = batch->length,
	};
}

static void add(struct sender_amount *sum, struct sender_amount amount)
{
	sum->requests += amount.requests;
	sum->items += amount.items;
	sum->events += amount.events;
	sum->bytes += amount.bytes;
}

static void subtract(struct sender_amount *sum, struct sender_amount amount)
{
	sum->requests -= amount.requests;
	sum->items -= amount.items;
	sum->events -= amount.events;
	sum->bytes -= amount.bytes;
}

/* A partial success does not say which items it rejected. */
static struct sender_amount part_of(const struct queued_batch *batch, uint64_t items)
{
	if (!items)
		return (struct sender_amount){ .items = 0 };
	if (items >= batch->items)
		return (struct sender_amount){ .items = batch->items, .events = batch->events };
	return (struct sender_amount){
		.items = items,
		.events = (uint64_t)((double)batch->events * (double)items /
				     (double)batch->items),
	};
}

/* The caller holds the lock. */
static void show_counts(const struct send_queue *queue)
{
	if (queue->on_counts)
		queue->on_counts(queue->on_counts_context, &queue->counts);
}

void send_queue_counts(struct send_queue *queue, struct sender_counts *counts)
{
	pthread_mutex_lock(&queue->lock);
	*counts = queue->counts;
	pthread_mutex_unlock(&queue->lock);
}

/* Callers that wait */

/*
 * 1 once a signal asked for the end, and the time after it is over. A program may go on after
 * a signal: then callers wait again.
 */
static int is_stopped(struct send_queue *queue)
{
	const int64_t now = clock_now(CLOCK_MONOTONIC);

	if (!queue->is_stopped || !queue->is_stopped())
		queue->stop_at = 0;
	else if (!queue->stop_at)
		queue->stop_at = now + SENDER_LAST * INT64_C(1000000);
	return queue->stop_at && now >= queue->stop_at;
}

/*
 * The caller holds the lock: wait until there is room, or the end, or time to look for
 * signals.
 */
static void wait_a_while(struct send_queue *queue)
{
	const int64_t until = clock_now(CLOCK_MONOTONIC) + LOOK_NS;
	const struct timespec time = { until / 1000000000, until % 1000000000 };

	pthread_cond_timedwait(&queue->has_room, &queue->lock, &time);
}

/* Putting */

static struct queued_batch *copy_of(const struct send_queue *queue,
				    const struct otlp_batch *batch)
{
	const size_t length = batch->body.length;
	struct queued_batch *copy = xmalloc(sizeof(*copy) + length);

	*copy = (struct queued_batch){
		.number = queue->spool ? spool_number(queue->spool) : 0,
		.signal = batch->signal,
		.items = batch->items,
		.events = batch->events,
		.put_at = clock_now(CLOCK_MONOTONIC),
		.length = length,
	};
	if (length)
		memcpy(copy->body, batch->body.at, length);
	return copy;
}

static uint64_t size_of(const struct queued_batch *batch)
{
	return sizeof(*batch) + batch->length;
}

static void append(struct batch_list *list, struct queued_batch *batch)
{
	batch->next = NULL;
	if (list->last)
		list->last->next = batch;
	else
		list->first = batch;
	list->last = batch;
}

static int has_room(const struct send_queue *queue, const struct otlp_batch *batch)
{
	const uint64_t size = sizeof(struct queued_batch) + batch->body.length;

	return !queue->used || (size <= queue->room && queue->used <= queue->room - size);
}

static void wake(struct send_queue *queue)
{
	pthread_cond_signal(&queue->has_work);
	if (queue->wake)
		queue->wake(queue->wake_context);
}

static void put(struct send_queue *queue, struct queued_batch *batch)
{
	append(&queue->lists[batch->signal], batch);
	queue->used += size_of(batch);
	add(&queue->counts.queued, amount_of(batch));
	wake(queue);
}

static struct sender_amount amount_of_batch(const struct otlp_batch *batch)
{
	return (struct sender_amount){
		.requests = 1,
		.items = batch->items,
		.events = batch->events,
		.bytes = batch->body.length,
	};
}

/* Put it into files: 1, or 0 if they do not take it. It is there before it is counted. */
static int store(struct send_queue *queue, const struct otlp_batch *batch)
{
	const struct sender_amount amount = amount_of_batch(batch);
	struct spool_record record = {
		.items = batch->items,
		.events = batch->events,
		.time = clock_now(CLOCK_REALTIME),
		.length = (uint32_t)batch->body.length,
	};

	if (!queue->spool ||
	    spool_put(queue->spool, batch->signal, &record, batch->body.at))
		return 0;
	add(&queue->counts.stored, amount);
	add(&queue->counts.queued, amount);
	wake(queue);
	return 1;
}

/* 0, or 1 if it is lost. */
static int put_in_memory(struct send_queue *queue, const struct otlp_batch *batch,
			 enum sender_full full)
{
	while (full == SENDER_WAIT && !has_room(queue, batch) && !is_stopped(queue))
		wait_a_while(queue);
	if (!has_room(queue, batch)) {
		add(&queue->counts.lost[SENDER_LOST_QUEUE], amount_of_batch(batch));
		return 1;
	}
	put(queue, copy_of(queue, batch));
	return 0;
}

int send_queue_put(struct send_queue *queue, const struct otlp_batch *batch,
		   enum sender_full full)
{
	int is_dropped;

	pthread_mutex_lock(&queue->lock);
	is_dropped = !store(queue, batch) && put_in_memory(queue, batch, full);
	add(&queue->counts.put, amount_of_batch(batch));
	show_counts(queue);
	pthread_mutex_unlock(&queue->lock);
	return is_dropped;
}

void send_queue_refuse(struct send_queue *queue, const struct otlp_batch *batch)
{
	pthread_mutex_lock(&queue->lock);
	add(&queue->counts.put, amount_of_batch(batch));
	add(&queue->counts.lost[SENDER_LOST_GIVEN_UP], amount_of_batch(batch));
	show_counts(queue);
	pthread_mutex_unlock(&queue->lock);
}

void send_queue_close(struct send_queue *queue, int64_t deadline)
{
	pthread_mutex_lock(&queue->lock);
	queue->is_closing = 1;
	queue->deadline = deadline;
	wake(queue);
	pthread_mutex_unlock(&queue->lock);
}

static void bring_forward(struct send_queue *queue, int64_t deadline)
{
	if (deadline >= queue->deadline)
		return;
	queue->deadline = deadline;
	if (queue->wake)
		queue->wake(queue->wake_context);
}

void send_queue_wait_end(struct send_queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	while (!queue->is_ended) {
		is_stopped(queue);
		if (queue->stop_at)
			bring_forward(queue, queue->stop_at);
		wait_a_while(queue);
	}
	pthread_mutex_unlock(&queue->lock);
}

/* Sending */

void send_queue_end(struct send_queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	queue->is_ended = 1;
	pthread_cond_broadcast(&queue->has_room);
	pthread_mutex_unlock(&queue->lock);
}

int send_queue_wait(struct send_queue *queue)
{
	int is_more;

	pthread_mutex_lock(&queue->lock);
	while (!queue->counts.queued.requests && !queue->is_closing)
		pthread_cond_wait(&queue->has_work, &queue->lock);
	is_more = queue->counts.queued.requests && !queue->is_left;
	pthread_mutex_unlock(&queue->lock);
	return is_more;
}

void send_queue_set_wake(struct send_queue *queue, void (*wake)(void *context),
			 void *context)
{
	pthread_mutex_lock(&queue->lock);
	queue->wake = wake;
	queue->wake_context = context;
	pthread_mutex_unlock(&queue->lock);
}

int send_queue_is_closing(struct send_queue *queue, int64_t *deadline)
{
	int is_closing;

	pthread_mutex_lock(&queue->lock);
	is_closing = queue->is_closing;
	*deadline = queue->deadline;
	pthread_mutex_unlock(&queue->lock);
	return is_closing;
}

/* The caller holds the lock. Files that are damaged do not have all that they had. */
static void lose_stored(struct send_queue *queue, const struct spool_sums *missing)
{
	const struct sender_amount amount = amount_of_sums(missing);

	add(&queue->counts.lost[SENDER_LOST_CORRUPT], amount);
	subtract(&queue->counts.stored, amount);
	subtract(&queue->counts.queued, amount);
	show_counts(queue);
}

/* The caller holds the lock. The next batch, and the count of missing items. */
static int has_stored(struct send_queue *queue, enum otlp_signal signal,
		      struct spool_record *record)
{
	struct spool_sums missing;
	int result = 0;

	while (queue->spool &&
	       (result = spool_next(queue->spool, signal, record, &missing)) == -EBADMSG)
		lose_stored(queue, &missing);
	return result;
}

int send_queue_has(struct send_queue *queue, enum otlp_signal signal)
{
	struct spool_record record;
	int has;

	pthread_mutex_lock(&queue->lock);
	has = queue->lists[signal].first || has_stored(queue, signal, &record);
	pthread_mutex_unlock(&queue->lock);
	return has;
}

/* It may be of an earlier process. */
static struct queued_batch *batch_of(enum otlp_signal signal,
				     const struct spool_record *record)
{
	struct queued_batch *batch = xmalloc(sizeof(*batch) + record->length);
	const int64_t age = clock_now(CLOCK_REALTIME) - record->time;

	*batch = (struct queued_batch){
		.number = record->number,
		.signal = signal,
		.items = record->items,
		.events = record->events,
		.put_at = clock_now(CLOCK_MONOTONIC) - (age > 0 ? age : 0),
		.length = record->length,
	};
	return batch;
}

/*
 * The caller holds the lock. Take the next batch of files, unless one in memory is older.
 */
static struct queued_batch *take_stored(struct send_queue *queue, enum otlp_signal signal)
{
	const struct queued_batch *first = queue->lists[signal].first;
	struct queued_batch *batch;
	struct spool_record record;
	struct spool_sums missing = { .requests = 0 };

	while (has_stored(queue, signal, &record) > 0) {
		if (first && first->number < record.number)
			return NULL;
		batch = batch_of(signal, &record);
		if (!spool_take(queue->spool, signal, &record, batch->body, &batch->place))
			return batch;
		free(batch);
		missing = (struct spool_sums){ .requests = 0 };
		spool_sums_add(&missing, &record);
		lose_stored(queue, &missing);
	}
	return NULL;
}

/* The caller holds the lock. */
static struct queued_batch *take_first(struct batch_list *list)
{
	struct queued_batch *batch = list->first;

	if (batch)
		list->first = batch->next;
	if (!list->first)
		list->last = NULL;
	return batch;
}

struct queued_batch *send_queue_take(struct send_queue *queue, enum otlp_signal signal)
{
	struct queued_batch *batch;

	pthread_mutex_lock(&queue->lock);
	batch = take_stored(queue, signal);
	if (!batch)
		batch = take_first(&queue->lists[signal]);
	if (batch) {
		queue->counts.retries += !!batch->is_sent;
		batch->is_sent = 1;
	}
	pthread_mutex_unlock(&queue->lock);
	return batch;
}

void send_queue_return(struct send_queue *queue, struct queued_batch *batch)
{
	struct batch_list *list = &queue->lists[batch->signal];

	pthread_mutex_lock(&queue->lock);
	batch->next = list->first;
	list->first = batch;
	if (!list->last)
		list->last = batch;
	pthread_mutex_unlock(&queue->lock);
}

/*
 * The caller holds the lock. A batch is counted before it leaves its file: a kill may
 * double it.
 */
static void finish(struct send_queue *queue, struct queued_batch *batch)
{
	subtract(&queue->counts.queued, amount_of(batch));
	if (batch->place.segment)
		subtract(&queue->counts.stored, amount_of(batch));
	else
		queue->used -= size_of(batch);
	show_counts(queue);
	if (batch->place.segment)
		spool_done(queue->spool, &batch->place);
	pthread_cond_broadcast(&queue->has_room);
	free(batch);
}

void send_queue_delivered(struct send_queue *queue, struct queued_batch *batch,
			  uint64_t rejected, int is_unclear)
{
	struct sender_counts *counts = &queue->counts;
	const uint64_t latency = (uint64_t)(clock_now(CLOCK_MONOTONIC) - batch->put_at);

	const struct sender_amount lost = part_of(batch, rejected);

	pthread_mutex_lock(&queue->lock);
	add(&counts->delivered, amount_of(batch));
	subtract(&counts->delivered, lost);
	add(&counts->lost[SENDER_LOST_REJECTED], lost);
	counts->unclear += !!is_unclear;
	counts->latency_count++;
	counts->latency_sum += latency;
	counts->latency_last = latency;
	finish(queue, batch);
	pthread_mutex_unlock(&queue->lock);
}

/* The caller holds the lock. */
static void lose(struct send_queue *queue, struct queued_batch *batch,
		 enum sender_loss loss)
{
	if (loss == SENDER_LOST_GIVEN_UP && batch->place.segment) {
		free(batch);
		return;
	}
	add(&queue->counts.lost[loss], amount_of(batch));
	finish(queue, batch);
}

void send_queue_lost(struct send_queue *queue, struct queued_batch *batch,
		     enum sender_loss loss)
{
	pthread_mutex_lock(&queue->lock);
	lose(queue, batch, loss);
	pthread_mutex_unlock(&queue->lock);
}

uint64_t send_queue_give_up(struct send_queue *queue, enum otlp_signal signal)
{
	struct queued_batch *batch;
	uint64_t items = 0;

	pthread_mutex_lock(&queue->lock);
	while ((batch = take_first(&queue->lists[signal]))) {
		items += batch->items;
		lose(queue, batch, SENDER_LOST_GIVEN_UP);
	}
	pthread_mutex_unlock(&queue->lock);
	return items;
}

void send_queue_leave(struct send_queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	queue->is_left = 1;
	pthread_mutex_unlock(&queue->lock);
}
