/* SPDX-License-Identifier: MIT */
/*
 * The process's state, and the note by which a tool finds it from outside
 * (abi/process_note.h).
 *
 * The note holds distances, so that no loader has anything to do, wherever the code comes
 * to lie. Linkers keep notes, and what notes refer to, when they collect sections. The
 * process's state is defined here so that every program with sessions has the note: a
 * static library gives only the files that are asked for.
 */
#include <stddef.h>

#include <userevents/abi/process_note.h>

#include "session.h"

struct ue__process ue__process = {
	.table = { .buckets = ue__process.table.first, .bits = UE__FIRST_BITS },
	.back_ends = ue__all_back_ends,
	.writers = { .entered = ue__process.writers.stripes[0] },
	.lock = { .mutex = PTHREAD_MUTEX_INITIALIZER },
};

_Static_assert(!offsetof(struct ue__process, sessions), "the note refers to its address");

extern const struct ue_overview ue__overview __attribute__((visibility("hidden")));

__attribute__((used)) const struct ue_overview ue__overview = {
	.version = UE_OVERVIEW_VERSION,
	.size = sizeof(struct ue_overview),
	.pointer_size = sizeof(void *),
	.loss_reasons = UE_LOSS_REASONS,
	.session_size = sizeof(struct ue__session),
	.session_next = offsetof(struct ue__session, next),
	.session_fd = offsetof(struct ue__session, channel.fd),
	.session_abi = offsetof(struct ue__session, abi),
	.session_registrations = offsetof(struct ue__session, registrations),
	.session_lost = offsetof(struct ue__session, lost),
	.registration_size = sizeof(struct ue__registration),
	.registration_next = offsetof(struct ue__registration, next),
	.registration_event = offsetof(struct ue__registration, event),
	.registration_word = offsetof(struct ue__registration, wanted.word),
	.registration_binding = offsetof(struct ue__registration, binding),
	.event_size = sizeof(struct ue_event),
	.event_definition = offsetof(struct ue_event, definition),
	.event_word = offsetof(struct ue_event, word),
	.event_status_byte = offsetof(struct ue_event, ue__status_byte),
	.event_binding = offsetof(struct ue_event, ue__binding),
	.event_lost = offsetof(struct ue_event, ue__lost),
};

#if UINTPTR_MAX == UINT64_MAX
#define DISTANCE ".quad "
#else
#define DISTANCE ".long "
#endif

_Static_assert(UE_OVERVIEW_NOTE == 1 && sizeof(UE_OVERVIEW_NAME) == 11,
	       "the note says the same");

__asm__(".pushsection .note.userevents, \"a\", %note\n"
	".balign 4\n"
	".long 11\n" /* bytes of the name, NUL included */
	".long 2f - 1f\n"
	".long 1\n" /* type */
	".asciz \"" UE_OVERVIEW_NAME "\"\n"
	".balign 4\n"
	"1:\n"
	DISTANCE "ue__overview - .\n"
	DISTANCE "ue__process - .\n"
	"2:\n"
	".popsection\n");
