/* SPDX-License-Identifier: MIT */
/*
 * Reports where tracefs is mounted, and whether this user may enter it and open
 * user_events_data.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <userevents/decode/status.h>

#include "common/cli/memory.h"
#include "kernel/tracefs/tracing_files.h"
#include "report.h"

static void report_missing(struct doctor *doctor, int result)
{
	if (result)
		doctor_note(doctor, "tracefs", UE_ANSWER_UNKNOWN,
			    xprintf("/proc/self/mounts cannot be read (%s)",
				    strerror(-result)),
			    "where tracefs is mounted is not known", NULL);
	else if (doctor->has_no_option)
		doctor_note(doctor, "tracefs", UE_ANSWER_NO, "tracefs is not mounted",
			    "this kernel has no user events that it could show", NULL);
	else
		doctor_problem(doctor, "tracefs", UE_ANSWER_NO, "tracefs is not mounted",
			       doctor->is_container ?
				       "a container gets it from its host" :
				       "events are registered and seen through it",
			       "mount -t tracefs nodev /sys/kernel/tracing   # as root");
}

static void report_mount(struct doctor *doctor, const char *options)
{
	const char *at = doctor->tracefs;

	if (!strstr(xprintf(",%s,", options), ",ro,"))
		doctor_note(doctor, "tracefs", UE_ANSWER_YES,
			    xprintf("tracefs is mounted at %s", at), NULL, NULL);
	else
		doctor_problem(doctor, "tracefs", UE_ANSWER_YES,
			       xprintf("tracefs is mounted at %s, read-only", at),
			       "nothing can be registered",
			       xprintf("mount -o remount,rw %s   # as root", at));
}

/* Rights */

static const char *user_name(void)
{
	const struct passwd *user = getpwuid(geteuid());

	return user ? user->pw_name : "USER";
}

static void report_no_rights(struct doctor *doctor, const char *what, const char *path)
{
	const char *owner = "";
	struct stat file;

	if (!stat(path, &file))
		owner = xprintf(" (mode %04o, owner %u, group %u)",
				(unsigned int)file.st_mode & 07777, (unsigned int)file.st_uid,
				(unsigned int)file.st_gid);
	doctor_problem(doctor, "rights", UE_ANSWER_NO,
		       xprintf("User %u may not %s%s", (unsigned int)geteuid(), what, owner),
		       "a program of this user cannot register events",
		       xprintf("groupadd -rf userevents-write && "
			       "usermod -aG userevents-write %s && cd %s && chmod a+x . && "
			       "chgrp userevents-write user_events_data && "
			       "chmod g+rw user_events_data   # as root, from \"cd\" on at each "
			       "boot; then log in again", user_name(), doctor->tracefs));
}

static void report_rights(struct doctor *doctor)
{
	const char *directory = doctor_path(doctor, doctor->tracefs);
	const char *name = xprintf("%s/user_events_data", doctor->tracefs);
	const char *path = doctor_path(doctor, name);

	if (faccessat(AT_FDCWD, directory, X_OK, AT_EACCESS)) {
		report_no_rights(doctor, xprintf("enter %s", doctor->tracefs), directory);
		return;
	}
	doctor->has_file = !faccessat(AT_FDCWD, path, F_OK, AT_EACCESS);
	if (!doctor->has_file)
		doctor_problem(doctor, "file", UE_ANSWER_NO,
			       xprintf("%s has no user_events_data", doctor->tracefs),
			       "the kernel has no CONFIG_USER_EVENTS, or was locked down at boot; "
			       "\"userevents run PROGRAM\" shows events without it", NULL);
	else if (faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS))
		report_no_rights(doctor, xprintf("read and write %s", name), path);
	else
		doctor_note(doctor, "rights", UE_ANSWER_YES,
			    xprintf("User %u may write to %s", (unsigned int)geteuid(), name),
			    NULL, NULL);
}

void doctor_tracefs(struct doctor *doctor)
{
	char *options = NULL, *mount = NULL;
	int result = tracing_mount(doctor_path(doctor, "/proc/self/mounts"), &mount,
				   &options);

	doctor->tracefs = mount;
	if (!mount) {
		report_missing(doctor, result);
		return;
	}
	report_mount(doctor, options);
	report_rights(doctor);
}

/*
 * Reports whether events have listeners, and whether ftrace records.
 */

static void report_events(struct doctor *doctor, const char *text)
{
	struct ue_status_entry entry;
	struct ue_status status;
	const char *fix = NULL;

	ue_status_begin(&status, text, strlen(text));
	while (ue_status_next(&status, &entry))
		;
	if (status.active && !status.busy)
		fix = xprintf("echo 1 >%s/events/user_events/enable   # or: perf record -e "
			      "'user_events:*' -a", doctor->tracefs);
	doctor_note(doctor, "listeners", status.busy ? UE_ANSWER_YES : UE_ANSWER_NO,
		    xprintf("%u user events are registered, and %u of them are enabled",
			    status.active, status.busy),
		    !status.active ? "no program that writes events is running" :
		    !status.busy   ? "a disabled event is not written" : NULL, fix);
}

/* perf records in spite of it. */
static void report_tracing_on(struct doctor *doctor)
{
	AUTO_FREE char *text =
		doctor_read(doctor, xprintf("%s/tracing_on", doctor->tracefs));

	if (text && !strcmp(text, "0"))
		doctor_problem(doctor, "tracing_on", UE_ANSWER_NO,
			       xprintf("%s/tracing_on is 0", doctor->tracefs),
			       "ftrace records nothing, even if it listens",
			       xprintf("echo 1 >%s/tracing_on", doctor->tracefs));
}

void doctor_listeners(struct doctor *doctor)
{
	AUTO_FREE char *text = NULL;

	if (!doctor->tracefs || !doctor->has_file)
		return;
	text = doctor_read(doctor, xprintf("%s/user_events_status", doctor->tracefs));
	if (text)
		report_events(doctor, text);
	else
		doctor_note(doctor, "listeners", UE_ANSWER_UNKNOWN,
			    "user_events_status cannot be read by this user",
			    "the listeners are not known; writing is not affected", NULL);
	report_tracing_on(doctor);
}

/*
 * Reports which users may listen with perf.
 */

void doctor_perf(struct doctor *doctor)
{
	AUTO_FREE char *text =
		doctor_read(doctor, "/proc/sys/kernel/perf_event_paranoid");
	int level = text ? atoi(text) : 0;
	int is_open = level < 0 || (!geteuid() && !*doctor->root);

	if (!text)
		doctor_note(doctor, "perf", UE_ANSWER_UNKNOWN,
			    "/proc/sys/kernel/perf_event_paranoid cannot be read",
			    "the kernel may have no perf events", NULL);
	else
		doctor_note(doctor, "perf", is_open ? UE_ANSWER_YES : UE_ANSWER_NO,
			    xprintf("kernel.perf_event_paranoid is %d", level),
			    level < 0 ? "perf may record tracepoints, if tracefs can be read" :
			    "perf records tracepoints for root, or with CAP_PERFMON",
			    is_open ? NULL : "sysctl kernel.perf_event_paranoid=-1   # "
			    "as root, if CAP_PERFMON is not enough: lets every user trace the "
			    "whole system");
}

/*
 * Reports on BPF programs through libbpf, which is opened at run time.
 */

/* Declarations of bpf/libbpf.h of libbpf 1.0. */
struct libbpf {
	int (*probe_program)(enum bpf_prog_type, const void *opts);
};

/* ISO C has no conversion of an object's address to a function's. */
static int look_up(void *handle, const char *name, void *function)
{
	void *symbol = dlsym(handle, name);

	memcpy(function, &symbol, sizeof(symbol));
	return symbol != NULL;
}

static int say_nothing(int level, const char *format, va_list arguments)
{
	(void)level;
	(void)format;
	(void)arguments;
	return 0;
}

static int open_libbpf(struct libbpf *bpf)
{
	void *handle = dlopen("libbpf.so.1", RTLD_NOW | RTLD_LOCAL);
	void *(*set_print)(int (*)(int, const char *, va_list));

	if (!handle || !look_up(handle, "libbpf_set_print", &set_print) ||
	    !look_up(handle, "libbpf_probe_bpf_prog_type", &bpf->probe_program))
		return -1;
	set_print(say_nothing);
	return 0;
}

/* Headers before Linux 5.8 lack these. */
#ifndef CAP_BPF
#define CAP_PERFMON 38
#define CAP_BPF	    39
#endif

/* Whether this process may load one of a tracepoint: libbpf does not tell why not. */
static int may_load_programs(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { { 0 } };
	uint64_t rights;

	if (syscall(SYS_capget, &header, data))
		return 0;
	rights = (uint64_t)data[1].effective << 32 | data[0].effective;
	return rights >> CAP_SYS_ADMIN & 1 ||
	       (rights >> CAP_BPF & 1 && rights >> CAP_PERFMON & 1);
}

static void report_programs(struct doctor *doctor, int result)
{
	if (!result && !may_load_programs())
		result = -EPERM;
	if (result > 0)
		doctor_note(doctor, "bpf", UE_ANSWER_NO,
			    "BPF programs run for other tracepoints, not for user events",
			    "bpftrace attaches to them, but no kernel up to Linux 7.3 "
			    "runs a program for them", NULL);
	else if (result < 0)
		doctor_note(doctor, "bpf", UE_ANSWER_UNKNOWN,
			    xprintf("Whether BPF programs can be loaded cannot be told (%s)",
				    strerror(-result)),
			    "it takes root, or CAP_BPF and CAP_PERFMON", NULL);
	else
		doctor_note(doctor, "bpf", UE_ANSWER_NO,
			    "No BPF program can be attached to a tracepoint",
			    "bpftrace needs a kernel with CONFIG_BPF_EVENTS", NULL);
}

void doctor_bpf(struct doctor *doctor)
{
	struct libbpf bpf;

	if (*doctor->root)
		return;
	if (!open_libbpf(&bpf))
		report_programs(doctor, bpf.probe_program(BPF_PROG_TYPE_TRACEPOINT, NULL));
	else
		doctor_note(doctor, "bpf", UE_ANSWER_NOT_ASKED, "libbpf is not installed",
			    "it is needed only where the interface cannot be tested directly: its "
			    "features are then read from the kernel's type information",
			    "apt-get install libbpf1");
}
