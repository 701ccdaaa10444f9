/* SPDX-License-Identifier: MIT */
/*
 * Public functions leave errno alone. UE__KEEP_ERRNO as the first declaration of
 * one puts it back on every way out.
 */
#ifndef UE__ERRNO_GUARD_H
#define UE__ERRNO_GUARD_H

#include <errno.h>

static inline void ue__restore_errno(const int *saved)
{
	errno = *saved;
}

#define UE__KEEP_ERRNO                                       \
	__attribute__((cleanup(ue__restore_errno), unused)) \
	const int ue__saved_errno = errno

#endif
