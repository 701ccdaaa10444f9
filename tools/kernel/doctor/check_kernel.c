/* SPDX-License-Identifier: MIT */
/*
 * Reports on the kernel: its release, its configuration, lockdown, and whether this
 * process is in a container.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <userevents/features.h>

#include "common/cli/memory.h"
#include "report.h"
#include "kernel/tracefs/tracing_files.h"

static int is_before(const char *release, int major, int minor)
{
	int have_major, have_minor;

	if (sscanf(release, "%d.%d", &have_major, &have_minor) != 2)
		return 0;
	return have_major < major || (have_major == major && have_minor < minor);
}

static const char *meaning_of(const char *release)
{
	if (is_before(release, 5, 18))
		return "user_events came with Linux 5.18, and 6.1 is the first that the library "
		       "knows";
	if (is_before(release, 6, 1))
		return "its user_events has an interface that was withdrawn";
	if (is_before(release, 6, 4))
		return "user_events has a status page there, if its build was changed to offer "
		       "it (doc/kernel)";
	return "user_events is offered, if it was built in";
}

static void report_release(struct doctor *doctor, const char *release)
{
	int is_old = is_before(release, 6, 1);

	doctor_note(doctor, "release", is_old ? UE_ANSWER_NO : UE_ANSWER_YES,
		    xprintf("The kernel is Linux %s", release), meaning_of(release),
		    NULL);
}

/* Configuration */

static char *unzip(const char *path)
{
	char *command, *text;
	struct bytes bytes = { 0 };
	size_t got;
	FILE *from;

	if (access(path, R_OK) || strchr(path, '\''))
		return NULL;
	command = xprintf("gzip -dc '%s' 2>/dev/null", path);
	from = popen(command, "re"); /* NOLINT(cert-env33-c): the path has no quote in it */
	free(command);
	while (from && (got = fread(bytes_room(&bytes, 4096), 1, 4096, from)))
		bytes.length += got;
	bytes_add(&bytes, "", 1);
	text = (char *)bytes.at;
	return from && !pclose(from) && *text ? text : NULL;
}

static char *read_config(const struct doctor *doctor, const char *release,
			 const char **path)
{
	char *text;

	*path = "/proc/config.gz";
	text = unzip(doctor_path(doctor, *path));
	if (!text)
		text = doctor_read(doctor, *path = xprintf("/boot/config-%s", release));
	if (!text)
		text = doctor_read(doctor, *path = xprintf("/lib/modules/%s/config", release));
	return text;
}

static void report_no_option(struct doctor *doctor, const char *path)
{
	doctor->has_no_option = 1;
	doctor_problem(doctor, "config", UE_ANSWER_NO,
		       xprintf("%s has CONFIG_USER_EVENTS not set", path),
		       "programs cannot write events to this kernel, but "
		       "\"userevents run\" shows them, and USEREVENTS_RING=FILE "
		       "keeps them",
		       "scripts/config -e USER_EVENTS && make olddefconfig   "
		       "# in the kernel's source; then build and boot it");
}

static void report_config(struct doctor *doctor, const char *release)
{
	const char *path;
	char *config = read_config(doctor, release, &path);

	if (!config)
		doctor_note(doctor, "config", UE_ANSWER_UNKNOWN,
			    "Neither /proc/config.gz nor a file in /boot has the kernel's "
			    "configuration", "the checks below show whether it works", NULL);
	else if (strstr(xprintf("\n%s\n", config), "\nCONFIG_USER_EVENTS=y\n"))
		doctor_note(doctor, "config", UE_ANSWER_YES,
			    xprintf("%s has CONFIG_USER_EVENTS=y", path), NULL, NULL);
	else
		report_no_option(doctor, path);
	free(config);
}

/* Lockdown and containers */

/* "none [integrity] confidentiality": the mode in brackets is active. */
static void report_lockdown(struct doctor *doctor)
{
	char *text = doctor_read(doctor, "/sys/kernel/security/lockdown");

	if (!text)
		doctor_note(doctor, "lockdown", UE_ANSWER_UNKNOWN,
			    xprintf("/sys/kernel/security/lockdown cannot be read (%s)",
				    strerror(errno)),
			    "the kernel has no lockdown, or securityfs is not mounted", NULL);
	else if (strstr(text, "[confidentiality]"))
		doctor_problem(doctor, "lockdown", UE_ANSWER_YES,
			       xprintf("Lockdown is: %s", text), "tracefs has no files",
			       "reboot   # without lockdown=confidentiality, or without "
			       "Secure Boot");
	else
		doctor_note(doctor, "lockdown", UE_ANSWER_NO,
			    xprintf("Lockdown is: %s", text), "it leaves tracefs alone", NULL);
	free(text);
}

static int exists(const struct doctor *doctor, const char *path)
{
	return !access(doctor_path(doctor, path), F_OK);
}

/* The map of the first user namespace has all 32-bit ids. */
static int is_user_namespace(const struct doctor *doctor)
{
	char *map = doctor_read(doctor, "/proc/self/uid_map");
	unsigned long inside = 0, outside = 0, count = 0;
	int result = map && sscanf(map, "%lu %lu %lu", &inside, &outside, &count) == 3 &&
		     (inside || outside || count != 4294967295u);

	free(map);
	return result;
}

/*
 * Whether this process is in a namespace of its own. The kernel fixes the number of the
 * first namespace of each kind (include/linux/proc_ns.h). If it lacks a kind, there is no
 * namespace of that kind.
 */
static int has_namespace(const struct doctor *doctor, const char *kind, uint32_t first)
{
	char text[64] = "", expected[64];
	const char *path = doctor_path(doctor, xprintf("/proc/self/ns/%s", kind));

	if (readlink(path, text, sizeof(text) - 1) < 0)
		return 0;
	snprintf(expected, sizeof(expected), "%s:[%u]", kind, first);
	return strcmp(text, expected) != 0;
}

static int has_mark(const struct doctor *doctor)
{
	return exists(doctor, "/.dockerenv") || exists(doctor, "/run/.containerenv") ||
	       exists(doctor, "/run/systemd/container");
}

/*
 * Not all container managers leave a mark. A virtual machine may have the files of a
 * container as its own, but there all namespaces are the first.
 */
static int is_container(const struct doctor *doctor)
{
	if (has_namespace(doctor, "pid", 0xeffffffc))
		return 1;
	if (!has_mark(doctor))
		return 0;
	return !exists(doctor, "/proc/self/ns") ||
	       has_namespace(doctor, "uts", 0xeffffffe) ||
	       has_namespace(doctor, "ipc", 0xefffffff) ||
	       has_namespace(doctor, "cgroup", 0xeffffffb);
}

static void report_container(struct doctor *doctor)
{
	int has_users = is_user_namespace(doctor);

	doctor->is_container = has_users || is_container(doctor);
	if (!doctor->is_container)
		return;
	doctor_note(
		doctor, "container", UE_ANSWER_NO,
		has_users ? "This process is in a user namespace of its own" :
			    "This is a container",
		"events belong to the whole system: the host's tools see them under "
		"the same names, and user_events_data must come from the host",
		"docker run -v /sys/kernel/tracing:/sys/kernel/tracing ...   # on the "
		"host; or pass a descriptor, doc/rights.md");
}

/* A kernel may have an entry for programs of 32 bits, so it is asked. */
static void report_bits(struct doctor *doctor)
{
	struct ue_features features = { .size = sizeof(features) };
	struct utsname name;

	if (sizeof(long) != 4 || *doctor->root || uname(&name) ||
	    !strstr(name.machine, "64"))
		return;
	ue_features_ask(NULL, 0, &features);
	if (features.open_error != -EOPNOTSUPP)
		return;
	doctor_problem(
		doctor, "bits", UE_ANSWER_NO,
		xprintf("This program has 32 bits, and the kernel is %s", name.machine),
		"user_events of such a kernel has no entry for it",
		"cc -m64 ...   # and a library built the same");
}

void doctor_kernel(struct doctor *doctor)
{
	/* that of another system is in its /proc */
	const char *release = doctor_read(doctor, "/proc/sys/kernel/osrelease");

	release = release ? release : "unknown";
	report_release(doctor, release);
	report_config(doctor, release);
	report_lockdown(doctor);
	report_container(doctor);
	report_bits(doctor);
}
