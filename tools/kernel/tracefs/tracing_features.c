/* SPDX-License-Identifier: MIT */
/* Finds out what this kernel's tracing has, by the files of tracefs and its README. */
#include "tracing_features.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "tracing_files.h"

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
	char *readme = read_file(path, NULL);
	const int result = !readme ? -1 : strstr(readme, mark) != NULL;

	free(readme);
	return result;
}

int tracing_has(const char *tracefs, enum tracing_feature feature)
{
	const struct row *row = &rows[feature];
	char *path = tracing_path(tracefs, row->file ? row->file : "README");
	const int result = row->file ? has_file(path) : has_mark(path, row->mark);

	free(path);
	return result > 0 && row->may_lack ? -1 : result;
}

int tracing_lacks(const char *tracefs, enum tracing_feature feature, const char *verb)
{
	if (tracing_has(tracefs, feature))
		return 0;
	message("cannot %s: %s", verb, tracing_feature_lack(feature));
	return 1;
}
