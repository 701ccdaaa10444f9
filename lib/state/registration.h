/* SPDX-License-Identifier: MIT */
/* What is registered on a session, in memory of the library's own. */
#ifndef UE__STATE_REGISTRATION_H
#define UE__STATE_REGISTRATION_H

#include <stddef.h>
#include <stdint.h>

#include <userevents/abi/event_state.h>

#include "describe/definition.h"
#include "process.h"

struct ue__session;

/* What a registration is found by: an address, or the hash of a name. */
enum ue__key {
	UE__BY_EVENT,
	UE__BY_WORD,
	UE__BY_NAME,
};

/* All under the lock. */
struct ue__registration {
	struct ue_event *event;
	uint64_t binding;
	struct ue__registration *next; /* of the session */
	struct ue__registration **at;  /* what points to it there */
	struct ue__session *session;
	uint32_t name; /* its hash */
	struct ue__registration *same[UE__KEYS]; /* next in a bucket */
	struct ue__wanted wanted;
	char definition[]; /* which wanted points to */
};

/* Not registered yet; NULL when there is no memory. To be added, or freed with free(3). */
struct ue__registration *ue__registration_make(struct ue_event *event,
					       const struct ue__definition *definition);
/* To its session and to the table; needs no memory. */
void ue__registration_add(struct ue__registration *registration,
			  struct ue__session *session, uint64_t binding);
/* Take it out again, and free it. */
void ue__registration_drop(struct ue__registration *registration);

/* The first of any session with this key, and the next one; NULL when there is none. */
struct ue__registration *ue__registration_with(enum ue__key key, uintptr_t value);
struct ue__registration *ue__registration_next(const struct ue__registration *registration,
					       enum ue__key key);

/* The same by a name. */
struct ue__registration *ue__registration_named(const char *name, uint32_t length);
struct ue__registration *ue__registration_same_name(const struct ue__registration *one);

/* Does a registered event have this word? */
int ue__word_is_used(const uint32_t *word);

#endif
