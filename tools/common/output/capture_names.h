/* SPDX-License-Identifier: MIT */
/* Numbers of the things that a capture file names. Inside tools/common/output. */
#ifndef UE__TOOLS_COMMON_OUTPUT_CAPTURE_NAMES_H
#define UE__TOOLS_COMMON_OUTPUT_CAPTURE_NAMES_H

#include "capture_writer.h"

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
