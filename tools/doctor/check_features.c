/* SPDX-License-Identifier: MIT */
/*
 * What the library finds when it asks the kernel, and the limits.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <userevents/features.h>

#include "report.h"

static const char *reason(const struct ue_features *features, enum ue_feature feature)
{
	int error = features->of[feature].error;

	return error ? doctor_text(" (%s)", strerror(-error)) : "";
}

static const char *interface_of(const struct ue_features *features)
{
	if (features->of[UE_FEATURE_ENABLE_ADDRESS].answer == UE_ANSWER_YES)
		return "the enable address of Linux 6.4 and later";
	return "the status page of Linux 6.1 to 6.3";
}

static void report_interface(struct doctor *doctor, const struct ue_features *features)
{
	if (features->open_error)
		doctor_report(doctor, &(struct finding){
			.check = "interface",
			.answer = (enum ue_answer)features->of[UE_FEATURE_USER_EVENTS].answer,
			.is_problem = 1,
			.fact = doctor_text("ue_open() fails (%s)",
					    strerror(-features->open_error)),
			.meaning = ue_explain(UE_CALL_OPEN, features->open_error),
		});
	else if (features->of[UE_FEATURE_CAPTURE].answer == UE_ANSWER_YES)
		doctor_report(doctor, &(struct finding){
			.check = "interface",
			.answer = UE_ANSWER_YES,
			.fact = UE_ENVIRONMENT_FD " names a capture",
			.meaning = "programs that are started here write to it and not to the "
				   "kernel",
			.fix = "unset " UE_ENVIRONMENT_FD,
		});
	else
		doctor_report(doctor, &(struct finding){
			.check = "interface",
			.answer = UE_ANSWER_YES,
			.fact = doctor_text("user_events has %s", interface_of(features)),
		});
}

static void report_flag(struct doctor *doctor, const struct ue_features *features,
			enum ue_feature feature, const char *flag, const char *there,
			const char *absent)
{
	enum ue_answer answer = (enum ue_answer)features->of[feature].answer;

	doctor_report(doctor, &(struct finding){
		.check = ue_feature_name(feature),
		.answer = answer,
		.fact = doctor_text("%s is %s%s", flag,
				    answer == UE_ANSWER_YES ? "known" :
				    answer == UE_ANSWER_NO  ? "not known to this kernel" :
							      "perhaps known",
				    reason(features, feature)),
		.meaning = answer == UE_ANSWER_YES ? there : absent,
	});
}

static void report_events_max(struct doctor *doctor)
{
	char *max = doctor_read(doctor, "/proc/sys/kernel/user_events_max");

	if (!max)
		return; /* before Linux 6.4 */
	doctor_report(doctor, &(struct finding){
		.check = "user_events_max",
		.answer = UE_ANSWER_YES,
		.fact = doctor_text("The whole system may have %s user events", max),
		.meaning = "with one more, registering fails with EMFILE; to have more: sysctl "
			   "kernel.user_events_max=N",
	});
	free(max);
}

static void report_payload(struct doctor *doctor, const struct ue_features *features)
{
	doctor_report(doctor, &(struct finding){
		.check = "payload",
		.answer = UE_ANSWER_YES,
		.fact = doctor_text("Payloads of up to %u bytes reach every listener",
				    features->payload_max),
		.meaning = "larger ones are refused; perf alone delivers 8184",
	});
}

/* Of another system, nothing but what is in its files. */
static void report_not_asked(struct doctor *doctor)
{
	doctor_report(doctor, &(struct finding){
		.check = "interface",
		.answer = UE_ANSWER_NOT_ASKED,
		.fact = "The kernel was not asked for its interface, flags and limits",
		.meaning = "that takes running there",
	});
}

void doctor_features(struct doctor *doctor)
{
	struct ue_features features = { .size = sizeof(features) };

	report_events_max(doctor);
	if (*doctor->root) {
		report_not_asked(doctor);
		return;
	}
	ue_features_ask(NULL, 0, &features);
	/* what was said of the files says it all */
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
	report_payload(doctor, &features);
}
