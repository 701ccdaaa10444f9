/* SPDX-License-Identifier: MIT */
/*
 * Errors as sentences.
 */
#include <errno.h>
#include <stddef.h>

#include <userevents/session.h>

static const struct {
	enum ue_call call;
	int error;
	const char *sentence;
} sentences[] = {
	{ UE_CALL_OPEN, -ENODEV,
	  "Neither tracefs nor debugfs is mounted; fix it with: mount -t tracefs "
	  "nodev /sys/kernel/tracing; without user_events, USEREVENTS_RING=FILE keeps the "
	  "events in a file" },
	{ UE_CALL_OPEN, -ENOENT,
	  "There is no user_events_data: the kernel was built without "
	  "CONFIG_USER_EVENTS, or locked down at boot, or the path given is wrong; "
	  "without user_events, USEREVENTS_RING=FILE keeps the events in a file" },
	{ UE_CALL_OPEN, -EACCES,
	  "No right to read and write user_events_data, or the ring, or to connect to the "
	  "socket of USEREVENTS_SOCKET; give this user the right (doc/rights.md) or a "
	  "descriptor from a process that has it" },
	{ UE_CALL_OPEN, -EPERM, "A security policy or a sandbox denies a system call" },
	{ UE_CALL_OPEN, -ENOSYS, "A security policy or a sandbox denies a system call" },
	{ UE_CALL_OPEN, -EBADF,
	  "The descriptor given, or named by USEREVENTS_FD, is not open; keep it "
	  "open across exec, or unset USEREVENTS_FD" },
	{ UE_CALL_OPEN, -EROFS,
	  "tracefs is mounted read-only; fix it with: mount -o remount,rw "
	  "/sys/kernel/tracing" },
	{ UE_CALL_OPEN, -ENOTTY,
	  "The file or descriptor given is neither user_events_data of tracefs nor a capture "
	  "nor a ring, or USEREVENTS_SOCKET names a socket of another kind" },
	{ UE_CALL_OPEN, -EPROTONOSUPPORT,
	  "The ring was made by another version of the library, or on a machine of another byte "
	  "order; remove the file, or name another one" },
	{ UE_CALL_OPEN, -EBADMSG,
	  "The ring is damaged or was cut; remove the file, or name another one" },
	{ UE_CALL_OPEN, -EMFILE,
	  "The process has as many open files as it may (ulimit -n), or the ring has as many "
	  "processes as it may; a larger ring may have more" },
	{ UE_CALL_OPEN, -ENOSPC,
	  "The file system has no room for a new ring; make room, or create a smaller one "
	  "with: userevents ring create --size SIZE FILE" },
	{ UE_CALL_OPEN, -EDQUOT,
	  "The user's quota has no room for a new ring; make room, or create a smaller one "
	  "with: userevents ring create --size SIZE FILE" },
	{ UE_CALL_OPEN, -EFBIG,
	  "A new ring would exceed the limit of file sizes (ulimit -f); raise it, or create "
	  "a smaller one with: userevents ring create --size SIZE FILE" },
	{ UE_CALL_OPEN, -EEXIST,
	  "USEREVENTS_RING names a symbolic link that leads nowhere; remove it, or name a "
	  "file" },
	{ UE_CALL_OPEN, -EISDIR, "The path given is a directory; name a file" },
	{ UE_CALL_OPEN, -EOPNOTSUPP,
	  "A 32-bit process cannot use user_events of a 64-bit kernel; build the program for "
	  "64 bits; or this is Linux 5.18 to 6.0, whose interface was withdrawn; use Linux 6.4 "
	  "or later; or the file system cannot hold rings; use another one" },
	{ UE_CALL_OPEN, -EINVAL,
	  "The options are malformed, or USEREVENTS_FD is not a number, or "
	  "USEREVENTS_RING_SIZE is not a size from 256k to 64M, or USEREVENTS_SOCKET is "
	  "not an absolute path" },
	{ UE_CALL_OPEN, -EAGAIN,
	  "There may be no more threads (ulimit -u), and the library needs one of its own "
	  "where threads were there before it; or it is in a plugin that cannot stay "
	  "loaded: link that with -z nodelete" },
	{ UE_CALL_OPEN, -ENOTDIR,
	  "The directory of the path given, or of USEREVENTS_RING, does not exist, or is no "
	  "directory; create it, or name another file" },
	{ UE_CALL_OPEN, -ELOOP, "The path given leads to no file" },
	{ UE_CALL_OPEN, -ENAMETOOLONG,
	  "The path given is too long; that of a socket has at most 107 bytes" },
	{ UE_CALL_OPEN, -ENXIO, "The path given leads to no file" },
	{ UE_CALL_OPEN, -ETXTBSY, "The path given leads to no file" },
	{ UE_CALL_OPEN, -E2BIG,
	  "The options come from a later version of the library; update it" },

	{ UE_CALL_CLOSE, -EBADF, "The descriptor is not one from ue_open(), or "
	  "it was closed, but not with ue_close()" },
	{ UE_CALL_CLOSE, -ESRCH,
	  "The kernel does not know the registration of an event; its memory should stay "
	  "in place" },

	{ UE_CALL_REGISTER, -EBADF,
	  "The descriptor is not one from ue_open(): that failed, and its result says "
	  "why, or the descriptor was closed" },
	{ UE_CALL_REGISTER, -EINVAL,
	  "The definition, the flags or the word of the event are malformed; "
	  "ue_definition_check() says where, ue_tracepoint_check() what is wrong with a "
	  "provider or its group" },
	{ UE_CALL_REGISTER, -ENAMETOOLONG,
	  "The name of the tracepoint, which has provider, level, keyword and group in it, is "
	  "longer than 255 bytes" },
	{ UE_CALL_REGISTER, -E2BIG,
	  "The event comes from a later version of the library; update it" },
	{ UE_CALL_REGISTER, -EAGAIN,
	  "There may be no more threads (ulimit -u), and the library needs one of its own" },
	{ UE_CALL_REGISTER, -EALREADY, "The event is registered already" },
	{ UE_CALL_REGISTER, -EXDEV,
	  "Another session of this process has the event; close that with ue_close(), or "
	  "write to it" },
	{ UE_CALL_REGISTER, -EADDRINUSE,
	  "An event of this name exists with other fields, or the word belongs to "
	  "another event; rename it, wait until its last user has gone (up to Linux "
	  "6.3, delete it with ue_delete()), or use UE_EVENT_MULTI_FORMAT (Linux 6.9)" },
	{ UE_CALL_REGISTER, -EOPNOTSUPP,
	  "The kernel does not know a flag of the event: UE_EVENT_PERSIST needs "
	  "Linux 6.7, UE_EVENT_MULTI_FORMAT 6.9" },
	{ UE_CALL_REGISTER, -EPERM,
	  "UE_EVENT_PERSIST needs CAP_PERFMON in the first user namespace; without it, a "
	  "security policy or a sandbox denies a system call" },
	{ UE_CALL_REGISTER, -EACCES, "A security policy or a sandbox denies a system call" },
	{ UE_CALL_REGISTER, -ENOSYS, "A security policy or a sandbox denies a system call" },
	{ UE_CALL_REGISTER, -EFAULT,
	  "The event's word is not in user space, or in memory that cannot be written; "
	  "events must not be const" },
	{ UE_CALL_REGISTER, -EMFILE,
	  "The kernel has as many user events as it may; raise sysctl "
	  "kernel.user_events_max (Linux 6.4 and later); or the ring is full of events; "
	  "create a larger one" },
	{ UE_CALL_REGISTER, -ENODEV,
	  "The kernel has no number left for another trace event" },
	{ UE_CALL_REGISTER, -ENOMEM,
	  "No memory, or the event's word is in memory that cannot be written; "
	  "events must not be const" },
	{ UE_CALL_REGISTER, -EPIPE, "The reader of the capture has ended" },
	{ UE_CALL_REGISTER, -ECONNRESET, "The reader of the capture has ended" },

	{ UE_CALL_UNREGISTER, -ENOENT, "The event is not registered" },
	{ UE_CALL_UNREGISTER, -ESRCH,
	  "The kernel does not know the registration; keep the event's memory in place" },
	{ UE_CALL_UNREGISTER, -EACCES, "A security policy or a sandbox denies a system call" },
	{ UE_CALL_UNREGISTER, -EPERM, "A security policy or a sandbox denies a system call" },
	{ UE_CALL_UNREGISTER, -ENOSYS, "A security policy or a sandbox denies a system call" },
	{ UE_CALL_UNREGISTER, -EBADF,
	  "The session's descriptor was closed, but not with ue_close(), and there is no "
	  "other user_events_data to ask the kernel through; keep the event's memory in "
	  "place" },

	{ UE_CALL_DELETE, -ENOENT,
	  "There is no event of that name, or no user_events_data" },
	{ UE_CALL_DELETE, -EBUSY,
	  "The event is in use: a process has it registered or a tool listens; "
	  "from Linux 6.4 on only persistent events can be deleted, others go with "
	  "their last user" },
	{ UE_CALL_DELETE, -EPERM,
	  "Deleting a persistent event needs CAP_PERFMON in the first user "
	  "namespace" },
	{ UE_CALL_DELETE, -EINVAL,
	  "Not the name of an event; give the bare name, without fields" },

	{ UE_CALL_WRITE, -EXDEV,
	  "The event is registered on another descriptor than this one, or this is none; "
	  "write to the one it was registered on, or unregister it there first" },
	{ UE_CALL_WRITE, -EBADF,
	  "The session of the event, or the descriptor behind it, was closed" },
	{ UE_CALL_WRITE, -EMSGSIZE,
	  "The payload is larger than every listener can receive; "
	  "ue_payload_max() says how large it may be" },
	{ UE_CALL_WRITE, -ENOBUFS,
	  "The capture or ring is full, so that the event is lost; read from it, make it "
	  "larger, or let writes wait with UE_CAPTURE_WAIT or UE_RING_WAIT" },
	{ UE_CALL_WRITE, -EPERM, "A security policy forbids to write events" },
	{ UE_CALL_WRITE, -EACCES, "A security policy forbids to write events" },
	{ UE_CALL_WRITE, -EINVAL,
	  "The payload is shorter than the fields of the event" },
	{ UE_CALL_WRITE, -EFAULT,
	  "A value is NULL where bytes are needed, or a location in it points outside of it or "
	  "to a text without NUL at its end" },

	{ UE_CALL_BUILD, -ENOENT,
	  "The event has no field of this name; the definition lists its fields" },
	{ UE_CALL_BUILD, -EEXIST,
	  "The field has a value already; set each field once" },
	{ UE_CALL_BUILD, -EINVAL,
	  "The field has another type than the value; or, in an EventHeader event, a name is "
	  "missing or contains a NUL, an encoding is malformed, a struct is empty or open, an "
	  "element of an array of structs differs from the first, or a related activity is "
	  "given without an activity" },
	{ UE_CALL_BUILD, -ERANGE,
	  "The number does not fit the type of its field, or the bytes are longer than the "
	  "field; use a wider type, or a field __rel_loc char[] for text of any length" },
	{ UE_CALL_BUILD, -EMSGSIZE,
	  "The values are longer than any listener can receive, at most 65535 bytes; shorten "
	  "them" },
	{ UE_CALL_BUILD, -ENODATA,
	  "A field has no value; set every field of the definition" },
	{ UE_CALL_BUILD, -E2BIG,
	  "A struct has more than 127 members or is nested deeper than 8, or an array has more "
	  "than 65535 elements" },
	{ UE_CALL_BUILD, -EFAULT, "A value is NULL where bytes are needed" },
};

static const char *explain_any(int error)
{
	switch (error) {
	case -ENOBUFS:
	case -ENOMEM:
		return "There is no memory";
	case -EMFILE:
		return "The process has as many open files as it may (ulimit -n)";
	case -ENFILE:
		return "The system has as many open files as it may";
	default:
		return error < 0 ? "An error that the library does not know; "
				   "strerror() of its positive value names it" :
				   "Success";
	}
}

static const char *find(enum ue_call call, int error)
{
	for (size_t i = 0; i < sizeof(sentences) / sizeof(sentences[0]); i++)
		if (sentences[i].call == call && sentences[i].error == error)
			return sentences[i].sentence;
	return NULL;
}

UE__PUBLIC const char *ue_explain(enum ue_call call, int error)
{
	const char *sentence = find(call, error);

	if (!sentence && call == UE_CALL_DELETE)
		sentence = find(UE_CALL_OPEN, error);
	return sentence ? sentence : explain_any(error);
}
