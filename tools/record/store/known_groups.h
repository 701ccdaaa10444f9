/* SPDX-License-Identifier: MIT */
/* The records that name control groups. */
#ifndef UE__TOOLS_RECORD_STORE_KNOWN_GROUPS_H
#define UE__TOOLS_RECORD_STORE_KNOWN_GROUPS_H

#include "common/cli/memory.h"
#include "read/perf/perf_attrs.h"

struct group_records {
	struct bytes records; /* the bytes of all */
	struct id_map places; /* in them, by the group's id, in units of 8 bytes */
};

struct known_groups {
	struct group_records now, before;
};

/*
 * Take any record of perf; those of other types are ignored, as are those that were taken
 * already, and those beyond 32 MB, since the last turn.
 */
void known_groups_take(struct known_groups *groups, const uint8_t *record);
/*
 * No record says that a group ended. So begin again, and take the records of those that exist:
 * the others are known until this is called once more.
 */
void known_groups_turn(struct known_groups *groups);
/* The path of a group, or NULL; valid until the next call. */
const char *known_groups_find(const struct known_groups *groups, uint64_t id);
/* Add the record of each group. */
void known_groups_write(const struct known_groups *groups, struct bytes *bytes);
void known_groups_free(struct known_groups *groups);

#endif
