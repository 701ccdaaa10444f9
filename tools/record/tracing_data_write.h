/* SPDX-License-Identifier: MIT */
/* The texts of tracefs's format files, laid out as in perf.data. */
#ifndef UE__TOOLS_RECORD_TRACING_DATA_WRITE_H
#define UE__TOOLS_RECORD_TRACING_DATA_WRITE_H

#include <stddef.h>
#include <stdint.h>

#include "tracefs/event_list.h"

/* Bytes that grow. */
struct bytes {
	uint8_t *at;
	size_t length;
	size_t room;
};

void bytes_add(struct bytes *bytes, const void *add, size_t length);
void bytes_add_u16(struct bytes *bytes, uint16_t number);
void bytes_add_u32(struct bytes *bytes, uint32_t number);
void bytes_add_u64(struct bytes *bytes, uint64_t number);
/* With its NUL. */
void bytes_add_text(struct bytes *bytes, const char *text);
void bytes_free(struct bytes *bytes);

/*
 * The description of these events, version "0.6"; the texts of header_page and
 * header_event come from tracefs. 0, or -1 after a message.
 */
int tracing_data_write(struct bytes *bytes, const char *tracefs,
		       const struct listed_event *events, size_t count);

#endif
