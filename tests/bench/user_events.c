/* SPDX-License-Identifier: MIT */
/*
 * The cost of a user event: the floor, which is one write() of a ready record, the
 * additional cost of UE_WRITE(), and the cost of other ways to send the same record.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "measure.h"
#include "record.h"
#include "request.h"
#include "sites.h"

static int marker;

static void measure_in_pieces(const struct shape *shape)
{
	cut(shape->pieces, MAX_FIELDS);
	require(1, write_pieces);
	measure_shape("writev_%s", shape->name, write_pieces);
}

static void measure_one(const struct shape *shape)
{
	catch_record(shape);
	require(0, shape->write);
	if (shape < &shapes[SHAPE_WITH_FLOOR])
		measure_shape("floor_%s_off", shape->name, write_record);
	measure_shape("%s_off", shape->row, shape->write);
	enable(shape, 1);
	require(1, write_record);
	require(1, pwrite_record);
	require(1, shape->write);
	if (shape < &shapes[SHAPE_WITH_FLOOR]) {
		measure_shape("floor_%s", shape->name, write_record);
		measure_shape("pwrite_%s", shape->name, pwrite_record);
	}
	measure_shape("%s", shape->row, shape->write);
	if (shape->pieces[0])
		measure_in_pieces(shape);
	enable(shape, 0);
}

static void *do_nothing(void *unused)
{
	for (;;)
		pause();
	return unused;
}

/* The kernel locks and counts more in a process with threads, even if they do nothing. */
static void measure_with_second_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, do_nothing, NULL))
		fail("The second thread could not be started.");
	for (const struct shape *shape = shapes; shape < &shapes[SHAPE_WITH_FLOOR]; shape++) {
		catch_record(shape);
		enable(shape, 1);
		measure_shape("floor_%s_2t", shape->name, write_record);
		measure_shape("pwrite_%s_2t", shape->name, pwrite_record);
		measure_shape("%s_2t", shape->row, shape->write);
		enable(shape, 0);
	}
}

/* The same 44 bytes in an increasing number of pieces. */
static void measure_pieces(void)
{
	static const size_t sizes[][8] = {
		{ 44 },
		{ 4, 40 },
		{ 4, 8, 12, 12, 8 },
		{ 4, 8, 8, 8, 4, 4, 4, 4 },
	};
	static const char *const names[] = { "writev_44_bytes_in_1", "writev_44_bytes_in_2",
					     "writev_44_bytes_in_5",
					     "writev_44_bytes_in_8" };
	const struct shape *shape = &shapes[SHAPE_U32X10];

	catch_record(shape);
	enable(shape, 1);
	for (int i = 0; i < 4; i++) {
		cut(sizes[i], 8);
		require(1, write_pieces);
		measure(names[i], write_pieces);
	}
	enable(shape, 0);
}

/* Index and location field, then the blob by reference. */
static void write_by_reference(void)
{
	struct iovec iov[2] = { { record, 8 }, { blob, blob_size } };

	writev(session, iov, 2);
}

static void write_by_copy(void)
{
	char copy[8 + sizeof(blob)];

	memcpy(copy, record, 8);
	memcpy(copy + 8, blob, blob_size);
	write(session, copy, 8 + blob_size);
}

static void measure_copies(void)
{
	static const size_t sizes[] = { 64, 256, 1024, 4000 };
	const struct shape *shape = &shapes[SHAPE_BLOB1K];
	char name[32];

	enable(shape, 1);
	for (int i = 0; i < 4; i++) {
		blob_size = sizes[i];
		catch_record(shape);
		snprintf(name, sizeof(name), "%zu_bytes", blob_size);
		require(1, write_by_copy);
		require(1, write_by_reference);
		measure_shape("copied_%s", name, write_by_copy);
		measure_shape("referenced_%s", name, write_by_reference);
	}
	blob_size = 1024;
	enable(shape, 0);
}

static void measure_requests(void)
{
	measure_request("request_kernel_off");
	for (int i = 0; i < REQUEST_EVENTS; i++) {
		enable(&shapes[request_events[i]], 1);
		require(1, shapes[request_events[i]].write);
	}
	measure_request("request_kernel");
	for (int i = 0; i < REQUEST_EVENTS; i++)
		enable(&shapes[request_events[i]], 0);
}

static void write_marker(void)
{
	write(marker, "0123456789012345678901234567890123456789012\n", 44);
}

static void bare_syscall(void)
{
	getppid();
}

int main(void)
{
	prepare_shapes();
	measure_empty();
	measure("getppid", bare_syscall);
	for (int i = 0; i < SHAPES; i++)
		measure_one(&shapes[i]);
	measure_pieces();
	measure_copies();
	measure_requests();
	marker = open(TRACING "trace_marker", O_WRONLY | O_CLOEXEC);
	if (marker >= 0)
		measure("trace_marker_44_bytes", write_marker);
	measure_with_second_thread();
	return 0;
}
