/* SPDX-License-Identifier: MIT */
/*
 * Who listens now, and whether ftrace records at all.
 */
#include <stdlib.h>
#include <string.h>

#include <userevents/decode/status.h>

#include "report.h"

static void read_status(struct ue_status *status, const char *text)
{
	struct ue_status_entry entry;

	ue_status_begin(status, text, strlen(text));
	while (ue_status_next(status, &entry))
		;
}

static void report_events(struct doctor *doctor, const char *text)
{
	struct ue_status status;

	read_status(&status, text);
	doctor_report(doctor, &(struct finding){
		.check = "listeners",
		.answer = status.busy ? UE_ANSWER_YES : UE_ANSWER_NO,
		.fact = doctor_text("%u user events are registered, and %u of them are enabled",
				    status.active, status.busy),
		.meaning = !status.active ? "no program that writes events is running" :
			   !status.busy ? "a disabled event is not written" : NULL,
		.fix = status.active && !status.busy ?
			doctor_text("echo 1 >%s/events/user_events/enable   # or: perf record -e "
				    "'user_events:*' -a", doctor->tracefs) : NULL,
	});
}

/* perf records all the same. */
static void report_tracing_on(struct doctor *doctor)
{
	char *text = doctor_read(doctor, doctor_text("%s/tracing_on", doctor->tracefs));

	if (text && !strcmp(text, "0"))
		doctor_report(doctor, &(struct finding){
			.check = "tracing_on",
			.answer = UE_ANSWER_NO,
			.is_problem = 1,
			.fact = doctor_text("%s/tracing_on is 0", doctor->tracefs),
			.meaning = "ftrace records nothing, though it may listen",
			.fix = doctor_text("echo 1 >%s/tracing_on", doctor->tracefs),
		});
	free(text);
}

void doctor_listeners(struct doctor *doctor)
{
	char *text;

	if (!doctor->tracefs || !doctor->has_file)
		return;
	text = doctor_read(doctor, doctor_text("%s/user_events_status", doctor->tracefs));
	if (text)
		report_events(doctor, text);
	else
		doctor_report(doctor, &(struct finding){
			.check = "listeners",
			.answer = UE_ANSWER_UNKNOWN,
			.fact = "user_events_status cannot be read by this user",
			.meaning = "who listens is not known; writing is not affected",
		});
	free(text);
	report_tracing_on(doctor);
}
