/* SPDX-License-Identifier: MIT */
/*
 * Where tracefs is mounted, and whether this user may enter it and open
 * user_events_data.
 */
#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report.h"

#define USUAL "/sys/kernel/tracing"
#define DEBUGFS "/sys/kernel/debug"

/* The mount that the library would take, and with what options. */
static int find_mount(struct doctor *doctor, char *options, size_t size)
{
	FILE *mounts = setmntent(doctor_path(doctor, "/proc/self/mounts"), "re");
	struct mntent *mount;

	if (!mounts)
		return -1;
	while ((mount = getmntent(mounts))) {
		int is_usual = !strcmp(mount->mnt_dir, USUAL);

		if (strcmp(mount->mnt_type, "tracefs") || (doctor->tracefs && !is_usual))
			continue;
		doctor->tracefs = doctor_text("%s", mount->mnt_dir);
		snprintf(options, size, ",%s,", mount->mnt_opts);
	}
	endmntent(mounts);
	return 0;
}

static void report_missing(struct doctor *doctor, int result)
{
	if (result)
		doctor_report(doctor, &(struct finding){
			.check = "tracefs",
			.answer = UE_ANSWER_UNKNOWN,
			.fact = doctor_text("/proc/self/mounts cannot be read (%s)",
					    strerror(errno)),
			.meaning = "where tracefs is mounted is not known",
		});
	else
		doctor_report(doctor, &(struct finding){
			.check = "tracefs",
			.answer = UE_ANSWER_NO,
			.is_problem = 1,
			.fact = "tracefs is not mounted",
			.meaning = doctor->is_container ?
				"a container gets it from its host" :
				"events are registered and seen through it",
			.fix = "mount -t tracefs nodev " USUAL "   # as root",
		});
}

static void report_mount(struct doctor *doctor, const char *options)
{
	int is_read_only = strstr(options, ",ro,") != NULL;

	doctor_report(doctor, &(struct finding){
		.check = "tracefs",
		.answer = UE_ANSWER_YES,
		.is_problem = is_read_only,
		.fact = doctor_text("tracefs is mounted at %s%s", doctor->tracefs,
				    is_read_only ? ", read-only" : ""),
		.meaning = is_read_only ? "nothing can be registered" : NULL,
		.fix = is_read_only ? doctor_text("mount -o remount,rw %s   # as root",
						   doctor->tracefs) : NULL,
	});
}

/* Rights */

static const char *owner_of(const char *path)
{
	struct stat file;

	if (stat(path, &file))
		return "";
	return doctor_text(" (mode %04o, owner %u, group %u)",
			   (unsigned int)file.st_mode & 07777, (unsigned int)file.st_uid,
			   (unsigned int)file.st_gid);
}

static const char *grant(const struct doctor *doctor)
{
	return doctor_text("cd %s && chmod a+x . && chgrp tracing user_events_data && "
			   "chmod g+rw user_events_data   # as root, at each boot, with this "
			   "user in group tracing", doctor->tracefs);
}

static void report_no_rights(struct doctor *doctor, const char *what, const char *path)
{
	doctor_report(doctor, &(struct finding){
		.check = "rights",
		.answer = UE_ANSWER_NO,
		.is_problem = 1,
		.fact = doctor_text("User %u may not %s%s", (unsigned int)geteuid(), what,
				    owner_of(path)),
		.meaning = "a program of this user cannot register events",
		.fix = grant(doctor),
	});
}

static void report_no_file(struct doctor *doctor)
{
	doctor_report(doctor, &(struct finding){
		.check = "file",
		.answer = UE_ANSWER_NO,
		.is_problem = 1,
		.fact = doctor_text("%s has no user_events_data", doctor->tracefs),
		.meaning = "the kernel has no CONFIG_USER_EVENTS, or was locked down at boot; "
			   "\"userevents run PROGRAM\" shows events without it",
	});
}

static void report_rights(struct doctor *doctor)
{
	const char *directory = doctor_path(doctor, doctor->tracefs);
	const char *path = doctor_text("%s/user_events_data", directory);

	if (faccessat(AT_FDCWD, directory, X_OK, AT_EACCESS)) {
		report_no_rights(doctor, doctor_text("enter %s", doctor->tracefs), directory);
		return;
	}
	doctor->has_file = !faccessat(AT_FDCWD, path, F_OK, AT_EACCESS);
	if (!doctor->has_file) {
		report_no_file(doctor);
		return;
	}
	if (faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS)) {
		report_no_rights(doctor, doctor_text("read and write %s/user_events_data",
						     doctor->tracefs), path);
		return;
	}
	doctor_report(doctor, &(struct finding){
		.check = "rights",
		.answer = UE_ANSWER_YES,
		.fact = doctor_text("User %u may write to %s/user_events_data",
				    (unsigned int)geteuid(), doctor->tracefs),
	});
}

void doctor_tracefs(struct doctor *doctor)
{
	char options[512] = "";
	int result = find_mount(doctor, options, sizeof(options));

	if (!doctor->tracefs) {
		report_missing(doctor, result);
		return;
	}
	report_mount(doctor, options);
	report_rights(doctor);
}
