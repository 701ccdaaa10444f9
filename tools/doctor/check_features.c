/* SPDX-License-Identifier: MIT */
/*
 * Reports features of the kernel as the library finds them, and limits.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <userevents/features.h>
#include <userevents/ring.h>

#include "cli/memory.h"
#include "report.h"

static void report_interface(struct doctor *doctor, const struct ue_features *features)
{
	const char *variable = getenv(UE_ENVIRONMENT_FD) ? UE_ENVIRONMENT_FD :
							   UE_ENVIRONMENT_RING;
	int has_address = features->of[UE_FEATURE_ENABLE_ADDRESS].answer == UE_ANSWER_YES;

	if (features->open_error)
		doctor_problem(doctor, "interface",
			       (enum ue_answer)features->of[UE_FEATURE_USER_EVENTS].answer,
			       xprintf("ue_open() fails (%s)", strerror(-features->open_error)),
			       ue_explain(UE_CALL_OPEN, features->open_error), NULL);
	else if (features->of[UE_FEATURE_CAPTURE].answer == UE_ANSWER_YES)
		doctor_note(doctor, "interface", UE_ANSWER_YES,
			    UE_ENVIRONMENT_FD " names a capture",
			    "programs that are started here write to it and not to the kernel",
			    "unset " UE_ENVIRONMENT_FD);
	else if (features->of[UE_FEATURE_USER_EVENTS].answer == UE_ANSWER_UNKNOWN)
		doctor_note(doctor, "interface", UE_ANSWER_YES,
			    xprintf("%s names a ring", variable),
			    "programs that are started here write to it and not to the kernel",
			    xprintf("unset %s", variable));
	else
		doctor_note(doctor, "interface", UE_ANSWER_YES,
			    has_address ?
			    "user_events has the enable address of Linux 6.4 and later" :
			    "user_events has the status page of Linux 6.1 to 6.3", NULL, NULL);
}

static void report_flag(struct doctor *doctor, const struct ue_features *features,
			enum ue_feature feature, const char *flag, const char *there,
			const char *absent)
{
	enum ue_answer answer = (enum ue_answer)features->of[feature].answer;
	int error = features->of[feature].error;

	doctor_note(doctor, ue_feature_name(feature), answer,
		    xprintf("%s is %s%s%s%s", flag,
			    answer == UE_ANSWER_YES ? "known" :
			    answer == UE_ANSWER_NO  ? "not known to this kernel" :
						      "perhaps known",
			    error ? " (" : "", error ? strerror(-error) : "", error ? ")" : ""),
		    answer == UE_ANSWER_YES ? there : absent, NULL);
}

static void report_events_max(struct doctor *doctor)
{
	char *max = doctor_read(doctor, "/proc/sys/kernel/user_events_max");

	if (!max)
		return; /* before Linux 6.4 */
	doctor_note(doctor, "user_events_max", UE_ANSWER_YES,
		    xprintf("The whole system may have %s user events", max),
		    "with one more, registering fails with EMFILE; to have more: sysctl "
		    "kernel.user_events_max=N",
		    NULL);
	free(max);
}

void doctor_features(struct doctor *doctor)
{
	struct ue_features features = { .size = sizeof(features) };

	report_events_max(doctor);
	if (*doctor->root) {
		doctor_note(doctor, "interface", UE_ANSWER_NOT_ASKED, /* it has only files */
			    "The kernel was not asked for its interface, flags and limits",
			    "run doctor on that system to ask it", NULL);
		return;
	}
	ue_features_ask(NULL, 0, &features);
	/* the findings about files explain the failure */
	if (features.open_error && doctor->problems && !getenv(UE_ENVIRONMENT_FD))
		return;
	report_interface(doctor, &features);
	if (features.open_error)
		return;
	report_flag(doctor, &features, UE_FEATURE_PERSIST, "UE_EVENT_PERSIST",
		    "with CAP_PERFMON, events can outlive their program: \"userevents register "
		    "--persist\"", "it needs Linux 6.7");
	report_flag(doctor, &features, UE_FEATURE_MULTI_FORMAT, "UE_EVENT_MULTI_FORMAT",
		    "events of one name can differ in their fields", "it needs Linux 6.9");
	doctor_note(doctor, "payload", UE_ANSWER_YES,
		    xprintf("Payloads of up to %u bytes reach every listener",
			    features.payload_max),
		    "larger ones are rejected; perf alone delivers 8184", NULL);
}
