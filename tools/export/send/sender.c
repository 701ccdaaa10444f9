/* SPDX-License-Identifier: MIT */
/*
 * The thread that sends. Each signal has a lane: its receiver, and the pace at which that is
 * asked again after a failure. A lane has up to LANE_REQUESTS requests on the way, as
 * waiting for each answer across an ocean would be slow; one fewer with files, and only one
 * while the receiver fails, which shows whether it still does.
 */
#include "sender.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/clock.h"
#include "common/cli/memory.h"
#include "http_request.h"

#define LANE_REQUESTS 4
#define POLL_MS 60000
#define LAST_REQUESTS_NS INT64_C(500000000)

struct lane {
	const struct receiver *receiver;
	struct retry_pace pace;
	struct send_troubles troubles;
	unsigned int on_the_way;
};

struct sender {
	struct sender_options options;
	struct send_queue queue;
	pthread_t thread;
	int is_started; /* it; under the lock */
	/* The thread's own */
	CURLM *multi;
	struct lane lanes[OTLP_SIGNALS];
	struct http_request *requests; /* on the way */
	int is_hurrying;
	pthread_mutex_t lock; /* of callers */
	struct send_troubles full_troubles; /* under the lock */
};

/* Answers */

/* Scheme, host and port are the same. */
static int is_same_host(const char *one, const char *other)
{
	const char *host = strstr(one, "://");
	const size_t head = host ? (size_t)(host + 3 - one) : 0;
	const size_t length = head + strcspn(one + head, "/");

	return !strncmp(one, other, length) && (other[length] == '/' || !other[length]);
}

/* Another lane has reported that no request reaches the host. */
static int is_told(const struct sender *sender, const struct lane *lane,
		   const struct http_reply *reply, enum send_step step)
{
	for (int i = 0; i < OTLP_SIGNALS; i++) {
		const struct lane *other = &sender->lanes[i];

		if (other != lane && troubles_tell(&other->troubles, reply, step) &&
		    is_same_host(lane->receiver->shown, other->receiver->shown))
			return 1;
	}
	return 0;
}

static void retry(struct sender *sender, struct lane *lane, struct http_request *request,
		  const struct http_reply *reply)
{
	struct queued_batch *batch = request->batch;
	const struct pace_failure failure = {
		.begun = request->begun,
		.now = clock_now(CLOCK_MONOTONIC),
		.retry_after = reply->retry_after,
		.is_lasting = reply->is_lasting,
	};
	const int again = pace_fail(&lane->pace, &failure);
	const enum send_step step = again ? SEND_AGAIN : SEND_GAVE_UP;

	if (!is_told(sender, lane, reply, step))
		troubles_report(&lane->troubles, lane->receiver, reply, step, batch->items);
	if (again)
		send_queue_return(&sender->queue, batch);
	else
		send_queue_lost(&sender->queue, batch, SENDER_LOST_GIVEN_UP);
}

static void answered(struct lane *lane, const struct http_request *request)
{
	pace_succeed(&lane->pace, request->begun, clock_now(CLOCK_MONOTONIC));
}

static void refused(struct sender *sender, struct lane *lane,
		    struct http_request *request, const struct http_reply *reply)
{
	answered(lane, request);
	troubles_report(&lane->troubles, lane->receiver, reply, SEND_LOST,
			request->batch->items);
	send_queue_lost(&sender->queue, request->batch, SENDER_LOST_REFUSED);
}

static void delivered(struct sender *sender, struct lane *lane,
		      struct http_request *request, const struct http_reply *reply)
{
	answered(lane, request);
	if (!lane->pace.is_failing) /* since this request was begun */
		troubles_end(&lane->troubles, lane->receiver);
	if (reply->trouble)
		troubles_report(&lane->troubles, lane->receiver, reply, SEND_WENT_ON,
				request->batch->items);
	send_queue_delivered(&sender->queue, request->batch, reply->rejected, reply->is_unclear);
}

static void forget(struct sender *sender, struct http_request *request)
{
	struct http_request **at = &sender->requests;

	while (*at != request)
		at = &(*at)->next;
	*at = request->next;
	http_request_free(sender->multi, request);
}

static void settle(struct sender *sender, struct http_request *request, CURLcode result)
{
	struct lane *lane = &sender->lanes[request->batch->signal];
	struct http_reply reply;

	http_reply_read(&reply, request, result);
	lane->on_the_way--;
	switch (reply.verdict) {
	case HTTP_DELIVERED:
		delivered(sender, lane, request, &reply);
		break;
	case HTTP_REFUSED:
		refused(sender, lane, request, &reply);
		break;
	case HTTP_RETRY:
		retry(sender, lane, request, &reply);
	}
	forget(sender, request);
}

/* Returns how many requests are done. */
static int settle_done(struct sender *sender)
{
	int left, count = 0;
	const CURLMsg *info;

	while ((info = curl.multi_info_read(sender->multi, &left))) {
		struct http_request *request;

		if (info->msg != CURLMSG_DONE)
			continue;
		curl.easy_getinfo(info->easy_handle, CURLINFO_PRIVATE, &request);
		settle(sender, request, info->data.result);
		count++;
	}
	return count;
}

/* Requests */

/*
 * A kill has those on the way sent again, and those that were in a file while their ring had them
 * still, which are of one request: LANE_REQUESTS in all.
 */
static unsigned int most_requests(const struct sender *sender)
{
	return sender->options.spool ? LANE_REQUESTS - 1 : LANE_REQUESTS;
}

static int may_send(const struct sender *sender, const struct lane *lane, int64_t now)
{
	if (lane->pace.is_failing)
		return !lane->on_the_way && now >= lane->pace.retry_at;
	return lane->on_the_way < most_requests(sender);
}

static void begin(struct sender *sender, struct lane *lane, struct queued_batch *batch)
{
	struct http_request *request = http_request_begin(sender->multi, lane->receiver,
							  batch);

	request->next = sender->requests;
	sender->requests = request;
	lane->on_the_way++;
}

/*
 * Waiting files stay there: so the last requests have their time, and none is
 * broken off, which the receiver may have taken.
 */
static int is_late(struct sender *sender, int64_t now)
{
	int64_t deadline;

	return sender->options.spool &&
	       send_queue_is_closing(&sender->queue, &deadline) &&
	       now >= deadline - LAST_REQUESTS_NS;
}

static void advance(struct sender *sender, enum otlp_signal signal, int64_t now)
{
	struct lane *lane = &sender->lanes[signal];
	struct queued_batch *batch;

	while (!is_late(sender, now) && may_send(sender, lane, now) &&
	       (batch = send_queue_take(&sender->queue, signal)))
		begin(sender, lane, batch);
	if (lane->pace.is_spent && !lane->on_the_way)
		send_queue_give_up(&sender->queue, signal);
}

/* The end */

/*
 * Nothing can be sent before this time: 0 if something can, or is on the way; INT64_MAX if
 * there is nothing.
 */
static int64_t next_retry(struct sender *sender, int64_t now)
{
	const int is_last = is_late(sender, now);
	int64_t next = INT64_MAX;

	for (int i = 0; i < OTLP_SIGNALS; i++) {
		const struct lane *lane = &sender->lanes[i];

		if (lane->on_the_way)
			return 0;
		if (is_last || !send_queue_has(&sender->queue, (enum otlp_signal)i))
			continue;
		if (!lane->pace.is_failing)
			return 0;
		if (lane->pace.retry_at < next)
			next = lane->pace.retry_at;
	}
	return next;
}

static void abandon(struct sender *sender)
{
	while (sender->requests) {
		struct http_request *request = sender->requests;

		sender->lanes[request->batch->signal].on_the_way--;
		send_queue_lost(&sender->queue, request->batch, SENDER_LOST_GIVEN_UP);
		forget(sender, request);
	}
	for (int i = 0; i < OTLP_SIGNALS; i++)
		send_queue_give_up(&sender->queue, (enum otlp_signal)i);
	send_queue_leave(&sender->queue);
}

static void hurry(struct sender *sender, int64_t now)
{
	if (sender->is_hurrying)
		return;
	sender->is_hurrying = 1;
	for (int i = 0; i < OTLP_SIGNALS; i++)
		pace_hurry(&sender->lanes[i].pace, now);
}

/* 1 if the time is over, or will be before anything can be sent. */
static int is_over(struct sender *sender, int64_t now)
{
	int64_t deadline;

	if (!send_queue_is_closing(&sender->queue, &deadline))
		return 0;
	hurry(sender, now);
	return now >= deadline || (deadline != QUEUE_NO_DEADLINE &&
				   next_retry(sender, now) >= deadline);
}

/* The thread */

static void wake(void *context)
{
	curl.multi_wakeup(context);
}

static void open_multi(struct sender *sender)
{
	if (sender->multi)
		return;
	sender->multi = curl.multi_init();
	if (!sender->multi)
		memory_is_short();
	send_queue_set_wake(&sender->queue, wake, sender->multi);
}

/* A lane's time counts also while others have requests on the way, which may take long. */
static int poll_time(struct sender *sender, int64_t now)
{
	int64_t deadline, until = now + POLL_MS * PACE_MS;

	for (int i = 0; i < OTLP_SIGNALS; i++) {
		const struct lane *lane = &sender->lanes[i];

		if (lane->pace.is_failing && !lane->on_the_way && lane->pace.retry_at < until &&
		    send_queue_has(&sender->queue, (enum otlp_signal)i))
			until = lane->pace.retry_at;
	}
	if (send_queue_is_closing(&sender->queue, &deadline) && deadline < until)
		until = deadline;
	return until > now ? (int)((until - now + PACE_MS - 1) / PACE_MS) : 0;
}

static void work(struct sender *sender)
{
	const int64_t now = clock_now(CLOCK_MONOTONIC);
	int running;

	if (is_over(sender, now)) {
		abandon(sender);
		return;
	}
	for (int i = 0; i < OTLP_SIGNALS; i++)
		advance(sender, (enum otlp_signal)i, now);
	curl.multi_perform(sender->multi, &running);
	if (!settle_done(sender) && next_retry(sender, now) < INT64_MAX)
		curl.multi_poll(sender->multi, NULL, 0, poll_time(sender, now), NULL);
}

static void *run(void *context)
{
	struct sender *sender = context;

	while (send_queue_wait(&sender->queue)) {
		open_multi(sender);
		work(sender);
	}
	send_queue_end(&sender->queue);
	return NULL;
}

/* Signals are the other threads', as is SIGPIPE, which TLS may raise. */
static int start(struct sender *sender)
{
	sigset_t all, before;
	int result;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	result = pthread_create(&sender->thread, NULL, run, sender);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return result;
}

/*
 * The first batch starts the thread, as a program may be started before: fork(2) copies locks
 * that another thread holds. 1 if it runs; else batches are lost, each after another attempt.
 */
static int is_running(struct sender *sender)
{
	int result = 0;

	pthread_mutex_lock(&sender->lock);
	if (!sender->is_started) {
		result = start(sender);
		sender->is_started = !result;
	}
	if (result)
		troubles_report_thread(&sender->full_troubles, result);
	pthread_mutex_unlock(&sender->lock);
	return !result;
}

/* Interface */

void sender_begin(struct sender *sender)
{
	struct sender_counts counts;

	send_queue_counts(&sender->queue, &counts);
	if (counts.queued.requests)
		is_running(sender);
}

static void free_sender(struct sender *sender)
{
	send_queue_destroy(&sender->queue);
	pthread_mutex_destroy(&sender->lock);
	sender_options_free(&sender->options);
	free(sender);
	curl.global_cleanup();
}

static struct sender *new_sender(const struct sender_options *options)
{
	struct sender *sender = xcalloc(1, sizeof(*sender));
	int64_t patience = options->patience;

	sender->options = *options;
	send_queue_init(&sender->queue,
			options->queue_bytes ? options->queue_bytes : SENDER_QUEUE_BYTES,
			options->spool);
	sender->queue.is_stopped = options->is_stopped;
	sender->queue.on_counts = options->on_counts;
	sender->queue.on_counts_context = options->on_counts_context;
	pthread_mutex_init(&sender->lock, NULL);
	if (patience > INT64_MAX / PACE_MS)
		patience = -1;
	for (int i = 0; i < OTLP_SIGNALS; i++) {
		sender->lanes[i].receiver = &sender->options.receivers[i];
		sender->lanes[i].pace.patience = patience < 0 ? -1 : patience * PACE_MS;
	}
	return sender;
}

struct sender *sender_open(const struct sender_options *options)
{
	if (curl.global_init(CURL_GLOBAL_DEFAULT))
		memory_is_short();
	return new_sender(options);
}

int sender_put(struct sender *sender, const struct otlp_batch *batch,
	       enum sender_full full)
{
	int is_dropped;

	if (!is_running(sender)) {
		send_queue_refuse(&sender->queue, batch);
		return 1;
	}
	is_dropped = send_queue_put(&sender->queue, batch, full);
	if (is_dropped) {
		pthread_mutex_lock(&sender->lock);
		troubles_report_queue(&sender->full_troubles,
				      &sender->options.receivers[batch->signal],
				      batch->items, sender->queue.room);
		pthread_mutex_unlock(&sender->lock);
	}
	return is_dropped;
}

void sender_counts(struct sender *sender, struct sender_counts *counts)
{
	send_queue_counts(&sender->queue, counts);
}

void sender_close(struct sender *sender, int64_t deadline, struct sender_counts *counts)
{
	const int64_t now = clock_now(CLOCK_MONOTONIC);
	const int is_bounded = deadline >= 0 && deadline < (INT64_MAX - now) / PACE_MS;

	send_queue_close(&sender->queue,
			 is_bounded ? now + deadline * PACE_MS : QUEUE_NO_DEADLINE);
	if (sender->is_started) {
		send_queue_wait_end(&sender->queue);
		pthread_join(sender->thread, NULL);
	}
	if (counts)
		send_queue_counts(&sender->queue, counts);
	if (sender->multi)
		curl.multi_cleanup(sender->multi);
	free_sender(sender);
}

/* Reads a sender's options, and names its losses. */

int sender_options_read(struct sender_options *options,
			const struct export_options *command_line)
{
	int status = curl_library_load();

	*options = (struct sender_options){ .patience = SENDER_PATIENCE };
	for (int i = 0; !status && i < OTLP_SIGNALS; i++)
		status = receiver_read(&options->receivers[i], (enum otlp_signal)i,
				       command_line);
	if (status)
		sender_options_free(options);
	return status;
}

void sender_options_free(struct sender_options *options)
{
	for (int i = 0; i < OTLP_SIGNALS; i++)
		receiver_free(&options->receivers[i]);
}

const char *sender_loss_text(enum sender_loss loss)
{
	static const char *const texts[SENDER_LOSSES] = {
		[SENDER_LOST_QUEUE] = "for which the queue had no room",
		[SENDER_LOST_REFUSED] = "in requests that were refused",
		[SENDER_LOST_REJECTED] = "rejected by a partial success",
		[SENDER_LOST_GIVEN_UP] = "given up, as the receiver did not take them",
		[SENDER_LOST_CORRUPT] = "in files of the queue that are damaged",
	};

	return texts[loss];
}

uint64_t sender_lost_items(const struct sender_counts *counts)
{
	uint64_t items = 0;

	for (int i = 0; i < SENDER_LOSSES; i++)
		items += counts->lost[i].items;
	return items;
}
