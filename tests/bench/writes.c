/* SPDX-License-Identifier: MIT */
/*
 * Counts the cost of a write in the kernel, while ftrace records and while perf does.
 *
 * The rows of one shape differ only in how its record is sent: by write(), by pwrite(),
 * by writev() of its fields, or by UE_WRITE(). Between two kernels, the difference of a
 * row is what the kernel does otherwise.
 *
 * The count of a large copy depends on the emulation: an emulated processor counts each
 * step of a string instruction, a real one moves many bytes per step. The rows
 * copy_1024_* have such a copy in user space for comparison.
 */
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "deep.h"
#include "measure.h"
#include "record.h"

#define RING_PAGES 128

static const int measured[] = { SHAPE_U32X1, SHAPE_STR11_U32, SHAPE_BLOB1K };
static unsigned char copied[1024];

static void measure_ways(const char *recorder, const struct shape *shape)
{
	static const struct {
		const char *name;
		void (*call)(void);
	} ways[] = {
		{ "write", write_record },
		{ "pwrite", pwrite_record },
		{ "writev", write_pieces },
	};
	char name[64];

	for (int i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "%s_%s_%s", recorder, ways[i].name,
			 shape->name);
		measure(name, ways[i].call);
	}
	snprintf(name, sizeof(name), "%s_ue_write_%s", recorder, shape->name);
	measure(name, shape->write);
}

static void measure_ftrace(const struct shape *shape)
{
	enable(shape, 1);
	require(1, write_record);
	require(1, pwrite_record);
	require(1, write_pieces);
	require(1, shape->write);
	measure_ways("ftrace", shape);
	enable(shape, 0);
}

/* As perf record opens it, with -g if it has stacks. The count has one processor. */
static int open_perf(const struct shape *shape, bool has_stacks)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = event_id(shape),
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW |
			       (has_stacks ? PERF_SAMPLE_CALLCHAIN : 0),
		.exclude_callchain_kernel = has_stacks,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1,
			      PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		fail("perf_event_open() failed.");
	return fd;
}

static void (*deep_write)(void);

static void write_deep(void)
{
	call_deep(deep_write);
}

static void require_sample(const struct perf_event_mmap_page *ring, void (*call)(void))
{
	const unsigned long long before = ring->data_head;

	call();
	if (ring->data_head <= before)
		fail("An event did not arrive in perf's ring.");
}

/* A ring that is mapped for reading only is never full: new samples replace old ones. */
static void measure_perf(const struct shape *shape, bool has_stacks)
{
	const size_t size = (1 + RING_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
	const int fd = open_perf(shape, has_stacks);
	void *ring = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

	if (ring == MAP_FAILED)
		fail("perf's ring cannot be mapped.");
	require_sample(ring, write_record);
	require_sample(ring, pwrite_record);
	require_sample(ring, write_pieces);
	require_sample(ring, shape->write);
	if (has_stacks) {
		deep_write = shape->write;
		measure_shape("perf_stack_%s_deep", shape->name, write_deep);
	} else {
		measure_ways("perf", shape);
		deep_write = shape->write;
		measure_shape("perf_%s_deep", shape->name, write_deep);
	}
	munmap(ring, size);
	close(fd);
}

static void copy_bytes(void)
{
	void *to = copied;
	const void *from = blob;
	size_t count = sizeof(copied);

	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(count) : : "memory");
}

static void copy_words(void)
{
	void *to = copied;
	const void *from = blob;
	size_t count = sizeof(copied) / 8;

	__asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(count) : : "memory");
}

/* The kernel copies by rep movsb if it believes that the processor is fast at it. */
static void print_processor(void)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	bool erms = false, fsrm = false;
	char word[64];

	while (file && fscanf(file, "%63s", word) == 1) {
		erms |= !strcmp(word, "erms");
		fsrm |= !strcmp(word, "fsrm");
	}
	if (file)
		fclose(file);
	fprintf(stderr, "bench: flags of the processor: %s, %s\n",
		erms ? "erms" : "no erms", fsrm ? "fsrm" : "no fsrm");
}

int main(void)
{
	print_processor();
	prepare_shapes();
	measure("copy_1024_movsb", copy_bytes);
	measure("copy_1024_movsq", copy_words);
	for (size_t i = 0; i < sizeof(measured) / sizeof(measured[0]); i++) {
		const struct shape *shape = &shapes[measured[i]];

		catch_record(shape);
		cut(shape->pieces, MAX_FIELDS);
		measure_ftrace(shape);
		measure_perf(shape, false);
		measure_perf(shape, true);
	}
	return 0;
}
