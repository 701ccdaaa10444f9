/* SPDX-License-Identifier: MIT */
/*
 * A lost event is counted once, by reason, in its registration and in its session. A
 * capture replaces the kernel.
 */
#define _GNU_SOURCE
#include "test.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <userevents/capture.h>
#include <userevents/userevents.h>

#define PAYLOAD_MAX 4000

UE_EVENT(sized, UE_U32(a));
UE_EVENT(largest, UE_BYTES(a, 1024), UE_BYTES(b, 1024), UE_BYTES(c, 1));
UE_EVENT(text, UE_STRING(a), UE_BLOB(b));
UE_EVENT(bytes, UE_BYTES(a, 4));

static struct ue_capture *capture;
static int session;

static int open_session(uint32_t payload_max)
{
	struct ue_open_opts opts = {
		.size = sizeof(opts), .flags = UE_OPEN_FD, .payload_max = payload_max,
		.fd = ue_capture_writer_fd(capture),
	};

	return ue_open(&opts);
}

static int connect_events(void **state)
{
	struct ue_capture_opts opts = { .size = sizeof(opts), .buffer = 1 };

	if (*state)
		opts.flags = *(uint32_t *)*state;
	if (ue_capture_open(&opts, &capture) || ue_capture_enable(capture, "*"))
		return -1;
	session = open_session(PAYLOAD_MAX);
	return session < 0 ? -1 : ue_register_all(session);
}

static int disconnect(void **state)
{
	(void)state;
	ue_close(session);
	ue_capture_close(capture);
	return 0;
}

/* Only this reason, with this count. */
static void lost(const struct ue_event *event, enum ue_loss reason, uint32_t count)
{
	for (int i = 0; i < UE_LOSS_REASONS; i++)
		assert_int_equal(ue_event_losses(event, (enum ue_loss)i),
				 i == (int)reason ? count : 0);
}

static void nothing_is_lost(void **state)
{
	(void)state;
	assert_int_equal(UE_WRITE(session, sized, 1), 0);
	assert_int_equal(UE_WRITE(session, text, "a", "b", 1), 0);
	ue_capture_disable(capture, "*");
	assert_int_equal(UE_WRITE(session + 1, sized, 1), 0);
	assert_int_equal(ue_write(session + 1, UE_EVENT_OF(sized), "", 0), -EXDEV);
	lost(UE_EVENT_OF(sized), UE_LOSS_OTHER, 0);
	lost(UE_EVENT_OF(text), UE_LOSS_OTHER, 0);
	assert_int_equal(ue_session_losses(session, UE_LOSS_OTHER), 0);
}

static void too_large(void **state)
{
	static char large[PAYLOAD_MAX + 1];
	const struct iovec pieces[] = { { large, PAYLOAD_MAX }, { large, 1 } };

	(void)state;
	memset(large, 'x', sizeof(large) - 1);
	assert_int_equal(UE_WRITE(session, text, large, NULL, 0), -EMSGSIZE);
	assert_int_equal(UE_WRITE(session, text, NULL, large, PAYLOAD_MAX), -EMSGSIZE);
	assert_int_equal(ue_write(session, UE_EVENT_OF(text), large, PAYLOAD_MAX + 1),
			 -EMSGSIZE);
	assert_int_equal(ue_writev(session, UE_EVENT_OF(text), pieces, 2), -EMSGSIZE);
	lost(UE_EVENT_OF(text), UE_LOSS_TOO_LARGE, 4);
	assert_int_equal(ue_session_losses(session, UE_LOSS_TOO_LARGE), 4);
}

/* Anything smaller fits every session, and is not checked. */
static void too_large_by_its_fields(void **state)
{
	static const char large[1024];
	int small = open_session(UE_PAYLOAD_MAX_LEAST);

	(void)state;
	assert_int_equal(ue_unregister(UE_EVENT_OF(largest)), 0);
	assert_int_equal(ue_register(small, UE_EVENT_OF(largest)), 0);
	assert_int_equal(UE_WRITE(small, largest, large, large, large), -EMSGSIZE);
	lost(UE_EVENT_OF(largest), UE_LOSS_TOO_LARGE, 1);
	assert_int_equal(ue_session_losses(small, UE_LOSS_TOO_LARGE), 1);
	assert_int_equal(ue_session_losses(session, UE_LOSS_TOO_LARGE), 0);
	assert_int_equal(ue_close(small), 0);
}

static void capture_full(void **state)
{
	int written = 0, failed = 0;

	(void)state;
	while (failed < 3)
		if (UE_WRITE(session, sized, 1))
			failed++;
		else
			written++;
	assert_true(written > 0);
	assert_int_equal(UE_WRITE(session, sized, 1), -ENOBUFS);
	lost(UE_EVENT_OF(sized), UE_LOSS_CAPTURE_FULL, 4);
}

/* Writes until they wait for room, and once more then. */
static void *write_many(void *written)
{
	for (int i = 0; i < 100000; i++) {
		if (UE_WRITE(session, sized, 1))
			break;
		__atomic_fetch_add((int *)written, 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

static int signals;

static void on_signal(int number)
{
	(void)number;
	__atomic_fetch_add(&signals, 1, __ATOMIC_RELAXED);
}

static int signals_so_far(void)
{
	return __atomic_load_n(&signals, __ATOMIC_RELAXED);
}

/* 1 if the count did not change for so long that the thread waits; if not, no harm is done. */
static int has_paused(const int *count)
{
	const int before = __atomic_load_n(count, __ATOMIC_ACQUIRE);

	usleep(5000);
	return before && __atomic_load_n(count, __ATOMIC_ACQUIRE) == before;
}

static void a_waiting_write_goes_on_after_signals(void **state)
{
	const struct sigaction action = { .sa_handler = on_signal };
	int written = 0, read = 0;
	pthread_t thread;

	(void)state;
	sigaction(SIGUSR1, &action, NULL);
	pthread_create(&thread, NULL, write_many, &written);
	while (!has_paused(&written))
		;
	for (int before = signals_so_far(); signals_so_far() < before + 3; usleep(1000))
		pthread_kill(thread, SIGUSR1);
	while (read < 100000)
		read += ue_capture_skip(capture);
	pthread_join(thread, NULL);
	assert_int_equal(written, 100000);
	assert_int_equal(ue_session_losses(session, UE_LOSS_INTERRUPTED), 0);
	assert_int_equal(ue_session_losses(session, UE_LOSS_CAPTURE_FULL), 0);
}

static void other(void **state)
{
	(void)state;
	assert_int_equal(UE_WRITE(session, bytes, NULL), -EFAULT);
	assert_int_equal(UE_WRITE(session + 1, bytes, "abcd"), -EXDEV);
	assert_int_equal(ue_writev(session, UE_EVENT_OF(bytes), NULL, -1), -EINVAL);
	assert_int_equal(ue_write(session, UE_EVENT_OF(bytes), NULL, 1), -EFAULT);
	lost(UE_EVENT_OF(bytes), UE_LOSS_OTHER, 4);
	/* a write with a wrong descriptor is one of the session that has the event */
	assert_int_equal(ue_session_losses(session, UE_LOSS_OTHER), 4);
}

/* The other event gets the memory of the first one. */
static void counts_end_with_the_registration(void **state)
{
	static struct ue_event next = UE_EVENT_INIT(next, "next u32 a");

	(void)state;
	lost(&next, UE_LOSS_OTHER, 0);
	assert_int_equal(UE_WRITE(session, bytes, NULL), -EFAULT);
	lost(UE_EVENT_OF(bytes), UE_LOSS_OTHER, 1);
	assert_int_equal(ue_unregister(UE_EVENT_OF(bytes)), 0);
	lost(UE_EVENT_OF(bytes), UE_LOSS_OTHER, 0);
	assert_int_equal(ue_register(session, &next), 0);
	lost(&next, UE_LOSS_OTHER, 0);
	assert_int_equal(ue_write(session, &next, NULL, 4), -EFAULT);
	lost(&next, UE_LOSS_OTHER, 1);
	lost(UE_EVENT_OF(bytes), UE_LOSS_OTHER, 0);
	assert_int_equal(ue_session_losses(session, UE_LOSS_OTHER), 2);
	assert_int_equal(ue_close(session), 0);
	lost(&next, UE_LOSS_OTHER, 0);
	assert_int_equal(ue_session_losses(session, UE_LOSS_OTHER), -EBADF);
}

static int does_child_continue(void)
{
	return ue_event_losses(UE_EVENT_OF(bytes), UE_LOSS_OTHER) == 1 &&
	       UE_WRITE(session, bytes, NULL) == -EFAULT &&
	       ue_event_losses(UE_EVENT_OF(bytes), UE_LOSS_OTHER) == 2;
}

static void a_child_continues_the_counts_of_its_parent(void **state)
{
	int status = 0;
	pid_t child;

	(void)state;
	assert_int_equal(UE_WRITE(session, bytes, NULL), -EFAULT);
	child = fork();
	if (!child)
		_exit(!does_child_continue());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	lost(UE_EVENT_OF(bytes), UE_LOSS_OTHER, 1);
}

static void questions(void **state)
{
	(void)state;
	assert_int_equal(ue_event_losses(UE_EVENT_OF(sized), UE_LOSS_REASONS), 0);
	assert_int_equal(ue_event_losses(UE_EVENT_OF(sized), (enum ue_loss)-1), 0);
	assert_int_equal(ue_session_losses(-1, UE_LOSS_OTHER), -EBADF);
	assert_int_equal(ue_session_losses(0, UE_LOSS_OTHER), -EBADF);
	assert_string_equal(ue_name(UE_NAME_LOSS, UE_LOSS_TOO_LARGE), "too large");
	assert_string_equal(ue_name(UE_NAME_LOSS, UE_LOSS_OTHER),
			    "wrong descriptor or payload, or no memory");
	assert_string_equal(ue_name(UE_NAME_LOSS, UE_LOSS_REASONS), "unknown");
	assert_string_equal(ue_name(UE_NAME_LOSS, UINT32_MAX), "unknown");
	for (int i = 0; i < UE_LOSS_REASONS; i++)
		assert_string_not_equal(ue_name(UE_NAME_LOSS, (uint32_t)i), "unknown");
}

#define LOSS_TEST(f) cmocka_unit_test_setup_teardown(f, connect_events, disconnect)

int main(void)
{
	uint32_t wait = UE_CAPTURE_WAIT;
	const struct CMUnitTest tests[] = {
		LOSS_TEST(nothing_is_lost),
		LOSS_TEST(too_large),
		LOSS_TEST(too_large_by_its_fields),
		LOSS_TEST(capture_full),
		cmocka_unit_test_prestate_setup_teardown(a_waiting_write_goes_on_after_signals,
							 connect_events, disconnect, &wait),
		LOSS_TEST(other),
		LOSS_TEST(counts_end_with_the_registration),
		LOSS_TEST(a_child_continues_the_counts_of_its_parent),
		cmocka_unit_test(questions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
