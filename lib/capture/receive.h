/* SPDX-License-Identifier: MIT */
/* The state of a capture, and its packets; see kernel/capture_page.h. */
#ifndef UE__CAPTURE_RECEIVE_H
#define UE__CAPTURE_RECEIVE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <userevents/capture.h>

#include "kernel/capture_page.h"

/* No packet of the library is larger: an index and UE_PAYLOAD_MAX_PERF bytes. */
#define UE__CAPTURE_PACKET_MAX 16384

/*
 * The name of an event that was registered, or that a program has. In a tree of
 * tsearch(3), by name, and in a list.
 */
struct ue__capture_name {
	struct ue__capture_name *next;
	int is_registered;
	char name[];
};

/* A registered event; fields are counted before there is memory for them. */
struct ue__capture_source {
	struct ue_record_layout format;
	struct ue_record_field *fields;
	char *definition;
};

struct ue_capture {
	int reader;
	int writer; /* -1 once closed */
	struct ue__capture_page *page;
	struct ue__capture_source **sources; /* by index */
	uint32_t sources_max;
	uint32_t rules_length;
	char rules[UE__CAPTURE_RULES]; /* those of the page, where others may write */
	struct ue__capture_kept *first_kept, *last_kept;
	struct ue__capture_kept *current; /* of the event that was handed out */
	uint64_t received; /* bytes of all packets so far */
	void *names_tree;
	struct ue__capture_name *first_name, *last_name;
	uint32_t names;
	uint64_t registered, events, malformed;
	char *line;
	size_t line_size;
	uint32_t packet[UE__CAPTURE_PACKET_MAX / sizeof(uint32_t)];
};

/* A packet of an event that is registered. */
struct ue__received {
	const uint32_t *bytes;
	size_t length;
	pid_t pid;
};

/*
 * The value that capture->received will have once everything that waits now is read.
 * Writers refill the room at once, so reading until the socket is empty may never end.
 */
uint64_t ue__capture_now(const struct ue_capture *capture);
#define UE__CAPTURE_LATER UINT64_MAX

/*
 * The next event's packet, valid until the next call: 1, 0 when there is none now or so
 * many bytes were received before, -EPIPE or -ENOMEM. Control packets are
 * consumed here.
 */
int ue__capture_take(struct ue_capture *capture, struct ue__received *packet,
		     uint64_t until);
/*
 * Read all that waits now, so that every registered event is known, and keep it for
 * ue__capture_take(). 0 or -ENOMEM.
 */
int ue__capture_keep_all(struct ue_capture *capture);
/* An event's bit as the rules are now: they may have changed since it was registered. */
void ue__capture_apply_rules(struct ue_capture *capture, uint32_t index);
/* Free all packets and registrations. */
void ue__capture_forget(struct ue_capture *capture);

#endif
