/* SPDX-License-Identifier: MIT */
/* Values of an event in the fields of its class. */
#ifndef UE__TOOLS_EXPORT_CTF_FILL_H
#define UE__TOOLS_EXPORT_CTF_FILL_H

#include "ctf_layout.h"

/*
 * Set the members of a struct. 0, or -1 if the event does not have this layout, or is damaged.
 * payload may be NULL if the layout is empty. size: increased by the bytes that they take in the
 * stream.
 */
int ctf_fill(const struct ctf_layout *layout, struct field_walk *walk, struct event *event,
	     bt_field *payload, struct bytes *scratch, uint64_t *size);

#endif
