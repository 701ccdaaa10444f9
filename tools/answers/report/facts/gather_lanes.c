/* SPDX-License-Identifier: MIT */
/* Finds the lane of an event: that of its thread. */
#include <string.h>

#include "facts.h"

#define TABLE_SIZE (LANES_GATHERED * 4u)

static int is_of(const struct lane *lane, const struct ue_sample *sample)
{
	return lane->has_pid == !!(sample->present & UE_META_PID) &&
	       lane->has_tid == !!(sample->present & UE_META_TID) &&
	       (!lane->has_pid || lane->pid == sample->pid) &&
	       (!lane->has_tid || lane->tid == sample->tid);
}

static struct lane *rest_of(struct facts *facts)
{
	struct lane *lane = &facts->lanes[LANES_GATHERED];

	lane->number = LANES_GATHERED;
	lane->is_rest = 1;
	return lane;
}

static struct lane *add(struct facts *facts, const struct ue_sample *sample, uint32_t slot)
{
	struct lane *lane;

	if (facts->lane_count == LANES_GATHERED)
		return rest_of(facts);
	lane = &facts->lanes[facts->lane_count];
	lane->number = facts->lane_count++;
	lane->has_pid = !!(sample->present & UE_META_PID);
	lane->has_tid = !!(sample->present & UE_META_TID);
	lane->pid = lane->has_pid ? sample->pid : 0;
	lane->tid = lane->has_tid ? sample->tid : 0;
	facts->lane_table[slot] = facts->lane_count;
	return lane;
}

static struct lane *look_up(struct facts *facts, const struct ue_sample *sample)
{
	uint32_t slot = (sample->pid * 2654435761u + sample->tid * 40503u) % TABLE_SIZE;
	uint32_t number;

	for (; (number = facts->lane_table[slot]); slot = (slot + 1) % TABLE_SIZE)
		if (is_of(&facts->lanes[number - 1], sample))
			return &facts->lanes[number - 1];
	return add(facts, sample, slot);
}

/* A thread may change its name; the last one is shown. */
static void set_comm(struct lane *lane, const char *comm)
{
	const size_t length = strnlen(comm, sizeof(lane->comm) - 1);

	memcpy(lane->comm, comm, length);
	lane->comm[length] = '\0';
}

struct lane *lane_find(struct facts *facts, const struct ue_sample *sample)
{
	struct lane *lane = &facts->lanes[facts->last_lane];

	if (!facts->lane_count || !is_of(lane, sample))
		lane = look_up(facts, sample);
	if (!lane->is_rest) {
		facts->last_lane = lane->number;
		if (sample->present & UE_META_COMM && sample->comm)
			set_comm(lane, sample->comm);
	}
	return lane;
}
