/* SPDX-License-Identifier: MIT */
/* Contexts of CTF: the properties of events beside their fields. */
#ifndef UE__TOOLS_EXPORT_CTF_CONTEXT_H
#define UE__TOOLS_EXPORT_CTF_CONTEXT_H

#include <babeltrace2/babeltrace.h>

#include "export/tree/exported_event.h"

/* All events have vpid, vtid, procname, cpu_id. */
bt_field_class *ctf_common_context(bt_trace_class *trace);
/* Returns the bytes that it takes in the stream. */
uint64_t ctf_set_common_context(bt_field *context, const struct exported_event *event,
			    struct clean_texts *texts);

/*
 * Properties that an event has, as a set of bits: those whose value is not 0. late: the time is
 * not the packet's.
 */
uint32_t ctf_properties_of(const struct exported_event *event, int late);
/* The context of events that have these; NULL: none. */
bt_field_class *ctf_own_context(bt_trace_class *trace, uint32_t properties);
/* As above. */
uint64_t ctf_set_own_context(bt_field *context, const struct exported_event *event,
			 uint32_t properties);

#endif
