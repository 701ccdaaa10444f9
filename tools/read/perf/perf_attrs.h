/* SPDX-License-Identifier: MIT */
/*
 * The events of a perf recording (struct perf_event_attr of <linux/perf_event.h>, and
 * the ids in their samples), and parsing samples. The bytes are unchecked.
 */
#ifndef UE__TOOLS_INPUT_PERF_PERF_ATTRS_H
#define UE__TOOLS_INPUT_PERF_PERF_ATTRS_H

#include <stddef.h>
#include <stdint.h>

/* Places of members in samples count units of 8 bytes; NOWHERE: there is none. */
#define NOWHERE 255u

struct perf_event {
	uint32_t type; /* PERF_TYPE_TRACEPOINT */
	int32_t clock; /* clockid_t of its times; -1: the kernel's own */
	uint64_t config; /* of a tracepoint its common_type */
	uint64_t sample_type;
	uint64_t read_format;
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

struct perf_id {
	uint64_t id;
	uint32_t value; /* counted from 1; 0: the place is free */
};

/* Small numbers by id. */
struct id_map {
	struct perf_id *ids; /* by hash */
	size_t count;
	size_t room; /* a power of two, or 0 */
};

struct perf_events {
	struct perf_event *events;
	size_t count;
	struct id_map ids; /* of the samples of each event */
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
};

#define NO_EVENT UINT32_MAX

/* Add an event from the bytes of its attr; its index, or -EBADMSG. */
long perf_events_add(struct perf_events *events, const uint8_t *attr, size_t length);
void perf_events_free(struct perf_events *events);

void id_map_set(struct id_map *map, uint64_t id, size_t value);
/* NO_EVENT: none. */
uint32_t id_map_find(const struct id_map *map, uint64_t id);

/* The event of a sample, by what follows the record's header, or NO_EVENT. */
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

#endif
