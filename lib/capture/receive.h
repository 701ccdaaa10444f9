/* SPDX-License-Identifier: MIT */
/* The state of a capture: its ring (ring/layout.h) and its socket (kernel/capture_socket.h). */
#ifndef UE__CAPTURE_RECEIVE_H
#define UE__CAPTURE_RECEIVE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <userevents/capture.h>

#include "ring/read/ring_reader.h"

/* An event that was registered, or that a program has: in a tree and a list. */
struct ue__capture_listed {
	struct ue__capture_listed *next;
	int is_registered;
	char definition[];
};

/* A registered event; fields are counted before there is memory for them. */
struct ue__capture_source {
	struct ue_record_layout format;
	struct ue_record_field *fields;
	char *definition; /* NULL: the ring's text is not a definition */
};

struct ue_capture {
	/* -1, all of them, for a ring without a socket. */
	int socket; /* the reader's end */
	int writer; /* -1 once closed, too */
	int poll_fd; /* of epoll(7): the socket, and the timer */
	int timer;
	pid_t owner; /* a forked child that closes its copy must not disable the events */
	int is_over; /* no process has the other end of the socket any more */
	struct ue__ring_event event; /* that was taken last */
	int is_kept; /* it is to be taken again */
	struct ue_captured_page page; /* that was taken last */
	int is_page_kept;
	uint32_t pages; /* taken */
	struct ue__capture_source **sources; /* by index */
	uint32_t sources_max;
	uint32_t known; /* every index below this has a source */
	uint32_t looked_at; /* definitions that the ring had when they were read last */
	void *listed_tree;
	void *registered_tree; /* those of the list that were registered, by name */
	struct ue__capture_listed *first_listed, *last_listed;
	uint32_t listed;
	uint64_t registered, events, malformed;
	char *line;
	size_t line_size;
	struct ue__ring_reader ring; /* the last, as it ends in a record of any size */
};

/* definitions.c */

/* The source of an index: 1; 0: it has no valid definition; or -ENOMEM. */
int ue__capture_find_source(struct ue_capture *capture, uint32_t index,
			    struct ue__capture_source **source);
/* Read all definitions that the ring has by now. 0 or -ENOMEM. */
int ue__capture_read_definitions(struct ue_capture *capture);
/* A process has an event. Without memory for its definition, it is not reported. */
void ue__capture_note(struct ue_capture *capture, const char *definition, size_t length,
		      int is_registered);
/* The definition of an event that was registered, by its name, or NULL. */
const char *ue__capture_registered(const struct ue_capture *capture, const char *name);
void ue__capture_forget(struct ue_capture *capture);

/* receive.c */

/* Every event; else those whose time, by the ring's clock, is not later. */
#define UE__CAPTURE_LATER UINT64_MAX

/*
 * The next event, in capture->event, valid until the next call: 1, 0 when there is none now,
 * or none that is early enough, -EPIPE or -ENOMEM; -EAGAIN after many records that are
 * malformed and were passed over: there may be more.
 */
int ue__capture_take(struct ue_capture *capture, uint64_t until,
		     struct ue__capture_source **source);
/* The next page, in capture->page; the result as of ue__capture_take(). */
int ue__capture_take_page(struct ue_capture *capture);
/*
 * Let the next write make the poll descriptor readable. 0, or -EAGAIN if there is
 * something to read already.
 */
int ue__capture_fall_asleep(struct ue_capture *capture);

#endif
