/* SPDX-License-Identifier: MIT */
/*
 * Public functions leave errno alone. UE__KEEP_ERRNO as the first declaration of
 * one puts it back on every way out. UE__UNDISTURBED is for those that hold something
 * while they call libc: it also keeps them from being cancelled half-way.
 */
#ifndef UE__UTIL_ERRNO_GUARD_H
#define UE__UTIL_ERRNO_GUARD_H

#include <errno.h>
#include <pthread.h>

static inline void ue__restore_errno(const int *saved)
{
	errno = *saved;
}

static inline int ue__forbid_cancel(void)
{
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	return state;
}

static inline void ue__restore_cancel(const int *state)
{
	pthread_setcancelstate(*state, NULL);
}

#define UE__KEEP_ERRNO                                       \
	__attribute__((cleanup(ue__restore_errno), unused)) \
	const int ue__saved_errno = errno

#define UE__UNDISTURBED                                       \
	UE__KEEP_ERRNO;                                       \
	__attribute__((cleanup(ue__restore_cancel), unused)) \
	const int ue__saved_cancel = ue__forbid_cancel()

#endif
