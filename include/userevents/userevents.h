/* SPDX-License-Identifier: MIT */
/*
 * libuserevents: trace events through Linux user_events. This header includes all that a
 * program needs to define, register and write events. <userevents/decode.h> reads events
 * and <userevents/capture.h> receives them without the kernel; both are in
 * libuserevents-decode.
 */
#ifndef USEREVENTS_USEREVENTS_H
#define USEREVENTS_USEREVENTS_H

#include <userevents/abi/event_state.h>
#include <userevents/abi/eventheader.h>
#include <userevents/abi/write_calls.h>
#include <userevents/activity.h>
#include <userevents/bindings.h>
#include <userevents/builder.h>
#include <userevents/classic_event.h>
#include <userevents/event.h>
#include <userevents/eventheader_event.h>
#include <userevents/eventheader_fault.h>
#include <userevents/eventheader_fields.h>
#include <userevents/eventheader_name.h>
#include <userevents/features.h>
#include <userevents/fields.h>
#include <userevents/language.h>
#include <userevents/logger.h>
#include <userevents/loss.h>
#include <userevents/printf.h>
#include <userevents/session.h>
#include <userevents/status_set.h>
#include <userevents/tracepoint.h>
#include <userevents/version.h>
#include <userevents/write.h>

#endif
