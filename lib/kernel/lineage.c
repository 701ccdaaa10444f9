/* SPDX-License-Identifier: MIT */
/*
 * Keep registrations in a lineage of threads that lives as long as the process.
 *
 * Linux 6.4 and later keep the registrations of a process not with its memory, which
 * they concern, but with a lineage of threads: those descended from the one that made a
 * REG first, even one that failed (kernel/trace/trace_events_user.c,
 * current_user_event_mm(); include/linux/user_events.h, user_events_fork()). A thread
 * that was there before begins a lineage of its own with its first REG. When the last
 * thread of a lineage ends, its registrations end, and the words stay as they were, for
 * ever. No thread can unregister what another lineage registered. fork() copies the
 * lineage of the thread that forks, and no other.
 *
 * So it must not matter which thread registers. There are two cases.
 *
 * - The process has one thread. A REG that cannot succeed (it has no name) begins the
 *   lineage; all threads to come descend from this one and belong to it. From then on
 *   every thread may make the requests itself. This is tried as soon as the library is
 *   loaded, mostly before main(), and else by ue_open().
 *
 * - There are other threads already: the library came late with dlopen(), or the program
 *   got the right, or a descriptor, late. Then no lineage is everybody's. The library
 *   starts a thread of its own, which makes all requests and never ends.
 *
 * That thread is an ordinary one (a raw clone would keep its credentials when the
 * process gives its own up with setuid(2)), with all signals blocked. It must not keep
 * alive a process whose main thread has ended with pthread_exit() and whose others
 * have ended, too; it looks once a second.
 *
 * In the child of a fork there is one thread, and the first case holds again, if it did
 * not already; but for threads that another library's handler of the fork has made.
 *
 * How many threads there are, /proc says. Where it is not mounted, as in most chroots,
 * libc does, but for those that it did not make. Whether only the library's own thread is
 * left, it does not say: there such a process goes on until it calls exit(3).
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

/* Threads of the process, one that is ending included; 0 when /proc does not tell. */
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

/* 1, or 0 when this thread is all that is left. A clock that is set only delays that. */
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
	/* What exit() calls, it calls here. */
	lineage->who = UE__EVERY_THREAD;
	return NULL;
}

static int start_thread(struct ue__lineage *lineage)
{
	pthread_attr_t attributes;
	pthread_t thread;
	int error;

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

/* By a sandbox; the kernel never answers an anchor so. */
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
