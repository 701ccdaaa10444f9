/* SPDX-License-Identifier: MIT */
/* Writing capture files; common/records/capture_file.h describes them. */
#ifndef UE__TOOLS_OUTPUT_CAPTURE_WRITER_H
#define UE__TOOLS_OUTPUT_CAPTURE_WRITER_H

#include <stddef.h>
#include <stdint.h>

#include <userevents/capture.h>

#include "common/cli/key_table.h"
#include "common/cli/memory.h"
#include "common/records/capture_file.h"
#include "out_file.h"

struct written_definition;
struct written_ring;
struct written_thread;

/* Numbers of a file that things have which may end. */
struct written_numbers {
	uint32_t next;
	struct ended_number *ended; /* in the order in which they did */
	size_t first, count;
};

struct capture_writer {
	struct outfile *out; /* NULL: the caller takes the bytes */
	int has_rounds;	     /* the caller ends passes, of several rings */
	uint32_t file;	     /* counts those that were begun */
	uint32_t serial;     /* the next ring's */
	struct written_definition **definitions; /* by index in the file */
	uint32_t definition_count;
	struct key_table by_text; /* of definitions */
	struct written_numbers indexes, rings, places;
	struct written_thread *threads; /* those that wrote lately */
	uint32_t thread_count;
	uint32_t *numbers; /* of the threads of a page */
	uint32_t number_room;
	uint64_t passes;
	uint32_t runs; /* records of events in this pass */
	struct capture_file_lost lost; /* as it was written last */
	struct bytes packed; /* events of a page */
	struct bytes bytes; /* not written yet */
};

/* Begin, and write the header. 0, or -1 after a message. */
int capture_writer_begin(struct capture_writer *writer, struct outfile *out);
/* Begin another file; bytes that were not taken are dropped. */
void capture_writer_restart(struct capture_writer *writer);

/* A ring whose pages are to come. cgroup: of its program, or NULL. */
struct written_ring *capture_writer_add_ring(const char *cgroup);
/* It has no more pages. ring: may be NULL. */
void capture_writer_remove_ring(struct capture_writer *writer, struct written_ring *ring);

/* Add events of a page, which are written later. 0, or -1 after a message. */
int capture_writer_page(struct capture_writer *writer, struct written_ring *ring,
			const struct ue_captured_page *page);
/* Add the counts of events that are missing, if they have changed. */
void capture_writer_losses(struct capture_writer *writer,
			   const struct ue_capture_counts *counts, uint64_t in_programs);
/* End a pass, after which all events that come are later than this. */
void capture_writer_end_pass(struct capture_writer *writer, int64_t until);
/*
 * Write waiting bytes: a pass has ended. 0, or -1 after a message.
 */
int capture_writer_flush(struct capture_writer *writer);
void capture_writer_free(struct capture_writer *writer);

/* Numbers of the things that a capture file names. Inside tools/common/output. */

#define CAPTURE_NAMES_NONE UINT32_MAX

struct written_place {
	uint32_t place;	 /* in the file, or CAPTURE_NAMES_NONE */
	uint32_t number; /* of the page that was written last */
};

struct written_ring {
	char *cgroup;
	uint32_t number; /* in the file, if it has a cgroup */
	uint32_t serial; /* the ring's number among those of the file */
	uint32_t file;	 /* the file of which the rest is; 0: none */
	uint64_t pass;	 /* of its last page */
	struct written_definition **definitions; /* by index in the ring */
	uint32_t definition_room;
	struct written_place *places; /* by place in the ring */
	uint32_t place_room;
};

/* Add a record: its head, which takes the size, then content. */
void capture_add(struct bytes *bytes, void *record, size_t size,
		 const void *content, size_t length);
/* Copy a name to 16 bytes, which are zeros. */
void capture_copy_name(char *to, const char *from);

uint32_t capture_number_take(const struct capture_writer *writer,
			     struct written_numbers *numbers);
/* The thing has ended. */
void capture_number_end(const struct capture_writer *writer,
			struct written_numbers *numbers, uint32_t number);

/* The index in the file of an event's definition, which is written if it is new. */
uint32_t capture_definition_index(struct capture_writer *writer,
				  struct written_ring *ring,
				  const struct ue_page_event *event);
/* A ring that has the definition ends. */
void capture_definition_leave(struct capture_writer *writer,
			      struct written_definition *definition);

/* Forget the numbers of threads of a page that has this many. */
void capture_threads_begin_page(struct capture_writer *writer, uint32_t count);
/* The number in the file of a thread of the page. */
uint32_t capture_thread_number(struct capture_writer *writer,
			       const struct ue_captured_page *page, uint32_t thread);
void capture_threads_forget(struct capture_writer *writer);

void capture_names_begin(struct capture_writer *writer);
/* Another file begins, without names. */
void capture_names_restart(struct capture_writer *writer);
void capture_names_free(struct capture_writer *writer);

#endif
