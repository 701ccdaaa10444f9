/* SPDX-License-Identifier: MIT */
/* Rings (userevents/ring.h) as a source: no kernel and no rights are needed. */
#ifndef UE__TOOLS_COLLECT_RING_SOURCE_H
#define UE__TOOLS_COLLECT_RING_SOURCE_H

#include "collector.h"
#include "door/ring_door.h"
#include "recording/ring_recording.h"

/*
 * Pass the events of all rings whose path matches one of the patterns (glob(7)), and of those
 * that programs get at the door, which may be NULL, until a signal. Rings that appear later are
 * taken up; one that was removed is left when it is empty. Events are taken out of rings that
 * do not overwrite. Returns an exit status. recording: or NULL; it is ended.
 */
int ring_source_read(struct collector *collector, const struct words *patterns,
		     struct ring_door *door, struct ring_recording *recording);

#endif
