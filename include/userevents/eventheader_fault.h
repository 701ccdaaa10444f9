/* SPDX-License-Identifier: MIT */
/*
 * The faults of EventHeader tracepoint names and events.
 */
#ifndef USEREVENTS_EVENTHEADER_FAULT_H
#define USEREVENTS_EVENTHEADER_FAULT_H

#include <stddef.h>
#include <stdint.h>

#include <userevents/abi/event_state.h>

#include <userevents/abi/hide_names.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The numbers may grow; the names that ue_name() gives stay. With each goes
 * the error that functions return for it. Of a name that is to be made
 * (ue_eventheader_name_make(), ue_tracepoint_init()) it is -ENAMETOOLONG for one that
 * is too long, and -EINVAL for all else.
 */
enum ue_fault {
	UE_FAULT_NONE,

	/* the tracepoint name; offsets count in it */
	UE_FAULT_NAME_TOO_LONG,	 /* -EOPNOTSUPP: more than 255 bytes */
	UE_FAULT_NAME_NUL,	 /* -EOPNOTSUPP: NUL inside */
	UE_FAULT_NAME_NO_LEVEL,	 /* -EOPNOTSUPP: no _L and 1 or 2 hex digits */
	UE_FAULT_NAME_NO_KEYWORD, /* -EOPNOTSUPP: no K and 1 to 16 hex digits */
	UE_FAULT_NAME_OPTIONS,	 /* -EOPNOTSUPP: malformed options */
	UE_FAULT_NAME_PROVIDER,	 /* -EINVAL: not fit for registering */

	/* the event; offsets count in it */
	UE_FAULT_OPTS,		      /* -EINVAL, -E2BIG: the caller's options */
	UE_FAULT_EVENT_TOO_SHORT,     /* -EINVAL: less than 8 bytes */
	UE_FAULT_EVENT_TOO_LONG,      /* -EINVAL: more than 2^31 - 1 bytes */
	UE_FAULT_HEADER_FLAGS,	      /* -EOPNOTSUPP: unknown flags */
	UE_FAULT_LEVEL_MISMATCH,      /* -EOPNOTSUPP: not the name's level */
	UE_FAULT_EXTENSION_TRUNCATED, /* -EBADMSG: ends within the prefix */
	UE_FAULT_EXTENSION_PAST_END,  /* -EBADMSG: size beyond the end */
	UE_FAULT_EXTENSION_KIND,      /* -EBADMSG: kind 0 */
	UE_FAULT_EXTENSION_DUPLICATE, /* -EBADMSG: a kind given twice */
	UE_FAULT_ACTIVITY_SIZE,	      /* -EBADMSG: neither 16 nor 32 bytes */
	UE_FAULT_METADATA_MISSING,    /* -EOPNOTSUPP: does not describe itself */
	UE_FAULT_EVENT_NAME_UNTERMINATED, /* -EBADMSG: no NUL in the metadata */

	UE_FAULT_FIELD_NAME_UNTERMINATED, /* -EBADMSG */
	UE_FAULT_FIELD_TRUNCATED,     /* -EBADMSG: encoding, format, tag or count */
	UE_FAULT_ENCODING_INVALID,    /* -EBADMSG: encoding 0 */
	UE_FAULT_ENCODING_UNKNOWN,    /* -EOPNOTSUPP: encoding 14 to 31 */
	UE_FAULT_ARRAY_FLAGS,	      /* -EOPNOTSUPP: both kinds of array */
	UE_FAULT_ARRAY_COUNT_ZERO,    /* -EBADMSG: constant count 0 */
	UE_FAULT_STRUCT_EMPTY,	      /* -EBADMSG: a struct of 0 members */
	UE_FAULT_NESTING_TOO_DEEP,    /* -ELOOP: beyond UE_READER_DEPTH_MAX */
	UE_FAULT_VALUE_PAST_END,      /* -EBADMSG: value longer than the rest */
	UE_FAULT_ARRAY_PAST_END,      /* -EBADMSG: array longer than the rest */
	UE_FAULT_STRING_UNTERMINATED, /* -EBADMSG: no 0 unit */
	UE_FAULT_STRING_PAST_END,     /* -EBADMSG: counted string too long */
	UE_FAULT_STEP_LIMIT,	      /* -E2BIG: more work than the size is worth */
	UE_FAULT_END,
};

/* A fault and its place. All zero: none. Does not grow. */
struct ue_eventheader_error {
	int error;	    /* -errno */
	uint32_t fault;	    /* enum ue_fault */
	size_t offset;	    /* of the first wrong byte */
	const char *name;   /* ue_name(UE_NAME_FAULT, fault) */
	const char *reason; /* ue_name(UE_NAME_FAULT_REASON, fault) */
};

#ifdef __cplusplus
}
#endif

#include <userevents/abi/restore_names.h>
#endif
