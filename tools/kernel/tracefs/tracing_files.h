/* SPDX-License-Identifier: MIT */
/* Finding tracefs, and reading its files. */
#ifndef UE__TOOLS_KERNEL_TRACEFS_TRACING_FILES_H
#define UE__TOOLS_KERNEL_TRACEFS_TRACING_FILES_H

#include <stddef.h>
#include <userevents/event.h>
#include <userevents/session.h>

#include "event_list.h"

/* The option of every command that reads tracefs. */
#define TRACEFS_OPTION(variable)                                                    \
	{ .name = "tracefs", .text = &(variable), .value = "DIR", .is_path = 1,     \
	  .help = "Use this directory instead of the mounted tracefs." }

/*
 * Find tracefs in a table of mounts: the first mount, with /sys/kernel/tracing before
 * others. Both texts begin as NULL, and stay so if there is none. 0, or -errno if the
 * table cannot be read.
 */
int tracing_mount(const char *mounts, char **directory, char **options);

/*
 * The directory of tracefs: the one given, or that of tracing_mount(). NULL after a
 * message.
 */
const char *tracing_find(const char *given);

/*
 * Whether the symbols of this kernel show that it has no user_events; if so, after a
 * message. Other advice, such as to mount tracefs, would not help. directory: of tracefs,
 * or NULL if none is mounted.
 */
int tracing_lacks_user_events(const char *directory);

/* DIR/NAME, to be freed. */
char *tracing_path(const char *directory, const char *name);

/* read_file(), with a message after a failure. */
char *tracing_read(const char *path, size_t *length);

/* The session of commands that register, write or delete. */

/* Options for ue_open(): DIR/user_events_data, or the usual when directory is NULL. */
struct ue_open_opts session_opts(const char *directory);

/* A descriptor, or -1 after a message. */
int session_open(const char *directory);

/* Register an event until the session closes; NULL after a message. */
struct ue_event *session_register(int fd, const char *definition, uint32_t flags);

/*
 * User events that must not be enabled: those whose fields are larger than any record. The
 * kernel adds sizes without a check, up to Linux 6.12 at least, and while such an event is
 * enabled, a write of it makes the kernel read beyond the record, and panic. So do not
 * help a program to that which may write events, but is not root.
 */

/* Why a user event must not be enabled, to be freed; NULL: it may be. */
char *format_fault(const struct listed_event *event);

/* 0, or -1 after a message. */
int event_check_trust(const struct listed_event *event);

/* The same of a user event by its name. */
int event_check_trust_of(const char *directory, const char *name);

/* The same of an event that was not named, but matched: it is left out. */
int event_leave_out_untrusted(const struct listed_event *event);

#endif
