/* SPDX-License-Identifier: MIT */
/* Looks at processes, and sums up their losses since the look before. */
#include "collector.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <userevents/session.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/process/process_losses.h"
#include "common/records/tracepoint.h"

/*
 * The pause between two processes, so that looking at thousands takes no processor for
 * itself.
 */
#define PAUSE_NS 1000000

struct known_process {
	pid_t pid, parent;
	unsigned long long started; /* in clock ticks: another one may have the same number */
	uint64_t lost;
};

struct known_processes {
	struct known_process *items; /* by pid */
	size_t count;
};

struct process_watch {
	uint64_t seconds;
	const struct words *globs;
	_Alignas(8) _Atomic uint64_t losses;
	/* The thread's */
	unsigned long long started;
	struct known_processes before, now; /* of the last look, and of this one */
	size_t at;			    /* in before */
};

/* A field of /proc/PID/stat, behind a name that may have blanks. */
static unsigned long long field_of(const char *stat, int number)
{
	const char *field = strrchr(stat, ')');

	for (int i = 2; field && i < number; i++)
		field = strchr(field + 1, ' ');
	return field ? strtoull(field, NULL, 10) : 0;
}

/* 0 if it has ended. */
static int identify(struct known_process *process)
{
	char path[64], *stat;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)process->pid);
	stat = read_file(path, NULL);
	if (!stat)
		return 0;
	process->parent = (pid_t)field_of(stat, 4);
	process->started = field_of(stat, 22);
	free(stat);
	return 1;
}

/* Losses of a process */

static uint64_t sum_of(const uint32_t *lost)
{
	uint64_t sum = 0;

	for (int i = 0; i < UE_LOSS_REASONS; i++)
		sum += lost[i];
	return sum;
}

static uint64_t losses_of_session(const struct session_losses *session,
				  const struct words *globs)
{
	uint64_t sum = 0;

	if (session->abi != UE_ABI_ENABLE_ADDRESS && session->abi != UE_ABI_STATUS_PAGE)
		return 0; /* its reader counts them */
	if (!globs->count)
		return sum_of(session->lost);
	for (size_t i = 0; i < session->count; i++) {
		const char *name = session->events[i].name;

		if (glob_matches(globs, "user_events", name, strlen(name)))
			sum += sum_of(session->events[i].lost);
	}
	return sum;
}

/* Not 0 if it does not use the library, or could not be read. */
static int read_losses(pid_t pid, const struct words *globs, uint64_t *lost)
{
	struct process_losses *losses = process_losses_read(pid, 0);
	const int error = losses->error;

	*lost = 0;
	for (size_t i = 0; i < losses->count; i++)
		*lost += losses_of_session(&losses->sessions[i], globs);
	process_losses_free(losses);
	return error;
}

/* Looking */

/* The process at the last look; NULL: it is new. */
static const struct known_process *find_before(struct process_watch *watch,
					       const struct known_process *process)
{
	const struct known_processes *before = &watch->before;

	while (watch->at < before->count && before->items[watch->at].pid < process->pid)
		watch->at++;
	if (watch->at == before->count)
		return NULL;
	return before->items[watch->at].pid == process->pid &&
	       before->items[watch->at].started == process->started ?
		       &before->items[watch->at] : NULL;
}

static int compare(const void *a, const void *b)
{
	const pid_t one = ((const struct known_process *)a)->pid;
	const pid_t other = ((const struct known_process *)b)->pid;

	return (one > other) - (one < other);
}

static uint64_t losses_known(const struct known_processes *known, pid_t pid)
{
	const struct known_process wanted = { .pid = pid };
	const struct known_process *found =
		known->count ? bsearch(&wanted, known->items, known->count, sizeof(wanted),
				       compare) : NULL;

	return found ? found->lost : 0;
}

/*
 * Losses of a new process that do not count: all that an older one had before the collector
 * began, and those of its parent, whose counts the child of a fork goes on with.
 */
static uint64_t losses_before(const struct process_watch *watch,
			      const struct known_process *process)
{
	const uint64_t of_parent = losses_known(&watch->now, process->parent);

	if (process->started < watch->started)
		return process->lost;
	return of_parent ? of_parent : losses_known(&watch->before, process->parent);
}

/* One that cannot be read this time keeps its counts. */
static int see(const struct process *process, void *context)
{
	struct process_watch *watch = context;
	struct known_processes *now = &watch->now;
	struct known_process seen = { .pid = process->pid };
	const struct known_process *before;
	uint64_t counted;

	nanosleep(&(struct timespec){ .tv_nsec = PAUSE_NS }, NULL);
	if (!identify(&seen))
		return 0;
	before = find_before(watch, &seen);
	if (read_losses(seen.pid, watch->globs, &seen.lost)) {
		if (!before)
			return 0;
		seen.lost = before->lost;
	}
	counted = before ? before->lost : losses_before(watch, &seen);
	if (seen.lost > counted)
		atomic_fetch_add(&watch->losses, seen.lost - counted);
	now->items = xgrow(now->items, now->count, sizeof(*now->items));
	now->items[now->count++] = seen;
	return 0;
}

static void look(struct process_watch *watch)
{
	const struct words all = { .items = NULL };

	watch->at = 0;
	processes_find(&all, see, watch);
	free(watch->before.items);
	watch->before = watch->now;
	watch->now = (struct known_processes){ .items = NULL };
}

static void *watch_processes(void *context)
{
	struct process_watch *watch = context;

	for (;;) {
		look(watch);
		sleep((unsigned int)watch->seconds);
	}
	return NULL;
}

/* Signals are for the thread that collects. */
static int start(struct process_watch *watch)
{
	pthread_t thread;
	sigset_t all, old;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	error = pthread_create(&thread, NULL, watch_processes, watch);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!error)
		pthread_detach(thread);
	return error;
}

struct process_watch *process_watch_start(uint64_t seconds, const struct words *globs)
{
	struct process_watch *watch = xcalloc(1, sizeof(*watch));
	struct known_process own = { .pid = getpid() };
	int error;

	watch->seconds = seconds;
	watch->globs = globs;
	identify(&own);
	watch->started = own.started;
	error = start(watch);
	if (!error)
		return watch;
	message("cannot look at processes: no thread can be started: %s; raise the limit of "
		"threads", strerror(error));
	free(watch);
	return NULL;
}

uint64_t process_watch_losses(struct process_watch *watch)
{
	return atomic_load(&watch->losses);
}
