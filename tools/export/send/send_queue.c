/* SPDX-License-Identifier: MIT */
/* Keeps batches until they are delivered or lost, and counts them. */
#include "send_queue.h"

#include <stdlib.h>
#include <string.h>

#include "cli/clock.h"
#include "cli/memory.h"

void send_queue_init(struct send_queue *queue, uint64_t room)
{
	*queue = (struct send_queue){ .room = room };
	pthread_mutex_init(&queue->lock, NULL);
	pthread_cond_init(&queue->has_room, NULL);
	pthread_cond_init(&queue->has_work, NULL);
}

void send_queue_destroy(struct send_queue *queue)
{
	pthread_cond_destroy(&queue->has_work);
	pthread_cond_destroy(&queue->has_room);
	pthread_mutex_destroy(&queue->lock);
}

/* Counts */

static void add(struct sender_amount *amount, uint64_t items, uint64_t bytes)
{
	amount->requests++;
	amount->items += items;
	amount->bytes += bytes;
}

static void subtract(struct sender_amount *amount, uint64_t items, uint64_t bytes)
{
	amount->requests--;
	amount->items -= items;
	amount->bytes -= bytes;
}

void send_queue_counts(struct send_queue *queue, struct sender_counts *counts)
{
	pthread_mutex_lock(&queue->lock);
	*counts = queue->counts;
	pthread_mutex_unlock(&queue->lock);
}

/* Putting */

static struct queued_batch *copy_of(const struct otlp_batch *batch)
{
	const size_t length = batch->body.length;
	struct queued_batch *copy = xmalloc(sizeof(*copy) + length);

	*copy = (struct queued_batch){
		.signal = batch->signal,
		.items = batch->items,
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

static void put(struct send_queue *queue, struct queued_batch *batch)
{
	append(&queue->lists[batch->signal], batch);
	queue->used += size_of(batch);
	add(&queue->counts.queued, batch->items, batch->length);
	pthread_cond_signal(&queue->has_work);
	if (queue->wake)
		queue->wake(queue->wake_context);
}

int send_queue_put(struct send_queue *queue, const struct otlp_batch *batch,
		   enum sender_full full)
{
	int is_dropped;

	pthread_mutex_lock(&queue->lock);
	while (full == SENDER_WAIT && !has_room(queue, batch))
		pthread_cond_wait(&queue->has_room, &queue->lock);
	is_dropped = !has_room(queue, batch);
	add(&queue->counts.put, batch->items, batch->body.length);
	if (is_dropped)
		add(&queue->counts.lost[SENDER_LOST_QUEUE], batch->items,
		    batch->body.length);
	else
		put(queue, copy_of(batch));
	pthread_mutex_unlock(&queue->lock);
	return is_dropped;
}

void send_queue_close(struct send_queue *queue, int64_t deadline)
{
	pthread_mutex_lock(&queue->lock);
	queue->is_closing = 1;
	queue->deadline = deadline;
	pthread_cond_signal(&queue->has_work);
	if (queue->wake)
		queue->wake(queue->wake_context);
	pthread_mutex_unlock(&queue->lock);
}

/* Sending */

int send_queue_wait(struct send_queue *queue)
{
	int is_more;

	pthread_mutex_lock(&queue->lock);
	while (!queue->counts.queued.requests && !queue->is_closing)
		pthread_cond_wait(&queue->has_work, &queue->lock);
	is_more = !!queue->counts.queued.requests;
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

int send_queue_has(struct send_queue *queue, enum otlp_signal signal)
{
	int has;

	pthread_mutex_lock(&queue->lock);
	has = !!queue->lists[signal].first;
	pthread_mutex_unlock(&queue->lock);
	return has;
}

/* With the lock held. */
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

/* With the lock held. */
static void finish(struct send_queue *queue, struct queued_batch *batch)
{
	subtract(&queue->counts.queued, batch->items, batch->length);
	queue->used -= size_of(batch);
	pthread_cond_broadcast(&queue->has_room);
	free(batch);
}

void send_queue_delivered(struct send_queue *queue, struct queued_batch *batch,
			  uint64_t rejected, int is_unclear)
{
	struct sender_counts *counts = &queue->counts;
	const uint64_t latency = (uint64_t)(clock_now(CLOCK_MONOTONIC) - batch->put_at);

	pthread_mutex_lock(&queue->lock);
	if (rejected > batch->items)
		rejected = batch->items;
	add(&counts->delivered, batch->items - rejected, batch->length);
	counts->lost[SENDER_LOST_REJECTED].items += rejected;
	counts->unclear += !!is_unclear;
	counts->latency_count++;
	counts->latency_sum += latency;
	counts->latency_last = latency;
	finish(queue, batch);
	pthread_mutex_unlock(&queue->lock);
}

/* With the lock held. */
static void lose(struct send_queue *queue, struct queued_batch *batch,
		 enum sender_loss loss)
{
	add(&queue->counts.lost[loss], batch->items, batch->length);
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
