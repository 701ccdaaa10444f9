/* SPDX-License-Identifier: MIT */
/* A record as an event, whatever its source and encoding. */
#ifndef UE__TOOLS_COMMON_EVENTS_RECORDED_EVENT_H
#define UE__TOOLS_COMMON_EVENTS_RECORDED_EVENT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <userevents/decode/reader.h>

#include "common/cli/key_table.h"
#include "common/cli/options.h"
#include "common/records/tracepoint.h"

struct ue_captured;

struct event {
	const struct record *record; /* time, process and so on are in its sample */
	const struct event_kind *kind;
	const uint8_t *bytes; /* without common fields */
	size_t length;
	/* Set for an EventHeader event that can be read; otherwise NULL. */
	const struct ue_event_info *info;
	/*
	 * The reader of such an event may be at any place: call ue_reader_rewind() first.
	 */
	struct ue_reader reader;
	/* The same event as the library captured it; NULL if it is of a recording. */
	const struct ue_captured *captured;
};

/*
 * Begin with a record; everything stays valid as long as that does. kinds: where its kind is
 * looked up, or added.
 */
void event_read(struct event *event, const struct record *record,
		 struct event_kinds *kinds);

/* The ids of activities */

#define ACTIVITY_SIZE 16

/* All zeros is none, as is NULL. */
static inline int activity_is_set(const uint8_t *id)
{
	static const uint8_t none[ACTIVITY_SIZE];

	return id && memcmp(id, none, ACTIVITY_SIZE);
}

/*
 * Kinds of events: events of one name, whatever file, process or version of a definition
 * they come from. An EventHeader tracepoint has a kind for each event name in it.
 */

struct event_kind {
	uint32_t number;    /* 0, 1, 2, ... in the order in which they appear */
	/*
	 * The same of events, as answers count them: those of one name, and one provider or system.
	 * A provider has a tracepoint for each level and keyword, so that these are kinds of one event.
	 */
	uint32_t event;
	int is_eventheader;
	const char *group;  /* the provider, or the system of another tracepoint */
	const char *name;   /* of the event, without attributes */
	const char *system; /* of the tracepoint */
	const char *tracepoint;
	const char *shown;  /* "GROUP:NAME", harmless on a terminal */
};

/*
 * Programs may use any number of names, of any length. Those beyond so many, or so many bytes,
 * share a kind with the name "(others)" of the group "".
 */
#define EVENT_KINDS_MAX 65536u
#define EVENT_KIND_BYTES_MAX (16u << 20)

struct event_kinds {
	struct event_kind **items; /* by number */
	uint32_t count;
	struct key_table by_name;
	struct key_table by_event; /* the first kind of each */
	uint32_t events;
	size_t bytes; /* of names */
	struct event_kind *others; /* NULL: none yet */
};

/* The kind with this name, which is new or was found before; never moves. */
struct event_kind *event_kind_find(struct event_kinds *kinds, const char *system,
				   const char *tracepoint, const char *group,
				   size_t group_length, const char *name, size_t name_length,
				   int is_eventheader);
/*
 * Whether its name matches one of the globs (common/records/tracepoint.h): NAME or
 * SYSTEM:NAME of the tracepoint, EVENT or PROVIDER:EVENT. Without globs it does, and so
 * do the others, whose names are not kept: an event too many is better than one that is
 * missing.
 */
int event_kind_matches(const struct event_kind *kind, const struct words *globs);
/* The name that differs least from a glob, with or without its group; NULL: none is near. */
const char *event_kinds_nearest(const struct event_kinds *kinds, const char *glob);
void event_kinds_free(struct event_kinds *kinds);

#endif
