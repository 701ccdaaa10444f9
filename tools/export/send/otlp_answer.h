/* SPDX-License-Identifier: MIT */
/* Reads a receiver's answer, in Protocol Buffers. It takes any bytes. */
#ifndef UE__TOOLS_EXPORT_SEND_ANSWER_OTLP_ANSWER_H
#define UE__TOOLS_EXPORT_SEND_ANSWER_OTLP_ANSWER_H

#include <stddef.h>
#include <stdint.h>

struct otlp_answer {
	uint64_t rejected; /* items, by a partial success */
	const char *text; /* for a person, within the bytes: an error, or a warning; or NULL */
	size_t text_length;
};

/* An Export...ServiceResponse, of any signal. 0, or -1 if it is none. */
int otlp_answer_read(struct otlp_answer *answer, const uint8_t *bytes, size_t length);
/* A google.rpc.Status, which comes with an error. The same. */
int otlp_status_read(struct otlp_answer *answer, const uint8_t *bytes, size_t length);

/*
 * When a receiver that cannot take requests is asked again: at the time that it names, else
 * after a time that doubles with each failure, less a random part, so that a thousand machines
 * do not come back in one instant. Times are CLOCK_MONOTONIC's, in nanoseconds.
 */

#define PACE_MS INT64_C(1000000)
#define PACE_FIRST (500 * PACE_MS)
#define PACE_LAST (30000 * PACE_MS)
/* A receiver cannot name a later time. */
#define PACE_IMPOSED_MAX (3600000 * PACE_MS)

struct retry_pace {
	int64_t patience; /* negative: forever */
	/* Its own */
	int is_failing;
	int is_spent;	   /* the patience */
	int is_imposed;	   /* retry_at is the receiver's */
	int64_t since;	   /* when the first request that failed was begun */
	int64_t failed_at; /* the last failure */
	int64_t retry_at;
	int64_t wait; /* the last time, before its random part was subtracted */
};

/*
 * The receiver answered a request that was begun at this time. Such an answer ends neither the
 * time that the receiver named in another one, nor a failure that came after the request was
 * begun: several are on the way at once. It does if the patience is spent, as batches would be
 * given up untried until the next try.
 */
void pace_succeed(struct retry_pace *pace, int64_t begun, int64_t now);

struct pace_failure {
	int64_t begun; /* the request */
	int64_t now;
	int64_t retry_after; /* the receiver's wish, or 0 */
	int is_lasting;	     /* trying again is no use */
};

/* It did not. Returns 1 if the request may be sent again, at pace->retry_at. */
int pace_fail(struct retry_pace *pace, const struct pace_failure *failure);
/* Time is short: do not wait longer than the receiver asks for. */
void pace_hurry(struct retry_pace *pace, int64_t now);

#endif
