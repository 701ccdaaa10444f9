/* SPDX-License-Identifier: MIT */
/* The table of all kinds of triggers. */
#ifndef UE__TOOLS_TRIGGER_TRIGGER_KINDS_H
#define UE__TOOLS_TRIGGER_TRIGGER_KINDS_H

#include "trigger.h"

struct trigger_kind_entry {
	const char *name;
	const char *meaning; /* with a %s for the target, if it has one */
	enum trigger_kind opposite;
};

extern const struct trigger_kind_entry trigger_kinds[TRIGGER_KINDS];

#endif
