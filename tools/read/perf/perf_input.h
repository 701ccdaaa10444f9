/* SPDX-License-Identifier: MIT */
/*
 * Shared by the parts of the perf.data input. from_perf.c reads the records and puts
 * them in order, sample_record.c makes the records that are printed, file_header.c reads the
 * header of files, file_features.c the features, and inflate.c compressed records.
 */
#ifndef UE__TOOLS_INPUT_PERF_PERF_INPUT_H
#define UE__TOOLS_INPUT_PERF_PERF_INPUT_H

#include "common/records/byte_cursor.h"
#include "read/source/input.h"
#include "perf_attrs.h"
#include "sample_queue.h"
#include "task_names.h"
#include "tracing_data.h"

/* Records that perf adds to those of the kernel (tools/perf/util/event.h). */
enum {
	PERF_HEADER_ATTR = 64,
	PERF_TRACING_DATA = 66,
	PERF_FINISHED_ROUND = 68,
	PERF_AUXTRACE = 71,
	PERF_HEADER_FEATURE = 80,
	PERF_COMPRESSED = 81,
	PERF_COMPRESSED2 = 83,
};

/* Features (tools/perf/util/header.h). */
enum {
	PERF_FEATURE_TRACING_DATA = 1,
	PERF_FEATURE_HOSTNAME = 3,
	PERF_FEATURE_OSRELEASE = 4,
	PERF_FEATURE_ARCH = 6,
	PERF_FEATURE_EVENT_DESC = 12,
	PERF_FEATURE_CLOCKID = 23,
	PERF_FEATURE_CLOCK_DATA = 29,
};

#define PERF_MAGIC 0x32454c4946524550u /* "PERFILE2" as a number */

#define PERF_HEADER_SIZE 104u
#define PERF_PIPE_HEADER_SIZE 16u
#define PERF_RECORD_HEADER_SIZE 8u

struct perf_inflate; /* the decompressor */

struct perf_input {
	struct perf_events events;
	struct tracing_data tracing;
	struct sample_queue queue;
	struct task_names names;
	struct perf_inflate *inflate;
	uint64_t end; /* offset in the file where records end */
	int is_pipe;
	int is_unfinished; /* the recorder did not finish the file */
	int is_over;	   /* no more records */
	int is_wall_clock;
	int64_t wall_offset; /* to be added to times */
	uint64_t ids_taken; /* repeated ones too */
	uint64_t lost;
	uint64_t lost_samples;
};

/* The header of a file with features behind the data. 0 or -1. */
int perf_read_file_header(struct input *input);
/* Take a feature. A malformed one costs a name at most, and is no error. */
void perf_take_feature(struct input *input, uint64_t feature, const uint8_t *bytes,
		       size_t length);
/* Take the tracing data, whose bytes stay. 0 or -1. */
int perf_take_tracing_data(struct input *input, const uint8_t *bytes, size_t length);
/* Take an attr of this length. The index of its event, or -1. */
long perf_take_attr(struct input *input, const uint8_t *attr, size_t length);

/* Takes an item of the queue. 1 with the record of a sample; else 0. */
int perf_take_queued(struct input *input, const struct queued_sample *sample,
		     struct record *record);
void perf_free_tracepoints(struct perf_input *perf);

/*
 * Begin to decompress a record, whose bytes must stay until perf_inflate_next() returned
 * 0. 0 or -1.
 */
int perf_inflate_begin(struct input *input, const uint8_t *bytes, size_t length);
/* 1 with the next decompressed record, 0 if there is none yet, -1. */
int perf_inflate_next(struct input *input, const uint8_t **record);
void perf_inflate_free(struct perf_inflate *inflate);

/* Whether these first bytes begin a recording of perf, and opening it: 0 or -1. */
int input_is_perf(const uint8_t *bytes, size_t length);
int input_open_perf(struct input *input);

#endif
