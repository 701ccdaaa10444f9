/* SPDX-License-Identifier: MIT */
/*
 * Lock and unlock the library.
 */
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "lock.h"
#include "process.h"

static struct ue__process_lock *const it = &ue__process.lock;

static int is_forking_here(void)
{
	pthread_t whose;

	if (!__atomic_load_n(&it->forks, __ATOMIC_ACQUIRE))
		return 0;
	__atomic_load(&it->forker, &whose, __ATOMIC_RELAXED);
	return pthread_equal(whose, pthread_self());
}

/*
 * Signals that an instruction raises, or a system call that a sandbox traps (SIGSYS),
 * stay unblocked: if one of them were raised while it is blocked, it would end the
 * process. The bits are set as the kernel takes them, since a call for each signal costs
 * more than the rest of the lock. glibc never blocks 32 and 33, and would copy a set with
 * them.
 */
static void block_signals(sigset_t *before)
{
#define BIT(signal) (1UL << ((signal)-1))
	const unsigned long raised = BIT(SIGSEGV) | BIT(SIGBUS) | BIT(SIGFPE) |
				     BIT(SIGILL) | BIT(SIGTRAP) | BIT(SIGSYS);
	const unsigned long glibcs = BIT(32) | (sizeof(long) > 4 ? BIT(32) << 1 : 0);
#undef BIT
	const unsigned long first = ~raised & ~glibcs;
	sigset_t all;

	memset(&all, 0xff, sizeof(all));
	memcpy(&all, &first, sizeof(first));
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
	pthread_mutex_lock(&it->mutex);
	it->cancel_state = state;
	it->signals = before;
}

void ue__unlock(void)
{
	const sigset_t before = it->signals;
	const int state = it->cancel_state;

	if (is_forking_here())
		return;
	pthread_mutex_unlock(&it->mutex);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_setcancelstate(state, NULL);
}

static void lock_and_note_forker(void)
{
	pthread_t self = pthread_self(); /* clang wants to store no constant */

	pthread_mutex_lock(&it->mutex);
	__atomic_store(&it->forker, &self, __ATOMIC_RELAXED);
	__atomic_store_n(&it->forks, 1, __ATOMIC_RELEASE);
}

/* Blocked signals: a handler that forks finds lock and forker both set, or neither. */
void ue__lock_before_fork(void)
{
	sigset_t before;

	block_signals(&before);
	if (is_forking_here())
		__atomic_fetch_add(&it->forks, 1, __ATOMIC_RELAXED);
	else
		lock_and_note_forker();
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void ue__unlock_after_fork(void)
{
	sigset_t before;

	block_signals(&before);
	if (!__atomic_sub_fetch(&it->forks, 1, __ATOMIC_RELEASE))
		pthread_mutex_unlock(&it->mutex);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}
