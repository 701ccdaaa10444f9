/* SPDX-License-Identifier: MIT */
/*
 * The state of one event, and the test whether it is enabled.
 *
 * This is the lowest header: an instrumented file needs no other header to test an event,
 * and it declares nothing that the test does not need.
 */
#ifndef USEREVENTS_ABI_EVENT_STATE_H
#define USEREVENTS_ABI_EVENT_STATE_H

#include <stdint.h>

#include <userevents/language.h>

#include <userevents/abi/hide_names.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A function of the shared library. */
#define UE__PUBLIC __attribute__((__visibility__("default")))

/* lib/connect/inline.c redefines this to make a real symbol, too. */
#ifndef UE__INLINE
#define UE__INLINE static inline
#endif

/*
 * The word of an event.
 *
 * Every event has a 32-bit word. It is zero while the event is disabled, so that a
 * disabled event costs a load, a test and a branch that is not taken.
 *
 * Kernels from 6.4 on know the word's address and set and clear bit 0 themselves. Older
 * kernels publish a page of status bits instead. There, while the event is registered,
 * the library sets UE__WORD_ASK, which is the sign, and in the low byte the mask of the
 * event's bit; the code behind the branch tests the byte of the page that the event
 * points to. So one binary works with both, and the modern test costs nothing more. A
 * capture (capture.h) has such a page, too.
 */
#define UE__WORD_BIT 0u			 /* the bit that the kernel sets */
#define UE__WORD_LISTENED (1u << UE__WORD_BIT) /* enabled */
#define UE__WORD_ASK (1u << 31)		 /* the status byte decides */
#define UE__WORD_EMPTY (1u << 30) /* with it: an empty payload needs no padding */

/* Flags of an event */
enum ue_event_flags {
	/*
	 * The event outlives the descriptors and processes that registered it, until
	 * ue_delete(). Linux 6.7 and later; needs CAP_PERFMON in the first user
	 * namespace.
	 */
	UE_EVENT_PERSIST = 1 << 0,
	/*
	 * Several events of one name with different fields may exist side by side, as
	 * NAME.0, NAME.1, ... of the system user_events_multi. Linux 6.9 and later.
	 */
	UE_EVENT_MULTI_FORMAT = 1 << 1,
};

struct ue_tracepoint_parts;
struct ue__registration;

/*
 * One event. It lives in the user's program, so its layout is part of the ABI: later
 * versions only append to it. The initialiser stores the size that the program knows, and
 * neither program nor library accesses bytes behind the size that the other one knows
 * (tests/abi/grown.sh).
 *
 * It holds what the kernel and a write use; everything else that the library keeps about
 * the event is in its registration.
 *
 * From ue_register() until ue_unregister() or ue_close() the kernel writes to the word
 * and the library to the struct: both must stay at their addresses. Initialise it with
 * UE_EVENT_INIT or ue_event_init().
 */
struct ue_event {
	uint32_t size;		/* sizeof(struct ue_event) */
	uint32_t flags;		/* UE_EVENT_PERSIST | UE_EVENT_MULTI_FORMAT */
	const char *definition; /* "name type field; type field" */
	uint32_t *word;		/* its word: the next member, or one among others */
	/* The rest belongs to the library. */
	uint32_t ue__own_word;
	uint32_t ue__fixed_size; /* of the payload, by its types; 0: not known */
	/* write index, and descriptor or UE__NO_FD; aligned where uint64_t is not */
	uint64_t ue__binding __attribute__((__aligned__(8)));
	const uint8_t *ue__status_byte; /* has the event's bit, for UE__WORD_ASK */
	/* A tracepoint's definition is made of them, in UE__TRACEPOINT_TEXT bytes. */
	const struct ue_tracepoint_parts *ue__parts;
	/* Each write compares the size of its payload with one of these. */
	uint32_t ue__payload_max;
	uint32_t ue__direct_max; /* payload_max; 0: an empty record is padded */
	/* NULL while it is not registered; a failed write counts the loss there. */
	struct ue__registration *ue__registration;
	uint32_t ue__write_call; /* number of the system call that writes a record */
};

/*
 * Initialiser of a static event:
 *
 *	static struct ue_event tick = UE_EVENT_INIT(tick, "tick u32 count");
 *
 * Flags may follow: UE_EVENT_INIT(tick, "tick u32 count", UE_EVENT_PERSIST).
 */
#define UE_EVENT_INIT(variable, ...) UE__EVENT_INIT_OF(variable, __VA_ARGS__, 0, ~)
#define UE__EVENT_INIT_OF(variable, definition, flags, ...) \
	UE__EVENT_INIT(&(variable).ue__own_word, definition, flags, 0, UE__NULL)
#define UE__EVENT_INIT(word, definition, flags, fixed_size, parts)                  \
	{                                                                           \
		sizeof(struct ue_event), (flags), (definition), (word), 0,          \
			(fixed_size), UE__NO_FD, UE__NULL, (parts), 0, 0, UE__NULL, 0       \
	}

/* The descriptor of an event that is not registered: no function returns this number. */
#define UE__NO_FD 0x80000000u

#define UE__STATUS_BYTE(event) \
	__atomic_load_n(&(event)->ue__status_byte, __ATOMIC_RELAXED)

/* The same as UE__WORD_SAYS(), as a function; it returns 0 for a word that is zero. */
UE__PUBLIC __attribute__((__cold__)) int ue__is_listened(const struct ue_event *event);

/*
 * UE__COLD_PATH() is 0, and makes gcc put the code behind the test of a word into the
 * cold section, away from the function's other code.
 *
 * gcc moves code that calls a cold function whatever happens; the code behind an unlikely
 * branch stays in the function, and in the caches of programs that are not traced. So
 * there is a call, and its result counts only if the compiler knows the word. It never
 * does, but learns that after it has divided the function, and then drops the call.
 * (Code that an attribute or a pragma compiles without optimization makes it, so the
 * function exists.)
 *
 * The stack pointer is named for a function that needs a frame only to write. gcc makes
 * that frame in the cold section if all of that section needs it, and otherwise always.
 *
 * clang divides no functions, and gcc does for x86 alone, unless it is asked to.
 */
#if defined(__OPTIMIZE__) && defined(__GNUC__) && !defined(__clang__) && \
	!defined(UE__LIBRARY) && (defined(__x86_64__) || defined(__i386__))
UE__PUBLIC __attribute__((__cold__, __const__)) int
ue__cold_path(const struct ue_event *event) __asm__("ue__is_listened");
#define UE__COLD_PATH(word, event)                                    \
	__extension__({                                               \
		const int ue__is_cold = ue__cold_path(event);         \
		register char *ue__stack __asm__(UE__STACK_POINTER);  \
		__asm__ volatile("" : : "r"(ue__stack));              \
		ue__is_cold & __builtin_constant_p(word);             \
	})
#ifdef __x86_64__
#define UE__STACK_POINTER "rsp"
#else
#define UE__STACK_POINTER "esp"
#endif
#else
#define UE__COLD_PATH(word, event) 0
#endif

/*
 * Test a word that is not zero: is the event enabled? For cold code. The fence orders the
 * load of the word before that of the address, which the library stored first.
 */
#define UE__WORD_SAYS(word, event)                            \
	(!UE__COLD_PATH(word, event) &&                       \
	 (__builtin_expect(UE__CAST(int32_t, word) > 0, 1) || \
	  (__atomic_thread_fence(__ATOMIC_ACQUIRE),           \
	   (word) & __atomic_load_n(UE__STATUS_BYTE(event), __ATOMIC_RELAXED))))

/*
 * Test whether an event is enabled, to skip work that only a reader of it needs.
 * ue_write() makes the same test.
 *
 * event: an initialised event, registered or not.
 *
 * Returns 1 if the event is enabled anywhere on the system, else 0; 0 for an event that
 * is not registered. On a kernel up to 6.3 whose status page this process cannot read and
 * map, or has no bit of the event in it, always 1 while registered: then each write asks
 * the kernel. Any thread, signal handlers too; leaves errno alone. Since 0.1.
 */
UE__INLINE int ue_enabled(const struct ue_event *event)
{
	if (__builtin_expect(!__atomic_load_n(event->word, __ATOMIC_RELAXED), 1))
		return 0;
	return ue__is_listened(event);
}

#ifdef __cplusplus
}
#endif

#include <userevents/abi/restore_names.h>
#endif
