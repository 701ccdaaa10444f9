/* SPDX-License-Identifier: MIT */
/* A child has its parent's events, and its own enable state. */
#define _GNU_SOURCE
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../support/seccomp.h"
#include "early_threads.h"

static struct ue_event event;
static int to_child[2], to_parent[2];

static void register_event(const char *definition)
{
	assert_int_equal(ue_event_init(&event, unique(definition), 0), 0);
	assert_int_equal(ue_register(session, &event), 0);
}

/* cmocka's assertions do not work in a child; its exit status is the failed step. */
#define REQUIRE(condition)                         \
	do {                                       \
		int holds = 0;                     \
		for (int i = 0; i < 12000; i++) {   \
			holds = (condition);       \
			if (holds)                 \
				break;             \
			usleep(5000);              \
		}                                  \
		if (!holds)                        \
			_exit(__LINE__ % 200 + 1); \
	} while (0)

static void tell(int *channel)
{
	if (write(channel[1], "x", 1) != 1)
		_exit(99);
}

static void hear(int *channel)
{
	char byte;

	if (read(channel[0], &byte, 1) != 1)
		_exit(98);
}

static int wait_for(pid_t child)
{
	int status;

	if (waitpid(child, &status, 0) != child)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/* In the parent: the child's exit status is the failed step. */
static void hear_from(pid_t child)
{
	char byte;

	if (to_parent[1] >= 0)
		close(to_parent[1]);
	to_parent[1] = -1;
	if (read(to_parent[0], &byte, 1) != 1)
		fail_msg("the child ended: %d", wait_for(child));
}

static void open_channels(void)
{
	assert_int_equal(pipe2(to_child, O_CLOEXEC), 0);
	assert_int_equal(pipe2(to_parent, O_CLOEXEC), 0);
}

static void close_channels(void)
{
	for (int i = 0; i < 2; i++) {
		close(to_child[i]);
		close(to_parent[i]);
	}
}

static void enable(int on)
{
	char path[300];

	snprintf(path, sizeof(path), "events/user_events/%s/enable",
		 name_of(event.definition));
	assert_int_equal(write_file(path, on ? "1" : "0"), 0);
}

/* The state that a child, or a child of a child, must see. */
static void follow_in_child(void)
{
	uint32_t value = 7;

	alarm(900);
	REQUIRE(!ue_enabled(&event));
	tell(to_parent);
	REQUIRE(ue_enabled(&event));
	/* The kernel sets the word some instructions before ftrace accepts events. */
	hear(to_child);
	REQUIRE(!ue_write(session, &event, &value, 4));
	tell(to_parent);
	REQUIRE(!ue_enabled(&event));
	/* The child's word: the parent's does not change. */
	REQUIRE(!ue_unregister(&event));
	tell(to_parent);
	hear(to_child);
	if (ue_enabled(&event))
		_exit(97);
	REQUIRE(!ue_register(session, &event));
	REQUIRE(ue_enabled(&event));
	_exit(0);
}

static void follow_in_parent(pid_t child)
{
	hear_from(child);
	enable(1);
	tell(to_child);
	hear_from(child);
	EVENTUALLY(ue_enabled(&event));
	assert_int_equal(count_recorded(), 1);
	enable(0);
	hear_from(child);
	enable(1);
	EVENTUALLY(ue_enabled(&event));
	tell(to_child);
	assert_int_equal(wait_for(child), 0);
	stop_listening(&event);
}

static void *fork_here(void *grandchild)
{
	pid_t child = fork();

	if (child)
		return (void *)(intptr_t)child;
	if (grandchild) {
		child = fork();
		if (child)
			_exit(wait_for(child));
	}
	follow_in_child();
	return NULL;
}

static void a_child_of(void *(*in_thread)(void *(*)(void *), void *), void *grandchild)
{
	register_event("forked u32 a");
	open_channels();
	recorded();
	follow_in_parent((pid_t)(intptr_t)(in_thread ? in_thread(fork_here, grandchild) :
						       fork_here(grandchild)));
	close_channels();
	assert_int_equal(ue_unregister(&event), 0);
}

static void from_the_main_thread(void **state)
{
	(void)state;
	a_child_of(NULL, NULL);
}

static void from_an_early_thread(void **state)
{
	(void)state;
	a_child_of(in_early_thread, NULL);
}

static void from_a_new_thread(void **state)
{
	(void)state;
	a_child_of(in_new_thread, NULL);
}

static void a_child_of_a_child(void **state)
{
	(void)state;
	a_child_of(in_early_thread, &event);
	a_child_of(in_new_thread, &event);
}

/* As in a chroot, for the calling thread and its descendants. */
static int hide_proc(void)
{
	return unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	       mount("none", "/proc", "tmpfs", 0, NULL);
}

static void *fork_without_proc(void *unused)
{
	pid_t child;

	(void)unused;
	if (hide_proc())
		return (void *)-1;
	child = fork();
	if (child)
		return (void *)(intptr_t)child;
	/* The kernel denies this to one of several threads. */
	if (unshare(CLONE_THREAD))
		_exit(96);
	follow_in_child();
	return NULL;
}

static void without_proc_a_child_has_one_thread(void **state)
{
	(void)state;
	register_event("unseen u32 a");
	open_channels();
	recorded();
	follow_in_parent((pid_t)(intptr_t)in_new_thread(fork_without_proc, NULL));
	close_channels();
	assert_int_equal(ue_unregister(&event), 0);
}

/* In a child of a process that denied itself requests to the kernel. */
static void follow_in_sandbox(void)
{
	uint32_t value = 7;

	alarm(900);
	REQUIRE(!ue_enabled(&event));
	tell(to_parent);
	REQUIRE(ue_enabled(&event));
	hear(to_child); /* as above */
	REQUIRE(!ue_write(session, &event, &value, 4));
	tell(to_parent);
	REQUIRE(!ue_enabled(&event));
	_exit(0);
}

static void fork_in_sandbox(unsigned error)
{
	pid_t child;

	if (filter(SYS_ioctl, SECCOMP_RET_ERRNO | error))
		_exit(95);
	child = fork();
	if (!child)
		follow_in_sandbox();
	_exit(wait_for(child));
}

static void in_a_sandbox_without_ioctl(void **state)
{
	const unsigned errors[] = { EPERM, EACCES, ENOSYS };

	(void)state;
	register_event("sandboxed u32 a");
	for (int i = 0; i < 3; i++) {
		pid_t child;

		open_channels();
		recorded();
		child = fork();
		if (!child)
			fork_in_sandbox(errors[i]);
		hear_from(child);
		enable(1);
		tell(to_child);
		hear_from(child);
		assert_int_equal(count_recorded(), 1);
		enable(0);
		assert_int_equal(wait_for(child), 0);
		close_channels();
	}
	assert_int_equal(ue_unregister(&event), 0);
}

/* A descriptor that the program closed: nothing can be written, and that is counted. */
static void lose_in_child(void)
{
	uint32_t value = 7;

	REQUIRE(ue_enabled(&event));
	REQUIRE(ue_write(session, &event, &value, 4) == -EBADF);
	if (ue_event_losses(&event, UE_LOSS_OTHER) != 1 ||
	    ue_session_losses(session, UE_LOSS_OTHER) != 1)
		_exit(94);
	/* It can open another session, as a program that starts anew. */
	if (ue_close(session) != -EBADF)
		_exit(93);
	session = ue_open(NULL);
	if (session < 0 || ue_register(session, &event))
		_exit(92);
	REQUIRE(ue_enabled(&event));
	REQUIRE(!ue_write(session, &event, &value, 4));
	_exit(0);
}

static void close_and_fork(int is_reused)
{
	pid_t child;
	int other = open("/dev/null", O_RDWR | O_CLOEXEC);

	close(session);
	if (is_reused)
		dup2(other, session);
	child = fork();
	if (!child)
		lose_in_child();
	_exit(wait_for(child));
}

static void of_a_process_that_closed_the_descriptor(void **state)
{
	(void)state;
	register_event("closed u32 a");
	listen_to(&event);
	for (int is_reused = 0; is_reused < 2; is_reused++) {
		const pid_t child = fork();

		if (!child)
			close_and_fork(is_reused);
		assert_int_equal(wait_for(child), 0);
		assert_int_equal(count_recorded(), 1);
	}
	stop_listening(&event);
	assert_int_equal(ue_unregister(&event), 0);
}

static void of_a_process_without_free_descriptors(void **state)
{
	struct rlimit before, none;
	uint32_t value = 7;
	pid_t child;

	(void)state;
	register_event("crowded u32 a");
	listen_to(&event);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){ 3, before.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	child = fork();
	if (!child)
		_exit(!ue_enabled(&event) || ue_write(session, &event, &value, 4));
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(wait_for(child), 0);
	assert_int_equal(count_recorded(), 1);
	stop_listening(&event);
	assert_int_equal(ue_unregister(&event), 0);
}

/* In the child of this process, which may have a thread of the library's. */
static void write_in_child(int expected)
{
	uint32_t value = 7;
	pid_t child = fork();

	if (!child) {
		REQUIRE(ue_enabled(&event));
		_exit(ue_write(session, &event, &value, 4) != expected);
	}
	assert_int_equal(wait_for(child), 0);
}

static void write_without_fstat(void)
{
	uint32_t value = 7;
	pid_t child;

	if (filter(SYS_newfstatat, SECCOMP_RET_ERRNO | EPERM))
		_exit(95);
	child = fork();
	if (!child) {
		REQUIRE(ue_enabled(&event));
		_exit(!!ue_write(session, &event, &value, 4));
	}
	_exit(wait_for(child));
}

static void in_a_sandbox_without_fstat(void **state)
{
	pid_t child;

	(void)state;
	register_event("unchecked u32 a");
	listen_to(&event);
	child = fork();
	if (!child)
		write_without_fstat();
	assert_int_equal(wait_for(child), 0);
	assert_int_equal(count_recorded(), 1);
	stop_listening(&event);
	assert_int_equal(ue_unregister(&event), 0);
}

/*
 * The last two change this process. It may have a thread of the library's, and then the
 * kernel copies no registration.
 */
static void of_this_process_that_closed_the_descriptor(void **state)
{
	open_session(state);
	register_event("lost u32 a");
	listen_to(&event);
	close(session);
	write_in_child(-EBADF);
	assert_int_equal(count_recorded(), 0);
	stop_listening(&event);
	assert_int_equal(ue_close(session), -EBADF);
}

static void of_this_process_without_ioctl(void **state)
{
	open_session(state);
	register_event("asked u32 a");
	listen_to(&event);
	assert_int_equal(filter(SYS_ioctl, SECCOMP_RET_ERRNO | EPERM), 0);
	write_in_child(0);
	assert_int_equal(count_recorded(), 1);
	stop_listening(&event);
}

/* While listeners come and go: the child must see the final state. */
static int stop;

static void *come_and_go(void *path)
{
	int on = 0;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
		write_file(path, on++ % 2 ? "0" : "1");
	return NULL;
}

struct storm {
	pid_t children[200];
};

/* The parent closes its end when that is so. */
static void check_at_the_end(void (*check)(void))
{
	char byte;

	alarm(900);
	close(to_child[1]);
	if (read(to_child[0], &byte, 1))
		_exit(1);
	check();
	_exit(0);
}

/* Afterwards nothing is toggled, and the children wait for the final state. */
static void fork_while(struct storm *storm, void *(*toggle)(void *), void *argument,
		       void (*check)(void))
{
	pthread_t toggling;

	stop = 0;
	pthread_create(&toggling, NULL, toggle, argument);
	for (int i = 0; i < rounds; i++) {
		storm->children[i] = fork();
		if (!storm->children[i])
			check_at_the_end(check);
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	pthread_join(toggling, NULL);
}

static void end_children(struct storm *storm)
{
	close(to_child[1]);
	for (int i = 0; i < rounds; i++)
		assert_int_equal(wait_for(storm->children[i]), 0);
	close_channels();
}

static void check_event(void)
{
	REQUIRE(ue_enabled(&event));
}

static void while_listeners_come_and_go(void **state)
{
	struct storm storm;
	char path[300];

	(void)state;
	register_event("toggled u32 a");
	snprintf(path, sizeof(path), "events/user_events/%s/enable",
		 name_of(event.definition));
	open_channels();
	fork_while(&storm, come_and_go, path, check_event);
	write_file(path, "1");
	end_children(&storm);
	stop_listening(&event);
	assert_int_equal(ue_unregister(&event), 0);
}

/*
 * The same of many events, of which the child looks at the kernel's states. Some have a name
 * that the kernel changes, or that looks so. One of those is toggled, too; another program has
 * an event of its own name, which is never enabled.
 */
#define MANY 80
#define WITH_FORMATS 36

static struct ue_event many[MANY];
static char many_paths[MANY][400];

static int is_toggled(int i)
{
	return i % 10 == 0 || (i == WITH_FORMATS && !is_status_page());
}

static void *come_and_go_among_many(void *unused)
{
	for (unsigned round = 0; !__atomic_load_n(&stop, __ATOMIC_RELAXED); round++)
		for (int i = 0; i < MANY; i++)
			if (is_toggled(i))
				write_file(many_paths[i], round % 2 ? "0" : "1");
	return unused;
}

/* Only WITH_FORMATS of these is ever enabled. */
static int has_formats(int i)
{
	return i % 11 == 3 && !is_status_page();
}

static int ends_enabled(int i)
{
	return i % 4 == 0 && (!has_formats(i) || i == WITH_FORMATS);
}

/* The kernel puts a number behind the name. */
static void find_path(int i)
{
	const char *name = name_of(many[i].definition);
	char pattern[300];
	glob_t found;

	snprintf(many_paths[i], sizeof(many_paths[i]), "events/user_events/%s/enable", name);
	if (!has_formats(i))
		return;
	snprintf(pattern, sizeof(pattern), TRACING "/events/user_events_multi/%s.*/enable", name);
	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	snprintf(many_paths[i], sizeof(many_paths[i]), "%s",
		 found.gl_pathv[0] + strlen(TRACING "/"));
	globfree(&found);
}

static void register_many(void)
{
	for (int i = 0; i < MANY; i++) {
		char form[40];
		const uint32_t flags = has_formats(i) ? UE_EVENT_MULTI_FORMAT : 0;

		snprintf(form, sizeof(form), i % 13 == 5 ? "many.%d u32 a" : "many%d u32 a", i);
		assert_int_equal(ue_event_init(&many[i], strdup(unique(form)), flags), 0);
		assert_int_equal(ue_register(session, &many[i]), 0);
		find_path(i);
	}
}

/* In a process of its own. */
static pid_t begin_namesake(void)
{
	struct ue_event namesake;
	pid_t child = fork();
	int fd;

	if (child) {
		hear_from(child);
		return child;
	}
	close(to_child[1]); /* whose last end the others wait for */
	fd = ue_open(NULL);
	ue_event_init(&namesake, many[WITH_FORMATS].definition, 0);
	if (fd < 0 || ue_register(fd, &namesake))
		_exit(1);
	tell(to_parent);
	pause();
	_exit(0);
}

static void check_many(void)
{
	for (int k = 0; k < MANY; k++)
		REQUIRE(ue_enabled(&many[k]) == ends_enabled(k));
}

static void while_listeners_come_and_go_among_many(void **state)
{
	struct storm storm;
	pid_t namesake = 0;

	(void)state;
	register_many();
	open_channels();
	if (!is_status_page())
		namesake = begin_namesake();
	fork_while(&storm, come_and_go_among_many, NULL, check_many);
	for (int k = 0; k < MANY; k++)
		write_file(many_paths[k], ends_enabled(k) ? "1" : "0");
	end_children(&storm);
	if (namesake) {
		kill(namesake, SIGKILL);
		waitpid(namesake, NULL, 0);
	}
	for (int k = 0; k < MANY; k++) {
		write_file(many_paths[k], "0");
		assert_int_equal(ue_unregister(&many[k]), 0);
	}
}

/* A thread that is to be cancelled forks, and its child goes on. */
static void *fork_when_cancelled(void *unused)
{
	pid_t child;
	int state;

	pthread_cancel(pthread_self());
	child = fork();
	if (!child)
		_exit(42);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	(void)unused;
	return (void *)(intptr_t)wait_for(child);
}

static void by_a_thread_that_is_cancelled(void **state)
{
	pthread_t thread;
	void *result;

	(void)state;
	register_many();
	pthread_create(&thread, NULL, fork_when_cancelled, NULL);
	pthread_join(thread, &result);
	assert_int_equal((intptr_t)result, 42);
	for (int k = 0; k < MANY; k++)
		assert_int_equal(ue_unregister(&many[k]), 0);
}

/* While other threads make every call of the library: every child works, and none
 * hangs. */
static void *churn(void *unused)
{
	struct ue_event mine;
	uint32_t value = 1;

	ue_event_init(&mine, unique("churn u32 a"), 0);
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		int fd = ue_open(NULL);

		if (fd < 0 || ue_register(fd, &mine) || ue_write(fd, &mine, &value, 4) ||
		    ue_write(session, &event, &value, 4) || ue_close(fd))
			return &event;
	}
	return unused;
}

static void work_in_child(void)
{
	struct ue_event mine;
	uint32_t value = 1;
	int fd;

	alarm(900); /* ends a child that hangs */
	REQUIRE(ue_enabled(&event));
	if (ue_write(session, &event, &value, 4))
		_exit(1);
	fd = ue_open(NULL);
	ue_event_init(&mine, "child u32 a", 0);
	if (fd < 0 || ue_register(fd, &mine) || ue_close(fd))
		_exit(2);
	if (ue_close(session))
		_exit(3);
	_exit(ue_enabled(&event) ? 4 : 0);
}

static void while_other_threads_make_calls(void **state)
{
	pthread_t threads[2];
	void *result;

	(void)state;
	register_event("busy u32 a");
	listen_to(&event);
	stop = 0;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, churn, NULL);
	for (int i = 0; i < rounds; i++) {
		pid_t child = fork();

		if (!child)
			work_in_child();
		assert_int_equal(wait_for(child), 0);
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < 2; i++) {
		pthread_join(threads[i], &result);
		assert_null(result);
	}
	stop_listening(&event);
	assert_int_equal(ue_unregister(&event), 0);
}

/* In a signal handler, which may have interrupted any code. */
static volatile sig_atomic_t forks, wrong;

static void fork_in_handler(int number)
{
	const uint32_t value = 1;
	pid_t child = fork();
	int status;

	(void)number;
	if (!child) {
		alarm(900);
		_exit(ue_write(session, &event, &value, 4) ? 1 : 0);
	}
	if (waitpid(child, &status, 0) != child || status)
		wrong++;
	forks++;
}

static void in_a_signal_handler(void **state)
{
	struct sigaction action = { .sa_handler = fork_in_handler };
	pthread_t self = pthread_self();
	struct ue_event other;
	uint32_t value = 1;

	(void)state;
	register_event("handler u32 a");
	listen_to(&event);
	sigaction(SIGUSR1, &action, NULL);
	ue_event_init(&other, unique("other u32 a"), 0);
	for (int i = 0; i < rounds / 4; i++) {
		pthread_kill(self, SIGUSR1);
		assert_int_equal(ue_register(session, &other), 0);
		assert_int_equal(ue_write(session, &event, &value, 4), 0);
		assert_int_equal(ue_unregister(&other), 0);
	}
	assert_true(forks > 0);
	assert_int_equal(wrong, 0);
	/* No child left a write in flight: the number is free again. */
	assert_int_equal(ue_close(session), 0);
	assert_int_equal(fcntl(session, F_GETFD), -1);
	session = ue_open(NULL);
}

/* A program started from here has none of our files open. */
static int spawn(char *const argv[])
{
	extern char **environ;
	pid_t child;

	assert_int_equal(posix_spawn(&child, argv[0], NULL, NULL, argv, environ), 0);
	return wait_for(child);
}

static void spawned_programs(void **state)
{
	char script[200];
	char *const argv[] = { (char *)"/bin/sh", (char *)"-c", script, NULL };

	(void)state;
	register_event("spawn u32 a");
	snprintf(script, sizeof(script),
		 "! ls -l /proc/self/fd | grep -q user_events && ! [ -e /proc/$$/fd/%d ]",
		 session);
	for (int i = 0; i < rounds / 20 + 1; i++) {
		pid_t child = vfork();

		if (!child)
			_exit(0);
		assert_int_equal(wait_for(child), 0);
		assert_int_equal(spawn(argv), 0);
	}
	listen_to(&event);
	stop_listening(&event);
	assert_int_equal(ue_unregister(&event), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		SESSION_TEST(from_the_main_thread),
		SESSION_TEST(from_an_early_thread),
		SESSION_TEST(from_a_new_thread),
		SESSION_TEST(a_child_of_a_child),
		SESSION_TEST(without_proc_a_child_has_one_thread),
		SESSION_TEST(in_a_sandbox_without_ioctl),
		SESSION_TEST(in_a_sandbox_without_fstat),
		SESSION_TEST(of_a_process_that_closed_the_descriptor),
		SESSION_TEST(of_a_process_without_free_descriptors),
		SESSION_TEST(while_listeners_come_and_go),
		SESSION_TEST(while_listeners_come_and_go_among_many),
		SESSION_TEST(by_a_thread_that_is_cancelled),
		SESSION_TEST(while_other_threads_make_calls),
		SESSION_TEST(in_a_signal_handler),
		SESSION_TEST(spawned_programs),
		cmocka_unit_test(of_this_process_that_closed_the_descriptor),
		cmocka_unit_test(of_this_process_without_ioctl),
	};

	start_early_threads(argc, argv);
	return RUN_TESTS(tests, argc, argv);
}
