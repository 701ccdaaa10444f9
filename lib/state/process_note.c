/* SPDX-License-Identifier: MIT */
/*
 * The process's state, and the note by which a tool finds it in the memory of the process
 * (abi/process_note.h).
 *
 * The note holds a distance, so that it needs no relocation, wherever the code is loaded.
 * When linkers collect sections, they keep notes and everything that notes refer to. The
 * process's state is defined here so that every program with sessions has the note: a
 * linker takes only the files of a static library that are needed.
 */
#include <stddef.h>

#include <userevents/abi/process_note.h>

#include "session.h"

struct ue__process ue__process = {
	.self = &ue__process,
	.table = { .buckets = ue__process.table.first, .bits = UE__FIRST_BITS },
	.back_ends = ue__all_back_ends,
	.writers = { .entered = ue__stripes[0].writers, .sets = { 0, 1 }, .used = 2 },
	.lock = { .mutex = PTHREAD_MUTEX_INITIALIZER },
};

#define SAME(published, member, own, own_member)                     \
	_Static_assert(offsetof(struct published, member) ==         \
			       offsetof(struct own, own_member),     \
		       "tools read this member")
_Static_assert(sizeof(ue__process) + sizeof(ue__stripes) < 12 << 10, "memory per process");

SAME(ue_noted_library, self, ue__process, self);
SAME(ue_noted_library, sessions, ue__process, sessions);
SAME(ue_noted_session, next, ue__session, next);
SAME(ue_noted_session, library, ue__session, process);
SAME(ue_noted_session, events, ue__session, registrations);
SAME(ue_noted_session, lost, ue__session, lost);
SAME(ue_noted_session, abi, ue__session, abi);
SAME(ue_noted_session, fd, ue__session, channel.fd);
SAME(ue_noted_event, next, ue__registration, next);
SAME(ue_noted_event, session, ue__registration, session);
SAME(ue_noted_event, definition, ue__registration, wanted.definition);
SAME(ue_noted_event, name_length, ue__registration, wanted.name_length);
SAME(ue_noted_event, flags, ue__registration, wanted.flags);
SAME(ue_noted_event, word, ue__registration, wanted.word);
SAME(ue_noted_event, lost, ue__registration, lost);

#if UINTPTR_MAX == UINT64_MAX
#define DISTANCE ".quad "
#else
#define DISTANCE ".long "
#endif

_Static_assert(UE_NOTE_TYPE == 1 && sizeof(UE_NOTE_NAME) == 11, "as written below");

__asm__(".pushsection .note.userevents, \"a\", %note\n"
	".balign 4\n"
	".long 11\n" /* bytes of the name, NUL included */
	".long 2f - 1f\n"
	".long 1\n" /* type */
	".asciz \"" UE_NOTE_NAME "\"\n"
	".balign 4\n"
	"1:\n"
	DISTANCE "ue__process - .\n"
	"2:\n"
	".popsection\n");
