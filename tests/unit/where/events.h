/* SPDX-License-Identifier: MIT */
/* Events for tests of expressions, and the messages about them. */
#ifndef UE__TESTS_UNIT_WHERE_EVENTS_H
#define UE__TESTS_UNIT_WHERE_EVENTS_H

#include "../test.h"

#include <userevents/builder.h>

#include "common/events/recorded_event.h"
#include "common/where/where.h"

struct test_event {
	struct event event;
	struct record record;
	uint8_t bytes[4096];
};

/* pid 10, tid 11, comm "worker", cpu 3, 853.5 seconds. */
extern const struct ue_sample usual_sample;

/* An event of this definition; events_end() frees it. */
struct tracepoint *test_tracepoint(const char *definition);
/* Read the event whose bytes and sample are set. */
void test_event_begin(struct test_event *event, struct tracepoint *tracepoint, size_t length);
/* A classic event: its definition, and "FIELD=VALUE" for every field, up to NULL. */
void classic_event(struct test_event *event, const char *definition, const char *const *values);
/* An event from its builder, of tracepoint Shop_L3K1f. */
void eventheader_event(struct test_event *event, struct ue_builder *builder,
		       const struct ue_activity *activity);
/*
 * The events of the tables of tests: "c" user_events:order, "e" Shop:Order, "h" a classic event
 * whose fields hide properties.
 */
struct test_event *usual_event(char name);
/* The end of a group of tests: frees all of the above. */
int events_end(void **state);

/* Between these, standard error is collected; the text is valid until the next begin. */
void errors_begin(void);
const char *errors_end(void);

#endif
