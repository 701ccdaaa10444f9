/* SPDX-License-Identifier: MIT */
/*
 * Every way of writing an event gives the bytes in written.golden, in the order and size of
 * this machine. A packet socket
 * replaces user_events_data.
 *
 *	write_test FILE
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "state/binding.h"
#include "connect/init_tracepoint.h"

#include "../support/golden.h"
#include "write.h"

/* The write index of every event. */
#define INDEX 7

static const struct write_case *const groups[] = {
	header_cases, number_cases, nullable_cases, string_cases,
	array_cases,  around_cases, struct_cases,   size_cases,
};

static int ends[2];
static uint8_t got[GOLDEN_EVENT_MAX];
static int tests, failures;

static void result(const char *what, const char *way, int is_ok)
{
	printf("%sok %d - %s %s\n", is_ok ? "" : "not ", ++tests, what, way);
	failures += !is_ok;
}

static void print_bytes(const char *what, const uint8_t *bytes, size_t length,
			size_t from)
{
	printf("#   %s", what);
	for (size_t i = from; i < length && i < from + 16; i++)
		printf(" %02x", bytes[i]);
	printf("%s\n", length <= from + 16 ? " (the end)" : " ...");
}

static int is_same(const struct golden *golden, const uint8_t *bytes, size_t length)
{
	size_t at = 0;

	if (length == golden->length && !memcmp(bytes, golden->bytes, length))
		return 1;
	while (at < length && at < golden->length && bytes[at] == golden->bytes[at])
		at++;
	printf("# %s:%d: %zu bytes expected, %zu written; from byte %zu on they differ\n",
	       golden->file, golden->line, golden->length, length, at);
	at = at < 4 ? 0 : at - 4;
	print_bytes("expected", golden->bytes, golden->length, at);
	print_bytes("written ", bytes, length, at);
	return 0;
}

/* One record has arrived, and nothing else. */
static int has_arrived(const struct golden *golden, int error)
{
	const uint32_t index = INDEX;
	ssize_t length = recv(ends[1], got, sizeof(got), MSG_DONTWAIT);
	uint8_t more;

	if (error || length < (ssize_t)sizeof(index)) {
		printf("# %s:%d: error %d, %zd bytes written\n", golden->file,
		       golden->line, error, length);
		return 0;
	}
	if (memcmp(got, &index, sizeof(index)) ||
	    recv(ends[1], &more, 1, MSG_DONTWAIT) >= 0) {
		printf("# %s:%d: a wrong index, or several records\n", golden->file,
		       golden->line);
		return 0;
	}
	return is_same(golden, got + sizeof(index), (size_t)length - sizeof(index));
}

/* The tracepoint has the name in written.golden, also in its definition. */
static int is_tracepoint(const struct golden *golden, const struct ue_event *event)
{
	const size_t length = strlen(golden->name);

	return !strncmp(event->definition, golden->name, length) &&
	       !strcmp(event->definition + length, " " UE_EVENTHEADER_FIELDS);
}

static void check_builder(const struct golden *golden, const struct write_case *c,
			  struct ue_builder *builder)
{
	const void *bytes = NULL;
	long length;

	c->build(builder);
	length = ue_builder_bytes(builder, golden->bytes[7], c->activity, c->related,
				  &bytes);
	if (length < 0)
		printf("# %s:%d: error %ld\n", golden->file, golden->line, length);
	result(c->name, "built", length >= 0 && is_same(golden, bytes, (size_t)length));
	result(c->name, "built and written",
	       has_arrived(golden, ue_builder_write(builder, ends[0], c->tracepoint,
						    c->activity, c->related)));
}

static void check_case(const struct golden *golden, const struct write_case *c)
{
	static struct ue_builder *builder;
	struct ue_builder *new = ue_builder_new();

	if (!builder)
		builder = ue_builder_new();
	result(c->name, "tracepoint", is_tracepoint(golden, &c->tracepoint->event));
	result(c->name, "by event", has_arrived(golden, c->by_event(ends[0])));
	if (c->by_site)
		result(c->name, "in place", has_arrived(golden, c->by_site(ends[0])));
	/* With a builder that has seen all the others, and with a new one. */
	check_builder(golden, c, builder);
	check_builder(golden, c, new);
	ue_builder_free(new);
}

struct cursor {
	size_t group;
	const struct write_case *next;
};

static void check_next(const struct golden *golden, void *context)
{
	struct cursor *cursor = context;

	while (cursor->group < COUNT(groups) && !cursor->next->name)
		cursor->next = ++cursor->group < COUNT(groups) ? groups[cursor->group] :
								 NULL;
	if (cursor->group < COUNT(groups))
		check_case(golden, cursor->next++);
	else
		result(golden->name, "has no case", 0);
}

static int has_more(const struct cursor *cursor)
{
	size_t group = cursor->group;

	if (group < COUNT(groups) && cursor->next->name)
		return 1;
	while (++group < COUNT(groups))
		if (groups[group]->name)
			return 1;
	return 0;
}

static void connect_events(void)
{
	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends)) {
		perror("socketpair");
		exit(2);
	}
	for (struct ue_event **at = __start_ue_events; at != __stop_ue_events; at++) {
		if (ue__tracepoint_define(*at))
			printf("# a tracepoint is malformed\n");
		(*at)->ue__binding = ue__binding(ends[0], INDEX);
		(*at)->ue__payload_max = UE_PAYLOAD_MAX_PERF;
		(*at)->ue__direct_max = UE_PAYLOAD_MAX_PERF;
		(*at)->ue__write_call = SYS_write;
		*(*at)->word = UE__WORD_LISTENED;
	}
}

int main(int argc, char **argv)
{
	struct cursor cursor = { 0, groups[0] };

	if (argc != 2)
		return 2;
	connect_events();
	golden_read(argv[1], GOLDEN_THIS, check_next, &cursor);
	result(argv[1], "has an event for each case", !has_more(&cursor));
	printf("1..%d\n", tests);
	return failures != 0;
}
