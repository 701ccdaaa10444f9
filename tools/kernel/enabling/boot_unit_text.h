/* SPDX-License-Identifier: MIT */
/* The text of the unit for the next boot. */
#ifndef UE__TOOLS_ENABLING_BOOT_UNIT_TEXT_H
#define UE__TOOLS_ENABLING_BOOT_UNIT_TEXT_H

#include "boot_ways.h"

/* Its first line, by which it is known before it is replaced or removed. */
#define BOOT_UNIT_MARK                                                       \
	"# Written by \"userevents enable --at-boot\", which replaces it; "   \
	"\"userevents disable --at-boot\" removes it."

/* tool: the path of this program. 0, or -1 after a message. */
int boot_unit_compose(struct bytes *to, const struct boot *boot, const char *tool,
		      const struct instance *instance, const struct kept_events *kept,
		      const struct switches *switches);

#endif
