/* SPDX-License-Identifier: MIT */
/* A part of among.c: an event with its name, and FIELDS and FLAGS of its own. */
#include <userevents/userevents.h>

UE_EVENT_FLAGS(FLAGS, tick, FIELDS);
