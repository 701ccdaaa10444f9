/* SPDX-License-Identifier: MIT */
/*
 * EventHeader events and values as text and as JSON.
 *
 * The text goes to a buffer of the caller's, as with snprintf(3): each function
 * returns how many bytes the whole text needs, without the NUL; when that is less
 * than size, all of it was written. Otherwise as many whole characters as fit were,
 * and a NUL; with size 0, out may be NULL and nothing is written. Text is
 * valid UTF-8 whatever the event holds; JSON, where not cut off, is valid too. In JSON
 * and lines of text there is no control character: C0, DEL and C1 are escaped.
 *
 * An event as JSON, in one line without newline, here with some of its parts:
 *
 *	{"n":"Shop:Order","price":9.5,"items":[{"id":1},{"id":2}],
 *	 "meta":{"level":4,"keyword":"0x1F"}}
 *
 * Keys are the names of the fields with their attributes. A field of the event itself
 * (not of a struct) that is named n, meta, common_type, common_flags,
 * common_preempt_count or common_pid, or so with '_' before it, gets one '_' more, so
 * that it does not hide other members of the event: "_n" is the field n. Two
 * fields of one name become two members of one name.
 *
 * With UE_RENDER_NESTED the fields have an object of their own, and their names stay:
 *
 *	{"provider":"Shop","event":"Order","level":4,"keyword":"0x1F",
 *	 "fields":{"price":9.5,"n":3,"items":[{"id":1},{"id":2}]}}
 *
 * Other members are as in "meta"; UE_META_N stands for "provider" and "event".
 *
 * An error in the event does not lose the fields before it: open arrays and structs are
 * closed, and the last member of "meta" reports the error and its place:
 *
 *	"error":{"name":"string_unterminated","offset":61,
 *		 "reason":"A string has no NUL before the end of the event."}
 *
 * The name is that of an enum ue_fault; the offset counts in the event's bytes,
 * or, when the name begins with "name_", in the tracepoint's name. An event that
 * could not be begun (ue_reader_begin()) shows the tracepoint's name as "n" and,
 * where there are as many bytes, the fields of its header:
 *
 *	{"n":"Shop_L4K1","eventheader_flags":7,"version":0,"id":0,"tag":0,
 *	 "opcode":0,"level":5,"meta":{"error":{"name":"level_mismatch", ...}}}
 */
#ifndef USEREVENTS_DECODE_RENDER_H
#define USEREVENTS_DECODE_RENDER_H

#include <stddef.h>
#include <stdint.h>

#include <userevents/abi/event_state.h>
#include <userevents/decode/reader.h>

#include <userevents/abi/hide_names.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How to write. */
enum ue_render_flags {
	/* Begin with "NAME": the event's name, or the field's of an item. */
	UE_RENDER_NAME = 1 << 0,
	/*
	 * A blank after '{', '[', ':' and ',', before ']' and '}', and before all, so
	 * that the text can follow a '[' or ','. JSON alone.
	 */
	UE_RENDER_SPACE = 1 << 1,
	/* Fields with a tag are named "NAME;tag=0x12". */
	UE_RENDER_TAGS = 1 << 2,
	/*
	 * Control characters (C0, DEL, C1), quotation marks and backslashes are written
	 * as in JSON strings: \u007f. Text of a value alone.
	 */
	UE_RENDER_ESCAPE = 1 << 3,
	/*
	 * The fields in an object "fields", behind all other members except "error".
	 * JSON of an event alone.
	 */
	UE_RENDER_NESTED = 1 << 4,
};

/*
 * Members beside the fields. Those whose value is 0 or empty are left
 * out, except time, cpu, pid, tid, provider, event, flags.
 */
enum ue_meta {
	UE_META_N = 1 << 0, /* "n":"PROVIDER:EVENT", before the fields */
	UE_META_TIME = 1 << 1, /* of the sample, as the next three */
	UE_META_CPU = 1 << 2,
	UE_META_PID = 1 << 3,
	UE_META_TID = 1 << 4,
	UE_META_ID = 1 << 5,
	UE_META_VERSION = 1 << 6,
	UE_META_LEVEL = 1 << 7,
	UE_META_KEYWORD = 1 << 8,
	UE_META_OPCODE = 1 << 9,
	UE_META_TAG = 1 << 10,
	UE_META_ACTIVITY = 1 << 11,
	UE_META_RELATED_ACTIVITY = 1 << 12,
	UE_META_COMM = 1 << 13, /* of the sample: the thread's name */
	UE_META_LOST = 1 << 14, /* of the sample, unless 0 */
	UE_META_CGROUP = 1 << 15, /* of the sample: the path of the control group */
	UE_META_PROVIDER = 1 << 16,
	UE_META_EVENT = 1 << 17, /* the event's name with attributes */
	UE_META_OPTIONS = 1 << 18,
	UE_META_FLAGS = 1 << 19,
	UE_META_COMMON = 1 << 20, /* of the sample: common_type and so on */
	UE_META_DEFAULT = 0xffff, /* UE_META_N to UE_META_CGROUP */
	UE_META_NONE = 1 << 21, /* nothing; alone */
};

/*
 * The record that the event came in. present has UE_META_TIME, _CPU, _PID, _TID, _COMM,
 * _LOST, _CGROUP and _COMMON for the members that are set.
 */
struct ue_sample {
	size_t size; /* sizeof(struct ue_sample) */
	uint32_t present;
	/* since 1970 when 1: "2026-01-31T12:00:00.000000000Z"; or 12.000000000 */
	uint32_t is_wall_clock;
	int64_t time; /* nanoseconds */
	uint32_t cpu;
	uint32_t pid;
	uint32_t tid;
	uint16_t common_type;
	uint8_t common_flags;
	uint8_t common_preempt_count;
	int32_t common_pid;
	uint32_t lost;	  /* events of the same process that are missing before this one: of a
			   * ring, those of the same processor */
	const char *comm; /* UTF-8, or ISO 8859-1 where it is not */
	const char *cgroup; /* "/system.slice/shop.service"; bytes as in comm */
};

/* Zero it, set size, set what you need. */
struct ue_render_opts {
	size_t size;	/* sizeof(struct ue_render_opts) */
	uint32_t flags; /* UE_RENDER_* */
	uint32_t meta;	/* UE_META_*; 0: UE_META_DEFAULT */
	const struct ue_sample *sample; /* or NULL */
	/*
	 * Overwritten with the error in the event, all zero if there is none; or NULL.
	 * Not by ue_reader_item_to_json(), after which ue_reader_error() has it.
	 */
	struct ue_eventheader_error *error;
};

/*
 * An event as JSON.
 *
 * reader: from ue_reader_begin(), whether that failed or not. Goes back to the
 *   first field, and is at the end afterwards: ue_reader_error() says
 *   whether there was an error, ue_reader_trailing() how many bytes followed.
 * opts: NULL for UE_RENDER_TAGS and UE_META_DEFAULT.
 * out, size: see above.
 *
 * Returns the bytes needed, or
 *   -EINVAL  the options are malformed;
 *   -E2BIG   they come from a later version of the library.
 * Any thread, each with its own reader; signal handlers too. Since 0.1.
 */
UE__PUBLIC ptrdiff_t ue_reader_to_json(struct ue_reader *reader,
				  const struct ue_render_opts *opts, char *out,
				  size_t size);

/*
 * An event as a line of text, without newline:
 *
 *	Shop:Order price=9.5 items=[{id=1} {id=2}] meta={level=info keyword=0x1F}
 *
 * Strings and bytes are quoted and escaped as in JSON, and so is a name with other
 * characters than letters, digits, '_', '.', '-' and ';'. Levels are critical, error,
 * warning, info and verbose; opcodes are start, stop, collection_start, collection_stop,
 * extension, reply, resume, suspend, send and receive; others are numbers, as all are in
 * JSON. Of the flags, UE_RENDER_TAGS alone means something here.
 *
 * Parameters, result and safety as of ue_reader_to_json(). Since 0.1.
 */
UE__PUBLIC ptrdiff_t ue_reader_to_text(struct ue_reader *reader,
				  const struct ue_render_opts *opts, char *out,
				  size_t size);

/*
 * The item that the reader is at as JSON: a value, or from the beginning of an array
 * or struct to its end. With UE_RENDER_NAME and when it is no element, as
 * "name":value.
 *
 * reader: after ue_reader_next() or ue_reader_next_sibling() returned a value or
 *   the beginning of an array or struct. Afterwards it is at the end of the item. To
 *   try again with a larger buffer, use a copy of the reader. On an error inside,
 *   open arrays and structs are closed, and ue_reader_error() has the error.
 * opts: NULL for UE_RENDER_TAGS; meta and sample mean nothing here.
 * out, size: see above.
 *
 * Returns the bytes needed, or
 *   -ENOENT  the reader is not at a value, or the beginning of an array or struct;
 *   -EINVAL, -E2BIG as ue_reader_to_json().
 * Any thread, each with its own reader; signal handlers too. Since 0.1.
 */
UE__PUBLIC ptrdiff_t ue_reader_item_to_json(struct ue_reader *reader,
				 const struct ue_render_opts *opts, char *out,
				 size_t size);

/*
 * A value as plain text, without quotes: 17, 0x11, EPERM(1), null.
 *
 * value: of an item of kind UE_ITEM_VALUE.
 * flags: UE_RENDER_ESCAPE or 0; without it, text is as in the event, with
 *   NULs and control characters.
 * out, size: see above.
 *
 * Numbers are decimal, and UE_FORMAT_HEX_INT is 0x and upper-case digits. Floats
 * have the fewest digits that read back as the same number, or are inf, -inf, nan
 * or -nan. Bytes are lower-case hex digits with a blank between bytes. Times are
 * UTC, 2026-01-31T12:00:00Z, or TIME(seconds) where the year is beyond 32 bits.
 *
 * Returns the bytes needed, or -EINVAL for another encoding than of a value, a length
 * that is not the encoding's, or unknown flags. Any thread, signal handlers too. Since
 * 0.1.
 */
UE__PUBLIC ptrdiff_t ue_value_to_text(const struct ue_value *value, uint32_t flags,
				  char *out, size_t size);

/*
 * A value as JSON: numbers, true, false and null bare, all else quoted.
 * Parameters, result and safety as of ue_value_to_text(), without flags. Since 0.1.
 */
UE__PUBLIC ptrdiff_t ue_value_to_json(const struct ue_value *value, char *out,
				  size_t size);

#ifdef __cplusplus
}
#endif

#include <userevents/abi/restore_names.h>
#endif
