/* SPDX-License-Identifier: MIT */
/*
 * The bytes that UE_WRITE() sends, through a packet socket in place of user_events_data.
 */
#define _GNU_SOURCE
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <userevents/userevents.h>

#include "../support/number_bytes.h"
#include "../support/packet_socket.h"
#include "state/binding.h"

#if __SIZEOF_POINTER__ == 8
#define POINTER "u64"
#else
#define POINTER "u32"
#endif

struct point {
	int16_t x, y;
};

UE_EVENT(empty);
UE_EVENT(scalars, UE_U8(a), UE_U16(b), UE_U32(c), UE_U64(d), UE_S8(e), UE_S16(f),
	 UE_S32(g), UE_S64(h), UE_BOOL(i), UE_CHAR(j), UE_UCHAR(k), UE_SHORT(l),
	 UE_USHORT(m), UE_INT(n), UE_UINT(o), UE_POINTER(p));
UE_EVENT(fixed, UE_CHARS(text, 4), UE_BYTES(bytes, 3), UE_STRUCT_BYTES(point, to, 4),
	 UE_DECLARED(uint16_t, port, "u16 port"));
UE_EVENT(texts, UE_STRING(a), UE_U8(between), UE_STRING_MAX(b, 3),
	 UE_COUNTED_STRING(c), UE_BLOB(d));
UE_EVENT(one, UE_STRING(a));
UE_EVENT(blob, UE_U16(before), UE_BLOB(a), UE_U16(after));
UE_EVENT(big, UE_BLOB(a), UE_STRING(b), UE_BLOB(c), UE_STRING(d), UE_BLOB(e),
	 UE_STRING(f), UE_BLOB(g), UE_STRING(h), UE_BLOB(i), UE_STRING(j));

UE_EVENT(large, UE_BYTES(a, 1000), UE_BYTES(b, 1000), UE_BYTES(c, 1001));

static int connect_events(void **state)
{
	(void)state;
	if (open_socket())
		return -1;
	for (struct ue_event **at = __start_ue_events; at != __stop_ue_events; at++)
		listen_to(*at, UE_PAYLOAD_MAX_PERF);
	return 0;
}

/* One record arrived, with this payload. */
#define ARRIVED(bytes) arrived(bytes, sizeof(bytes) - 1)

static void arrived(const char *bytes, size_t length)
{
	assert_int_equal(receive(), length);
	assert_memory_equal(got + 4, bytes, length);
}

static const char *definition_of(const struct ue_event *event)
{
	assert_int_equal(ue_definition_check(event->definition, 0, NULL), 0);
	return event->definition;
}

static void definitions(void **state)
{
	(void)state;
	assert_string_equal(definition_of(UE_EVENT_OF(empty)), "empty");
	assert_string_equal(definition_of(UE_EVENT_OF(scalars)),
			    "scalars u8 a; u16 b; u32 c; u64 d; s8 e; s16 f; s32 g; "
			    "s64 h; u8 i; char j; unsigned char k; short l; unsigned "
			    "short m; int n; unsigned int o; " POINTER " p");
	assert_string_equal(definition_of(UE_EVENT_OF(fixed)),
			    "fixed char[4] text; unsigned char[3] bytes; struct point to "
			    "4; u16 port");
	assert_string_equal(definition_of(UE_EVENT_OF(texts)),
			    "texts __rel_loc char[] a; u8 between; __rel_loc char[] b; "
			    "__rel_loc char[] c; __rel_loc u8[] d");
}

static void scalar_values(void **state)
{
	(void)state;
	assert_int_equal(UE_WRITE(ends[0], scalars, 1, 0x0203, 0x04050607,
				  0x08090a0b0c0d0e0f, -1, -2, -3, -4, 17, 'x', 255, -5,
				  6, -7, 8, (void *)(uintptr_t)0x1122334455667788),
			 0);
	ARRIVED("\x01"
		NUMBER2("\x02", "\x03")
		NUMBER4("\x04", "\x05", "\x06", "\x07")
		NUMBER8("\x08", "\x09", "\x0a", "\x0b", "\x0c", "\x0d", "\x0e", "\x0f")
		"\xff"
		NUMBER2("\xff", "\xfe")
		NUMBER4("\xff", "\xff", "\xff", "\xfd")
		NUMBER8("\xff", "\xff", "\xff", "\xff", "\xff", "\xff", "\xff", "\xfc")
		"\x01"
		"x"
		"\xff"
		NUMBER2("\xff", "\xfb")
		SMALL2("\x06")
		NUMBER4("\xff", "\xff", "\xff", "\xf9")
		SMALL4("\x08")
		WORD("\x11", "\x22", "\x33", "\x44", "\x55", "\x66", "\x77", "\x88"));
}

static void no_values(void **state)
{
	(void)state;
	assert_int_equal(UE_WRITE(ends[0], empty), 0);
	ARRIVED("");
	/* Linux up to 6.3 needs one byte more. */
	*UE_EVENT_OF(empty)->word = UE__WORD_ASK | 1;
	UE_EVENT_OF(empty)->ue__status_byte = (const uint8_t *)"\xff";
	UE_EVENT_OF(empty)->ue__direct_max = 0;
	assert_int_equal(UE_WRITE(ends[0], empty), 0);
	ARRIVED("\0");
}

#define POINT_AND_PORT SMALL2("\1") "\xff\xff" NUMBER2("\1", "\xbb")

static void fixed_size_values(void **state)
{
	const struct point to = { 1, -1 };

	(void)state;
	assert_int_equal(UE_WRITE(ends[0], fixed, "ab", "\1\2\3", &to, 443), 0);
	ARRIVED("ab\0\0\1\2\3" POINT_AND_PORT);
	assert_int_equal(UE_WRITE(ends[0], fixed, "abcdef", "\1\2\3", &to, 443), 0);
	ARRIVED("abc\0\1\2\3" POINT_AND_PORT);
	assert_int_equal(UE_WRITE(ends[0], fixed, NULL, "\1\2\3", &to, 443), 0);
	ARRIVED("\0\0\0\0\1\2\3" POINT_AND_PORT);
	assert_int_equal(UE_WRITE(ends[0], fixed, "", NULL, &to, 443), -EFAULT);
	assert_int_equal(UE_WRITE(ends[0], fixed, "", "\1\2\3", NULL, 443), -EFAULT);
	nothing_arrived();
}

/* A location: size and distance from its end, the upper and lower 16 bits of a number. */
#define LOCATION(size, distance) NUMBER4("\0", size, "\0", distance)

static void variable_size_values(void **state)
{
	(void)state;
	assert_int_equal(UE_WRITE(ends[0], texts, "hello", 9, "abcdef", "\0x", 2,
				  "\xff\xfe", 2),
			 0);
	ARRIVED(LOCATION("\x06", "\x0d")	/* a: 13 bytes on, 6 long */
		"\x09"
		LOCATION("\x04", "\x0e")	/* b */
		LOCATION("\x03", "\x0e")	/* c */
		LOCATION("\x02", "\x0d")	/* d */
		"hello\0"
		"abc\0"
		"\0x\0"
		"\xff\xfe");
	assert_int_equal(UE_WRITE(ends[0], texts, NULL, 9, NULL, NULL, 0, NULL, 0), 0);
	ARRIVED(LOCATION("\x01", "\x0d") "\x09" LOCATION("\x01", "\x09")
		LOCATION("\x01", "\x06") LOCATION("\0", "\x03") "\0\0\0");
	assert_int_equal(UE_WRITE(ends[0], texts, "", 9, "", NULL, 1, NULL, 0), -EFAULT);
	assert_int_equal(UE_WRITE(ends[0], texts, "", 9, "", "", 0, NULL, 1), -EFAULT);
	nothing_arrived();
}

/* Around the size from which pieces go by reference, and up to the limit. */
static void any_length(void **state)
{
	static char bytes[UE_PAYLOAD_MAX_PERF + 2];
	uint32_t location;

	(void)state;
	memset(bytes, 'x', sizeof(bytes) - 1);
	for (size_t length = 0; length <= UE_PAYLOAD_MAX_PERF - 5; length++) {
		const char *text = bytes + sizeof(bytes) - 1 - length;

		assert_int_equal(UE_WRITE(ends[0], one, text), 0);
		assert_int_equal(receive(), 4 + length + 1);
		memcpy(&location, got + 4, 4);
		assert_int_equal(location, (length + 1) << 16);
		assert_string_equal((char *)got + 8, text);
	}
	for (size_t length = 0; length <= UE_PAYLOAD_MAX_PERF - 8; length++) {
		assert_int_equal(UE_WRITE(ends[0], blob, 1, bytes, length, 2), 0);
		assert_int_equal(receive(), 8 + length);
		assert_memory_equal(got + 12, bytes, length);
	}
}

static void too_large(void **state)
{
	static char bytes[70000];

	(void)state;
	memset(bytes, 'x', sizeof(bytes) - 1);
	assert_int_equal(UE_WRITE(ends[0], one, bytes), -EMSGSIZE);
	assert_int_equal(UE_WRITE(ends[0], one, bytes + 70000 - UE_PAYLOAD_MAX_PERF + 3),
			 -EMSGSIZE);
	assert_int_equal(UE_WRITE(ends[0], blob, 1, bytes, SIZE_MAX, 2), -EMSGSIZE);
	UE_EVENT_OF(one)->ue__payload_max = 2100;
	UE_EVENT_OF(one)->ue__direct_max = 2100;
	assert_int_equal(UE_WRITE(ends[0], one, bytes + 70000 - 2097), -EMSGSIZE);
	assert_int_equal(UE_WRITE(ends[0], one, bytes + 70000 - 2096), 0);
	assert_int_equal(receive(), 2100);
	UE_EVENT_OF(large)->ue__payload_max = 3000;
	UE_EVENT_OF(large)->ue__direct_max = 3000;
	assert_int_equal(UE_WRITE(ends[0], large, bytes, bytes, bytes), -EMSGSIZE);
	nothing_arrived();
	UE_EVENT_OF(large)->ue__payload_max = 3001;
	UE_EVENT_OF(large)->ue__direct_max = 3001;
	assert_int_equal(UE_WRITE(ends[0], large, bytes, bytes, bytes), 0);
	assert_int_equal(receive(), 3001);
}

/* Many pieces of any size: the event matches its locations. */
static void many_pieces(void **state)
{
	static char source[2000];
	size_t n[10];

	(void)state;
	srand(2);
	for (int round = 0; round < 20000; round++) {
		size_t max = round % 3 ? 200 : 1500, total = 40;
		const char *s[10];
		int result;

		for (int i = 0; i < 10; i++) {
			memset(source, 'a' + i, sizeof(source) - 1);
			n[i] = (size_t)rand() % max;
			s[i] = strndup(source, n[i]);
			total += n[i] + (size_t)(i % 2);
		}
		result = UE_WRITE(ends[0], big, s[0], n[0], s[1], s[2], n[2], s[3], s[4],
				  n[4], s[5], s[6], n[6], s[7], s[8], n[8], s[9]);
		assert_int_equal(result, total > UE_PAYLOAD_MAX_PERF ? -EMSGSIZE : 0);
		if (!result)
			assert_int_equal(receive(), total);
		for (int i = 0; i < 10; i++) {
			uint32_t location;
			size_t at = 8 + 4 * (size_t)i;

			memcpy(&location, got + at - 4, 4);
			at += location & 0xffff;
			if (!result) {
				assert_int_equal(location >> 16, n[i] + (size_t)(i % 2));
				assert_memory_equal(got + at, s[i], location >> 16);
			}
			free((char *)s[i]);
		}
	}
}

static int evaluated;

static int evaluate(int value)
{
	evaluated++;
	return value;
}

static void values_are_evaluated_only_while_enabled(void **state)
{
	int fd = ends[0];

	(void)state;
	evaluated = 0;
	*UE_EVENT_OF(blob)->word = 0;
	assert_int_equal(UE_ENABLED(blob), 0);
	assert_int_equal(UE_WRITE(evaluate(fd), blob, (uint16_t)evaluate(1), "x", 1,
				  (uint16_t)evaluate(2)),
			 0);
	assert_int_equal(evaluated, 0);
	/* Linux up to 6.3: the bit is in the status page. */
	*UE_EVENT_OF(blob)->word = UE__WORD_ASK | 0x80;
	UE_EVENT_OF(blob)->ue__status_byte = (const uint8_t *)"\x7f";
	assert_int_equal(UE_ENABLED(blob), 0);
	assert_int_equal(UE_WRITE(evaluate(fd), blob, (uint16_t)evaluate(1), "x", 1,
				  (uint16_t)evaluate(2)),
			 0);
	assert_int_equal(evaluated, 0);
	nothing_arrived();
	UE_EVENT_OF(blob)->ue__status_byte = (const uint8_t *)"\x80";
	assert_int_equal(UE_ENABLED(blob), 1);
	assert_int_equal(UE_WRITE(evaluate(fd), blob, (uint16_t)evaluate(1), "x", 1,
				  (uint16_t)evaluate(2)),
			 0);
	assert_int_equal(evaluated, 3);
	receive();
}

static void it_is_one_statement_and_one_expression(void **state)
{
	int branch = 0;

	(void)state;
	if (evaluated < 0)
		UE_WRITE(ends[0], empty);
	else
		branch = 1;
	assert_int_equal(branch, 1);
	for (int i = 0; i < 2; UE_WRITE(ends[0], empty), i++)
		;
	assert_true(UE_WRITE(ends[0], empty) == 0 && !UE_WRITE(ends[0], empty));
	for (int i = 0; i < 4; i++)
		receive();
	nothing_arrived();
}

static void another_session(void **state)
{
	(void)state;
	assert_int_equal(UE_WRITE(ends[1], empty), -EXDEV);
	assert_int_equal(UE_WRITE(ends[1], one, "text"), -EXDEV);
	UE_EVENT_OF(one)->ue__binding = UE__BINDING_NONE;
	assert_int_equal(UE_WRITE(ends[0], one, "text"), 0);
	nothing_arrived();
}

static void errno_does_not_change(void **state)
{
	(void)state;
	errno = 4711;
	close(ends[0]);
	assert_int_equal(UE_WRITE(ends[0], empty), -EBADF);
	assert_int_equal(UE_WRITE(ends[0], one, "text"), -EBADF);
	assert_int_equal(errno, 4711);
}

#define SOCKET_TEST(f) \
	cmocka_unit_test_setup_teardown(f, connect_events, close_socket)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(definitions),
		SOCKET_TEST(scalar_values),
		SOCKET_TEST(no_values),
		SOCKET_TEST(fixed_size_values),
		SOCKET_TEST(variable_size_values),
		SOCKET_TEST(any_length),
		SOCKET_TEST(too_large),
		SOCKET_TEST(many_pieces),
		SOCKET_TEST(values_are_evaluated_only_while_enabled),
		SOCKET_TEST(it_is_one_statement_and_one_expression),
		SOCKET_TEST(another_session),
		SOCKET_TEST(errno_does_not_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
