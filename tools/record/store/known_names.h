/* SPDX-License-Identifier: MIT */
/* Names of threads and control groups, and the records that give them. */
#ifndef UE__TOOLS_RECORD_STORE_KNOWN_NAMES_H
#define UE__TOOLS_RECORD_STORE_KNOWN_NAMES_H

#include <stdint.h>

#include "common/cli/memory.h"
#include "known_groups.h"
#include "thread_names.h"

struct known_names {
	struct thread_names threads;
	struct known_groups groups;
};

/*
 * Take any record of perf; those that name nothing are ignored. time_at: where its time is,
 * in bytes from its end.
 */
void known_names_take(struct known_names *names, const uint8_t *record, size_t time_at);
/* ... and all of several records. */
void known_names_take_all(struct known_names *names, const struct bytes *records,
			  size_t time_at);
/* Records of these names, as an event with this id would write them. */
void known_names_write(const struct known_names *names, uint64_t id, struct bytes *bytes);
void known_names_free(struct known_names *names);

#endif
