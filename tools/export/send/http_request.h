/* SPDX-License-Identifier: MIT */
/* One request on its way, by libcurl. */
#ifndef UE__TOOLS_EXPORT_HTTP_REQUEST_H
#define UE__TOOLS_EXPORT_HTTP_REQUEST_H

#include "curl_library.h"
#include "receiver.h"
#include "send_queue.h"

/* An answer of OTLP is a sentence or nothing; what is longer is none. */
#define ANSWER_BYTES_MAX (64u << 10)

struct http_request {
	struct http_request *next;
	struct queued_batch *batch;
	const struct receiver *receiver;
	CURL *easy;
	struct curl_slist *headers;
	struct bytes packed; /* the body, if it is compressed */
	struct bytes answer;
	size_t head_length; /* of the answer's header lines */
	int is_too_long;    /* the answer */
	int socket_error;   /* 0: there is one, or none was needed */
	int64_t begun;	    /* CLOCK_MONOTONIC */
	char problem[CURL_ERROR_SIZE];
};

/* Hand it to libcurl. The receiver must outlive it. */
struct http_request *http_request_begin(CURLM *multi, const struct receiver *receiver,
					struct queued_batch *batch);
/* Also before it is done; the batch remains. */
void http_request_free(CURLM *multi, struct http_request *request);

#endif
