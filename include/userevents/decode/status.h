/* SPDX-License-Identifier: MIT */
/*
 * Reading the text of user_events_status, of both kernel generations.
 */
#ifndef USEREVENTS_DECODE_STATUS_H
#define USEREVENTS_DECODE_STATUS_H

#include <stddef.h>
#include <stdint.h>

#include <userevents/abi/event_state.h>
#include <userevents/session.h>

#include <userevents/abi/hide_names.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which tracers have enabled an event. */
enum ue_users {
	UE_USER_FTRACE = 1 << 0,
	UE_USER_PERF = 1 << 1,
	UE_USER_OTHER = 1 << 2,
};

/* A position in the text. Totals are valid once ue_status_next() returned 0. */
struct ue_status {
	size_t size;	  /* of the part that the library set */
	const char *text; /* not NUL-terminated */
	size_t length;
	size_t offset;
	uint32_t abi;	 /* enum ue_abi; 0 while unknown */
	uint32_t active; /* events that exist */
	uint32_t busy;	 /* events that are enabled */
	uint32_t max;	 /* status bits there are, Linux up to 6.3; else 0 */
};

/* One event of the text. */
struct ue_status_entry {
	size_t size;	  /* of the part that the library set */
	const char *name; /* into the text, not NUL-terminated */
	size_t name_length; /* 0: the kernel takes events without a name, too */
	uint32_t users;	     /* UE_USER_* */
	uint32_t status_bit; /* Linux up to 6.3; else 0 */
};

/*
 * Begin to read a text.
 *
 * status: overwritten.
 * text, length: the contents of user_events_status; kept by reference.
 *
 * Any thread, signal handlers too. Since 0.1.
 */
UE__PUBLIC void ue_status_begin_sized(struct ue_status *status, size_t size,
				      const char *text, size_t length);

static inline void ue_status_begin(struct ue_status *status, const char *text,
				   size_t length)
{
	ue_status_begin_sized(status, sizeof(*status), text, length);
}

/*
 * Read the next event.
 *
 * status: from ue_status_begin().
 * entry: overwritten when 1 is returned.
 *
 * Returns 1 with an event, 0 at the end, or -EBADMSG for a line that neither
 * generation writes; the next call goes on after it. Any thread, each with its own
 * struct ue_status; signal handlers too. Since 0.1.
 */
UE__PUBLIC int ue_status_next_sized(struct ue_status *status,
				    struct ue_status_entry *entry, size_t size);

static inline int ue_status_next(struct ue_status *status, struct ue_status_entry *entry)
{
	return ue_status_next_sized(status, entry, sizeof(*entry));
}

#ifdef __cplusplus
}
#endif

#include <userevents/abi/restore_names.h>
#endif
