/* SPDX-License-Identifier: MIT */
/* A registration in a capture, when the reader changes its mind or does not read. */
#include "test.h"

#include <errno.h>
#include <stddef.h>

#include <userevents/capture.h>
#include <userevents/event.h>
#include <userevents/session.h>
#include <userevents/write.h>

#include "capture_page.h"
#include "session.h"

int __real_ue__capture_rule(const char *rules, uint32_t length, const char *name,
			    uint32_t name_length);
int __wrap_ue__capture_rule(const char *rules, uint32_t length, const char *name,
			    uint32_t name_length);

static struct ue_capture *capture;
static int fd;
static void (*at_rule)(void); /* once */

/* Behind it, the rules that it looked at may be others. */
int __wrap_ue__capture_rule(const char *rules, uint32_t length, const char *name,
			    uint32_t name_length)
{
	int result = __real_ue__capture_rule(rules, length, name, name_length);
	void (*function)(void) = at_rule;

	at_rule = NULL;
	if (function)
		function();
	return result;
}

static int open_both(void **state)
{
	struct ue_open_opts opts = { .size = sizeof(opts), .flags = UE_OPEN_FD };

	(void)state;
	if (ue_capture_open(NULL, &capture))
		return -1;
	opts.fd = ue_capture_fd(capture);
	fd = ue_open(&opts);
	return fd < 0 ? -1 : 0;
}

static int close_both(void **state)
{
	(void)state;
	ue_close(fd);
	ue_capture_close(capture);
	return 0;
}

static void disable(void)
{
	assert_int_equal(ue_capture_disable(capture, "*"), 0);
}

static void enable(void)
{
	assert_int_equal(ue_capture_enable(capture, "*"), 0);
}

static int is_enabled_at_last(void)
{
	struct ue_event event;
	struct ue_captured none;
	int result;

	assert_int_equal(ue_event_init(&event, "late u32 a", 0), 0);
	assert_int_equal(ue_register(fd, &event), 0);
	assert_null(at_rule);
	assert_int_equal(ue_capture_next(capture, &none), 0);
	result = ue_enabled(&event);
	assert_int_equal(ue_unregister(&event), 0);
	return result;
}

static void test_rules_change_meanwhile(void **state)
{
	(void)state;
	at_rule = disable;
	assert_false(is_enabled_at_last());
	at_rule = enable;
	assert_true(is_enabled_at_last());
}

static uint32_t next_index(void)
{
	return ue__sessions()->capture->next_index;
}

static void fill(const struct ue_event *event)
{
	static char bytes[1000];
	int result;

	while (!(result = ue_write(fd, event, bytes, sizeof(bytes))))
		;
	assert_int_equal(result, -EAGAIN);
	/* The smallest registration must not fit either. */
	while (!(result = ue_write(fd, event, bytes, 4)))
		;
	assert_int_equal(result, -EAGAIN);
}

/* However often it is tried: a capture has so many indices, and no more. */
static void test_no_room(void **state)
{
	struct ue_event event, other;
	uint32_t before;

	(void)state;
	ue_event_init(&event, "first u32 a", 0);
	ue_event_init(&other, "a", 0);
	assert_int_equal(ue_register(fd, &event), 0);
	fill(&event);
	before = next_index();
	for (int i = 0; i < 10; i++)
		assert_int_equal(ue_register(fd, &other), -EAGAIN);
	assert_int_equal(next_index(), before);
	assert_true(ue_capture_skip(capture) > 0);
	assert_int_equal(ue_register(fd, &other), 0);
	assert_int_equal(next_index(), before + 1);
	assert_int_equal(ue_unregister(&other), 0);
	assert_int_equal(ue_unregister(&event), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_rules_change_meanwhile, open_both,
						close_both),
		cmocka_unit_test_setup_teardown(test_no_room, open_both, close_both),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
