/* SPDX-License-Identifier: MIT */
/*
 * Handles three requests on one processor: it sleeps for 20 ms in the first, runs for 20
 * ms in the second, and is preempted by a child in the third, three times at least.
 */
#define _GNU_SOURCE /* sched_setaffinity(), RUSAGE_THREAD */
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <userevents/userevents.h>

#define SOME_NS 20000000

UE_PROVIDER(shop, "Scheduled");
UE_TRACEPOINT(requests, shop, UE_LEVEL_INFORMATION, 0x1);
UE_EVENTHEADER_WITH(requests, request_start, "RequestStart",
		    UE_OPCODE(UE_OPCODE_ACTIVITY_START), UE_STRING(work));
UE_EVENTHEADER_WITH(requests, request_stop, "RequestStop",
		    UE_OPCODE(UE_OPCODE_ACTIVITY_STOP), UE_S64(preempted));

static long preempted(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nivcsw;
}

static long long processor_time(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void sleep_some(void)
{
	const struct timespec time = { .tv_nsec = SOME_NS };

	nanosleep(&time, NULL);
}

static void run_some(void)
{
	const long long end = processor_time() + SOME_NS;

	while (processor_time() < end) {
	}
}

static void be_preempted(void)
{
	const long end = preempted() + 3;

	while (preempted() < end) {
	}
}

static void handle(int fd, const char *work, void (*call)(void))
{
	const long before = preempted();

	UE_WRITE(fd, request_start, work);
	call();
	UE_WRITE(fd, request_stop, preempted() - before);
}

static pid_t start_another(void)
{
	const pid_t child = fork();

	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
	}
}

int main(void)
{
	const int fd = ue_open(NULL);
	cpu_set_t first;
	pid_t child;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	if (fd < 0 || ue_register_all(fd) || sched_setaffinity(0, sizeof(first), &first))
		return 1;
	handle(fd, "sleep", sleep_some);
	handle(fd, "run", run_some);
	child = start_another();
	if (child < 0)
		return 1;
	handle(fd, "share", be_preempted);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return 0;
}
