/* SPDX-License-Identifier: MIT */
/*
 * Which activity is a child of which: an event that names a related activity makes its own a
 * child of that, usually its start.
 *
 * A recording chooses the ids. So an activity has the first parent that it names, never itself
 * or one of its descendants, and FAMILY_DEPTH ancestors are followed at most. Ids may be reused:
 * a start after the end, or one that names another parent, begins a new activity, of which the
 * children of the former one are not. Memory is bounded: of FAMILIES_MOST activities, those that
 * ended leave first.
 */
#ifndef UE__TOOLS_COMMON_PAIRS_FAMILIES_H
#define UE__TOOLS_COMMON_PAIRS_FAMILIES_H

#include <stdint.h>

#include "common/cli/key_table.h"
#include "common/events/recorded_event.h"

#define FAMILIES_MOST 131072u
#define FAMILY_DEPTH 16u
#define FAMILY_NONE UINT32_MAX

struct family_member {
	uint8_t id[ACTIVITY_SIZE];
	uint32_t parent;	    /* its place; FAMILY_NONE: it has none */
	uint32_t parent_generation; /* another one is at that place now unless they are equal */
	uint32_t generation;
	int is_ended;
};

/* Zero it before the first use. */
struct families {
	uint64_t forgotten; /* activities that had not ended */
	uint64_t circles, too_deep; /* events of which a parent was not followed */
	/* Own */
	struct family_member *members;
	uint32_t count, hand;
	struct key_table by_id;
};

/* Take an event, before its place is asked for. */
void families_see(struct families *families, const struct event *event);
/* The place of an event's activity, if it has a parent or a child; or FAMILY_NONE. */
uint32_t family_of(const struct families *families, const struct event *event);
/* That of the parent, or FAMILY_NONE. */
uint32_t family_parent(const struct families *families, uint32_t member);
static inline const uint8_t *family_id(const struct families *families, uint32_t member)
{
	return families->members[member].id;
}
/* It changes when the id is reused. FAMILY_NONE: 0. */
uint32_t family_generation(const struct families *families, uint32_t member);
/* Report activities that were not followed. */
void families_report(const struct families *families);
void families_free(struct families *families);

#endif
