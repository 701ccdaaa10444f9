/* SPDX-License-Identifier: MIT */
/*
 * Counts the cost of a write through io_uring, one at a time and 32 with one system call,
 * and beside it by write() and pwrite(). Prints which thread the kernel records for each.
 *
 * user_events_data does not promise that its writes never block (FMODE_NOWAIT), so
 * io_uring hands each one to a worker thread. The counts contain the worker, which runs
 * on the only processor.
 */
#include <errno.h>
#include <linux/io_uring.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure.h"
#include "record.h"

#define BATCH 32

static struct {
	int fd;
	struct io_uring_params has;
	unsigned char *rings; /* both, as IORING_FEAT_SINGLE_MMAP says */
	struct io_uring_sqe *requests;
	unsigned sent, read; /* requests and answers up to now */
} uring;

static _Atomic unsigned *place(uint32_t offset)
{
	return (_Atomic unsigned *)(void *)(uring.rings + offset);
}

static void *map(size_t size, off_t which)
{
	void *mapped =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, uring.fd, which);

	if (mapped == MAP_FAILED)
		fail("The rings of io_uring cannot be mapped.");
	return mapped;
}

/* Requests lie in the order in which they are sent. 0, or -1: no io_uring. */
static int set_up(void)
{
	const struct io_sqring_offsets *sq = &uring.has.sq_off;

	uring.fd = (int)syscall(SYS_io_uring_setup, BATCH, &uring.has);
	if (uring.fd < 0)
		return -1;
	if (!(uring.has.features & IORING_FEAT_SINGLE_MMAP))
		fail("This io_uring has two mappings.");
	uring.rings = map(uring.has.cq_off.cqes +
				  uring.has.cq_entries * sizeof(struct io_uring_cqe),
			  IORING_OFF_SQ_RING);
	uring.requests = map(BATCH * sizeof(*uring.requests), IORING_OFF_SQES);
	for (unsigned i = 0; i < BATCH; i++)
		atomic_store(place(sq->array) + i, i);
	if (syscall(SYS_io_uring_register, uring.fd, IORING_REGISTER_FILES, &session, 1))
		fail("io_uring does not take the file.");
	return 0;
}

/* A registered file needs no reference for each write. */
static void put_request(void)
{
	uring.requests[uring.sent++ % BATCH] = (struct io_uring_sqe){
		.opcode = IORING_OP_WRITE,
		.flags = IOSQE_FIXED_FILE,
		.off = (uint64_t)-1,
		.addr = (uintptr_t)record,
		.len = (uint32_t)record_size,
	};
}

static void take_answers(void)
{
	const struct io_uring_cqe *answers =
		(void *)(uring.rings + uring.has.cq_off.cqes);
	const unsigned end =
		atomic_load_explicit(place(uring.has.cq_off.tail), memory_order_acquire);

	for (; uring.read != end; uring.read++)
		if (answers[uring.read % uring.has.cq_entries].res != (int)record_size)
			fail("A write through io_uring failed.");
	atomic_store_explicit(place(uring.has.cq_off.head), end, memory_order_release);
}

/* Send them and wait for all of their answers, with one system call. */
static void send_requests(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		put_request();
	atomic_store_explicit(place(uring.has.sq_off.tail), uring.sent,
			      memory_order_release);
	while (syscall(SYS_io_uring_enter, uring.fd, count, count, IORING_ENTER_GETEVENTS,
		       NULL, 0) < 0)
		if (errno != EINTR)
			fail("io_uring_enter() failed.");
	take_answers();
	if (uring.read != uring.sent)
		fail("An answer of io_uring is missing.");
}

static void send_one(void)
{
	send_requests(1);
}

static void send_batch(void)
{
	send_requests(BATCH);
}

/* "  iou-wrk-81-82   [000] ..... 3.1: u32x1: ...": the name and number of the thread. */
static void print_thread(const char *way, void (*call)(void))
{
	char line[256], thread[64];
	FILE *trace;

	write_file(TRACING "trace", "");
	call();
	trace = fopen(TRACING "trace", "re");
	while (trace && fgets(line, sizeof(line), trace))
		if (*line != '#' && sscanf(line, "%63s", thread) == 1) {
			fprintf(stderr,
				"bench: process %d by %s: the kernel records %s\n",
				(int)getpid(), way, thread);
			break;
		}
	if (trace)
		fclose(trace);
}

static void measure_ways(const struct shape *shape)
{
	char name[64];

	enable(shape, 1);
	require(1, write_record);
	require(1, send_one);
	require(BATCH, send_batch);
	measure_shape("beside_write_%s", shape->name, write_record);
	measure_shape("beside_pwrite_%s", shape->name, pwrite_record);
	measure_shape("uring_1_%s", shape->name, send_one);
	snprintf(name, sizeof(name), "uring_%d_%s", BATCH, shape->name);
	measure_batch(name, send_batch, BATCH);
	print_thread("write()", write_record);
	print_thread("io_uring", send_one);
	enable(shape, 0);
}

int main(void)
{
	static const int measured[] = { SHAPE_U32X1, SHAPE_STR11_U32 };

	prepare_shapes();
	if (set_up()) {
		fprintf(stderr,
			"bench: leaving out the rows uring_*: the kernel lacks io_uring "
			"(scripts/vm --kernel newest has it)\n");
		return 0;
	}
	for (size_t i = 0; i < sizeof(measured) / sizeof(measured[0]); i++) {
		catch_record(&shapes[measured[i]]);
		measure_ways(&shapes[measured[i]]);
	}
	return 0;
}
