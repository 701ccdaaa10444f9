/* SPDX-License-Identifier: MIT */
/*
 * Writes the events of these tests as standard input asks for them:
 *
 *	start ID SHARD PATH VERB
 *	done ID STATUS DELTA PATH VERB
 *	pairs COUNT FIRST_ID MICROSECONDS	starts and ends, with a pause between the two
 *	forever					starts and ends with the ids 1, 1000, ... 10^18
 *
 * After "registered" and after each line it prints "ok".
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <userevents/userevents.h>

UE_EVENT(req_start, UE_U64(id), UE_U32(shard), UE_STRING(path), UE_CHARS(verb, 8));
UE_EVENT(req_done, UE_U64(id), UE_U32(status), UE_S64(delta), UE_STRING(path), UE_CHARS(verb, 8));

static int fd;

static void pause_for(long microseconds)
{
	const struct timespec time = { microseconds / 1000000, microseconds % 1000000 * 1000 };

	nanosleep(&time, NULL);
}

static void write_pairs(unsigned long count, uint64_t id, long microseconds)
{
	static const char verb[8] = "GET";

	for (unsigned long i = 0; i < count; i++, id++) {
		UE_WRITE(fd, req_start, id, (uint32_t)(id % 4), "/pair", verb);
		if (microseconds)
			pause_for(microseconds);
		UE_WRITE(fd, req_done, id, 200u, -1, "/pair", verb);
	}
}

/* It pauses to leave an emulated processor to those who count, after any of the seven ids. */
static _Noreturn void write_forever(void)
{
	uint64_t id = 1;

	for (unsigned long written = 1;; written++) {
		write_pairs(1, id, 0);
		id = id < 1000000000000000000 ? id * 1000 : 1;
		if (written % 16 == 0)
			pause_for(100);
	}
}

static int obey(const char *line)
{
	char path[256], verb[8] = "";
	unsigned long id, number;
	long delta;

	if (sscanf(line, "start %lu %lu %255s %7s", &id, &number, path, verb) == 4)
		UE_WRITE(fd, req_start, id, (uint32_t)number, path, verb);
	else if (sscanf(line, "done %lu %lu %ld %255s %7s", &id, &number, &delta, path, verb) == 5)
		UE_WRITE(fd, req_done, id, (uint32_t)number, delta, path, verb);
	else if (sscanf(line, "pairs %lu %lu %ld", &number, &id, &delta) == 3)
		write_pairs(number, id, delta);
	else if (!strcmp(line, "forever\n"))
		write_forever();
	else
		return -1;
	return 0;
}

int main(void)
{
	char line[512];

	fd = ue_open(NULL);
	if (fd < 0 || ue_register_all(fd))
		return 1;
	puts("registered");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		puts(obey(line) ? "wrong" : "ok");
		fflush(stdout);
	}
	return ue_close(fd) != 0;
}
