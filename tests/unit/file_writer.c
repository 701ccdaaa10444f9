/* SPDX-License-Identifier: MIT */
/*
 * The thread that writes a collector's files, with a disk that hangs or is full: the
 * functions that reach the disk are these here.
 */
#include <semaphore.h>
#include <string.h>

#include "collect/recording/ring_recording.h"
#include "common/output/out_file.h"
#include "test.h"

static sem_t may_write; /* a post for each write */
static sem_t has_begun; /* to write */
static int is_full;	/* of the disk */
static unsigned begun, closed, dropped;
static uint64_t written;

int file_series_begin(struct file_series *series, const char *path)
{
	series->path = path;
	return 0;
}

void file_series_adopt(struct file_series *series)
{
	(void)series;
}

int file_series_open(struct file_series *series, struct outfile *file)
{
	*file = (struct outfile){ .fd = 0, .path = "file", .shown = "file" };
	series->count++;
	begun++;
	return 0;
}

int file_series_close(struct file_series *series, struct outfile *file)
{
	if (file->fd >= 0) {
		series->bytes += file->bytes;
		closed++;
	}
	file->fd = -1;
	return 0;
}

void file_series_drop(struct file_series *series, struct outfile *file)
{
	series->count--;
	file->fd = -1;
	dropped++;
}

void file_series_limit(struct file_series *series)
{
	(void)series;
}

int file_series_has_space(struct file_series *series, const struct outfile *file,
			  uint64_t more)
{
	(void)series;
	(void)file;
	(void)more;
	return !is_full;
}

void file_series_free(struct file_series *series)
{
	(void)series;
}

int outfile_empty(struct outfile *file)
{
	(void)file;
	return 0;
}

int outfile_reserve(const struct outfile *file, uint64_t more)
{
	(void)file;
	(void)more;
	return 0;
}

void outfile_release(const struct outfile *file)
{
	(void)file;
}

int outfile_write_records(struct outfile *file, const void *bytes, size_t length)
{
	(void)bytes;
	sem_post(&has_begun);
	while (sem_wait(&may_write)) {
	}
	file->bytes += length;
	written += length;
	return 0;
}

static struct file_counts counts;

static struct file_writer *opened(int hangs)
{
	const struct file_writer_options options = {
		.path = "file", .keep_free = { .text = "5%" }, .counts = &counts,
	};

	memset(&counts, 0, sizeof(counts));
	begun = closed = dropped = 0;
	written = 0;
	is_full = 0;
	sem_init(&may_write, 0, hangs ? 0 : 1000);
	sem_init(&has_begun, 0, 0);
	return file_writer_open(&options);
}

#define MEBIBYTE ((size_t)1 << 20)

static int put(struct file_writer *writer, size_t length, int begins_file)
{
	struct bytes bytes = { 0 };
	int result;

	memset(bytes_room(&bytes, length), 0, length);
	bytes.length = length;
	result = file_writer_put(writer, &bytes, 10, begins_file);
	assert_int_equal(bytes.length, 0);
	bytes_free(&bytes);
	return result;
}

static void what_is_put_is_written(void **state)
{
	struct file_writer *writer = opened(0);

	(void)state;
	assert_int_equal(put(writer, 100, 1), 0);
	assert_int_equal(put(writer, 200, 0), 0);
	assert_int_equal(put(writer, 300, 1), 0);
	assert_int_equal(file_writer_close(writer, INT64_C(600000000000)), 0);
	assert_int_equal(counts.events, 30);
	assert_int_equal(counts.missed, 0);
	assert_int_equal(counts.bytes, 600);
	assert_int_equal(counts.files, 2);
	assert_int_equal(written, 600);
	assert_int_equal(begun, 2);
	assert_int_equal(closed, 2);
}

/* 16 MiB wait; later events are missed at once, and nobody waits. */
static void a_disk_that_hangs_holds_nobody_up(void **state)
{
	struct file_writer *writer = opened(1);

	(void)state;
	assert_int_equal(put(writer, MEBIBYTE, 1), 0);
	for (int i = 0; i < 7; i++) {
		assert_true(file_writer_has_room(writer));
		assert_int_equal(put(writer, MEBIBYTE, 0), 0);
	}
	for (int i = 0; i < 8; i++) {
		assert_false(file_writer_has_room(writer));
		assert_int_equal(put(writer, MEBIBYTE, 0), 0);
	}
	assert_int_equal(put(writer, MEBIBYTE, 0), -1);
	assert_int_equal(put(writer, 1, 1), -1);
	assert_int_equal(counts.missed, 20);
	assert_false(file_writer_has_failed(writer));
	for (int i = 0; i < 16; i++)
		sem_post(&may_write);
	assert_int_equal(file_writer_close(writer, INT64_C(600000000000)), 0);
	assert_int_equal(counts.events, 160);
	assert_int_equal(counts.missed, 20);
}

static void what_a_hanging_disk_has_not_taken_at_the_end_is_missed(void **state)
{
	struct file_writer *writer = opened(1);

	(void)state;
	assert_int_equal(put(writer, 100, 1), 0);
	assert_int_equal(put(writer, 100, 0), 0);
	while (sem_wait(&has_begun)) {
	}
	assert_int_equal(file_writer_close(writer, 0), -1);
	assert_int_equal(counts.missed, 20);
	sem_post(&may_write);
	sem_post(&may_write);
	while (sem_wait(&has_begun)) { /* the thread goes on, and counts nothing any more */
	}
	assert_int_equal(counts.events, 0);
	assert_int_equal(counts.missed, 20);
}

static void wait_for_failure(struct file_writer *writer)
{
	while (!file_writer_has_failed(writer)) {
	}
}

/* Events that were put in between, and those put afterwards, until another file is begun. */
static void of_a_file_that_fails_nothing_more_is_written(void **state)
{
	struct file_writer *writer = opened(0);

	(void)state;
	is_full = 1;
	assert_int_equal(put(writer, 100, 1), 0);
	wait_for_failure(writer);
	is_full = 0;
	assert_int_equal(put(writer, 100, 0), -1);
	assert_int_equal(counts.missed, 20);
	assert_int_equal(put(writer, 100, 1), 0);
	assert_int_equal(put(writer, 100, 0), 0);
	assert_int_equal(file_writer_close(writer, INT64_C(600000000000)), 0);
	assert_int_equal(counts.events, 20);
	assert_int_equal(counts.missed, 20);
	assert_int_equal(dropped, 1);
	assert_int_equal(counts.files, 1);
	assert_int_equal(written, 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_put_is_written),
		cmocka_unit_test(a_disk_that_hangs_holds_nobody_up),
		cmocka_unit_test(of_a_file_that_fails_nothing_more_is_written),
		cmocka_unit_test(what_a_hanging_disk_has_not_taken_at_the_end_is_missed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
