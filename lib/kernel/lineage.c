/* SPDX-License-Identifier: MIT */
/*
 * Keep registrations in a lineage of threads that lives as long as the process.
 *
 * Linux 6.4 and later keep the registrations of a process not with its memory, but
 * with a lineage of threads: the one that made the first REG, even if it failed, and its
 * descendants (kernel/trace/trace_events_user.c, current_user_event_mm();
 * include/linux/user_events.h, user_events_fork()). A thread that existed before begins
 * its own lineage with its first REG. When the last thread of a lineage ends, its
 * registrations end, and the words keep their last value. No thread can unregister
 * another lineage's events. fork() copies the lineage of the thread that forks, and no
 * other.
 *
 * So the library makes it irrelevant which thread registers. There are two cases.
 *
 * - The process has one thread. A REG that cannot succeed (it has no name) begins the
 *   lineage; all threads to come descend from this one and belong to it. From then on
 *   every thread may make the requests itself. The library tries this when it is loaded,
 *   usually before main(), and again in ue_open().
 *
 * - There are other threads already: the library was loaded late with dlopen(), or the
 *   program received the right, or a descriptor, late. Then no lineage includes all
 *   threads. The library starts a thread of its own, which makes all requests and never
 *   ends.
 *
 * That thread is an ordinary one (a raw clone would keep its credentials when the
 * process gives its own up with setuid(2)), with all signals blocked. It must not keep a
 * process alive after all other threads have ended, the main thread with pthread_exit(),
 * so it checks once a second. Its code must stay in memory, so a module with a copy of
 * the library stays loaded (connect/unload.c).
 *
 * The child of a fork has one thread, so the first case applies to it, unless another
 * library's fork handler has started threads.
 *
 * The library counts threads in /proc. Where that is not mounted, as in most chroots,
 * it asks libc, which does not know threads that it did not create. libc cannot report
 * that only the library's own thread is left, so there such a process runs until it calls
 * exit(3).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifdef __has_include
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h> /* glibc 2.32 */
#define HAVE_SINGLE_THREADED
#endif
#endif

#include "lineage.h"
#include "requests.h"

#define STACK_SIZE (256u << 10)

/* Threads of the process, including one that is ending; 0 if /proc is not mounted. */
static unsigned count_threads(void)
{
	struct stat tasks;

	/* Two links are the directory's own. */
	return stat("/proc/self/task", &tasks) || tasks.st_nlink < 3 ?
		       0 :
		       (unsigned)tasks.st_nlink - 2;
}

/* Has the main thread ended before the process? */
static int is_main_gone(void)
{
	char text[512], *state;
	int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
	ssize_t length;

	if (fd < 0)
		return 0;
	length = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[length > 0 ? length : 0] = '\0';
	state = strrchr(text, ')');
	return state && state[1] == ' ' && state[2] == 'Z';
}

/* 1, or 0 if only this thread is left. Setting the clock only delays that. */
static int wait_for_request(struct ue__lineage *lineage)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec++;
	while (sem_timedwait(&lineage->wanted, &until))
		if (errno == ETIMEDOUT) {
			if (count_threads() == 2 && is_main_gone())
				return 0;
			until.tv_sec++;
		}
	return 1;
}

static void *serve(void *argument)
{
	struct ue__lineage *lineage = argument;

	while (wait_for_request(lineage)) {
		int (*function)(void *) =
			__atomic_load_n(&lineage->function, __ATOMIC_ACQUIRE);

		lineage->result = function(lineage->argument);
		sem_post(&lineage->done);
	}
	/* The functions that exit() calls run in this thread. */
	lineage->who = UE__EVERY_THREAD;
	return NULL;
}

static int start_thread(struct ue__lineage *lineage)
{
	pthread_attr_t attributes;
	pthread_t thread;
	int error;

	if (lineage->can_be_unloaded)
		return -EAGAIN;
	sem_init(&lineage->wanted, 0, 0);
	sem_init(&lineage->done, 0, 0);
	error = pthread_attr_init(&attributes);
	if (error)
		return -error;
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attributes, STACK_SIZE);
	/* Signals are blocked: the lock is held. */
	error = pthread_create(&thread, &attributes, serve, lineage);
	pthread_attr_destroy(&attributes);
	if (!error)
		pthread_setname_np(thread, "userevents");
	return -error;
}

static int is_alone(void)
{
	const unsigned threads = count_threads();

#ifdef HAVE_SINGLE_THREADED
	if (!threads)
		return __libc_single_threaded;
#endif
	return threads == 1;
}

int ue__lineage_is_too_late(void)
{
	return !is_alone();
}

static int begin(struct ue__lineage *lineage, int fd, int is_too_late)
{
	const int result = is_too_late ? start_thread(lineage) :
					 ue__enable_address_anchor(fd);

	if (!result)
		lineage->who = is_too_late ? UE__OWN_THREAD : UE__EVERY_THREAD;
	return result;
}

int ue__lineage_begin(struct ue__lineage *lineage, int fd)
{
	if (lineage->who != UE__UNDECIDED)
		return 0;
	return begin(lineage, fd, ue__lineage_is_too_late());
}

void ue__lineage_forked(struct ue__lineage *lineage)
{
	lineage->was_copied = lineage->who == UE__EVERY_THREAD;
	lineage->is_asked = 0;
	if (!lineage->was_copied)
		lineage->who = UE__UNDECIDED;
}

/* A sandbox denied the anchor; the kernel never answers it so. */
static int is_denied(int result)
{
	return result == -EPERM || result == -EACCES || result == -ENOSYS;
}

static int decide_again(struct ue__lineage *lineage, int fd)
{
	const int was_copied = lineage->was_copied;
	int result;

	lineage->who = UE__UNDECIDED;
	result = begin(lineage, fd, !was_copied && count_threads() > 1);
	if (!was_copied || !is_denied(result))
		return result;
	lineage->who = UE__EVERY_THREAD;
	return 1;
}

int ue__lineage_again(struct ue__lineage *lineage, int fd)
{
	if (!lineage->is_asked)
		lineage->answer = decide_again(lineage, fd);
	lineage->is_asked = 1;
	return lineage->answer;
}

int ue__in_lineage(struct ue__lineage *lineage, int (*function)(void *), void *argument)
{
	if (lineage->who != UE__OWN_THREAD || lineage->is_serving)
		return function(argument);
	lineage->is_serving = 1;
	lineage->argument = argument;
	__atomic_store_n(&lineage->function, function, __ATOMIC_RELEASE);
	sem_post(&lineage->wanted);
	while (sem_wait(&lineage->done))
		;
	lineage->is_serving = 0;
	return lineage->result;
}
