/* SPDX-License-Identifier: MIT */
/* The lock of a file of metrics, which the one that had it removes at its end. */
#include "test.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collect/metrics/metrics.h"
#include "common/cli/memory.h"

#define LOCK "m.prom.lock"

static int removals; /* that are to come */

/* Another collector ends between our open() and our lock. */
int fcntl(int fd, int command, ...)
{
	va_list args;
	void *lock;

	va_start(args, command);
	lock = va_arg(args, void *);
	va_end(args);
	if (command == F_SETLK && removals > 0) {
		removals--;
		assert_int_equal(unlink(LOCK), 0);
	}
	return (int)syscall(SYS_fcntl, fd, command, lock);
}

static void the_lock_is_that_of_the_file_with_the_name(void **state)
{
	char directory[] = "/tmp/metrics-lock-XXXXXX";
	struct metrics_lock lock = { .fds = NULL };
	struct words files = { 0 };
	struct stat mine, named;

	(void)state;
	assert_non_null(mkdtemp(directory));
	assert_int_equal(chdir(directory), 0);
	words_add(&files, xstrdup("m.prom"));
	removals = 2;
	assert_int_equal(metrics_lock_take(&lock, &files), 0);
	assert_int_equal(removals, 0);
	assert_int_equal(fstat(lock.fds[0], &mine), 0);
	assert_int_equal(stat(LOCK, &named), 0);
	assert_int_equal(mine.st_ino, named.st_ino);
	metrics_lock_free(&lock);
	words_free(&files);
	assert_int_equal(access(LOCK, F_OK), -1);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(rmdir(directory), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_lock_is_that_of_the_file_with_the_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
