/* SPDX-License-Identifier: MIT */
/* The little of HTTP/1.x that a scraper needs. */
#ifndef UE__TOOLS_COLLECT_HTTP_QUESTION_H
#define UE__TOOLS_COLLECT_HTTP_QUESTION_H

#include "common/cli/memory.h"

enum http_question {
	HTTP_QUESTION_PART, /* its end is missing */
	HTTP_QUESTION_GET,
	HTTP_QUESTION_HEAD,
	HTTP_QUESTION_WRONG_METHOD,
	HTTP_QUESTION_WRONG_PATH, /* neither / nor /metrics */
	HTTP_QUESTION_MALFORMED,
};

enum http_question http_question_read(const uint8_t *bytes, size_t length);
/* Add the whole answer; metrics: of a GET or HEAD. */
void http_question_answer(struct bytes *answer, enum http_question question,
			  const struct bytes *metrics);

#endif
