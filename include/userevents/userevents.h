/* SPDX-License-Identifier: MIT */
/*
 * libuserevents: trace events through Linux user_events. This header has what a file
 * with events needs: define, register and write them, and count what was lost. Other
 * headers have the rest, each for itself; userevents(7) lists them.
 */
#ifndef USEREVENTS_USEREVENTS_H
#define USEREVENTS_USEREVENTS_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Each header below would compare all names with macros of the program; this does it once. */
#include <userevents/abi/hide_names.h>
#define UE__NAMES_OF_ALL

#include <userevents/abi/event_state.h>
#include <userevents/abi/eventheader.h>
#include <userevents/abi/write_calls.h>
#include <userevents/activity.h>
#include <userevents/classic_event.h>
#include <userevents/event.h>
#include <userevents/eventheader_event.h>
#include <userevents/eventheader_fields.h>
#include <userevents/fields.h>
#include <userevents/language.h>
#include <userevents/loss.h>
#include <userevents/session.h>
#include <userevents/tracepoint.h>
#include <userevents/version.h>
#include <userevents/write.h>

#undef UE__NAMES_OF_ALL
#include <userevents/abi/restore_names.h>

#endif
