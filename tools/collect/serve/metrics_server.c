/* SPDX-License-Identifier: MIT */
/*
 * Serves metrics to a few clients. A connection reads a request's head, writes the answer, and
 * then reads whatever else comes until the client closes: a connection that is closed with
 * unread bytes would be reset, and the client might lose the answer.
 */
#include "metrics_server.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/cli/clock.h"
#include "common/cli/memory.h"
#include "common/cli/message.h"

/* Reads a request's head, and makes the answer. */

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
	const int is_known =
		question == HTTP_QUESTION_GET || question == HTTP_QUESTION_HEAD;
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

#define LISTENERS 8
#define TURN 64 /* things to do of one turn: the events are waiting */
#define SECOND ((int64_t)1000000000)
#define LIFE_NS (SERVE_SECONDS * SECOND)

struct client {
	int fd; /* -1: none */
	int64_t begun;
	uint8_t head[SERVE_REQUEST_MAX];
	size_t length;
	struct bytes answer; /* none yet if its length is 0 */
	size_t sent;
};

struct listener {
	int fd;
	char *address;
	struct stat file; /* that has its path */
	int64_t closed_until; /* no descriptor is left to accept with; 0: it is open */
};

struct metrics_server {
	void (*text)(void *context, struct bytes *text);
	void *context;
	int epoll;
	struct listener *listeners[LISTENERS]; /* NULL: none */
	struct client clients[SERVE_CLIENTS];
};

/* Clients */

static void hang_up(struct client *client)
{
	close(client->fd);
	client->fd = -1;
	bytes_free(&client->answer);
	client->answer = (struct bytes){ 0 };
}

static struct client *place_for_client(struct metrics_server *server)
{
	struct client *oldest = &server->clients[0];

	for (size_t i = 0; i < SERVE_CLIENTS; i++) {
		struct client *client = &server->clients[i];

		if (client->fd < 0)
			return client;
		if (client->begun < oldest->begun)
			oldest = client;
	}
	hang_up(oldest);
	return oldest;
}

static void welcome(struct metrics_server *server, int fd)
{
	struct client *client = place_for_client(server);
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = client };

	client->fd = fd;
	client->begun = clock_now(CLOCK_MONOTONIC);
	client->length = client->sent = 0;
	if (epoll_ctl(server->epoll, EPOLL_CTL_ADD, fd, &event))
		hang_up(client);
}

/* EMFILE and the like stay so for a while, in which clients wait, and the loop may sleep. */
static void close_for_now(const struct metrics_server *server, struct listener *listener)
{
	struct epoll_event event = { .events = 0, .data.ptr = listener };

	if (!epoll_ctl(server->epoll, EPOLL_CTL_MOD, listener->fd, &event))
		listener->closed_until = clock_now(CLOCK_MONOTONIC) + SECOND;
}

static void open_again(const struct metrics_server *server)
{
	const int64_t now = clock_now(CLOCK_MONOTONIC);

	for (size_t i = 0; i < LISTENERS; i++) {
		struct listener *listener = server->listeners[i];
		struct epoll_event event = { .events = EPOLLIN, .data.ptr = listener };

		if (!listener || !listener->closed_until || now < listener->closed_until)
			continue;
		if (!epoll_ctl(server->epoll, EPOLL_CTL_MOD, listener->fd, &event))
			listener->closed_until = 0;
	}
}

static void accept_one(struct metrics_server *server, struct listener *listener)
{
	int fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd >= 0)
		welcome(server, fd);
	else if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
		close_for_now(server, listener);
}

/* *bytes: of all answers. Returns the oldest client that has one, or NULL. */
static struct client *oldest_answered(struct metrics_server *server, size_t *bytes)
{
	struct client *oldest = NULL;

	*bytes = 0;
	for (size_t i = 0; i < SERVE_CLIENTS; i++) {
		struct client *client = &server->clients[i];

		*bytes += client->answer.length;
		if (client->answer.length && (!oldest || client->begun < oldest->begun))
			oldest = client;
	}
	return oldest;
}

/* Clients that ask and do not read would each hold a page. */
static void make_room(struct metrics_server *server)
{
	struct client *oldest;
	size_t bytes;

	while ((oldest = oldest_answered(server, &bytes)) && bytes > SERVE_ANSWER_BYTES)
		hang_up(oldest);
}

static void answer(struct metrics_server *server, struct client *client,
		   enum http_question question)
{
	AUTO(bytes_free) struct bytes metrics = { 0 };

	make_room(server);
	if (question == HTTP_QUESTION_GET || question == HTTP_QUESTION_HEAD)
		server->text(server->context, &metrics);
	http_question_answer(&client->answer, question, &metrics);
}

/* 0: nothing more can be read now, or the client is gone. */
static int read_some(struct client *client, uint8_t *to, size_t room)
{
	const ssize_t count = recv(client->fd, to, room, 0);

	if (count > 0)
		return (int)count;
	if (!count || (errno != EAGAIN && errno != EINTR))
		hang_up(client);
	return 0;
}

static void read_head(struct metrics_server *server, struct client *client)
{
	enum http_question question;

	client->length += (size_t)read_some(client, client->head + client->length,
					    sizeof(client->head) - client->length);
	if (client->fd < 0)
		return;
	question = http_question_read(client->head, client->length);
	if (question == HTTP_QUESTION_PART && client->length == sizeof(client->head))
		question = HTTP_QUESTION_MALFORMED;
	if (question != HTTP_QUESTION_PART)
		answer(server, client, question);
}

/* Its further bytes do not matter. */
static void read_rest(struct client *client)
{
	read_some(client, client->head, sizeof(client->head));
}

static void write_answer(struct metrics_server *server, struct client *client)
{
	struct epoll_event event = { .events = EPOLLOUT, .data.ptr = client };
	const ssize_t count = send(client->fd, client->answer.at + client->sent,
				   client->answer.length - client->sent, MSG_NOSIGNAL);

	if (count < 0 && errno != EAGAIN && errno != EINTR) {
		hang_up(client);
		return;
	}
	client->sent += count > 0 ? (size_t)count : 0;
	if (client->sent == client->answer.length) {
		shutdown(client->fd, SHUT_WR);
		event.events = EPOLLIN;
	}
	epoll_ctl(server->epoll, EPOLL_CTL_MOD, client->fd, &event);
}

static void go_on(struct metrics_server *server, struct client *client)
{
	const int is_answered = client->answer.length > 0;

	if (is_answered && client->sent == client->answer.length)
		read_rest(client);
	else if (!is_answered)
		read_head(server, client);
	if (client->fd >= 0 && client->sent < client->answer.length)
		write_answer(server, client);
}

/* Listening */

static void close_listener(struct listener *listener)
{
	if (!listener)
		return;
	listen_address_close(listener->address, listener->fd, &listener->file);
	free(listener->address);
	free(listener);
}

static struct listener *open_listener(const struct metrics_server *server,
				      const char *address)
{
	struct listener *listener = xcalloc(1, sizeof(*listener));
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = listener };

	listener->address = xstrdup(address);
	listener->fd = listen_address_open(address, &listener->file);
	if (listener->fd >= 0 &&
	    !epoll_ctl(server->epoll, EPOLL_CTL_ADD, listener->fd, &event))
		return listener;
	if (listener->fd >= 0)
		message("cannot listen on %s: %s", address, strerror(errno));
	if (listener->fd >= 0)
		listen_address_close(address, listener->fd, &listener->file);
	free(listener->address);
	free(listener);
	return NULL;
}

/* Listeners to be, and which of those that there were stay. */
struct change {
	struct listener *wanted[LISTENERS];
	size_t count;
	int stays[LISTENERS];
};

static struct listener *keep(const struct metrics_server *server, struct change *change,
			     const char *address)
{
	for (size_t i = 0; i < LISTENERS; i++)
		if (server->listeners[i] && !change->stays[i] &&
		    !strcmp(server->listeners[i]->address, address)) {
			change->stays[i] = 1;
			return server->listeners[i];
		}
	return NULL;
}

static int add_listener(const struct metrics_server *server, struct change *change,
			const char *address)
{
	struct listener *listener;

	if (change->count == LISTENERS) {
		message("cannot listen on %s: %d addresses are the most", address, LISTENERS);
		return -1;
	}
	listener = keep(server, change, address);
	if (!listener)
		listener = open_listener(server, address);
	if (!listener)
		return -1;
	change->wanted[change->count++] = listener;
	return 0;
}

static int is_of(const struct metrics_server *server, const struct listener *listener)
{
	for (size_t i = 0; i < LISTENERS; i++)
		if (server->listeners[i] == listener)
			return 1;
	return 0;
}

static void take_back(const struct metrics_server *server, const struct change *change)
{
	for (size_t i = 0; i < change->count; i++)
		if (!is_of(server, change->wanted[i]))
			close_listener(change->wanted[i]);
}

int metrics_server_listen(struct metrics_server *server, const struct words *addresses)
{
	struct change change = { .count = 0 };
	int result = 0;

	for (size_t i = 0; i < addresses->count; i++)
		if (listen_address_is(addresses->items[i]))
			result |= add_listener(server, &change, addresses->items[i]);
	if (result) {
		take_back(server, &change);
		return result;
	}
	for (size_t i = 0; i < LISTENERS; i++)
		if (!change.stays[i])
			close_listener(server->listeners[i]);
	memcpy(server->listeners, change.wanted, sizeof(server->listeners));
	return 0;
}

/* The server */

static void hang_up_on_slow_ones(struct metrics_server *server)
{
	const int64_t now = clock_now(CLOCK_MONOTONIC);

	for (size_t i = 0; i < SERVE_CLIENTS; i++)
		if (server->clients[i].fd >= 0 && now - server->clients[i].begun > LIFE_NS)
			hang_up(&server->clients[i]);
}

static int is_client(const struct metrics_server *server, const void *any)
{
	return any >= (const void *)server->clients &&
	       any < (const void *)(server->clients + SERVE_CLIENTS);
}

void metrics_server_serve(struct metrics_server *server)
{
	struct epoll_event event;

	hang_up_on_slow_ones(server);
	open_again(server);
	/* one by one, as each may end the connection of another */
	for (int i = 0; i < TURN && epoll_wait(server->epoll, &event, 1, 0) == 1; i++)
		if (is_client(server, event.data.ptr))
			go_on(server, event.data.ptr);
		else
			accept_one(server, event.data.ptr);
}

int metrics_server_fd(const struct metrics_server *server)
{
	return server->epoll;
}

struct metrics_server *metrics_server_new(void (*text)(void *context, struct bytes *text),
					  void *context)
{
	struct metrics_server *server = xcalloc(1, sizeof(*server));

	*server = (struct metrics_server){ .text = text, .context = context };
	server->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (server->epoll < 0)
		memory_is_short();
	for (size_t i = 0; i < SERVE_CLIENTS; i++)
		server->clients[i].fd = -1;
	return server;
}

void metrics_server_free(struct metrics_server *server)
{
	if (!server)
		return;
	for (size_t i = 0; i < LISTENERS; i++)
		close_listener(server->listeners[i]);
	for (size_t i = 0; i < SERVE_CLIENTS; i++)
		if (server->clients[i].fd >= 0)
			hang_up(&server->clients[i]);
	close(server->epoll);
	free(server);
}
