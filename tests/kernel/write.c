/* SPDX-License-Identifier: MIT */
/* Every result of a write, and the arrival of the written events. */
#define _GNU_SOURCE
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "../support/seccomp.h"

static struct ue_event event;

static void register_event(const char *definition)
{
	assert_int_equal(ue_event_init(&event, unique(definition), 0), 0);
	assert_int_equal(ue_register(session, &event), 0);
}

static void done(void)
{
	stop_listening(&event);
	assert_int_equal(ue_unregister(&event), 0);
}

static void a_disabled_event_is_not_written(void **state)
{
	uint32_t value = 1;

	(void)state;
	register_event("quiet u32 value");
	assert_int_equal(ue_enabled(&event), 0);
	assert_int_equal(ue_write(session, &event, &value, 4), 0);
	/* The race of a departing listener: the word is still set. */
	if (!is_status_page()) {
		event.ue__own_word = UE__WORD_LISTENED;
		assert_int_equal(ue_write(session, &event, &value, 4), 0);
		event.ue__own_word = 0;
	}
	listen_to(&event);
	assert_int_equal(count_recorded(), 0);
	done();
}

static void values_arrive(void **state)
{
	struct {
		uint32_t location; /* of the text, from the end of this field */
		uint64_t number;
		char text[6];
	} __attribute__((packed)) payload = { 6u << 16 | 8u, 1234567, "hello" };

	(void)state;
	register_event("arrive __rel_loc char[] text; u64 number");
	listen_to(&event);
	assert_int_equal(ue_write(session, &event, &payload, sizeof(payload)), 0);
	assert_true(was_recorded(&payload, sizeof(payload)));
	done();
}

static void pieces_arrive_as_one(void **state)
{
	uint32_t a = 17;
	uint64_t b = 18;
	const struct iovec iov[] = { { &a, 4 }, { NULL, 0 }, { &b, 8 } };

	(void)state;
	register_event("pieces u32 a; u64 b");
	listen_to(&event);
	assert_int_equal(ue_writev(session, &event, iov, 3), 0);
	assert_true(was_recorded("\x11\0\0\0\x12\0\0\0\0\0\0", 12));
	done();
}

static void an_event_without_fields(void **state)
{
	(void)state;
	register_event("empty");
	listen_to(&event);
	assert_int_equal(ue_write(session, &event, NULL, 0), 0);
	assert_int_equal(ue_writev(session, &event, NULL, 0), 0);
	assert_int_equal(count_recorded(), 2);
	done();
}

static void too_short(void **state)
{
	(void)state;
	register_event("short u32 a; u32 b");
	listen_to(&event);
	assert_int_equal(ue_write(session, &event, "1234567", 7), -EINVAL);
	assert_int_equal(ue_write(session, &event, "12345678", 8), 0);
	assert_int_equal(count_recorded(), 1);
	done();
}

/* The limit is exact: this size arrives, a larger one would be lost. */
static void too_long(void **state)
{
	static char payload[UE_PAYLOAD_MAX_PERF + 1];
	const struct ue_open_opts opts = {
		.size = sizeof(opts), .payload_max = UE_PAYLOAD_MAX_PERF
	};
	const char *patched = getenv("UE_VM_PATCHED");
	const int is_rfc = patched && !strcmp(patched, "rfc");
	size_t max = (size_t)ue_payload_max(session);

	(void)state;
	register_event("long u32 a");
	listen_to(&event);
	memset(payload, 'x', sizeof(payload));
	assert_int_equal(ue_write(session, &event, payload, max), 0);
	assert_true(was_recorded(payload, 500));
	recorded();
	assert_int_equal(ue_write(session, &event, payload, max + 1), -EMSGSIZE);
	assert_int_equal(count_recorded(), 0);
	done();

	ue_close(session);
	session = ue_open(&opts);
	register_event("perf u32 a");
	listen_to(&event);
	/* a kernel with all patches reports that nothing could take it */
	assert_int_equal(ue_write(session, &event, payload, max + 4),
			 is_rfc ? -E2BIG : 0);
	assert_int_equal(count_recorded(), 0);
	done();
}

static void a_location_out_of_bounds(void **state)
{
	uint32_t location = 5u << 16 | 0u;
	char payload[8] = { 0 };

	(void)state;
	register_event("outside __rel_loc char[] text");
	listen_to(&event);
	memcpy(payload, &location, 4);
	assert_int_equal(ue_write(session, &event, payload, 8), -EFAULT);
	location = 4u << 16 | 0u;
	memcpy(payload, &location, 4);
	assert_int_equal(ue_write(session, &event, payload, 8), 0);
	memset(payload + 4, 'x', 4);
	assert_int_equal(ue_write(session, &event, payload, 8), -EFAULT);
	assert_int_equal(count_recorded(), 1);
	done();
}

static void unreadable_memory(void **state)
{
	char zeros[4] = { 0 };

	(void)state;
	register_event("fault __rel_loc u8[] blob");
	listen_to(&event);
	assert_int_equal(ue_writev(session, &event,
				   (struct iovec[]){ { zeros, 4 },
						     { (void *)8, 2000 } },
				   2),
			 -EFAULT);
	assert_int_equal(count_recorded(), 0);
	done();
}

static void another_session(void **state)
{
	int other = ue_open(NULL);
	struct ue_event theirs;
	uint32_t value = 1;

	(void)state;
	register_event("mine u32 a");
	ue_event_init(&theirs, unique("theirs u32 a"), 0);
	assert_int_equal(ue_register(other, &theirs), 0);
	listen_to(&theirs);
	assert_int_equal(ue_write(session, &theirs, &value, 4), -EXDEV);
	assert_int_equal(count_recorded(), 0);
	assert_int_equal(ue_write(other, &theirs, &value, 4), 0);
	assert_int_equal(count_recorded(), 1);
	stop_listening(&theirs);
	assert_int_equal(ue_close(other), 0);
	assert_int_equal(ue_unregister(&event), 0);
}

static void after_unregister_and_close(void **state)
{
	uint32_t value = 1;

	(void)state;
	register_event("over u32 a");
	listen_to(&event);
	assert_int_equal(ue_unregister(&event), 0);
	assert_int_equal(ue_enabled(&event), 0);
	assert_int_equal(ue_write(session, &event, &value, 4), 0);
	assert_int_equal(ue_register(session, &event), 0);
	EVENTUALLY(ue_enabled(&event));
	assert_int_equal(ue_close(session), 0);
	assert_int_equal(ue_enabled(&event), 0);
	assert_int_equal(ue_write(session, &event, &value, 4), -EBADF);
	assert_int_equal(count_recorded(), 0);
	session = ue_open(NULL);
}

static volatile sig_atomic_t interruptions;

static void write_in_handler(int signal)
{
	uint32_t value = 0xffffffff;

	(void)signal;
	if (!ue_write(session, &event, &value, 4))
		interruptions++;
}

/* Signal handlers write while they interrupt writes; all events arrive. */
static void in_signal_handlers(void **state)
{
	const struct itimerval often = { { 0, 500 }, { 0, 500 } }, never = { 0 };
	struct sigaction action = { .sa_handler = write_in_handler };
	uint32_t written = 0;

	(void)state;
	register_event("signal u32 a");
	listen_to(&event);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	errno = 4711;
	while (written < 5000 && interruptions < 500) {
		assert_int_equal(ue_write(session, &event, &written, 4), 0);
		written++;
	}
	assert_int_equal(errno, 4711);
	setitimer(ITIMER_REAL, &never, NULL);
	assert_true(interruptions > 0);
	assert_int_equal(count_recorded(), (int)written + interruptions);
	done();
}

static void *write_many(void *unused)
{
	(void)unused;
	for (uint32_t i = 0; i < 1000; i++)
		if (ue_write(session, &event, &i, 4))
			return &event;
	return NULL;
}

static void in_threads(void **state)
{
	pthread_t threads[4];
	void *result;

	(void)state;
	register_event("threads u32 a");
	listen_to(&event);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, write_many, NULL), 0);
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], &result);
		assert_null(result);
	}
	assert_int_equal(count_recorded(), 4000);
	done();
}

/* pwrite64(2) is denied */

static volatile sig_atomic_t denied;
static int denied_as;

static void deny(int number, siginfo_t *info, void *context)
{
	mcontext_t *machine = &((ucontext_t *)context)->uc_mcontext;

	(void)number;
	(void)info;
#ifdef __aarch64__
	machine->regs[0] = (unsigned long long)-denied_as;
#else
	machine->gregs[REG_RAX] = -denied_as;
#endif
	denied = denied + 1;
}

static int deny_pwrite(int error)
{
	const struct sigaction action = { .sa_sigaction = deny, .sa_flags = SA_SIGINFO };

	denied_as = error;
	return sigaction(SIGSYS, &action, NULL) ||
	       filter(SYS_pwrite64, SECCOMP_RET_TRAP) ||
	       filter(SYS_pwritev, SECCOMP_RET_TRAP);
}

static uint64_t losses(void)
{
	uint64_t sum = 0;

	for (int i = 0; i < UE_LOSS_REASONS; i++)
		sum += (uint64_t)ue_session_losses(session, (enum ue_loss)i);
	return sum;
}

/* The exit status is the failed line. */
#define MUST(condition)                             \
	do {                                        \
		if (!(condition))                   \
			_exit(__LINE__ % 255 + 1);  \
	} while (0)

static void in_child(void (*function)(int), int argument)
{
	pid_t child = fork();
	int status;

	if (!child) {
		function(argument);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static struct ue_event second;

/* One event finds out for the session, each event once for itself. */
static void write_without_pwrite(int error)
{
	static char large[2][700];
	const struct iovec iov[] = { { large[0], 700 }, { large[1], 700 } };
	const uint32_t value = 1;
	struct ue_event later;

	MUST(!deny_pwrite(error));
	errno = 4711;
	MUST(!ue_write(session, &event, &value, 4) && denied == 1);
	MUST(!ue_write(session, &event, &value, 4) && denied == 1);
	MUST(!ue_writev(session, &event, iov, 2) && denied == 1);
	MUST(!ue_writev(session, &second, iov, 2) && denied == 2);
	MUST(!ue_write(session, &second, &value, 4) && denied == 2);
	MUST(errno == 4711);
	MUST(!ue_event_init(&later, unique("later u32 a"), 0));
	MUST(!ue_register(session, &later));
	MUST(later.ue__write_call == SYS_write);
	MUST(!losses());
}

static void register_two(void)
{
	register_event("denied u32 a");
	ue_event_init(&second, unique("second u32 a"), 0);
	assert_int_equal(ue_register(session, &second), 0);
}

static void a_sandbox_without_pwrite_loses_no_event(void **state)
{
	static const int errors[] = { EPERM, EACCES, ENOSYS, ESPIPE, EIO };

	(void)state;
	register_two();
	for (unsigned i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		listen_to(&second);
		listen_to(&event);
		in_child(write_without_pwrite, errors[i]);
		assert_int_equal(count_entries(), 5);
	}
	stop_listening(&second);
	assert_int_equal(ue_unregister(&second), 0);
	done();
}

static void write_without_write(int error)
{
	const unsigned answer = SECCOMP_RET_ERRNO | (unsigned)error;
	uint32_t value = 1;

	MUST(!deny_pwrite(error) && !filter(SYS_write, answer));
	for (unsigned i = 1; i <= 2; i++) {
		MUST(ue_write(session, &event, &value, 4) == -error);
		MUST(denied == 1);
		MUST(ue_session_losses(session, UE_LOSS_NO_RIGHTS) == i && losses() == i);
		MUST(ue_event_losses(&event, UE_LOSS_NO_RIGHTS) == i);
	}
}

static void a_write_that_is_denied_twice_is_lost_once(void **state)
{
	(void)state;
	register_event("refused u32 a");
	listen_to(&event);
	in_child(write_without_write, EPERM);
	in_child(write_without_write, EACCES);
	assert_int_equal(count_recorded(), 0);
	done();
}

/* An error of user_events itself is not asked for again. */
static void refused_by_user_events(int unused)
{
	(void)unused;
	MUST(ue_write(session, &event, "123", 3) == -EINVAL);
	MUST(event.ue__write_call == SYS_pwrite64);
	MUST(!ue_write(session, &event, "1234", 4));
	MUST(event.ue__write_call == SYS_pwrite64);
}

static void an_invalid_record_changes_no_session(void **state)
{
	(void)state;
	register_event("invalid u32 a");
	listen_to(&event);
	in_child(refused_by_user_events, 0);
	assert_int_equal(count_recorded(), 1);
	done();
}

/* Another owner of the open file may have moved it. */
static void the_position_of_the_file_does_not_matter(void **state)
{
	uint32_t value = 1;
	off_t moved;

	(void)state;
	register_event("moved u32 a");
	listen_to(&event);
	moved = lseek(session, 4, SEEK_SET);
	assert_true(moved == 4 || errno == ESPIPE);
	assert_int_equal(ue_write(session, &event, &value, 4), 0);
	assert_int_equal(ue_write(session, &event, &value, 4), 0);
	assert_int_equal(lseek(session, 0, SEEK_CUR), moved);
	assert_int_equal(count_recorded(), 2);
	done();
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		SESSION_TEST(a_disabled_event_is_not_written),
		SESSION_TEST(values_arrive),
		SESSION_TEST(pieces_arrive_as_one),
		SESSION_TEST(an_event_without_fields),
		SESSION_TEST(too_short),
		SESSION_TEST(too_long),
		SESSION_TEST(a_location_out_of_bounds),
		SESSION_TEST(unreadable_memory),
		SESSION_TEST(another_session),
		SESSION_TEST(after_unregister_and_close),
		SESSION_TEST(in_signal_handlers),
		SESSION_TEST(in_threads),
		SESSION_TEST(a_sandbox_without_pwrite_loses_no_event),
		SESSION_TEST(a_write_that_is_denied_twice_is_lost_once),
		SESSION_TEST(an_invalid_record_changes_no_session),
		SESSION_TEST(the_position_of_the_file_does_not_matter),
	};

	return RUN_TESTS(tests, argc, argv);
}
