/* SPDX-License-Identifier: MIT */
/*
 * Asks whether probes are walked as a reader of tracepoint_srcu, after whose grace period Linux 7
 * frees them. No program can see the difference: a grace period of SRCU-fast contains one of RCU
 * today. So this looks at the counters by which a grace period finds its readers: a kprobe on
 * stack_trace_save(), which the probes call for a histogram of stacks, records them.
 *
 * A section of somebody else, or a call from elsewhere, is rare. So what most records have counts.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "instance.h"
#include "surprises.h"

#define INSTANCE "instances/ue_series"
#define PROCESSORS 8 /* at most */
#define READERS 4    /* at most */
#define WALKS 50
/* struct srcu_data of each processor begins with locks, unlocks, locks, unlocks. */
#define COUNTERS 4
#define PROBE "series/ue_srcu"
#define FUNCTION "p:" PROBE " stack_trace_save"
/* struct srcu_struct has the pointer to srcu_data behind another one. */
#define DATA " data=@tracepoint_srcu+8:x64"

static struct event event = { .name = "ue_walked", .definition = "ue_walked u32 a" };
static int processors;

static void must_put(const char *file, const char *text)
{
	if (put_tracefs(file, text)) {
		fprintf(stderr, "%s > %s: ", text, file);
		perror(NULL);
		exit(2);
	}
}

/* The next record of the kprobe: its values, which are " name=0x...". */
static int read_record(FILE *trace, uint64_t *values, int count)
{
	char line[2048];
	int found = 0;

	while (!found && fgets(line, sizeof(line), trace)) {
		char *at = strstr(line, " ue_srcu: ");

		while (at && found < count && (at = strstr(at, "=0x")))
			values[found++] = strtoull(at + 1, &at, 16);
	}
	return found == count;
}

/* Writes events while the kprobe records; the trace. */
static FILE *record_walks(const char *probe)
{
	must_put("dynamic_events", probe);
	empty_instance();
	must_put(INSTANCE "/events/" PROBE "/enable", "1");
	for (uint32_t i = 0; i < WALKS; i++)
		write_payload(&event, &i, sizeof(i));
	must_put(INSTANCE "/events/" PROBE "/enable", "0");
	return fdopen(open_tracefs(INSTANCE "/trace", O_RDONLY), "r");
}

/* This also empties the trace. */
static void remove_probe(FILE *trace)
{
	fclose(trace);
	must_put("dynamic_events", "-:" PROBE);
}

/* The place where each processor has its counters. */
static void find_counters(uint64_t *places)
{
	char probe[1024] = FUNCTION DATA;
	uint64_t values[1 + PROCESSORS];
	FILE *trace;

	for (int i = 0; i < processors; i++)
		sprintf(probe + strlen(probe), " p%d=@__per_cpu_offset+%d:x64", i, 8 * i);
	trace = record_walks(probe);
	if (!read_record(trace, values, 1 + processors)) {
		fputs("surprises: there is no record of " FUNCTION "\n", stderr);
		exit(2);
	}
	remove_probe(trace);
	for (int i = 0; i < processors; i++)
		places[i] = values[0] + values[1 + i];
}

/* Locks less unlocks. */
static int64_t count_readers(const uint64_t *values)
{
	int64_t readers = 0;

	for (int i = 0; i < processors * COUNTERS; i++)
		readers += i % 2 ? -values[i] : values[i];
	return readers;
}

static int usual_readers(const uint64_t *places)
{
	char probe[2048] = FUNCTION;
	uint64_t values[PROCESSORS * COUNTERS];
	int seen[READERS] = { 0 }, most = 0;
	FILE *trace;

	for (int i = 0; i < processors * COUNTERS; i++)
		sprintf(probe + strlen(probe), " c%d=@0x%llx:x64", i,
			(unsigned long long)places[i / COUNTERS] + i % COUNTERS * 8);
	trace = record_walks(probe);
	while (read_record(trace, values, processors * COUNTERS)) {
		const int64_t readers = count_readers(values);

		if (readers >= 0 && readers < READERS)
			seen[readers]++;
	}
	remove_probe(trace);
	for (int i = 1; i < READERS; i++)
		most = seen[i] > seen[most] ? i : most;
	return most;
}

#define STACKS "hist:keys=common_stacktrace"
#define SYNTHETIC "hist:keys=a:x=a:onmatch(user_events.ue_walked).trace(ue_walked_too,$x)"
#define SYNTHETIC_TRIGGER INSTANCE "/events/synthetic/ue_walked_too/trigger"

static int is_7_or_later(void)
{
	struct utsname name;

	return !uname(&name) && atoi(name.release) >= 7;
}

/* The walk of a synthetic event is inside of that of the user event that makes it. */
static void walks_are_readers(void)
{
	uint64_t places[PROCESSORS];
	int user, both;

	if (!is_7_or_later()) {
		answer("probes are freed after RCU, too");
		return;
	}
	processors = sysconf(_SC_NPROCESSORS_CONF);
	set_up_event(&event);
	put_event(&event, "trigger", STACKS);
	find_counters(places);
	user = usual_readers(places);
	put_event(&event, "trigger", "!" STACKS);
	must_put("synthetic_events", "ue_walked_too u32 a");
	put_event(&event, "trigger", SYNTHETIC);
	must_put(SYNTHETIC_TRIGGER, STACKS);
	both = usual_readers(places);
	must_put(SYNTHETIC_TRIGGER, "!" STACKS);
	put_event(&event, "trigger", "!" SYNTHETIC);
	clean_up_event(&event);
	must_put("synthetic_events", "!ue_walked_too");
	answer("user event: %d, synthetic event: %d", user, both - user);
}

const struct surprise srcu_surprises[] = {
	{ "srcu-readers", "readers of tracepoint_srcu, after which Linux 7 frees probes, while probes "
			  "are walked",
	  walks_are_readers },
	{ 0 },
};
