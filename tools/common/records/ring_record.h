/* SPDX-License-Identifier: MIT */
/* Events of a ring as records. */
#ifndef UE__TOOLS_COMMON_RECORDS_RING_RECORD_H
#define UE__TOOLS_COMMON_RECORDS_RING_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include <userevents/capture.h>
#include <userevents/loss.h>
#include <userevents/ring.h>

#include "tracepoint.h"

struct ring_events {
	struct tracepoint **tracepoints; /* by index */
	uint32_t count;
};

/* Valid until the next call that reads the capture. */
struct record ring_record(struct ring_events *events, const struct ue_captured *event);
/* That of an event of a page, by its number there. */
struct record ring_page_record(struct ring_events *events,
			       const struct ue_captured_page *page, uint32_t number);
void ring_events_free(struct ring_events *events);

/*
 * Call apply() for globs of tracepoints in a ring: those that the glob of a person names,
 * and those whose events it may name. "user_events:NAME" is a tracepoint,
 * "PROVIDER:EVENT" an EventHeader event, another glob may be either. 0, or the first
 * other result; -EINVAL: the part after the provider is not a glob.
 */
int ring_globs(const char *glob, int (*apply)(void *context, const char *tracepoints),
	       void *context);
/* The length of such a glob's part in front of its colon; of the whole without one. */
size_t ring_glob_group(const char *glob);

/* Sentences about rings (userevents/ring.h) that more than one command says. */

/* The first follows the name of a program. */
#define MUST_REGISTER "must call ue_open(NULL) and ue_register_all()"
#define IGNORES_VARIABLE \
	"a program that is set-user-id or set-group-id, or has file capabilities, ignores " \
	"that variable"

/* Whether these first bytes begin a ring, of any version. */
int ring_begins(const uint8_t *bytes, size_t length);
/* Whether the path is a file that begins so. */
int ring_is_at(const char *path);
/*
 * Why a ring cannot be opened, read or changed, and the fix: for an error of open(2), or of a
 * function of ring.h or ue_capture_open_ring(). fd: of the ring's file, or -1. Valid until the
 * next call.
 */
const char *ring_reason(int fd, int error);
/* Why a ring has no event, and the fix. */
const char *ring_why_empty(const struct ue_ring_info *info);
/*
 * Counts by enum ue_loss: "3 too large, 2 ring or capture full"; "" if all are 0. The caller
 * frees it.
 */
char *losses_text(const uint64_t *lost);
uint64_t losses_sum(const uint64_t *lost);
/* The name of a reason in JSON: "tooLarge". */
const char *loss_key(enum ue_loss reason);

/* Which size of a ring is for which machine: doc/fleet.md has the table. */

/* How many processors may write at once, each with a page to fill and one that is read. */
uint64_t ring_processors_most(const struct ue_ring_info *info);
/* How many processes may write at a time. */
uint64_t ring_processes_most(const struct ue_ring_info *info);
/*
 * The size, doubled as often as needed, of a ring for so many processors, and one more
 * process than write to it; info->bytes if it fits.
 */
uint64_t ring_bytes_for(const struct ue_ring_info *info, uint64_t processors);
/* The text as --size takes it: "16M". The caller frees it. */
char *ring_bytes_text(uint64_t bytes);
/* "4 processors and 64 processes"; to be freed. */
char *ring_fits_text(const struct ue_ring_info *info);

/* The requests for stacks that a ring has. */

/* The rules about stacks, in their order: 's' or 'n' (ue_ring_rules()), then the glob. */
struct stack_rules {
	char text[UE_RING_RULES_BYTES];
	const char *rules[UE_RING_RULES_BYTES / 2];
	size_t count;
};

/* 0, or an error of ue_ring_rules(). */
int stack_rules_read(struct stack_rules *rules, int fd);
/* Whether a rule asks for stacks that no later one takes back, apart from that of a glob. */
int stack_rules_ask(const struct stack_rules *rules, const char *apart_from);

#endif
