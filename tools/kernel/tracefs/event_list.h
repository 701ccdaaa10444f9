/* SPDX-License-Identifier: MIT */
/*
 * Tracepoints of this machine that match globs. tracefs does not report new ones, so
 * commands that wait for them look again and again.
 */
#ifndef UE__TOOLS_TRACEFS_EVENT_LIST_H
#define UE__TOOLS_TRACEFS_EVENT_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "common/cli/options.h"

#define SYSTEM "user_events"
/* ... of events with UE_EVENT_MULTI_FORMAT, whose names end with ".7f" there. */
#define SYSTEM_MULTI "user_events_multi"

struct listed_event {
	char *system;
	char *name;
	char *format; /* the text of its format file */
	size_t format_length;
	uint32_t id;
	int is_there; /* at the last look */
	int is_done;  /* take() took it, or is not called for it again */
	int refusals;
};

struct event_list {
	const char *directory;	   /* of tracefs */
	const struct words *globs; /* none: all user events */
	struct listed_event *events;
	size_t count;
	size_t known; /* of them: before this look */
	size_t hint;  /* the place of the event that was found last */
	struct words unmatched;	   /* the caller sets it to the globs */
	size_t left_out; /* events that take() refused, or that must not be enabled */
	int is_later;	 /* not the first look */
	int is_cut; /* this one, for want of descriptors or memory: what it missed may exist */
	int has_tracepoints_only; /* PROVIDER:EVENT takes no EventHeader tracepoints */
	int has_user_events_only; /* of other systems none, and none for PROVIDER:EVENT */
	/*
	 * A glob that no tracepoint's name matches may name EventHeader events: take all
	 * tracepoints that may have such events. The caller filters the events.
	 */
	int takes_events;
};

/*
 * Look, and call take, unless it is NULL, for each new event. take enables it, so it is not
 * called for one that format_trust.h rejects. take returns 0; or an
 * errno, and is called again at the next looks, as the event may have just gone; or less
 * than 0, which ends the look. Returns that, or -1 after a message. A later look that lacks
 * descriptors or memory does not fail; the next one finds what it missed.
 */
int event_list_look(struct event_list *list,
		    int (*take)(void *context, const struct listed_event *event),
		    void *context);
void event_list_free(struct event_list *list);

#endif
