/* SPDX-License-Identifier: MIT */
/* Finds tracefs, and reads its files. */
#include "tracing_files.h"

#include <errno.h>
#include <linux/magic.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>
#include <unistd.h>
#include <userevents/decode/record.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"

#define USUAL "/sys/kernel/tracing"

int tracing_mount(const char *mounts, char **directory, char **options)
{
	FILE *file = setmntent(mounts, "re");
	struct mntent *mount;

	if (!file)
		return -errno;
	while ((mount = getmntent(file))) {
		if (strcmp(mount->mnt_type, "tracefs") ||
		    (*directory && strcmp(mount->mnt_dir, USUAL)))
			continue;
		free(*directory);
		free(*options);
		*directory = xstrdup(mount->mnt_dir);
		*options = xstrdup(mount->mnt_opts);
	}
	endmntent(file);
	return 0;
}

const char *tracing_find(const char *given)
{
	char *found = NULL, *options = NULL;

	if (given)
		return given;
	tracing_mount("/proc/self/mounts", &found, &options);
	free(options);
	if (!found && !tracing_lacks_user_events(NULL))
		message("cannot find tracefs: it is not mounted; fix it with: mount -t tracefs "
			"nodev " USUAL);
	return found;
}

/* Whether this may be a kernel without user_events. */
static int is_suspect(const char *directory)
{
	struct statfs system;

	return !directory || (!statfs(directory, &system) &&
			      system.f_type == TRACEFS_MAGIC &&
			      access(tracing_path(directory, "user_events_status"), F_OK) &&
			      errno == ENOENT);
}

int tracing_lacks_user_events(const char *directory)
{
	FILE *symbols = is_suspect(directory) ? fopen("/proc/kallsyms", "re") : NULL;
	size_t room = 0, lines = 0;
	AUTO_FREE char *line = NULL;
	int is_found = 0;

	while (symbols && !is_found && getline(&line, &room, symbols) >= 0) {
		is_found = strstr(line, " user_events_") != NULL;
		lines++;
	}
	if (symbols)
		fclose(symbols);
	if (is_found || !lines)
		return 0;
	message("cannot use user_events: this kernel was built without CONFIG_USER_EVENTS; "
		"\"userevents run\" shows events without it, and \"userevents collect --socket\" "
		"collects them");
	return 1;
}

char *tracing_path(const char *directory, const char *name)
{
	return xprintf("%s/%s", directory, name);
}

char *tracing_read(const char *path, size_t *length)
{
	char *text = read_file(path, length);

	if (text)
		return text;
	if (errno == EACCES || errno == EPERM)
		message("cannot read %s: %s; run as root, or give this user rights as "
			"\"userevents doctor\" shows", path, strerror(errno));
	else
		message("cannot read %s: %s; \"userevents doctor\" reports what is wrong",
			path, strerror(errno));
	return NULL;
}

/* Opens a session and registers events, with messages for a person. */

struct ue_open_opts session_opts(const char *directory)
{
	return (struct ue_open_opts){
		.size = sizeof(struct ue_open_opts),
		.path = directory ? tracing_path(directory, "user_events_data") : NULL,
	};
}

int session_open(const char *directory)
{
	const struct ue_open_opts opts = session_opts(directory);
	int fd = ue_open(&opts);

	if (fd >= 0)
		return fd;
	if (fd == -ENODEV || (fd == -ENOENT && !directory))
		directory = tracing_find(NULL); /* which complains if there is none */
	if ((fd == -ENODEV && !directory) || tracing_lacks_user_events(directory))
		return -1;
	message("cannot open user_events: %s; \"userevents doctor\" reports more",
		ue_explain(UE_CALL_OPEN, fd));
	return -1;
}

struct ue_event *session_register(int fd, const char *definition, uint32_t flags)
{
	struct ue_event *event = xcalloc(1, sizeof(*event));
	int result = ue_event_init(event, definition, flags);

	if (!result)
		result = ue_register(fd, event);
	if (!result)
		return event;
	message("cannot register %.*s: %s", (int)strcspn(definition, " "), definition,
		ue_explain(UE_CALL_REGISTER, result));
	free(event);
	return NULL;
}

/*
 * Checks the format of a user event before it is enabled.
 *
 * The kernel gives each field the sum of the sizes before it as its offset, in 32 bits. With
 * sizes whose sum wraps, strings are looked up far behind the record (user_event_validate()
 * in kernel/trace/trace_events_user.c). A sum wraps only behind a field that ends beyond
 * 64 KiB, which is more than a listener takes, and it leaves a field before its predecessor's
 * end. A format that does not parse may hide such a field: its names have a newline.
 */

/* An event of perf is at most 64 KiB with all its headers, and so are its 16-bit sizes. */
#define RECORD_MAX 65536u

#define BEYOND_LIMIT "beyond what the kernel can record"

static char *fault_of_fields(const struct ue_record_layout *layout)
{
	uint64_t last = layout->common_size;

	for (uint32_t i = 0; i < layout->field_count; i++) {
		const struct ue_record_field *field = &layout->fields[i];
		uint64_t begin = (uint64_t)layout->common_size + field->offset;
		uint64_t end = begin + field->size;

		if (end > RECORD_MAX)
			return xprintf("its field %.*s ends at byte %llu, " BEYOND_LIMIT,
				       (int)field->name_length, field->name,
				       (unsigned long long)end);
		if (begin < last)
			return xprintf("its field %.*s begins at byte %llu, within the field "
				       "before it, so its offsets cannot be true",
				       (int)field->name_length, field->name,
				       (unsigned long long)begin);
		last = end;
	}
	return NULL;
}

char *format_fault(const struct listed_event *event)
{
	struct ue_record_layout layout;
	AUTO_FREE struct ue_record_field *fields = NULL;
	int count;

	if (strcmp(event->system, SYSTEM) && strcmp(event->system, SYSTEM_MULTI))
		return NULL;
	count = ue_record_layout_parse(&layout, event->system, event->format,
				       event->format_length, NULL, 0, 0);
	if (count < 0)
		return xstrdup("its format is malformed, which may hide a field " BEYOND_LIMIT);
	fields = xcalloc((size_t)count + 1, sizeof(*fields));
	ue_record_layout_parse(&layout, event->system, event->format, event->format_length,
			       fields, (size_t)count, 0);
	return fault_of_fields(&layout);
}

static int check(const struct listed_event *event, const char *fix)
{
	AUTO_FREE char *fault = format_fault(event);

	if (!fault)
		return 0;
	message("cannot enable %s:%s: %s; writing it could crash the kernel; %s",
		event->system, event->name, fault, fix);
	return -1;
}

int event_check_trust(const struct listed_event *event)
{
	return check(event, "end the programs that register it");
}

int event_leave_out_untrusted(const struct listed_event *event)
{
	return check(event, "it is left out");
}

int event_check_trust_of(const char *directory, const char *name)
{
	struct listed_event event = {
		.system = (char *)(uintptr_t)SYSTEM, .name = (char *)(uintptr_t)name,
	};
	AUTO_FREE char *path = xprintf("%s/events/" SYSTEM "/%s/format", directory, name);
	int result;

	event.format = tracing_read(path, &event.format_length);
	result = event.format ? event_check_trust(&event) : -1;
	free(event.format);
	return result;
}

/*
 * Finds the abilities of this kernel's tracing, by the files of tracefs and its README.
 */

/* It is there if the file is, or if README has the mark. */
static const struct row {
	const char *name, *file, *mark;
	const char *why;
	const char *instead; /* NULL: nothing */
	int may_lack; /* although README has the mark */
} rows[TRACING_FEATURES] = {
	[TRACING_KPROBES] = { "kernel probes", "kprobe_events", NULL,
			      "it was built without CONFIG_KPROBE_EVENTS",
			      "probes of programs are p:NAME PATH:PLACE", 0 },
	[TRACING_UPROBES] = { "probes of programs", "uprobe_events", NULL,
			      "it was built without CONFIG_UPROBE_EVENTS", NULL, 0 },
	[TRACING_EVENT_PROBES] = { "event probes", NULL, "<attached-group>.<attached-event>",
				   "they need Linux 5.15 and CONFIG_DYNAMIC_EVENTS", NULL, 1 },
	[TRACING_FPROBES] = { "function probes (f)", NULL, "f[:[<group>/][<event>]]",
			      "they need Linux 6.5 and CONFIG_FPROBE_EVENTS",
			      "p:NAME FUNCTION is a kernel probe", 0 },
	[TRACING_TRACEPOINT_PROBES] = {
		"tracepoint probes (t)", NULL, "t[:[<group>/][<event>]]",
		"they need Linux 6.5 and CONFIG_FPROBE_EVENTS",
		"e:NAME SYSTEM.EVENT takes the fields of an event", 0 },
	[TRACING_HISTOGRAMS] = { "histograms", NULL, "hist trigger\t",
				 "it was built without CONFIG_HIST_TRIGGERS",
				 "\"userevents hist\" and \"userevents latency\" count in user "
				 "space", 0 },
	[TRACING_SYNTHETIC_EVENTS] = {
		"synthetic events", "synthetic_events", NULL,
		"it was built without CONFIG_SYNTH_EVENTS",
		"\"userevents latency\" pairs events in user space", 0 },
	[TRACING_SNAPSHOTS] = { "snapshots", "snapshot", NULL,
				"it was built without CONFIG_TRACER_SNAPSHOT",
				"\"traceoff\" keeps the trace up to an event, too", 0 },
};

const char *tracing_feature_name(enum tracing_feature feature)
{
	return rows[feature].name;
}

const char *tracing_feature_why(enum tracing_feature feature)
{
	static char *texts[TRACING_FEATURES];
	const struct row *row = &rows[feature];

	if (!texts[feature])
		texts[feature] = xprintf("%s%s%s", row->why, row->instead ? "; " : "",
					 row->instead ? row->instead : "");
	return texts[feature];
}

const char *tracing_feature_lack(enum tracing_feature feature)
{
	static char *texts[TRACING_FEATURES];
	const struct row *row = &rows[feature];

	if (!texts[feature])
		texts[feature] = xprintf("this kernel has no %s: %s", row->name,
					 tracing_feature_why(feature));
	return texts[feature];
}

static int has_file(const char *path)
{
	return !access(path, F_OK) ? 1 : errno == ENOENT ? 0 : -1;
}

static int has_mark(const char *path, const char *mark)
{
	AUTO_FREE char *readme = read_file(path, NULL);

	return !readme ? -1 : strstr(readme, mark) != NULL;
}

int tracing_has(const char *tracefs, enum tracing_feature feature)
{
	const struct row *row = &rows[feature];
	AUTO_FREE char *path = tracing_path(tracefs, row->file ? row->file : "README");
	const int result = row->file ? has_file(path) : has_mark(path, row->mark);

	return result > 0 && row->may_lack ? -1 : result;
}

int tracing_lacks(const char *tracefs, enum tracing_feature feature, const char *verb)
{
	if (tracing_has(tracefs, feature))
		return 0;
	message("cannot %s: %s", verb, tracing_feature_lack(feature));
	return 1;
}
