/* SPDX-License-Identifier: MIT */
/*
 * Reports where tracefs is mounted, and whether this user may enter it and open
 * user_events_data.
 */
#include <fcntl.h>
#include <pwd.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "report.h"
#include "kernel/tracefs/tracing_files.h"

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
