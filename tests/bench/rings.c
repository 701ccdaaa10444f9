/* SPDX-License-Identifier: MIT */
/*
 * rings [times]: the cost of an event that is written into a ring which overwrites, of the
 * default size. The ring has been full once before a row is measured, so that each page a row
 * opens is one that it takes from older events and clears.
 *
 * times: where an instruction does not take one nanosecond, the rows are times. Then only
 * those with the ring's own clock are measured, and system calls beside them.
 */
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <userevents/capture.h>
#include <userevents/ring.h>

#include "kernel/system_call.h"
#include "deep.h"
#include "measure.h"
#include "request.h"
#include "ring/layout.h"
#include "sites.h"

static const int measured[] = { SHAPE_U32X1, SHAPE_U32X10, SHAPE_STR11_U32,
				SHAPE_UEH_STR_S32_U64 };
#define MEASURED (sizeof(measured) / sizeof(measured[0]))

static int ring;

/* More than a row writes. */
#define OFFERED_EVENTS 150000

/* A clock of 0 leaves the ring the one it chose. */
static void set_clock(uint32_t clock)
{
	if (clock && pwrite(ring, &clock, sizeof(clock), offsetof(struct ue__ring, clock)) !=
			     (ssize_t)sizeof(clock))
		fail("cannot set the clock of a ring: its file refuses it");
}

static void open_ring(uint32_t clock)
{
	struct ue_open_opts opts = { .size = sizeof(opts), .flags = UE_OPEN_FD };

	ring = ue_ring_create(NULL, NULL);
	if (ring < 0)
		fail("cannot create a ring");
	set_clock(clock);
	opts.fd = ring;
	session = ue_open(&opts);
	for (size_t i = 0; i < MEASURED; i++)
		if (ue_register(session, shapes[measured[i]].event))
			fail("cannot register an event in a ring");
}

static void close_ring(void)
{
	for (size_t i = 0; i < MEASURED; i++)
		ue_unregister(shapes[measured[i]].event);
	ue_close(session);
	close(ring);
}

static struct ue_ring_info info(void)
{
	struct ue_ring_info result;

	if (ue_ring_info(ring, &result))
		fail("cannot read the description of a ring");
	return result;
}

/* Fill the ring with events of one shape, so that a row overwrites events of its own. */
static void fill(const struct shape *shape)
{
	const uint64_t bytes = info().bytes;

	for (uint64_t written = 0; written < bytes; written += 24)
		shape->write();
	if (!info().overwritten)
		fail("cannot fill a ring: nothing is overwritten");
}

/* The number of events in the ring after a call that were not there before. */
static int arrived(void (*call)(void))
{
	struct ue_captured event;
	struct ue_capture *capture;
	int count = 0;

	if (ue_capture_open_ring(ring, 0, &capture) || ue_capture_skip(capture) < 0)
		fail("cannot read a ring");
	call();
	while (ue_capture_next(capture, &event) > 0)
		count++;
	ue_capture_close(capture);
	return count;
}

/* A row is invalid if its events do not arrive. */
static void require(int count, void (*call)(void))
{
	const int got = arrived(call);

	if (got == count)
		return;
	fprintf(stderr, "bench: %d events arrived instead of %d.\n", got, count);
	fail("The numbers would mean nothing.");
}

static void enable(int on)
{
	if (on ? ue_ring_enable(ring, "*") : ue_ring_disable(ring, "*"))
		fail("cannot enable or disable the events of a ring");
}

static void measure_off(const struct shape *shape)
{
	enable(0);
	require(0, shape->write);
	measure_shape("ring_%s_off", shape->name, shape->write);
	enable(1);
}

static void measure_on(const struct shape *shape, const char *row)
{
	require(1, shape->write);
	fill(shape);
	measure_shape(row, shape->name, shape->write);
}

static void measure_requests(void)
{
	enable(0);
	measure_request("request_ring_off");
	enable(1);
	for (int i = 0; i < REQUEST_EVENTS; i++)
		require(1, shapes[request_events[i]].write);
	measure_request("request_ring");
}

static void measure_shapes(const char *row)
{
	for (size_t i = 0; i < MEASURED; i++)
		measure_on(&shapes[measured[i]], row);
}

/* Stacks. The rows without one show what the events of a ring cost of which others have one. */

static const struct shape *deep_shape;

static void write_deep(void)
{
	call_deep(deep_shape->write);
}

/* The frames of an event's stack; a kernel without CONFIG_CROSS_MEMORY_ATTACH leaves one. */
static uint32_t frames_of_stack(void)
{
	struct ue_captured event;
	struct ue_capture *capture;
	uint32_t frames = 0;

	if (ue_capture_open_ring(ring, 0, &capture) || ue_capture_skip(capture) < 0)
		fail("cannot read a ring");
	write_deep();
	while (ue_capture_next(capture, &event) > 0)
		frames = event.frames > frames ? event.frames : frames;
	ue_capture_close(capture);
	return frames;
}

static void ask_for_stacks(const struct shape *shape)
{
	char glob[64];

	snprintf(glob, sizeof(glob), "%.*s", (int)strcspn(shape->event->definition, " "),
		 shape->event->definition);
	if (ue_ring_stack(ring, glob, 32))
		fail("cannot ask for the stacks of a ring");
}

static void ask_for_no_stacks(void)
{
	if (ue_ring_stack(ring, "*", 0))
		fail("cannot ask for no stacks of a ring");
}

static void measure_stacks(const struct shape *with, const struct shape *without)
{
	deep_shape = with;
	measure_shape("ring_%s_deep", with->name, write_deep);
	ask_for_stacks(with);
	if (frames_of_stack() >= DEEP_FRAMES) {
		fill(with);
		measure_shape("ring_%s_deep_stack", with->name, write_deep);
	} else {
		fputs("bench: leaving out the row ring_*_deep_stack: a process cannot read its "
		      "own stack here\n", stderr);
	}
	measure_on(without, "ring_%s_beside_stacks");
	ask_for_no_stacks();
	measure_on(with, "ring_%s_after_stacks");
}

/*
 * A ring that is offered to a collector: this process, which looks before each row. It takes the
 * events out, so that the rows find memory that was used before.
 */
static void drain(void)
{
	struct ue_captured event;
	struct ue_capture *capture;

	if (ue_capture_open_ring(ring, UE_CAPTURE_TAKE, &capture))
		fail("cannot read a ring that is offered");
	while (ue_capture_next(capture, &event) > 0)
		;
	ue_capture_close(capture);
}

static void measure_offered(const struct shape *shape)
{
	for (int i = 0; i < 2 * OFFERED_EVENTS; i++)
		shape->write();
	drain();
	measure_shape("ring_%s_offered", shape->name, shape->write);
	if (info().lost[UE_LOSS_CAPTURE_FULL])
		fail("A ring that is offered was full.");
	drain();
}

static void count_offered(void)
{
	setenv(UE_ENVIRONMENT_SOCKET, "/nonexistent/socket", 1);
	setenv(UE_ENVIRONMENT_RING_SIZE, "64M", 1);
	session = ring = ue_open(NULL);
	unsetenv(UE_ENVIRONMENT_SOCKET);
	if (ue_abi(ring) != UE_ABI_RING)
		fail("cannot make a ring that is offered");
	for (size_t i = 0; i < MEASURED; i++)
		if (ue_register(session, shapes[measured[i]].event))
			fail("cannot register an event in a ring");
	for (size_t i = 0; i < MEASURED; i++)
		measure_offered(&shapes[measured[i]]);
	for (size_t i = 0; i < MEASURED; i++)
		ue_unregister(shapes[measured[i]].event);
	ue_close(session);
}

/* Instructions, with the clock that the ring chose, and with the other one if it has two. */
static void count_instructions(void)
{
	int is_tsc;

	open_ring(0);
	is_tsc = info().is_tsc != 0;
	for (size_t i = 0; i < MEASURED; i++)
		measure_off(&shapes[measured[i]]);
	measure_shapes("ring_%s");
	measure_requests();
	measure_stacks(&shapes[SHAPE_U32X1], &shapes[SHAPE_U32X10]);
	close_ring();
	count_offered();
	if (!is_tsc) {
		fputs("bench: leaving out the rows ring_*_monotonic: all rings have that clock here\n",
		      stderr);
		return;
	}
	open_ring(UE__RING_MONOTONIC);
	measure_shapes("ring_%s_monotonic");
	close_ring();
}

static void bare_syscall(void)
{
	getppid();
}

static int null;
static char bytes[8];

static void write_null(void)
{
	ue__system_write(SYS_pwrite64, null, bytes, sizeof(bytes));
}

static void nothing(void)
{
}

static void measure_time_on(const struct shape *shape,
			    void (*measure_it)(const char *name, void (*call)(void)),
			    const char *row)
{
	char name[64];

	snprintf(name, sizeof(name), row, shape->name);
	require(1, shape->write);
	fill(shape);
	measure_it(name, shape->write);
}

static void measure_times(void)
{
	null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	open_ring(0);
	measure_time("time_getppid", bare_syscall);
	measure_time("time_pwrite_to_null", write_null);
	for (size_t i = 0; i < MEASURED; i++)
		measure_time_on(&shapes[measured[i]], measure_time, "time_ring_%s");
	deep_shape = &shapes[SHAPE_U32X1];
	measure_time("time_ring_u32x1_deep", write_deep);
	ask_for_stacks(deep_shape);
	if (frames_of_stack() < DEEP_FRAMES)
		fail("An event has not the stack that it should have.");
	measure_time("time_ring_u32x1_deep_stack", write_deep);
	ask_for_no_stacks();
	measure_tail("tail_of_nothing", nothing);
	for (size_t i = 0; i < MEASURED; i++)
		measure_time_on(&shapes[measured[i]], measure_tail, "tail_ring_%s");
	close_ring();
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "times"))
		measure_times();
	else
		count_instructions();
	return 0;
}
