/* SPDX-License-Identifier: MIT */
/*
 * Misuse and limits of the builder. tests/golden/write_test.c tests its correct use. Its
 * memory comes from functions below, which count and fail (the linker's --wrap).
 */
#define _GNU_SOURCE
#include "unit.h"

#include <errno.h>
#include <unistd.h>

#include <userevents/decode/reader.h>
#include <userevents/builder.h>
#include <userevents/userevents.h>

#include "../../support/number_bytes.h"
#include "../../support/packet_socket.h"
#include "state/binding.h"
#include "state/registration.h"

#define VALUE8 UE_ENCODING_VALUE8
#define BINARY UE_ENCODING_BINARY_LENGTH16_CHAR8
#define STRING UE_ENCODING_ZSTRING_CHAR8
#define CARRAY UE_ENCODING_CARRAY
#define VARRAY UE_ENCODING_VARRAY

/* Memory */

static int allocations, failing;

void *__real_realloc(void *at, size_t size);
void *__wrap_realloc(void *at, size_t size);
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);

void *__wrap_realloc(void *at, size_t size)
{
	allocations++;
	if (!failing)
		return __real_realloc(at, size);
	errno = ENOMEM;
	return NULL;
}

void *__wrap_malloc(size_t size)
{
	allocations++;
	return failing ? NULL : __real_malloc(size);
}

/* One builder, and one enabled tracepoint. */

static struct ue_builder *b;
static struct ue_tracepoint tracepoint;
static const struct ue_activity activity = { { 1 } };

static int set_up(void **state)
{
	(void)state;
	failing = 0;
	if (open_socket() ||
	    ue_tracepoint_init(&tracepoint, "P", NULL, UE_LEVEL_VERBOSE, 0, 0, NULL))
		return -1;
	listen_to(&tracepoint.event, UE_PAYLOAD_MAX_PERF);
	b = ue_builder_new();
	if (!b)
		return -1;
	ue_builder_begin(b, "E", 0);
	return 0;
}

static int tear_down(void **state)
{
	ue_builder_free(b);
	return close_socket(state);
}

/* A builder that has no memory yet. */
static void renew(void)
{
	ue_builder_free(b);
	b = ue_builder_new();
}

static int write_event(void)
{
	return ue_builder_write(b, ends[0], &tracepoint, NULL, NULL);
}

/* The built and the written event have this description and these values. */
#define IS(description, values) \
	is(description, sizeof(description) - 1, values, sizeof(values) - 1)

static void is(const char *description, size_t described, const char *values,
	       size_t length)
{
	const uint16_t extension[] = { (uint16_t)described, 1 };
	char event[500] = { UE_HEADER_NATIVE | UE_HEADER_EXTENSION, [7] = 5 };
	const size_t size = 12 + described + length;
	const void *bytes;

	memcpy(event + 8, extension, sizeof(extension));
	memcpy(event + 12, description, described);
	memcpy(event + 12 + described, values, length);
	assert_int_equal(ue_builder_bytes(b, 5, NULL, NULL, &bytes), size);
	assert_memory_equal(bytes, event, size);
	assert_int_equal(write_event(), 0);
	assert_int_equal(receive(), size);
	assert_memory_equal(got + 4, event, size);
	nothing_arrived();
}

/* The builder keeps the error and writes nothing, and the next event is correct. */
static void failed(int error)
{
	const void *bytes = b;

	assert_int_equal(ue_builder_error(b), error);
	ue_builder_u8(b, "more", 1);
	ue_builder_add(b, NULL, 200, 200, NULL, 1);
	ue_builder_struct_end(b);
	assert_int_equal(ue_builder_error(b), error);
	assert_int_equal(ue_builder_bytes(b, 5, NULL, NULL, &bytes), error);
	assert_ptr_equal(bytes, b);
	assert_int_equal(write_event(), error);
	*tracepoint.event.word = 0;
	assert_int_equal(write_event(), error);
	listen_to(&tracepoint.event, UE_PAYLOAD_MAX_PERF);
	nothing_arrived();
	ue_builder_begin(b, "E", 0);
	assert_int_equal(ue_builder_error(b), 0);
	ue_builder_u8(b, "a", 42);
	IS("E\0a\0\2", "\x2a");
	ue_builder_begin(b, "E", 0);
}

/* The event is not finished: writing it fails, and the builder does not keep the
 * error. */
static void is_incomplete(void)
{
	const void *bytes;

	assert_int_equal(ue_builder_error(b), 0);
	assert_int_equal(ue_builder_bytes(b, 5, NULL, NULL, &bytes), -EINVAL);
	assert_int_equal(write_event(), -EINVAL);
	nothing_arrived();
	assert_int_equal(ue_builder_error(b), 0);
}

/* Names */

static void before_any_reset(void **state)
{
	(void)state;
	renew();
	is_incomplete();
	ue_builder_u8(b, "a", 1);
	failed(-EINVAL);
	renew();
	ue_builder_struct_begin(b, "a", 0);
	failed(-EINVAL);
	renew();
	ue_builder_struct_end(b);
	failed(-EINVAL);
	renew();
	ue_builder_raw(b, "a", 1);
	is_incomplete();
	renew();
	renew();
}

static void malformed_names(void **state)
{
	(void)state;
	ue_builder_begin(b, NULL, 0);
	failed(-EINVAL);
	ue_builder_begin_named(b, "a\0b", 3, 0);
	failed(-EINVAL);
	ue_builder_begin_named(b, NULL, 0, 0);
	failed(-EINVAL);
	ue_builder_u8(b, NULL, 1);
	failed(-EINVAL);
	ue_builder_string(b, NULL, "");
	failed(-EINVAL);
	ue_builder_add(b, NULL, VALUE8, 0, "", 1);
	failed(-EINVAL);
	ue_builder_add(b, NULL, STRING, 0, "", 0);
	failed(-EINVAL);
	ue_builder_add(b, NULL, VALUE8 | VARRAY, 0, "", 0);
	failed(-EINVAL);
	ue_builder_add(b, NULL, STRING | VARRAY, 0, NULL, 0);
	failed(-EINVAL);
	ue_builder_struct_begin(b, NULL, 0);
	failed(-EINVAL);
	ue_builder_struct_begin(b, NULL, VARRAY);
	failed(-EINVAL);
	ue_builder_describe(b, NULL, 0, VALUE8, 0, 0);
	failed(-EINVAL);
	ue_builder_describe(b, "a\0b", 3, VALUE8, 0, 0);
	failed(-EINVAL);
}

/* Encodings, formats, counts */

static void malformed_encodings(void **state)
{
	static const struct ue_span none = { NULL, 0 };
	static const char values[] = "0123456789abcdef";

	(void)state;
	for (unsigned int encoding = 0; encoding < 256; encoding++) {
		const uint8_t e = (uint8_t)encoding;
		const unsigned int kind = encoding & 0x1f, flags = encoding & 0xe0;
		const int is_value = kind >= 2 && kind <= 6;
		const int is_text = kind >= 7 && kind <= 13;
		const int is_array = flags == CARRAY || flags == VARRAY;
		const int is_one = !flags || is_array;
		const int is_empty = (is_value && flags == VARRAY) ||
				     (is_text && (!flags || flags == VARRAY));
		const void *one = is_text && flags ? (const void *)&none : values;

		ue_builder_add(b, "a", e, 0, one, 1);
		assert_int_equal(ue_builder_error(b),
				 (is_value || is_text) && is_one ? 0 : -EINVAL);
		ue_builder_begin(b, "E", 0);
		ue_builder_add(b, "a", e, 0, one, 0);
		assert_int_equal(ue_builder_error(b), is_empty ? 0 : -EINVAL);
		ue_builder_begin(b, "E", 0);
		ue_builder_describe(b, "a", 1, e, 1, 1);
		assert_int_equal(ue_builder_error(b),
				 kind >= 1 && kind <= 13 && (!flags || is_array) ?
					 0 :
					 -EINVAL);
		ue_builder_begin(b, "E", 0);
		ue_builder_struct_begin(b, "a", e);
		assert_int_equal(ue_builder_error(b), !kind && is_one ? 0 : -EINVAL);
		ue_builder_begin(b, "E", 0);
	}
}

/* Bit 7 marks a following tag; only the builder sets it. */
static void malformed_formats(void **state)
{
	static const struct ue_span none = { NULL, 0 };

	(void)state;
	ue_builder_add(b, "a", VALUE8, 0x7f, "", 1);
	assert_int_equal(ue_builder_error(b), 0);
	ue_builder_add(b, "a", VALUE8, 0x80, "", 1);
	failed(-EINVAL);
	ue_builder_add(b, "a", BINARY, 0x80, "", 0);
	failed(-EINVAL);
	ue_builder_add(b, "a", VALUE8 | VARRAY, 0x81, "", 0);
	failed(-EINVAL);
	ue_builder_add(b, "a", BINARY | VARRAY, 0xff, &none, 1);
	failed(-EINVAL);
	ue_builder_describe(b, "a", 1, VALUE8, 0x80, 0);
	failed(-EINVAL);
	ue_builder_describe(b, "a", 1, UE_ENCODING_STRUCT, 0, 0);
	failed(-EINVAL);
	ue_builder_describe(b, "a", 1, UE_ENCODING_STRUCT, 128, 0);
	failed(-EINVAL);
}

static void counts(void **state)
{
	static char bytes[70000];
	static struct ue_span spans[65536];

	(void)state;
	ue_builder_add(b, "a", VALUE8 | CARRAY, 0, bytes, 0);
	failed(-EINVAL);
	ue_builder_add(b, "a", STRING | CARRAY, 0, spans, 0);
	failed(-EINVAL);
	ue_builder_describe(b, "a", 1, VALUE8 | CARRAY, 0, 0);
	failed(-EINVAL);
	ue_builder_add(b, "a", VALUE8 | CARRAY, 0, bytes, 65535);
	assert_int_equal(ue_builder_error(b), 0);
	ue_builder_add(b, "a", VALUE8 | CARRAY, 0, bytes, 65536);
	failed(-E2BIG);
	ue_builder_add(b, "a", VALUE8 | VARRAY, 0, bytes, 65536 + 1);
	failed(-E2BIG);
	ue_builder_add(b, "a", BINARY, 0, bytes, 65536);
	failed(-E2BIG);
	ue_builder_add(b, "a", BINARY, 0, bytes, SIZE_MAX);
	failed(-E2BIG);
	ue_builder_add(b, "a", STRING | CARRAY, 0, spans, 65535);
	assert_int_equal(ue_builder_error(b), 0);
	ue_builder_add(b, "a", STRING | CARRAY, 0, spans, 65536);
	failed(-E2BIG);
	ue_builder_add(b, "a", STRING | VARRAY, 0, spans, 65536);
	failed(-E2BIG);
	spans[1].length = 65536;
	ue_builder_add(b, "a", BINARY | VARRAY, 0, spans, 2);
	failed(-E2BIG);
}

static void bytes_that_are_missing(void **state)
{
	static const struct ue_span missing[] = { { "", 0 }, { NULL, 1 } };

	(void)state;
	ue_builder_add(b, "a", VALUE8, 0, NULL, 1);
	failed(-EFAULT);
	ue_builder_add(b, "a", STRING, 0, NULL, 1);
	failed(-EFAULT);
	ue_builder_add(b, "a", BINARY, 0, NULL, 1);
	failed(-EFAULT);
	ue_builder_add(b, "a", VALUE8 | CARRAY, 0, NULL, 1);
	failed(-EFAULT);
	ue_builder_add(b, "a", VALUE8 | VARRAY, 0, NULL, 1);
	failed(-EFAULT);
	ue_builder_add(b, "a", STRING | VARRAY, 0, NULL, 1);
	failed(-EFAULT);
	ue_builder_add(b, "a", STRING | VARRAY, 0, missing, 2);
	failed(-EFAULT);
	ue_builder_raw(b, NULL, 1);
	failed(-EFAULT);
	ue_builder_raw(b, NULL, 0);
	IS("E\0", "");
}

/* A 0 ends a string; half of a wider 0 does not. */
static void zeros_in_strings(void **state)
{
	static const uint16_t text16[] = { 0x6100, 0x0062, 0, 'c' };
	static const uint32_t text32[] = { 0x610000, 0, 'c' };
	const struct ue_span spans[] = { { "a", 1 }, { "a\0", 2 } };

	(void)state;
	ue_builder_add(b, "a", STRING, 0, "a\0b", 3);
	failed(-EINVAL);
	ue_builder_add(b, "a", STRING, 0, "a", 2);
	failed(-EINVAL);
	ue_builder_add(b, "a", UE_ENCODING_ZSTRING_CHAR16, 0, text16, 3);
	failed(-EINVAL);
	ue_builder_add(b, "a", UE_ENCODING_ZSTRING_CHAR32, 0, text32, 2);
	failed(-EINVAL);
	ue_builder_add(b, "a", STRING | VARRAY, 0, spans, 2);
	failed(-EINVAL);
	ue_builder_add(b, "a", UE_ENCODING_ZSTRING_CHAR16, 0, text16, 2);
	ue_builder_add(b, "b", UE_ENCODING_ZSTRING_CHAR32, 0, text32, 1);
	ue_builder_add(b, "c", BINARY, 0, "a\0b", 3);
	IS("E\0a\0\x08"
	   "b\0\x09"
	   "c\0\x0d",
	   NUMBER2("\x61", "\0") SMALL2("\x62") "\0\0"
	   NUMBER4("\0", "\x61", "\0", "\0") "\0\0\0\0"
	   SMALL2("\3") "a\0b");
}

/* Structs */

static void members(unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		ue_builder_describe(b, "", 0, VALUE8, 0, 0);
}

static void number_of_members(void **state)
{
	const void *bytes;

	(void)state;
	ue_builder_struct_begin(b, "s", 0);
	ue_builder_struct_end(b);
	failed(-EINVAL);
	ue_builder_struct_begin(b, "s", 0);
	members(127);
	ue_builder_struct_end(b);
	assert_int_equal(ue_builder_bytes(b, 5, NULL, NULL, &bytes),
			 8 + 4 + 2 + 4 + 127 * 2);
	assert_memory_equal((const char *)bytes + 14, "s\0\x81\x7f", 4);
	ue_builder_begin(b, "E", 0);
	ue_builder_struct_begin(b, "s", 0);
	members(128);
	failed(-E2BIG);
	/* A struct counts as one member; at the top, members are not counted. */
	ue_builder_struct_begin(b, "s", 0);
	members(126);
	ue_builder_struct_begin(b, "t", 0);
	members(127);
	ue_builder_struct_end(b);
	ue_builder_struct_end(b);
	members(200);
	assert_int_equal(ue_builder_bytes(b, 5, NULL, NULL, &bytes),
			 8 + 4 + 2 + 4 + 126 * 2 + 4 + 127 * 2 + 200 * 2);
	ue_builder_begin(b, "E", 0);
	ue_builder_struct_begin(b, "s", 0);
	members(127);
	ue_builder_struct_begin(b, "t", 0);
	failed(-E2BIG);
}

static void depth(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < UE_BUILDER_DEPTH_MAX; i++)
		ue_builder_struct_begin(b, "s", 0);
	ue_builder_u8(b, "v", 42);
	is_incomplete();
	for (unsigned int i = 0; i < UE_BUILDER_DEPTH_MAX; i++)
		ue_builder_struct_end(b);
	IS("E\0s\0\x81\1s\0\x81\1s\0\x81\1s\0\x81\1s\0\x81\1s\0\x81\1s\0\x81\1"
	   "s\0\x81\1v\0\2",
	   "\x2a");
	ue_builder_begin(b, "E", 0);
	for (unsigned int i = 0; i < UE_BUILDER_DEPTH_MAX; i++)
		ue_builder_struct_begin(b, "s", 0);
	assert_int_equal(ue_builder_error(b), 0);
	ue_builder_struct_begin(b, "s", 0);
	failed(-E2BIG);
}

static void calls_out_of_order(void **state)
{
	(void)state;
	ue_builder_struct_end(b);
	failed(-EINVAL);
	ue_builder_struct_next(b);
	failed(-EINVAL);
	ue_builder_struct_begin(b, "s", 0);
	ue_builder_struct_next(b); /* no array */
	failed(-EINVAL);
	ue_builder_struct_begin(b, "s", 0);
	ue_builder_u8(b, "a", 1);
	ue_builder_struct_end(b);
	ue_builder_struct_end(b);
	failed(-EINVAL);
	ue_builder_struct_begin(b, "s", 0);
	is_incomplete();
	ue_builder_u8(b, "a", 1);
	is_incomplete();
	ue_builder_struct_end(b);
	IS("E\0s\0\x81\1a\0\2", "\1");
	ue_builder_begin(b, "E", 0);
	ue_builder_struct_begin(b, "s", VARRAY);
	is_incomplete();
	ue_builder_struct_next(b);
	ue_builder_u8(b, "a", 1);
	is_incomplete();
	/* Open structs and arrays are dropped. */
	ue_builder_begin(b, "E", 0);
	IS("E\0", "");
}

static void arrays_without_elements(void **state)
{
	(void)state;
	ue_builder_struct_begin(b, "s", VARRAY);
	ue_builder_struct_end(b); /* and without members */
	failed(-EINVAL);
	ue_builder_struct_begin(b, "s", VARRAY);
	ue_builder_struct_next(b);
	ue_builder_struct_end(b);
	failed(-EINVAL);
	ue_builder_struct_begin(b, "s", CARRAY);
	ue_builder_u8(b, "a", 1);
	ue_builder_struct_end(b);
	failed(-EINVAL);
	/* Not even if the elements around it are only described. */
	ue_builder_struct_begin(b, "s", VARRAY);
	ue_builder_struct_begin(b, "t", CARRAY);
	ue_builder_u8(b, "a", 1);
	ue_builder_struct_end(b);
	failed(-EINVAL);
	/* Values are skipped, those of arrays and strings too; then one element
	 * follows. */
	ue_builder_struct_begin(b, "s", VARRAY);
	ue_builder_string(b, "a", "passed over");
	ue_builder_add(b, "b", VALUE8 | VARRAY, 0, "1234", 4);
	ue_builder_struct_end(b);
	ue_builder_u8(b, "c", 7);
	IS("E\0s\0\xc1\2a\0\7b\0\x42"
	   "c\0\2",
	   "\0\0\7");
	ue_builder_begin(b, "E", 0);
	ue_builder_struct_begin(b, "s", VARRAY);
	ue_builder_u8(b, "a", 1);
	ue_builder_struct_next(b);
	ue_builder_u8(b, "a", 2);
	ue_builder_struct_end(b);
	IS("E\0s\0\xc1\1a\0\2", SMALL2("\1") "\2");
}

/* Constant arrays in elements that are only described keep their number of elements. */
static void described_alone(void **state)
{
	(void)state;
	ue_builder_struct_begin(b, "s", VARRAY);
	ue_builder_struct_begin(b, "t", CARRAY);
	for (int i = 0; i < 3; i++) {
		ue_builder_struct_next(b);
		ue_builder_u8(b, "a", 9);
	}
	ue_builder_struct_end(b);
	ue_builder_struct_end(b);
	IS("E\0s\0\xc1\1t\0\xa1\1" SMALL2("\3") "a\0\2", "\0\0");
}

/* A struct that is only described is one member, whatever its own members are. */
static void structs_described_alone(void **state)
{
	(void)state;
	ue_builder_struct_begin(b, "s", 0);
	ue_builder_describe(b, "r", 1, UE_ENCODING_STRUCT, 2, 0);
	ue_builder_describe(b, "q", 1, UE_ENCODING_STRUCT, 1, 0);
	ue_builder_u8(b, "a", 1);
	ue_builder_u8(b, "b", 2);
	ue_builder_u8(b, "c", 3);
	ue_builder_struct_end(b);
	ue_builder_u8(b, "d", 4);
	IS("E\0s\0\x81\2r\0\x81\2q\0\x81\1a\0\2b\0\2c\0\2d\0\2", "\1\2\3\4");
	/* Its members must exist before the struct ends. */
	ue_builder_begin(b, "E", 0);
	ue_builder_struct_begin(b, "s", 0);
	ue_builder_describe(b, "r", 1, UE_ENCODING_STRUCT, 2, 0);
	ue_builder_u8(b, "a", 1);
	ue_builder_struct_end(b);
	failed(-EINVAL);
}

/* No bytes, before the builder has memory. */
static void nothing_at_all(void **state)
{
	(void)state;
	renew();
	ue_builder_begin(b, "E", 0);
	ue_builder_raw(b, NULL, 0);
	IS("E\0", "");
}

/* Each of them has its own place in the header. */
static void options_are_in_the_header(void **state)
{
	static const struct ue_eventheader expected = {
		.flags = UE_HEADER_NATIVE | UE_HEADER_EXTENSION,
		.version = 0x21, .id = 0x4321, .tag = 0x8765, .opcode = 0x43, .level = 3,
	};
	const void *bytes;

	(void)state;
	ue_builder_begin(b, "E",
			 UE_ID(0x4321, 0x21) | UE_EVENT_TAG(0x8765) | UE_OPCODE(0x43));
	assert_true(ue_builder_bytes(b, 3, NULL, NULL, &bytes) > 0);
	assert_memory_equal(bytes, &expected, sizeof(expected));
}

static void level_0(void **state)
{
	const void *bytes = b;

	(void)state;
	assert_int_equal(ue_builder_bytes(b, 0, NULL, NULL, &bytes), -EINVAL);
	assert_ptr_equal(bytes, b);
	IS("E\0", "");
}

/* A failed write of an enabled event is counted; of a disabled event it is not. */
static void errors_are_counted(void **state)
{
	struct ue__registration registration = { 0 };

	(void)state;
	tracepoint.event.ue__registration = &registration;
	ue_builder_u8(b, NULL, 1);
	assert_int_equal(write_event(), -EINVAL);
	assert_int_equal(ue_event_losses(&tracepoint.event, UE_LOSS_OTHER), 1);
	*tracepoint.event.word = 0;
	assert_int_equal(write_event(), -EINVAL);
	assert_int_equal(ue_event_losses(&tracepoint.event, UE_LOSS_OTHER), 1);
	tracepoint.event.ue__registration = NULL;
}

static void number_of_elements(void **state)
{
	const void *bytes;

	(void)state;
	ue_builder_struct_begin(b, "s", VARRAY);
	for (int i = 0; i < 65535; i++) {
		ue_builder_struct_next(b);
		members(1);
	}
	ue_builder_struct_end(b);
	assert_int_equal(ue_builder_bytes(b, 5, NULL, NULL, &bytes), 8 + 4 + 8 + 2);
	assert_memory_equal((const char *)bytes + 14, "s\0\xc1\1\0\2\xff\xff", 8);
	ue_builder_begin(b, "E", 0);
	ue_builder_struct_begin(b, "s", VARRAY);
	for (int i = 0; i < 65536; i++) {
		ue_builder_struct_next(b);
		members(1);
	}
	failed(-E2BIG);
}

/* Elements unlike the first */

static void good_element(void)
{
	ue_builder_struct_next(b);
	ue_builder_u8(b, "a", 1);
	ue_builder_tag(b, 3);
	ue_builder_add(b, "b", VALUE8 | CARRAY, 0, "12", 2);
}

static void one_more(void)
{
	good_element();
	ue_builder_u8(b, "c", 3);
}

static void one_less(void)
{
	ue_builder_struct_next(b);
	ue_builder_u8(b, "a", 1);
}

static void none(void)
{
	ue_builder_struct_next(b);
}

static void another_name(void)
{
	ue_builder_struct_next(b);
	ue_builder_u8(b, "A", 1);
}

static void a_longer_name(void)
{
	ue_builder_struct_next(b);
	ue_builder_u8(b, "aa", 1);
}

static void an_empty_name(void)
{
	ue_builder_struct_next(b);
	ue_builder_u8(b, "", 1);
}

static void a_very_long_name(void)
{
	ue_builder_struct_next(b);
	ue_builder_u8(b, "a_name_that_is_longer_than_all_of_the_description_put_together",
		      1);
}

static void another_size(void)
{
	ue_builder_struct_next(b);
	ue_builder_u16(b, "a", 1);
}

static void another_format(void)
{
	ue_builder_struct_next(b);
	ue_builder_s8(b, "a", 1);
}

static void a_tag_more(void)
{
	ue_builder_struct_next(b);
	ue_builder_tag(b, 3);
	ue_builder_u8(b, "a", 1);
}

static void another_tag(void)
{
	one_less();
	ue_builder_tag(b, 4);
	ue_builder_add(b, "b", VALUE8 | CARRAY, 0, "12", 2);
}

static void no_tag(void)
{
	one_less();
	ue_builder_add(b, "b", VALUE8 | CARRAY, 0, "12", 2);
}

static void another_count(void)
{
	one_less();
	ue_builder_tag(b, 3);
	ue_builder_add(b, "b", VALUE8 | CARRAY, 0, "123", 3);
}

static void another_array(void)
{
	one_less();
	ue_builder_tag(b, 3);
	ue_builder_add(b, "b", VALUE8 | VARRAY, 0, "12", 2);
}

static void another_order(void)
{
	ue_builder_struct_next(b);
	ue_builder_tag(b, 3);
	ue_builder_add(b, "b", VALUE8 | CARRAY, 0, "12", 2);
	ue_builder_u8(b, "a", 1);
}

static void a_struct(void)
{
	ue_builder_struct_next(b);
	ue_builder_struct_begin(b, "a", 0);
	ue_builder_u8(b, "a", 1);
	ue_builder_struct_end(b);
}

static void a_struct_more(void)
{
	good_element();
	ue_builder_struct_begin(b, "a", 0);
	ue_builder_u8(b, "a", 1);
	ue_builder_struct_end(b);
}

static void elements_unlike_the_first(void **state)
{
	static void (*const unlike[])(void) = {
		one_more,	  one_less,	  none,		 another_name,
		a_longer_name,	  an_empty_name,  a_very_long_name, another_size,
		another_format,	  a_tag_more,	  another_tag,	 no_tag,
		another_count,	  another_array,  another_order, a_struct,
		a_struct_more,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(unlike) / sizeof(*unlike); i++) {
		/* as the last element, and as one in the middle */
		for (int is_last = 0; is_last < 2; is_last++) {
			ue_builder_struct_begin(b, "s", VARRAY);
			good_element();
			good_element();
			unlike[i]();
			if (!is_last)
				good_element();
			ue_builder_struct_end(b);
			failed(-EINVAL);
		}
		/* after elements that are only described */
		ue_builder_struct_begin(b, "s", VARRAY);
		ue_builder_u8(b, "a", 1);
		ue_builder_tag(b, 3);
		ue_builder_add(b, "b", VALUE8 | CARRAY, 0, "12", 2);
		unlike[i]();
		ue_builder_struct_end(b);
		failed(-EINVAL);
	}
	ue_builder_struct_begin(b, "s", VARRAY);
	good_element();
	good_element();
	ue_builder_struct_end(b);
	IS("E\0s\0\xc1\2a\0\2b\0\xa2\x80" SMALL2("\3") SMALL2("\2"),
	   SMALL2("\2") "\1"
	   "12\1"
	   "12");
}

/* Bytes of an earlier event may follow the description. */
static void an_element_that_continues_like_an_earlier_event(void **state)
{
	(void)state;
	ue_builder_struct_begin(b, "s", VARRAY);
	one_more();
	ue_builder_struct_end(b);
	ue_builder_begin(b, "E", 0);
	ue_builder_struct_begin(b, "s", VARRAY);
	good_element();
	good_element();
	assert_int_equal(ue_builder_error(b), 0);
	ue_builder_u8(b, "c", 3);
	assert_int_equal(ue_builder_error(b), -EINVAL);
	ue_builder_begin(b, "E", 0);
}

/* An element with a struct, or an array of them. */
static void inner(uint8_t array, int elements, unsigned int count)
{
	ue_builder_struct_next(b);
	if (array)
		ue_builder_struct_begin(b, "i", array);
	else
		ue_builder_struct_begin(b, "i", 0);
	for (int i = 0; i < elements; i++) {
		if (array)
			ue_builder_struct_next(b);
		members(count);
	}
	ue_builder_struct_end(b);
}

static void structs_unlike_the_first(void **state)
{
	static const struct {
		uint8_t first_array, second_array;
		int first, second;
		unsigned int first_members, second_members;
		int error;
	} cases[] = {
		{ 0, 0, 1, 1, 2, 2, 0 },
		{ 0, 0, 1, 1, 2, 1, -EINVAL },
		{ 0, 0, 1, 1, 2, 3, -EINVAL },
		{ 0, VARRAY, 1, 1, 2, 2, -EINVAL },
		{ VARRAY, VARRAY, 1, 2, 2, 2, 0 },
		{ VARRAY, VARRAY, 3, 1, 2, 2, 0 },
		{ VARRAY, VARRAY, 1, 1, 2, 1, -EINVAL },
		{ VARRAY, CARRAY, 1, 1, 2, 2, -EINVAL },
		{ CARRAY, CARRAY, 2, 2, 2, 2, 0 },
		{ CARRAY, CARRAY, 2, 1, 2, 2, -EINVAL },
		{ CARRAY, CARRAY, 2, 3, 2, 2, -EINVAL },
		{ CARRAY, CARRAY, 2, 0, 2, 2, -EINVAL },
		{ CARRAY, VARRAY, 2, 2, 2, 2, -EINVAL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		ue_builder_struct_begin(b, "s", CARRAY);
		inner(cases[i].first_array, cases[i].first, cases[i].first_members);
		inner(cases[i].second_array, cases[i].second, cases[i].second_members);
		ue_builder_struct_end(b);
		if (cases[i].error)
			failed(cases[i].error);
		assert_int_equal(ue_builder_error(b), 0);
		ue_builder_begin(b, "E", 0);
	}
}

/* Sizes */

/* A field by ue_builder_add() and by its raw parts. */
static void add_twice(struct ue_builder *raw, const char *name, uint8_t encoding, uint8_t format,
		      const char *values, size_t size)
{
	ue_builder_add(b, name, encoding, format, values, encoding == STRING ? SIZE_MAX : 1);
	ue_builder_describe(raw, name, strlen(name), encoding, format, 0);
	ue_builder_raw(raw, values, size);
}

static void are_same(struct ue_builder *raw)
{
	const void *bytes, *expected;
	const ptrdiff_t size = ue_builder_bytes(raw, 5, NULL, NULL, &expected);

	assert_true(size > 0);
	assert_int_equal(ue_builder_bytes(b, 5, NULL, NULL, &bytes), size);
	assert_memory_equal(bytes, expected, (size_t)size);
}

/* Names and texts of all lengths around those that take a short way, while memory grows. */
static void short_and_long_ways_agree(void **state)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	struct ue_builder *raw = ue_builder_new();

	(void)state;
	for (size_t name = 0; name < sizeof(letters); name++) {
		const char *end = letters + sizeof(letters) - 1;

		ue_builder_begin(b, "E", 0);
		ue_builder_begin(raw, "E", 0);
		for (uint8_t i = VALUE8; i <= UE_ENCODING_VALUE128; i++)
			add_twice(raw, end - name, i, i % 2 ? 5 : 0, letters, 1u << (i - VALUE8));
		for (size_t text = 0; text < sizeof(letters); text++)
			add_twice(raw, end - name, STRING, text % 2 ? 5 : 0, end - text, text + 1);
		are_same(raw);
		renew();
	}
	ue_builder_free(raw);
}

static void size_of_the_values(void **state)
{
	static char bytes[UE_BUILDER_MAX + 1];

	(void)state;
	ue_builder_raw(b, bytes, UE_BUILDER_MAX);
	assert_int_equal(ue_builder_error(b), 0);
	ue_builder_raw(b, bytes, 1);
	failed(-EMSGSIZE);
	ue_builder_raw(b, bytes, UE_BUILDER_MAX + 1);
	failed(-EMSGSIZE);
	ue_builder_raw(b, bytes, SIZE_MAX);
	failed(-EMSGSIZE);
	memset(bytes, 'x', sizeof(bytes));
	ue_builder_add(b, "a", STRING, 0, bytes, UE_BUILDER_MAX - 1);
	assert_int_equal(ue_builder_error(b), 0);
	ue_builder_begin(b, "E", 0);
	ue_builder_add(b, "a", STRING, 0, bytes, UE_BUILDER_MAX);
	failed(-EMSGSIZE);
	ue_builder_add(b, "a", UE_ENCODING_STRING_LENGTH16_CHAR16, 0, bytes,
		       UE_BUILDER_MAX / 2);
	failed(-EMSGSIZE);
}

static void size_of_the_description(void **state)
{
	static char name[UE_BUILDER_MAX];
	const void *bytes;

	(void)state;
	memset(name, 'n', sizeof(name));
	/* The event's name takes 2, the NUL and the encoding 2. */
	ue_builder_describe(b, name, UE_BUILDER_MAX - 4, VALUE8, 0, 0);
	assert_int_equal(ue_builder_bytes(b, 5, NULL, NULL, &bytes),
			 8 + 4 + UE_BUILDER_MAX);
	assert_memory_equal((const char *)bytes + 8, "\xff\xff" SMALL2("\1"), 4);
	ue_builder_begin(b, "E", 0);
	ue_builder_describe(b, name, UE_BUILDER_MAX - 3, VALUE8, 0, 0);
	failed(-EMSGSIZE);
	ue_builder_begin_named(b, name, UE_BUILDER_MAX - 1, 0);
	assert_int_equal(ue_builder_error(b), 0);
	ue_builder_u8(b, "", 0);
	failed(-EMSGSIZE);
	ue_builder_begin_named(b, name, UE_BUILDER_MAX, 0);
	failed(-EMSGSIZE);
}

/* The limit of a listener: a larger event fails and stays built, and a smaller one is
 * written. */
static void size_of_the_event(void **state)
{
	static char bytes[UE_PAYLOAD_MAX_PERF];
	const size_t fits = UE_PAYLOAD_MAX_PERF - 8 - 4 - 2;

	(void)state;
	ue_builder_raw(b, bytes, fits);
	assert_int_equal(write_event(), 0);
	assert_int_equal(receive(), UE_PAYLOAD_MAX_PERF);
	assert_int_equal(ue_builder_write(b, ends[0], &tracepoint, &activity, NULL),
			 -EMSGSIZE);
	ue_builder_raw(b, bytes, 1);
	assert_int_equal(write_event(), -EMSGSIZE);
	assert_int_equal(ue_builder_error(b), 0);
	nothing_arrived();
	listen_to(&tracepoint.event, 100);
	ue_builder_begin(b, "E", 0);
	ue_builder_raw(b, bytes, 86 - 36);
	assert_int_equal(ue_builder_write(b, ends[0], &tracepoint, &activity, &activity),
			 0);
	assert_int_equal(receive(), 100);
	ue_builder_raw(b, bytes, 1);
	assert_int_equal(ue_builder_write(b, ends[0], &tracepoint, &activity, &activity),
			 -EMSGSIZE);
	nothing_arrived();
}

/* Writing */

static void related_without_activity(void **state)
{
	const void *bytes = b;

	(void)state;
	assert_int_equal(ue_builder_write(b, ends[0], &tracepoint, NULL, &activity),
			 -EINVAL);
	assert_int_equal(ue_builder_bytes(b, 5, NULL, &activity, &bytes), -EINVAL);
	assert_ptr_equal(bytes, b);
	nothing_arrived();
	IS("E\0", "");
}

static void a_disabled_event_is_not_written(void **state)
{
	(void)state;
	*tracepoint.event.word = 0;
	assert_int_equal(write_event(), 0);
	*tracepoint.event.word = UE__WORD_LISTENED;
	assert_int_equal(ue_builder_write(b, ends[1], &tracepoint, NULL, NULL), -EXDEV);
	tracepoint.event.ue__binding = UE__BINDING_NONE;
	assert_int_equal(write_event(), 0);
	tracepoint.event.ue__binding = UE__BINDING_CLOSED;
	assert_int_equal(write_event(), -EBADF);
	nothing_arrived();
}

/* A written event stays built and can be extended. */
static void written_again(void **state)
{
	(void)state;
	ue_builder_u8(b, "a", 1);
	IS("E\0a\0\2", "\1");
	IS("E\0a\0\2", "\1");
	ue_builder_string(b, "b", "x");
	IS("E\0a\0\2b\0\7", "\1x\0");
}

/* A tag is for one field, and not for the next event. */
static void tags(void **state)
{
	(void)state;
	ue_builder_tag(b, 0x102);
	ue_builder_tag(b, 0x304);
	ue_builder_u8(b, "a", 1);
	ue_builder_u8(b, "b", 2);
	ue_builder_tag(b, 5);
	IS("E\0a\0\x82\x80" NUMBER2("\3", "\4") "b\0\2", "\1\2");
	ue_builder_begin(b, "E", 0);
	ue_builder_u8(b, "a", 1);
	IS("E\0a\0\2", "\1");
}

/* Memory */

static void build_and_write(size_t length)
{
	static char bytes[8000];

	ue_builder_begin(b, "E", 0);
	ue_builder_add(b, "bytes", BINARY, 0, bytes, length);
	ue_builder_struct_begin(b, "s", VARRAY);
	for (int i = 0; i < 10; i++) {
		ue_builder_struct_next(b);
		ue_builder_u8(b, "a", 1);
	}
	ue_builder_struct_end(b);
	assert_int_equal(ue_builder_write(b, ends[0], &tracepoint, &activity, NULL), 0);
	assert_true(receive() > length);
}

static void memory_is_kept(void **state)
{
	int warm;

	(void)state;
	renew();
	allocations = 0;
	build_and_write(8000);
	warm = allocations;
	assert_true(warm > 0);
	for (size_t length = 0; length <= 8000; length += 100)
		build_and_write(length);
	assert_int_equal(allocations, warm);
	renew();
	build_and_write(8000);
	assert_int_equal(allocations, 2 * warm);
}

static void no_memory(void **state)
{
	static char bytes[8000];

	(void)state;
	renew();
	failing = 1;
	errno = 4711;
	ue_builder_begin(b, "E", 0);
	assert_int_equal(errno, 4711);
	assert_int_equal(write_event(), -ENOMEM);
	failing = 0;
	failed(-ENOMEM);
	ue_builder_raw(b, bytes, 10);
	failing = 1;
	ue_builder_raw(b, bytes, 8000);
	assert_int_equal(write_event(), -ENOMEM);
	failing = 0;
	failed(-ENOMEM);
	failing = 1;
	for (int i = 0; i < 1000; i++)
		ue_builder_describe(b, "name", 4, VALUE8, 0, 0);
	failing = 0;
	failed(-ENOMEM);
	nothing_arrived();
}

/* The parts fit into memory, but not together: the write can be retried. */
static void no_memory_when_written(void **state)
{
	static char bytes[8000];
	const void *at;

	(void)state;
	renew();
	at = b;
	ue_builder_begin(b, "E", 0);
	ue_builder_raw(b, bytes, sizeof(bytes));
	failing = 1;
	errno = 4711;
	assert_int_equal(write_event(), -ENOMEM);
	assert_int_equal(ue_builder_bytes(b, 5, NULL, NULL, &at), -ENOMEM);
	assert_ptr_equal(at, b);
	assert_int_equal(errno, 4711);
	nothing_arrived();
	failing = 0;
	assert_int_equal(write_event(), 0);
	assert_int_equal(receive(), 8 + 4 + 2 + sizeof(bytes));
}

static void errno_does_not_change(void **state)
{
	static char bytes[9000];

	(void)state;
	errno = 4711;
	ue_builder_raw(b, bytes, sizeof(bytes));
	assert_int_equal(write_event(), -EMSGSIZE);
	ue_builder_begin(b, NULL, 0);
	ue_builder_begin(b, "E", 0);
	close(ends[0]);
	assert_int_equal(write_event(), -EBADF);
	renew();
	assert_int_equal(errno, 4711);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(before_any_reset),
		TEST(malformed_names),
		TEST(malformed_encodings),
		TEST(malformed_formats),
		TEST(counts),
		TEST(bytes_that_are_missing),
		TEST(zeros_in_strings),
		TEST(number_of_members),
		TEST(depth),
		TEST(calls_out_of_order),
		TEST(arrays_without_elements),
		TEST(described_alone),
		TEST(structs_described_alone),
		TEST(nothing_at_all),
		TEST(options_are_in_the_header),
		TEST(level_0),
		TEST(errors_are_counted),
		TEST(number_of_elements),
		TEST(elements_unlike_the_first),
		TEST(an_element_that_continues_like_an_earlier_event),
		TEST(structs_unlike_the_first),
		TEST(short_and_long_ways_agree),
		TEST(size_of_the_values),
		TEST(size_of_the_description),
		TEST(size_of_the_event),
		TEST(related_without_activity),
		TEST(a_disabled_event_is_not_written),
		TEST(written_again),
		TEST(tags),
		TEST(memory_is_kept),
		TEST(no_memory),
		TEST(no_memory_when_written),
		TEST(errno_does_not_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
