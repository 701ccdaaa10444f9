/* SPDX-License-Identifier: MIT */
/* A format that events are exported in. It is the first member of a struct of its own. */
#ifndef UE__TOOLS_EXPORT_TREE_EXPORTER_H
#define UE__TOOLS_EXPORT_TREE_EXPORTER_H

#include "common/cli/options.h"
#include "exported_event.h"

/* Events that are missing. */
struct lost_events {
	uint64_t count;
	/* As of an exported_event; of the event before which they are missing, or of the last. */
	int64_t time, clock_time;
	const struct origin *origin; /* that wrote them; NULL: not known */
	int has_cpu;		     /* on which they were lost */
	uint32_t cpu;
};

struct exporter {
	/* All functions: 0, 1 if nothing more can be taken, or -1 after a message. */
	/* Once, before the first event: there is something to replace an old file. May be NULL. */
	int (*begin)(struct exporter *exporter);
	int (*take)(struct exporter *exporter, const struct exported_event *event);
	int (*lost)(struct exporter *exporter, const struct lost_events *lost);
	/* Live: write what is held back, as nothing more has arrived. May be NULL. */
	int (*flush)(struct exporter *exporter);
	/* Live: called every second, for what may wait so long. May be NULL. */
	int (*tick)(struct exporter *exporter);
	/* After the last event, once, also after a failure: write the rest. */
	int (*end)(struct exporter *exporter);
	void (*free)(struct exporter *exporter);
};

/* Options of the command line, for all formats. */
struct export_options {
	const char *output;   /* a path, or "-"; NULL: none is given */
	char *const *inputs;  /* which the output must not be, as of struct outfile */
	const char *endpoint; /* of a receiver; NULL: none is given */
	const char *endpoint_name; /* the option that gives it; NULL: "--endpoint" */
	struct words headers; /* for it: "NAME: VALUE" */
	uint64_t timeout;     /* for an answer, in milliseconds; 0: the usual */
	uint64_t retry_for;   /* seconds, while a receiver takes nothing */
	int drops;	      /* when a receiver is slower than the events; else wait */
	int is_flat;	      /* members of structs are fields "a.b" */
	int is_brief;	      /* leave out what is equal for all events of a kind */
	int is_gzip;	      /* compress requests to a receiver, whatever the variables are */
	int is_live;
	/* Whether a signal asked for the end: then nothing may take long. May be NULL. */
	int (*is_stopped)(void);
};

/* Opens what it writes to. NULL after a message, with *status an exit status. */
typedef struct exporter *exporter_open(const struct export_options *options, int *status);

#endif
