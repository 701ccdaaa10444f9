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
	struct outfile out;
	uint8_t *is_defined; /* by index */
	uint32_t indexes;
	struct bytes bytes; /* of the event being written */
};

/* Open, and keep the old content. 0, or -1 after a message. */
int capture_writer_open(struct capture_writer *writer, const char *path);
/* Empty it and write the header. 0, or -1 after a message. */
int capture_writer_begin(struct capture_writer *writer);
/* 0, or -1 after a message. */
int capture_writer_write(struct capture_writer *writer, const struct ue_captured *event,
			 int64_t time);
/* 0, or -1 after a message. */
int capture_writer_close(struct capture_writer *writer);

#endif
