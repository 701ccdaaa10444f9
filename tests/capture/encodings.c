/* SPDX-License-Identifier: MIT */
/*
 * Each field of fields.h with the same value as a classic and as an EventHeader event: both
 * are shown alike, except where the type of a classic field cannot express the difference.
 */
#include "test.h"

#include <stdio.h>
#include <string.h>

#include <userevents/capture.h>
#include <userevents/userevents.h>

struct point {
	uint16_t x, y;
};

static const unsigned char six[] = "\x00\x1b\x7f\x80\xe9\xff";
static const struct point point = { 0x1234, 0xffff };

UE_PROVIDER(both, "Both");
UE_TRACEPOINT(tracepoint, both, UE_LEVEL_INFORMATION, 0x1);

static int fd;

/* A function that writes the value in one of the encodings. */
#define ROW(id, field, ...)                                               \
	UE_EVENT(classic_##id, field);                                    \
	UE_EVENTHEADER(tracepoint, self_##id, field);                     \
	static int write_##id(int is_eventheader)                         \
	{                                                                 \
		return is_eventheader ? UE_WRITE(fd, self_##id, __VA_ARGS__) : \
					UE_WRITE(fd, classic_##id, __VA_ARGS__); \
	}

ROW(u8, UE_U8(x), 255)
ROW(u16, UE_U16(x), 65535)
ROW(u32, UE_U32(x), 4294967295u)
ROW(u64, UE_U64(x), UINT64_MAX)
ROW(s8, UE_S8(x), -128)
ROW(s16, UE_S16(x), -32768)
ROW(s32, UE_S32(x), INT32_MIN)
ROW(s64, UE_S64(x), INT64_MIN)
ROW(int, UE_INT(x), -1)
ROW(uint, UE_UINT(x), 4294967295u)
ROW(short, UE_SHORT(x), -1)
ROW(ushort, UE_USHORT(x), 65535)
ROW(long, UE_LONG(x), -1)
ROW(ulong, UE_ULONG(x), 4294967295u)
ROW(size, UE_SIZE(x), 4294967295u)
ROW(char, UE_CHAR(x), 'a')
ROW(char_control, UE_CHAR(x), 27)
ROW(char_latin1, UE_CHAR(x), (char)0xe9)
ROW(char_nul, UE_CHAR(x), 0)
ROW(uchar, UE_UCHAR(x), 255)
ROW(pid, UE_PID(x), 4194304)
ROW(pid_negative, UE_PID(x), -1)
ROW(string, UE_STRING(x), "a\"\x1b\xc3\xa9\xff")
ROW(string_null, UE_STRING(x), NULL)
ROW(string_max, UE_STRING_MAX(x, 2), "abc")
ROW(counted, UE_COUNTED_STRING(x), "abc", 2)
ROW(counted_nul, UE_COUNTED_STRING(x), "a\0b", 3)
ROW(counted_last_nul, UE_COUNTED_STRING(x), "ab", 3)
ROW(counted_empty, UE_COUNTED_STRING(x), NULL, 0)
ROW(blob, UE_BLOB(x), six, 6)
ROW(blob_one, UE_BLOB(x), six, 1)
ROW(blob_eight, UE_BLOB(x), "\1\2\3\4\5\6\7\x8", 8)
ROW(blob_empty, UE_BLOB(x), NULL, 0)
ROW(chars, UE_CHARS(x, 4), "abcdef")
ROW(chars_empty, UE_CHARS(x, 4), "")
ROW(bytes, UE_BYTES(x, 6), six)
ROW(bytes_one, UE_BYTES(x, 1), six)
ROW(bytes_four, UE_BYTES(x, 4), six)
ROW(struct_bytes, UE_STRUCT_BYTES(point, x, 4), &point)

/* The kernel's types have a size and a sign, and no format. */
ROW(hex8, UE_HEX8(x), 255)
ROW(hex16, UE_HEX16(x), 65535)
ROW(hex32, UE_HEX32(x), 255)
ROW(hex64, UE_HEX64(x), 255)
ROW(pointer, UE_POINTER(x), (const void *)255)
ROW(bool, UE_BOOL(x), 1)
ROW(errno, UE_ERRNO(x), 2)
ROW(time32, UE_TIME32(x), 1700000000)
ROW(time64, UE_TIME64(x), 1700000000)

#define ALIKE(id) { #id, write_##id, NULL, NULL }
#define DIFFERENT(id, classic, self) { #id, write_##id, classic, self }

static const struct row {
	const char *name;
	int (*write)(int is_eventheader);
	const char *classic, *self; /* as JSON, where they differ */
} rows[] = {
	ALIKE(u8), ALIKE(u16), ALIKE(u32), ALIKE(u64), ALIKE(s8), ALIKE(s16), ALIKE(s32),
	ALIKE(s64), ALIKE(int), ALIKE(uint), ALIKE(short), ALIKE(ushort), ALIKE(long),
	ALIKE(ulong), ALIKE(size), ALIKE(char), ALIKE(char_control), ALIKE(char_latin1),
	ALIKE(char_nul), ALIKE(uchar), ALIKE(pid), ALIKE(pid_negative), ALIKE(string),
	ALIKE(string_null), ALIKE(string_max), ALIKE(counted), ALIKE(counted_nul),
	ALIKE(counted_last_nul), ALIKE(counted_empty), ALIKE(blob), ALIKE(blob_one),
	ALIKE(blob_eight), ALIKE(blob_empty), ALIKE(chars), ALIKE(chars_empty), ALIKE(bytes),
	ALIKE(bytes_one), ALIKE(bytes_four), ALIKE(struct_bytes),
	DIFFERENT(hex8, "255", "\"0xFF\""), DIFFERENT(hex16, "65535", "\"0xFFFF\""),
	DIFFERENT(hex32, "255", "\"0xFF\""), DIFFERENT(hex64, "255", "\"0xFF\""),
	DIFFERENT(pointer, "255", "\"0xFF\""), DIFFERENT(bool, "1", "true"),
	DIFFERENT(errno, "2", "\"ENOENT(2)\""),
	DIFFERENT(time32, "1700000000", "\"2023-11-14T22:13:20Z\""),
	DIFFERENT(time64, "1700000000", "\"2023-11-14T22:13:20Z\""),
};

static struct ue_capture *capture;

static void render(int is_text, char *out, size_t size)
{
	const struct ue_render_opts opts = {
		.size = sizeof(opts), .flags = UE_RENDER_NESTED, .meta = UE_META_NONE,
	};
	struct ue_captured event;

	assert_int_equal(ue_capture_next(capture, &event), 1);
	if (is_text)
		ue_record_to_text(event.format, event.bytes, event.length, &opts, out, size);
	else
		ue_record_to_json(event.format, event.bytes, event.length, &opts, out, size);
}

static void show(const struct row *row, int is_eventheader, int is_text, char *out,
		 size_t size)
{
	assert_int_equal(row->write(is_eventheader), 0);
	render(is_text, out, size);
}

static void is_value(const char *json, const char *value)
{
	char expected[128];

	snprintf(expected, sizeof(expected), "{\"fields\":{\"x\":%s}}", value);
	assert_string_equal(json, expected);
}

static void check_row(const struct row *row, int is_text)
{
	char classic[256], self[256];

	show(row, 0, is_text, classic, sizeof(classic));
	show(row, 1, is_text, self, sizeof(self));
	if (!row->classic && strcmp(classic, self))
		fail_msg("%s: %s as a classic event, %s as an EventHeader event", row->name,
			 classic, self);
	if (row->classic && !is_text) {
		is_value(classic, row->classic);
		is_value(self, row->self);
	}
}

static void both_encodings_are_shown_alike(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		check_row(&rows[i], 0);
		check_row(&rows[i], 1);
	}
}

static int begin(void **state)
{
	struct ue_open_opts opts = { .size = sizeof(opts), .flags = UE_OPEN_FD };

	(void)state;
	if (ue_capture_open(NULL, &capture))
		return -1;
	opts.fd = ue_capture_writer_fd(capture);
	fd = ue_open(&opts);
	return fd < 0 ? -1 : ue_register_all(fd);
}

static int end(void **state)
{
	(void)state;
	ue_close(fd);
	ue_capture_close(capture);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_encodings_are_shown_alike),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
