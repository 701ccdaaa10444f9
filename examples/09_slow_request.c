/* SPDX-License-Identifier: MIT */
/*
 * cc 09_slow_request.c $(pkg-config --cflags --libs libuserevents) -pthread -o server
 *
 * The server of doc/guide.md: four workers handle requests of a few clients, and now and then
 * one is slow, or fails. The work is sleeping, so the events alone explain what happens.
 *
 * Argument: how many requests each worker handles, 100 if there is none.
 */
#define _GNU_SOURCE /* pthread_setname_np() */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <userevents/userevents.h>

#define WORKERS 4

UE_PROVIDER(server, "Server");
UE_TRACEPOINT(requests, server, UE_LEVEL_INFORMATION, 0x1);
UE_TRACEPOINT(queries, server, UE_LEVEL_VERBOSE, 0x2);
UE_TRACEPOINT(errors, server, UE_LEVEL_ERROR, 0x1);

UE_EVENTHEADER_WITH(requests, request_start, "RequestStart",
		    UE_OPCODE(UE_OPCODE_ACTIVITY_START), UE_U64(id), UE_STRING(client),
		    UE_STRING(path));
UE_EVENTHEADER_WITH(requests, request_stop, "RequestStop",
		    UE_OPCODE(UE_OPCODE_ACTIVITY_STOP), UE_U16(status), UE_U32(bytes));
UE_EVENTHEADER_WITH(queries, query_start, "QueryStart",
		    UE_OPCODE(UE_OPCODE_ACTIVITY_START), UE_STRING(table));
UE_EVENTHEADER_WITH(queries, query_stop, "QueryStop",
		    UE_OPCODE(UE_OPCODE_ACTIVITY_STOP), UE_U32(rows));
UE_EVENTHEADER_WITH(errors, query_failed, "QueryFailed", 0, UE_STRING(client),
		    UE_ERRNO(error));

static int session;
static long request_count = 100;

static const char *const clients[] = { "anna", "ben", "chris", "dora" };
static const char *const paths[] = { "/", "/search", "/basket", "/login" };

struct request {
	uint64_t id;
	const char *client;
	const char *path;
	uint16_t status;
	unsigned int seed; /* of its randomness */
};

static void work(struct request *request, long microseconds)
{
	long nanoseconds = microseconds * 1000 / 2 +
			   rand_r(&request->seed) % (microseconds * 1000);
	struct timespec time = { nanoseconds / 1000000000, nanoseconds % 1000000000 };

	nanosleep(&time, NULL);
}

/* The table of orders has no index, so a search in it is slow. */
static void ask_database(struct request *request, const struct ue_activity *parent,
			 const char *table)
{
	const int is_slow = table[0] == 'o' && rand_r(&request->seed) % 8 == 0;
	struct ue_activity query;

	ue_activity_create(&query);
	UE_WRITE_ACTIVITY(session, &query, parent, query_start, table);
	work(request, is_slow ? 8000 : 200);
	if (request->client[0] == 'd' && rand_r(&request->seed) % 4 == 0) {
		UE_WRITE_ACTIVITY(session, parent, NULL, query_failed, request->client, 110);
		request->status = 500;
	}
	UE_WRITE_ACTIVITY(session, &query, NULL, query_stop,
			  is_slow ? 200000 : rand_r(&request->seed) % 100);
}

static void handle(struct request *request)
{
	struct ue_activity activity;
	uint32_t bytes;

	ue_activity_create(&activity);
	UE_WRITE_ACTIVITY(session, &activity, NULL, request_start, request->id,
			  request->client, request->path);
	work(request, 100);
	ask_database(request, &activity, "customers");
	if (request->path[1] == 's')
		ask_database(request, &activity, "orders");
	bytes = 500 + (uint32_t)rand_r(&request->seed) % 8000;
	UE_WRITE_ACTIVITY(session, &activity, NULL, request_stop, request->status, bytes);
}

static void *serve(void *number)
{
	const uint64_t worker = (uint64_t)(uintptr_t)number;
	char name[16];

	snprintf(name, sizeof(name), "worker-%d", (int)worker);
	pthread_setname_np(pthread_self(), name);
	for (uint64_t i = 0; i < (uint64_t)request_count; i++) {
		struct request request = { .id = i * WORKERS + worker, .status = 200 };

		request.seed = (unsigned int)request.id + 1;
		request.client = clients[rand_r(&request.seed) % 4];
		request.path = paths[rand_r(&request.seed) % 4];
		handle(&request);
		work(&request, 200);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t workers[WORKERS];

	if (argc > 1)
		request_count = atol(argv[1]);
	session = ue_open(NULL);
	ue_register_all(session);
	for (uintptr_t i = 0; i < WORKERS; i++)
		if (pthread_create(&workers[i], NULL, serve, (void *)i))
			return 1;
	for (int i = 0; i < WORKERS; i++)
		pthread_join(workers[i], NULL);
	ue_close(session);
	return 0;
}
