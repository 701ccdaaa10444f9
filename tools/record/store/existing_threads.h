/* SPDX-License-Identifier: MIT */
/*
 * The names of threads and control groups that exist already. The kernel records only
 * those that begin, or change their name, later. A recording, and each file of several,
 * begins with these records; their time is 0, before all events.
 */
#ifndef UE__TOOLS_RECORD_STORE_EXISTING_THREADS_H
#define UE__TOOLS_RECORD_STORE_EXISTING_THREADS_H

#include <stdint.h>

#include "common/cli/memory.h"

/* Add a record for each. id: of the dummy (perf_rings.h). */
void existing_threads_add(struct bytes *bytes, uint64_t id);
void existing_cgroups_add(struct bytes *bytes, uint64_t id);

#endif
