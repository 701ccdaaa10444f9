/* SPDX-License-Identifier: MIT */
/*
 * User events that must not be enabled: those whose fields are larger than any record. The
 * kernel adds sizes without a check, up to Linux 6.12 at least, and while such an event is
 * enabled, a write of it makes the kernel read beyond the record, and panic. So do not
 * help a program to that which may write events, but is not root.
 */
#ifndef UE__TOOLS_TRACEFS_FORMAT_TRUST_H
#define UE__TOOLS_TRACEFS_FORMAT_TRUST_H

#include "event_list.h"

/* Why a user event must not be enabled, to be freed; NULL: it may be. */
char *format_fault(const struct listed_event *event);

/* 0, or -1 after a message. */
int event_check_trust(const struct listed_event *event);

/* The same of a user event by its name. */
int event_check_trust_of(const char *directory, const char *name);

/* The same of an event that was not named, but matched: it is left out. */
int event_leave_out_untrusted(const struct listed_event *event);

#endif
