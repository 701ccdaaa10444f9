/* SPDX-License-Identifier: MIT */
/*
 * A session while a process, or a thread, stops sharing descriptors, memory, namespaces,
 * rights, or the root directory.
 */
#define _GNU_SOURCE
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Enabled, so every registration of the same definition is enabled, too. */
static struct ue_event event;
static const char *definition;

static void begin(void)
{
	definition = unique("sharing u32 a");
	assert_int_equal(ue_event_init(&event, definition, 0), 0);
	assert_int_equal(ue_register(session, &event), 0);
	listen_to(&event);
}

static void end(int expected)
{
	assert_int_equal(count_recorded(), expected);
	stop_listening(&event);
	assert_int_equal(ue_unregister(&event), 0);
}

/* Makes every call on a session except closing it. Returns 0, or the failed step. */
static int use_session(void)
{
	struct ue_event mine;
	uint32_t value = 1;

	ue_event_init(&mine, definition, 0);
	if (ue_write(session, &event, &value, 4))
		return 1;
	if (ue_register(session, &mine))
		return 2;
	if (!ue_enabled(&mine))
		return 3;
	if (ue_write(session, &mine, &value, 4))
		return 4;
	return ue_unregister(&mine) ? 5 : 0;
}

static int wait_for(pid_t child)
{
	int status;

	assert_int_equal(waitpid(child, &status, __WALL), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* An open session stays usable, and can be closed. */
static void goes_on_after(int (*part)(void))
{
	pid_t child;

	begin();
	child = fork();
	if (!child) {
		int result = part() ? 99 : use_session();

		_exit(ue_close(session) ? 6 : result);
	}
	assert_int_equal(wait_for(child), 0);
	end(2);
}

/* debugfs, where it is mounted, has tracefs in it. */
static int lose_mounts(void)
{
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    umount2(TRACING, MNT_DETACH))
		return 1;
	umount2("/sys/kernel/debug", MNT_DETACH);
	return ue_open(NULL) >= 0;
}

static int lose_rights(void)
{
	return setgroups(0, NULL) || setgid(65534) || setuid(65534) ||
	       ue_open(NULL) != -EACCES;
}

static int lose_root(void)
{
	return chroot("/proc/self/fdinfo") || chdir("/") || ue_open(NULL) >= 0;
}

static __attribute__((unused)) int enter_user_namespace(void)
{
	return unshare(CLONE_NEWUSER);
}

static int enter_namespace_of_parent(void)
{
	int parent = open("/proc/self/ns/mnt", O_RDONLY);

	return lose_mounts() || setns(parent, CLONE_NEWNS);
}

static void without_the_mounts(void **state)
{
	(void)state;
	goes_on_after(lose_mounts);
	goes_on_after(enter_namespace_of_parent);
}

static void without_rights(void **state)
{
	(void)state;
	goes_on_after(lose_rights);
}

static void without_the_root(void **state)
{
	(void)state;
	goes_on_after(lose_root);
}

static __attribute__((unused)) void in_another_user_namespace(void **state)
{
	(void)state;
	goes_on_after(enter_user_namespace);
}

/* A thread with descriptors of its own: the same files, until either opens or closes. */
static int part_of[2];

static void *with_own_descriptors(void *unused)
{
	uint32_t value = 1;
	int theirs;

	(void)unused;
	if (unshare(CLONE_FILES) || use_session())
		return &event;
	/* Our own number: for the others it is another file. */
	theirs = ue_open(NULL);
	if (theirs < 0 || write(part_of[1], &theirs, sizeof(theirs)) < 0 ||
	    read(part_of[0], &theirs, sizeof(theirs)) < 0)
		return &event;
	/* The others closed the session. */
	if (ue_write(session, &event, &value, 4) != -EBADF)
		return &event;
	return fcntl(session, F_GETFD) >= 0 ? NULL : &event;
}

static void a_thread_with_its_own_descriptors_keeps_the_session(void **state)
{
	struct ue_event other;
	pthread_t thread;
	void *result;
	int theirs, to[2], from[2];

	(void)state;
	begin();
	assert_int_equal(pipe(to) | pipe(from), 0);
	part_of[0] = to[0];
	part_of[1] = from[1];
	pthread_create(&thread, NULL, with_own_descriptors, NULL);
	assert_int_equal(read(from[0], &theirs, sizeof(theirs)), sizeof(theirs));
	ue_event_init(&other, definition, 0);
	assert_int_equal(fcntl(theirs, F_GETFD), -1);
	assert_int_equal(ue_register(theirs, &other), -EBADF);
	stop_listening(&event);
	assert_int_equal(ue_close(session), 0);
	assert_int_equal(write(to[1], &theirs, sizeof(theirs)), sizeof(theirs));
	pthread_join(thread, &result);
	assert_null(result);
	assert_int_equal(ue_close(theirs), -EBADF);
	session = ue_open(NULL);
	assert_int_equal(count_recorded(), 2);
	for (int i = 0; i < 2; i++) {
		close(to[i]);
		close(from[i]);
	}
}

/* Closes all descriptors like a daemon, without calling the library. */
static int close_all(int flags)
{
	uint32_t value = 1;

	if (syscall(SYS_close_range, 3, ~0u, flags))
		return 1;
	if (ue_write(session, &event, &value, 4) != -EBADF)
		return 2;
	if (ue_register(session, &event) != -EBADF)
		return 3;
	if (ue_close(session) != -EBADF)
		return 4;
	session = ue_open(NULL);
	if (session < 0 || ue_register(session, &event))
		return 5;
	return use_session();
}

static __attribute__((unused)) void all_descriptors_closed(void **state)
{
	static const int flags[] = { 0, 1u << 1 /* CLOSE_RANGE_UNSHARE */ };

	(void)state;
	for (int i = 0; i < 2; i++) {
		pid_t child;

		begin();
		child = fork();
		if (!child)
			_exit(close_all(flags[i]));
		assert_int_equal(wait_for(child), 0);
		end(2);
	}
}

/* clone(2) with the parent's descriptors and memory of its own: no fork to the library. */
static void a_child_with_our_descriptors(void **state)
{
	pid_t child;

	(void)state;
	begin();
	child = (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, NULL, NULL, NULL, NULL);
	if (!child)
		_exit(use_session());
	assert_int_equal(wait_for(child), 0);
	/* The child did not close the session, so it is unchanged here. */
	assert_int_equal(use_session(), 0);
	end(4);
}

/* The other way round: our memory, descriptors of its own. */
static int in_our_memory(void *unused)
{
	(void)unused;
	return use_session();
}

static void a_child_with_our_memory(void **state)
{
	const size_t size = 256 << 10;
	char *stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);

	(void)state;
	begin();
	assert_int_equal(wait_for(clone(in_our_memory, stack + size,
					CLONE_VM | CLONE_VFORK | SIGCHLD, NULL)),
			 0);
	assert_int_equal(use_session(), 0);
	end(4);
	munmap(stack, size);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		SESSION_TEST(without_the_mounts),
		SESSION_TEST(without_rights),
		SESSION_TEST(without_the_root),
		SESSION_TEST(a_thread_with_its_own_descriptors_keeps_the_session),
#ifndef __SANITIZE_THREAD__ /* it has a thread of its own, so the library keeps one */
		SESSION_TEST(in_another_user_namespace),
		SESSION_TEST(all_descriptors_closed),
#endif
		SESSION_TEST(a_child_with_our_descriptors),
		SESSION_TEST(a_child_with_our_memory),
	};

	return RUN_TESTS(tests, argc, argv);
}
