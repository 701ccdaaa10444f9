/* SPDX-License-Identifier: MIT */
/* Reports events that a running process has and did not register. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <userevents/ring.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/process/process_losses.h"
#include "common/records/ring_record.h"
#include "report.h"

/* Reports whether the rings that a process writes to fit this machine. */

/* Those of one process; a hostile one may have any number. */
#define RINGS_SHOWN 16
#define LARGER "a larger one keeps more: userevents ring create --size, collect --ring-size, " \
	       "run --buffer"

static void report_held(struct doctor *doctor, const char *ring,
			const struct ue_ring_info *info)
{
	if (info->held)
		doctor_note(doctor, "ring", UE_ANSWER_NO,
			    xprintf("%" PRIu64 " page%s of %s cannot be used again", info->held,
				    info->held == 1 ? "" : "s", ring),
			    xprintf("process %" PRIu64 " is amid an event; it was stopped, or a "
				    "thread ended there", info->holder), NULL);
}

static void report_losses(struct doctor *doctor, const char *ring,
			  const struct ue_ring_info *info)
{
	const uint64_t lost = info->lost[UE_LOSS_CAPTURE_FULL];

	if (lost)
		doctor_problem(doctor, "ring", UE_ANSWER_NO,
			       xprintf("%" PRIu64 " event%s lost, as %s was full", lost,
				       lost == 1 ? " was" : "s were", ring), LARGER, NULL);
}

static void report_size(struct doctor *doctor, const char *who, const char *ring,
			const struct ue_ring_info *info)
{
	const long online = sysconf(_SC_NPROCESSORS_ONLN);
	const uint64_t processors = online > 0 ? (uint64_t)online : 1;
	const uint64_t wanted = ring_bytes_for(info, processors);
	const char *size = ring_bytes_text(info->bytes), *fits = ring_fits_text(info);
	const char *there = xprintf("this machine has %" PRIu64 ", and %" PRIu32 " may write",
				    processors, info->processes);

	if (wanted == info->bytes)
		doctor_note(doctor, "ring", UE_ANSWER_YES,
			    xprintf("%s writes to %s of %s, for %s", who, ring, size, fits),
			    there, NULL);
	else
		doctor_problem(doctor, "ring", UE_ANSWER_NO,
			       xprintf("%s writes to %s of %s, which is for %s", who, ring, size,
				       fits),
			       xprintf("%s; %s would fit (userevents ring create --size, collect "
				       "--ring-size, run --buffer)", there,
				       ring_bytes_text(wanted)), NULL);
}

/*
 * A variable of its environment when it began, to be freed; NULL: none, or it is not
 * shown.
 */
static char *variable_of(pid_t pid, const char *name)
{
	char *path = xprintf("/proc/%d/environ", (int)pid), *found = NULL;
	const size_t named = strlen(name);
	size_t length;
	AUTO_FREE char *text = read_file(path, &length);

	for (size_t at = 0; text && at < length && !found; at += strlen(text + at) + 1)
		if (!strncmp(text + at, name, named) && text[at + named] == '=')
			found = xstrdup(text + at + named + 1);
	free(path);
	return found;
}

static int has_no_descriptor_left(pid_t pid)
{
	AUTO_FREE char *path = xprintf("/proc/%d/fd", (int)pid);
	AUTO(close_directory) DIR *directory = opendir(path);
	struct rlimit limit = { .rlim_cur = RLIM_INFINITY };
	rlim_t count = 0;

	while (directory && readdir(directory))
		count++;
	return !prlimit(pid, RLIMIT_NOFILE, NULL, &limit) &&
	       count >= limit.rlim_cur + 2; /* . and .. */
}

static const char *why_unread(pid_t pid, const char *socket)
{
	const int error = doctor_try_socket(socket);

	if (error)
		return xprintf("no collector listens on its " UE_ENVIRONMENT_SOCKET
			       ", %s: %s",
			       socket, strerror(error));
	if (has_no_descriptor_left(pid))
		return "it has no descriptor left to offer its ring with; raise its "
		       "RLIMIT_NOFILE";
	return xprintf("a process listens on %s; it has refused the ring, which its "
		       "messages say, or the program has written nothing since it began",
		       socket);
}

/* One that is not full yet shows no other sign. */
static void report_unread(struct doctor *doctor, pid_t pid, const char *ring,
			  const struct ue_ring_info *info)
{
	AUTO_FREE char *socket = variable_of(pid, UE_ENVIRONMENT_SOCKET);

	if (info->has_reader || info->mode == UE_RING_OVERWRITE)
		;
	else if (socket && *socket)
		doctor_problem(doctor, "ring", UE_ANSWER_NO,
			       xprintf("nobody reads %s, in which %" PRIu64
				       " event%s wait%s",
				       ring, info->unread, info->unread == 1 ? "" : "s",
				       info->unread == 1 ? "s" : ""),
			       why_unread(pid, socket), NULL);
	else
		doctor_note(doctor, "ring", UE_ANSWER_NO,
			    xprintf("nobody reads %s now", ring),
			    "when it is full, events are dropped", NULL);
}

/* It has no session then, and programs seldom say so. */
static void report_socket_of(struct doctor *doctor, pid_t pid, const char *who)
{
	AUTO_FREE char *socket = variable_of(pid, UE_ENVIRONMENT_SOCKET);

	if (socket && *socket && *socket != '/')
		doctor_problem(doctor, "ring", UE_ANSWER_NO,
			       xprintf("%s has the path %s in " UE_ENVIRONMENT_SOCKET,
				       who, socket),
			       "it is no absolute path, so ue_open() fails", NULL);
}

/* The file may become shorter meanwhile. */
static sigjmp_buf unreadable;

static void on_fault(int number)
{
	siglongjmp(unreadable, number);
}

/* 0, or an error if it is no ring that can be read. */
static int read_info(int fd, struct ue_ring_info *info)
{
	int result;

	if (sigsetjmp(unreadable, 1))
		return -EIO;
	signal(SIGBUS, on_fault);
	result = ue_ring_info(fd, info);
	signal(SIGBUS, SIG_DFL);
	return result;
}

/*
 * A descriptor of the process for reading; -1 unless it is of a plain file. It is looked at
 * with O_PATH first, as the process may put a device in its place.
 */
static int open_plain(const char *path, struct stat *file)
{
	const int at = open(path, O_PATH | O_CLOEXEC);
	char own[64];
	int fd = -1;

	if (at >= 0 && !fstat(at, file) && S_ISREG(file->st_mode)) {
		snprintf(own, sizeof(own), "/proc/self/fd/%d", at);
		fd = open(own, O_RDONLY | O_CLOEXEC);
	}
	if (at >= 0)
		close(at);
	return fd;
}

/* Rings that were reported: a process may have several descriptors of one. */
struct seen {
	struct stat files[RINGS_SHOWN];
	size_t count;
};

static int is_new(struct seen *seen, const struct stat *file)
{
	for (size_t i = 0; i < seen->count; i++)
		if (seen->files[i].st_dev == file->st_dev &&
		    seen->files[i].st_ino == file->st_ino)
			return 0;
	seen->files[seen->count++] = *file;
	return 1;
}

static const char *name_of(const char *path, const struct stat *file)
{
	char name[256];
	const ssize_t length = readlink(path, name, sizeof(name));

	if (!file->st_nlink || length < 0)
		return "a ring in memory";
	return xprintf("the ring %.*s", (int)length, name);
}

static void check_rings_of(struct doctor *doctor, pid_t pid, const char *who,
			   const char *path, struct seen *seen)
{
	struct ue_ring_info info;
	struct stat file;
	const int fd = open_plain(path, &file);

	if (fd < 0)
		return;
	if (!read_info(fd, &info) && is_new(seen, &file)) {
		const char *ring = name_of(path, &file);

		report_size(doctor, who, ring, &info);
		report_losses(doctor, ring, &info);
		report_held(doctor, ring, &info);
		report_unread(doctor, pid, ring, &info);
	}
	close(fd);
}

/* who: the process, in sentences. */
static void doctor_rings_of(struct doctor *doctor, pid_t pid, const char *who)
{
	AUTO_FREE char *folder = xprintf("/proc/%d/fd", (int)pid);
	AUTO(close_directory) DIR *directory = opendir(folder);
	struct seen seen = { .count = 0 };
	const struct dirent *entry;

	while (directory && seen.count < RINGS_SHOWN && (entry = readdir(directory))) {
		AUTO_FREE char *path = xprintf("%s/%s", folder, entry->d_name);

		check_rings_of(doctor, pid, who, path, &seen);
	}
}

static void report_missing(struct doctor *doctor, const char *who,
			   const struct module_events *module, int is_open)
{
	const char *fact = xprintf("%s has not registered %zu of %zu events in %s", who,
				   module->missing, module->count, module->path);

	for (size_t i = 0; i < module->names.count; i++)
		fact = xprintf("%s%s %s", fact, i ? "," : ":", module->names.items[i]);
	if (module->missing > module->names.count)
		fact = xprintf("%s, ...", fact);
	doctor_problem(doctor, "events", UE_ANSWER_NO, fact, is_open ?
		       "the program has to call ue_register_all(), again after it loaded a "
		       "shared object; ue_register_all_report() names the errors" :
		       "it has no descriptor: it did not call ue_open(), or that failed; "
		       "without --pid, doctor reports why it can fail", NULL);
}

static int by_name(const void *a, const void *b)
{
	const char *one = *(const char *const *)a, *other = *(const char *const *)b;
	const size_t length = strcspn(one, " "), others = strcspn(other, " ");
	const int order = memcmp(one, other, length < others ? length : others);

	return order ? order : (length > others) - (length < others);
}

#define NAMESAKES_SHOWN 10

/* A process can register one of several events of a name. registered: sorted. */
static void report_namesakes(struct doctor *doctor, const char *who,
			     const struct module_events *module, const struct words *registered)
{
	size_t shown = 0;

	for (size_t i = 0; i < module->unregistered.count && shown < NAMESAKES_SHOWN; i++) {
		const char *one = module->unregistered.items[i];
		const char **other = registered->count ?
			bsearch(&one, registered->items, registered->count,
				sizeof(*registered->items), by_name) : NULL;

		if (!other || !strcmp(*other, one))
			continue;
		shown++;
		doctor_problem(doctor, "events", UE_ANSWER_NO,
			       xprintf("%s cannot register \"%s\" of %s: \"%s\" has its name, and "
				       "other fields", who, one, module->path, *other),
			       "one of them needs another name", NULL);
	}
}

static void report_module(struct doctor *doctor, const char *who,
			  const struct module_events *module, int is_open)
{
	if (module->why)
		doctor_note(doctor, "events", UE_ANSWER_UNKNOWN,
			    xprintf("%s has %s, which cannot be read (%s)", who, module->path,
				    module->why),
			    "it may have events that are not registered", NULL);
	if (module->missing)
		report_missing(doctor, who, module, is_open);
	else if (module->count && !module->why)
		doctor_note(doctor, "events", UE_ANSWER_YES,
			    xprintf("%s has registered all events in %s (%zu)", who,
				    module->path, module->count), NULL, NULL);
}

static int check(const struct process *process, void *context)
{
	struct process_losses *losses = process_losses_read(process->pid, 1);
	const char *who = xprintf("Process %d (%s)", (int)process->pid, process->name);
	struct doctor *doctor = context;
	int is_any = losses->error != 0;

	if (losses->registered.count)
		qsort(losses->registered.items, losses->registered.count,
		      sizeof(*losses->registered.items), by_name);
	for (size_t i = 0; i < losses->module_count; i++) {
		const struct module_events *module = &losses->modules[i];

		is_any |= module->why || module->count;
		/* a list that could not be read may have a descriptor */
		report_module(doctor, who, module, losses->count || losses->error);
		report_namesakes(doctor, who, module, &losses->registered);
	}
	if (!is_any)
		doctor_note(doctor, "events", UE_ANSWER_NOT_ASKED,
			    xprintf("%s has no UE_EVENT() or UE_TRACEPOINT()", who),
			    "events that a program makes at run time are not checked", NULL);
	if (losses->error)
		message("cannot read process %d (%s): %s", (int)process->pid, process->name,
			process_losses_reason(losses->error));
	doctor_rings_of(doctor, process->pid, who);
	report_socket_of(doctor, process->pid, who);
	doctor->problems += losses->error != 0;
	process_losses_free(losses);
	return 0;
}

void doctor_processes(struct doctor *doctor, const struct words *processes)
{
	doctor->problems += processes_find(processes, check, doctor) < 0;
}
