/* SPDX-License-Identifier: MIT */
/*
 * Reports whether events have listeners, and whether ftrace records.
 */
#include <stdlib.h>
#include <string.h>

#include <userevents/decode/status.h>

#include "common/cli/memory.h"
#include "report.h"

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
	char *text = doctor_read(doctor, xprintf("%s/tracing_on", doctor->tracefs));

	if (text && !strcmp(text, "0"))
		doctor_problem(doctor, "tracing_on", UE_ANSWER_NO,
			       xprintf("%s/tracing_on is 0", doctor->tracefs),
			       "ftrace records nothing, even if it listens",
			       xprintf("echo 1 >%s/tracing_on", doctor->tracefs));
	free(text);
}

void doctor_listeners(struct doctor *doctor)
{
	char *text;

	if (!doctor->tracefs || !doctor->has_file)
		return;
	text = doctor_read(doctor, xprintf("%s/user_events_status", doctor->tracefs));
	if (text)
		report_events(doctor, text);
	else
		doctor_note(doctor, "listeners", UE_ANSWER_UNKNOWN,
			    "user_events_status cannot be read by this user",
			    "the listeners are not known; writing is not affected", NULL);
	free(text);
	report_tracing_on(doctor);
}
