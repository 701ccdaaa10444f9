/* SPDX-License-Identifier: MIT */
/* Makes records in the layout of the kernel's. */
#include "made_record.h"

#include <linux/perf_event.h>

void made_record_add(struct bytes *bytes, uint32_t type, const void *content,
		     size_t length, uint64_t who, uint64_t id)
{
	const uint64_t end[] = { who, 0, 0, id };
	struct perf_event_header header = {
		.type = type,
		.size = (uint16_t)(sizeof(header) + length + sizeof(end)),
	};

	bytes_add(bytes, &header, sizeof(header));
	bytes_add(bytes, content, length);
	bytes_add(bytes, end, sizeof(end));
}
