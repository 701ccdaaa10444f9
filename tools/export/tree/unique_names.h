/* SPDX-License-Identifier: MIT */
/*
 * Names of fields, of which formats with keys may have each only once: the second "a" of an
 * event, or of a struct, is "a#2". In linear time, whatever the names.
 */
#ifndef UE__TOOLS_EXPORT_TREE_UNIQUE_NAMES_H
#define UE__TOOLS_EXPORT_TREE_UNIQUE_NAMES_H

#include "common/cli/key_table.h"
#include "exported_event.h"
#include "field_walk.h"

/* Zero it before the first use. */
struct unique_names {
	struct unique_name *items; /* of this event */
	uint32_t count, room;
	struct key_table table; /* of the items, if there are many */
	uint64_t scopes; /* so far */
	uint64_t open[WALK_DEPTH_MAX + 2]; /* numbers of the open ones */
	uint32_t depth;
	struct bytes made;
};

/* Begin an event. */
void unique_names_begin(struct unique_names *names);
/* A struct begins, whose members' names are apart from those around it; and ends. */
void unique_names_enter(struct unique_names *names);
void unique_names_leave(struct unique_names *names);
/* The name, or one made of it, which is valid until the next call. */
struct clean_text unique_name(struct unique_names *names, struct clean_text name);
/* Append the names so far, which another event is to go on with, after it has begun. */
void unique_names_save(const struct unique_names *names, struct bytes *to);
void unique_names_restore(struct unique_names *names, const void *saved, size_t length);
void unique_names_free(struct unique_names *names);

#endif
