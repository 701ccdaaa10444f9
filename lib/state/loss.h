/* SPDX-License-Identifier: MIT */
/* Counts of lost events. */
#ifndef UE__STATE_LOSS_H
#define UE__STATE_LOSS_H

#include <userevents/loss.h>

/*
 * Count a write that failed, by its -errno, and return that. Between ue__enter() and
 * ue__leave(), as it looks at the session.
 */
int ue__lost(int fd, const struct ue_event *event, int error);

#endif
