/* SPDX-License-Identifier: MIT */
/* Every way of opening a session on a real kernel. */
#define _GNU_SOURCE
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define DATA TRACING "/user_events_data"

/* Registers and enables an event, writes it, and reads the value. */
static void works(int fd)
{
	struct ue_event event;
	uint32_t value = 4711;

	assert_true(fd >= 0);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(ue_event_init(&event, unique("works u32 value"), 0), 0);
	assert_int_equal(ue_register(fd, &event), 0);
	listen_to(&event);
	assert_int_equal(ue_write(fd, &event, &value, sizeof(value)), 0);
	assert_int_equal(count_recorded(), 1);
	stop_listening(&event);
	assert_int_equal(ue_unregister(&event), 0);
}

static int open_with(const struct ue_open_opts *opts)
{
	return ue_open(opts);
}

static void by_default(void **state)
{
	int fd = ue_open(NULL);

	(void)state;
	works(fd);
	assert_int_equal(ue_payload_max(fd), sysconf(_SC_PAGESIZE) - 32);
	assert_int_equal(ue_close(fd), 0);
}

static void by_path(void **state)
{
	const struct ue_open_opts opts = {
		.size = sizeof(opts), .path = DATA, .payload_max = 8000
	};
	int fd = open_with(&opts);

	(void)state;
	works(fd);
	assert_int_equal(ue_payload_max(fd), 8000);
	assert_int_equal(ue_close(fd), 0);
}

static void by_descriptor(void **state)
{
	int mine = open(DATA, O_RDWR);
	const struct ue_open_opts opts = {
		.size = sizeof(opts), .flags = UE_OPEN_FD, .fd = mine
	};
	int fd = open_with(&opts);

	(void)state;
	assert_int_not_equal(fd, mine);
	works(fd);
	assert_int_equal(ue_close(fd), 0);
	assert_true(fcntl(mine, F_GETFD) >= 0);
	close(mine);
}

static void by_environment(void **state)
{
	int mine = open(DATA, O_RDWR), fd;
	char number[16];

	(void)state;
	snprintf(number, sizeof(number), "%d", mine);
	setenv(UE_ENVIRONMENT_FD, number, 1);
	fd = ue_open(NULL);
	unsetenv(UE_ENVIRONMENT_FD);
	works(fd);
	assert_int_equal(ue_close(fd), 0);
	close(mine);
}

static int wait_for(pid_t child)
{
	int status;

	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void become_nobody(void)
{
	if (setgroups(0, NULL) || setgid(65534) || setuid(65534))
		_exit(99);
}

/* Receive a descriptor over a socket, as a process without rights of its own. */
static int register_as_nobody(int socket)
{
	char byte, control[CMSG_SPACE(sizeof(int))];
	struct iovec iov = { &byte, 1 };
	struct msghdr message = { .msg_iov = &iov, .msg_iovlen = 1,
				  .msg_control = control,
				  .msg_controllen = sizeof(control) };
	struct ue_open_opts opts = { .size = sizeof(opts), .flags = UE_OPEN_FD };
	struct ue_event event;
	uint32_t value = 1;
	int fd;

	become_nobody();
	if (ue_open(NULL) != -EACCES)
		return 1;
	if (recvmsg(socket, &message, 0) != 1)
		return 2;
	memcpy(&opts.fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(opts.fd));
	fd = ue_open(&opts);
	if (fd < 0)
		return 3;
	ue_event_init(&event, unique("nobody u32 value"), 0);
	if (ue_register(fd, &event))
		return 4;
	if (ue_write(fd, &event, &value, sizeof(value)))
		return 5;
	return ue_close(fd) ? 6 : 0;
}

static void send_descriptor(int socket, int fd)
{
	char byte = 0, control[CMSG_SPACE(sizeof(int))];
	struct iovec iov = { &byte, 1 };
	struct msghdr message = { .msg_iov = &iov, .msg_iovlen = 1,
				  .msg_control = control,
				  .msg_controllen = sizeof(control) };
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(header), &fd, sizeof(fd));
	assert_int_equal(sendmsg(socket, &message, 0), 1);
}

static void by_a_descriptor_from_another_process(void **state)
{
	int pair[2], fd = open(DATA, O_RDWR);
	pid_t child;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	child = fork();
	if (!child)
		_exit(register_as_nobody(pair[1]));
	send_descriptor(pair[0], fd);
	assert_int_equal(wait_for(child), 0);
	close(fd);
	close(pair[0]);
	close(pair[1]);
}

#define GROUP 4242

static int write_as_group(void)
{
	const gid_t group = GROUP;
	struct ue_event event;
	uint32_t value = 1;
	int fd;

	if (setgroups(1, &group) || setgid(65534) || setuid(65534))
		return 99;
	if (open(TRACING "/trace", O_RDONLY) >= 0)
		return 1;
	fd = ue_open(NULL);
	if (fd < 0)
		return 2;
	ue_event_init(&event, unique("group u32 value"), 0);
	if (ue_register(fd, &event))
		return 3;
	if (ue_enabled(&event)) /* up to 6.3, that the status page can be read */
		return 4;
	return ue_write(fd, &event, &value, sizeof(value)) || ue_close(fd) ? 5 : 0;
}

/*
 * Runs the commands of doc/rights.md. The directory keeps its group: on newer kernels
 * every file in it inherits the group, and its members could read traces.
 */
static void by_a_group(void **state)
{
	pid_t child;

	(void)state;
	assert_int_equal(chmod(TRACING, 0711), 0);
	assert_int_equal(chown(DATA, 0, GROUP), 0);
	assert_int_equal(chmod(DATA, 0660), 0);
	if (is_status_page())
		assert_int_equal(chown(TRACING "/user_events_status", 0, GROUP), 0);
	child = fork();
	if (!child)
		_exit(write_as_group());
	assert_int_equal(wait_for(child), 0);
	assert_int_equal(chmod(TRACING, 0700), 0);
	assert_int_equal(chown(DATA, 0, 0), 0);
}

static void without_rights(void **state)
{
	pid_t child = fork();

	(void)state;
	if (!child) {
		become_nobody();
		_exit(ue_open(NULL) == -EACCES ? 0 : 1);
	}
	assert_int_equal(wait_for(child), 0);
}

static void read_only_descriptor(void **state)
{
	struct ue_open_opts opts = { .size = sizeof(opts), .flags = UE_OPEN_FD };

	(void)state;
	opts.fd = open(DATA, O_RDONLY);
	assert_true(opts.fd >= 0);
	assert_int_equal(open_with(&opts), -EACCES);
	close(opts.fd);
	opts.fd = open(DATA, O_PATH);
	assert_int_equal(open_with(&opts), -EACCES);
	close(opts.fd);
}

static void another_file_of_tracefs(void **state)
{
	struct ue_open_opts opts = { .size = sizeof(opts),
				     .path = TRACING "/tracing_on" };

	(void)state;
	assert_int_equal(open_with(&opts), -ENOTTY);
	opts.path = TRACING "/nothing";
	assert_int_equal(open_with(&opts), -ENOENT);
}

/* In a mount namespace of its own: first without tracefs, then with tracefs in another
 * place. */
static int without_tracefs(void)
{
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return 1;
	umount2("/sys/kernel/debug/tracing", MNT_DETACH);
	umount2("/sys/kernel/debug", MNT_DETACH);
	if (umount2(TRACING, MNT_DETACH))
		return 2;
	if (ue_open(NULL) != -ENODEV)
		return 3;
	if (mkdir("/tmp/a trace", 0755) ||
	    mount("nodev", "/tmp/a trace", "tracefs", 0, NULL))
		return 4;
	return ue_open(NULL) >= 0 ? 0 : 5;
}

static void a_failure_is_not_cached(void **state)
{
	pid_t child = fork();

	(void)state;
	if (!child)
		_exit(without_tracefs());
	assert_int_equal(wait_for(child), 0);
	rmdir("/tmp/a trace");
}

static void nothing_leaks_across_exec(void **state)
{
	int fd = ue_open(NULL);
	pid_t child = fork();

	(void)state;
	if (!child) {
		execl("/bin/sh", "sh", "-c",
		      "ls -l /proc/self/fd | grep -q user_events", (char *)NULL);
		_exit(99);
	}
	assert_int_equal(wait_for(child), 1);
	ue_close(fd);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_default),
		cmocka_unit_test(by_path),
		cmocka_unit_test(by_descriptor),
		cmocka_unit_test(by_environment),
		cmocka_unit_test(by_a_descriptor_from_another_process),
		cmocka_unit_test(by_a_group),
		cmocka_unit_test(without_rights),
		cmocka_unit_test(read_only_descriptor),
		cmocka_unit_test(another_file_of_tracefs),
		cmocka_unit_test(a_failure_is_not_cached),
		cmocka_unit_test(nothing_leaks_across_exec),
	};

	return RUN_TESTS(tests, argc, argv);
}
