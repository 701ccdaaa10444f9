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

#endif
