/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <errno.h>
#include <string.h>

#include "kernel/mounts.h"

static void is(const struct ue__mount *mount, const char *directory, const char *type)
{
	char out[100];
	int length = ue__mount_directory(mount, out, sizeof(out));

	assert_int_equal(length, strlen(directory));
	assert_string_equal(out, directory);
	assert_int_equal(mount->type_length, strlen(type));
	assert_memory_equal(mount->type, type, mount->type_length);
}

static void lines_are_taken_apart(void **state)
{
	const char *text = "proc /proc proc rw,nosuid 0 0\n"
			   "tracefs /sys/kernel/tracing tracefs rw 0 0\n";
	size_t length = strlen(text);
	struct ue__mount mount;

	(void)state;
	assert_int_equal(ue__mounts_next(&text, &length, &mount), 1);
	is(&mount, "/proc", "proc");
	assert_int_equal(ue__mounts_next(&text, &length, &mount), 1);
	is(&mount, "/sys/kernel/tracing", "tracefs");
	assert_int_equal(ue__mounts_next(&text, &length, &mount), 0);
}

static void octal_escapes_are_resolved(void **state)
{
	const char *text = "a /with\\040blank\\011tab\\012line\\134slash t\n"
			   "b /not\\04 t\nc /nor\\000 t\nd /over\\777 t\ne /end\\04";
	size_t length = strlen(text);
	struct ue__mount mount;

	(void)state;
	assert_int_equal(ue__mounts_next(&text, &length, &mount), 1);
	is(&mount, "/with blank\ttab\nline\\slash", "t");
	assert_int_equal(ue__mounts_next(&text, &length, &mount), 1);
	is(&mount, "/not\\04", "t");
	assert_int_equal(ue__mounts_next(&text, &length, &mount), 1);
	is(&mount, "/nor\\000", "t");
	assert_int_equal(ue__mounts_next(&text, &length, &mount), 1);
	is(&mount, "/over\\777", "t");
	assert_int_equal(ue__mounts_next(&text, &length, &mount), 0);
}

static void what_is_no_mount_is_passed_over(void **state)
{
	const char *text = "\n\nword\ntwo words\n  \ndev /dir fs";
	size_t length = strlen(text);
	struct ue__mount mount;

	(void)state;
	assert_int_equal(ue__mounts_next(&text, &length, &mount), 1);
	is(&mount, "/dir", "fs");
	assert_int_equal(ue__mounts_next(&text, &length, &mount), 0);
	assert_int_equal(length, 0);
}

static void a_directory_that_does_not_fit_is_refused(void **state)
{
	struct ue__mount mount = { "/123\\040", 8, "t", 1 };
	char out[6];

	(void)state;
	assert_int_equal(ue__mount_directory(&mount, out, 6), 5);
	assert_string_equal(out, "/123 ");
	assert_int_equal(ue__mount_directory(&mount, out, 5), -ENAMETOOLONG);
	assert_int_equal(ue__mount_directory(&mount, out, 0), -ENAMETOOLONG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_taken_apart),
		cmocka_unit_test(octal_escapes_are_resolved),
		cmocka_unit_test(what_is_no_mount_is_passed_over),
		cmocka_unit_test(a_directory_that_does_not_fit_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
