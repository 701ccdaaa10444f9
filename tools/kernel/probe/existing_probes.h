/* SPDX-License-Identifier: MIT */
/* The probes that exist, as dynamic_events lists them. */
#ifndef UE__TOOLS_PROBE_EXISTING_PROBES_H
#define UE__TOOLS_PROBE_EXISTING_PROBES_H

#include "common/cli/options.h"
#include "probe.h"

struct existing_probe {
	char kind; /* 'p', 'r', 'e' */
	char *group;
	char *name;
	char *definition; /* the line of dynamic_events; the kernel leaves out filters */
	int is_of_program;
	int has_hits, has_misses; /* the kernel counts them */
	uint64_t hits, misses;
	struct words instances; /* where it is enabled; "" is the top one */
};

struct existing_probes {
	struct existing_probe *probes;
	size_t count;
};

/* Read all of them. directory: of tracefs. 0, or -1 after a message. */
int existing_probes_read(struct existing_probes *probes, const char *directory);
void existing_probes_free(struct existing_probes *probes);

/* NULL: there is none of this name. */
const struct existing_probe *existing_probe_find(const struct existing_probes *probes,
						 const char *group, const char *name);

/* Find out where a probe is enabled. perf does not show there. */
void existing_probe_look(struct existing_probe *probe, const char *directory);

#endif
