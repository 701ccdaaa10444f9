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

#include "kernel/kernel.h"
#include "lineage.h"

#define STACK_SIZE (256u << 10)

static enum { UNDECIDED, EVERY_THREAD, OWN_THREAD } who;

/* What the thread is to do; the lock admits one at a time. */
static struct {
	int (*function)(void *);
	void *argument;
	int result;
	sem_t wanted, done;
} request;

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
static int wait_for_request(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec++;
	while (sem_timedwait(&request.wanted, &until))
		if (errno == ETIMEDOUT) {
			if (count_threads() == 2 && is_main_gone())
				return 0;
			until.tv_sec++;
		}
	return 1;
}

static void *serve(void *unused)
{
	while (wait_for_request()) {
		int (*function)(void *) =
			__atomic_load_n(&request.function, __ATOMIC_ACQUIRE);

		request.result = function(request.argument);
		sem_post(&request.done);
	}
	/* What exit() calls, it calls here. */
	who = EVERY_THREAD;
	return unused;
}

static int start_thread(void)
{
	pthread_attr_t attributes;
	pthread_t thread;
	int error;

	sem_init(&request.wanted, 0, 0);
	sem_init(&request.done, 0, 0);
	error = pthread_attr_init(&attributes);
	if (error)
		return -error;
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attributes, STACK_SIZE);
	/* Signals are blocked: the lock is held. */
	error = pthread_create(&thread, &attributes, serve, NULL);
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

static int begin(int fd, int is_too_late)
{
	const int result = is_too_late ? start_thread() : ue__enable_address_anchor(fd);

	if (!result)
		who = is_too_late ? OWN_THREAD : EVERY_THREAD;
	return result;
}

int ue__lineage_begin(int fd)
{
	return who == UNDECIDED ? begin(fd, ue__lineage_is_too_late()) : 0;
}

/* By a sandbox; of the kernel it is no answer to an anchor. */
static int is_denied(int result)
{
	return result == -EPERM || result == -EACCES || result == -ENOSYS;
}

int ue__lineage_forked(int fd)
{
	const int is_copied = who == EVERY_THREAD;
	int result = -EBADF;

	if (fd >= 0 || !is_copied)
		who = UNDECIDED;
	if (fd >= 0)
		result = begin(fd, !is_copied && count_threads() > 1);
	if (!is_copied || !is_denied(result))
		return result;
	who = EVERY_THREAD;
	return 1;
}

int ue__in_lineage(int (*function)(void *), void *argument)
{
	if (who != OWN_THREAD)
		return function(argument);
	request.argument = argument;
	__atomic_store_n(&request.function, function, __ATOMIC_RELEASE);
	sem_post(&request.wanted);
	while (sem_wait(&request.done))
		;
	return request.result;
}
