/* SPDX-License-Identifier: MIT */
/*
 * libuserevents: trace events through Linux user_events. Includes the rest.
 */
#ifndef USEREVENTS_USEREVENTS_H
#define USEREVENTS_USEREVENTS_H

#include <userevents/activity.h>
#include <userevents/capture.h>
#include <userevents/event.h>
#include <userevents/abi/event_state.h>
#include <userevents/abi/eventheader.h>
#include <userevents/builder.h>
#include <userevents/eventheader_fault.h>
#include <userevents/decode/render.h>
#include <userevents/eventheader_name.h>
#include <userevents/decode/reader.h>
#include <userevents/features.h>
#include <userevents/fields.h>
#include <userevents/language.h>
#include <userevents/eventheader_event.h>
#include <userevents/eventheader_fields.h>
#include <userevents/abi/write_calls.h>
#include <userevents/loss.h>
#include <userevents/abi/process_note.h>
#include <userevents/decode/record.h>
#include <userevents/session.h>
#include <userevents/classic_event.h>
#include <userevents/decode/status.h>
#include <userevents/tracepoint.h>
#include <userevents/write.h>

#endif
