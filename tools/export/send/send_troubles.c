/* SPDX-License-Identifier: MIT */
/* Reports trouble with a receiver, each kind once in a while. */
#include "send_troubles.h"

#include <string.h>

#include "common/cli/clock.h"
#include "common/cli/message.h"
#include "sender.h"

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

static int is_known(const struct send_troubles *troubles, unsigned int kind, int64_t now)
{
	const unsigned int at = place_of(troubles, kind);

	return at < troubles->count && troubles->reported[at].kind == kind &&
	       now - troubles->reported[at].at < SILENCE;
}

static int is_new(struct send_troubles *troubles, unsigned int kind, int64_t now)
{
	const unsigned int at = place_of(troubles, kind);

	if (is_known(troubles, kind, now))
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

static void report_trouble(const struct receiver *receiver,
			   const struct http_reply *reply,
			   enum send_step step, uint64_t items)
{
	if (step == SEND_LOST)
		message("cannot deliver %llu %s to %s: %s; %s%s",
			(unsigned long long)items, trouble_noun(items), receiver->shown,
			reply->reason, what_follows(step, items), reply->fix);
	else if (reply->trouble == TROUBLE_PARTIAL)
		message("%s took a part: %s", receiver->shown, reply->reason);
	else
		message("cannot %s %s: %s; %s%s",
			step == SEND_WENT_ON ? "understand" : "send to", receiver->shown,
			reply->reason, what_follows(step, items), reply->fix);
}

/* Giving up is another sentence than trying again, for the same reason. */
#define GAVE_UP 0x10000u

static unsigned int kind_of(const struct http_reply *reply, enum send_step step)
{
	return reply->trouble | (step == SEND_GAVE_UP ? GAVE_UP : 0);
}

int troubles_tell(const struct send_troubles *troubles, const struct http_reply *reply,
		  enum send_step step)
{
	return reply->trouble >= TROUBLE_SOCKET && troubles->failing_since &&
	       is_known(troubles, kind_of(reply, step), clock_now(CLOCK_MONOTONIC));
}

void troubles_report(struct send_troubles *troubles, const struct receiver *receiver,
		     const struct http_reply *reply, enum send_step step, uint64_t items)
{
	const int64_t now = clock_now(CLOCK_MONOTONIC);

	if (!is_new(troubles, kind_of(reply, step), now))
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
		(long long)(clock_now(CLOCK_MONOTONIC) - troubles->failing_since) /
			1000000000);
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
		message("cannot send: no thread can be started: %s; events are lost; "
			"raise the limit of threads", strerror(error));
}
