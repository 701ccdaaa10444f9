/* SPDX-License-Identifier: MIT */
/* A function in a child, which may hang without harm. */
#ifndef UE__TOOLS_PROCESS_ISOLATED_CALL_H
#define UE__TOOLS_PROCESS_ISOLATED_CALL_H

/*
 * Call in a child, which ends with what that returns, and pass on what it writes to
 * standard output and error. 0 and the child's status as of waitpid(2), or
 *   -ETIMEDOUT   it was waited for so many seconds, and is killed; the time that our
 *		  output takes does not count;
 *   -EPIPE       our standard output takes no more: it is killed, too;
 *   or another -errno: no child can be started.
 */
int apart_call(int (*call)(const void *context), const void *context, int seconds,
	       int *status);

#endif
