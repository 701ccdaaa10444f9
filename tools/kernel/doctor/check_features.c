/* SPDX-License-Identifier: MIT */
/*
 * Reports features of the kernel as the library finds them, and limits.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <userevents/features.h>
#include <userevents/ring.h>

#include "common/cli/memory.h"
#include "kernel/tracefs/tracing_files.h"
#include "report.h"

/* A suffix for a fact that no test found. */
static const char *source_of(const struct ue_features *features, enum ue_feature feature)
{
	return features->source[feature] == UE_SOURCE_TYPES ? ", by its type information" : "";
}

static enum ue_answer answer_of(const struct ue_features *features, enum ue_feature feature)
{
	return (enum ue_answer)features->of[feature].answer;
}

static const char *name_of_interface(const struct ue_features *features)
{
	return answer_of(features, UE_FEATURE_ENABLE_ADDRESS) == UE_ANSWER_YES ?
		       "the enable address of Linux 6.4 and later" :
		       "the status page of Linux 6.1 to 6.3";
}

static void report_failure(struct doctor *doctor, const struct ue_features *features)
{
	doctor_problem(doctor, "interface", answer_of(features, UE_FEATURE_USER_EVENTS),
		       xprintf("ue_open() fails (%s)", strerror(-features->open_error)),
		       ue_explain(UE_CALL_OPEN, features->open_error), NULL);
}

/* Also where the session fails. */
static void report_types(struct doctor *doctor, const struct ue_features *features)
{
	const enum ue_answer answer = answer_of(features, UE_FEATURE_USER_EVENTS);

	if (features->source[UE_FEATURE_USER_EVENTS] != UE_SOURCE_TYPES)
		return;
	if (answer == UE_ANSWER_YES)
		doctor_note(doctor, "types", answer,
			    xprintf("The kernel has user_events with %s, by its type information",
				    name_of_interface(features)), NULL, NULL);
	else
		doctor_note(doctor, "types", answer,
			    "The kernel has no user_events that the library can use, by its type "
			    "information", "it was built without CONFIG_USER_EVENTS, or is Linux "
			    "5.18 to 6.0, whose interface was withdrawn", NULL);
}

/* The order is that of ue_open(). */
static const char *variable_of_ring(void)
{
	const char *ring = getenv(UE_ENVIRONMENT_RING);

	if (getenv(UE_ENVIRONMENT_FD))
		return UE_ENVIRONMENT_FD;
	return ring && *ring ? UE_ENVIRONMENT_RING : UE_ENVIRONMENT_SOCKET;
}

int doctor_try_socket(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd, error = 0;

	if (strlen(path) >= sizeof(address.sun_path))
		return ENAMETOOLONG;
	strcpy(address.sun_path, path);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof(address)))
		error = errno;
	if (fd >= 0)
		close(fd);
	return error == EAGAIN ? 0 : error;
}

/* Programs go on without one, and find it when it comes. */
static void report_socket(struct doctor *doctor, const char *path)
{
	const int error = doctor_try_socket(path);

	if (!error)
		doctor_note(doctor, "interface", UE_ANSWER_YES,
			    UE_ENVIRONMENT_SOCKET " names the socket of a collector",
			    "programs that are started here offer it their rings, and write to "
			    "them and not to the kernel", NULL);
	else
		doctor_note(doctor, "interface", UE_ANSWER_NO,
			    xprintf("no collector listens on the socket of " UE_ENVIRONMENT_SOCKET
				    ": %s: %s", path, strerror(error)),
			    "programs that are started here write into rings of their own until one "
			    "does",
			    xprintf("userevents collect --socket %s --record DIRECTORY", path));
}

static void report_interface(struct doctor *doctor, const struct ue_features *features)
{
	const char *variable = variable_of_ring();

	if (answer_of(features, UE_FEATURE_CAPTURE) == UE_ANSWER_YES)
		doctor_note(doctor, "interface", UE_ANSWER_YES,
			    UE_ENVIRONMENT_FD " names a capture",
			    "programs that are started here write to it and not to the kernel",
			    "unset " UE_ENVIRONMENT_FD);
	else if (answer_of(features, UE_FEATURE_USER_EVENTS) == UE_ANSWER_UNKNOWN &&
		 !strcmp(variable, UE_ENVIRONMENT_SOCKET))
		report_socket(doctor, getenv(variable));
	else if (answer_of(features, UE_FEATURE_USER_EVENTS) == UE_ANSWER_UNKNOWN)
		doctor_note(doctor, "interface", UE_ANSWER_YES,
			    xprintf("%s names a ring", variable),
			    "programs that are started here write to it and not to the kernel",
			    xprintf("unset %s", variable));
	else
		doctor_note(doctor, "interface", UE_ANSWER_YES,
			    xprintf("user_events has %s", name_of_interface(features)), NULL,
			    NULL);
}

static void report_flag(struct doctor *doctor, const struct ue_features *features,
			enum ue_feature feature, const char *flag, const char *there,
			const char *absent)
{
	enum ue_answer answer = answer_of(features, feature);
	int error = features->of[feature].error;

	doctor_note(doctor, ue_name(UE_NAME_FEATURE, feature), answer,
		    xprintf("%s is %s%s%s%s%s", flag,
			    answer == UE_ANSWER_YES ? "known" :
			    answer == UE_ANSWER_NO  ? "not known to this kernel" :
						      "perhaps known",
			    source_of(features, feature), error ? " (" : "",
			    error ? strerror(-error) : "", error ? ")" : ""),
		    answer == UE_ANSWER_YES ? there : absent, NULL);
}

static void report_flags(struct doctor *doctor, const struct ue_features *features)
{
	report_flag(doctor, features, UE_FEATURE_PERSIST, "UE_EVENT_PERSIST",
		    "with CAP_PERFMON, events can outlive their program: \"userevents register "
		    "--persist\"", "it needs Linux 6.7");
	report_flag(doctor, features, UE_FEATURE_MULTI_FORMAT, "UE_EVENT_MULTI_FORMAT",
		    "events of one name can differ in their fields", "it needs Linux 6.9");
}

static void report_events_max(struct doctor *doctor)
{
	AUTO_FREE char *max = doctor_read(doctor, "/proc/sys/kernel/user_events_max");

	if (!max)
		return; /* before Linux 6.4 */
	doctor_note(doctor, "user_events_max", UE_ANSWER_YES,
		    xprintf("The whole system may have %s user events", max),
		    "with one more, registering fails with EMFILE; to have more: sysctl "
		    "kernel.user_events_max=N",
		    NULL);
}

/* Report parts that commands which control the kernel's tracing may miss. */
static void report_tracing(struct doctor *doctor)
{
	const char *tracefs = doctor_path(doctor, doctor->tracefs);
	char *there = xstrdup("");

	for (int i = 0; i < TRACING_FEATURES; i++) {
		const int has = tracing_has(tracefs, (enum tracing_feature)i);

		if (has > 0)
			xappend(&there, "%s%s", *there ? ", " : "",
				tracing_feature_name((enum tracing_feature)i));
		else if (!has)
			doctor_note(doctor, "control", UE_ANSWER_NO,
				    xprintf("No %s", tracing_feature_name((enum tracing_feature)i)),
				    tracing_feature_why((enum tracing_feature)i), NULL);
	}
	if (*there)
		doctor_note(doctor, "control", UE_ANSWER_YES,
			    xprintf("The kernel's tracing has %s", there),
			    "for \"probe\", \"trigger\", \"khist\", \"klatency\" and \"synth\"", NULL);
}

void doctor_features(struct doctor *doctor)
{
	struct ue_features features = { .size = sizeof(features) };

	report_events_max(doctor);
	if (doctor->tracefs)
		report_tracing(doctor);
	if (*doctor->root) {
		doctor_note(doctor, "interface", UE_ANSWER_NOT_ASKED, /* it has only files */
			    "The kernel was not asked for its interface, flags and limits",
			    "run doctor on that system to ask it", NULL);
		return;
	}
	ue_features_ask(NULL, 0, &features);
	/* the findings about files explain the failure, unless it is of another place */
	if (!features.open_error)
		report_interface(doctor, &features);
	else if (!doctor->problems || getenv(UE_ENVIRONMENT_FD) || getenv(UE_ENVIRONMENT_SOCKET))
		report_failure(doctor, &features);
	report_types(doctor, &features);
	if (answer_of(&features, UE_FEATURE_USER_EVENTS) == UE_ANSWER_YES || !features.open_error)
		report_flags(doctor, &features);
	if (features.open_error)
		return;
	doctor_note(doctor, "payload", UE_ANSWER_YES,
		    xprintf("Payloads of up to %u bytes reach every listener",
			    features.payload_max),
		    "larger ones are rejected; perf alone delivers 8184", NULL);
}
