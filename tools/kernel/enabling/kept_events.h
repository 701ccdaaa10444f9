/* SPDX-License-Identifier: MIT */
/* User events that are registered to be switched on before their program runs. */
#ifndef UE__TOOLS_ENABLING_KEPT_EVENTS_H
#define UE__TOOLS_ENABLING_KEPT_EVENTS_H

#include "common/cli/options.h"

struct kept_events {
	const char *tracefs;
	struct words definitions;
	struct words names;
	struct words created; /* names of those that did not exist */
	struct words fleeting; /* those that the kernel keeps only while they are on */
	int fd;		      /* keeps them until they are switched on; -1: none */
};

/* Take and check the definitions. 0, or an exit status after a message. */
int kept_events_check(struct kept_events *kept, const struct words *definitions);
/*
 * Register them, to stay where the kernel has that (Linux 6.7, and up to 6.3). 0, or -1
 * after a message, when those that were created are deleted again.
 */
int kept_events_register(struct kept_events *kept, const char *tracefs);
/* Let go of them: those that stay, or are on, remain. */
void kept_events_close(struct kept_events *kept);
/* The same, and delete those that were created. */
void kept_events_take_back(struct kept_events *kept);
/* Report those that go away when they are switched off. */
void kept_events_report(const struct kept_events *kept);

#endif
