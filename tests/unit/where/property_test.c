/* SPDX-License-Identifier: MIT */
/*
 * Random expressions over random events: the same result as of a second evaluator, and
 * the kernel's part passes all that the expression passes.
 */
#include "events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_model.h"
#include "random_expression.h"
#include "common/records/byte_cursor.h"
#include "common/records/tracepoint.h"

#define ROUNDS 50000

struct random_event {
	struct test_event event;
	struct oracle_value values[32];
	size_t count;
};

/* Bytes of text, and the text that they are. */
static const struct {
	const char *bytes;
	size_t length; /* 0: up to the NUL */
	const char *text;
} texts[] = {
	{ "", 0, "" },		   { "a", 0, "a" },
	{ "GET", 0, "GET" },	   { "GETS", 0, "GETS" },
	{ "1a", 0, "1a" },	   { "11", 0, "11" },
	{ "abcdefgh", 0, "abcdefgh" }, { "GaETbx", 0, "GaETbx" },
	{ "GaETbxGT", 0, "GaETbxGT" }, { "abGET", 0, "abGET" },
	{ "a\0GE", 4, "a" },	   { "\0ab", 3, "" },
	{ "caf\xc3\xa9", 0, "caf\xc3\xa9" }, { "G\xe9T", 0, "G\xc3\xa9T" },
	{ "it's", 0, "it's" },	   { "a b", 0, "a b" },
	{ "*", 0, "*" },	   { "GET\\", 0, "GET\\" },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct oracle_value *add(struct random_event *event, const char *name,
				enum oracle_type type)
{
	struct oracle_value *value = &event->values[event->count++];

	*value = (struct oracle_value){ .name = name, .type = type };
	return value;
}

static void add_text(struct random_event *event, const char *name, const char *text)
{
	strcpy(add(event, name, ORACLE_TEXT)->text, text);
}

/* Often near the ends of a type. */
static uint64_t random_number(void)
{
	static const uint64_t usual[] = {
		0, 1, 2, 3, 44, 127, 128, 200, 255, 256, 300, 32767, 32768, 65535, 65536,
		INT32_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX, UINT64_MAX - 1,
	};
	const uint64_t number = usual[random_below(COUNT(usual))];

	return random_below(3) ? (random_below(3) ? number : 0 - number) : random_bits();
}

/* Classic events */

#define DEFINITION                                                                       \
	"many u8 a; s8 b; u16 c; s16 d; u32 e; s32 f; u64 g; s64 h; char[8] s; char[5] t; " \
	"__rel_loc char[] p; __rel_loc char[] q"

/* In the order of this machine. */
static void store_number(uint8_t *at, uint64_t number, size_t size)
{
	const uint8_t *bytes = (const uint8_t *)&number;

	memcpy(at, bytes + (HOST_IS_BIG_ENDIAN ? sizeof(number) - size : 0), size);
}

static size_t put_number(struct random_event *event, const char *name, size_t at, size_t size,
			 int is_signed)
{
	const unsigned unused = 64 - 8 * (unsigned)size;
	const uint64_t number = random_number() << unused;
	struct oracle_value *value = add(event, name, ORACLE_WHOLE);

	value->whole = is_signed ? (int64_t)number >> unused : (int64_t)(number >> unused);
	if (!is_signed)
		value->whole = number >> unused;
	store_number(event->event.bytes + at, number >> unused, size);
	return at + size;
}

static size_t put_array(struct random_event *event, const char *name, size_t at, size_t size)
{
	size_t i, length;

	do {
		i = random_below(COUNT(texts));
		length = texts[i].length ? texts[i].length : strlen(texts[i].bytes);
	} while (length > size);
	memset(event->event.bytes + at, 0, size);
	memcpy(event->event.bytes + at, texts[i].bytes, length);
	add_text(event, name, texts[i].text);
	return at + size;
}

/* The location at at, the text at end. The kernel accepts a length of 0, too. */
static size_t put_dynamic(struct random_event *event, const char *name, size_t at, size_t end)
{
	const size_t i = random_below(COUNT(texts));
	const size_t length = texts[i].length ? texts[i].length : strlen(texts[i].bytes);
	uint32_t location = 0;

	if (length || random_below(2)) {
		location = (uint32_t)((length + 1) << 16 | (end - at - 4));
		memcpy(event->event.bytes + end, texts[i].bytes, length);
		event->event.bytes[end + length] = '\0';
		end += length + 1;
	}
	memcpy(event->event.bytes + at, &location, 4);
	add_text(event, name, texts[i].text);
	event->values[event->count - 1].has_nul = texts[i].length != 0;
	return end;
}

static void add_properties(struct random_event *event, const char *meta[])
{
	add(event, meta[0], ORACLE_WHOLE)->whole = event->event.record.sample.pid;
	add(event, meta[1], ORACLE_WHOLE)->whole = event->event.record.sample.tid;
	add(event, meta[2], ORACLE_WHOLE)->whole = event->event.record.sample.cpu;
	add_text(event, meta[3], event->event.record.sample.comm);
	/* these are compared with whole numbers alone */
	for (size_t i = event->count - 4; i < event->count - 1; i++)
		event->values[i].has_no_order = 1;
}

static void random_sample(struct ue_sample *sample)
{
	static const char *const comms[] = { "worker", "GET", "a", "", "1a", "it's", "*",
					     "fifteen letters" };

	*sample = usual_sample;
	sample->pid = (uint32_t)random_below(300);
	sample->tid = (uint32_t)random_below(300);
	sample->cpu = (uint32_t)random_below(4);
	sample->comm = comms[random_below(COUNT(comms))];
}

static void random_classic(struct random_event *event, struct tracepoint *tracepoint)
{
	static const char *names[] = { "pid", "tid", "cpu", "comm" };
	static const size_t sizes[] = { 1, 1, 2, 2, 4, 4, 8, 8 };
	size_t at = 0, end;

	event->count = 0;
	random_sample(&event->event.record.sample);
	for (size_t i = 0; i < 8; i++) {
		static const char *const letters[] = { "a", "b", "c", "d", "e", "f", "g", "h" };

		at = put_number(event, letters[i], at, sizes[i], i & 1);
	}
	at = put_array(event, "s", at, 8);
	at = put_array(event, "t", at, 5);
	end = put_dynamic(event, "p", at, at + 8);
	end = put_dynamic(event, "q", at + 4, end);
	add_properties(event, names);
	add_text(event, "provider", "user_events");
	add_text(event, "event", "many");
	add(event, "zz", ORACLE_ABSENT);
	add(event, "level", ORACLE_ABSENT)->has_no_order = 1;
	test_event_begin(&event->event, tracepoint, end);
}

/* EventHeader events */

static const char *const field_names[] = { "a", "b", "g", "h", "x", "s", "p" };

static void put_field(struct random_event *event, struct ue_builder *builder, size_t i)
{
	const uint64_t number = random_number();
	const char *name = field_names[i];
	const size_t text = random_below(8);
	struct oracle_value *value = add(event, name, i < 4 ? ORACLE_WHOLE : i < 5 ?
							      ORACLE_FLOAT : ORACLE_TEXT);

	switch (i) {
	case 0:
		value->whole = (uint8_t)number;
		ue_builder_u8(builder, name, (uint8_t)number);
		break;
	case 1:
		value->whole = (int8_t)number;
		ue_builder_s8(builder, name, (int8_t)number);
		break;
	case 2:
		value->whole = number;
		ue_builder_u64(builder, name, number);
		break;
	case 3:
		value->whole = (int64_t)number;
		ue_builder_s64(builder, name, (int64_t)number);
		break;
	case 4:
		value->number = random_below(8) ? (double)(int64_t)number / (double)(1 + text) :
						  __builtin_nan("");
		ue_builder_f64(builder, name, value->number);
		break;
	default:
		strcpy(value->text, texts[text].text);
		ue_builder_string(builder, name, value->text);
	}
}

static void random_eventheader(struct random_event *event, struct tracepoint *tracepoint)
{
	static const char *names[] = { "meta.pid", "tid", "meta.cpu", "meta.comm" };
	static struct ue_builder *builder;
	const void *bytes;
	long length;

	if (!builder)
		builder = ue_builder_new();
	event->count = 0;
	random_sample(&event->event.record.sample);
	ue_builder_begin(builder, "Order", 0);
	for (size_t i = 0; i < COUNT(field_names); i++)
		if (random_below(2))
			put_field(event, builder, i);
		else
			add(event, field_names[i], ORACLE_ABSENT);
	length = ue_builder_bytes(builder, 3, NULL, NULL, &bytes);
	assert_uint_in_range(length, 8, sizeof(event->event.bytes));
	memcpy(event->event.bytes, bytes, (size_t)length);
	add_properties(event, names);
	add_text(event, "meta.provider", "Shop");
	add_text(event, "event", "Order");
	add(event, "meta.level", ORACLE_WHOLE)->whole = 3;
	add(event, "meta.keyword", ORACLE_WHOLE)->whole = 0x1f;
	for (size_t i = event->count - 2; i < event->count; i++)
		event->values[i].has_no_order = 1;
	test_event_begin(&event->event, tracepoint, (size_t)length);
}

/* All of it */

static unsigned long passed, for_kernel, kernel_refused;

static void try_kernel(struct where *where, const struct random_event *event,
		       const char *expression, int passes, unsigned abilities)
{
	const struct record *record = &event->event.record;
	char comm[16] = "";
	struct kernel_record kernel = {
		.layout = &record->tracepoint->format,
		.bytes = event->event.bytes,
		.length = record->length,
		.comm = comm,
		.cpu = (int)record->sample.cpu,
		.pid = (int)record->sample.tid,
		.globs_end_at_nul = (int)random_below(2),
	};
	char *filter = where_for_kernel_able(where, record->tracepoint, abilities);
	int kernel_result;

	if (!filter)
		return;
	strncpy(comm, record->sample.comm, 15);
	kernel_result = kernel_passes(filter, &kernel);
	for_kernel++;
	kernel_refused += !kernel_result;
	if (kernel_result < 0 || (passes && !kernel_result))
		fail_msg("%s\nis for the kernel\n%s\nwhich %s", expression, filter,
			 kernel_result < 0 ? "it would refuse" :
					     "does not pass an event that passes");
	free(filter);
}

static void try_expression(struct random_event *event)
{
	struct tree *tree = tree_random(event->values, event->count, 4);
	const int expected = tree_passes(tree, event->values, event->count) > 0;
	char text[4096];
	struct where *where;
	int passes;

	tree_print(tree, text, sizeof(text));
	where = where_parse(text);
	passes = where ? where_passes(where, &event->event.event) : -2;
	if (passes != expected)
		fail_msg("%s: %d, not %d", text, passes, expected);
	passed += (unsigned)passes;
	try_kernel(where, event, text, passes, WHERE_KERNEL_TEXT | WHERE_KERNEL_TID);
	if (!random_below(4))
		try_kernel(where, event, text, passes, 0);
	where_free(where);
	tree_free(tree);
}

static void try_many(const char *definition,
		     void (*make)(struct random_event *, struct tracepoint *))
{
	static struct random_event event;
	struct tracepoint *tracepoint = test_tracepoint(definition);

	passed = for_kernel = kernel_refused = 0;
	for (int i = 0; i < ROUNDS; i++) {
		make(&event, tracepoint);
		try_expression(&event);
	}
	print_message("%lu of %d passed, %lu went to the kernel, which refused %lu\n", passed,
		      ROUNDS, for_kernel, kernel_refused);
	assert_uint_in_range(passed, ROUNDS / 10, ROUNDS * 9 / 10);
}

static void classic_events_pass_alike_everywhere(void **state)
{
	(void)state;
	try_many(DEFINITION, random_classic);
	assert_uint_in_range(for_kernel, ROUNDS / 4, ROUNDS * 2);
	assert_uint_in_range(kernel_refused, for_kernel / 4, for_kernel);
}

static void eventheader_events_pass_alike_everywhere(void **state)
{
	(void)state;
	try_many("Shop_L3K1f " UE_EVENTHEADER_FIELDS, random_eventheader);
	assert_uint_in_range(for_kernel, 1, ROUNDS);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classic_events_pass_alike_everywhere),
		cmocka_unit_test(eventheader_events_pass_alike_everywhere),
	};

	random_state = argc > 1 ? strtoull(argv[1], NULL, 0) | 1 : 20261122;
	return cmocka_run_group_tests(tests, NULL, events_end);
}
