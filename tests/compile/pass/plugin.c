/* SPDX-License-Identifier: MIT */
/* A module of its own: ue_register_module() registers its events alone. */
#include <stdio.h>
#include <string.h>

#include <userevents/userevents.h>

#include "shared.h"

UE_EVENT(in_plugin, UE_U32(value));

UE_PROVIDER(of_plugin, "InPlugin");
UE_TRACEPOINT(logged_in_plugin, of_plugin, 255, 0);
UE_EVENTHEADER(logged_in_plugin, log_in_plugin, UE_STRUCT(s, UE_U32(value)));

static void print(const struct ue_event *event, int error, void *context)
{
	(void)error;
	printf("%s%.*s\n", (const char *)context,
	       (int)strcspn(event->definition, " "), event->definition);
}

void report_plugin(void)
{
	ue_register_module_report(1000, print, "plugin ");
	UE_WRITE(1, in_plugin, 1);
	UE_WRITE(1, log_in_plugin, 1);
}
