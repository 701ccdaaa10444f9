/* SPDX-License-Identifier: MIT */
/*
 * The fields of an event. Each macro gives a field's name, its type in the trace and the
 * values that UE_WRITE() takes for it.
 *
 *	macro				in the trace		value(s)
 *	UE_U8 .. UE_U64(name)		u8 .. u64		integer
 *	UE_S8 .. UE_S64(name)		s8 .. s64		integer
 *	UE_HEX8 .. UE_HEX64(name)	u8 .. u64		integer
 *	UE_INT UE_UINT(name)		int, unsigned int	integer
 *	UE_SHORT UE_USHORT(name)	short, unsigned short	integer
 *	UE_LONG UE_ULONG(name)		s64, u64 (s32, u32)	integer
 *	UE_SIZE(name)			u64 (u32)		size_t
 *	UE_CHAR UE_UCHAR(name)		char, unsigned char	integer
 *	UE_BOOL(name)			u8, 0 or 1		bool
 *	UE_POINTER(name)		u64 (u32)		pointer
 *	UE_PID UE_ERRNO(name)		s32			integer
 *	UE_TIME32 UE_TIME64(name)	s32, s64		seconds since 1970
 *	UE_STRING(name)			__rel_loc char[]	string
 *	UE_STRING_MAX(name, max)	__rel_loc char[]	string
 *	UE_COUNTED_STRING(name)		__rel_loc char[]	bytes, length
 *	UE_BLOB(name)			__rel_loc u8[]		bytes, length
 *	UE_CHARS(name, n)		char[n]			string
 *	UE_BYTES(name, n)		unsigned char[n]	n bytes
 *	UE_STRUCT_BYTES(tag, name, n)	struct tag name n	struct tag *
 *	UE_DECLARED(type, name, text)	text			type
 *
 * UE_STRING writes NULL as "". UE_STRING_MAX writes at most the first max bytes; max is a
 * constant.
 * UE_CHARS writes at most the first n - 1 bytes and fills the field with NULs. UE_BYTES
 * and UE_STRUCT_BYTES copy n bytes; NULL is an error (-EFAULT) for them, and for a counted
 * field unless its length is 0. n becomes part of the definition's text, so it must be a
 * decimal number from 1 to 1024 without leading zeros, or a macro for one: 0x10, 4 + 4,
 * sizeof and enumerators do not compile. For UE_STRUCT_BYTES, n must equal
 * sizeof(struct tag).
 *
 * UE_DECLARED passes text to the kernel unchanged and copies the value, which has an
 * arithmetic or struct type. ue_register() refuses an event whose text and types differ in
 * size.
 *
 * EventHeader events (eventheader_event.h) take the same fields except UE_DECLARED. There,
 * each field describes itself, so that decoders show numbers in the right format; a string
 * is UTF-8 up to its NUL, and UE_BYTES and UE_STRUCT_BYTES are binary.
 * eventheader_fields.h has more types.
 *
 * The type of a classic field has a size and a sign, and nothing else that a tool could
 * read. So decoders show UE_HEX8 .. UE_HEX64, UE_POINTER, UE_BOOL, UE_ERRNO, UE_TIME32 and
 * UE_TIME64 as decimal numbers there, and in EventHeader events as 0xFF, true, ENOENT(2) and
 * dates. This library's decoder shows all others alike.
 *
 * name is a C identifier, unique in the event, and not common_type, common_flags,
 * common_preempt_count or common_pid, which every event has. A name that is a macro (errno,
 * stdin; linux and unix in GNU modes) does not compile, because the field would be named
 * after the macro's expansion. This check does not see names inside UE_AS() and the like,
 * nor inside the program's own macros. UE_NAMED() of eventheader_fields.h gives a field any
 * name.
 *
 * The value may follow the name, UE_U32(name, value) or UE_BLOB(name, bytes, length), for
 * UE_WRITE_EVENTHEADER(). Everything else ignores it.
 */
#ifndef USEREVENTS_FIELDS_H
#define USEREVENTS_FIELDS_H

#include <stddef.h>
#include <stdint.h>

#include <userevents/abi/eventheader.h>
#include <userevents/abi/write_calls.h>
#include <userevents/language.h>

/* The text of x, a macro expanded. */
#define UE__STRING(x) UE__STRING_(x)
#define UE__STRING_(x) #x

/* The text of the first argument. The caller pastes ue__ before it to prevent expansion. */
#define UE__RAW(...) UE__RAW_(__VA_ARGS__, ~)
#define UE__RAW_(first, ...) #first

/*
 * A field is a tuple
 *
 *	(kind, name, type of the value, type in the record, n, events, name as written, text,
 *	 label, type bytes, array, encoding, format, tag, place, struct, value, length)
 *
 * kind: has a row below. n: as given. events: ue__any, ue__classic or ue__eventheader. name
 * as written: UE__RAW(ue__##name), the name before macro expansion, with ue__ before it; ""
 * if unknown. text: the declaration in a classic event.
 *
 * The rest is for EventHeader events. label: the name in the trace. type bytes: ue__e for an
 * encoding, ue__ef with a format, ue__eft with a tag. array: ue__one, ue__fixed_array or
 * ue__counted_array. place: ue__argument, or ue__member of an array's elements, which have
 * the type struct. value, length: as given to UE_WRITE_EVENTHEADER().
 */
#define UE__FIELD(kind, value, type, n, events, written, text, bytes, encoding, format, \
		  name, given, length, ...)                                             \
	(kind, name, value, type, n, events, written, text, #name, bytes, ue__one,      \
	 encoding, format, 0, ue__argument, ~, given, length)
#define UE__BARE(...) __VA_ARGS__
/* Call m with expanded arguments: of a field, and of a row inside that. */
#define UE__CALL(m, ...) m(__VA_ARGS__)
#define UE__APPLY(m, ...) m(__VA_ARGS__)

/*
 * The kinds of fields, a row each:
 *
 *	values of a write
 *	classic event: member of the record, is its size variable?, what sets it
 *	EventHeader event: the library's operation, size of a unit, units (struct ue__op);
 *	least size; fields that a struct has besides its members
 *
 * values: ue__value, ue__pointer, ue__span (data, length); ue__nothing with UE__NO_OP; ue__end.
 */
#define UE__NO_OP UE__OP_KIND
#define UE__ROW_ue__scalar(type, n) \
	ue__value, UE__MEMBER_ONE, 0, UE__SET_SCALAR, UE__OP_FIXED, sizeof(type), 1, \
	sizeof(type), UE__NO_STRUCT
#define UE__ROW_ue__declared(type, n) \
	ue__value, UE__MEMBER_ONE, 0, UE__SET_DECLARED, UE__NO_OP, 0, 0, 0, UE__NO_STRUCT
#define UE__ROW_ue__string(type, n) \
	ue__pointer, UE__MEMBER_LOCATION, 1, UE__SET_STRING,                           \
	(n) == UE__NO_MAX && sizeof(type) == 1 ? UE__OP_STRING : UE__OP_TEXT,          \
	sizeof(type), (n) < 0xffff ? (n) : 0xffff, sizeof(type), UE__NO_STRUCT
#define UE__ROW_ue__counted(type, n) \
	ue__span, UE__MEMBER_LOCATION, 1, UE__SET_COUNTED, UE__OP_BYTES | UE__OP_GIVEN, \
	sizeof(type), 0, 2, UE__NO_STRUCT
#define UE__ROW_ue__chars(type, n) \
	ue__pointer, UE__MEMBER_ARRAY, 0, UE__SET_CHARS, UE__OP_TEXT, 1,               \
	UE__WITHIN(n, 1, 65535) - 1, 1, UE__NO_STRUCT
#define UE__ROW_ue__bytes(type, n) \
	ue__pointer, UE__MEMBER_ARRAY, 0, UE__SET_BYTES, UE__OP_BYTES | UE__OP_COUNTED, \
	1, UE__WITHIN(n, 1, 65535), 2 + (n), UE__NO_STRUCT
#define UE__ROW_ue__struct_bytes(type, n) \
	ue__pointer, UE__MEMBER_STRUCT, 0, UE__SET_BYTES, UE__OP_BYTES | UE__OP_COUNTED, \
	1, sizeof(type), 2 + sizeof(type), UE__NO_STRUCT

/* One column of a row. */
#define UE__COLUMN_1(...) UE__COLUMN_1_(__VA_ARGS__, ~)
#define UE__COLUMN_1_(a, ...) a
#define UE__COLUMN_2(...) UE__COLUMN_2_(__VA_ARGS__, ~)
#define UE__COLUMN_2_(a, b, ...) b
#define UE__COLUMN_3(...) UE__COLUMN_3_(__VA_ARGS__, ~)
#define UE__COLUMN_3_(a, b, c, ...) c
#define UE__COLUMN_4(...) UE__COLUMN_4_(__VA_ARGS__, ~)
#define UE__COLUMN_4_(a, b, c, d, ...) d

/* VALUE8, VALUE16, ... are consecutive. Short, as preprocessors copy it many times. */
#define UE__ENCODING_OF(type) (2 + __builtin_ctz(sizeof(type)))
UE__STATIC_ASSERT(UE_ENCODING_VALUE8 == 2 && UE_ENCODING_VALUE128 == 6, "by their size");

#define UE__SCALAR(...) UE__SCALAR_(__VA_ARGS__, ~, ~)
#define UE__SCALAR_(written, value, type, text, bytes, format, name, ...)           \
	UE__FIELD(ue__scalar, value, type, 0, ue__any, written, text " " #name, bytes, \
		  UE__ENCODING_OF(type), format, name, __VA_ARGS__, ~)
#define UE__PLAIN(written, type, text, ...) \
	UE__SCALAR(written, type, type, text, ue__e, 0, __VA_ARGS__)
#define UE__FORMATTED(written, type, text, format, ...) \
	UE__SCALAR(written, type, type, text, ue__ef, format, __VA_ARGS__)
#define UE__SIGNED(written, type, text, ...) \
	UE__FORMATTED(written, type, text, UE_FORMAT_SIGNED_INT, __VA_ARGS__)
#define UE__HEX(written, type, text, ...) \
	UE__FORMATTED(written, type, text, UE_FORMAT_HEX_INT, __VA_ARGS__)

#define UE_U8(...) UE__PLAIN(UE__RAW(ue__##__VA_ARGS__), uint8_t, "u8", __VA_ARGS__)
#define UE_U16(...) UE__PLAIN(UE__RAW(ue__##__VA_ARGS__), uint16_t, "u16", __VA_ARGS__)
#define UE_U32(...) UE__PLAIN(UE__RAW(ue__##__VA_ARGS__), uint32_t, "u32", __VA_ARGS__)
#define UE_U64(...) UE__PLAIN(UE__RAW(ue__##__VA_ARGS__), uint64_t, "u64", __VA_ARGS__)
#define UE_S8(...) UE__SIGNED(UE__RAW(ue__##__VA_ARGS__), int8_t, "s8", __VA_ARGS__)
#define UE_S16(...) UE__SIGNED(UE__RAW(ue__##__VA_ARGS__), int16_t, "s16", __VA_ARGS__)
#define UE_S32(...) UE__SIGNED(UE__RAW(ue__##__VA_ARGS__), int32_t, "s32", __VA_ARGS__)
#define UE_S64(...) UE__SIGNED(UE__RAW(ue__##__VA_ARGS__), int64_t, "s64", __VA_ARGS__)
#define UE_HEX8(...) UE__HEX(UE__RAW(ue__##__VA_ARGS__), uint8_t, "u8", __VA_ARGS__)
#define UE_HEX16(...) UE__HEX(UE__RAW(ue__##__VA_ARGS__), uint16_t, "u16", __VA_ARGS__)
#define UE_HEX32(...) UE__HEX(UE__RAW(ue__##__VA_ARGS__), uint32_t, "u32", __VA_ARGS__)
#define UE_HEX64(...) UE__HEX(UE__RAW(ue__##__VA_ARGS__), uint64_t, "u64", __VA_ARGS__)
#define UE_INT(...) UE__SIGNED(UE__RAW(ue__##__VA_ARGS__), int, "int", __VA_ARGS__)
#define UE_UINT(...) \
	UE__PLAIN(UE__RAW(ue__##__VA_ARGS__), unsigned int, "unsigned int", __VA_ARGS__)
#define UE_SHORT(...) UE__SIGNED(UE__RAW(ue__##__VA_ARGS__), short, "short", __VA_ARGS__)
#define UE_USHORT(...) \
	UE__PLAIN(UE__RAW(ue__##__VA_ARGS__), unsigned short, "unsigned short", __VA_ARGS__)
#define UE_CHAR(...) \
	UE__FORMATTED(UE__RAW(ue__##__VA_ARGS__), char, "char", UE_FORMAT_STRING8, \
		      __VA_ARGS__)
#define UE_UCHAR(...) \
	UE__PLAIN(UE__RAW(ue__##__VA_ARGS__), unsigned char, "unsigned char", __VA_ARGS__)

#if __SIZEOF_LONG__ == 8
#define UE__LONG_TEXT "s64"
#define UE__ULONG_TEXT "u64"
#else
#define UE__LONG_TEXT "s32"
#define UE__ULONG_TEXT "u32"
#endif
#if __SIZEOF_POINTER__ == 8
#define UE__POINTER_TEXT "u64"
#else
#define UE__POINTER_TEXT "u32"
#endif
#ifdef __cplusplus
#define UE__BOOL_TYPE bool
#else
#define UE__BOOL_TYPE _Bool
#endif
#define UE_LONG(...) UE__SIGNED(UE__RAW(ue__##__VA_ARGS__), long, UE__LONG_TEXT, __VA_ARGS__)
#define UE_ULONG(...) \
	UE__PLAIN(UE__RAW(ue__##__VA_ARGS__), unsigned long, UE__ULONG_TEXT, __VA_ARGS__)
#define UE_SIZE(...) \
	UE__PLAIN(UE__RAW(ue__##__VA_ARGS__), size_t, UE__POINTER_TEXT, __VA_ARGS__)
#define UE_POINTER(...) \
	UE__SCALAR(UE__RAW(ue__##__VA_ARGS__), const void *, uintptr_t, UE__POINTER_TEXT, \
		   ue__ef, UE_FORMAT_HEX_INT, __VA_ARGS__)
#define UE_BOOL(...) \
	UE__SCALAR(UE__RAW(ue__##__VA_ARGS__), UE__BOOL_TYPE, uint8_t, "u8", ue__ef, \
		   UE_FORMAT_BOOLEAN, __VA_ARGS__)
#define UE__S32(written, format, ...) \
	UE__FORMATTED(written, int32_t, "s32", format, __VA_ARGS__)
#define UE_PID(...) UE__S32(UE__RAW(ue__##__VA_ARGS__), UE_FORMAT_PID, __VA_ARGS__)
#define UE_ERRNO(...) UE__S32(UE__RAW(ue__##__VA_ARGS__), UE_FORMAT_ERRNO, __VA_ARGS__)
#define UE_TIME32(...) UE__S32(UE__RAW(ue__##__VA_ARGS__), UE_FORMAT_TIME, __VA_ARGS__)
#define UE_TIME64(...) \
	UE__FORMATTED(UE__RAW(ue__##__VA_ARGS__), int64_t, "s64", UE_FORMAT_TIME, \
		      __VA_ARGS__)

#define UE_STRING(...) \
	UE__STRING_OF(UE__RAW(ue__##__VA_ARGS__), UE__NO_MAX, __VA_ARGS__, ~, ~)
#define UE_STRING_MAX(...) \
	UE__STRING_MAX(UE__RAW(ue__##__VA_ARGS__), __VA_ARGS__, ~, ~)
#define UE__STRING_MAX(written, name, max, ...) \
	UE__STRING_OF(written, max, name, __VA_ARGS__)
#define UE__STRING_OF(written, max, name, ...)                                           \
	UE__FIELD(ue__string, const char *, char, max, ue__any, written,                 \
		  "__rel_loc char[] " #name, ue__e, UE_ENCODING_ZSTRING_CHAR8, 0, name, \
		  __VA_ARGS__, ~)
#define UE_COUNTED_STRING(...) \
	UE__COUNTED(UE__RAW(ue__##__VA_ARGS__), "char", UE__TERMINATED, \
		    UE_ENCODING_STRING_LENGTH16_CHAR8, __VA_ARGS__, ~, ~)
#define UE_BLOB(...) \
	UE__COUNTED(UE__RAW(ue__##__VA_ARGS__), "u8", UE__BYTES, \
		    UE_ENCODING_BINARY_LENGTH16_CHAR8, __VA_ARGS__, ~, ~)
#define UE__COUNTED(written, text, n, encoding, name, ...)                              \
	UE__FIELD(ue__counted, const void *, char, n, ue__any, written,                 \
		  "__rel_loc " text "[] " #name, ue__e, encoding, 0, name, __VA_ARGS__, ~)

#define UE_CHARS(...) UE__CHARS(UE__RAW(ue__##__VA_ARGS__), __VA_ARGS__, ~)
#define UE__CHARS(written, name, n, ...)                                                \
	UE__FIELD(ue__chars, const char *, char, n, ue__any, written,                   \
		  "char[" UE__STRING(n) "] " #name, ue__e, UE_ENCODING_ZSTRING_CHAR8, 0, \
		  name, __VA_ARGS__, ~, ~)
#define UE_BYTES(...) UE__BYTES_OF(UE__RAW(ue__##__VA_ARGS__), __VA_ARGS__, ~)
#define UE__BYTES_OF(written, name, n, ...)                                             \
	UE__FIELD(ue__bytes, const void *, unsigned char, n, ue__any, written,          \
		  "unsigned char[" UE__STRING(n) "] " #name, ue__e,                     \
		  UE_ENCODING_BINARY_LENGTH16_CHAR8, 0, name, __VA_ARGS__, ~, ~)
#define UE_STRUCT_BYTES(tag, name, ...) \
	UE__STRUCT_BYTES(UE__RAW(ue__##name), tag, name, __VA_ARGS__, ~)
#define UE__STRUCT_BYTES(written, tag, name, n, ...)                                    \
	UE__FIELD(ue__struct_bytes, const struct tag *, struct tag, n, ue__any, written, \
		  "struct " #tag " " #name " " UE__STRING(n), ue__e,                    \
		  UE_ENCODING_BINARY_LENGTH16_CHAR8, 0, name, __VA_ARGS__, ~, ~)
#define UE_DECLARED(type, name, text)                                                   \
	UE__FIELD(ue__declared, type, type, 0, ue__classic, UE__RAW(ue__##name), text,  \
		  ue__e, 0, 0, name, ~, ~, ~)

/*
 * Does x, before the first comma, begin with a parenthesis, as a field does? 1 or 0. A macro
 * for a field that does not exist, U32(name), stays as it is.
 */
#define UE__IS_FIELD(x, ...) UE__SECOND_OF(UE__IN_PARENTHESES x, 0, ~)
#define UE__IN_PARENTHESES(...) ~, 1
#define UE__SECOND_OF(...) UE__SECOND_OF_(__VA_ARGS__)
#define UE__SECOND_OF_(a, b, ...) b

/*
 * Are all n of them fields? 1 or 0. Fields are skipped; if that leaves nothing, UE__NOTHING
 * is called at the second expansion.
 */
#define UE__ARE_FIELDS(n, ...)                                                          \
	UE__CALL(UE__SECOND_OF, UE__NOTHING UE__EACH(n, ~, UE__SKIP_FIELD, UE__SKIP_FIELD, \
						     __VA_ARGS__) (), 0, ~)
#define UE__NOTHING() ~, 1
#define UE__SKIP_FIELD(c, i, x) UE__SKIP x
#define UE__SKIP(...)

/* An error for each that is not a field. */
#define UE__REFUSE_FIELDS(n, ...) \
	UE__EACH(n, ~, UE__REFUSE_FIELD, UE__REFUSE_FIELD, __VA_ARGS__)
#define UE__REFUSE_FIELD(c, i, x) UE__PASTE(UE__REFUSE_FIELD_, UE__IS_FIELD(x, ~))(x)
#define UE__REFUSE_FIELD_1(x)
#define UE__REFUSE_FIELD_0(x)                                                           \
	UE__STATIC_ASSERT(0, #x " is not a field; a field is UE_U32(name), UE_STRING(name) " \
			     "or another of userevents/fields.h");

/*
 * UE__what(c, i, x) is what becomes of the field x, the i-th from the end; c is whatever
 * UE__EACH() got.
 */
#define UE__PARAMETER(c, i, x) UE__PARAMETER_ x
#define UE__PARAMETER_(kind, name, value, type, n, events, written, text, label, bytes, \
		       array, encoding, format, tag, place, ...)                        \
	UE__APPLY(UE__PASTE(UE__PARAMETER_, place), value, name, UE__ROW_##kind(type, n))
#define UE__PARAMETER_ue__member(...)
#define UE__PARAMETER_ue__argument(value, name, values, ...) \
	UE__PARAMETER_##values(value, name)
#define UE__PARAMETER_ue__value(value, name) , value name
#define UE__PARAMETER_ue__pointer(value, name) , value name
#define UE__PARAMETER_ue__span(value, name) , value name, size_t ue__length_of_##name
#define UE__PARAMETER_ue__nothing(value, name)
#define UE__PARAMETER_ue__end(value, name)

#define UE__MEMBER(c, i, x) UE__MEMBER_ x
#define UE__MEMBER_(kind, name, value, type, n, events, written, ...)                   \
	UE__AS_WRITTEN("a field", #name, written);                                      \
	UE__PASTE(UE__NAME_IS_FREE_, UE__SECOND_OF(UE__TAKEN_##name, 1, ~))(name)       \
	UE__PASTE(UE__MEMBER_OF_, events)(kind, type, name, n)
/* The preprocessor finds these four: comparing strings takes compilers longer. */
#define UE__TAKEN_common_type ~, 0
#define UE__TAKEN_common_flags ~, 0
#define UE__TAKEN_common_preempt_count ~, 0
#define UE__TAKEN_common_pid ~, 0
#define UE__NAME_IS_FREE_1(name)
#define UE__NAME_IS_FREE_0(name) \
	UE__STATIC_ASSERT(0, "every event has a field of this name: " #name);
#define UE__MEMBER_OF_ue__any(kind, type, name, n) \
	UE__COLUMN_2(UE__ROW_##kind(type, n))(type, name, n)
#define UE__MEMBER_OF_ue__classic UE__MEMBER_OF_ue__any
#define UE__MEMBER_OF_ue__eventheader(kind, type, name, n)          \
	UE__STATIC_ASSERT(0, "the field " #name                     \
			     " is for UE_EVENTHEADER() and UE_WRITE_EVENTHEADER() only");
#define UE__MEMBER_ONE(type, name, n) type name;
#define UE__MEMBER_LOCATION(type, name, n) uint32_t name;
#define UE__MEMBER_ARRAY(type, name, n)                                                 \
	UE__STATIC_ASSERT(UE__IS_DECIMAL(n, 1024),                                      \
			  "the length of the field " #name                              \
			  " is not a decimal number from 1 to 1024: " UE__STRING(n));   \
	type name[n];
#define UE__MEMBER_STRUCT(type, name, n)                                                \
	UE__STATIC_ASSERT(sizeof(type) == (n),                                          \
			  "the size of the struct " #name " is not " #n);               \
	UE__STATIC_ASSERT(UE__IS_DECIMAL(n, 65535),                                     \
			  "the size of the struct " #name                               \
			  " is not written as a decimal number: " UE__STRING(n));       \
	unsigned char name[n];

/*
 * Is the text of n a decimal number without leading zeros? The value alone does not show
 * that, as sums and enumerators have one, too: so compare the number of digits, and look at
 * the first.
 */
#define UE__IS_DECIMAL(n, most)                                                    \
	((n) >= 1 && (n) <= (most) &&                                              \
	 sizeof(UE__STRING(n)) ==                                                  \
		 2 + ((n) > 9) + ((n) > 99) + ((n) > 999) + ((n) > 9999) &&        \
	 __builtin_memcmp(UE__STRING(n), "1", 1) >= 0 &&                           \
	 __builtin_memcmp(UE__STRING(n), "9", 1) <= 0)

/* Refuse a name that a macro has changed before it became text. */
#define UE__AS_WRITTEN(what, name, written)                                            \
	UE__STATIC_ASSERT(sizeof(written) == 1 ||                                      \
				  __builtin_strcmp(written, "ue__" name) == 0,         \
			  "the name of " what " is a macro, it would be called " name)

/* x, if a constant condition is true; otherwise an array of negative size, an error. */
#define UE__IF(condition, x) ((x) + 0 * UE__CAST(int, sizeof(char[(condition) ? 1 : -1])))
#define UE__WITHIN(x, least, most) UE__IF((x) >= (least) && (x) <= (most), x)

/* The text of all but the last field ends with a separator. */
#define UE__TEXT_MORE(c, i, x) " " UE__TEXT_ x ";"
#define UE__TEXT_LAST(c, i, x) " " UE__TEXT_ x
#define UE__TEXT_(kind, name, value, type, n, events, written, text, ...) text

#define UE__IS_VARIABLE(c, i, x) UE__IS_VARIABLE_ x
#define UE__IS_VARIABLE_(kind, name, value, type, n, ...) \
	+UE__COLUMN_3(UE__ROW_##kind(type, n))

/* Put the value where it belongs: into the record, or among the pieces. */
#define UE__SET(c, i, x) UE__SET_ x
#define UE__SET_(kind, name, value, type, n, ...) \
	UE__COLUMN_4(UE__ROW_##kind(type, n))(type, name, n)
#define UE__SET_SCALAR(type, name, n) \
	ue__to.ue__record.ue__fixed.name = UE__CAST(type, name);
#define UE__SET_DECLARED(type, name, n) ue__to.ue__record.ue__fixed.name = name;
#define UE__SET_CHARS(type, name, n) \
	ue__set_chars(ue__to.ue__record.ue__fixed.name, name, n);
#define UE__SET_BYTES(type, name, n)                            \
	if (!name)                                              \
		return ue_event_lost(ue__fd, ue__event, -EFAULT);  \
	__builtin_memcpy(ue__to.ue__record.ue__fixed.name, name, n);
#define UE__SET_STRING(type, name, n) \
	UE__SET_PIECE(name, name, (n) == UE__NO_MAX ? 0 : ue__length_up_to(name, n), \
		      (n) == UE__NO_MAX ? UE__STRING_PIECE : UE__TERMINATED)
#define UE__SET_COUNTED(type, name, n) \
	UE__SET_PIECE(name, name, ue__length_of_##name, n)
#define UE__SET_PIECE(name, data, length, kind)                                   \
	ue__set_piece(ue__piece, data, length, kind,                              \
		      __builtin_offsetof(__typeof__(ue__to.ue__record),           \
					 ue__fixed.name) +                        \
			      sizeof(ue__to.ue__record.ue__fixed.name),           \
		      ue__piece == ue__to.ue__list);                                \
	ue__piece++;
#define UE__SET_NOTHING(type, name, n)

/*
 * Count up to 64 fields, and apply a macro to each. UE__FIELDS() counts the arguments after
 * the first: the event's name always comes first, so that an event without fields needs no
 * empty list.
 */
#define UE__PASTE(a, b) UE__PASTE_(a, b)
#define UE__PASTE_(a, b) a##b

#define UE__FIELDS(...) UE__FIELDS_(__VA_ARGS__, \
	ue__many, ue__many, ue__many, ue__many, ue__many, ue__many, ue__many, \
	ue__many, ue__many, ue__many, ue__many, ue__many, ue__many, ue__many, \
	ue__many, ue__many, ue__many, ue__many, ue__many, ue__many, ue__many, \
	ue__many, ue__many, ue__many, ue__many, ue__many, ue__many, ue__many, \
	ue__many, ue__many, ue__many, \
	64, 63, 62, \
	61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, \
	44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, \
	27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, \
	10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, ~)
#define UE__FIELDS_( \
	_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, \
	_16, _17, _18, _19, _20, _21, _22, _23, _24, _25, _26, _27, _28, \
	_29, _30, _31, _32, _33, _34, _35, _36, _37, _38, _39, _40, _41, \
	_42, _43, _44, _45, _46, _47, _48, _49, _50, _51, _52, _53, _54, \
	_55, _56, _57, _58, _59, _60, _61, _62, _63, _64, _65, _66, _67, \
	_68, _69, _70, _71, _72, _73, _74, _75, _76, _77, _78, _79, _80, \
	_81, _82, _83, _84, _85, _86, _87, _88, _89, _90, _91, _92, _93, \
	_94, _95, _96, n, ...) n

/* 1 if anything follows the first argument, at most two values of each field, else 0. */
#define UE__HAS_VALUES(...) UE__130TH(__VA_ARGS__, \
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, \
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, \
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, \
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, \
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, ~)
#define UE__130TH( \
	_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, _16, _17, \
	_18, _19, _20, _21, _22, _23, _24, _25, _26, _27, _28, _29, _30, _31, _32, \
	_33, _34, _35, _36, _37, _38, _39, _40, _41, _42, _43, _44, _45, _46, _47, \
	_48, _49, _50, _51, _52, _53, _54, _55, _56, _57, _58, _59, _60, _61, _62, \
	_63, _64, _65, _66, _67, _68, _69, _70, _71, _72, _73, _74, _75, _76, _77, \
	_78, _79, _80, _81, _82, _83, _84, _85, _86, _87, _88, _89, _90, _91, _92, \
	_93, _94, _95, _96, _97, _98, _99, _100, _101, _102, _103, _104, _105, _106, \
	_107, _108, _109, _110, _111, _112, _113, _114, _115, _116, _117, _118, _119, \
	_120, _121, _122, _123, _124, _125, _126, _127, _128, _129, x, ...) x

/*
 * m(c, i, x) for each of the first n arguments except the last, then last(c, 1, x); i
 * counts down. At least one more argument must follow, as ISO C allows no empty "...".
 */
#define UE__EACH(n, c, m, last, ...) UE__PASTE(UE__EACH_, n)(c, m, last, __VA_ARGS__)
#define UE__EACH_ue__many(c, m, last, ...)
#define UE__EACH_0(c, m, last, ...)
/* Up to 8 at once: with each level, preprocessors read all the rest once more. */
#define UE__EACH_1(c, m, last, x, ...) last(c, 1, x)
#define UE__EACH_2(c, m, last, x, y, ...) m(c, 2, x) last(c, 1, y)
#define UE__EACH_3(c, m, last, x, y, z, ...) m(c, 3, x) m(c, 2, y) last(c, 1, z)
#define UE__EACH_4(c, m, last, w, x, y, z, ...) \
	m(c, 4, w) m(c, 3, x) m(c, 2, y) last(c, 1, z)
#define UE__EACH_5(c, m, last, v, w, x, y, z, ...) \
	m(c, 5, v) m(c, 4, w) m(c, 3, x) m(c, 2, y) last(c, 1, z)
#define UE__EACH_6(c, m, last, u, v, w, x, y, z, ...) \
	m(c, 6, u) m(c, 5, v) m(c, 4, w) m(c, 3, x) m(c, 2, y) last(c, 1, z)
#define UE__EACH_7(c, m, last, t, u, v, w, x, y, z, ...) \
	m(c, 7, t) m(c, 6, u) m(c, 5, v) m(c, 4, w) m(c, 3, x) m(c, 2, y) last(c, 1, z)
#define UE__EACH_8(c, m, last, s, t, u, v, w, x, y, z, ...) \
	m(c, 8, s) m(c, 7, t) m(c, 6, u) m(c, 5, v) m(c, 4, w) m(c, 3, x) m(c, 2, y) \
	last(c, 1, z)
#define UE__EACH_9(c, m, last, x, ...) m(c, 9, x) UE__EACH_8(c, m, last, __VA_ARGS__)
#define UE__EACH_10(c, m, last, x, ...) m(c, 10, x) UE__EACH_9(c, m, last, __VA_ARGS__)
#define UE__EACH_11(c, m, last, x, ...) m(c, 11, x) UE__EACH_10(c, m, last, __VA_ARGS__)
#define UE__EACH_12(c, m, last, x, ...) m(c, 12, x) UE__EACH_11(c, m, last, __VA_ARGS__)
#define UE__EACH_13(c, m, last, x, ...) m(c, 13, x) UE__EACH_12(c, m, last, __VA_ARGS__)
#define UE__EACH_14(c, m, last, x, ...) m(c, 14, x) UE__EACH_13(c, m, last, __VA_ARGS__)
#define UE__EACH_15(c, m, last, x, ...) m(c, 15, x) UE__EACH_14(c, m, last, __VA_ARGS__)
#define UE__EACH_16(c, m, last, x, ...) m(c, 16, x) UE__EACH_15(c, m, last, __VA_ARGS__)
#define UE__EACH_17(c, m, last, x, ...) m(c, 17, x) UE__EACH_16(c, m, last, __VA_ARGS__)
#define UE__EACH_18(c, m, last, x, ...) m(c, 18, x) UE__EACH_17(c, m, last, __VA_ARGS__)
#define UE__EACH_19(c, m, last, x, ...) m(c, 19, x) UE__EACH_18(c, m, last, __VA_ARGS__)
#define UE__EACH_20(c, m, last, x, ...) m(c, 20, x) UE__EACH_19(c, m, last, __VA_ARGS__)
#define UE__EACH_21(c, m, last, x, ...) m(c, 21, x) UE__EACH_20(c, m, last, __VA_ARGS__)
#define UE__EACH_22(c, m, last, x, ...) m(c, 22, x) UE__EACH_21(c, m, last, __VA_ARGS__)
#define UE__EACH_23(c, m, last, x, ...) m(c, 23, x) UE__EACH_22(c, m, last, __VA_ARGS__)
#define UE__EACH_24(c, m, last, x, ...) m(c, 24, x) UE__EACH_23(c, m, last, __VA_ARGS__)
#define UE__EACH_25(c, m, last, x, ...) m(c, 25, x) UE__EACH_24(c, m, last, __VA_ARGS__)
#define UE__EACH_26(c, m, last, x, ...) m(c, 26, x) UE__EACH_25(c, m, last, __VA_ARGS__)
#define UE__EACH_27(c, m, last, x, ...) m(c, 27, x) UE__EACH_26(c, m, last, __VA_ARGS__)
#define UE__EACH_28(c, m, last, x, ...) m(c, 28, x) UE__EACH_27(c, m, last, __VA_ARGS__)
#define UE__EACH_29(c, m, last, x, ...) m(c, 29, x) UE__EACH_28(c, m, last, __VA_ARGS__)
#define UE__EACH_30(c, m, last, x, ...) m(c, 30, x) UE__EACH_29(c, m, last, __VA_ARGS__)
#define UE__EACH_31(c, m, last, x, ...) m(c, 31, x) UE__EACH_30(c, m, last, __VA_ARGS__)
#define UE__EACH_32(c, m, last, x, ...) m(c, 32, x) UE__EACH_31(c, m, last, __VA_ARGS__)
#define UE__EACH_33(c, m, last, x, ...) m(c, 33, x) UE__EACH_32(c, m, last, __VA_ARGS__)
#define UE__EACH_34(c, m, last, x, ...) m(c, 34, x) UE__EACH_33(c, m, last, __VA_ARGS__)
#define UE__EACH_35(c, m, last, x, ...) m(c, 35, x) UE__EACH_34(c, m, last, __VA_ARGS__)
#define UE__EACH_36(c, m, last, x, ...) m(c, 36, x) UE__EACH_35(c, m, last, __VA_ARGS__)
#define UE__EACH_37(c, m, last, x, ...) m(c, 37, x) UE__EACH_36(c, m, last, __VA_ARGS__)
#define UE__EACH_38(c, m, last, x, ...) m(c, 38, x) UE__EACH_37(c, m, last, __VA_ARGS__)
#define UE__EACH_39(c, m, last, x, ...) m(c, 39, x) UE__EACH_38(c, m, last, __VA_ARGS__)
#define UE__EACH_40(c, m, last, x, ...) m(c, 40, x) UE__EACH_39(c, m, last, __VA_ARGS__)
#define UE__EACH_41(c, m, last, x, ...) m(c, 41, x) UE__EACH_40(c, m, last, __VA_ARGS__)
#define UE__EACH_42(c, m, last, x, ...) m(c, 42, x) UE__EACH_41(c, m, last, __VA_ARGS__)
#define UE__EACH_43(c, m, last, x, ...) m(c, 43, x) UE__EACH_42(c, m, last, __VA_ARGS__)
#define UE__EACH_44(c, m, last, x, ...) m(c, 44, x) UE__EACH_43(c, m, last, __VA_ARGS__)
#define UE__EACH_45(c, m, last, x, ...) m(c, 45, x) UE__EACH_44(c, m, last, __VA_ARGS__)
#define UE__EACH_46(c, m, last, x, ...) m(c, 46, x) UE__EACH_45(c, m, last, __VA_ARGS__)
#define UE__EACH_47(c, m, last, x, ...) m(c, 47, x) UE__EACH_46(c, m, last, __VA_ARGS__)
#define UE__EACH_48(c, m, last, x, ...) m(c, 48, x) UE__EACH_47(c, m, last, __VA_ARGS__)
#define UE__EACH_49(c, m, last, x, ...) m(c, 49, x) UE__EACH_48(c, m, last, __VA_ARGS__)
#define UE__EACH_50(c, m, last, x, ...) m(c, 50, x) UE__EACH_49(c, m, last, __VA_ARGS__)
#define UE__EACH_51(c, m, last, x, ...) m(c, 51, x) UE__EACH_50(c, m, last, __VA_ARGS__)
#define UE__EACH_52(c, m, last, x, ...) m(c, 52, x) UE__EACH_51(c, m, last, __VA_ARGS__)
#define UE__EACH_53(c, m, last, x, ...) m(c, 53, x) UE__EACH_52(c, m, last, __VA_ARGS__)
#define UE__EACH_54(c, m, last, x, ...) m(c, 54, x) UE__EACH_53(c, m, last, __VA_ARGS__)
#define UE__EACH_55(c, m, last, x, ...) m(c, 55, x) UE__EACH_54(c, m, last, __VA_ARGS__)
#define UE__EACH_56(c, m, last, x, ...) m(c, 56, x) UE__EACH_55(c, m, last, __VA_ARGS__)
#define UE__EACH_57(c, m, last, x, ...) m(c, 57, x) UE__EACH_56(c, m, last, __VA_ARGS__)
#define UE__EACH_58(c, m, last, x, ...) m(c, 58, x) UE__EACH_57(c, m, last, __VA_ARGS__)
#define UE__EACH_59(c, m, last, x, ...) m(c, 59, x) UE__EACH_58(c, m, last, __VA_ARGS__)
#define UE__EACH_60(c, m, last, x, ...) m(c, 60, x) UE__EACH_59(c, m, last, __VA_ARGS__)
#define UE__EACH_61(c, m, last, x, ...) m(c, 61, x) UE__EACH_60(c, m, last, __VA_ARGS__)
#define UE__EACH_62(c, m, last, x, ...) m(c, 62, x) UE__EACH_61(c, m, last, __VA_ARGS__)
#define UE__EACH_63(c, m, last, x, ...) m(c, 63, x) UE__EACH_62(c, m, last, __VA_ARGS__)
#define UE__EACH_64(c, m, last, x, ...) m(c, 64, x) UE__EACH_63(c, m, last, __VA_ARGS__)

#endif
