/* SPDX-License-Identifier: MIT */
/*
 * Reading EventHeader events.
 *
 *	struct ue_reader reader;
 *	int kind;
 *
 *	ue_reader_begin(&reader, name, strlen(name), bytes, length, NULL);
 *	while ((kind = ue_reader_next(&reader)) > 0)
 *		if (kind == UE_ITEM_VALUE)
 *			look(ue_reader_item(&reader));
 *	if (kind < 0)
 *		complain(ue_reader_error(&reader)->reason);
 *
 * The reader accepts any bytes. It allocates nothing, does not recurse, reads
 * nothing beyond the event, and its work is linear in the event's size. Items that
 * it returned before an error are valid.
 *
 * Nothing is copied: name and bytes must stay valid until the last use of the reader
 * and of its items. A copy of a reader is a second reader at the same place.
 */
#ifndef USEREVENTS_DECODE_READER_H
#define USEREVENTS_DECODE_READER_H

#include <stddef.h>
#include <stdint.h>

#include <userevents/abi/event_state.h>
#include <userevents/abi/eventheader.h>
#include <userevents/eventheader_fault.h>

#include <userevents/abi/hide_names.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Levels of nested structs; deeper nesting is an error. */
#define UE_READER_DEPTH_MAX 32u

/*
 * The default limit of steps for an event of some length. A step is a field's
 * definition, 16 bytes of one, or an element of an array of structs, each time the
 * reader meets it; elements of other arrays are free. The limit is enough for every
 * event whose structs in arrays have a payload and names of moderate length. Events
 * with tens of thousands of empty structs exceed it.
 */
#define UE_READER_STEPS_DEFAULT(length) (4096u + 160u * (uint64_t)(length))

enum ue_reader_flags {
	/*
	 * The name is of system user_events_multi, which appends a number:
	 * PROVIDER_L1K1.7.
	 */
	UE_READER_MULTI_FORMAT = 1 << 0,
};

/* How to read. Zero it, set size, set what you need. */
struct ue_reader_opts {
	size_t size;	    /* sizeof(struct ue_reader_opts) */
	uint32_t flags;	    /* UE_READER_* */
	uint32_t spare;	    /* 0 */
	uint64_t steps_max; /* 0: UE_READER_STEPS_DEFAULT() */
};

/* The properties of an event. Texts are not NUL-terminated. */
struct ue_event_info {
	const char *tracepoint; /* the name given, without ".7" */
	size_t tracepoint_length;
	const char *provider;
	size_t provider_length;
	const char *options; /* of the tracepoint's name, "Gmygroup" */
	size_t options_length;
	const char *name; /* of the event, with attributes: "name;a=b" */
	size_t name_length;
	size_t name_proper_length;   /* up to the first ';' */
	const uint8_t *activity_id;  /* 16 bytes, or NULL */
	const uint8_t *related_id;   /* 16 bytes, or NULL */
	uint64_t keyword;
	uint16_t id;
	uint16_t tag;
	uint8_t flags; /* enum ue_header_flags */
	uint8_t version;
	uint8_t opcode; /* enum ue_opcode */
	uint8_t level;	/* enum ue_level */
};

/* One value: where its bytes are, and how to interpret them. Does not grow. */
struct ue_value {
	const uint8_t *bytes; /* without terminator or count */
	uint32_t length;      /* in bytes */
	uint8_t encoding;     /* enum ue_encoding, without flags */
	uint8_t format;	      /* enum ue_format, without flag */
	uint8_t big_endian;   /* byte order of the event */
	uint8_t spare;
};

/* Kinds of items. */
enum ue_item_kind {
	UE_ITEM_END = 0, /* no more fields */
	UE_ITEM_VALUE,
	UE_ITEM_ARRAY_BEGIN,
	UE_ITEM_ARRAY_END,
	UE_ITEM_STRUCT_BEGIN,
	UE_ITEM_STRUCT_END,
};

/* An item. */
struct ue_item {
	uint32_t kind;	     /* enum ue_item_kind */
	uint32_t depth;	     /* structs around it */
	const char *name;    /* of the field, with attributes; not NUL-terminated */
	uint32_t name_length;
	uint16_t tag;	     /* of the field; 0: none */
	uint8_t is_element;  /* a value or struct of an array */
	uint8_t array;	     /* UE_ENCODING_CARRAY, UE_ENCODING_VARRAY or 0 */
	uint32_t index;	     /* of an element */
	uint32_t count;	     /* elements of the array; 1 without one */
	uint32_t offset;     /* of value.bytes in the event */
	uint16_t element_size; /* of each, in bytes; 0: each its own */
	uint8_t members;     /* of a struct, as its definition says */
	uint8_t spare;
	/*
	 * The value. At the beginning of an array with an element_size, the bytes of
	 * the whole array; otherwise without bytes, and encoding and format are
	 * those of the elements.
	 */
	struct ue_value value;
};

/*
 * A reader. Its contents belong to the library; functions below return the event and its
 * items. The size is the same in all versions.
 */
#define UE__READER_BYTES 1280u

struct ue_reader {
	union {
		uint64_t alignment;
		unsigned char bytes[UE__READER_BYTES];
	} ue__own;
};

/*
 * Begin to read an event.
 *
 * reader: overwritten.
 * name, name_length: the tracepoint's name, without system, in bytes.
 * bytes, length: the event from the header's flags on: what follows the common
 *   fields of a record. Both are kept by reference.
 * opts: NULL for the defaults.
 *
 * Returns 0, or, with the reason in ue_reader_error(), when this is not an event that
 * can be read at all:
 *   -EINVAL      fewer than 8 bytes or more than 2^31 - 1, or malformed options;
 *   -E2BIG       the options come from a later version of the library;
 *   -EOPNOTSUPP  the name is not an EventHeader tracepoint's, or its level is not
 *                the event's, or unknown flags, or no metadata;
 *   -EBADMSG     malformed extensions.
 * ue_reader_to_json() and ue_reader_to_text() take such a reader too.
 * Any thread, each with its own reader; signal handlers too. Since 0.1.
 */
UE__PUBLIC int ue_reader_begin(struct ue_reader *reader, const char *name,
			   size_t name_length, const void *bytes, size_t length,
			   const struct ue_reader_opts *opts);

/*
 * Go back to the position before the first field.
 *
 * reader: from ue_reader_begin(). When that failed, so does this.
 *
 * Returns 0 or what ue_reader_begin() returned. Any thread, each with its own
 * reader; signal handlers too. Since 0.1.
 */
UE__PUBLIC int ue_reader_rewind(struct ue_reader *reader);

/*
 * Go to the next item, depth first: into arrays and structs.
 *
 * Returns the kind of ue_reader_item(), UE_ITEM_END (0) after the last field, or,
 * with the reason in ue_reader_error(), now and for every later call:
 *   -EBADMSG     the definition of a field, or its value, is malformed;
 *   -EOPNOTSUPP  an encoding that does not exist yet;
 *   -ELOOP       structs nested deeper than UE_READER_DEPTH_MAX;
 *   -E2BIG       more steps than allowed;
 *   or what ue_reader_begin() returned.
 * Any thread, each with its own reader; signal handlers too. Since 0.1.
 */
UE__PUBLIC int ue_reader_next(struct ue_reader *reader);

/*
 * Like ue_reader_next(), but skip from the beginning of an array or struct to the
 * item after its end. Arrays of values of fixed size are skipped in one step.
 * Returns as ue_reader_next(). Any thread, each with its own reader; signal handlers too.
 * Since 0.1.
 */
UE__PUBLIC int ue_reader_next_sibling(struct ue_reader *reader);

/*
 * Go to the next definition of a field, without values: in the order of the
 * metadata, members after their struct, each once. The position is independent of that
 * of ue_reader_next(). Overwrites ue_reader_item(): kind is
 * UE_ITEM_ARRAY_BEGIN for any array, else UE_ITEM_STRUCT_BEGIN or UE_ITEM_VALUE;
 * count is 0 for an array whose count is in the payload; depth is 0.
 *
 * Returns that kind, UE_ITEM_END (0) after the last, or an error as
 * ue_reader_next(). Any thread, each with its own reader; signal handlers too.
 * Since 0.1.
 */
UE__PUBLIC int ue_reader_next_field(struct ue_reader *reader);

/*
 * The event and the item that the reader is at. Each pointer is valid as long as the
 * reader; its target changes with the next call that moves the reader.
 *
 * reader: after ue_reader_begin().
 *
 * ue_reader_info(): the event; valid when ue_reader_begin() returned 0.
 * ue_reader_item(): the item that the last call returned the kind of.
 * ue_reader_error(): all zero while nothing is wrong.
 * ue_reader_trailing(): how many bytes follow the last field, once that is read.
 *
 * Any thread, each with its own reader; signal handlers too. Since 0.1.
 */
UE__PUBLIC const struct ue_event_info *ue_reader_info(const struct ue_reader *reader);
UE__PUBLIC const struct ue_item *ue_reader_item(const struct ue_reader *reader);
UE__PUBLIC const struct ue_eventheader_error *
ue_reader_error(const struct ue_reader *reader);
UE__PUBLIC size_t ue_reader_trailing(const struct ue_reader *reader);

/*
 * The value as a number of 64 bits, in the event's byte order (UE_FORMAT_PORT in
 * network byte order). Signed: sign-extended. Double: from binary32 or binary64.
 *
 * value: of an item. number: overwritten on success.
 *
 * Returns 0, or -EINVAL when the value is not 1, 2, 4 or 8 bytes long (double: 4
 * or 8), or is a string that ends with a NUL or has units of 2 or 4 bytes. Counted
 * bytes can be a number, as values that may be missing are. Any thread, signal
 * handlers too. Since 0.1.
 */
UE__PUBLIC int ue_value_u64(const struct ue_value *value, uint64_t *number);
UE__PUBLIC int ue_value_s64(const struct ue_value *value, int64_t *number);
UE__PUBLIC int ue_value_f64(const struct ue_value *value, double *number);

/* How a value is to be understood, and is shown as text and JSON. */
enum ue_value_type {
	UE_TYPE_NULL = 0, /* it may be missing, and is */
	UE_TYPE_UNSIGNED, /* ue_value_u64(), also of the next three */
	UE_TYPE_BOOLEAN,  /* numbers other than 0 and 1 are shown as numbers */
	UE_TYPE_HEX,
	UE_TYPE_PORT,
	UE_TYPE_SIGNED, /* ue_value_s64(), also of the next two */
	UE_TYPE_ERRNO,
	UE_TYPE_TIME,	/* seconds since 1970 */
	UE_TYPE_FLOAT,	/* ue_value_f64() */
	UE_TYPE_TEXT,	/* ue_value_to_text(), also of the next two */
	UE_TYPE_UUID,
	UE_TYPE_IP_ADDRESS,
	UE_TYPE_BYTES,	/* value->bytes */
};

/*
 * The type of a value, which follows from its encoding, its format and its length.
 *
 * value: of an item.
 *
 * Returns enum ue_value_type, or -EINVAL for another encoding than of a value or a length
 * that is not the encoding's. Any thread, signal handlers too. Since 0.1.
 */
UE__PUBLIC int ue_value_type(const struct ue_value *value);

#ifdef __cplusplus
}
#endif

#include <userevents/abi/restore_names.h>
#endif
