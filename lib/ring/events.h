/* SPDX-License-Identifier: MIT */
/* The events of a ring: their definitions, and which of them are enabled. */
#ifndef UE__RING_EVENTS_H
#define UE__RING_EVENTS_H

#include "layout.h"

/*
 * The index of a definition, of name_length bytes of name and more: that of an equal one if
 * there is one, else a new one. -EMFILE: the ring has no room for another. Any process, at
 * the same time.
 */
int64_t ue__ring_define(const struct ue__ring_memory *memory, const char *definition,
			uint32_t name_length, uint32_t flags);

/* A definition as it was found in shared memory: copied, with a NUL. */
#define UE__RING_DEFINITION 512u

struct ue__ring_definition {
	uint32_t flags; /* UE_EVENT_* */
	uint32_t length;
	char text[UE__RING_DEFINITION];
};

/* 0, or -ENOENT: the index has no definition, or its text is not one. */
int ue__ring_definition(const struct ue__ring_memory *memory, uint32_t index,
			struct ue__ring_definition *definition);

/* Registered events: indexes are less than this. */
uint32_t ue__ring_events(const struct ue__ring_memory *memory);

/*
 * The code that processes have mapped, as they describe it (write/stack.h). Who asks for stacks
 * defines it, as a write may not. number: counts from 0 each time that a process does.
 */
#define UE__MAPPING_NAME "ue_mapping"
#define UE__MAPPING_EVENT \
	UE__MAPPING_NAME " u32 number; u64 begin; u64 end; u64 offset; u64 inode; char[200] path"

/* Does the event with this index describe code? */
static inline int ue__ring_describes(const struct ue__ring_memory *memory, uint32_t index)
{
	const uint32_t *known = &memory->ring->describes_code;

	return __atomic_load_n(known, __ATOMIC_RELAXED) == index + 1;
}

/* A reader begins that may not have the descriptions of code so far. */
static inline void ue__ring_ask_for_code(const struct ue__ring_memory *memory)
{
	__atomic_fetch_add(&memory->ring->asked, 1, __ATOMIC_RELEASE);
}

/* Is the stack of an event wanted? */
static inline int ue__ring_wants_stack(const struct ue__ring_memory *memory, uint32_t index)
{
	return index < memory->event_count &&
	       __atomic_load_n(&memory->stacks[index / 8], __ATOMIC_RELAXED) >> index % 8 & 1;
}

/* Set the most frames of a stack; before a rule that asks for stacks. */
static inline void ue__ring_set_frames(const struct ue__ring_memory *memory, uint32_t frames)
{
	__atomic_store_n(&memory->ring->frames, frames, __ATOMIC_RELAXED);
}

/* Copy the rules (rules.h), as many as one that changes them left whole. Their length. */
uint32_t ue__ring_rules(const struct ue__ring_memory *memory, char rules[UE__RING_RULES]);
/* Add a rule (rules.h) and apply it. One process at a time. 0 or -ENOSPC. */
int ue__ring_add_rule(const struct ue__ring_memory *memory, char sign, const char *glob);
/*
 * The same, one after the other with all that call it for the ring of the file fd.
 * frames: of the stacks that UE__RULE_STACK asks for; 0 makes it UE__RULE_NO_STACK.
 * -EINVAL: the glob is empty, too long, or has a newline.
 */
int ue__ring_change_rules(const struct ue__ring_memory *memory, int fd, char sign,
			  const char *glob, uint32_t frames);

#endif
