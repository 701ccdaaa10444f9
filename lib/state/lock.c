/* SPDX-License-Identifier: MIT */
/*
 * Lock and unlock the library.
 */
#include <pthread.h>
#include <signal.h>

#include "lock.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Of the holder, while it holds. */
static int cancel_state;
static sigset_t signals;

/* How deep a fork is nested (in a handler of the fork), and whose it is. */
static int forks;
static pthread_t forker;

static int is_forking_here(void)
{
	pthread_t whose;

	if (!__atomic_load_n(&forks, __ATOMIC_ACQUIRE))
		return 0;
	__atomic_load(&forker, &whose, __ATOMIC_RELAXED);
	return pthread_equal(whose, pthread_self());
}

/*
 * Not those that an instruction raises, or a system call that a sandbox traps (SIGSYS):
 * blocked, they end the process.
 */
static void block_signals(sigset_t *before)
{
	static const int raised[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS };
	sigset_t all;

	sigfillset(&all);
	for (unsigned i = 0; i < sizeof(raised) / sizeof(raised[0]); i++)
		sigdelset(&all, raised[i]);
	pthread_sigmask(SIG_BLOCK, &all, before);
}

void ue__lock(void)
{
	sigset_t before;
	int state;

	if (is_forking_here())
		return;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	block_signals(&before);
	pthread_mutex_lock(&lock);
	cancel_state = state;
	signals = before;
}

void ue__unlock(void)
{
	const sigset_t before = signals;
	const int state = cancel_state;

	if (is_forking_here())
		return;
	pthread_mutex_unlock(&lock);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_setcancelstate(state, NULL);
}

static void lock_and_note_forker(void)
{
	const pthread_t self = pthread_self();

	pthread_mutex_lock(&lock);
	__atomic_store(&forker, &self, __ATOMIC_RELAXED);
	__atomic_store_n(&forks, 1, __ATOMIC_RELEASE);
}

/* A handler that forks finds the lock taken and the forker noted, or neither. */
void ue__lock_before_fork(void)
{
	sigset_t before;

	block_signals(&before);
	if (is_forking_here())
		__atomic_fetch_add(&forks, 1, __ATOMIC_RELAXED);
	else
		lock_and_note_forker();
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void ue__unlock_after_fork(void)
{
	sigset_t before;

	block_signals(&before);
	if (!__atomic_sub_fetch(&forks, 1, __ATOMIC_RELEASE))
		pthread_mutex_unlock(&lock);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}
