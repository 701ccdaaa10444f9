/* SPDX-License-Identifier: MIT */
/*
 * A lost event is counted once, by reason. A packet socket replaces user_events_data; the
 * test binds events by hand.
 */
#define _GNU_SOURCE
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include <userevents/userevents.h>

#include "../support/packet_socket.h"
#include "state/binding.h"

UE_EVENT(sized, UE_U32(a));
UE_EVENT(largest, UE_BYTES(a, 1024), UE_BYTES(b, 1024), UE_BYTES(c, 1));
UE_EVENT(text, UE_STRING(a), UE_BLOB(b));
UE_EVENT(bytes, UE_BYTES(a, 4));

static int connect_events(void **state)
{
	(void)state;
	if (open_socket())
		return -1;
	for (struct ue_event **at = __start_ue_events; at != __stop_ue_events; at++) {
		listen_to(*at, 4000);
		memset((*at)->ue__lost, 0, sizeof((*at)->ue__lost));
	}
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
	assert_int_equal(UE_WRITE(ends[0], sized, 1), 0);
	assert_int_equal(UE_WRITE(ends[0], text, "a", "b", 1), 0);
	*UE_EVENT_OF(sized)->word = 0;
	assert_int_equal(UE_WRITE(ends[1], sized, 1), 0);
	UE_EVENT_OF(sized)->ue__binding = UE__BINDING_CLOSED;
	assert_int_equal(ue_write(ends[0], UE_EVENT_OF(sized), "", 0), -EBADF);
	lost(UE_EVENT_OF(sized), UE_LOSS_OTHER, 0);
	lost(UE_EVENT_OF(text), UE_LOSS_OTHER, 0);
}

static void too_large(void **state)
{
	static char large[4001];
	const struct iovec pieces[] = { { large, 4000 }, { large, 1 } };

	(void)state;
	memset(large, 'x', sizeof(large) - 1);
	assert_int_equal(UE_WRITE(ends[0], text, large, NULL, 0), -EMSGSIZE);
	assert_int_equal(UE_WRITE(ends[0], text, NULL, large, 4000), -EMSGSIZE);
	assert_int_equal(ue_write(ends[0], UE_EVENT_OF(text), large, 4001), -EMSGSIZE);
	assert_int_equal(ue_writev(ends[0], UE_EVENT_OF(text), pieces, 2), -EMSGSIZE);
	lost(UE_EVENT_OF(text), UE_LOSS_TOO_LARGE, 4);
	/* anything smaller fits every session, and is not checked */
	UE_EVENT_OF(largest)->ue__payload_max = UE_PAYLOAD_MAX_LEAST;
	UE_EVENT_OF(largest)->ue__direct_max = UE_PAYLOAD_MAX_LEAST;
	assert_int_equal(UE_WRITE(ends[0], largest, large, large, large), -EMSGSIZE);
	lost(UE_EVENT_OF(largest), UE_LOSS_TOO_LARGE, 1);
}

static void capture_full(void **state)
{
	int written = 0, failed = 0;

	(void)state;
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	while (failed < 3)
		if (UE_WRITE(ends[0], sized, 1))
			failed++;
		else
			written++;
	assert_true(written > 0);
	assert_int_equal(UE_WRITE(ends[0], sized, 1), -EAGAIN);
	lost(UE_EVENT_OF(sized), UE_LOSS_CAPTURE_FULL, 4);
}

static pthread_t blocked;
static volatile sig_atomic_t signals;

static void on_signal(int number)
{
	(void)number;
	signals++;
}

/* Repeats until the writer returned: a signal may arrive before it waits. */
static void *interrupt(void *done)
{
	while (!__atomic_load_n((int *)done, __ATOMIC_ACQUIRE)) {
		pthread_kill(blocked, SIGUSR1);
		usleep(1000);
	}
	return NULL;
}

static void interrupted(void **state)
{
	const struct sigaction action = { .sa_handler = on_signal };
	int result, done = 0;
	pthread_t thread;

	(void)state;
	sigaction(SIGUSR1, &action, NULL);
	blocked = pthread_self();
	pthread_create(&thread, NULL, interrupt, &done);
	do
		result = UE_WRITE(ends[0], sized, 1);
	while (!result);
	__atomic_store_n(&done, 1, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	assert_int_equal(result, -EINTR);
	assert_true(signals > 0);
	lost(UE_EVENT_OF(sized), UE_LOSS_INTERRUPTED, 1);
}

static void other(void **state)
{
	(void)state;
	assert_int_equal(UE_WRITE(ends[0], bytes, NULL), -EFAULT);
	assert_int_equal(UE_WRITE(ends[1], bytes, "abcd"), -EXDEV);
	assert_int_equal(ue_writev(ends[0], UE_EVENT_OF(bytes), NULL, -1), -EINVAL);
	assert_int_equal(ue_write(ends[0], UE_EVENT_OF(bytes), NULL, 1), -EFAULT);
	lost(UE_EVENT_OF(bytes), UE_LOSS_OTHER, 4);
	close(ends[1]);
	signal(SIGPIPE, SIG_DFL);
	assert_true(UE_WRITE(ends[0], sized, 1) < 0);
	lost(UE_EVENT_OF(sized), UE_LOSS_OTHER, 1);
	UE_EVENT_OF(text)->ue__binding = UE__BINDING_CLOSED;
	assert_int_equal(UE_WRITE(ends[0], text, "", "", 0), -EBADF);
	lost(UE_EVENT_OF(text), UE_LOSS_OTHER, 1);
	ends[1] = -1;
}

static void questions(void **state)
{
	(void)state;
	assert_int_equal(ue_event_losses(UE_EVENT_OF(sized), UE_LOSS_REASONS), 0);
	assert_int_equal(ue_event_losses(UE_EVENT_OF(sized), (enum ue_loss)-1), 0);
	assert_int_equal(ue_session_losses(-1, UE_LOSS_OTHER), -EBADF);
	assert_int_equal(ue_session_losses(0, UE_LOSS_OTHER), -EBADF);
	assert_string_equal(ue_loss_name(UE_LOSS_TOO_LARGE), "too large");
	assert_string_equal(ue_loss_name(UE_LOSS_OTHER), "other");
	assert_string_equal(ue_loss_name(UE_LOSS_REASONS), "unknown");
	assert_string_equal(ue_loss_name((enum ue_loss)-1), "unknown");
	for (int i = 0; i < UE_LOSS_REASONS; i++)
		assert_string_not_equal(ue_loss_name((enum ue_loss)i), "unknown");
}

#define LOSS_TEST(f) cmocka_unit_test_setup_teardown(f, connect_events, close_socket)

int main(void)
{
	const struct CMUnitTest tests[] = {
		LOSS_TEST(nothing_is_lost),
		LOSS_TEST(too_large),
		LOSS_TEST(capture_full),
		LOSS_TEST(interrupted),
		LOSS_TEST(other),
		cmocka_unit_test(questions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
