/* SPDX-License-Identifier: MIT */
/* Keeps batches until they are delivered or lost, and counts them. */
#include "http_request.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/clock.h"
#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "send_troubles.h"

#define LOOK_NS INT64_C(100000000)

void send_queue_init(struct send_queue *queue, uint64_t room)
{
	pthread_condattr_t attributes;

	*queue = (struct send_queue){ .room = room };
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

/* With the lock held. */
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

/* With the lock held: until there is room, or the end, or time to look for signals. */
static void wait_a_while(struct send_queue *queue)
{
	const int64_t until = clock_now(CLOCK_MONOTONIC) + LOOK_NS;
	const struct timespec time = { until / 1000000000, until % 1000000000 };

	pthread_cond_timedwait(&queue->has_room, &queue->lock, &time);
}

/* Putting */

static struct queued_batch *copy_of(const struct otlp_batch *batch)
{
	const size_t length = batch->body.length;
	struct queued_batch *copy = xmalloc(sizeof(*copy) + length);

	*copy = (struct queued_batch){
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

static void put(struct send_queue *queue, struct queued_batch *batch)
{
	append(&queue->lists[batch->signal], batch);
	queue->used += size_of(batch);
	add(&queue->counts.queued, amount_of(batch));
	pthread_cond_signal(&queue->has_work);
	if (queue->wake)
		queue->wake(queue->wake_context);
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

int send_queue_put(struct send_queue *queue, const struct otlp_batch *batch,
		   enum sender_full full)
{
	const struct sender_amount amount = amount_of_batch(batch);
	int is_dropped;

	pthread_mutex_lock(&queue->lock);
	while (full == SENDER_WAIT && !has_room(queue, batch) && !is_stopped(queue))
		wait_a_while(queue);
	is_dropped = !has_room(queue, batch);
	add(&queue->counts.put, amount);
	if (is_dropped)
		add(&queue->counts.lost[SENDER_LOST_QUEUE], amount);
	else
		put(queue, copy_of(batch));
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
	pthread_cond_signal(&queue->has_work);
	if (queue->wake)
		queue->wake(queue->wake_context);
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
	subtract(&queue->counts.queued, amount_of(batch));
	queue->used -= size_of(batch);
	show_counts(queue);
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

/* With the lock held. */
static void lose(struct send_queue *queue, struct queued_batch *batch,
		 enum sender_loss loss)
{
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

/* Reports trouble with a receiver, each kind once in a while. */

#define SILENCE (SENDER_SILENCE * INT64_C(1000000000))

/* The place of a kind, or of the one that is forgotten for it. */
static unsigned int place_of(const struct send_troubles *troubles, unsigned int kind)
{
	unsigned int oldest = 0;

	for (unsigned int i = 0; i < troubles->count; i++) {
		if (troubles->reported[i].kind == kind)
			return i;
		if (troubles->reported[i].at < troubles->reported[oldest].at)
			oldest = i;
	}
	return troubles->count < TROUBLES_MAX ? troubles->count : oldest;
}

static int is_new(struct send_troubles *troubles, unsigned int kind, int64_t now)
{
	const unsigned int at = place_of(troubles, kind);

	if (at < troubles->count && troubles->reported[at].kind == kind &&
	    now - troubles->reported[at].at < SILENCE)
		return 0;
	troubles->reported[at].kind = kind;
	troubles->reported[at].at = now;
	if (at == troubles->count)
		troubles->count++;
	return 1;
}

static const char *what_follows(enum send_step step, uint64_t items)
{
	static const char *const texts[] = {
		[SEND_AGAIN] = "userevents tries again",
		[SEND_GAVE_UP] = "userevents gave up, and counts what is lost",
		[SEND_LOST] = "they are lost",
		[SEND_WENT_ON] = "userevents takes it for success",
	};

	return step == SEND_LOST && items == 1 ? "it is lost" : texts[step];
}

static const char *trouble_noun(uint64_t items)
{
	return items == 1 ? "item" : "items";
}

static void report_trouble(const struct receiver *receiver, const struct http_reply *reply,
		enum send_step step, uint64_t items)
{
	if (step == SEND_LOST)
		message("cannot deliver %llu %s to %s: %s; %s%s", (unsigned long long)items,
			trouble_noun(items), receiver->shown, reply->reason,
			what_follows(step, items), reply->fix);
	else if (reply->trouble == TROUBLE_PARTIAL)
		message("%s took a part: %s", receiver->shown, reply->reason);
	else
		message("cannot %s %s: %s; %s%s",
			step == SEND_WENT_ON ? "understand" : "send to", receiver->shown,
			reply->reason, what_follows(step, items), reply->fix);
}

/* Giving up is another sentence than trying again, for the same reason. */
#define GAVE_UP 0x10000u

void troubles_report(struct send_troubles *troubles, const struct receiver *receiver,
		     const struct http_reply *reply, enum send_step step, uint64_t items)
{
	const int64_t now = clock_now(CLOCK_MONOTONIC);

	if (!is_new(troubles, reply->trouble | (step == SEND_GAVE_UP ? GAVE_UP : 0), now))
		return;
	if (!troubles->failing_since && (step == SEND_AGAIN || step == SEND_GAVE_UP))
		troubles->failing_since = now;
	report_trouble(receiver, reply, step, items);
}

void troubles_end(struct send_troubles *troubles, const struct receiver *receiver)
{
	if (!troubles->failing_since)
		return;
	message("%s takes events again, after %lld s.", receiver->shown,
		(long long)(clock_now(CLOCK_MONOTONIC) - troubles->failing_since) / 1000000000);
	troubles->failing_since = 0;
}

void troubles_report_queue(struct send_troubles *troubles,
			   const struct receiver *receiver, uint64_t items, uint64_t room)
{
	if (is_new(troubles, TROUBLE_QUEUE, clock_now(CLOCK_MONOTONIC)))
		message("cannot queue %llu %s for %s: %llu KiB wait already; %s, "
			"and what follows is until the receiver is faster",
			(unsigned long long)items, trouble_noun(items), receiver->shown,
			(unsigned long long)(room >> 10), what_follows(SEND_LOST, items));
}

void troubles_report_thread(struct send_troubles *troubles, int error)
{
	if (is_new(troubles, TROUBLE_THREAD, clock_now(CLOCK_MONOTONIC)))
		message("cannot send: no thread can be started: %s; events are lost; raise the "
			"limit of threads", strerror(error));
}
