/* SPDX-License-Identifier: MIT */
/*
 * Events whose text is formatted: UE_PRINTF() and loggers.
 */
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>
#include <wchar.h>

#include <userevents/capture.h>
#include <userevents/logger.h>
#include <userevents/printf.h>
#include <userevents/userevents.h>

UE_PROVIDER(shop, "Shop");
UE_TRACEPOINT(notes, shop, UE_LEVEL_INFORMATION, 0x10);

UE_EVENT(classic_note, UE_STRING(text));
UE_EVENT(short_note, UE_CHARS(text, 8));
UE_EVENTHEADER(notes, note, UE_STRING(text));
UE_LOGGER(shop_log, shop, 0x1);
UE_LOGGER_DECLARE(shared_log, shop, 0x2);
UE_LOGGER_DEFINE(shared_log);

static struct ue_capture *capture;
static int fd, evaluated;

static int count(void)
{
	return ++evaluated;
}

static void assert_next(const char *expected)
{
	assert_string_equal(ue_capture_line(capture), expected);
}

static void a_text_is_formatted(void **state)
{
	(void)state;
	assert_int_equal(UE_PRINTF(fd, classic_note, "%d of %s", 7, "nine"), 0);
	assert_next("user_events:classic_note text=\"7 of nine\"");
	assert_int_equal(UE_PRINTF(fd, note, "%05.1f%%", 2.25), 0);
	assert_next("Shop:note text=\"002.2%\"");
	assert_int_equal(UE_PRINTF(fd, short_note, "%s", "much too long"), 0);
	assert_next("user_events:short_note text=\"much to\"");
	assert_int_equal(UE_PRINTF(fd, classic_note, "plain"), 0);
	assert_next("user_events:classic_note text=\"plain\"");
}

static void errno_is_left_alone_and_shown(void **state)
{
	(void)state;
	errno = ENOENT;
	assert_int_equal(UE_PRINTF(fd, note, "open: %m"), 0);
	assert_int_equal(errno, ENOENT);
	assert_next("Shop:note text=\"open: No such file or directory\"");
}

/* The text of the next event, without the text around it. */
static const char *next_text(void)
{
	static char text[8 * UE_PRINTF_MAX]; /* an escaped byte takes 6 */
	const char *line = ue_capture_line(capture);

	assert_int_equal(sscanf(line, "Shop:note text=\"%[^\"]\"", text), 1);
	return text;
}

static void a_long_text_is_truncated(void **state)
{
	char text[UE_PRINTF_MAX + 10];

	(void)state;
	memset(text, 'x', sizeof(text));
	text[UE_PRINTF_MAX - 1] = 0;
	assert_int_equal(UE_PRINTF(fd, note, "%s", text), 0);
	assert_string_equal(next_text(), text);
	assert_int_equal(UE_PRINTF(fd, note, "y%s", text), 0);
	assert_int_equal(strlen(next_text()), UE_PRINTF_MAX - 1);
	assert_int_equal(UE_PRINTF(fd, note, "y%s", text), 0);
	assert_string_equal(next_text() + UE_PRINTF_MAX - 6, "xx...");
}

/* Characters of 2, 3 and 4 bytes, at each place in front of the end. */
static void a_character_is_not_cut(void **state)
{
	static const char *const characters[] = { "\u00e9", "\u20ac", "\U0001f600" };
	char text[4 * UE_PRINTF_MAX + 1];

	(void)state;
	for (unsigned i = 0; i < 12; i++) {
		const char *character = characters[i / 4];
		const size_t size = strlen(character);
		const char *shown;
		size_t length;

		text[0] = 0;
		for (size_t n = 0; n < UE_PRINTF_MAX; n++)
			memcpy(text + n * size, character, size + 1);
		assert_int_equal(UE_PRINTF(fd, note, "%.*s%s", (int)i % 4, "yyyy", text), 0);
		shown = next_text();
		length = strlen(shown);
		assert_uint_in_range(length, UE_PRINTF_MAX - 4, UE_PRINTF_MAX - 1);
		assert_string_equal(shown + length - 3, "...");
		assert_memory_equal(shown + length - 3 - size, character, size);
	}
}

/* Bytes that are no UTF-8 must not make the text vanish. */
static void garbage_is_truncated_too(void **state)
{
	char text[2 * UE_PRINTF_MAX];
	char kept[UE_PRINTF_MAX];

	(void)state;
	memset(text, 0x80, sizeof(text));
	text[sizeof(text) - 1] = 0;
	memcpy(kept, text, sizeof(kept));
	ue__truncate_text(kept, sizeof(kept));
	assert_uint_in_range(strlen(kept), UE_PRINTF_MAX - 4, UE_PRINTF_MAX - 1);
	assert_int_equal(UE_PRINTF(fd, note, "%s", text), 0);
	assert_non_null(strstr(next_text(), "..."));
}

static void a_text_that_cannot_be_formatted_is_lost(void **state)
{
	const uint32_t before = ue_event_losses(UE_EVENT_OF(classic_note), UE_LOSS_OTHER);

	(void)state;
	errno = 0;
	assert_int_equal(UE_PRINTF(fd, classic_note, "%lc", (wint_t)0x20ac), -EILSEQ);
	assert_int_equal(errno, 0);
	assert_int_equal(ue_event_losses(UE_EVENT_OF(classic_note), UE_LOSS_OTHER), before + 1);
	assert_next("");
}

static void values_of_a_disabled_event_are_not_evaluated(void **state)
{
	(void)state;
	evaluated = 0;
	assert_int_equal(ue_capture_disable(capture, "*"), 0);
	assert_int_equal(UE_PRINTF(fd, note, "%d", count()), 0);
	assert_int_equal(UE_SYSLOG(fd, shop_log, LOG_ERR, "%d", count()), 0);
	assert_int_equal(UE_SYSLOG_ENABLED(shop_log, LOG_ERR), 0);
	assert_int_equal(ue_capture_enable(capture, "*"), 0);
	assert_int_equal(evaluated, 0);
	assert_int_equal(UE_PRINTF(fd, note, "%d", count()), 0);
	assert_next("Shop:note text=\"1\"");
}

static void each_severity_has_its_level(void **state)
{
	static const int levels[] = { 1, 1, 1, 2, 3, 4, 4, 5 };
	char expected[100], tracepoint[30];

	(void)state;
	for (int severity = 0; severity < 8; severity++) {
		snprintf(tracepoint, sizeof(tracepoint), "Shop_L%dK1", levels[severity]);
		assert_int_equal(ue_capture_disable(capture, "*"), 0);
		assert_int_equal(ue_capture_enable(capture, tracepoint), 0);
		for (int other = 0; other < 8; other++)
			assert_int_equal(UE_SYSLOG_ENABLED(shop_log, other),
					 levels[other] == levels[severity]);
		assert_int_equal(UE_SYSLOG(fd, shop_log, severity | LOG_LOCAL7, "at %d", severity), 0);
		snprintf(expected, sizeof(expected),
			 "Shop:Log message=\"at %d\" severity=%d facility=23", severity, severity);
		assert_next(expected);
	}
	assert_int_equal(ue_capture_enable(capture, "*"), 0);
}

static int __attribute__((format(printf, 2, 3)))
log_twice(int priority, const char *format, ...)
{
	va_list values;
	int result;

	va_start(values, format);
	result = UE_VSYSLOG(fd, shared_log, priority, format, values);
	result |= UE_VPRINTF(fd, note, format, values);
	va_end(values);
	return result;
}

static void a_list_of_values_can_be_used_twice(void **state)
{
	(void)state;
	assert_int_equal(log_twice(LOG_NOTICE, "%s has %d", "shelf", 3), 0);
	assert_next("Shop:Log message=\"shelf has 3\" severity=5 facility=0");
	assert_next("Shop:note text=\"shelf has 3\"");
}

static int open_all(void **state)
{
	struct ue_open_opts opts = { .size = sizeof(opts), .flags = UE_OPEN_FD };

	(void)state;
	assert_int_equal(ue_capture_open(NULL, &capture), 0);
	opts.fd = ue_capture_writer_fd(capture);
	fd = ue_open(&opts);
	assert_uint_in_range(fd, 0, 1 << 20);
	assert_int_equal(ue_register_all(fd), 0);
	return 0;
}

static int close_all(void **state)
{
	(void)state;
	assert_int_equal(ue_close(fd), 0);
	ue_capture_close(capture);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_is_formatted),
		cmocka_unit_test(errno_is_left_alone_and_shown),
		cmocka_unit_test(a_long_text_is_truncated),
		cmocka_unit_test(a_character_is_not_cut),
		cmocka_unit_test(garbage_is_truncated_too),
		cmocka_unit_test(a_text_that_cannot_be_formatted_is_lost),
		cmocka_unit_test(values_of_a_disabled_event_are_not_evaluated),
		cmocka_unit_test(each_severity_has_its_level),
		cmocka_unit_test(a_list_of_values_can_be_used_twice),
	};

	return cmocka_run_group_tests(tests, open_all, close_all);
}
