/* SPDX-License-Identifier: MIT */
/* Every result of a deletion. */
#define _GNU_SOURCE
#include "support.h"

#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static uint32_t kept_flags(void)
{
	return is_status_page() ? 0 : UE_EVENT_PERSIST;
}

/* An event that exists without a user. */
static const char *leave_behind(void)
{
	struct ue_event event;

	assert_int_equal(ue_event_init(&event, unique("left u32 a"), kept_flags()), 0);
	assert_int_equal(ue_register(session, &event), 0);
	assert_int_equal(ue_close(session), 0);
	session = ue_open(NULL);
	return name_of(event.definition);
}

static int exists(const char *name)
{
	return strstr(read_file("user_events_status"), name) != NULL;
}

static void deleting_an_unused_event(void **state)
{
	const char *name = leave_behind();

	(void)state;
	assert_true(exists(name));
	EVENTUALLY(ue_delete(name, NULL) == 0);
	assert_false(exists(name));
	assert_int_equal(ue_delete(name, NULL), -ENOENT);
}

#define TIMES 20

/*
 * The kernel drops the last user some milliseconds late. On a busy machine this delay has
 * no bound, so not every deletion must succeed.
 */
static void deleting_an_event_closed_just_before(void **state)
{
	int deleted = 0;

	(void)state;
	for (int i = 0; i < TIMES; i++) {
		const char *name = leave_behind();
		int result = ue_delete(name, NULL);

		deleted += !result;
		if (result)
			EVENTUALLY(ue_delete(name, NULL) == 0);
	}
	assert_true(deleted > 0);
}

static void deleting_an_event_that_does_not_exist(void **state)
{
	(void)state;
	assert_int_equal(ue_delete("no_such_event", NULL), -ENOENT);
}

static void deleting_an_event_of_this_process(void **state)
{
	struct ue_event event;

	(void)state;
	ue_event_init(&event, unique("used u32 a"), kept_flags());
	assert_int_equal(ue_register(session, &event), 0);
	assert_int_equal(ue_delete(name_of(event.definition), NULL), -EBUSY);
	assert_int_equal(ue_unregister(&event), 0);
	assert_int_equal(ue_close(session), 0);
	session = ue_open(NULL);
	EVENTUALLY(ue_delete(name_of(event.definition), NULL) == 0);
}

static void deleting_an_enabled_event(void **state)
{
	const char *name = leave_behind();
	char path[300] = "events/user_events/";

	(void)state;
	strcat(strcat(path, name), "/enable");
	assert_int_equal(write_file(path, "1"), 0);
	assert_int_equal(ue_delete(name, NULL), -EBUSY);
	assert_int_equal(write_file(path, "0"), 0);
	EVENTUALLY(ue_delete(name, NULL) == 0);
}

/* From 6.4 on an event ends with its last user. */
static void an_event_that_ends_by_itself(void **state)
{
	struct ue_event event;

	(void)state;
	if (is_status_page())
		return;
	ue_event_init(&event, unique("transient u32 a"), 0);
	assert_int_equal(ue_register(session, &event), 0);
	assert_int_equal(ue_delete(name_of(event.definition), NULL), -EBUSY);
	assert_int_equal(ue_close(session), 0);
	session = ue_open(NULL);
	EVENTUALLY(!exists(name_of(event.definition)));
}

static void without_the_capability(void **state)
{
	const char *name = leave_behind();
	const struct ue_open_opts opts = {
		.size = sizeof(opts), .flags = UE_OPEN_FD, .fd = session
	};
	pid_t child = fork();
	int status;

	(void)state;
	if (!child) {
		int result = 0;

		if (setgroups(0, NULL) || setgid(65534) || setuid(65534))
			_exit(99);
		if (ue_delete(name, NULL) != -EACCES)
			_exit(1);
		for (int tries = 0; tries < 30000; tries++) {
			result = ue_delete(name, &opts);
			if (result != -EBUSY)
				break; /* the kernel releases an event late */
			usleep(10000);
		}
		_exit(result == (is_status_page() ? 0 : -EPERM) ? 0 : 2);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	if (!is_status_page())
		EVENTUALLY(ue_delete(name, NULL) == 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		SESSION_TEST(deleting_an_unused_event),
		SESSION_TEST(deleting_an_event_closed_just_before),
		SESSION_TEST(deleting_an_event_that_does_not_exist),
		SESSION_TEST(deleting_an_event_of_this_process),
		SESSION_TEST(deleting_an_enabled_event),
		SESSION_TEST(an_event_that_ends_by_itself),
		SESSION_TEST(without_the_capability),
	};

	return RUN_TESTS(tests, argc, argv);
}
