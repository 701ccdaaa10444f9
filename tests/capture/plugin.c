/* SPDX-License-Identifier: MIT */
/* A shared object with the word of an event; the struct is in the program. */
#include <userevents/userevents.h>

#include "plugin.h"

static uint32_t word;

static int start(int fd, struct ue_event *event)
{
	int result = ue_event_init(event, "apart u8 x", 0);

	event->word = &word;
	return result ? result : ue_register(fd, event);
}

__attribute__((visibility("default"))) const struct plugin plugin = { start };
