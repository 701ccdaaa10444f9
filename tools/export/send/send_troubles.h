/* SPDX-License-Identifier: MIT */
/* Sentences about a receiver, none of which is repeated within SENDER_SILENCE seconds. */
#ifndef UE__TOOLS_EXPORT_SEND_TROUBLES_H
#define UE__TOOLS_EXPORT_SEND_TROUBLES_H

#include "http_reply.h"

#define TROUBLES_MAX 16

/* Zero it before the first use. */
struct send_troubles {
	struct {
		unsigned int kind;
		int64_t at; /* CLOCK_MONOTONIC */
	} reported[TROUBLES_MAX]; /* the latest, by kind */
	unsigned int count;
	int64_t failing_since; /* of a failure that was reported; 0: none */
};

/* The sender's answer to a request that was not delivered at once. */
enum send_step { SEND_AGAIN, SEND_GAVE_UP, SEND_LOST, SEND_WENT_ON };

/* items: that are concerned. */
void troubles_report(struct send_troubles *troubles, const struct receiver *receiver,
		     const struct http_reply *reply, enum send_step step, uint64_t items);
/* It was reported, and concerns all paths of the host: no request reached it. */
int troubles_tell(const struct send_troubles *troubles, const struct http_reply *reply,
		  enum send_step step);
/* The receiver takes requests. */
void troubles_end(struct send_troubles *troubles, const struct receiver *receiver);
/* The queue is full. */
void troubles_report_queue(struct send_troubles *troubles, const struct receiver *receiver,
			   uint64_t items, uint64_t room);
/* The sender's thread cannot be started; error: of errno(3). */
void troubles_report_thread(struct send_troubles *troubles, int error);

#endif
