/* SPDX-License-Identifier: MIT */
/*
 * The events of a perf recording (struct perf_event_attr of <linux/perf_event.h>, and
 * the ids in their samples), and parsing samples. The bytes are unchecked.
 */
#ifndef UE__TOOLS_READ_PERF_PERF_INPUT_H
#define UE__TOOLS_READ_PERF_PERF_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include "common/cli/key_table.h"
#include "common/records/byte_cursor.h"
#include "common/stacks/stacks.h"
#include "read/source/source.h"

/* Places of members in samples count units of 8 bytes; NOWHERE: there is none. */
#define NOWHERE 255u

struct perf_event {
	uint32_t type; /* PERF_TYPE_TRACEPOINT */
	int32_t clock; /* clockid_t of its times; -1: the kernel's own */
	uint64_t config; /* of a tracepoint its common_type */
	uint64_t sample_type;
	uint64_t read_format;
	uint16_t max_stack; /* entries of a stack, at most; 0: not known */
	uint8_t id_at;
	uint8_t tid_at;
	uint8_t time_at;
	uint8_t cpu_at;
	uint8_t fixed; /* members of 8 bytes before those that vary */
	/* Counted from the end: the time of records that are no samples; of samples the group. */
	uint8_t end_time_at;
	uint8_t cgroup_at;
	char *name;    /* "system:event" from the recorder, or NULL */
	void *own;   /* for the caller: a tracepoint without a format */
	void *known; /* for the caller: the tracepoint of all its samples */
};

struct perf_events {
	struct perf_event *events;
	size_t count;
	struct key_table ids; /* of the samples of each event */
	int is_big_endian;
	int is_mixed; /* samples of different layouts */
};

/* One sample. Members that its event does not record are 0, and not in present. */
struct perf_sample {
	uint32_t present; /* UE_META_TIME, _CPU, _PID, _TID, _CGROUP */
	uint32_t pid;
	uint32_t tid;
	uint32_t cpu;
	uint64_t time;
	uint64_t cgroup; /* its id */
	const uint8_t *raw; /* NULL: none */
	uint32_t raw_length;
	const uint8_t *chain; /* its stack: numbers of 8 bytes; NULL: none */
	uint64_t chain_count;
};

#define NO_EVENT KEY_UNKNOWN

/* Add an event from the bytes of its attr; its index, or -EBADMSG. */
long perf_events_add(struct perf_events *events, const uint8_t *attr, size_t length);
void perf_events_free(struct perf_events *events);

/* The event of a sample, by the bytes after the record's header, or NO_EVENT. */
uint32_t perf_sample_event(const struct perf_events *events, const uint8_t *body,
			   size_t length);
/* The time of a sample, 0 when there is none. */
uint64_t perf_sample_time(const struct perf_events *events,
			  const struct perf_event *event, const uint8_t *body,
			  size_t length);
/*
 * The time of a record that is no sample, by what follows its header; 0 when there is none.
 */
uint64_t perf_record_time(const struct perf_events *events, const uint8_t *body,
			  size_t length);
/* Parse a sample; 0, or -EBADMSG if it ends too early. */
int perf_sample_parse(const struct perf_events *events, const struct perf_event *event,
		      const uint8_t *body, size_t length, struct perf_sample *sample);

/*
 * The names of threads and control groups at one time of a recording.
 *
 * Samples have numbers alone. Records between them have the names: each applies to the
 * samples of later times, so the caller takes both from a struct sample_queue.
 *
 * A recording may have any number of names. Of threads that live at once, 131,072 have
 * names; further ones have none. Of control groups no record says that they ended: those that
 * were named last stay, as many as 16 to 32 MB hold, some 100,000 to 200,000.
 */

/* Thread ids are below 2^22 (PID_MAX_LIMIT). */
#define TIDS_IN_BLOCK 4096u
#define TID_BLOCKS 1024u

struct task_name;

struct group_names {
	struct key_table ids;
	char **paths;
	size_t count;
	size_t bytes;
};

struct task_names {
	uint32_t *blocks[TID_BLOCKS]; /* by thread id: the place of the name, from 1; 0: none */
	struct task_name *names;
	size_t count;
	uint32_t unused; /* a place without a name, from 1; 0: none */
	struct group_names groups, groups_before;
};

/* Whether a record of this type has names. */
int task_names_has(uint32_t type);
/* Take such a record of so many bytes, with its header; a malformed one changes nothing. */
void task_names_take(struct task_names *names, const uint8_t *record, size_t size,
		     int is_big_endian);

/* The name, which stays until the next record is taken; NULL: not known. */
const char *task_names_thread(const struct task_names *names, uint32_t tid);
const char *task_names_cgroup(const struct task_names *names, uint64_t id);
void task_names_free(struct task_names *names);

/*
 * The code that processes have mapped, at one time of a recording: as with names, each record
 * applies to samples of later times.
 */

/* Whether a record of this type changes mappings. */
int perf_code_has(uint32_t type);
/* Take such a record, with its header; a malformed one changes nothing. */
void perf_code_take(struct code_maps *maps, const uint8_t *record, size_t size, uint64_t time,
		    int is_big_endian);
/*
 * The addresses of a stack that are of the program, at most FRAMES_MOST, and their modules.
 * Returns how many; *all counts those of the kernel, too.
 */
uint32_t perf_code_frames(struct code_maps *maps, const struct perf_sample *sample,
			  int is_big_endian, struct stack_frame *frames, uint64_t *all);

/*
 * Puts samples, and records that name their threads, into the order of their times.
 *
 * A recorder empties the buffers of all processors, one after the other, and writes a
 * mark (PERF_RECORD_FINISHED_ROUND) after each round. A round may miss samples that
 * arrive in a buffer after it was emptied, but none that existed before the round began.
 * So at a mark every sample up to the latest time of the round before is ready. Samples
 * of equal times keep their order.
 *
 * The queue grows until a mark, or the end. For a mapped file it holds the places of
 * samples, for a stream a limited number of copies. At that limit, or without memory, the
 * earliest samples are ready before they should be, and each sample that is then taken
 * after one of a later time is counted.
 */

struct queued_sample {
	uint64_t time;
	const uint8_t *body;
	uint32_t event;
	uint16_t length;
	uint8_t is_copy; /* the queue frees the body */
	uint8_t is_name; /* the body is a record of names or mappings, with its header */
};

struct sample_queue {
	struct queued_sample *samples;
	struct queued_sample *scratch; /* for sorting, as much room */
	size_t room;
	size_t next;  /* to be taken */
	size_t ready; /* samples before this one are in order */
	size_t count;
	uint64_t limit; /* the latest time of the rounds before this one */
	uint64_t latest;
	uint64_t last_taken; /* its time */
	uint64_t late; /* samples that were taken after one of a later time */
	size_t copied; /* bytes that copies in the queue take */
	void *taken; /* the copy that queue_take() returned last */
};

/*
 * Add a sample, and copy its body unless is_lasting. All samples that are ready must have
 * been taken.
 */
void queue_add(struct sample_queue *queue, struct queued_sample sample, int is_lasting);
/* The end of a round; the end of all. */
void queue_round(struct sample_queue *queue);
void queue_end(struct sample_queue *queue);
/* Take a sample, which stays until the next call: 1, or 0 if none is ready. */
int queue_take(struct sample_queue *queue, struct queued_sample *sample);
void queue_free(struct sample_queue *queue);

/*
 * The description of tracepoints in perf.data: the texts of tracefs's format files, in
 * the layout that trace.dat files also begin with. The bytes are unchecked.
 */

struct event_format {
	uint64_t id; /* the tracepoint's common_type */
	const char *system;
	const char *text; /* not NUL-terminated */
	size_t length;
	void *tracepoint; /* for the caller */
};

struct tracing_data {
	struct event_format *formats;
	size_t count;
	struct key_table ids; /* which format */
	int is_big_endian;
	int is_copied; /* set by the caller if the bytes do not stay */
	size_t copied; /* bytes */
};

/* The most bytes to copy, and to read at once; no system has as many. */
#define TRACING_DATA_MAX ((size_t)64 << 20)

void tracing_data_free(struct tracing_data *data);

/* The last format that was added with this id, or NULL. */
struct event_format *tracing_data_find(const struct tracing_data *data, uint64_t id);

/*
 * Shared by the parts of the perf.data input. from_perf.c reads the records, also
 * compressed ones; sample_queue.c puts them in order and makes the records that are
 * printed; file_header.c reads the header of files, the features and the tracing data.
 */

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
	struct code_maps code;
	struct stack_frame *frames; /* of the record; NULL: no sample had a stack yet */
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
	int doubtful_rounds; /* that may still have records from before a loss */
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

/* Whether these first bytes begin a recording of perf, and opening it: 0 or -1. */
int input_is_perf(const uint8_t *bytes, size_t length);
int input_open_perf(struct input *input);

#endif
