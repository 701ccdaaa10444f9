/* SPDX-License-Identifier: MIT */
/* Fields of the event that an eprobe is attached to. */
#ifndef UE__TOOLS_PROBE_ATTACHED_EVENT_H
#define UE__TOOLS_PROBE_ATTACHED_EVENT_H

#include "probe.h"

enum attached_field {
	FIELD_NONE, /* there is no such field */
	FIELD_NUMBER,
	FIELD_TEXT,
	FIELD_TEXT_RELATIVE, /* __rel_loc, which the kernel reads from a wrong place */
	FIELD_OTHER, /* an array or a struct, which the kernel takes for a number */
};

/* format: the text of the event's format file. */
enum attached_field attached_field(const char *format, struct part name);
/* A name of a field that may have been meant; NULL: none. To be freed. */
char *attached_field_meant(const char *format, const char *name);

#endif
