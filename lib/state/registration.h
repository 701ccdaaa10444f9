/* SPDX-License-Identifier: MIT */
/* The registrations of a session, in the library's own memory. */
#ifndef UE__STATE_REGISTRATION_H
#define UE__STATE_REGISTRATION_H

#include <stddef.h>
#include <stdint.h>

#include <userevents/abi/event_state.h>
#include <userevents/loss.h>

#include "describe/definition.h"
#include "process.h"

struct ue__session;

/* A registration is found by an address, or by the hash of its name. */
enum ue__key {
	UE__BY_EVENT,
	UE__BY_WORD,
	UE__BY_NAME,
};

/* The reach of the call that registered an event. */
enum ue__reach {
	UE__THE_EVENT,
	UE__ITS_MODULE,
	UE__THE_PROCESS,
};

/* The kernel's answer about an event's name. */
enum ue__told {
	UE__TOLD_NOTHING,
	UE__TOLD_OFF,
	UE__TOLD_LISTENED,
};

/*
 * The lock protects all members but lost. They begin as struct ue_noted_event
 * (abi/process_note.h), so that tools can read them.
 */
struct ue__registration {
	struct ue__registration *next; /* of the session */
	struct ue__session *session;
	struct ue__wanted wanted; /* with a definition of its own */
	uint32_t lost[UE_LOSS_REASONS];
	struct ue_event *event;
	uint64_t binding;
	enum ue__reach reach;
	int is_always; /* enabled, in the child of a fork: the kernel has no such word */
	enum ue__told told; /* there, by the kernel */
	struct ue__registration **at; /* points to it, in the list of the session */
	uint32_t name;		      /* its hash */
	struct ue__registration *same[UE__KEYS]; /* next in a bucket */
};

/* The caller adds or frees it. NULL without memory. */
struct ue__registration *ue__registration_make(struct ue_event *event,
					       const struct ue__definition *definition);
void ue__registration_free(struct ue__registration *registration);
/* Add it to its session and to the table; needs no memory. */
void ue__registration_add(struct ue__registration *registration,
			  struct ue__session *session, uint64_t binding);
/* Remove it from both, and free it. */
void ue__registration_drop(struct ue__registration *registration);

/* The registration of an event, or NULL. Also without the lock. */
static inline struct ue__registration *ue__registration_of(const struct ue_event *event)
{
	return __atomic_load_n(&event->ue__registration, __ATOMIC_ACQUIRE);
}

/* The first of any session with this key, and the next one; NULL when there is none. */
struct ue__registration *ue__registration_with(enum ue__key key, uintptr_t value);
struct ue__registration *ue__registration_next(const struct ue__registration *registration,
					       enum ue__key key);

/* The first with this name, and the next with the name of this one. */
struct ue__registration *ue__registration_named(const char *name, uint32_t length);
struct ue__registration *ue__registration_same_name(const struct ue__registration *one);

/* Returns 1 if a registered event has this word. */
int ue__word_is_used(const uint32_t *word);

#endif
