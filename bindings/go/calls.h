/* SPDX-License-Identifier: MIT */
/* Calls that Go cannot make as they are. */
#ifndef USEREVENTS_GO_CALLS_H
#define USEREVENTS_GO_CALLS_H

#include <stdint.h>

#include <userevents/bindings.h>
#include <userevents/userevents.h>

/* As ue_open() with the one option. Go may not set a pointer in memory of C that is not zero. */
int calls_open_path(const char *path);
int calls_open_fd(int fd);

/* ue_event_new() and others have the types that Go needs; this reads a member. */
static inline uint32_t *calls_word_of(struct ue_event *event)
{
	return event->word;
}

#endif
