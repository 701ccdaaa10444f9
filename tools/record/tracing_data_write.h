/* SPDX-License-Identifier: MIT */
/* Writes the texts of tracefs's format files in the layout of perf.data. */
#ifndef UE__TOOLS_RECORD_TRACING_DATA_WRITE_H
#define UE__TOOLS_RECORD_TRACING_DATA_WRITE_H

#include <stddef.h>
#include <stdint.h>

#include "cli/bytes.h"
#include "tracefs/event_list.h"

/*
 * The description of these events, version "0.6"; the texts of header_page and
 * header_event come from tracefs. 0, or -1 after a message.
 */
int tracing_data_write(struct bytes *bytes, const char *tracefs,
		       const struct listed_event *events, size_t count);

#endif
