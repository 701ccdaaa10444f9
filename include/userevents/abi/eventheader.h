/* SPDX-License-Identifier: MIT */
/*
 * EventHeader on the wire: numbers and packed structs, no functions.
 *
 *	event     := header extension* payload
 *	extension := prefix data
 *
 * Everything is tightly packed, and in the byte order that the header's flags
 * name. The extension of kind UE_EXTENSION_METADATA describes the payload:
 *
 *	metadata  := event-name NUL field*
 *	field     := name NUL encoding [format [tag]] [count]
 *
 * Writer and reader both build on this file alone.
 */
#ifndef USEREVENTS_ABI_EVENTHEADER_H
#define USEREVENTS_ABI_EVENTHEADER_H

#include <stdint.h>

#include <userevents/language.h>

#include <userevents/abi/hide_names.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The fields of every EventHeader tracepoint, as they are registered. The kernel
 * compares this text with that of other programs, so not a blank may differ.
 */
#define UE_EVENTHEADER_FIELDS                                    \
	"u8 eventheader_flags; u8 version; u16 id; u16 tag; u8 " \
	"opcode; u8 level"

/* Longest tracepoint name PROVIDER_LlevelKkeywordOPTIONS, without NUL. */
#define UE_EVENTHEADER_NAME_MAX 255u

/* The header's flags. */
enum ue_header_flags {
	UE_HEADER_POINTER64 = 0x01,	/* the writer's pointers have 64 bits */
	UE_HEADER_LITTLE_ENDIAN = 0x02, /* byte order of the event */
	UE_HEADER_EXTENSION = 0x04,	/* an extension follows the header */
	UE_HEADER_KNOWN = 0x07,		/* all others are 0 */
	/* of an event that this machine writes, without UE_HEADER_EXTENSION */
	UE_HEADER_NATIVE =
		(sizeof(void *) == 8 ? UE_HEADER_POINTER64 : 0) |
		(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? UE_HEADER_LITTLE_ENDIAN : 0),
};

/* How important an event is; 6 to 255 have no agreed meaning. */
enum ue_level {
	UE_LEVEL_INVALID = 0,
	UE_LEVEL_CRITICAL_ERROR = 1,
	UE_LEVEL_ERROR = 2,
	UE_LEVEL_WARNING = 3,
	UE_LEVEL_INFORMATION = 4,
	UE_LEVEL_VERBOSE = 5,
};

/* An event says this about an activity; any other byte is legal too. */
enum ue_opcode {
	UE_OPCODE_INFO = 0,
	UE_OPCODE_ACTIVITY_START = 1,
	UE_OPCODE_ACTIVITY_STOP = 2,
	UE_OPCODE_COLLECTION_START = 3,
	UE_OPCODE_COLLECTION_STOP = 4,
	UE_OPCODE_EXTENSION = 5,
	UE_OPCODE_REPLY = 6,
	UE_OPCODE_RESUME = 7,
	UE_OPCODE_SUSPEND = 8,
	UE_OPCODE_SEND = 9,
	UE_OPCODE_RECEIVE = 0xf0,
};

/* Kinds of extension. Readers pass over kinds they do not know. */
enum ue_extension_kind {
	UE_EXTENSION_INVALID = 0,
	UE_EXTENSION_METADATA = 1,
	UE_EXTENSION_ACTIVITY = 2, /* 16 bytes: id; or 32: id, related id */
	UE_EXTENSION_KIND_MASK = 0x7fff,
	UE_EXTENSION_CHAIN = 0x8000, /* another extension follows this one */
};

/* How a value lies in the payload: low five bits, and flags above them. */
enum ue_encoding {
	UE_ENCODING_INVALID = 0,
	UE_ENCODING_STRUCT = 1, /* the next N fields, N in place of the format */
	UE_ENCODING_VALUE8 = 2,
	UE_ENCODING_VALUE16 = 3,
	UE_ENCODING_VALUE32 = 4,
	UE_ENCODING_VALUE64 = 5,
	UE_ENCODING_VALUE128 = 6,
	UE_ENCODING_ZSTRING_CHAR8 = 7, /* up to and including a 0 unit */
	UE_ENCODING_ZSTRING_CHAR16 = 8,
	UE_ENCODING_ZSTRING_CHAR32 = 9,
	UE_ENCODING_STRING_LENGTH16_CHAR8 = 10, /* u16 count, count units */
	UE_ENCODING_STRING_LENGTH16_CHAR16 = 11,
	UE_ENCODING_STRING_LENGTH16_CHAR32 = 12,
	UE_ENCODING_BINARY_LENGTH16_CHAR8 = 13,
	UE_ENCODING_END = 14, /* first value without meaning */

	UE_ENCODING_VALUE_MASK = 0x1f,
	UE_ENCODING_CARRAY = 0x20, /* array; u16 count in the metadata, not 0 */
	UE_ENCODING_VARRAY = 0x40, /* array; u16 count in the payload */
	UE_ENCODING_CHAIN = 0x80,  /* a format byte follows */

	/* of types of C, as this machine has them */
	UE_ENCODING_LONG = sizeof(long) == 8 ? UE_ENCODING_VALUE64 : UE_ENCODING_VALUE32,
	UE_ENCODING_POINTER = sizeof(void *) == 8 ? UE_ENCODING_VALUE64 :
						    UE_ENCODING_VALUE32,
	UE_ENCODING_SIZE = UE_ENCODING_POINTER,
	UE_ENCODING_FLOAT = UE_ENCODING_VALUE32,
	UE_ENCODING_DOUBLE = UE_ENCODING_VALUE64,
};

/* The meaning of a value's bytes: low seven bits, and a flag. */
enum ue_format {
	UE_FORMAT_DEFAULT = 0, /* as the encoding suggests */
	UE_FORMAT_UNSIGNED_INT = 1,
	UE_FORMAT_SIGNED_INT = 2,
	UE_FORMAT_HEX_INT = 3,
	UE_FORMAT_ERRNO = 4,
	UE_FORMAT_PID = 5,
	UE_FORMAT_TIME = 6, /* signed seconds since 1970-01-01 UTC */
	UE_FORMAT_BOOLEAN = 7,
	UE_FORMAT_FLOAT = 8,
	UE_FORMAT_HEX_BYTES = 9,
	UE_FORMAT_STRING8 = 10, /* read as ISO 8859-1 */
	UE_FORMAT_STRING_UTF = 11,
	UE_FORMAT_STRING_UTF_BOM = 12, /* a byte order mark decides */
	UE_FORMAT_STRING_XML = 13,
	UE_FORMAT_STRING_JSON = 14,
	UE_FORMAT_UUID = 15,		   /* bytes in RFC 4122 order */
	UE_FORMAT_PORT = 16,		   /* network byte order */
	UE_FORMAT_IP_ADDRESS = 17,	   /* 4 or 16 bytes, network byte order */
	UE_FORMAT_IP_ADDRESS_OBSOLETE = 18, /* read as 17, never written */
	UE_FORMAT_END = 19,		   /* first value without meaning */

	UE_FORMAT_VALUE_MASK = 0x7f,
	UE_FORMAT_CHAIN = 0x80, /* a u16 tag follows */
};

/* A struct has 1 to this many members. */
#define UE_STRUCT_MEMBERS_MAX 127u

/* The first bytes of an event. */
struct ue_eventheader {
	uint8_t flags;	 /* enum ue_header_flags */
	uint8_t version; /* of id; 0 without id */
	uint16_t id;	 /* lasting id of the event; 0: none */
	uint16_t tag;	 /* the provider's own; 0: none */
	uint8_t opcode;	 /* enum ue_opcode */
	uint8_t level;	 /* enum ue_level, the same as in the tracepoint's name */
} __attribute__((__packed__));

/* An extension begins with this. */
struct ue_eventheader_extension {
	uint16_t size; /* bytes of data after this prefix */
	uint16_t kind; /* enum ue_extension_kind, with UE_EXTENSION_CHAIN */
} __attribute__((__packed__));

/* Data of UE_EXTENSION_ACTIVITY; without a related id, its first half. */
struct ue_eventheader_activity {
	uint8_t id[16];
	uint8_t related_id[16];
} __attribute__((__packed__));

UE__STATIC_ASSERT(sizeof(struct ue_eventheader) == 8, "wire format");
UE__STATIC_ASSERT(sizeof(struct ue_eventheader_extension) == 4, "wire format");
UE__STATIC_ASSERT(sizeof(struct ue_eventheader_activity) == 32, "wire format");
UE__STATIC_ASSERT(sizeof(UE_EVENTHEADER_FIELDS) == 70 + 1, "wire format");

#ifdef __cplusplus
}
#endif

#include <userevents/abi/restore_names.h>
#endif
