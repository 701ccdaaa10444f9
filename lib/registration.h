/* SPDX-License-Identifier: MIT */
/* What is registered on a session, in memory of the library's own. */
#ifndef UE__REGISTRATION_H
#define UE__REGISTRATION_H

#include <stddef.h>
#include <stdint.h>

#include <userevents/event_state.h>

/*
 * A struct on a stack may be gone, or be something else, when it is looked at next; what
 * the kernel must be told does not depend on it. All under the lock.
 */
struct ue__registration {
	struct ue_event *event;
	uint32_t *word;
	uint64_t binding;
	struct ue__registration *next;
	uint32_t name; /* ue__name_hash() */
};

/*
 * Of a definition's name. Most events differ in it, and need not be looked at; to do that
 * takes a system call, for each pair of events.
 */
uint32_t ue__name_hash(const char *definition);

/* Can these four bytes, aligned, be read and written? */
int ue__is_writable(const void *address);

/* Is the struct there still, as it was registered? */
int ue__is_there(const struct ue__registration *registration);

/* Take it out of its list, and free it. */
void ue__registration_drop(struct ue__registration **list,
			   struct ue__registration *registration);

#endif
