/* SPDX-License-Identifier: MIT */
/*
 * EventHeader events: rejected input, limits, and the cost while disabled.
 * tests/golden/write_test.c tests the written bytes. A packet socket replaces
 * user_events_data.
 */
#define _GNU_SOURCE
#include "test.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <userevents/eventheader_name.h>
#include <userevents/userevents.h>

#include "../support/number_bytes.h"
#include "../support/packet_socket.h"
#include "state/binding.h"
#include "connect/init_tracepoint.h"

UE_PROVIDER(grouped, "P", "g9");
UE_PROVIDER(plain, "P");
UE_PROVIDER(blank, "a b");
UE_PROVIDER(colon, "a:b");
UE_PROVIDER(upper, "P", "aB");

UE_TRACEPOINT(t, plain, UE_LEVEL_VERBOSE, 0);
UE_TRACEPOINT(t_group, grouped, UE_LEVEL_ERROR, 0xffffffffffffffff);
UE_TRACEPOINT(t_255, plain, 255, 0x10);
UE_TRACEPOINT(t_blank, blank, 1, 0);
UE_TRACEPOINT(t_colon, colon, 1, 0);
UE_TRACEPOINT(t_upper, upper, 1, 0);
UE_TRACEPOINT(t_persist, plain, 1, 0x20, UE_EVENT_PERSIST);

struct element {
	uint8_t u;
	const char *s;
	struct ue_span blob;
	const void *id;
};

struct numbers {
	bool on;
	enum { ZERO, SEVEN = 7 } which;
	unsigned long long large;
};

UE_EVENTHEADER(t, none);
UE_EVENTHEADER(t, number, UE_U32(a));
UE_EVENTHEADER(t, text, UE_STRING(a));
UE_EVENTHEADER(t, blob, UE_BLOB(a));
UE_EVENTHEADER(t, bytes, UE_BYTES(a, 3));
UE_EVENTHEADER(t, id, UE_UUID(a));
UE_EVENTHEADER(t, fixed, UE_ARRAY(UE_U16(a), 2));
UE_EVENTHEADER(t, sequence, UE_SEQUENCE(UE_U16(a)));
UE_EVENTHEADER(t, texts, UE_SEQUENCE(UE_STRING(a)));
UE_EVENTHEADER(t, two_texts, UE_ARRAY(UE_STRING(a), 2));
UE_EVENTHEADER(t, blobs, UE_SEQUENCE(UE_BLOB(a)));
UE_EVENTHEADER(t, two_blobs, UE_ARRAY(UE_BLOB(a), 2));
UE_EVENTHEADER(t, wide, UE_STRING16(a));
UE_EVENTHEADER(t, counted32, UE_COUNTED_STRING32(a));
UE_EVENTHEADER(t, elements, UE_U8(before),
	     UE_STRUCTS(struct element, e, UE_U8(u), UE_STRING(s), UE_BLOB(blob),
			UE_UUID(id)),
	     UE_U8(after));
UE_EVENTHEADER(t, numbers,
	     UE_STRUCTS(struct numbers, e, UE_BOOL(on), UE_U32(which), UE_U64(large)));
UE_EVENTHEADER(t, two_elements, UE_STRUCT_ARRAY(struct element, e, 2, UE_U8(u)));
UE_EVENTHEADER(t, between, UE_STRING(a), UE_U64(b), UE_ARRAY(UE_U64(c), 32), UE_STRING(d));
UE_EVENTHEADER(t, numbers_and_strings, UE_U8(a), UE_U64(b), UE_U64(c), UE_U16(d), UE_STRING(e),
	     UE_U32(f), UE_STRING(g), UE_STRING(h), UE_U32(i), UE_U64(j), UE_U64(k), UE_U64(l));
UE_EVENTHEADER(t, many, UE_U16(a), UE_BLOB(b), UE_STRING(c), UE_U64(d), UE_STRING16(e),
	     UE_SEQUENCE(UE_U32(f)), UE_SEQUENCE(UE_STRING(g)), UE_U8(h), UE_BLOB(i),
	     UE_NULLABLE(UE_U32(j)));

static const struct ue_activity activity = { { 1 } };

static int connect_events(void **state)
{
	(void)state;
	if (open_socket())
		return -1;
	listen_to(UE_EVENT_OF(t), UE_PAYLOAD_MAX_PERF);
	return 0;
}

/* Tracepoints */

static void defined_as(struct ue_event *event, const char *name)
{
	struct ue_eventheader_name parts;
	struct ue_tracepoint same;
	char group[256], provider[256];

	assert_int_equal(ue_tracepoint_check((struct ue_tracepoint *)event, NULL), 0);
	assert_int_equal(ue__tracepoint_define(event), 0);
	assert_int_equal(strncmp(event->definition, name, strlen(name)), 0);
	assert_string_equal(event->definition + strlen(name),
			    " u8 eventheader_flags; u8 version; u16 id; u16 tag; u8 "
			    "opcode; u8 level");
	/* A tracepoint made at run time is the same. */
	assert_int_equal(ue_eventheader_name_parse(name, strlen(name), &parts, NULL), 0);
	snprintf(provider, sizeof(provider), "%.*s", (int)parts.provider_length,
		 parts.provider);
	snprintf(group, sizeof(group), "%.*s", (int)parts.group_length, parts.group);
	assert_int_equal(ue_tracepoint_init(&same, provider, group, parts.level,
					    parts.keyword, 0, NULL), 0);
	assert_string_equal(same.event.definition, event->definition);
	assert_int_equal(same.event.ue__fixed_size, 0);
	assert_int_equal(ue_enabled(&same.event), 0);
}

static void tracepoint_names(void **state)
{
	(void)state;
	defined_as(UE_EVENT_OF(t), "P_L5K0");
	defined_as(UE_EVENT_OF(t_group), "P_L2KffffffffffffffffGg9");
	defined_as(UE_EVENT_OF(t_255), "P_LffK10");
	defined_as(UE_EVENT_OF(t_persist), "P_L1K20");
	assert_int_equal(UE_EVENT_OF(t_persist)->flags, UE_EVENT_PERSIST);
	assert_int_equal(UE_EVENT_OF(t)->flags, 0);
}

static void malformed_tracepoints(void **state)
{
	static const struct {
		const char *provider, *group;
		uint32_t level, fault;
		size_t offset;
	} cases[] = {
		{ NULL, NULL, 1, UE_FAULT_NAME_PROVIDER, 0 },
		{ "", NULL, 1, UE_FAULT_NAME_PROVIDER, 0 },
		{ "ab c", NULL, 1, UE_FAULT_NAME_PROVIDER, 2 },
		{ "a:b", NULL, 1, UE_FAULT_NAME_PROVIDER, 1 },
		{ "a/b", NULL, 1, UE_FAULT_NAME_PROVIDER, 1 },
		{ "a;b", NULL, 1, UE_FAULT_NAME_PROVIDER, 1 },
		{ "a\tb", NULL, 1, UE_FAULT_NAME_PROVIDER, 1 },
		{ "abc\x7f", NULL, 1, UE_FAULT_NAME_PROVIDER, 3 },
		{ "P", "A", 1, UE_FAULT_NAME_OPTIONS, 0 },
		{ "P", "ab_c", 1, UE_FAULT_NAME_OPTIONS, 2 },
		{ "P", "ab c", 1, UE_FAULT_NAME_OPTIONS, 2 },
		{ "P", "g\xc3\xa9", 1, UE_FAULT_NAME_OPTIONS, 1 },
		{ "P", NULL, 0, UE_FAULT_NAME_NO_LEVEL, 0 },
		{ "P", NULL, 256, UE_FAULT_NAME_NO_LEVEL, 0 },
		{ "P", NULL, 257, UE_FAULT_NAME_NO_LEVEL, 0 },
		{ "P", NULL, UINT32_MAX, UE_FAULT_NAME_NO_LEVEL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct ue_eventheader_error error = { 0 };
		struct ue_tracepoint made;

		assert_int_equal(ue_tracepoint_init(&made, cases[i].provider,
						    cases[i].group, cases[i].level, 0, 0,
						    &error), -EINVAL);
		assert_int_equal(error.error, -EINVAL);
		assert_int_equal(error.fault, cases[i].fault);
		assert_int_equal(error.offset, cases[i].offset);
		assert_string_equal(error.reason, ue_name(UE_NAME_FAULT_REASON,
							  cases[i].fault));
		assert_int_equal(ue_tracepoint_init(&made, cases[i].provider,
						    cases[i].group, cases[i].level, 0, 0,
						    NULL), -EINVAL);
		/* The session does not exist, but the call does not check that. */
		assert_int_equal(ue_register(-1, &made.event), -EINVAL);
		assert_int_equal(ue_enabled(&made.event), 0);
	}
}

static void malformed_static_tracepoints(void **state)
{
	struct ue_event *const events[] = { UE_EVENT_OF(t_blank), UE_EVENT_OF(t_colon),
					    UE_EVENT_OF(t_upper) };

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct ue_eventheader_error error = { 0 };

		assert_int_equal(ue_tracepoint_check((struct ue_tracepoint *)events[i],
						     &error), -EINVAL);
		assert_int_equal(error.offset, 1);
		assert_int_equal(ue_register(-1, events[i]), -EINVAL);
		assert_int_equal(ue_register(-1, events[i]), -EINVAL);
	}
	assert_int_equal(ue_register(-1, UE_EVENT_OF(t_255)), -EBADF);
}

struct failures {
	char text[1000];
	size_t length;
};

static void note_failure(const struct ue_event *event, int error, void *context)
{
	struct failures *failures = context;

	failures->length += (size_t)snprintf(failures->text + failures->length,
					     sizeof(failures->text) - failures->length,
					     "%s: %d\n", event->definition, error);
}

/* Its name cannot be registered, but can still be looked up. */
static void a_malformed_tracepoint_is_reported_by_its_name(void **state)
{
	static char too_long[300];
	static struct ue_tracepoint made;
	struct ue_event *events[] = { UE_EVENT_OF(t_blank), UE_EVENT_OF(t_colon),
				      UE_EVENT_OF(t_upper), &made.event };
	const struct ue__module module = { .begin = events, .end = events + 4 };
	struct failures failures;

	(void)state;
	memset(too_long, 'x', sizeof(too_long) - 1);
	assert_int_equal(ue_tracepoint_init(&made, too_long, NULL, 1, 0, 0, NULL),
			 -ENAMETOOLONG);
	for (int i = 0; i < 2; i++) {
		failures = (struct failures){ .length = 0 };
		assert_int_equal(ue__register_events(1000, &module, note_failure,
						     &failures),
				 -EINVAL);
		assert_true(strstr(failures.text, "a b_L1K0: -22\n") == failures.text);
		assert_non_null(strstr(failures.text, "\na:b_L1K0: -22\n"));
		assert_non_null(strstr(failures.text, "\nP_L1K0GaB: -22\nxxxxx"));
		assert_non_null(strstr(failures.text, "xxx_L1K0: -36\n"));
	}
	made.ue__own.provider = "short";
	assert_int_equal(ue_register(1000, &made.event), -EBADF);
	assert_int_equal(strncmp(made.event.definition, "short_L1K0 ", 11), 0);
}

static int init_of_length(size_t provider, size_t group)
{
	char names[2][400];
	struct ue_tracepoint made;
	struct ue_eventheader_error error = { 0 };
	int result;

	memset(names, 'a', sizeof(names));
	names[0][provider] = names[1][group] = '\0';
	result = ue_tracepoint_init(&made, names[0], names[1], 255, UINT64_MAX, 0, &error);
	assert_int_equal(error.error, result);
	if (result)
		assert_int_equal(ue_register(-1, &made.event), result);
	else
		assert_int_equal(strcspn(made.event.definition, " "),
				 provider + 21 + (group ? group + 1 : 0));
	return result;
}

/* "_LffKffffffffffffffff" has 21 bytes. */
static void tracepoint_lengths(void **state)
{
	(void)state;
	assert_int_equal(init_of_length(1, 0), 0);
	assert_int_equal(init_of_length(234, 0), 0);
	assert_int_equal(init_of_length(235, 0), -ENAMETOOLONG);
	assert_int_equal(init_of_length(1, 232), 0);
	assert_int_equal(init_of_length(1, 233), -ENAMETOOLONG);
	assert_int_equal(init_of_length(232, 1), 0);
	assert_int_equal(init_of_length(233, 1), -ENAMETOOLONG);
	assert_int_equal(init_of_length(399, 0), -ENAMETOOLONG);
	assert_int_equal(init_of_length(1, 399), -ENAMETOOLONG);
}

static void tracepoint_flags(void **state)
{
	struct ue_eventheader_error error = { 0 };
	struct ue_tracepoint made;

	(void)state;
	assert_int_equal(ue_tracepoint_init(&made, "P", NULL, 1, 0,
					    UE_EVENT_PERSIST | UE_EVENT_MULTI_FORMAT,
					    &error), 0);
	assert_int_equal(error.error, 0);
	assert_null(error.reason);
	assert_int_equal(made.event.flags, UE_EVENT_PERSIST | UE_EVENT_MULTI_FORMAT);
	assert_int_equal(ue_register(-1, &made.event), -EBADF);
	assert_int_equal(ue_tracepoint_init(&made, "P", NULL, 1, 0, 4, NULL), -EINVAL);
	assert_int_equal(ue_register(-1, &made.event), -EINVAL);
}

/* Rejected input */

static void related_without_activity(void **state)
{
	(void)state;
	assert_int_equal(UE_WRITE_ACTIVITY(ends[0], NULL, &activity, none), -EINVAL);
	assert_int_equal(UE_WRITE_ACTIVITY(ends[0], NULL, &activity, text, "x"), -EINVAL);
	assert_int_equal(UE_WRITE_EVENTHEADER_WITH(ends[0], t, 0, NULL, &activity, "none"), -EINVAL);
	assert_int_equal(UE_WRITE_EVENTHEADER_WITH(ends[0], t, 0, NULL, &activity, "text",
				     UE_STRING(a, "x")), -EINVAL);
	nothing_arrived();
}

static void bytes_that_are_missing(void **state)
{
	static const struct ue_span spans[] = { { "", 0 }, { NULL, 1 } };

	(void)state;
	assert_int_equal(UE_WRITE(ends[0], blob, NULL, 1), -EFAULT);
	assert_int_equal(UE_WRITE(ends[0], bytes, NULL), -EFAULT);
	assert_int_equal(UE_WRITE(ends[0], id, NULL), -EFAULT);
	assert_int_equal(UE_WRITE(ends[0], fixed, NULL), -EFAULT);
	assert_int_equal(UE_WRITE(ends[0], sequence, NULL, 1), -EFAULT);
	assert_int_equal(UE_WRITE(ends[0], texts, NULL, 1), -EFAULT);
	assert_int_equal(UE_WRITE(ends[0], two_texts, NULL), -EFAULT);
	assert_int_equal(UE_WRITE(ends[0], blobs, NULL, 1), -EFAULT);
	assert_int_equal(UE_WRITE(ends[0], blobs, spans, 2), -EFAULT);
	assert_int_equal(UE_WRITE(ends[0], two_blobs, NULL), -EFAULT);
	assert_int_equal(UE_WRITE(ends[0], two_blobs, spans), -EFAULT);
	assert_int_equal(UE_WRITE(ends[0], counted32, NULL, 1), -EFAULT);
	assert_int_equal(UE_WRITE(ends[0], two_elements, NULL), -EFAULT);
	assert_int_equal(UE_WRITE(ends[0], elements, 1, NULL, 1, 2), -EFAULT);
	assert_int_equal(UE_WRITE_EVENTHEADER(ends[0], t, "e", UE_BLOB(a, NULL, 1)), -EFAULT);
	assert_int_equal(UE_WRITE_EVENTHEADER(ends[0], t, "e", UE_BYTES(a, 3, NULL)), -EFAULT);
	assert_int_equal(UE_WRITE_EVENTHEADER(ends[0], t, "e", UE_UUID(a, NULL)), -EFAULT);
	assert_int_equal(UE_WRITE_EVENTHEADER(ends[0], t, "e", UE_ARRAY(UE_U16(a, NULL), 2)), -EFAULT);
	assert_int_equal(UE_WRITE_EVENTHEADER(ends[0], t, "e", UE_SEQUENCE(UE_U16(a, NULL, 1))),
			 -EFAULT);
	assert_int_equal(UE_WRITE_EVENTHEADER(ends[0], t, "e", UE_SEQUENCE(UE_STRING(a, NULL, 1))),
			 -EFAULT);
	assert_int_equal(UE_WRITE_EVENTHEADER(ends[0], t, "e", UE_ARRAY(UE_STRING(a, NULL), 2)),
			 -EFAULT);
	assert_int_equal(UE_WRITE_EVENTHEADER(ends[0], t, "e", UE_SEQUENCE(UE_BLOB(a, spans, 2))),
			 -EFAULT);
	assert_int_equal(UE_WRITE_EVENTHEADER(ends[0], t, "e", UE_ARRAY(UE_BLOB(a, NULL), 2)), -EFAULT);
	nothing_arrived();
}

/* Members may have any type of the size of their field. */
static void numbers_of_elements(void **state)
{
	static const struct numbers e[] = { { true, SEVEN, 0x1122334455667788 },
					    { false, ZERO, 1 } };
	static const char expected_bytes[] =
		SMALL2("\2")
		"\1" SMALL4("\7")
		NUMBER8("\x11", "\x22", "\x33", "\x44", "\x55", "\x66", "\x77", "\x88")
		"\0" SMALL4("\0") SMALL8("\1");
	const size_t expected_size = sizeof(expected_bytes) - 1;
	size_t size;

	(void)state;
	assert_int_equal(UE_WRITE(ends[0], numbers, e, 2), 0);
	size = receive();
	assert_memory_equal(got + 4 + size - expected_size, expected_bytes, expected_size);
	assert_int_equal(UE_WRITE(ends[0], numbers, NULL, 0), 0);
	size = receive();
	assert_memory_equal(got + 4 + size - 2, "\0\0", 2);
}

/* In elements, the first and the last, and before and after a value that is too large. */
static void elements_that_are_wrong(void **state)
{
	static char large[9000];
	struct element e[3] = {
		{ 1, "a", { "b", 1 }, "0123456789abcdef" },
		{ 2, NULL, { NULL, 0 }, "0123456789abcdef" },
		{ 3, "c", { "d", 1 }, "0123456789abcdef" },
	};

	(void)state;
	assert_int_equal(UE_WRITE(ends[0], elements, 1, e, 3, 2), 0);
	receive();
	for (int i = 0; i < 3; i++) {
		const struct element good = e[i];

		e[i].blob = (struct ue_span){ NULL, 1 };
		assert_int_equal(UE_WRITE(ends[0], elements, 1, e, 3, 2), -EFAULT);
		e[i] = good;
		e[i].id = NULL;
		assert_int_equal(UE_WRITE(ends[0], elements, 1, e, 3, 2), -EFAULT);
		e[i] = good;
		e[i].blob = (struct ue_span){ large, 65536 };
		assert_int_equal(UE_WRITE(ends[0], elements, 1, e, 3, 2), -EMSGSIZE);
		e[i].blob = (struct ue_span){ large, 9000 };
		assert_int_equal(UE_WRITE(ends[0], elements, 1, e, 3, 2), -EMSGSIZE);
		e[i] = good;
	}
	assert_int_equal(UE_WRITE(ends[0], elements, 1, e, 65536, 2), -EMSGSIZE);
	nothing_arrived();
	assert_int_equal(UE_WRITE(ends[0], elements, 1, e, 3, 2), 0);
	receive();
}

/* A description that nearly fills the largest payload, 8,184 bytes. */
#define TEN "aaaaaaaaaa"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
#define THOUSAND \
	HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED
#define LABEL \
	THOUSAND THOUSAND THOUSAND THOUSAND THOUSAND THOUSAND THOUSAND THOUSAND HUNDRED
UE_EVENTHEADER_WITH(t, nearly_full, LABEL, 0, UE_STRING(a));
#define LEFT (8184 - (8 + 4 + sizeof(LABEL) + 3 + 1))

static void the_largest_payload_arrives(void **state)
{
	static const struct ue_activity own = { { 1 } }, other = { { 2 } };
	char text[LEFT + 2];

	(void)state;
	for (size_t extra = 0; extra <= 36; extra += extra ? 16 : 20) {
		for (size_t more = 0; more < 2; more++) {
			const size_t length = LEFT - extra + more;
			int result;

			memset(text, 'x', length);
			text[length] = '\0';
			result = UE_WRITE_ACTIVITY(ends[0], extra ? &own : NULL,
						   extra == 36 ? &other : NULL,
						   nearly_full, text);
			assert_int_equal(result, more ? -EMSGSIZE : 0);
			if (!more)
				assert_int_equal(receive(), 8184);
			if (!extra)
				assert_int_equal(UE_WRITE(ends[0], nearly_full, text),
						 more ? -EMSGSIZE : 0);
			if (!extra && !more)
				assert_int_equal(receive(), 8184);
		}
	}
	nothing_arrived();
}

static void counts(void **state)
{
	static char bytes_of[70000];
	static const char *strings[70000];
	static struct ue_span spans[2];

	(void)state;
	spans[1] = (struct ue_span){ bytes_of, 65536 };
	for (size_t count = 65536; count <= 70000; count += 70000 - 65536) {
		assert_int_equal(UE_WRITE(ends[0], blob, bytes_of, count), -EMSGSIZE);
		assert_int_equal(UE_WRITE(ends[0], sequence, (uint16_t *)(void *)bytes_of,
					  count), -EMSGSIZE);
		assert_int_equal(UE_WRITE(ends[0], texts, strings, count), -EMSGSIZE);
		assert_int_equal(UE_WRITE_EVENTHEADER(ends[0], t, "e", UE_BLOB(a, bytes_of, count)),
				 -EMSGSIZE);
		assert_int_equal(UE_WRITE_EVENTHEADER(ends[0], t, "e",
					UE_SEQUENCE(UE_STRING(a, strings, count))),
				 -EMSGSIZE);
	}
	assert_int_equal(UE_WRITE(ends[0], blob, bytes_of, SIZE_MAX), -EMSGSIZE);
#if SIZE_MAX > UINT32_MAX
	assert_int_equal(UE_WRITE(ends[0], blob, bytes_of, (size_t)1 << 32), -EMSGSIZE);
#endif
	assert_int_equal(UE_WRITE(ends[0], blobs, spans, 2), -EMSGSIZE);
	assert_int_equal(UE_WRITE(ends[0], two_blobs, spans), -EMSGSIZE);
	/* The largest number of values, which needs more than the available room. */
	assert_int_equal(UE_WRITE(ends[0], blob, bytes_of, 65535), -EMSGSIZE);
	assert_int_equal(UE_WRITE(ends[0], texts, strings, 65535), -EMSGSIZE);
	nothing_arrived();
}

/* Sizes */

/* Every possible length, on both paths, and one more. */
static void any_length(void **state)
{
	static char source[UE_PAYLOAD_MAX_PERF + 1];
	const size_t head = 8 + 4 + 5 + 3, most = UE_PAYLOAD_MAX_PERF - head - 1;

	(void)state;
	memset(source, 'x', sizeof(source) - 1);
	for (size_t length = 0; length <= most; length++) {
		const char *string = source + sizeof(source) - 1 - length;

		assert_int_equal(UE_WRITE(ends[0], text, string), 0);
		assert_int_equal(receive(), head + length + 1);
		assert_string_equal((char *)got + 4 + head, string);
		assert_int_equal(UE_WRITE_EVENTHEADER(ends[0], t, "text", UE_STRING(a, string)), 0);
		assert_int_equal(receive(), head + length + 1);
		assert_string_equal((char *)got + 4 + head, string);
	}
	assert_int_equal(UE_WRITE(ends[0], text, source + sizeof(source) - 2 - most),
			 -EMSGSIZE);
	assert_int_equal(UE_WRITE_EVENTHEADER(ends[0], t, "text",
				UE_STRING(a, source + sizeof(source) - 2 - most)),
			 -EMSGSIZE);
	assert_int_equal(UE_WRITE_ACTIVITY(ends[0], &activity, &activity, text,
					   source + sizeof(source) - 1 - most + 36), 0);
	assert_int_equal(receive(), UE_PAYLOAD_MAX_PERF);
	assert_int_equal(UE_WRITE_ACTIVITY(ends[0], &activity, &activity, text,
					   source + sizeof(source) - 1 - most + 35),
			 -EMSGSIZE);
	nothing_arrived();
}

/* The library reads strings in aligned blocks: not beyond their page, nor what is around. */
static void strings_at_the_end_of_a_page(void **state)
{
	const size_t head = 8 + 4 + 5 + 3, size = (size_t)sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);

	(void)state;
	assert_ptr_not_equal(pages, MAP_FAILED);
	assert_int_equal(mprotect(pages + size, size, PROT_NONE), 0);
	for (size_t length = 0; length < 70; length++)
		for (size_t gap = 0; gap < 17; gap++) {
			char *string = pages + size - gap - length - 1;

			memset(pages, 0, size);
			memset(string, 'x', length);
			memset(string + length + 1, 'y', gap);
			assert_int_equal(UE_WRITE(ends[0], text, string), 0);
			assert_int_equal(receive(), head + length + 1);
			assert_string_equal((char *)got + 4 + head, string);
		}
	munmap(pages, 2 * size);
}

/* Numbers of any size before, between and behind strings, in the units that are copied. */
static void numbers_around_strings(void **state)
{
	static const char values[] =
		"\1" SMALL8("\2") SMALL8("\3") SMALL2("\4") "ab\0" SMALL4("\5") "\0" "\0"
		SMALL4("\6") SMALL8("\7") SMALL8("\10") SMALL8("\11");
	const size_t values_size = sizeof(values) - 1;
	size_t size;

	(void)state;
	assert_int_equal(UE_WRITE(ends[0], numbers_and_strings, 1, 2, 3, 4, "ab", 5, NULL, "",
				  6, 7, 8, 9), 0);
	size = receive();
	assert_memory_equal(got + 4 + size - values_size, values, values_size);
	assert_int_equal(UE_WRITE_ACTIVITY(ends[0], &activity, NULL, numbers_and_strings, 1, 2,
					   3, 4, "ab", 5, NULL, "", 6, 7, 8, 9), 0);
	assert_int_equal(receive(), size + 20);
	assert_memory_equal(got + 4 + size + 20 - values_size, values, values_size);
}

/* Values of fixed size, where those before and behind them just fit, and just do not. */
static void fixed_between_strings(void **state)
{
	static char source[1501];
	static const uint64_t numbers[32] = { 1 };
	const size_t head = 8 + 4 + 8 + 3 + 3 + 5 + 3;

	(void)state;
	memset(source, 'x', sizeof(source) - 1);
	for (size_t a = 900; a <= 1300; a++)
		for (size_t d = 0; d <= 400; d += 20) {
			const char *first = source + sizeof(source) - 1 - a;
			const char *last = source + sizeof(source) - 1 - d;

			assert_int_equal(UE_WRITE(ends[0], between, first, 2, numbers,
						  last), 0);
			assert_int_equal(receive(), head + a + 1 + 33 * 8 + d + 1);
			assert_string_equal((char *)got + 4 + head, first);
			assert_memory_equal(got + 4 + head + a + 1 + 8, numbers, 32 * 8);
			assert_string_equal((char *)got + 4 + head + a + 1 + 33 * 8, last);
		}
}

/* A session with a smaller limit; a known smaller size is not checked. */
static void smaller_limits(void **state)
{
	static char source[2100 + 1];
	/* the longest string: header, extension, "text", "a" and its type, NUL */
	const char *fits = source + sizeof(source) - 1 - (2100 - (8 + 4 + 5 + 3) - 1);

	(void)state;
	memset(source, 'x', sizeof(source) - 1);
	listen_to(UE_EVENT_OF(t), 2100);
	assert_int_equal(UE_WRITE(ends[0], text, fits), 0);
	assert_int_equal(receive(), 2100);
	assert_int_equal(UE_WRITE_EVENTHEADER(ends[0], t, "text", UE_STRING(a, fits)), 0);
	assert_int_equal(receive(), 2100);
	assert_int_equal(UE_WRITE(ends[0], text, fits - 1), -EMSGSIZE);
	assert_int_equal(UE_WRITE_EVENTHEADER(ends[0], t, "text", UE_STRING(a, fits - 1)), -EMSGSIZE);
	assert_int_equal(UE_WRITE_ACTIVITY(ends[0], &activity, NULL, text, fits), -EMSGSIZE);
	assert_int_equal(UE_WRITE_ACTIVITY(ends[0], &activity, NULL, text, fits + 20), 0);
	assert_int_equal(receive(), 2100);
	nothing_arrived();
}

/* Many values of any size: the event equals that of another packer. */

static unsigned char expected[1 << 20];
static size_t expected_length;

static void expect(const void *at, size_t size)
{
	memcpy(expected + expected_length, at, size);
	expected_length += size;
}

static void expect16(size_t value)
{
	const uint16_t value16 = (uint16_t)value;

	expect(&value16, sizeof(value16));
}

static size_t some(size_t max)
{
	return (size_t)rand() % max;
}

static void many_values(void **state)
{
	static uint16_t wide_text[2000];
	static uint32_t numbers[2000];
	static char source[8000];
	const uint32_t j = 5;

	(void)state;
	srand(3);
	for (size_t i = 0; i < sizeof(source); i++)
		source[i] = (char)('a' + i % 23);
	for (int round = 0; round < 20000; round++) {
		const size_t max = round % 3 ? 100 : 1800;
		const size_t b = some(max), e = some(max / 2), f = some(max / 4),
			     i = some(max), g_count = some(4), j_size = some(2) * 4;
		char c[2000], g_text[4][2000];
		const char *g[4];
		const uint64_t d = 0x1122334455667788;
		int result;

		memcpy(c, source, sizeof(c));
		c[some(max)] = '\0';
		memset(wide_text, 'w', sizeof(wide_text));
		wide_text[e] = 0;
		for (size_t k = 0; k < 4; k++) {
			memcpy(g_text[k], source + k, sizeof(g_text[k]));
			g_text[k][some(max)] = '\0';
			g[k] = some(8) ? g_text[k] : NULL;
		}
		expected_length = 0;
		expect16(0x0201);
		expect16(b);
		expect(source, b);
		expect(c, strlen(c) + 1);
		expect(&d, 8);
		expect(wide_text, e * 2 + 2);
		expect16(f);
		expect(numbers, f * 4);
		expect16(g_count);
		for (size_t k = 0; k < g_count; k++)
			expect(g[k] ? g[k] : "", g[k] ? strlen(g[k]) + 1 : 1);
		expect("h", 1);
		expect16(i);
		expect(source, i);
		expect16(j_size);
		expect(&j, j_size);
		result = UE_WRITE(ends[0], many, 0x0201, source, b, c, d, wide_text,
				  numbers, f, g, g_count, 'h', source, i,
				  j_size ? &j : NULL);
		/* 8, 4, "many", and the ten fields' descriptions: 9 of 3 and one of 4 */
		expected_length += 8 + 4 + 5 + 31;
		assert_int_equal(result, expected_length > UE_PAYLOAD_MAX_PERF ?
						 -EMSGSIZE : 0);
		if (result)
			continue;
		assert_int_equal(receive(), expected_length);
		assert_memory_equal(got + 4 + 48, expected, expected_length - 48);
	}
	nothing_arrived();
}

/* Disabled events */

static int evaluated;

static int evaluate(int value)
{
	evaluated++;
	return value;
}

static void write_evaluated(void)
{
	evaluated = 0;
	assert_int_equal(UE_WRITE(evaluate(ends[0]), number, (uint32_t)evaluate(1)), 0);
	assert_int_equal(UE_WRITE_ACTIVITY(evaluate(ends[0]), evaluate(1) ? NULL : NULL,
					   evaluate(1) ? NULL : NULL, number,
					   (uint32_t)evaluate(1)), 0);
	assert_int_equal(UE_WRITE_EVENTHEADER(evaluate(ends[0]), t, "e",
				UE_U32(a, (uint32_t)evaluate(1))), 0);
	assert_int_equal(UE_WRITE_EVENTHEADER_WITH(evaluate(ends[0]), t, 0, evaluate(1) ? NULL : NULL,
				     evaluate(1) ? NULL : NULL, "e",
				     UE_BLOB(a, "x", (size_t)evaluate(1))), 0);
}

static void values_are_evaluated_only_while_enabled(void **state)
{
	(void)state;
	*UE_EVENT_OF(t)->word = 0;
	assert_int_equal(UE_ENABLED(t), 0);
	assert_int_equal(UE_ENABLED(number), 0);
	write_evaluated();
	assert_int_equal(evaluated, 0);
	/* Linux up to 6.3: the bit is in the status page. */
	*UE_EVENT_OF(t)->word = UE__WORD_ASK | 0x80;
	UE_EVENT_OF(t)->ue__status_byte = (const uint8_t *)"\x7f";
	assert_int_equal(UE_ENABLED(t), 0);
	write_evaluated();
	assert_int_equal(evaluated, 0);
	nothing_arrived();
	UE_EVENT_OF(t)->ue__status_byte = (const uint8_t *)"\x80";
	assert_int_equal(UE_ENABLED(t), 1);
	assert_int_equal(UE_ENABLED(number), 1);
	write_evaluated();
	assert_int_equal(evaluated, 12); /* each once */
	for (int i = 0; i < 4; i++)
		receive();
	nothing_arrived();
}

static void it_is_one_statement_and_one_expression(void **state)
{
	int branch = 0;

	(void)state;
	if (evaluated < 0)
		UE_WRITE_EVENTHEADER(ends[0], t, "e");
	else
		branch = 1;
	assert_int_equal(branch, 1);
	for (int i = 0; i < 2; UE_WRITE_EVENTHEADER(ends[0], t, "e", UE_INT(i, i)), i++)
		;
	assert_true(UE_WRITE_EVENTHEADER(ends[0], t, "e") == 0 && !UE_WRITE_EVENTHEADER(ends[0], t, "e"));
	for (int i = 0; i < 4; i++)
		receive();
	nothing_arrived();
}

static void another_session(void **state)
{
	(void)state;
	assert_int_equal(UE_WRITE(ends[1], none), -EXDEV);
	assert_int_equal(UE_WRITE(ends[1], text, "text"), -EXDEV);
	assert_int_equal(UE_WRITE_EVENTHEADER(ends[1], t, "e"), -EXDEV);
	UE_EVENT_OF(t)->ue__binding = UE__BINDING_NONE;
	assert_int_equal(UE_WRITE(ends[0], text, "text"), 0);
	assert_int_equal(UE_WRITE_EVENTHEADER(ends[0], t, "e"), 0);
	nothing_arrived();
}

static void errno_does_not_change(void **state)
{
	static char large[9000];
	struct ue_activity made;

	(void)state;
	errno = 4711;
	assert_int_equal(UE_WRITE(ends[0], blob, large, sizeof(large)), -EMSGSIZE);
	assert_int_equal(UE_WRITE_EVENTHEADER(ends[0], t, "e", UE_BLOB(a, large, 9000)), -EMSGSIZE);
	close(ends[0]);
	assert_int_equal(UE_WRITE(ends[0], none), -EBADF);
	assert_int_equal(UE_WRITE(ends[0], text, "text"), -EBADF);
	assert_int_equal(UE_WRITE_EVENTHEADER(ends[0], t, "e", UE_STRING(a, "text")), -EBADF);
	assert_int_equal(ue_register(-1, UE_EVENT_OF(t_blank)), -EINVAL);
	assert_int_equal(ue_activity_create(&made), 0);
	assert_int_equal(errno, 4711);
}

/* Activities */

static void activity_ids(void **state)
{
	enum { IDS = 200 };
	static struct ue_activity made[IDS];
	unsigned char ones[16] = { 0 }, zeros[16] = { 0 };

	(void)state;
	for (int i = 0; i < IDS; i++) {
		memset(&made[i], i % 2 ? 0xff : 0, sizeof(made[i]));
		assert_int_equal(ue_activity_create(&made[i]), 0);
		assert_int_equal(made[i].id[6] >> 4, 4); /* version */
		assert_int_equal(made[i].id[8] >> 6, 2); /* variant */
		for (int j = 0; j < i; j++)
			assert_memory_not_equal(&made[i], &made[j], sizeof(made[i]));
		for (int byte = 0; byte < 16; byte++) {
			ones[byte] |= made[i].id[byte];
			zeros[byte] |= (unsigned char)~made[i].id[byte];
		}
	}
	/* Every other bit is set in some ids, and clear in others. */
	for (int byte = 0; byte < 16; byte++) {
		assert_int_equal(ones[byte], byte == 6 ? 0x4f : byte == 8 ? 0xbf : 0xff);
		assert_int_equal(zeros[byte], byte == 6 ? 0xbf : byte == 8 ? 0x7f : 0xff);
	}
}

#define SOCKET_TEST(f) \
	cmocka_unit_test_setup_teardown(f, connect_events, close_socket)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tracepoint_names),
		cmocka_unit_test(malformed_tracepoints),
		cmocka_unit_test(malformed_static_tracepoints),
		cmocka_unit_test(a_malformed_tracepoint_is_reported_by_its_name),
		cmocka_unit_test(tracepoint_lengths),
		cmocka_unit_test(tracepoint_flags),
		SOCKET_TEST(related_without_activity),
		SOCKET_TEST(bytes_that_are_missing),
		SOCKET_TEST(numbers_of_elements),
		SOCKET_TEST(elements_that_are_wrong),
		SOCKET_TEST(the_largest_payload_arrives),
		SOCKET_TEST(counts),
		SOCKET_TEST(any_length),
		SOCKET_TEST(strings_at_the_end_of_a_page),
		SOCKET_TEST(numbers_around_strings),
		SOCKET_TEST(fixed_between_strings),
		SOCKET_TEST(smaller_limits),
		SOCKET_TEST(many_values),
		SOCKET_TEST(values_are_evaluated_only_while_enabled),
		SOCKET_TEST(it_is_one_statement_and_one_expression),
		SOCKET_TEST(another_session),
		SOCKET_TEST(errno_does_not_change),
		cmocka_unit_test(activity_ids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
