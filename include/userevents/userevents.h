/* SPDX-License-Identifier: MIT */
/*
 * libuserevents: trace events through Linux user_events. Includes the rest.
 */
#ifndef USEREVENTS_USEREVENTS_H
#define USEREVENTS_USEREVENTS_H

#include <userevents/activity.h>
#include <userevents/capture.h>
#include <userevents/event.h>
#include <userevents/event_state.h>
#include <userevents/eventheader.h>
#include <userevents/eventheader_builder.h>
#include <userevents/eventheader_fault.h>
#include <userevents/eventheader_format.h>
#include <userevents/eventheader_name.h>
#include <userevents/eventheader_reader.h>
#include <userevents/features.h>
#include <userevents/fields.h>
#include <userevents/language.h>
#include <userevents/log_event.h>
#include <userevents/log_fields.h>
#include <userevents/log_put.h>
#include <userevents/loss.h>
#include <userevents/overview.h>
#include <userevents/record_format.h>
#include <userevents/session.h>
#include <userevents/static_event.h>
#include <userevents/status.h>
#include <userevents/tracepoint.h>
#include <userevents/write.h>

#endif
