/* SPDX-License-Identifier: MIT */
/* Findings about this system that decide whether events arrive. */
#ifndef UE__TOOLS_DOCTOR_REPORT_H
#define UE__TOOLS_DOCTOR_REPORT_H

#include <stddef.h>
#include <sys/types.h>

#include <userevents/features.h>

#include "common/cli/options.h"

/* One line of the report. Texts stay until the end of the process. */
struct finding {
	const char *check; /* for machines: "tracefs" */
	enum ue_answer answer;
	int is_problem;	     /* events do not arrive because of this */
	const char *fact;    /* a sentence without its full stop */
	const char *meaning; /* the meaning for the reader, in the same form */
	const char *fix;    /* the exact command; NULL: nothing to fix */
};

struct doctor {
	const char *root; /* "" or a folder that stands for "/" */
	int is_json;
	int has_colour;
	int problems;
	/* Found by one part, and used by others. */
	const char *tracefs; /* where it is mounted, without root; NULL: nowhere */
	int has_file;	     /* user_events_data exists */
	int is_container;
	int has_no_option; /* the kernel was built without CONFIG_USER_EVENTS */
};

/* The same from its members; meaning and fix may be NULL. */
void doctor_note(struct doctor *doctor, const char *check, enum ue_answer answer,
		 const char *fact, const char *meaning, const char *fix);
void doctor_problem(struct doctor *doctor, const char *check, enum ue_answer answer,
		    const char *fact, const char *meaning, const char *fix);

/* A path below root, in memory that stays. */
const char *doctor_path(const struct doctor *doctor, const char *path);
/* A file below root without its last newline, or NULL with errno. */
char *doctor_read(const struct doctor *doctor, const char *path);

/* The parts, in the order of their calls. */
void doctor_kernel(struct doctor *doctor);
void doctor_tracefs(struct doctor *doctor);
void doctor_features(struct doctor *doctor);
void doctor_listeners(struct doctor *doctor);
void doctor_perf(struct doctor *doctor);
void doctor_bpf(struct doctor *doctor);
void doctor_faults(struct doctor *doctor);

/* The events of running processes instead, and the rings that they have. */
void doctor_processes(struct doctor *doctor, const struct words *processes);
/* Connect to the socket of a collector: 0, or the error. */
int doctor_try_socket(const char *path);

#endif
