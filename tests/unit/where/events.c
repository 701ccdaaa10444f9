/* SPDX-License-Identifier: MIT */
/* Makes events of definitions and builders. */
#include "events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <userevents/eventheader_event.h>

#include "common/compose/compose.h"
#include "common/records/byte_cursor.h"
#include "common/records/tracepoint.h"

static struct event_kinds kinds;
static struct tracepoint *tracepoints[4096];
static size_t tracepoint_count;

const struct ue_sample usual_sample = {
	.size = sizeof(struct ue_sample),
	.present = UE_META_TIME | UE_META_CPU | UE_META_PID | UE_META_TID | UE_META_COMM,
	.time = 853500000000,
	.cpu = 3,
	.pid = 10,
	.tid = 11,
	.comm = "worker",
};

struct tracepoint *test_tracepoint(const char *definition)
{
	struct tracepoint *tracepoint = tracepoint_define(definition, HOST_IS_BIG_ENDIAN);

	assert_non_null(tracepoint);
	assert_true(tracepoint_count < 4096);
	tracepoint->has_no_common = 1;
	return tracepoints[tracepoint_count++] = tracepoint;
}

void test_event_begin(struct test_event *event, struct tracepoint *tracepoint, size_t length)
{
	event->record.tracepoint = tracepoint;
	event->record.bytes = event->bytes;
	event->record.length = length;
	event_read(&event->event, &event->record, &kinds);
}

void classic_event(struct test_event *event, const char *definition, const char *const *values)
{
	static struct payload payload;
	struct tracepoint *tracepoint = test_tracepoint(definition);
	int count = 0;

	while (values[count])
		count++;
	assert_int_equal(payload_build(&payload, definition, &tracepoint->format, count,
				       (char **)(uintptr_t)values, "test"), 0);
	assert_true(payload.length <= sizeof(event->bytes));
	memcpy(event->bytes, payload.bytes, payload.length);
	event->record.sample = usual_sample;
	test_event_begin(event, tracepoint, payload.length);
}

void eventheader_event(struct test_event *event, struct ue_builder *builder,
		       const struct ue_activity *activity)
{
	const void *bytes;
	long length = ue_builder_bytes(builder, 3, activity, NULL, &bytes);

	assert_uint_in_range(length, 8, sizeof(event->bytes));
	memcpy(event->bytes, bytes, (size_t)length);
	event->record.sample = usual_sample;
	test_event_begin(event, test_tracepoint("Shop_L3K1f " UE_EVENTHEADER_FIELDS),
			 (size_t)length);
	assert_non_null(event->event.info);
}

static void make_classic(struct test_event *event)
{
	classic_event(event,
		      "order u64 id; s64 delta; u8 small; s8 tiny; u32 status; char[8] verb; "
		      "unsigned char[4] raw; __rel_loc char[] path; __rel_loc char[] empty",
		      (const char *const[]){ "id=18446744073709551615", "delta=-5", "small=200",
					     "tiny=-100", "status=404", "verb=GET",
					     "raw=0,255,16,170", "path=/caf\xc3\xa9/a*b",
					     "empty=", NULL });
}

static void make_eventheader(struct test_event *event)
{
	static const struct ue_activity activity = {
		{ 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0x01, 0x23, 0x45, 0x67, 0x89,
		  0xab, 0xcd, 0xef },
	};
	static const uint16_t sizes[] = { 7, 8, 9 };
	struct ue_builder *builder = ue_builder_new();

	ue_builder_begin(builder, "Order;a=b", UE_ID(7, 2) | UE_OPCODE(1));
	ue_builder_u32(builder, "status;x=y", 500);
	ue_builder_f64(builder, "price", 9.5);
	ue_builder_f64(builder, "none", __builtin_nan(""));
	ue_builder_bool(builder, "paid", 1);
	ue_builder_string(builder, "path", "/order");
	ue_builder_struct_begin(builder, "client", 0);
	ue_builder_u16(builder, "port", 8080);
	ue_builder_string(builder, "name", "alice");
	ue_builder_struct_end(builder);
	ue_builder_add(builder, "sizes", UE_ENCODING_VALUE16 | UE_ENCODING_VARRAY,
		       UE_FORMAT_UNSIGNED_INT, sizes, 3);
	ue_builder_s32(builder, "user id", -3);
	ue_builder_u64(builder, "big", UINT64_MAX);
	ue_builder_string(builder, "twice", "aabaab");
	ue_builder_add(builder, "nul", UE_ENCODING_STRING_LENGTH16_CHAR8,
		       UE_FORMAT_STRING_UTF, "a\0b", 3);
	eventheader_event(event, builder, &activity);
	ue_builder_free(builder);
}

static void make_hiding(struct test_event *event)
{
	classic_event(event,
		      "hiding __rel_loc char[] level; u64 time; u32 pid; __rel_loc char[] id; "
		      "u32 event; u32 meta",
		      (const char *const[]){ "level=warn", "time=5", "pid=77", "id=abc",
					     "event=9", "meta=4", NULL });
}

struct test_event *usual_event(char name)
{
	static const struct {
		char name;
		void (*make)(struct test_event *);
	} makers[] = { { 'c', make_classic }, { 'e', make_eventheader }, { 'h', make_hiding } };
	static struct test_event events[3];

	for (size_t i = 0; i < 3; i++) {
		if (makers[i].name != name)
			continue;
		if (!events[i].record.tracepoint)
			makers[i].make(&events[i]);
		return &events[i];
	}
	fail_msg("there is no event %c", name);
	return NULL;
}

int events_end(void **state)
{
	(void)state;
	while (tracepoint_count)
		tracepoint_free(tracepoints[--tracepoint_count]);
	event_kinds_free(&kinds);
	return 0;
}

/* A file in the place of descriptor 2; not every libc lets stderr itself be replaced. */
static FILE *file;
static int real_stderr;
static char errors[10000];

void errors_begin(void)
{
	file = tmpfile();
	fflush(stderr);
	real_stderr = dup(STDERR_FILENO);
	assert_true(file && real_stderr >= 0);
	assert_int_equal(dup2(fileno(file), STDERR_FILENO), STDERR_FILENO);
}

const char *errors_end(void)
{
	size_t length;

	fflush(stderr);
	assert_int_equal(dup2(real_stderr, STDERR_FILENO), STDERR_FILENO);
	close(real_stderr);
	rewind(file);
	length = fread(errors, 1, sizeof(errors), file);
	fclose(file);
	assert_true(length < sizeof(errors));
	errors[length] = '\0';
	return errors;
}
