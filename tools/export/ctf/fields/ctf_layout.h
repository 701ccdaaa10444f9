/* SPDX-License-Identifier: MIT */
/*
 * The fields that all events of a class have: as many steps as one walk makes through an event
 * whose arrays have one element each.
 */
#ifndef UE__TOOLS_EXPORT_CTF_LAYOUT_H
#define UE__TOOLS_EXPORT_CTF_LAYOUT_H

#include "ctf_type.h"
#include "export/tree/field_walk.h"

struct ctf_step {
	uint8_t kind; /* enum walk_kind */
	/* For WALK_VALUE, and for the elements of WALK_ARRAY_BEGIN: */
	struct ctf_type type;
	/* For WALK_VALUE in the event that the layout was read from: */
	uint8_t encoding;
	uint8_t format;
	uint32_t length;
	uint32_t member;  /* its number in the struct around it */
	uint32_t end;	  /* of WALK_ARRAY_BEGIN: the step that ends it */
	uint32_t name;	  /* where it is in names */
	uint32_t name_length;
};

/* Events with more are text: sink.ctf.fs compares each sequence with all its siblings. */
#define CTF_STEPS_MAX 1024u

struct ctf_layout {
	struct ctf_step *steps;
	uint32_t count;
	struct bytes names; /* of the fields, without attributes */
};

/*
 * That of an event: 0, or -1 if the event is damaged or has too many fields. layout: zeroed by
 * the caller, and freed also after -1.
 */
int ctf_layout_read(struct ctf_layout *layout, struct field_walk *walk, struct event *event);
void ctf_layout_free(struct ctf_layout *layout);

#endif
