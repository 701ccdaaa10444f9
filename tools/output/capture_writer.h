/* SPDX-License-Identifier: MIT */
/* Writing capture files; records/capture_file.h describes them. */
#ifndef UE__TOOLS_OUTPUT_CAPTURE_WRITER_H
#define UE__TOOLS_OUTPUT_CAPTURE_WRITER_H

#include <stddef.h>
#include <stdint.h>

#include <userevents/capture.h>

#include "cli/bytes.h"
#include "out_file.h"

struct capture_writer {
	struct outfile *out;
	uint8_t *is_defined; /* by index */
	uint32_t indexes;
	struct bytes bytes; /* not written yet */
};

/* Write the header. 0, or -1 after a message. */
int capture_writer_begin(struct capture_writer *writer, struct outfile *out);
/* Add an event, which is written later. 0, or -1 after a message. */
int capture_writer_write(struct capture_writer *writer, const struct ue_captured *event);
/* Write what is not written yet. 0, or -1 after a message. */
int capture_writer_flush(struct capture_writer *writer);
void capture_writer_free(struct capture_writer *writer);

#endif
