/* SPDX-License-Identifier: MIT */
/* Reads a request's head, and makes the answer. */
#include "metrics_server.h"

#include <stdio.h>
#include <string.h>

/* The place after the empty line; 0: there is none yet. Bare newlines are accepted. */
static size_t head_end(const uint8_t *bytes, size_t length)
{
	for (size_t i = 0; i + 1 < length; i++) {
		if (bytes[i] != '\n')
			continue;
		if (bytes[i + 1] == '\n')
			return i + 2;
		if (bytes[i + 1] == '\r' && i + 2 < length && bytes[i + 2] == '\n')
			return i + 3;
	}
	return 0;
}

static int begins(const char *text, size_t length, const char *with)
{
	return length >= strlen(with) && !memcmp(text, with, strlen(with));
}

/* A query does not matter. */
static int is_path(const char *path, size_t length)
{
	const char *query = memchr(path, '?', length);

	if (query)
		length = (size_t)(query - path);
	return (length == 1 && *path == '/') ||
	       (length == 8 && begins(path, length, "/metrics"));
}

/* line: "GET /metrics HTTP/1.1", of this length */
static enum http_question read_line(const char *line, size_t length)
{
	const char *path = memchr(line, ' ', length), *version;
	size_t method = path ? (size_t)(path - line) : 0;

	if (!method)
		return HTTP_QUESTION_MALFORMED;
	path++;
	version = memchr(path, ' ', length - method - 1);
	if (!version || !begins(version, (size_t)(line + length - version), " HTTP/1."))
		return HTTP_QUESTION_MALFORMED;
	if (!is_path(path, (size_t)(version - path)))
		return HTTP_QUESTION_WRONG_PATH;
	if (method == 3 && begins(line, length, "GET"))
		return HTTP_QUESTION_GET;
	return method == 4 && begins(line, length, "HEAD") ? HTTP_QUESTION_HEAD :
							     HTTP_QUESTION_WRONG_METHOD;
}

enum http_question http_question_read(const uint8_t *bytes, size_t length)
{
	const uint8_t *end = memchr(bytes, '\n', length);

	if (!head_end(bytes, length))
		return HTTP_QUESTION_PART;
	return read_line((const char *)bytes, (size_t)(end - bytes));
}

static const char *status_of(enum http_question question)
{
	switch (question) {
	case HTTP_QUESTION_GET:
	case HTTP_QUESTION_HEAD:
		return "200 OK";
	case HTTP_QUESTION_WRONG_METHOD:
		return "405 Method Not Allowed";
	case HTTP_QUESTION_WRONG_PATH:
		return "404 Not Found";
	default:
		return "400 Bad Request";
	}
}

void http_question_answer(struct bytes *answer, enum http_question question,
			  const struct bytes *metrics)
{
	const int is_known = question == HTTP_QUESTION_GET || question == HTTP_QUESTION_HEAD;
	const char *status = status_of(question);
	const size_t length = is_known ? metrics->length : strlen(status) + 1;
	char head[256];
	int used = snprintf(head, sizeof(head),
			    "HTTP/1.1 %s\r\nContent-Type: text/plain; version=0.0.4; "
			    "charset=utf-8\r\nContent-Length: %zu\r\n%sConnection: close\r\n\r\n",
			    status, length, question == HTTP_QUESTION_WRONG_METHOD ?
						    "Allow: GET, HEAD\r\n" : "");

	bytes_add(answer, head, (size_t)used);
	if (question == HTTP_QUESTION_GET)
		bytes_add(answer, metrics->at, metrics->length);
	if (!is_known) {
		bytes_add(answer, status, length - 1);
		bytes_add(answer, "\n", 1);
	}
}
