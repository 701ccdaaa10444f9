/* SPDX-License-Identifier: MIT */
/*
 * Reading records of tracepoints, whose fields are described elsewhere: in a format file
 * of tracefs, of which recordings have copies, or in the definition that an event is
 * registered with.
 *
 *	struct ue_record_field fields[64];
 *	struct ue_record_layout layout;
 *	char line[4096];
 *	int count;
 *
 *	count = ue_record_layout_parse(&layout, "user_events", text, length, fields,
 *				       64, 0);
 *	if (count >= 0 && count <= 64)
 *		ue_record_to_json(&layout, bytes, size, NULL, line, sizeof(line));
 *
 * Records and descriptions may be any bytes. Nothing is allocated, nothing
 * is read beyond the record, and the work is linear in its size and in the number of
 * fields.
 */
#ifndef USEREVENTS_DECODE_RECORD_H
#define USEREVENTS_DECODE_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include <userevents/abi/event_state.h>
#include <userevents/decode/render.h>
#include <userevents/decode/reader.h>

#include <userevents/abi/hide_names.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The place of a field's bytes. */
enum ue_location {
	UE_LOCATION_HERE = 0, /* in the field itself */
	/* Elsewhere, and the field, or its first four bytes, holds size << 16 | offset: */
	UE_LOCATION_DATA = 1,	  /* counted from the start of the common fields */
	UE_LOCATION_RELATIVE = 2, /* counted from the end of the field */
};

/*
 * One field. Texts point into the description and are not NUL-terminated. The struct does
 * not grow, since it stands in arrays; later versions use spare.
 */
struct ue_record_field {
	const char *name; /* without brackets */
	const char *type; /* as it is described, "unsigned int", "__rel_loc char[]" */
	uint32_t name_length;
	uint32_t type_length;
	uint32_t offset; /* from the end of the common fields, in bytes */
	uint32_t size;	 /* there, in bytes; 0: all that is left of the record */
	/* How to interpret the bytes, or each element of an array. */
	uint8_t encoding;     /* enum ue_encoding */
	uint8_t format;	      /* enum ue_format */
	uint8_t element_size; /* of a number, in bytes; 0: text or bytes */
	uint8_t is_array;     /* of numbers; or of texts, each with a location of its own */
	uint8_t location;     /* enum ue_location */
	uint8_t spare[7];
};

/* The records of one tracepoint. */
struct ue_record_layout {
	size_t size;	    /* of the part that the library set */
	const char *system; /* as it was given, "user_events" */
	size_t system_length;
	const char *name;
	size_t name_length;
	const struct ue_record_field *fields; /* without the common ones */
	uint32_t field_count;
	uint32_t id;	       /* the kernel's number of the tracepoint; 0: not known */
	uint32_t common_size;  /* of the common fields before them, in bytes */
	uint32_t fixed_size;   /* up to the end of the last field */
	uint8_t big_endian;    /* byte order of the records */
	uint8_t is_eventheader; /* the records describe themselves */
	uint8_t spare[6];
};

enum ue_record_flags {
	/*
	 * The records come from a machine of big-endian byte order, or of
	 * little-endian.
	 */
	UE_RECORD_BIG_ENDIAN = 1 << 0,
	UE_RECORD_LITTLE_ENDIAN = 1 << 1,
	/* Text is ISO 8859-1; otherwise UTF-8, with invalid bytes read as ISO 8859-1. */
	UE_RECORD_LATIN1 = 1 << 2,
};

/*
 * Read a format file, /sys/kernel/tracing/events/SYSTEM/NAME/format.
 *
 * layout: overwritten; it refers to text, system and fields, which must stay valid.
 * system: NUL-terminated.
 * text, length: the contents of the file.
 * fields, fields_max: an array for the fields, and its size.
 * flags: UE_RECORD_*; without a byte order, this machine's.
 *
 * How a field is interpreted follows from its type, size and sign:
 *   char			one character
 *   arrays of char		text up to the first NUL; with __rel_loc, up to the last
 *				byte, if that is a NUL
 *   integers of any name	decimal, with or without sign
 *   unsigned long, pointers	hexadecimal
 *   float, double		floating point
 *   bool, _Bool		true or false
 *   arrays of u8, unsigned char	bytes
 *   struct, union, and other sizes than 1, 2, 4 or 8	bytes
 * Probes have their fields and their "print fmt" in the same order: their unsigned integers that
 * are printed with "0x%" or "%pS" are hexadecimal, and those with "'%c'" characters.
 * The number in brackets counts for types of unknown size alone: user events may
 * have any number there.
 *
 * A tracepoint is EventHeader when its name and its fields are those of one
 * (eventheader_name.h).
 *
 * Returns the number of fields; if that is more than fields_max, call again with a larger
 * array. Or
 *   -EBADMSG  not a format file;
 *   -EINVAL   unknown or contradictory flags.
 * Any thread, signal handlers too. Since 0.1.
 */
UE__PUBLIC int ue_record_layout_parse_sized(struct ue_record_layout *layout, size_t size,
					    const char *system, const char *text,
					    size_t length,
					    struct ue_record_field *fields,
					    size_t fields_max, uint32_t flags);

static inline int ue_record_layout_parse(struct ue_record_layout *layout,
					 const char *system, const char *text,
					 size_t length, struct ue_record_field *fields,
					 size_t fields_max, uint32_t flags)
{
	return ue_record_layout_parse_sized(layout, sizeof(*layout), system, text, length,
					    fields, fields_max, flags);
}

/*
 * The same from a definition, the text that an event is registered with. id is 0.
 *
 * definition: NUL-terminated. Other parameters as above.
 *
 * Returns the number of fields, or -EINVAL for a definition that
 * ue_definition_check() refuses, or for flags. Any thread, signal handlers too. Since
 * 0.1.
 */
UE__PUBLIC int ue_record_layout_define_sized(struct ue_record_layout *layout, size_t size,
					     const char *system, const char *definition,
					     struct ue_record_field *fields,
					     size_t fields_max, uint32_t flags);

static inline int ue_record_layout_define(struct ue_record_layout *layout,
					  const char *system, const char *definition,
					  struct ue_record_field *fields,
					  size_t fields_max, uint32_t flags)
{
	return ue_record_layout_define_sized(layout, sizeof(*layout), system, definition,
					     fields, fields_max, flags);
}

/*
 * One field of a record, as a reader returns it: ue_value_u64(),
 * ue_value_to_text() and so on take item->value.
 *
 * layout: with as many fields as there are.
 * index: of the field.
 * bytes, length: the record after its common fields: for a user event, the bytes that
 *   the program wrote. Bytes after the last field, such as perf's padding, do not matter.
 * item: overwritten. An array of numbers is a UE_ITEM_ARRAY_BEGIN whose value has the
 *   bytes of all; its elements are of item->element_size bytes each. Of unsigned bytes
 *   it is a UE_ITEM_VALUE, binary, as it is in EventHeader events.
 *
 * Returns UE_ITEM_VALUE, UE_ITEM_ARRAY_BEGIN, or
 *   -EBADMSG  the record ends before the field, or before the place of its location:
 *             item->value is then shown as null, and item->offset is where the wrong
 *             field or location is;
 *   -ENOENT   there is no such field.
 * Any thread, signal handlers too. Since 0.1.
 */
UE__PUBLIC int ue_record_item_sized(const struct ue_record_layout *layout, uint32_t index,
				    const void *bytes, size_t length,
				    struct ue_item *item, size_t size);

static inline int ue_record_item(const struct ue_record_layout *layout, uint32_t index,
				 const void *bytes, size_t length, struct ue_item *item)
{
	return ue_record_item_sized(layout, index, bytes, length, item, sizeof(*item));
}

/*
 * A record as JSON, in one line without newline:
 *
 *	{"n":"user_events:request_done","status":200,"path":"/","meta":{"pid":12}}
 *
 * An EventHeader record as of ue_reader_to_json(), with the same options. Of others,
 * UE_META_PROVIDER is the system and UE_META_EVENT the name, and only these and the
 * members of the sample mean anything. A field that cannot be read is null, and the
 * last member of meta describes the first such error, as for
 * EventHeader; all others are shown.
 *
 * layout: with as many fields as there are.
 * bytes, length: as of ue_record_item().
 * opts: NULL for UE_RENDER_TAGS and UE_META_DEFAULT.
 * out, size: as of ue_reader_to_json(), as is what is returned. Any thread, signal
 * handlers too. Since 0.1.
 */
UE__PUBLIC ptrdiff_t ue_record_to_json(const struct ue_record_layout *layout,
				   const void *bytes, size_t length,
				   const struct ue_render_opts *opts, char *out,
				   size_t size);

/*
 * A record as a line of text, without newline:
 *
 *	user_events:request_done status=200 path="/" meta={pid=12}
 *
 * Parameters, result and safety as of ue_record_to_json(). Since 0.1.
 */
UE__PUBLIC ptrdiff_t ue_record_to_text(const struct ue_record_layout *layout,
				   const void *bytes, size_t length,
				   const struct ue_render_opts *opts, char *out,
				   size_t size);

#ifdef __cplusplus
}
#endif

#include <userevents/abi/restore_names.h>
#endif
