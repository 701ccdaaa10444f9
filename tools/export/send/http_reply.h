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

#endif
