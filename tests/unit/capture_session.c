/* SPDX-License-Identifier: MIT */
/* A registration in a capture, while the reader changes the rules or does not read. */
#define _GNU_SOURCE
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <userevents/capture.h>
#include <userevents/event.h>
#include <userevents/session.h>
#include <userevents/write.h>

#include "kernel/capture_page.h"
#include "state/session.h"

int __real_ue__rules_say(const char *rules, uint32_t length, const char *name,
			    uint32_t name_length);
int __wrap_ue__rules_say(const char *rules, uint32_t length, const char *name,
			    uint32_t name_length);

void *__real_memcpy(void *to, const void *from, size_t size);
void *__wrap_memcpy(void *to, const void *from, size_t size);

static struct ue_capture *capture;
static int fd;
static void (*at_rule)(void); /* once */

/* The rules may change after it read them. */
int __wrap_ue__rules_say(const char *rules, uint32_t length, const char *name,
			    uint32_t name_length)
{
	int result = __real_ue__rules_say(rules, length, name, name_length);
	void (*function)(void) = at_rule;

	at_rule = NULL;
	if (function)
		function();
	return result;
}

/* A change of the rules that lasts for so many reads of them. */
static int looks_left;

static void finish_change(struct ue__capture_page *page)
{
	page->rules[0] = '-';
	page->rules_turn++;
}

void *__wrap_memcpy(void *to, const void *from, size_t size)
{
	struct ue__session *session = looks_left ? ue__process.sessions : NULL;
	void *result = __real_memcpy(to, from, size);

	if (session && from == session->channel.page->rules && !--looks_left)
		finish_change(session->channel.page);
	return result;
}

static int open_both(void **state)
{
	struct ue_open_opts opts = { .size = sizeof(opts), .flags = UE_OPEN_FD };

	(void)state;
	if (ue_capture_open(NULL, &capture))
		return -1;
	opts.fd = ue_capture_writer_fd(capture);
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

/* During a change, a reader would see neither the old rules nor the new ones. */
static void registration_waits_while_the_rules_change(void **state)
{
	struct ue_event event;

	(void)state;
	ue__process.sessions->channel.page->rules_turn++;
	looks_left = 3;
	assert_int_equal(ue_event_init(&event, "amid u32 a", 0), 0);
	assert_int_equal(ue_register(fd, &event), 0);
	assert_int_equal(looks_left, 0);
	assert_false(ue_enabled(&event));
	assert_int_equal(ue_unregister(&event), 0);
}

/* A socket like that of a capture. Returns 0 if a session can be opened with it. */
static int open_with_page(size_t size, int seals)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { .header = {
		.cmsg_len = CMSG_LEN(sizeof(int)),
		.cmsg_level = SOL_SOCKET,
		.cmsg_type = SCM_RIGHTS,
	} };
	uint32_t page[2] = { UE__CAPTURE_MAGIC, UE__CAPTURE_VERSION };
	struct iovec piece = { page, sizeof(page[0]) };
	struct msghdr message = {
		.msg_iov = &piece, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	struct ue_open_opts opts = { .size = sizeof(opts), .flags = UE_OPEN_FD };
	int memory = memfd_create("page", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int ends[2], result;

	assert_true(write(memory, page, sizeof(page)) == sizeof(page));
	assert_int_equal(ftruncate(memory, (off_t)size), 0);
	assert_int_equal(fcntl(memory, F_ADD_SEALS, seals), 0);
	memcpy(CMSG_DATA(&control.header), &memory, sizeof(memory));
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	assert_int_equal(sendmsg(ends[0], &message, 0), sizeof(page[0]));
	opts.fd = ends[1];
	result = ue_open(&opts);
	ue_close(result);
	close(memory);
	close(ends[0]);
	close(ends[1]);
	return result < 0 ? result : 0;
}

/* If it could shrink, reading it could kill the program (SIGBUS). */
static void a_page_that_can_shrink_is_refused(void **state)
{
	const size_t size = sizeof(struct ue__capture_page);

	(void)state;
	assert_int_equal(open_with_page(size, F_SEAL_SHRINK), 0);
	assert_int_equal(open_with_page(size, F_SEAL_GROW), -ENOTTY);
	assert_int_equal(open_with_page(size, 0), -ENOTTY);
	assert_int_equal(open_with_page(size - 4096, F_SEAL_SHRINK), -ENOTTY);
}

static void fill(struct ue_event *event)
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

static void an_event_registers_once_there_is_room(void **state)
{
	struct ue_event event, other;

	(void)state;
	ue_event_init(&event, "first u32 a", 0);
	ue_event_init(&other, "a", 0);
	assert_int_equal(ue_register(fd, &event), 0);
	fill(&event);
	assert_int_equal(ue_register(fd, &other), -EAGAIN);
	assert_int_equal(ue_enabled(&other), 0);
	assert_true(ue_capture_skip(capture) > 0);
	assert_int_equal(ue_register(fd, &other), 0);
	assert_int_equal(ue_unregister(&other), 0);
	assert_int_equal(ue_unregister(&event), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_rules_change_meanwhile, open_both,
						close_both),
		cmocka_unit_test_setup_teardown(registration_waits_while_the_rules_change,
						open_both, close_both),
		cmocka_unit_test(a_page_that_can_shrink_is_refused),
		cmocka_unit_test_setup_teardown(an_event_registers_once_there_is_room, open_both, close_both),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
