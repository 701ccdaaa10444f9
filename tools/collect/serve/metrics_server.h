/* SPDX-License-Identifier: MIT */
/*
 * Answers requests for metrics over HTTP, between the turns of a loop that has better things
 * to do. No call waits. A connection ends after its answer, or after SERVE_SECONDS; beyond
 * SERVE_CLIENTS of them the oldest one ends, so that clients that are slow on purpose keep
 * out none that is not. So does the oldest one with an answer if answers that are not read
 * take more than SERVE_ANSWER_BYTES.
 */
#ifndef UE__TOOLS_COLLECT_METRICS_SERVER_H
#define UE__TOOLS_COLLECT_METRICS_SERVER_H

#include <sys/stat.h>

#include "common/cli/memory.h"
#include "common/cli/options.h"

#define SERVE_CLIENTS 16
#define SERVE_SECONDS 5
#define SERVE_ANSWER_BYTES (4u << 20)
#define SERVE_REQUEST_MAX 8192 /* bytes of a request's head */

struct metrics_server;

/* text: adds the metrics of this moment. */
struct metrics_server *metrics_server_new(void (*text)(void *context, struct bytes *text),
					  void *context);
/*
 * Listen on these addresses in the place of others; words that are paths of files are passed
 * over. An address that it listens on already stays open. 0, or -1 after a message: then
 * it listens as before.
 */
int metrics_server_listen(struct metrics_server *server, const struct words *addresses);
/* Readable when there is something to do: a descriptor of epoll(7). */
int metrics_server_fd(const struct metrics_server *server);
/* Do what can be done now. Call it now and then without a cause, too, for clients' times. */
void metrics_server_serve(struct metrics_server *server);
void metrics_server_free(struct metrics_server *server);

/* The little of HTTP/1.x that a scraper needs. */

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

/* Addresses on which requests are awaited: "unix:/PATH", or "HOST:PORT". */

/* Whether the text means an address; others are paths of files, as those with a slash. */
int listen_address_is(const char *text);
/* It was meant to, and does not: digits alone, a text that begins with ":", or a URL. */
int listen_address_is_wrong(const char *text);

/*
 * Listen there: a socket that does not block, or -1 after a message. HOST is a number,
 * "localhost" or empty, which is the same: names are not looked up, as that may take
 * long. A socket's file that nothing listens on is replaced. file: that has the socket's
 * path.
 */
int listen_address_open(const char *text, struct stat *file);
/* Close it, and remove its file, unless the path is another file's by now. */
void listen_address_close(const char *text, int fd, const struct stat *file);

#endif
