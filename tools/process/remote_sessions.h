/* SPDX-License-Identifier: MIT */
/* What one copy of the library in another process has: sessions, events, losses. */
#ifndef UE__TOOLS_PROCESS_REMOTE_SESSIONS_H
#define UE__TOOLS_PROCESS_REMOTE_SESSIONS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <userevents/abi/process_note.h>

#include "remote_library.h"

/* More than the library counts; a later one may count more than this one. */
#define REASONS_MAX 16

enum seen_state { SEEN_OFF, SEEN_ON, SEEN_UNKNOWN };

struct seen_event {
	char *name;
	enum seen_state state;
	uint32_t lost[REASONS_MAX];
};

struct seen_session {
	int fd;
	uint32_t abi; /* enum ue_abi */
	uint32_t lost[REASONS_MAX];
	struct seen_event *events; /* by name */
	size_t count;
	size_t gone; /* registrations whose event could not be read */
};

struct sight {
	struct ue_overview overview;
	struct seen_session *sessions; /* by descriptor */
	size_t count;
	size_t event_count;
	int is_cut; /* a list ended early: it changed meanwhile, or is damaged */
};

/*
 * Read them once. 0, or
 *   -EFAULT      the overview cannot be read;
 *   -E2BIG       there is more than a program has, or a list is a circle;
 *   -EPROTO      the overview makes no sense;
 *   -ENOTSUP     the overview is of another version, which is in sight->overview.
 */
int sight_read(pid_t pid, const struct library *library, struct sight *sight);

#endif
