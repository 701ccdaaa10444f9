/* SPDX-License-Identifier: MIT */
/* What one copy of the library in another process has: sessions, events, losses. */
#ifndef UE__TOOLS_PROCESS_REMOTE_SESSIONS_H
#define UE__TOOLS_PROCESS_REMOTE_SESSIONS_H

#include <stddef.h>
#include <stdint.h>

#include <userevents/abi/process_note.h>

#include "remote_libraries.h"
#include "remote_memory.h"

/* More than the library counts; a later one may count more than this one. */
#define REASONS_MAX 16

enum seen_state { SEEN_OFF, SEEN_ON, SEEN_UNKNOWN };

struct seen_event {
	uint64_t address;
	char *name; /* NULL: its struct is gone */
	enum seen_state state;
	uint32_t lost[REASONS_MAX];
};

struct seen_session {
	uint64_t address;
	int fd;
	uint32_t abi; /* enum ue_abi */
	uint32_t lost[REASONS_MAX];
	struct seen_event *events; /* by name, those that are gone last */
	size_t count;
};

struct sight {
	struct ue_overview overview;
	struct seen_session *sessions; /* by descriptor */
	size_t count;
};

/*
 * Read until two readings agree. 0, or
 *   -EFAULT      something that is needed is not there;
 *   -ELOOP       a list does not end;
 *   -E2BIG       there is more of it than a program has;
 *   -EPROTO      the overview makes no sense;
 *   -ENOTSUP     the overview is of another version, which is in sight->overview;
 *   -EAGAIN      it goes on changing: what was read last is in sight;
 *   -ENOMEM.
 */
int sight_read(const struct memory *memory, const struct copy *copy, struct sight *sight);
void sight_free(struct sight *sight);

#endif
