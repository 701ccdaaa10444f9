/* SPDX-License-Identifier: MIT */
/* The kernel's list of events, read in pieces. */
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/event_states.h"

static char directory[] = "/tmp/event_states.XXXXXX";
static char path[64];
static size_t told, listened;
static dev_t device;

static void note(void *context, const char *name, size_t length, int is_listened)
{
	assert_ptr_equal(context, path);
	assert_memory_equal(name, "event", length < 5 ? length : 5);
	told++;
	listened += (size_t)is_listened;
}

static FILE *begin(void)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	told = listened = 0;
	return file;
}

static void look(FILE *file)
{
	fputs("\nActive: 1\nBusy: 1\n", file);
	fclose(file);
	assert_int_equal(ue__event_states(directory, device, note, path), 0);
}

/* Wherever a piece ends. */
static void each_event_is_told_once(void **state)
{
	(void)state;
	for (int width = 1; width < 40; width++) {
		FILE *file = begin();

		for (int i = 0; i < 500; i++)
			fprintf(file, "event%0*d%s\n", width, i,
				i % 3 ? "" : " # Used by ftrace perf other");
		look(file);
		assert_int_equal(told, 500);
		assert_int_equal(listened, 167);
	}
}

static void none_is_told_of_nothing(void **state)
{
	(void)state;
	look(begin());
	assert_int_equal(told, 0);
}

/* No kernel has it; its rest is no name. */
static void a_line_that_is_too_long_is_passed(void **state)
{
	for (int width = 1000; width < 3100; width += 7) {
		FILE *file = begin();

		(void)state;
		fprintf(file, "event1\nevent%0*d\nevent2 # Used by perf\n", width, 0);
		look(file);
		assert_true(told == 2 || (told == 3 && width < 1024));
		assert_int_equal(listened, 1);
	}
}

static void what_cannot_be_read_is_an_error(void **state)
{
	char long_path[5000];

	(void)state;
	memset(long_path, 'a', sizeof(long_path));
	long_path[sizeof(long_path) - 1] = '\0';
	assert_int_equal(ue__event_states("/nowhere", device, note, NULL), -ENOENT);
	assert_int_equal(ue__event_states(long_path, device, note, NULL), -ENAMETOOLONG);
	look(begin());
	assert_int_equal(ue__event_states(directory, device + 1, note, NULL), -ENODEV);
}

/* As in a root of another's making. */
static void another_kind_of_file_is_not_read(void **state)
{
	(void)state;
	remove(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(ue__event_states(directory, device, note, NULL), -ENODEV);
	remove(path);
	assert_int_equal(symlink("/proc/self/stat", path), 0);
	assert_int_equal(ue__event_states(directory, device, note, NULL), -ELOOP);
	remove(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_event_is_told_once),
		cmocka_unit_test(none_is_told_of_nothing),
		cmocka_unit_test(a_line_that_is_too_long_is_passed),
		cmocka_unit_test(what_cannot_be_read_is_an_error),
		cmocka_unit_test(another_kind_of_file_is_not_read),
	};
	struct stat folder;
	int result;

	if (!mkdtemp(directory) || stat(directory, &folder))
		return 1;
	device = folder.st_dev;
	snprintf(path, sizeof(path), "%s/user_events_status", directory);
	result = cmocka_run_group_tests(tests, NULL, NULL);
	remove(path);
	rmdir(directory);
	return result;
}
