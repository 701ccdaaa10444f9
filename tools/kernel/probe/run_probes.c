/* SPDX-License-Identifier: MIT */
/* Adds probes for one run of a command, and removes them. */
#include "run_probes.h"

#include <stdlib.h>

#include "common/cli/memory.h"
#include "kernel/control/own_instance.h"
#include "probe_add.h"
#include "kernel/tracefs/tracing_files.h"

int run_probes_begin(struct run_probes *probes, const char *tracefs, struct words *globs)
{
	if (!probes->definitions.count)
		return 0;
	probes->directory = tracing_find(tracefs);
	if (!probes->directory)
		return -1;
	probes->group = own_name("probes");
	if (probes_add(probes->directory, probes->group, &probes->definitions, &probes->names))
		return -1;
	if (!globs->count)
		words_add(globs, "*");
	words_add(globs, xprintf("%s:*", probes->group));
	return 0;
}

int run_probes_end(struct run_probes *probes)
{
	int result = 0;

	for (size_t i = 0; i < probes->names.count; i++)
		result |= probe_remove(probes->directory, probes->group,
				       probes->names.items[i]);
	free(probes->group);
	probes->group = NULL;
	probes->names.count = 0;
	return result;
}
