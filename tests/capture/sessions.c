/* SPDX-License-Identifier: MIT */
/* Several sessions in one process, each of which wants the events. */
#include "test.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include <userevents/capture.h>
#include <userevents/userevents.h>

UE_EVENT(one, UE_U32(number));
UE_EVENT(two, UE_U32(number));

struct place {
	struct ue_capture *capture;
	int fd;
};

static struct place first, second;

static int open_place(struct place *place)
{
	struct ue_open_opts opts = { .size = sizeof(opts), .flags = UE_OPEN_FD };

	if (ue_capture_open(NULL, &place->capture))
		return -1;
	opts.fd = ue_capture_writer_fd(place->capture);
	place->fd = ue_open(&opts);
	return place->fd < 0;
}

static void close_place(struct place *place)
{
	ue_close(place->fd);
	ue_capture_close(place->capture);
}

static int begin(void **state)
{
	(void)state;
	return open_place(&first) || open_place(&second);
}

static int end(void **state)
{
	(void)state;
	close_place(&first);
	close_place(&second);
	return 0;
}

#define line_is(place, text) assert_string_equal(ue_capture_line((place).capture), (text))

struct failures {
	int count;
	char names[64];
};

static void note(const struct ue_event *event, int error, void *context)
{
	struct failures *failures = context;

	assert_int_equal(error, -EXDEV);
	failures->count++;
	strncat(failures->names, event->definition, 3);
}

static void the_second_session_is_refused(void **state)
{
	struct failures failures = { 0 };

	(void)state;
	assert_int_equal(ue_register_all(first.fd), 0);
	assert_int_equal(ue_register_all(first.fd), 0);
	assert_int_equal(ue_register_all(second.fd), -EXDEV);
	assert_int_equal(ue_register_all_report(second.fd, note, &failures), -EXDEV);
	assert_int_equal(failures.count, 2);
	assert_non_null(strstr(failures.names, "one"));
	assert_non_null(strstr(failures.names, "two"));
	assert_non_null(strstr(ue_explain(UE_CALL_REGISTER, -EXDEV), "session"));
	assert_int_equal(UE_WRITE(second.fd, one, 1), -EXDEV);
	assert_int_equal(UE_WRITE(first.fd, one, 2), 0);
	line_is(first, "user_events:one number=2");
	line_is(second, "");
}

static void closing_the_first_frees_the_events(void **state)
{
	(void)state;
	assert_int_equal(ue_register_all(first.fd), 0);
	assert_int_equal(ue_close(first.fd), 0);
	assert_int_equal(ue_register_all(second.fd), 0);
	assert_int_equal(UE_WRITE(second.fd, two, 3), 0);
	line_is(second, "user_events:two number=3");
}

static void a_module_keeps_the_session_that_it_chose(void **state)
{
	(void)state;
	assert_int_equal(ue_register_module(first.fd), 0);
	assert_int_equal(ue_register_all(second.fd), 0);
	assert_int_equal(UE_WRITE(first.fd, one, 4), 0);
	line_is(first, "user_events:one number=4");
	assert_int_equal(ue_register_module(second.fd), -EXDEV);
}

static void a_module_does_not_get_events_that_the_process_has(void **state)
{
	(void)state;
	assert_int_equal(ue_register_all(first.fd), 0);
	assert_int_equal(ue_register_module(second.fd), -EXDEV);
}

static void an_event_keeps_the_session_that_was_chosen_for_it(void **state)
{
	(void)state;
	assert_int_equal(ue_register(first.fd, UE_EVENT_OF(one)), 0);
	assert_int_equal(ue_register(first.fd, UE_EVENT_OF(one)), -EALREADY);
	assert_int_equal(ue_register(second.fd, UE_EVENT_OF(one)), -EXDEV);
	assert_int_equal(ue_register_module(second.fd), 0);
	assert_int_equal(ue_register_all(second.fd), 0);
	assert_int_equal(UE_WRITE(first.fd, one, 5), 0);
	assert_int_equal(UE_WRITE(second.fd, two, 6), 0);
	line_is(first, "user_events:one number=5");
	line_is(second, "user_events:two number=6");
}

/* A runner may start tests in threads. Each gets its events, or an error. */
#define THREADS 4
#define ROUNDS 50
#define LINE "user_events:one number=7"

struct count {
	int captured, refused;
};

static void *test_in_a_thread(void *context)
{
	struct count *count = context;

	for (int i = 0; i < ROUNDS; i++) {
		struct place place;
		int result;

		if (open_place(&place))
			return &first;
		result = ue_register_all(place.fd);
		if (result == -EXDEV)
			count->refused++;
		else if (!result && !UE_WRITE(place.fd, one, 7) &&
			 !strcmp(ue_capture_line(place.capture), LINE))
			count->captured++;
		close_place(&place);
	}
	return NULL;
}

static void tests_in_threads_lose_nothing_silently(void **state)
{
	struct count counts[THREADS] = { { 0 } };
	pthread_t threads[THREADS];
	int captured = 0;
	void *result;

	(void)state;
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, test_in_a_thread,
						&counts[i]), 0);
	for (int i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(threads[i], &result), 0);
		assert_null(result);
		assert_int_equal(counts[i].captured + counts[i].refused, ROUNDS);
		captured += counts[i].captured;
	}
	assert_true(captured > 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_second_session_is_refused),
		TEST(closing_the_first_frees_the_events),
		TEST(a_module_keeps_the_session_that_it_chose),
		TEST(a_module_does_not_get_events_that_the_process_has),
		TEST(an_event_keeps_the_session_that_was_chosen_for_it),
		cmocka_unit_test(tests_in_threads_lose_nothing_silently),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
