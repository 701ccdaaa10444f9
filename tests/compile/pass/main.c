/* SPDX-License-Identifier: MIT */
/*
 * Linked with shared.c, plugin.c and cpp.cpp in every way. Prints the names of the events
 * of its module, which link.sh compares.
 */
#include <stdio.h>
#include <string.h>

#include "logged.h"
#include "shared.h"

UE_EVENT(in_main, UE_U32(value));
UE_EVENT(never_written, UE_STRING(text));
UE_EVENT_DEFINE(shared);

UE_TRACEPOINT_DEFINE(logged);
UE_PROVIDER(in_main, "InMain");
UE_TRACEPOINT(logged_in_main, in_main, 1, 0);
UE_EVENTHEADER(logged_in_main, never_logged, UE_UUID(id), UE_NULLABLE(UE_TIME64(when)));

static void print(const struct ue_event *event, int error, void *context)
{
	(void)error;
	printf("%s%.*s\n", (const char *)context,
	       (int)strcspn(event->definition, " "), event->definition);
}

/* No session: every event fails and is reported. */
int main(void)
{
	int result = ue_register_module_report(1000, print, "main ");

	ue_register_all_report(1000, print, "all ");
	result |= UE_WRITE(1, in_main, 1) | UE_WRITE(1, shared, 2, "x");
	result |= UE_WRITE_EVENTHEADER(1, logged_in_main, "in place", UE_STRING(text, "x"),
			 UE_NAMED("a number", UE_TAGGED(1, UE_HEX16(number, 1))));
	result |= log_shared_inline(1, 6);
	result |= write_shared(1) | write_from_cpp(1);
	report_plugin();
	return result ? 0 : 1;
}
