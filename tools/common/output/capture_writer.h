/* SPDX-License-Identifier: MIT */
/* Writing capture files; common/records/capture_file.h describes them. */
#ifndef UE__TOOLS_OUTPUT_CAPTURE_WRITER_H
#define UE__TOOLS_OUTPUT_CAPTURE_WRITER_H

#include <stddef.h>
#include <stdint.h>

#include <userevents/capture.h>

#include "common/cli/memory.h"
#include "out_file.h"
#include "common/records/capture_file.h"

struct written_place;
struct written_thread;

struct capture_writer {
	struct outfile *out;
	uint8_t *is_defined; /* by index */
	uint32_t indexes;
	struct written_place *places; /* by place in the ring */
	uint32_t place_room, place_count;
	struct written_thread *threads; /* those that wrote lately */
	uint32_t thread_count;
	uint32_t *numbers; /* of the threads of a page */
	uint32_t number_room;
	uint64_t pass; /* that is being written */
	uint32_t runs; /* records of events in it */
	struct capture_file_lost lost; /* as it was written last */
	struct bytes packed; /* events of a page */
	struct bytes bytes; /* not written yet */
};

/* Write the header. 0, or -1 after a message. */
int capture_writer_begin(struct capture_writer *writer, struct outfile *out);
/* Add events of a page, which are written later. 0, or -1 after a message. */
int capture_writer_page(struct capture_writer *writer,
			const struct ue_captured_page *page);
/* Add the counts of events that are missing, if they have changed. */
void capture_writer_losses(struct capture_writer *writer,
			   const struct ue_capture_counts *counts);
/*
 * Write what is not written yet: a pass has ended. 0, or -1 after a message.
 */
int capture_writer_flush(struct capture_writer *writer);
void capture_writer_free(struct capture_writer *writer);

#endif
