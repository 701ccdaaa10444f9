/* SPDX-License-Identifier: MIT */
/* Every result of a registration that user space can cause. */
#define _GNU_SOURCE
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static struct ue_event *make(const char *definition, uint32_t flags)
{
	struct ue_event *event = malloc(sizeof(*event));

	assert_int_equal(ue_event_init(event, definition, flags), 0);
	return event;
}

static void shows_in_tracefs(void **state)
{
	struct ue_event *event = make(unique("shown u32 a; char[20] b"), 0);
	char path[300];

	(void)state;
	assert_int_equal(ue_register(session, event), 0);
	snprintf(path, sizeof(path), "events/user_events/%s/format",
		 name_of(event->definition));
	assert_non_null(strstr(read_file(path), "field:u32 a;\toffset:8;\tsize:4;"));
	assert_non_null(strstr(read_file("user_events_status"),
			       name_of(event->definition)));
	assert_int_equal(ue_unregister(event), 0);
}

static void twice(void **state)
{
	struct ue_event *event = make(unique("twice u32 a"), 0);

	(void)state;
	assert_int_equal(ue_register(session, event), 0);
	assert_int_equal(ue_register(session, event), -EALREADY);
	assert_int_equal(ue_unregister(event), 0);
	assert_int_equal(ue_unregister(event), -ENOENT);
	assert_int_equal(ue_register(session, event), 0);
	assert_int_equal(ue_unregister(event), 0);
}

/* Two events of one definition are two views of one tracepoint. */
static void the_same_definition_in_two_events(void **state)
{
	const char *definition = unique("shared u32 a");
	struct ue_event *one = make(definition, 0), *two = make(definition, 0);
	uint32_t value = 1;

	(void)state;
	assert_int_equal(ue_register(session, one), 0);
	assert_int_equal(ue_register(session, two), 0);
	listen_to(one);
	EVENTUALLY(ue_enabled(two));
	assert_int_equal(ue_write(session, one, &value, 4), 0);
	assert_int_equal(ue_write(session, two, &value, 4), 0);
	assert_int_equal(count_recorded(), 2);
	assert_int_equal(ue_unregister(one), 0);
	assert_int_equal(ue_enabled(one), 0);
	assert_int_equal(ue_enabled(two), 1);
	stop_listening(two);
	assert_int_equal(ue_unregister(two), 0);
}

static struct ue_event *make_of(const char *name, const char *fields)
{
	char *definition;

	if (asprintf(&definition, "%s%s", name, fields) < 0)
		abort();
	return make(definition, 0);
}

/* Before Linux 6.10 "u8 a;u8 b" does not even match itself. */
static void blanks_do_not_change_a_definition(void **state)
{
	static const char *const spellings[] = {
		" u8 a;u8 b", " u8 a; u8 b", "  u8 a;  u8 b; ", " u8 a;u8 b;",
	};
	const char *name = name_of(unique("blanks"));
	struct ue_event *event, *bare = make_of(name_of(unique("bare")), " ");
	char path[300];

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(spellings) / sizeof(spellings[0]); i++) {
		event = make_of(name, spellings[i / 2]);
		assert_int_equal(ue_register(session, event), 0);
	}
	snprintf(path, sizeof(path), "events/user_events/%s/format", name);
	assert_non_null(strstr(read_file(path), "field:u8 a;\toffset:8;\tsize:1;"));
	assert_non_null(strstr(read_file(path), "field:u8 b;\toffset:9;\tsize:1;"));
	listen_to(event);
	assert_int_equal(ue_write(session, event, "ab", 2), 0);
	assert_int_equal(count_recorded(), 1);
	stop_listening(event);
	assert_int_equal(ue_register(session, bare), 0);
	snprintf(path, sizeof(path), "events/user_events/%s/format",
		 name_of(bare->definition));
	assert_null(strstr(read_file(path), "offset:8;"));
}

static void the_same_name_with_other_fields(void **state)
{
	const char *definition = unique("clash u32 a");
	struct ue_event *one = make(definition, 0), *two;
	char other[300];

	(void)state;
	snprintf(other, sizeof(other), "%s u64 a", name_of(definition));
	two = make(other, 0);
	assert_int_equal(ue_register(session, one), 0);
	assert_int_equal(ue_register(session, two), -EADDRINUSE);
	assert_int_equal(ue_enabled(two), 0);
	assert_int_equal(ue_unregister(two), -ENOENT);
	assert_int_equal(ue_unregister(one), 0);
}

static void flags(void **state)
{
	struct ue_event *persist = make(unique("keeps u32 a"), UE_EVENT_PERSIST);
	struct ue_event *multi = make(unique("multi u32 a"), UE_EVENT_MULTI_FORMAT);
	int expected = is_status_page() ? -EOPNOTSUPP : 0;

	(void)state;
	assert_int_equal(ue_register(session, persist), expected);
	assert_int_equal(ue_register(session, multi), expected);
	if (!expected) {
		assert_int_equal(ue_unregister(persist), 0);
		assert_int_equal(ue_unregister(multi), 0);
	}
}

static void several_formats_of_one_name_coexist(void **state)
{
	const char *definition = unique("multi u32 a");
	struct ue_event *one = make(definition, UE_EVENT_MULTI_FORMAT), *two;
	char other[300];

	(void)state;
	if (is_status_page())
		return;
	snprintf(other, sizeof(other), "%s u64 a", name_of(definition));
	two = make(other, UE_EVENT_MULTI_FORMAT);
	assert_int_equal(ue_register(session, one), 0);
	assert_int_equal(ue_register(session, two), 0);
	snprintf(other, sizeof(other),
		 "ls -d " TRACING "/events/user_events_multi/%s.* | wc -l | grep -qx 2",
		 name_of(definition));
	assert_int_equal(system(other), 0);
	assert_int_equal(ue_unregister(one), 0);
	assert_int_equal(ue_unregister(two), 0);
}

static void persistent_without_the_capability(void **state)
{
	struct ue_event *event = make(unique("keeps u32 a"), UE_EVENT_PERSIST);
	int status;
	pid_t child;

	(void)state;
	child = fork();
	if (!child) {
		if (setgroups(0, NULL) || setgid(65534) || setuid(65534))
			_exit(99);
		_exit(ue_register(session, event) ==
				      (is_status_page() ? -EOPNOTSUPP : -EPERM) ?
			      0 :
			      1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void a_word_that_cannot_be_written(void **state)
{
	struct ue_event *event = make(unique("const u32 a"), 0);
	const int refused = getenv("UE_VM_PATCHED") ? -EFAULT : -ENOMEM;

	(void)state;
	if (is_status_page())
		return; /* the kernel does not know the word */
	event->word = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_int_equal(ue_register(session, event), refused);
	mprotect(event->word, 4096, PROT_NONE);
	assert_int_equal(ue_register(session, event), refused);
	munmap(event->word, 4096);
	assert_int_equal(ue_register(session, event), refused);
	event->word = (uint32_t *)0xffff800000000000;
	assert_int_equal(ue_register(session, event), -EFAULT);
	event->word = &event->ue__own_word;
	assert_int_equal(ue_register(session, event), 0);
	assert_int_equal(ue_unregister(event), 0);
}

static void one_word_for_two_events(void **state)
{
	struct ue_event *one = make(unique("one u32 a"), 0);
	struct ue_event *two = make(unique("two u32 a"), 0);

	(void)state;
	two->word = one->word;
	assert_int_equal(ue_register(session, one), 0);
	assert_int_equal(ue_register(session, two), -EADDRINUSE);
	assert_int_equal(ue_unregister(one), 0);
	assert_int_equal(ue_register(session, two), 0);
	assert_int_equal(ue_unregister(two), 0);
}

static void more_events_than_the_system_allows(void **state)
{
	const char *limit = "/proc/sys/kernel/user_events_max";
	struct ue_event *event = make(unique("many u32 a"), 0);
	char before[32];

	(void)state;
	if (is_status_page())
		return; /* 32767 bits, no such sysctl */
	strcpy(before, read_file(limit));
	assert_int_equal(write_file(limit, "0"), 0);
	assert_int_equal(ue_register(session, event), -EMFILE);
	assert_int_equal(write_file(limit, before), 0);
	assert_int_equal(ue_register(session, event), 0);
	assert_int_equal(ue_unregister(event), 0);
}

static void many_events(void **state)
{
	static struct ue_event events[300];

	(void)state;
	for (int i = 0; i < 300; i++) {
		ue_event_init(&events[i], unique("many u32 a"), 0);
		assert_int_equal(ue_register(session, &events[i]), 0);
	}
	listen_to(&events[299]);
	assert_int_equal(ue_enabled(&events[298]), 0);
	for (uint32_t i = 0; i < 300; i++)
		assert_int_equal(ue_write(session, &events[i], &i, 4), 0);
	assert_true(was_recorded("\x2b\1\0\0", 4));
	assert_int_equal(ue_close(session), 0);
	for (uint32_t i = 0; i < 300; i++)
		assert_int_equal(ue_write(session, &events[i], &i, 4), -EBADF);
	session = ue_open(NULL);
	for (int i = 0; i < 300; i++)
		assert_int_equal(ue_unregister(&events[i]), -ENOENT);
}

/* Closed behind the library's back: an error, and the library stays usable. */
static void a_session_closed_behind_the_library_is_an_error(void **state)
{
	struct ue_event *event = make(unique("behind u32 a"), 0);
	struct ue_event *later = make(unique("later u32 a"), 0);
	uint32_t value = 1;

	(void)state;
	assert_int_equal(ue_register(session, event), 0);
	listen_to(event);
	close(session);
	assert_int_equal(ue_write(session, event, &value, 4), -EBADF);
	assert_int_equal(ue_register(session, later), -EBADF);
	/* The library reaches the kernel through another descriptor. */
	assert_int_equal(ue_unregister(event), 0);
	assert_int_equal(ue_close(session), -EBADF);
	session = ue_open(NULL);
	assert_true(session >= 0);
	assert_int_equal(ue_register(session, later), 0);
	assert_int_equal(ue_unregister(later), 0);
}

/* Another file reuses the number: no event of the old session reaches it. */
static void a_number_that_is_reused(void **state)
{
	struct ue_event *old = make(unique("old u32 a"), 0);
	struct ue_event *new = make(unique("new u32 a"), 0);
	uint32_t value = 1;
	int fd = session;

	(void)state;
	assert_int_equal(ue_register(session, old), 0);
	close(session);
	session = ue_open(NULL);
	assert_int_equal(session, fd);
	assert_int_equal(ue_register(session, new), 0);
	listen_to(new);
	assert_int_equal(ue_write(session, old, &value, 4), -EBADF);
	assert_int_equal(ue_unregister(old), -ENOENT);
	assert_int_equal(count_recorded(), 0);
	assert_int_equal(ue_register(session, old), 0);
	stop_listening(new);
	assert_int_equal(ue_unregister(old), 0);
	assert_int_equal(ue_unregister(new), 0);
}

/* Another file reuses the number: it stays untouched. */
static void a_number_of_another_file(void **state)
{
	struct ue_event *event = make(unique("other u32 a"), 0);
	int low = open("/dev/null", O_WRONLY), null;

	(void)state;
	assert_int_equal(ue_register(session, event), 0);
	null = dup2(low, session);
	assert_int_equal(null, session);
	close(low);
	assert_int_equal(ue_close(session), -EBADF);
	assert_true(fcntl(null, F_GETFD) >= 0);
	assert_int_equal(ue_write(null, event, "1234", 4), -EBADF);
	close(null);
	session = ue_open(NULL);
}

static void *register_in_thread(void *event)
{
	return (void *)(intptr_t)ue_register(session, event);
}

/* Threads created after ue_open() share its registrations, also once they ended. */
static void from_a_thread_that_ends(void **state)
{
	struct ue_event *event = make(unique("thread u32 a"), 0);
	pthread_t thread;
	void *result;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, register_in_thread, event), 0);
	pthread_join(thread, &result);
	assert_int_equal((intptr_t)result, 0);
	listen_to(event);
	stop_listening(event);
	assert_int_equal(ue_unregister(event), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		SESSION_TEST(shows_in_tracefs),
		SESSION_TEST(twice),
		SESSION_TEST(the_same_definition_in_two_events),
		SESSION_TEST(blanks_do_not_change_a_definition),
		SESSION_TEST(the_same_name_with_other_fields),
		SESSION_TEST(flags),
		SESSION_TEST(several_formats_of_one_name_coexist),
		SESSION_TEST(persistent_without_the_capability),
		SESSION_TEST(a_word_that_cannot_be_written),
		SESSION_TEST(one_word_for_two_events),
		SESSION_TEST(more_events_than_the_system_allows),
		SESSION_TEST(many_events),
		SESSION_TEST(a_session_closed_behind_the_library_is_an_error),
		SESSION_TEST(a_number_that_is_reused),
		SESSION_TEST(a_number_of_another_file),
		SESSION_TEST(from_a_thread_that_ends),
	};

	return RUN_TESTS(tests, argc, argv);
}
