/* SPDX-License-Identifier: MIT */
/* Call a function that may never return. */
#ifndef UE__TOOLS_PROCESS_ISOLATED_CALL_H
#define UE__TOOLS_PROCESS_ISOLATED_CALL_H

/*
 * Call a function in a child process, whose output and messages appear when it has ended.
 * A child that does not end in that time is killed, and its output is dropped.
 *
 * Returns the child's status as waitpid(2) has it, -ETIMEDOUT, or another -errno when no
 * process can be started.
 */
int isolated_call(int (*call)(const void *context), const void *context,
		  int milliseconds);

#endif
