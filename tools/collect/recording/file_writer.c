/* SPDX-License-Identifier: MIT */
/* A queue of records, and the thread that writes them. */
#include "ring_recording.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/output/out_file.h"

/* Bytes of the disk that are reserved at once. */
#define RESERVED ((uint64_t)1 << 20)
/* Bytes that may wait for the disk. */
#define QUEUE_BYTES ((size_t)16 << 20)

struct chunk {
	struct chunk *next;
	struct bytes bytes;
	uint64_t events;
	uint64_t file; /* which counts from 1 */
	int begins_file;
};

struct file_writer {
	struct file_writer_options options;
	pthread_t thread;
	pthread_mutex_t lock; /* of the rest, up to the thread's own */
	pthread_cond_t has_more, is_done;
	struct chunk *first, **last;
	struct bytes spare; /* of the last chunk, for the next one */
	size_t waiting;	 /* bytes, with those that are being written */
	uint64_t events; /* of them */
	int is_closing, has_ended;
	int is_given_up; /* events that wait were counted as missed */
	uint64_t given, failed; /* the file of the last chunk, and the last that failed */
	/* The thread's own */
	struct file_series series;
	struct outfile file;
	uint64_t reserved; /* bytes of it */
};

/* Writing */

static void count_files(struct file_writer *writer)
{
	struct file_counts *counts = writer->options.counts;
	const uint64_t open = writer->file.fd < 0 ? 0 : writer->file.bytes;

	atomic_store_explicit(&counts->bytes, writer->series.bytes + open,
			      memory_order_relaxed);
	atomic_store_explicit(&counts->files, writer->series.count, memory_order_relaxed);
	atomic_store_explicit(&counts->removed, writer->series.removed,
			      memory_order_relaxed);
}

static int complain(const struct file_writer *writer, const char *reason)
{
	const struct outfile *file = &writer->file;

	if (file->bytes)
		message("cannot write all of %s: %s; it has the events up to then",
			file->shown, reason);
	else
		message("cannot begin %s: %s", file->shown, reason);
	return -1;
}

/* So many bytes more than were written, and further ones if there is space. 0 or an errno. */
static int reserve(struct file_writer *writer, size_t more)
{
	struct outfile *file = &writer->file;
	int error = 0;

	if (file->bytes + more <= writer->reserved)
		return 0;
	writer->reserved = file->bytes + RESERVED;
	if (more > RESERVED || outfile_reserve(file, RESERVED)) {
		writer->reserved = file->bytes + more;
		error = outfile_reserve(file, more);
	}
	return error;
}

/* 0, or -1 after a message. */
static int find_space(struct file_writer *writer, size_t more)
{
	char reason[128];
	int error;

	if (!file_series_has_space(&writer->series, &writer->file, more)) {
		snprintf(reason, sizeof(reason), "less than %s of its disk would be free",
			 writer->series.keep_free.text);
		return complain(writer, reason);
	}
	error = reserve(writer, more);
	return error ? complain(writer, file_reason(error)) : 0;
}

static void close_file(struct file_writer *writer)
{
	if (writer->file.fd >= 0)
		outfile_release(&writer->file);
	file_series_close(&writer->series, &writer->file);
}

static int next_file(struct file_writer *writer)
{
	close_file(writer);
	writer->reserved = 0;
	if (file_series_open(&writer->series, &writer->file))
		return -1;
	file_series_limit(&writer->series);
	return outfile_empty(&writer->file);
}

/* Nothing more is written to a file that failed. */
static int write_chunk(struct file_writer *writer, const struct chunk *chunk)
{
	struct outfile *file = &writer->file;
	const struct bytes *bytes = &chunk->bytes;

	if (chunk->begins_file ? next_file(writer) : file->fd < 0)
		return -1;
	if (!find_space(writer, bytes->length) &&
	    !outfile_write_records(file, bytes->at, bytes->length))
		return 0;
	if (file->bytes)
		close_file(writer);
	else
		file_series_drop(&writer->series, file);
	return -1;
}

/* The thread */

/* NULL when all is written, and no more comes. */
static struct chunk *next_chunk(struct file_writer *writer)
{
	struct chunk *chunk;

	pthread_mutex_lock(&writer->lock);
	while (!writer->first && !writer->is_closing)
		pthread_cond_wait(&writer->has_more, &writer->lock);
	chunk = writer->first;
	if (chunk)
		writer->first = chunk->next;
	if (chunk && !writer->first)
		writer->last = &writer->first;
	pthread_mutex_unlock(&writer->lock);
	return chunk;
}

/* Memory that was used costs no page faults. The one that was spare before is bytes' now. */
static void take_spare(struct file_writer *writer, struct bytes *bytes)
{
	const struct bytes kept = writer->spare;

	writer->spare = *bytes;
	writer->spare.length = 0;
	*bytes = kept;
}

static void finish_chunk(struct file_writer *writer, struct chunk *chunk, int result)
{
	struct file_counts *counts = writer->options.counts;

	pthread_mutex_lock(&writer->lock);
	writer->waiting -= chunk->bytes.length;
	writer->events -= chunk->events;
	if (result)
		writer->failed = chunk->file;
	if (!writer->is_given_up)
		atomic_fetch_add_explicit(result ? &counts->missed : &counts->events,
					  chunk->events, memory_order_relaxed);
	count_files(writer);
	take_spare(writer, &chunk->bytes);
	pthread_mutex_unlock(&writer->lock);
	bytes_free(&chunk->bytes);
	free(chunk);
}

static void *run(void *context)
{
	struct file_writer *writer = context;
	struct chunk *chunk;

	while ((chunk = next_chunk(writer)))
		finish_chunk(writer, chunk, write_chunk(writer, chunk));
	close_file(writer);
	pthread_mutex_lock(&writer->lock);
	count_files(writer);
	writer->has_ended = 1;
	pthread_cond_signal(&writer->is_done);
	pthread_mutex_unlock(&writer->lock);
	return NULL;
}

/* Signals are for the thread that collects. */
static int start(struct file_writer *writer)
{
	pthread_condattr_t attributes;
	sigset_t all, before;
	int result;

	pthread_mutex_init(&writer->lock, NULL);
	pthread_cond_init(&writer->has_more, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&writer->is_done, &attributes);
	pthread_condattr_destroy(&attributes);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	result = pthread_create(&writer->thread, NULL, run, writer);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return result;
}

/* The caller's side */

static void free_writer(struct file_writer *writer)
{
	file_series_free(&writer->series);
	bytes_free(&writer->spare);
	free(writer);
}

struct file_writer *file_writer_open(const struct file_writer_options *options)
{
	struct file_writer *writer = xcalloc(1, sizeof(*writer));
	int error;

	writer->options = *options;
	writer->file.fd = -1;
	writer->last = &writer->first;
	writer->series = (struct file_series){
		.files = options->files, .keep_free = options->keep_free,
	};
	if (file_series_begin(&writer->series, options->path)) {
		free_writer(writer);
		return NULL;
	}
	file_series_adopt(&writer->series);
	count_files(writer);
	error = start(writer);
	if (!error)
		return writer;
	message("cannot record into %s: %s", options->path, file_reason(error));
	free_writer(writer);
	return NULL;
}

static void add_chunk(struct file_writer *writer, struct chunk *chunk)
{
	writer->given += (uint64_t)chunk->begins_file;
	chunk->file = writer->given;
	writer->waiting += chunk->bytes.length;
	writer->events += chunk->events;
	*writer->last = chunk;
	writer->last = &chunk->next;
	pthread_cond_signal(&writer->has_more);
}

int file_writer_put(struct file_writer *writer, struct bytes *bytes, uint64_t events,
		    int begins_file)
{
	struct chunk *chunk;
	int result = 0;

	pthread_mutex_lock(&writer->lock);
	if (writer->waiting + bytes->length > QUEUE_BYTES ||
	    (writer->failed == writer->given && !begins_file)) {
		result = -1;
		bytes->length = 0;
		atomic_fetch_add_explicit(&writer->options.counts->missed, events,
					  memory_order_relaxed);
	} else {
		chunk = xmalloc(sizeof(*chunk));
		*chunk = (struct chunk){ .bytes = *bytes, .events = events,
					 .begins_file = begins_file };
		*bytes = writer->spare;
		writer->spare = (struct bytes){ .length = 0 };
		add_chunk(writer, chunk);
	}
	pthread_mutex_unlock(&writer->lock);
	return result;
}

int file_writer_has_failed(struct file_writer *writer)
{
	int result;

	pthread_mutex_lock(&writer->lock);
	result = writer->given && writer->failed == writer->given;
	pthread_mutex_unlock(&writer->lock);
	return result;
}

int file_writer_has_room(struct file_writer *writer)
{
	int result;

	pthread_mutex_lock(&writer->lock);
	result = writer->waiting < QUEUE_BYTES / 2;
	pthread_mutex_unlock(&writer->lock);
	return result;
}

/* 0 when the thread has ended, else -1. */
static int wait_for_end(struct file_writer *writer, int64_t most_ns)
{
	const int64_t second = 1000000000;
	struct timespec end;
	int error = 0;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += (time_t)(most_ns / second);
	pthread_mutex_lock(&writer->lock);
	writer->is_closing = 1;
	pthread_cond_signal(&writer->has_more);
	while (!writer->has_ended && error != ETIMEDOUT)
		error = pthread_cond_timedwait(&writer->is_done, &writer->lock, &end);
	writer->is_given_up = !writer->has_ended;
	if (writer->is_given_up)
		atomic_fetch_add_explicit(&writer->options.counts->missed, writer->events,
					  memory_order_relaxed);
	error = writer->is_given_up ? -1 : 0;
	pthread_mutex_unlock(&writer->lock);
	return error;
}

int file_writer_close(struct file_writer *writer, int64_t most_ns)
{
	if (wait_for_end(writer, most_ns)) { /* the disk hangs, and its thread needs these */
		pthread_detach(writer->thread);
		return -1;
	}
	pthread_join(writer->thread, NULL);
	free_writer(writer);
	return 0;
}
