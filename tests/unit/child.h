/* SPDX-License-Identifier: MIT */
/* Tests that change their process permanently: each runs in a child. */
#ifndef UE__TESTS_UNIT_CHILD_H
#define UE__TESTS_UNIT_CHILD_H

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

/* cmocka's assertions do not work there. */
#define MUST(condition)                                                          \
	do {                                                                     \
		if (!(condition)) {                                              \
			printf("# line %d: not so: %s\n", __LINE__, #condition); \
			return 1;                                                \
		}                                                                \
	} while (0)

static void in_child(int (*function)(void))
{
	pid_t child;
	int status;

	fflush(stdout);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		status = function();
		fflush(stdout);
		_exit(status);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

#endif
