/* SPDX-License-Identifier: MIT */
/* The outcome of a request, by the rules of OTLP over HTTP. */
#ifndef UE__TOOLS_EXPORT_HTTP_REPLY_H
#define UE__TOOLS_EXPORT_HTTP_REPLY_H

#include "http_request.h"

enum http_verdict {
	HTTP_DELIVERED,
	HTTP_REFUSED, /* sending it again would be no use, or double it */
	HTTP_RETRY,
};

/* Kinds of trouble: a status of HTTP, or one of these. */
#define TROUBLE_PARTIAL 1000u /* success, but not for all items, or with a warning */
#define TROUBLE_UNCLEAR 1001u /* success, but not in OTLP */
#define TROUBLE_QUEUE 1002u   /* it is full */
#define TROUBLE_THREAD 1003u  /* none can be started */
#define TROUBLE_SOCKET 1004u  /* none can be opened */
#define TROUBLE_CURL 1100u    /* and more: an error of libcurl */

struct http_reply {
	enum http_verdict verdict;
	int is_lasting; /* HTTP_RETRY: a certificate does not get better by trying again */
	int is_unclear; /* HTTP_DELIVERED: the answer is not OTLP's */
	uint64_t rejected; /* HTTP_DELIVERED: items, at most those of the request */
	int64_t retry_after; /* HTTP_RETRY: in nanoseconds; 0: not named */
	unsigned int trouble; /* 0: none */
	char reason[512];     /* of the trouble */
	const char *fix;      /* for the same: "; ...", or "" */
};

/* result: of libcurl, when the request is done. */
void http_reply_read(struct http_reply *reply, struct http_request *request,
		     CURLcode result);

/* Sentences about a receiver, none of which is repeated within SENDER_SILENCE seconds. */

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
enum send_step { SEND_AGAIN,
		 SEND_GAVE_UP,
		 SEND_LOST,
		 SEND_WENT_ON };

/* items: that are concerned. */
void troubles_report(struct send_troubles *troubles, const struct receiver *receiver,
		     const struct http_reply *reply, enum send_step step, uint64_t items);
/* It was reported, and concerns all paths of the host: no request reached it. */
int troubles_tell(const struct send_troubles *troubles, const struct http_reply *reply,
		  enum send_step step);
/* The receiver takes requests. */
void troubles_end(struct send_troubles *troubles, const struct receiver *receiver);
/* The queue is full. */
void troubles_report_queue(struct send_troubles *troubles,
			   const struct receiver *receiver, uint64_t items,
			   uint64_t room);
/* The sender's thread cannot be started; error: of errno(3). */
void troubles_report_thread(struct send_troubles *troubles, int error);

#endif
