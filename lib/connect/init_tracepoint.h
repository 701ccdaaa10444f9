/* SPDX-License-Identifier: MIT */
#ifndef UE__CONNECT_INIT_TRACEPOINT_H
#define UE__CONNECT_INIT_TRACEPOINT_H

#include <userevents/tracepoint.h>

/*
 * Make the definition of a tracepoint's event that is not registered. 0, -EINVAL,
 * -ENAMETOOLONG: then the definition is a text that names the tracepoint in a message.
 * Under the lock.
 */
int ue__tracepoint_define(struct ue_event *event);

#endif
