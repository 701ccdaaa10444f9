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
	AUTO_FREE char *config = read_config(doctor, release, &path);

	if (!config)
		doctor_note(doctor, "config", UE_ANSWER_UNKNOWN,
			    "Neither /proc/config.gz nor a file in /boot has the kernel's "
			    "configuration", "the checks below show whether it works", NULL);
	else if (strstr(xprintf("\n%s\n", config), "\nCONFIG_USER_EVENTS=y\n"))
		doctor_note(doctor, "config", UE_ANSWER_YES,
			    xprintf("%s has CONFIG_USER_EVENTS=y", path), NULL, NULL);
	else
		report_no_option(doctor, path);
}

/* Lockdown and containers */

/* "none [integrity] confidentiality": the mode in brackets is active. */
static void report_lockdown(struct doctor *doctor)
{
	AUTO_FREE char *text = doctor_read(doctor, "/sys/kernel/security/lockdown");

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
}

static int exists(const struct doctor *doctor, const char *path)
{
	return !access(doctor_path(doctor, path), F_OK);
}

/* The map of the first user namespace has all 32-bit ids. */
static int is_user_namespace(const struct doctor *doctor)
{
	AUTO_FREE char *map = doctor_read(doctor, "/proc/self/uid_map");
	unsigned long inside = 0, outside = 0, count = 0;

	return map && sscanf(map, "%lu %lu %lu", &inside, &outside, &count) == 3 &&
	       (inside || outside || count != 4294967295u);
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

/*
 * Reports the known faults of user_events in the running kernel.
 *
 * doc/kernels.md has the same table, with the place where each was seen; tests/tool/doctor
 * compares them. Distributions take the fixes of a stable series, and keep the release at
 * 6.1.0: the version that they have reached stands elsewhere. A vendor may also fix single
 * faults, so each row holds "unless its vendor fixed it".
 */

struct fault {
	const char *name;  /* for machines */
	const char *what;  /* and the consequence */
	const char *first; /* the version that has it */
	const char *fixed; /* the first one of Linus' tree without it; NULL: none yet */
	const char *stable; /* the same of stable series, "6.1.28, 6.12.97" */
};

static const struct fault faults[] = {
	{ "fork", "a thread that unregisters while another one forks frees what fork() reads: "
	  "a process that may open user_events_data can crash the kernel", "6.4", "7.2",
	  "6.12.97" },
	{ "child", "a child begins with a pointer to the registrations of its parent", "6.4",
	  "7.3", "6.12.109" },
	{ "removal", "an event whose deletion fails loses its fields", "6.1", "7.3",
	  "6.1.191, 6.12.111" },
	{ "sizes", "fields of more than 4 GiB in total are accepted: a write to such an event "
	  "stops the kernel", "6.1", NULL, "" },
	{ "names", "names that no directory can have are accepted: one that is empty, or has a "
	  "slash, hides all user events (EIO, EINVAL)", "6.1", NULL, "" },
	{ "warning", "a payload of more than 8 KiB with perf attached reaches a WARN_ONCE(), "
	  "which stops a kernel with panic_on_warn", "6.1", NULL, "" },
	{ "probe", "an event is freed while an event probe is attached to it, and the probe "
	  "reads freed memory", "6.1", NULL, "" },
	{ "status", "reading user_events_status follows events that are freed meanwhile", "6.1",
	  NULL, "" },
	{ "compare", "registering follows an enable address that another thread unregisters "
	  "meanwhile", "6.4", NULL, "" },
	{ "exec", "an event that is enabled while its process executes another program leaks a "
	  "page (Bad rss-counter state)", "6.4", NULL, "" },
	{ "payload", "a write whose payload vanishes meanwhile succeeds, and records bytes of "
	  "an earlier event", "6.1", NULL, "" },
	{ "index", "a negative write index is accepted, and the kernel reads before its table",
	  "6.1", "6.4", "6.1.28" },
	{ "large", "ftrace drops payloads of more than 4064 bytes, and the write succeeds",
	  "6.1", NULL, "" },
	{ "thread", "events of a thread that is older than the first registration of its "
	  "process keep their state for ever when that thread ends", "6.4", NULL, "" },
	{ "align", "the bit of an enable word is set by an unaligned access, which some "
	  "processors refuse", "6.4", "6.6", "6.5.6" },
	{ "spaces", "a definition without a space after its semicolons does not match itself: "
	  "registering it again fails (EADDRINUSE)", "6.4", "6.9", "6.6.33, 6.8.12" },
	{ "struct", "a definition with a struct does not match itself: registering it again "
	  "fails (EADDRINUSE)", "6.4", "6.5", "6.4.5" },
	{ "unheard", "a write to an event without a listener succeeds", "6.1", "6.5",
	  "6.1.40, 6.4.5" },
	{ "fields", "a name is registered again with other fields, and gets those of the first",
	  "6.1", "6.4", "" },
	{ "empty", "an event without fields is not recorded (EFAULT)", "6.1", "6.4", "" },
	{ "filter", "filters of ftrace take text for a number (EINVAL)", "6.1", "6.4", "" },
	{ "rel-loc", "event probes read a __rel_loc text 4 bytes before its place", "6.1", NULL,
	  "" },
	{ "absent", "an absent __data_loc text is refused now and then (EFAULT)", "6.1", NULL,
	  "" },
	{ "length", "the format file shows a length of arrays that was never set", "6.1", NULL,
	  "" },
};

struct version {
	int major, minor, patch;
};

/* The rest of the text, or NULL: there is no version. */
static const char *read_version(const char *text, struct version *version)
{
	int length = 0;

	*version = (struct version){ .patch = 0 };
	if (sscanf(text, "%d.%d%n.%d%n", &version->major, &version->minor, &length,
		   &version->patch, &length) < 2)
		return NULL;
	return text + length;
}

static int fault_is_before(const struct version *version, const char *text)
{
	struct version other;

	read_version(text, &other);
	if (version->major != other.major)
		return version->major < other.major;
	return version->minor < other.minor;
}

static int is_of_series(const struct version *version, const struct version *series)
{
	return version->major == series->major && version->minor == series->minor;
}

static int is_fixed_in_series(const struct version *version, const char *stable)
{
	struct version fixed;

	while ((stable = read_version(stable, &fixed))) {
		if (is_of_series(version, &fixed))
			return version->patch >= fixed.patch;
		stable += strspn(stable, ", ");
	}
	return 0;
}

static int has_fault(const struct version *version, const struct fault *fault)
{
	if (fault_is_before(version, fault->first))
		return 0;
	if (fault->fixed && !fault_is_before(version, fault->fixed))
		return 0;
	return !is_fixed_in_series(version, fault->stable);
}

static const char *fix_text(const struct fault *fault)
{
	if (!fault->fixed)
		return "no fix is known";
	return xprintf("fixed in Linux %s%s%s", fault->fixed, *fault->stable ? ", " : "",
		       fault->stable);
}

/* Ubuntu, /proc/version_signature: "Ubuntu 6.8.0-60.63-generic 6.8.12". */
static const char *find_signature(const struct doctor *doctor)
{
	const char *text = doctor_read(doctor, "/proc/version_signature");
	const char *last = text ? strrchr(text, ' ') : NULL;

	return last ? last + 1 : NULL;
}

/* Debian, /proc/version: "... #1 SMP PREEMPT_DYNAMIC Debian 6.1.140-1 (2025-05-22)". */
static const char *find_package(const struct doctor *doctor)
{
	static const char distribution[] = " Debian ";
	const char *text = doctor_read(doctor, "/proc/version");
	const char *found = text ? strstr(text, distribution) : NULL;
	const char *epoch;

	if (!found)
		return NULL;
	found += strlen(distribution);
	epoch = found + strspn(found, "0123456789");
	return *epoch == ':' ? epoch + 1 : found;
}

/* Take the stable version that a distribution's kernel has reached: 1 if it is shown. */
static int find_stable(const struct doctor *doctor, struct version *version)
{
	const char *const texts[] = { find_signature(doctor), find_package(doctor) };
	struct version found;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (!texts[i] || !read_version(texts[i], &found) ||
		    !is_of_series(&found, version) || found.patch <= version->patch)
			continue;
		*version = found;
		return 1;
	}
	return 0;
}

void doctor_faults(struct doctor *doctor)
{
	const char *release = doctor_read(doctor, "/proc/sys/kernel/osrelease");
	const size_t count = sizeof(faults) / sizeof(faults[0]);
	struct version version;
	int is_first = 1;

	if (!release || !read_version(release, &version) || doctor->has_no_option)
		return;
	if (find_stable(doctor, &version))
		release = xprintf("%s (%d.%d.%d)", release, version.major, version.minor,
				  version.patch);
	for (size_t i = 0; i < count; i++) {
		if (!has_fault(&version, &faults[i]))
			continue;
		if (is_first)
			doctor_note(doctor, "faults", UE_ANSWER_NO,
				    xprintf("Linux %s has these faults of user_events, unless "
					    "its vendor fixed them", release),
				    "doc/kernels.md has the commits", NULL);
		is_first = 0;
		doctor_note(doctor, xprintf("faults.%s", faults[i].name), UE_ANSWER_NO,
			    faults[i].what, fix_text(&faults[i]), NULL);
	}
}
