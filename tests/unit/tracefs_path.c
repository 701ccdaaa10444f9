/* SPDX-License-Identifier: MIT */
/* The search for user_events_data, on artificial trees. */
#define _GNU_SOURCE
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/tracefs_path.h"

static char root[] = "/tmp/ue-tree-XXXXXX";

static const char *in_tree(const char *path)
{
	static char full[PATH_MAX];

	snprintf(full, sizeof(full), "%s%s", root, path);
	return full;
}

static void make_file(const char *path, const char *text)
{
	FILE *file = fopen(in_tree(path), "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void append(const char *path, const char *text)
{
	FILE *file = fopen(in_tree(path), "a");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void make_mounts(const char *format)
{
	char text[4 * PATH_MAX];

	snprintf(text, sizeof(text), format, root, root, root, root);
	make_file("/mounts", text);
}

static int search(void)
{
	char well_known[PATH_MAX], mounts[PATH_MAX];

	strcpy(well_known, in_tree("/known/user_events_data"));
	strcpy(mounts, in_tree("/mounts"));
	return ue__tracefs_open_data(well_known, mounts);
}

/* The search finds the file with this path. */
static void finds(const char *path)
{
	char link[64], target[PATH_MAX];
	int fd = search();
	ssize_t length;

	assert_true(fd >= 0);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, target, sizeof(target) - 1);
	assert_true(length > 0);
	target[length] = '\0';
	assert_string_equal(target, in_tree(path));
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDWR);
	close(fd);
}

static int make_tree(void **state)
{
	(void)state;
	strcpy(root + strlen(root) - 6, "XXXXXX");
	if (!mkdtemp(root))
		return -1;
	mkdir(in_tree("/known"), 0700);
	mkdir(in_tree("/a trace"), 0700);
	mkdir(in_tree("/b"), 0700);
	mkdir(in_tree("/debug"), 0700);
	mkdir(in_tree("/debug/tracing"), 0700);
	make_mounts("");
	return 0;
}

static int remove_tree(void **state)
{
	char command[PATH_MAX + 16];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", root);
	return system(command);
}

static void the_well_known_path_comes_first(void **state)
{
	(void)state;
	make_file("/known/user_events_data", "");
	make_file("/b/user_events_data", "");
	make_mounts("x %s/b tracefs rw 0 0\n");
	finds("/known/user_events_data");
}

static void any_mounted_tracefs_comes_second(void **state)
{
	(void)state;
	make_file("/a trace/user_events_data", "");
	make_mounts("x %s/b tracefs rw 0 0\nx %s/a\\040trace tracefs rw 0 0\n");
	finds("/a trace/user_events_data");
}

static void tracefs_before_debugfs(void **state)
{
	(void)state;
	make_file("/debug/tracing/user_events_data", "");
	make_mounts("x %s/debug debugfs rw 0 0\nx %s/b tracefs rw 0 0\n");
	finds("/debug/tracing/user_events_data");
	make_file("/b/user_events_data", "");
	finds("/b/user_events_data");
}

static void other_file_systems_are_not_searched(void **state)
{
	(void)state;
	make_file("/b/user_events_data", "");
	make_mounts("x %s/b tmpfs rw 0 0\nx %s/b tracefs2 rw 0 0\n");
	assert_int_equal(search(), -ENODEV);
}

/* As libc reads them: empty lines, lines without a type, a directory beyond any path. */
static void lines_that_are_no_mount_are_skipped(void **state)
{
	char name[PATH_MAX + 100];

	(void)state;
	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	make_file("/b/user_events_data", "");
	make_mounts("\n\nword\ntwo words\n  \nx %s/b tracefs rw 0 0");
	finds("/b/user_events_data");
	make_file("/mounts", "x /");
	append("/mounts", name);
	append("/mounts", " tracefs rw 0 0\n");
	assert_int_equal(search(), -ENAMETOOLONG);
}

static void without_a_mounted_tracefs(void **state)
{
	(void)state;
	assert_int_equal(search(), -ENODEV);
	unlink(in_tree("/mounts"));
	assert_int_equal(search(), -ENODEV);
}

static void mounted_without_user_events(void **state)
{
	(void)state;
	make_mounts("x %s/b tracefs rw 0 0\n");
	assert_int_equal(search(), -ENOENT);
}

/* Root may read everything, so user nobody searches the tree. */
static void no_rights(void **state)
{
	uid_t before = geteuid();
	int first, second;

	(void)state;
	make_mounts("x %s/b tracefs rw 0 0\nx %s/debug debugfs rw 0 0\n");
	make_file("/b/user_events_data", "");
	chmod(root, 0755);
	chmod(in_tree("/known"), 0755);
	if (!before) {
		assert_int_equal(setegid(65534), 0);
		assert_int_equal(seteuid(65534), 0);
	} else {
		chmod(in_tree("/b"), 0);
	}
	first = search();
	if (!before) {
		assert_int_equal(seteuid(0), 0);
		assert_int_equal(setegid(0), 0);
	} else {
		chmod(in_tree("/b"), 0700);
	}
	second = search();
	assert_int_equal(first, -EACCES);
	assert_true(second >= 0);
	close(second);
}

#define TREE_TEST(f) cmocka_unit_test_setup_teardown(f, make_tree, remove_tree)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TREE_TEST(the_well_known_path_comes_first),
		TREE_TEST(any_mounted_tracefs_comes_second),
		TREE_TEST(tracefs_before_debugfs),
		TREE_TEST(other_file_systems_are_not_searched),
		TREE_TEST(lines_that_are_no_mount_are_skipped),
		TREE_TEST(without_a_mounted_tracefs),
		TREE_TEST(mounted_without_user_events),
		TREE_TEST(no_rights),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
