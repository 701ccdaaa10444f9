/* SPDX-License-Identifier: MIT */
/* The one table of what this kernel's tracing has, behind all commands and "doctor". */
#ifndef UE__TOOLS_KERNEL_TRACEFS_TRACING_FEATURES_H
#define UE__TOOLS_KERNEL_TRACEFS_TRACING_FEATURES_H

enum tracing_feature {
	TRACING_KPROBES,
	TRACING_UPROBES,
	TRACING_EVENT_PROBES,
	TRACING_FPROBES,
	TRACING_TRACEPOINT_PROBES,
	TRACING_HISTOGRAMS,
	TRACING_SYNTHETIC_EVENTS,
	TRACING_SNAPSHOTS,
	TRACING_FEATURES,
};

/* "kernel probes" */
const char *tracing_feature_name(enum tracing_feature feature);
/* "it was built without CONFIG_HIST_TRIGGERS; ...", what to do instead. */
const char *tracing_feature_why(enum tracing_feature feature);
/* "this kernel has no histograms: it was built ..." */
const char *tracing_feature_lack(enum tracing_feature feature);
/*
 * 1; 0 if tracefs shows that the kernel lacks it; -1 if that cannot be told, as its files may
 * not be read, or do not say.
 */
int tracing_has(const char *tracefs, enum tracing_feature feature);
/* Whether it lacks it; if so, after the message "cannot VERB: this kernel has no ...". */
int tracing_lacks(const char *tracefs, enum tracing_feature feature, const char *verb);

#endif
