/* SPDX-License-Identifier: MIT */
/*
 * Reports which users may listen with perf.
 */
#include <stdlib.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "report.h"

void doctor_perf(struct doctor *doctor)
{
	char *text = doctor_read(doctor, "/proc/sys/kernel/perf_event_paranoid");
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
	free(text);
}
