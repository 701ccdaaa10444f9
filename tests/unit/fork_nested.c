/* SPDX-License-Identifier: MIT */
/* A signal handler that forks, wherever it interrupts another fork. */
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <userevents/session.h>

#include "test.h"

int __real_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);
int __real_pthread_mutex_unlock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex);

/* The signal arrives when the library has just locked, or is about to unlock. */
static volatile sig_atomic_t comes_locked, comes_unlocking, forks;

static void strike(volatile sig_atomic_t *comes)
{
	if (!*comes)
		return;
	*comes = 0;
	raise(SIGUSR1);
}

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
	int result = __real_pthread_mutex_lock(mutex);

	strike(&comes_locked);
	return result;
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	strike(&comes_unlocking);
	return __real_pthread_mutex_unlock(mutex);
}

static void fork_once(void)
{
	int status;
	pid_t child = fork();

	if (!child)
		_exit(0);
	if (child > 0 && waitpid(child, &status, 0) == child && !status)
		forks = forks + 1;
}

static void on_signal(int number)
{
	(void)number;
	fork_once();
}

static void a_signal_may_fork_just_after_the_lock_is_taken(void **state)
{
	(void)state;
	forks = 0;
	comes_locked = 1;
	fork_once();
	assert_int_equal(comes_locked, 0);
	assert_int_equal(forks, 2);
}

/* The parent; a child that strikes forks, too, and both must end. */
static void a_signal_may_fork_just_before_the_lock_is_given_back(void **state)
{
	(void)state;
	forks = 0;
	comes_unlocking = 1;
	fork_once();
	assert_int_equal(comes_unlocking, 0);
	assert_int_equal(forks, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_signal_may_fork_just_after_the_lock_is_taken),
		cmocka_unit_test(a_signal_may_fork_just_before_the_lock_is_given_back),
	};

	ue_abi(-1); /* so that the library is linked, with its handlers */
	signal(SIGUSR1, on_signal);
	alarm(600); /* a deadlock ends the test */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
