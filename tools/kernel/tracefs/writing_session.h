/* SPDX-License-Identifier: MIT */
/* The session of commands that register, write or delete. */
#ifndef UE__TOOLS_TRACEFS_WRITING_SESSION_H
#define UE__TOOLS_TRACEFS_WRITING_SESSION_H

#include <userevents/event.h>
#include <userevents/session.h>

/* Options for ue_open(): DIR/user_events_data, or the usual when directory is NULL. */
struct ue_open_opts session_opts(const char *directory);

/* A descriptor, or -1 after a message. */
int session_open(const char *directory);

/* Register an event until the session closes; NULL after a message. */
struct ue_event *session_register(int fd, const char *definition, uint32_t flags);

#endif
