/* SPDX-License-Identifier: MIT */
/*
 * Rings for tests that load them: without cmocka, so that they also run on another
 * architecture. A record names its writer and its number, and has a checksum.
 */
#ifndef LOAD_H
#define LOAD_H

#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ring/ring_memory.h"
#include "ring/read/ring_reader.h"
#include "ring/write/ring_writer.h"

/* TAP */

static int load_tests, load_failed;

static inline void load_result(const char *name, int is_passed)
{
	printf("%sok %d - %s\n", is_passed ? "" : "not ", ++load_tests, name);
	fflush(stdout);
	load_failed |= !is_passed;
}

static inline int load_end(void)
{
	printf("1..%d\n", load_tests);
	return load_failed;
}

/* Ends the test, so that nothing waits for ever. */
#define must(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "# %s:%d: %s is not so\n", __FILE__, __LINE__, \
				#condition); \
			_exit(1); \
		} \
	} while (0)

/* Records */

#define LOAD_LEAST 4u  /* bytes with the write index: a record without a number */
#define LOAD_MOST 8188u
#define LOAD_HEADER 24u

struct load_header {
	uint32_t index, sum;
	uint32_t who, size; /* of everything */
	uint64_t number;
};

static inline uint32_t load_sum(const char *bytes, uint32_t size)
{
	uint32_t sum = 2166136261u;

	for (uint32_t i = 8; i < size; i++)
		sum = (sum ^ (unsigned char)bytes[i]) * 16777619u;
	return sum;
}

static inline uint32_t load_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

/* Mostly small, now and then large, and each of the lengths to the most. */
static inline uint32_t load_size(uint32_t *state)
{
	const uint32_t kind = load_random(state) % 64;
	const uint32_t range = kind == 0 ? LOAD_MOST - LOAD_HEADER + 1 : 200;

	return LOAD_HEADER + load_random(state) % range;
}

/* Many zeros, as they look like holes, and many words that look like heads. */
static inline void load_fill(char *bytes, uint32_t who, uint64_t number, uint32_t size)
{
	static const uint32_t words[4] = { 0, 24 | UE__RING_DONE, 0, 8 | UE__RING_BUSY };
	struct load_header header = { 5, 0, who, size, number };

	for (uint32_t i = LOAD_HEADER; i < size; i++)
		bytes[i] = (char)(words[(i / 4 + number) % 4] >> i % 4 * 8);
	memcpy(bytes, &header, sizeof(header));
	header.sum = load_sum(bytes, size);
	memcpy(bytes, &header, sizeof(header));
}

/* 1 if the event is a record of load_fill(). */
static inline int load_check(const struct ue__ring_event *event, struct load_header *header)
{
	char bytes[LOAD_MOST];

	if (event->length + 4 < LOAD_HEADER || event->length + 4 > LOAD_MOST)
		return 0;
	memcpy(bytes, &event->index, 4);
	memcpy(bytes + 4, event->payload, event->length);
	memcpy(header, bytes, sizeof(*header));
	return header->index == 5 && header->size == event->length + 4 &&
	       header->sum == load_sum(bytes, header->size);
}

static inline int load_put(struct ue__ring_writer *writer, uint32_t who, uint64_t number,
			   uint32_t size)
{
	char bytes[LOAD_MOST];

	load_fill(bytes, who, number, size);
	return ue__ring_put(writer, bytes, size);
}

/* Rings */

static inline int load_make(uint32_t mode, uint64_t size)
{
	const struct ue__ring_plan plan = { .size = size, .mode = mode };
	const int fd = memfd_create("ring", MFD_CLOEXEC);

	must(fd >= 0);
	must(!ue__ring_format(fd, &plan, 1));
	return fd;
}

/* Memory that forks share. */
static inline void *load_shared(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			    -1, 0);

	must(memory != MAP_FAILED);
	return memory;
}

#endif
