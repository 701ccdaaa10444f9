/* SPDX-License-Identifier: MIT */
/* Names that hold their owner, of processes that run, have ended, or never were. */
#include "test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/control/instance.h"

static void this_process_is_alive(void **state)
{
	char *name = own_name("hist");

	(void)state;
	assert_int_equal(strncmp(name, "userevents_", 11), 0);
	assert_string_equal(strrchr(name, '_'), "_hist");
	assert_int_equal(own_name_owner(name), OWNER_ALIVE);
	free(name);
}

/* Field 22 of a process's stat. */
static unsigned long long start_in_stat(pid_t pid)
{
	char path[40], text[1000] = "";
	unsigned long long start = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_non_null(fgets(text, sizeof(text), file));
	fclose(file);
	assert_int_equal(sscanf(strrchr(text, ')'), ") %*c %*d %*d %*d %*d %*d %*u %*u %*u "
				"%*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu", &start), 1);
	return start;
}

/* An emulator replaces a process's own stat; other processes see the kernel's. */
static int is_stat_replaced(void)
{
	unsigned long long seen = 0;
	int ends[2], status;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		seen = start_in_stat(getpid());
		if (write(ends[1], &seen, sizeof(seen)) < 0)
			_exit(1);
		pause();
	}
	assert_int_equal(read(ends[0], &seen, sizeof(seen)), sizeof(seen));
	close(ends[0]);
	close(ends[1]);
	seen -= start_in_stat(pid);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return seen != 0;
}

/* A child that waits for a signal; its name. */
static pid_t start(char *name, size_t size)
{
	int ends[2];
	pid_t pid;
	ssize_t length;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		char *own = own_name("child");

		if (write(ends[1], own, strlen(own)) < 0)
			_exit(1);
		pause();
		_exit(0);
	}
	length = read(ends[0], name, size - 1);
	assert_true(length > 0);
	name[length] = '\0';
	close(ends[0]);
	close(ends[1]);
	return pid;
}

static void a_killed_process_is_dead_before_its_parent_waits(void **state)
{
	char name[200];
	siginfo_t info;
	pid_t pid;

	(void)state;
	if (is_stat_replaced())
		skip();
	pid = start(name, sizeof(name));
	assert_int_equal(own_name_owner(name), OWNER_ALIVE);
	kill(pid, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(own_name_owner(name), OWNER_DEAD);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(own_name_owner(name), OWNER_DEAD);
}

/* The name of this process with another number in the place of one of its three. */
static enum owner owner_with(int place, unsigned long long more)
{
	unsigned long long numbers[3];
	char *name = own_name("x"), other[200];

	assert_int_equal(sscanf(name, "userevents_%llu_%llu_%llu_", &numbers[0], &numbers[1],
				&numbers[2]), 3);
	free(name);
	numbers[place] += more;
	snprintf(other, sizeof(other), "userevents_%llu_%llu_%llu_x", numbers[0], numbers[1],
		 numbers[2]);
	return own_name_owner(other);
}

static void another_start_is_another_process(void **state)
{
	(void)state;
	assert_int_equal(owner_with(1, 0), OWNER_ALIVE);
	assert_int_equal(owner_with(1, 1), OWNER_DEAD);
	assert_int_equal(owner_with(0, 1000000000), OWNER_DEAD);
}

static void another_namespace_is_not_known(void **state)
{
	(void)state;
	assert_int_equal(owner_with(2, 1), OWNER_UNKNOWN);
}

static void other_names_have_no_owner(void **state)
{
	static const char *const names[] = {
		"", "userevents", "userevents_", "userevents_1", "userevents_1_2_3",
		"userevents_1_2_3_", "userevents_1_2_3_4", "userevents_1_2_3_a-b",
		"userevents_1_2_3_a b", "userevents_1_2_3_a/b", "userevents_1_2_3_\xc3\xa4",
		"userevents_01_2_3_a", "userevents_1_02_3_a", "userevents_-1_2_3_a",
		"userevents_1_-2_3_a", "userevents_+1_2_3_a", "userevents_ 1_2_3_a",
		"userevents__2_3_a", "userevents_1__3_a", "userevents_1_2__a",
		"userevents_0_2_3_a", "userevents_2147483648_2_3_a",
		"userevents_18446744073709551617_2_3_a", "userevents_1_18446744073709551616_3_a",
		"userevents_1x_2_3_a", "userevents_0x1_2_3_a", "Userevents_1_2_3_a",
		"my_userevents_1_2_3_a", " userevents_1_2_3_a",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (own_name_owner(names[i]) != OWNER_NONE)
			fail_msg("\"%s\" has an owner", names[i]);
}

/* Made without /proc. */
static void a_name_without_a_start_is_not_known(void **state)
{
	(void)state;
	assert_int_equal(own_name_owner("userevents_1_0_0_x"), OWNER_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(this_process_is_alive),
		cmocka_unit_test(a_killed_process_is_dead_before_its_parent_waits),
		cmocka_unit_test(another_start_is_another_process),
		cmocka_unit_test(another_namespace_is_not_known),
		cmocka_unit_test(other_names_have_no_owner),
		cmocka_unit_test(a_name_without_a_start_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
