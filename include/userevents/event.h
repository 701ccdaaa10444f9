/* SPDX-License-Identifier: MIT */
/*
 * Events: define, register, unregister, delete.
 */
#ifndef USEREVENTS_EVENT_H
#define USEREVENTS_EVENT_H

#include <stddef.h>
#include <stdint.h>

#include <userevents/abi/event_state.h>
#include <userevents/abi/module.h>
#include <userevents/session.h>

#include <userevents/abi/hide_names.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The definition of an event is one string:
 *
 *	definition := name [' ' field *("; " field) [';']]	at most 511 bytes
 *	field      := type ' ' field-name
 *	            | "struct " tag ' ' field-name ' ' size
 *	type       := u8 u16 u32 u64 s8 s16 s32 s64 char short int
 *	            | "unsigned char" | "unsigned short" | "unsigned int"
 *	            | char[N] | "unsigned char[N]"		N from 1 to 1024
 *	            | "__rel_loc T[]" | "__data_loc T[]"	4 bytes, see below
 *
 * The name has 1 to 255 bytes, none of them a blank, a control character, '/',
 * ':' or ';'. Field names are C identifiers and differ from each other. Sizes
 * are decimal, without leading zeros. The fields lie in the payload one after the
 * other without padding; a location field holds size << 16 | offset of bytes
 * further on, for __rel_loc counted from the end of the field.
 *
 * There may also be more blanks after the name, any number of them or none after a
 * ';', and some at the end: the kernel gets the text as above, with no ';' at its
 * end, and at most 511 bytes of that.
 *
 * The kernel accepts more than this and misreads some of it ("char name[20]" is one char
 * named "name[20]"), so the library checks first.
 */

/* The fault of a definition, and where it is. Does not grow. */
struct ue_definition_error {
	size_t offset;	    /* of the first wrong byte */
	size_t length;	    /* of the wrong part, in bytes; 0: something is missing */
	const char *reason; /* a static sentence */
};

/*
 * Check a definition.
 *
 * definition: the text, NUL-terminated.
 * flags: UE_EVENT_* flags that it will be registered with; with
 *   UE_EVENT_MULTI_FORMAT the name is limited to 238 bytes, as the kernel
 *   appends a number to it.
 * error: set to the fault, or NULL. Not touched on success.
 *
 * Returns 0, or -EINVAL for a definition that is malformed or too long. Unknown flags are
 * ignored. Any thread, signal handlers too. Since 0.1.
 */
UE__PUBLIC int ue_definition_check(const char *definition, uint32_t flags,
			       struct ue_definition_error *error);

/*
 * Initialise an event at run time.
 *
 * event: overwritten; it must not be registered.
 * definition: as above; the string must live as long as the event.
 * flags: UE_EVENT_*.
 *
 * Returns 0, or -EINVAL for a malformed definition or unknown flag (the event
 * is initialised all the same, and disabled). Any thread, signal handlers too.
 * Since 0.1.
 */
static inline int ue_event_init(struct ue_event *event, const char *definition,
				uint32_t flags);

/*
 * The same with sizeof(struct ue_event) as the caller knows it; -EINVAL, and nothing is
 * written, for one that is too small.
 */
UE__PUBLIC int ue__event_init(struct ue_event *event, size_t size, const char *definition,
			      uint32_t flags);

static inline int ue_event_init(struct ue_event *event, const char *definition,
				uint32_t flags)
{
	return ue__event_init(event, sizeof(*event), definition, flags);
}

/*
 * Register an event, so that tools can see and enable it.
 *
 * fd: from ue_open().
 * event: initialised, not registered. It and its word must stay where they are
 *   until it is unregistered: what is on a stack must be unregistered before its function
 *   returns, what is allocated before it is freed. What lies in a program or shared
 *   object is unregistered when that is unloaded. Not in memory shared with another
 *   process.
 *
 * The event stays registered when the calling thread ends, and any other thread may
 * unregister it. In the child of a fork it is registered, too, and independent of the
 * parent's. An event that cannot be registered there counts as enabled: each write asks
 * the kernel. doc/lifetime.md has the cases.
 *
 * A name that is in use with other fields may be free soon, as the kernel releases names
 * late; the call tries again for at most 0.3 s.
 *
 * A failed event stays disabled: writing it does nothing. Any failure may pass,
 * and the call may be repeated.
 *
 * Returns 0 or
 *   -EBADF       fd is not a session, or was closed in another way than ue_close();
 *   -EINVAL      event is NULL, the definition is malformed (ue_definition_check() says
 *                where, ue_tracepoint_check() for a tracepoint), event->size or a flag is
 *                wrong, or word is NULL or not a multiple of 4;
 *   -ENAMETOOLONG  the name of a tracepoint (tracepoint.h) has more than 255 bytes;
 *   -E2BIG       the event comes from a later version and uses what this lacks;
 *   -EALREADY    the event is registered on this session already;
 *   -EXDEV       it is registered on another session: ue_unregister() it, or ue_close()
 *                that session;
 *   -EADDRINUSE  the name is in use with other fields; or another event has the same
 *                word;
 *   -EOPNOTSUPP  the kernel does not know a flag: UE_EVENT_PERSIST needs 6.7,
 *                UE_EVENT_MULTI_FORMAT 6.9;
 *   -EPERM       UE_EVENT_PERSIST without CAP_PERFMON in the first user namespace;
 *   -EPERM, -EACCES, -ENOSYS  a security policy or a sandbox denies the ioctl;
 *   -EFAULT      the word's address is not in user space (6.4 and later), or, with the
 *                patches of doc/kernel, in memory that cannot be written;
 *   -EAGAIN      no thread could be made, in a child of a fork that needs one;
 *   -EMFILE      the kernel has no room for another event: sysctl
 *                kernel.user_events_max (6.4 and later; up to 6.3, 32767); or the
 *                ring or capture has none: of 64 MiB, for 65,536 definitions;
 *   -ENODEV      the kernel has no number for another trace event;
 *   -ENOMEM      no memory, a cgroup's limit, or the word is in memory that cannot
 *                be written (6.4 and later).
 *
 * Any thread; not in signal handlers. Leaves errno alone. Since 0.1.
 */
UE__PUBLIC int ue_register(int fd, struct ue_event *event);

/*
 * Find the event that keeps another one of this process from being registered, after
 * ue_register() or ue_register_all_report() returned -EADDRINUSE for it.
 *
 * event: an event that is not registered.
 *
 * Returns the definition of a registered event of this process that has the same name and
 * other fields. The text is that event's own: it is valid until the memory of the event is
 * freed, or the program or shared object that defines it is unloaded. NULL if there is none:
 * then the name is another program's; and for an event with UE_EVENT_MULTI_FORMAT, which
 * may share its name. Any thread; not in signal handlers. Leaves errno alone. Since 0.1.
 */
UE__PUBLIC const char *ue_event_namesake(const struct ue_event *event);

/*
 * Unregister an event: it is disabled, and neither kernel nor library touch its
 * memory any more. The kernel forgets the event itself when the file behind the
 * session is closed, also where it was inherited from or passed by another process,
 * and the event has no other user.
 *
 * event: any initialised event.
 *
 * Returns 0 or
 *   -ENOENT      the event is not registered;
 *   -ESRCH       the kernel does not find the registration: other code removed it, or
 *                the process was made by clone(2) with memory of its own, which the
 *                library does not notice. The event stays registered and must stay in
 *                memory;
 *   -EPERM, -EACCES, -ENOSYS  a security policy or a sandbox denies the ioctl. The same;
 *   -EBADF       the session was closed by another way than ue_close(), and there is
 *                no other user_events_data to ask the kernel through. The same.
 *
 * A write that began before may still arrive.
 *
 * Any thread; not in signal handlers. Leaves errno alone. Since 0.1.
 */
UE__PUBLIC int ue_unregister(struct ue_event *event);

/*
 * Delete an event from the system, on a descriptor of its own.
 *
 * name: the bare name, without fields.
 * opts: how to open, as for ue_open(); NULL for the defaults.
 *
 * Up to Linux 6.3 every event stays until deleted. From 6.4 on, events go away by
 * themselves with their last user, and only those of UE_EVENT_PERSIST can be
 * deleted. With several formats of one name (UE_EVENT_MULTI_FORMAT) all are
 * deleted, up to the first that cannot be. With UE_OPEN_FD or USEREVENTS_FD the
 * descriptor is a duplicate, and events that were registered through the same file are
 * in use until that is closed.
 *
 * The kernel releases an event some milliseconds after its last user, for example after
 * ue_close() (6.4 and later). While it is busy and this process has not registered it, the
 * call tries again for at most 0.3 s.
 *
 * Returns 0, an error of ue_open(), or
 *   -ENOENT      there is no event of that name;
 *   -EBUSY       it is in use after that time: a process has it registered, or a
 *                tool listens to it. At once if it is this process;
 *   -EPERM       a persistent event, without CAP_PERFMON;
 *   -EINVAL      not a valid name.
 *
 * Any thread; not in signal handlers. Leaves errno alone. Since 0.1.
 */
UE__PUBLIC int ue_delete(const char *name, const struct ue_open_opts *opts);

#ifdef __cplusplus
}
#endif

#include <userevents/abi/restore_names.h>
#endif
