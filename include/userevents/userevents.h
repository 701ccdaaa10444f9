/* SPDX-License-Identifier: MIT */
/*
 * libuserevents: trace events through Linux user_events. This header has what a file
 * with events needs: define, register and write them, and count what was lost. Other
 * headers have the rest, each for itself; userevents(7) lists them.
 */
#ifndef USEREVENTS_USEREVENTS_H
#define USEREVENTS_USEREVENTS_H

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

#endif
