/* SPDX-License-Identifier: MIT */
/*
 * Fields of Protocol Buffers, byte by byte. The vectors are those of the specification's
 * page on the encoding, or follow from its rules; "protoc --decode_raw" reads the last.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "export/tree/protobuf.h"
#include "test.h"

static void expect(struct bytes *bytes, const void *expected, size_t length)
{
	assert_int_equal(bytes->length, length);
	assert_memory_equal(bytes->at, expected, length);
	bytes_free(bytes);
}

#define EXPECT(bytes, ...)                                                             \
	do {                                                                           \
		const uint8_t expected_[] = { __VA_ARGS__ };                           \
		expect(bytes, expected_, sizeof(expected_));                           \
	} while (0)

static void varints_have_seven_bits_a_byte(void **state)
{
	static const struct {
		uint64_t number;
		size_t size;
	} cases[] = {
		{ 0, 1 }, { 1, 1 }, { 127, 1 }, { 128, 2 }, { 16383, 2 }, { 16384, 3 },
		{ (1u << 28) - 1, 4 }, { 1u << 28, 5 }, { INT64_MAX, 9 },
		{ (uint64_t)INT64_MAX + 1, 10 }, { UINT64_MAX, 10 },
	};
	struct bytes bytes = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t read = 0;

		bytes.length = 0;
		protobuf_varint(&bytes, cases[i].number);
		assert_int_equal(bytes.length, cases[i].size);
		assert_int_equal(protobuf_varint_size(cases[i].number), cases[i].size);
		for (size_t at = 0; at < bytes.length; at++)
			read |= (uint64_t)(bytes.at[at] & 127) << 7 * at;
		assert_true(read == cases[i].number);
		assert_int_equal(bytes.at[bytes.length - 1] & 128, 0);
	}
	bytes_free(&bytes);
}

static void numbers_follow_the_key_of_their_field(void **state)
{
	struct bytes bytes = { 0 };

	(void)state;
	protobuf_uint(&bytes, 1, 150);
	EXPECT(&bytes, 0x08, 0x96, 0x01);
	protobuf_int(&bytes, 16, -2);
	EXPECT(&bytes, 0x80, 0x01, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01);
	protobuf_fixed64(&bytes, 1, 0x0102030405060708u);
	EXPECT(&bytes, 0x09, 8, 7, 6, 5, 4, 3, 2, 1);
	protobuf_fixed32(&bytes, 8, 0x01020304u);
	EXPECT(&bytes, 0x45, 4, 3, 2, 1);
	protobuf_double(&bytes, 4, -1.5);
	EXPECT(&bytes, 0x21, 0, 0, 0, 0, 0, 0, 0xf8, 0xbf);
}

static void text_and_bytes_have_a_length(void **state)
{
	struct bytes bytes = { 0 };

	(void)state;
	protobuf_text(&bytes, 2, "testing");
	EXPECT(&bytes, 0x12, 0x07, 't', 'e', 's', 't', 'i', 'n', 'g');
	protobuf_bytes(&bytes, 2, NULL, 0);
	EXPECT(&bytes, 0x12, 0x00);
}

static void messages_have_a_length_of_four_bytes(void **state)
{
	struct bytes bytes = { 0 };
	size_t outer, inner;

	(void)state;
	outer = protobuf_begin(&bytes, 3);
	protobuf_uint(&bytes, 1, 150);
	inner = protobuf_begin(&bytes, 4);
	protobuf_end(&bytes, inner);
	protobuf_end(&bytes, outer);
	EXPECT(&bytes, 0x1a, 0x88, 0x80, 0x80, 0x00, 0x08, 0x96, 0x01,
	       0x22, 0x80, 0x80, 0x80, 0x00);
}

static void packed_fields_are_numbers_alone(void **state)
{
	struct bytes bytes = { 0 };
	size_t packed;

	(void)state;
	packed = protobuf_begin(&bytes, 6);
	protobuf_varint(&bytes, 3);
	protobuf_varint(&bytes, 270);
	protobuf_varint(&bytes, 86942);
	protobuf_end(&bytes, packed);
	EXPECT(&bytes, 0x32, 0x86, 0x80, 0x80, 0x00, 0x03, 0x8e, 0x02, 0x9e, 0xa7, 0x05);
}

static void long_messages_use_all_bits_of_the_length(void **state)
{
	static const uint8_t block[1 << 16];
	struct bytes bytes = { 0 };
	size_t message = protobuf_begin(&bytes, 1);
	const size_t length = 40 * sizeof(block);

	(void)state;
	for (int i = 0; i < 40; i++)
		bytes_add(&bytes, block, sizeof(block));
	protobuf_end(&bytes, message);
	assert_int_equal(bytes.at[1] & 127, length & 127);
	assert_int_equal(bytes.at[2] & 127, length >> 7 & 127);
	assert_int_equal(bytes.at[3] & 127, length >> 14 & 127);
	assert_int_equal(bytes.at[4], length >> 21);
	bytes_free(&bytes);
}

/* Compared with what a program that is not ours reads. */
static void protoc_reads_them(void **state)
{
	static const char expected[] =
		"1: 150\n2: \"testing\"\n3 {\n  9: 0x3ff0000000000000\n  4 {\n    1: 1\n  }\n}\n"
		"2047: 0x00000007\n";
	char read[512], command[] = "protoc --decode_raw </tmp/userevents-protobuf-XXXXXX";
	char *path = strchr(command, '<') + 1;
	const int fd = mkstemp(path);
	struct bytes bytes = { 0 };
	size_t outer, inner, length;
	FILE *protoc;

	(void)state;
	protobuf_uint(&bytes, 1, 150);
	protobuf_text(&bytes, 2, "testing");
	outer = protobuf_begin(&bytes, 3);
	protobuf_double(&bytes, 9, 1);
	inner = protobuf_begin(&bytes, 4);
	protobuf_uint(&bytes, 1, 1);
	protobuf_end(&bytes, inner);
	protobuf_end(&bytes, outer);
	protobuf_fixed32(&bytes, 2047, 7);
	assert_int_equal(write_all(fd, bytes.at, bytes.length), bytes.length);
	close(fd);
	protoc = popen(command, "re");
	assert_non_null(protoc);
	length = fread(read, 1, sizeof(read) - 1, protoc);
	read[length] = '\0';
	unlink(path);
	assert_int_equal(pclose(protoc), 0);
	assert_string_equal(read, expected);
	bytes_free(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(varints_have_seven_bits_a_byte),
		cmocka_unit_test(numbers_follow_the_key_of_their_field),
		cmocka_unit_test(text_and_bytes_have_a_length),
		cmocka_unit_test(messages_have_a_length_of_four_bytes),
		cmocka_unit_test(packed_fields_are_numbers_alone),
		cmocka_unit_test(long_messages_use_all_bits_of_the_length),
		cmocka_unit_test(protoc_reads_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
