/* SPDX-License-Identifier: MIT */
#ifndef UE__CONNECT_INIT_TRACEPOINT_H
#define UE__CONNECT_INIT_TRACEPOINT_H

#include <userevents/tracepoint.h>

/*
 * Make the definition of an event that is a tracepoint's, and has none yet. 0, -EINVAL,
 * -ENAMETOOLONG: then it points to a text that names the tracepoint in a message. Under
 * the lock.
 */
int ue__tracepoint_define(struct ue_event *event);

#endif
