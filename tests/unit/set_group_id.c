/* SPDX-License-Identifier: MIT */
/*
 * A program with other rights than its caller's ignores the descriptor and the socket in the
 * caller's environment. A copy of this program is set-group-id. It is linked statically, as the
 * loader does not search for libraries beside such a program.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <userevents/capture.h>
#include <userevents/ring.h>
#include <userevents/userevents.h>

#include "test.h"

/* How the copy ends. */
enum { OTHER = 3, CAPTURED, SECURE_OTHER, SECURE_CAPTURED, NOT_EXECUTED };

static int open_as_a_copy(void)
{
	int is_captured = ue_abi(ue_open(NULL)) == UE_ABI_CAPTURE, asks;

	unsetenv(UE_ENVIRONMENT_FD);
	setenv(UE_ENVIRONMENT_SOCKET, "/nonexistent", 1);
	asks = ue_abi(ue_open(NULL)) == UE_ABI_RING;
	if (asks != is_captured)
		return 1;
	return (getauxval(AT_SECURE) ? SECURE_OTHER : OTHER) + is_captured;
}

/* Not one of the caller's groups; root may use any. */
static gid_t another_group(void)
{
	gid_t groups[64];
	int count = getgroups(64, groups);

	for (int i = 0; i < count; i++)
		if (groups[i] != getegid())
			return groups[i];
	return geteuid() ? getegid() : getegid() + 1;
}

/* A directory on a file system that honours set-group-id bits. */
static const char *directory_of_copies(void)
{
	static const char *const directories[] = { "/var/tmp", "/tmp", "/run", "." };
	struct statvfs system;

	for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++)
		if (!statvfs(directories[i], &system) && !access(directories[i], W_OK) &&
		    !(system.f_flag & (ST_NOSUID | ST_NOEXEC)))
			return directories[i];
	fail_msg("all file systems are mounted nosuid");
	return NULL;
}

static void copy_this_program(char *path, gid_t group, mode_t mode)
{
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), to;

	sprintf(path, "%s/userevents-test-XXXXXX", directory_of_copies());
	to = mkostemp(path, O_CLOEXEC);
	assert_true(from >= 0 && to >= 0);
	while (sendfile(to, from, NULL, 1 << 20) > 0)
		;
	assert_int_equal(fchown(to, (uid_t)-1, group), 0);
	assert_int_equal(fchmod(to, mode), 0);
	close(from);
	close(to);
}

static void execute_with_capture(const char *path)
{
	struct ue_capture *capture;
	char number[16];

	if (ue_capture_open(NULL, &capture))
		_exit(1);
	snprintf(number, sizeof(number), "%d", ue_capture_writer_fd(capture));
	setenv(UE_ENVIRONMENT_FD, number, 1);
	fcntl(ue_capture_writer_fd(capture), F_SETFD, 0);
	execl(path, path, "--open", NULL);
	_exit(errno == ENOEXEC ? NOT_EXECUTED : 2);
}

static int status_of_copy(gid_t group, mode_t mode)
{
	char path[100];
	pid_t child;
	int status;

	copy_this_program(path, group, mode);
	child = fork();
	if (!child)
		execute_with_capture(path);
	assert_int_equal(waitpid(child, &status, 0), child);
	unlink(path);
	assert_true(WIFEXITED(status));
	/* The program of another processor, which runs in an emulator. */
	if (WEXITSTATUS(status) == NOT_EXECUTED)
		skip();
	return WEXITSTATUS(status);
}

static void an_ordinary_program_takes_the_descriptor(void **state)
{
	(void)state;
	assert_int_equal(status_of_copy(getegid(), 0700), CAPTURED);
}

static void a_set_group_id_program_ignores_the_descriptor(void **state)
{
	gid_t group = another_group();

	(void)state;
	if (group == getegid())
		print_message("# This user has no other group to test with.\n");
	else
		assert_int_equal(status_of_copy(group, 02710), SECURE_OTHER);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_ordinary_program_takes_the_descriptor),
		cmocka_unit_test(a_set_group_id_program_ignores_the_descriptor),
	};

	if (argc == 2 && !strcmp(argv[1], "--open"))
		return open_as_a_copy();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
