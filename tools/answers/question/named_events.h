/* SPDX-License-Identifier: MIT */
/* Events that a question names by a glob. */
#ifndef UE__TOOLS_QUESTION_NAMED_EVENTS_H
#define UE__TOOLS_QUESTION_NAMED_EVENTS_H

#include "common/cli/options.h"
#include "common/events/event_kinds.h"

struct named_events {
	struct words globs; /* one, as event_kind_matches() takes it */
	uint64_t found;
	int8_t *matches; /* by number of a kind: 0 not checked yet, 1 yes, -1 no */
	uint32_t kinds;
};

void named_events_begin(struct named_events *named, const char *glob);
/* Whether an event of this kind is meant; counts those that are. */
int named_events_has(struct named_events *named, const struct event_kind *kind);
/* If there was none: 1 after a message, with the nearest name that was there; otherwise 0. */
int named_events_report(const struct named_events *named, const struct event_kinds *kinds);
void named_events_free(struct named_events *named);

#endif
