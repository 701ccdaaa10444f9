/* SPDX-License-Identifier: MIT */
/*
 * Calls for bindings of other languages. The library allocates the objects, so that a
 * binding knows no sizes and a garbage collector moves nothing; and it packs payloads of
 * classic events at run time, from a definition.
 *
 *	struct ue_event *event;
 *	struct ue_payload *payload;
 *	const void *bytes;
 *	long size;
 *
 *	ue_event_new("request_done u32 status; __rel_loc char[] path", 0, &event);
 *	ue_payload_new("request_done u32 status; __rel_loc char[] path", &payload);
 *	ue_register(fd, event);
 *	...
 *	ue_payload_begin(payload);
 *	ue_payload_u64(payload, "status", 200);
 *	ue_payload_string(payload, "path", "/index.html");
 *	size = ue_payload_finish(payload, &bytes);
 *	if (size >= 0)
 *		ue_write(fd, event, bytes, (size_t)size);
 *	...
 *	ue_payload_free(payload);
 *	ue_event_free(event);
 *
 * None of these is for signal handlers. All leave errno alone. Everything is since 0.1.
 */
#ifndef USEREVENTS_BINDINGS_H
#define USEREVENTS_BINDINGS_H

#include <stddef.h>
#include <stdint.h>

#include <userevents/abi/event_state.h>
#include <userevents/builder.h>
#include <userevents/tracepoint.h>

#include <userevents/abi/hide_names.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Allocate an event, as ue_event_init() with a copy of the definition.
 *
 * event: set on success.
 *
 * Returns 0; -EINVAL as ue_event_init(); or -ENOMEM. Any thread; not in signal handlers.
 * Since 0.1.
 */
UE__PUBLIC int ue_event_new(const char *definition, uint32_t flags,
			    struct ue_event **event);

/*
 * Unregister an event of ue_event_new() or ue_tracepoint_new() and free it. NULL is
 * ignored.
 *
 * Returns 0, or an error of ue_unregister() but for -ENOENT: the event is still registered,
 * the kernel may write to its word, and so it is not freed. Any thread, while no other
 * uses the event; not in signal handlers. Since 0.1.
 */
UE__PUBLIC int ue_event_free(struct ue_event *event);

/*
 * Allocate a tracepoint, as ue_tracepoint_init() with copies of provider and group.
 *
 * tracepoint: set on success.
 *
 * Returns 0; an error of ue_tracepoint_init(); or -ENOMEM. Any thread; not in signal
 * handlers. Since 0.1.
 */
UE__PUBLIC int ue_tracepoint_new(const char *provider, const char *group, uint32_t level,
				 uint64_t keyword, uint32_t flags,
				 struct ue_tracepoint **tracepoint);
/*
 * Its event, for ue_register(), ue_unregister(), ue_enabled(), ue_write() and
 * ue_event_free(), which frees the tracepoint. It has the same address, in all
 * versions: a language without C headers converts the pointer. Any thread, signal
 * handlers too. Since 0.1.
 */
static inline struct ue_event *ue_tracepoint_event(struct ue_tracepoint *tracepoint)
{
	return UE__FIRST_EVENT(tracepoint);
}

/*
 * A payload that is being packed. It belongs to one thread at a time.
 *
 * Values may come in any order, each field once. Errors stick: after the first, the calls
 * return it and do nothing, up to ue_payload_begin(). They are
 *
 *	-ENOENT		there is no such field
 *	-EEXIST		the field has its value already
 *	-EINVAL		the field is of another kind
 *	-ERANGE		the number does not fit its type, or the bytes are longer than a
 *			char[N], unsigned char[N] or struct
 *	-EFAULT		NULL for values
 *	-EMSGSIZE	the values are longer than any listener can receive
 *	-ENOMEM
 *
 * -EMSGSIZE and -ENOMEM depend on what the program traces: count them with
 * ue_event_lost() of loss.h.
 */
struct ue_payload;

/*
 * Allocate a payload.
 *
 * definition: as of ue_event_init(), copied. payload: set on success, and begun.
 *
 * Returns 0, -EINVAL as ue_definition_check(), or -ENOMEM. Any thread; not in signal
 * handlers. Since 0.1.
 */
UE__PUBLIC int ue_payload_new(const char *definition, struct ue_payload **payload);
/*
 * Free a payload. NULL is ignored. Any thread, while no other uses it; not in signal
 * handlers. Since 0.1.
 */
UE__PUBLIC void ue_payload_free(struct ue_payload *payload);

/*
 * Begin another payload: no field has a value. One thread at a time; not in signal
 * handlers. Since 0.1.
 */
UE__PUBLIC void ue_payload_begin(struct ue_payload *payload);

/*
 * An integer of any size; a field of type char takes -128 to 255. One thread at a time;
 * not in signal handlers. Since 0.1.
 */
UE__PUBLIC int ue_payload_u64(struct ue_payload *payload, const char *field,
			      uint64_t value);
UE__PUBLIC int ue_payload_s64(struct ue_payload *payload, const char *field,
			      int64_t value);
/*
 * Text, of a field char[N], which takes N bytes and is filled with NULs, or of a location
 * field of char, which gets a NUL behind the text. One thread at a time; not in
 * signal handlers. Since 0.1.
 */
UE__PUBLIC int ue_payload_string(struct ue_payload *payload, const char *field,
				 const char *text);
/*
 * The bytes of a field of any type: exactly its size; of char[N], unsigned char[N] and
 * structs at most that, with NULs behind them; of a location field any number. One
 * thread at a time; not in signal handlers. Since 0.1.
 */
UE__PUBLIC int ue_payload_bytes(struct ue_payload *payload, const char *field,
				const void *bytes, size_t length);

/*
 * The packed payload.
 *
 * bytes: set on success; valid until the payload is used again.
 *
 * Returns its length, the error that sticks, or -ENODATA when a field has no value. One
 * thread at a time; not in signal handlers. Since 0.1.
 */
UE__PUBLIC ptrdiff_t ue_payload_finish(struct ue_payload *payload, const void **bytes);

#ifdef __cplusplus
}
#endif

#include <userevents/abi/restore_names.h>
#endif
