/* SPDX-License-Identifier: MIT */
/*
 * Counts what it costs to record an event of one integer, writing_*, and to take it out
 * of the kernel, reading_*:
 *
 *	perf_mmap	perf's ring, mapped, as userevents record reads it
 *	ftrace_read	trace_pipe_raw by read(), a page at a time
 *	ftrace_splice	trace_pipe_raw by splice() to /dev/null, as trace-cmd
 *	ftrace_mmap	trace_pipe_raw, mapped: TRACE_MMAP_IOCTL_GET_READER (Linux 6.10)
 *
 * All but splice() copy the bytes once into a buffer of this program. Events are written
 * by pwrite() first, on one processor, and each way has to find all of them.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "measure.h"
#include "record.h"

#define INSTANCE TRACING "instances/ue_reading/"
#define EVENTS 20000
#define REPEATS 5
#define PAGE 4096
#define PERF_PAGES 1024
/* A larger copy may be one string instruction, which is counted byte by byte. */
#define COPY 1024
/* Missed events are flags above. */
#define COMMIT_MASK 0xfffffu

/* linux/trace_mmap.h, which this machine may lack. */
#define GET_READER _IO('R', 0x20)

struct reader_page {
	uint32_t meta_page_size, meta_struct_size, page_size, page_count;
	struct {
		uint64_t lost;
		uint32_t id, read;
	} reader;
	uint64_t flags, entries, overrun, read;
};

static unsigned char taken[PAGE];
static uint64_t taken_bytes; /* since the last drain began */

/* The compiler must not leave out the copy. */
static void keep(const void *bytes)
{
	__asm__ volatile("" ::"r"(bytes)
			 : "memory");
}

static void take(const unsigned char *data, size_t size)
{
	taken_bytes += size;
	while (size) {
		const size_t part = size < COPY ? size : COPY;

		memcpy(taken, data, part);
		keep(taken);
		data += part;
		size -= part;
	}
}

/* ftrace */

static int raw = -1, ends[2], nowhere;
static const struct reader_page *reader;
static const unsigned char *pages;

static void open_raw(void)
{
	raw = open(INSTANCE "per_cpu/cpu0/trace_pipe_raw",
		   O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (raw < 0)
		fail("trace_pipe_raw cannot be opened.");
}

static void by_read(void)
{
	static unsigned char page[PAGE];
	ssize_t size;

	while ((size = read(raw, page, sizeof(page))) > 0)
		taken_bytes += (size_t)size;
}

/* It leaves the page that is being written. */
static void by_splice(void)
{
	ssize_t size;

	while ((size = splice(raw, NULL, ends[1], NULL, 16 * PAGE, SPLICE_F_NONBLOCK)) >
	       0) {
		taken_bytes += (size_t)size;
		if (splice(ends[0], NULL, nowhere, NULL, (size_t)size, 0) != size)
			fail("A pipe cannot be emptied.");
	}
}

static void by_mmap(void)
{
	uint64_t before;

	do {
		const unsigned char *page;
		uint64_t commit;

		before = reader->read;
		if (ioctl(raw, GET_READER))
			fail("The kernel does not move the mapped reader on.");
		if (reader->read == before)
			break;
		page = pages + (size_t)reader->reader.id * reader->page_size;
		memcpy(&commit, page + 8, sizeof(commit));
		take(page, 16 + (commit & COMMIT_MASK));
	} while (reader->entries - reader->overrun != reader->read);
}

static int map_raw(void)
{
	reader = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, raw, 0);
	if (reader == MAP_FAILED)
		return -1;
	pages = mmap(NULL, (size_t)reader->page_count * reader->page_size, PROT_READ,
		     MAP_SHARED, raw, reader->meta_page_size);
	return pages == MAP_FAILED ? -1 : 0;
}

/* The line NAME: NUMBER of the buffer's file. */
static unsigned long count_of(const char *name)
{
	FILE *file = fopen(INSTANCE "per_cpu/cpu0/stats", "re");
	unsigned long number = 0;
	char line[128];

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, name, strlen(name)))
			number = strtoul(line + strlen(name), NULL, 10);
	if (file)
		fclose(file);
	return number;
}

static unsigned long count_ftrace(void)
{
	return count_of("read events: ");
}

/* perf */

static struct perf_event_mmap_page *ring;
static const unsigned char *ring_data;
static unsigned long samples, sample_size;

static void by_perf(void)
{
	const uint64_t size = (uint64_t)PERF_PAGES * PAGE;
	const uint64_t head = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->data_tail;

	while (tail != head) {
		const uint64_t at = tail % size;
		const uint64_t part = head - tail < size - at ? head - tail : size - at;

		take(ring_data + at, part);
		tail += part;
	}
	__atomic_store_n(&ring->data_tail, tail, __ATOMIC_RELEASE);
}

/* All records have one size. */
static unsigned long count_perf(void)
{
	return samples += taken_bytes / sample_size;
}

/* As tools/record/target/perf_rings.c opens it. */
static void open_perf(const struct shape *shape)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = event_id(shape),
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW |
			       PERF_SAMPLE_CGROUP,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = PERF_PAGES * PAGE / 4,
	};
	int fd =
		(int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	/* a kernel without control groups */
	if (fd < 0) {
		attr.sample_type &= ~(uint64_t)PERF_SAMPLE_CGROUP;
		fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1,
				  PERF_FLAG_FD_CLOEXEC);
	}
	if (fd < 0)
		fail("perf_event_open() failed.");
	ring = mmap(NULL, (1 + PERF_PAGES) * (size_t)PAGE, PROT_READ | PROT_WRITE,
		    MAP_SHARED, fd, 0);
	if (ring == MAP_FAILED)
		fail("perf's ring cannot be mapped.");
	ring_data = (const unsigned char *)ring + PAGE;
	pwrite_record();
	sample_size = ((const struct perf_event_header *)(const void *)ring_data)->size;
	by_perf();
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

struct way {
	const char *name;
	void (*drain)(void);
	unsigned long (*count)(void);
	unsigned long
		least; /* how many events it has to find; the rest goes with the trace */
};

/* How many events were taken; the times are those of all. */
static unsigned long run_once(const struct way *way, uint64_t *writing, uint64_t *reading)
{
	unsigned long before, found;

	taken_bytes = 0;
	before = way->count();
	*writing = now();
	for (int i = 0; i < EVENTS; i++)
		pwrite_record();
	*reading = now();
	way->drain();
	*writing = *reading - *writing;
	*reading = now() - *reading;
	found = way->count() - before;
	if (found < way->least || found > EVENTS)
		fail("A way of reading did not find the events.");
	write_file(INSTANCE "trace", "");
	return found;
}

static double least(double one, double other)
{
	return one < other ? one : other;
}

/* The least of several runs: the others had more timer ticks. */
static void measure_way(const struct way *way)
{
	double written = 1e9, read = 1e9, bytes = 0;

	for (int i = 0; i < REPEATS; i++) {
		uint64_t writing, reading;
		const double found = (double)run_once(way, &writing, &reading);

		bytes = (double)taken_bytes / found;
		written = least(written, (double)writing / EVENTS);
		read = least(read, (double)reading / found);
	}
	printf("writing_%s\t%.1f\nreading_%s\t%.1f\n", way->name, written, way->name,
	       read);
	fprintf(stderr, "bench: %s: %.1f bytes an event\n", way->name, bytes);
	fflush(stdout);
}

static void measure_ftrace(const struct shape *shape)
{
	char path[128];

	mkdir(TRACING "instances/ue_reading", 0700);
	write_file(INSTANCE "buffer_size_kb", "4096");
	snprintf(path, sizeof(path), INSTANCE "events/user_events/%.*s/enable",
		 (int)strcspn(shape->event->definition, " "), shape->event->definition);
	write_file(path, "1");
	open_raw();
	measure_way(&(struct way){ "ftrace_read", by_read, count_ftrace, EVENTS });
	measure_way(&(struct way){ "ftrace_splice", by_splice, count_ftrace,
				   EVENTS - PAGE / 16 });
	if (map_raw())
		fprintf(stderr,
			"bench: leaving out the rows ftrace_mmap: the kernel does not "
			"map its buffers (Linux 6.10 does)\n");
	else
		measure_way(
			&(struct way){ "ftrace_mmap", by_mmap, count_ftrace, EVENTS });
	write_file(path, "0");
}

int main(void)
{
	const struct shape *shape = &shapes[SHAPE_U32X1];

	nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (pipe2(ends, O_CLOEXEC))
		fail("There are no pipes.");
	prepare_shapes();
	catch_record(shape);
	measure_ftrace(shape);
	open_perf(shape);
	measure_way(&(struct way){ "perf_mmap", by_perf, count_perf, EVENTS });
	return 0;
}
