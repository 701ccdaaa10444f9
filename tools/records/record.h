/* SPDX-License-Identifier: MIT */
/* An event as it was recorded. */
#ifndef UE__TOOLS_RECORDS_RECORD_H
#define UE__TOOLS_RECORDS_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include <userevents/decode/render.h>

#include "tracepoint.h"

struct record {
	struct tracepoint *tracepoint;
	const uint8_t *bytes; /* from common_type on, unless the tracepoint is bare */
	size_t length;
	struct ue_sample sample;
};

#endif
