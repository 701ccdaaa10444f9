/* SPDX-License-Identifier: MIT */
/*
 * The tracepoint of EventHeader events: provider, level, keyword, and perhaps a group.
 *
 * The kernel knows the tracepoint, not its events, and users enable the tracepoint: all
 * events of one provider, level and keyword share it, and each carries its own name. A
 * thousand events of a tracepoint cost one registration and share one word.
 * UE_TRACEPOINT() of eventheader_event.h defines a tracepoint at compile time.
 */
#ifndef USEREVENTS_TRACEPOINT_H
#define USEREVENTS_TRACEPOINT_H

#include <stddef.h>
#include <stdint.h>

#include <userevents/abi/event_state.h>
#include <userevents/abi/eventheader.h>
#include <userevents/eventheader_fault.h>

#include <userevents/abi/hide_names.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Longest definition with its NUL: name, blank, fields. */
#define UE__TRACEPOINT_TEXT (UE_EVENTHEADER_NAME_MAX + 1 + sizeof(UE_EVENTHEADER_FIELDS))

/* The identity of a tracepoint. */
struct ue_tracepoint_parts {
	const char *provider; /* [A-Za-z_][A-Za-z0-9_]* is best */
	const char *group;    /* [a-z0-9]*; "" or NULL: none */
	uint64_t keyword;     /* bits that the provider defines */
	uint32_t level;	      /* enum ue_level, 1 to 255 */
};

/*
 * A tracepoint. The rules of struct ue_event hold for it, too. Its event goes to
 * ue_register(), ue_unregister() and ue_enabled(), which answers whether this level and
 * keyword are enabled.
 *
 * Only the event is known to the library, which finds everything else through its
 * pointers. So the event may grow.
 */
struct ue_tracepoint {
	struct ue_event event;
	struct ue_tracepoint_parts ue__own; /* of one that is made at run time */
	char ue__text[(UE__TRACEPOINT_TEXT + 7) / 8 * 8]; /* the event's definition, made
						of the parts when it is registered */
};

/*
 * The event of an array of one tracepoint, as a constant address. Macros name no member that
 * a program reads by its name, as that name may be a macro of the program.
 */
#ifdef __cplusplus
extern "C++" {
constexpr inline struct ue_event *ue__first_event(struct ue_tracepoint *tracepoint)
{
	return &tracepoint->event;
}
}
#define UE__FIRST_EVENT(tracepoint) (ue__first_event(tracepoint))
#else
#define UE__FIRST_EVENT(tracepoint) UE__CAST(struct ue_event *, tracepoint)
#endif

/*
 * Make a tracepoint at run time.
 *
 * tracepoint: overwritten. Like a struct ue_event, it must stay at its address.
 * provider: at least one byte, none of them a blank, a control character, '/', ':' or
 *   ';'. Not copied.
 * group: lower-case letters and digits; NULL or "" for none. Not copied.
 * level: 1 to 255. keyword: any.
 * flags: UE_EVENT_PERSIST, UE_EVENT_MULTI_FORMAT.
 * error: set to the fault, or NULL; its offset is in the invalid part. Not touched on
 *   success and for errors of the flags.
 *
 * Returns 0 or
 *   -EINVAL        a part is malformed, flags are unknown, or the name would have more
 *                  than 238 bytes with UE_EVENT_MULTI_FORMAT;
 *   -ENAMETOOLONG  it would have more than UE_EVENTHEADER_NAME_MAX bytes.
 * ue_register() returns the same for a static one. Any thread, signal handlers too.
 * Since 0.1.
 */
static inline int ue_tracepoint_init(struct ue_tracepoint *tracepoint,
				     const char *provider, const char *group,
				     uint32_t level, uint64_t keyword, uint32_t flags,
				     struct ue_eventheader_error *error);

/*
 * The same for an event of this size, its parts, and UE__TRACEPOINT_TEXT bytes for the
 * definition.
 */
UE__PUBLIC int ue__tracepoint_init(struct ue_event *event, size_t size,
				   const struct ue_tracepoint_parts *parts, char *text,
				   uint32_t flags, struct ue_eventheader_error *error);

static inline int ue_tracepoint_init(struct ue_tracepoint *tracepoint,
				     const char *provider, const char *group,
				     uint32_t level, uint64_t keyword, uint32_t flags,
				     struct ue_eventheader_error *error)
{
	tracepoint->ue__own.provider = provider;
	tracepoint->ue__own.group = group;
	tracepoint->ue__own.keyword = keyword;
	tracepoint->ue__own.level = level;
	return ue__tracepoint_init(&tracepoint->event, sizeof(tracepoint->event),
				   &tracepoint->ue__own, tracepoint->ue__text, flags,
				   error);
}

/*
 * Check the parts of a tracepoint, as ue_register() does, to find the fault of a static
 * one. Flags are ignored.
 *
 * tracepoint: of UE_TRACEPOINT() or ue_tracepoint_init().
 * error: as for ue_tracepoint_init().
 *
 * Returns 0, -EINVAL or -ENAMETOOLONG as that. Any thread, signal handlers too. Since
 * 0.1.
 */
UE__PUBLIC int ue_tracepoint_check(const struct ue_tracepoint *tracepoint,
			       struct ue_eventheader_error *error);

#ifdef __cplusplus
}
#endif

#include <userevents/abi/restore_names.h>
#endif
