/* SPDX-License-Identifier: MIT */
/*
 * Field types of EventHeader events, in addition to those of fields.h.
 *
 *	macro				shows as		value(s)
 *	UE_F32 UE_F64(name)		number			float, double
 *	UE_CHAR16 UE_CHAR32(name)	one character		integer
 *	UE_PORT(name)			decimal			uint16_t, network order
 *	UE_IPV4(name)			1.2.3.4			uint32_t, network order
 *	UE_IPV6(name)			::1			16 bytes
 *	UE_UUID(name)			xxxxxxxx-xxxx-...	16 bytes, RFC 4122 order
 *	UE_VALUE128(name)		hex bytes		16 bytes
 *	UE_STRING16 UE_STRING32(name)	text, UTF-16, UTF-32	string
 *	UE_WSTRING(name)		text			wide string
 *	UE_COUNTED_STRING16(name)	text			characters, count
 *	UE_COUNTED_STRING32(name)	text			characters, count
 *
 * Modifiers of a field F, which may be one of fields.h:
 *
 *	UE_AS(format, F)	another format: UE_AS(UE_FORMAT_STRING_JSON,
 *				UE_STRING(body)), UE_AS(UE_FORMAT_BOOLEAN, UE_U32(on))
 *	UE_TAGGED(tag, F)	a tag, 1 to 65535, which the provider defines
 *	UE_NAMED("any name", F)	a name that is not an identifier; UTF-8
 *	UE_NULLABLE(F)		a number, address or UUID that may be null: takes a
 *				pointer to it, NULL for null
 *	UE_ARRAY(F, n)		n values: takes a pointer to them
 *	UE_SEQUENCE(F)		any number up to 65535: takes a pointer and a count
 *
 * The values of an array are contiguous, 16 bytes each for UUIDs. An array of strings takes
 * pointers (const char *const *), an array of counted strings or blobs struct ue_span. An
 * array cannot have strings with a maximum, and a character of 16 or 32 bits cannot be
 * nullable. UE_AS, UE_TAGGED and UE_NAMED go inside or outside of the others; the latter two
 * also go around a struct.
 *
 *	UE_STRUCT(name, F...)			a struct; takes the values of its members
 *	UE_STRUCTS(type, name, F...)		any number of structs; takes a pointer to
 *						C structs of this type and a count
 *	UE_STRUCT_ARRAY(type, name, n, F...)	n structs; takes a pointer
 *
 * UE_STRUCTS and UE_STRUCT_ARRAY read each field from the member of the same name in the C
 * struct. It has the field's type, or one of the same size that converts to it: numbers are
 * copied, not converted. A field that takes a pointer reads the array that it points to from
 * the struct itself if the member is an array; if it takes a pointer and a length, the member
 * is a struct ue_span. Every reader accepts structs nested 8 deep. Each struct counts as one
 * of the event's 64 fields, each array of structs as two.
 */
#ifndef USEREVENTS_EVENTHEADER_FIELDS_H
#define USEREVENTS_EVENTHEADER_FIELDS_H

#include <stddef.h>
#include <stdint.h>

#include <userevents/abi/eventheader.h>
#include <userevents/fields.h>

#include <userevents/abi/hide_names.h>

/* Bytes, characters or values. length: their number, not their size. */
struct ue_span {
	const void *data;
	size_t length;
};

/* The same for macros, with names that are no macros of a program. */
struct ue__span_slot {
	const void *ue__data;
	size_t ue__length;
};

#ifdef __cplusplus
#define UE__CHAR16 char16_t
#define UE__CHAR32 char32_t
#else
#define UE__CHAR16 uint_least16_t
#define UE__CHAR32 uint_least32_t
#endif

/*
 * Rows of the kinds that only EventHeader events have (fields.h): what an array, a struct or
 * a modifier makes of a field.
 */
#define UE__ROW_ue__array(type, n) \
	UE__ROW(ue__pointer, UE__OP_BYTES, sizeof(type), n, sizeof(type) * (n))
#define UE__ROW_ue__nullable(type, n) \
	UE__ROW(ue__pointer, UE__OP_BYTES | UE__OP_COUNTED | UE__OP_OPTIONAL, 1,       \
		sizeof(type), 2)
#define UE__ROW_ue__sequence(type, n) \
	UE__ROW(ue__span, UE__OP_BYTES | UE__OP_GIVEN, sizeof(type), 0, 2)
#define UE__ROW_ue__strings(type, n) \
	UE__ROW(ue__pointer, UE__OP_STRINGS, sizeof(type), n, 0)
#define UE__ROW_ue__string_sequence(type, n) \
	UE__ROW(ue__span, UE__OP_STRINGS | UE__OP_GIVEN, sizeof(type), 0, 2)
#define UE__ROW_ue__spans(type, n) \
	UE__ROW(ue__pointer, UE__OP_SPANS, sizeof(type), n, 0)
#define UE__ROW_ue__span_sequence(type, n) \
	UE__ROW(ue__span, UE__OP_SPANS | UE__OP_GIVEN, sizeof(type), 0, 2)
#define UE__ROW_ue__struct(type, n) \
	UE__ROW_OF_STRUCT(ue__nothing, UE__NO_OP, 0, 0, 0, UE__MEMBERS_OF)
#define UE__ROW_ue__structs(type, n) \
	UE__ROW_OF_STRUCT(ue__pointer, UE__OP_STRUCTS, 0, n, 0, UE__MEMBERS_OF)
#define UE__ROW_ue__struct_sequence(type, n) \
	UE__ROW_OF_STRUCT(ue__span, UE__OP_STRUCTS | UE__OP_GIVEN, 0, 0, 2, UE__MEMBERS_OF)
#define UE__ROW_ue__end(type, n) \
	UE__ROW_OF_STRUCT(ue__end, UE__OP_END, 0, 0, 0, UE__END_OF_MEMBERS)
#define UE__ROW(values, op, unit, units, least) \
	UE__ROW_OF_STRUCT(values, op, unit, units, least, UE__NO_STRUCT)
#define UE__ROW_OF_STRUCT(values, op, unit, units, least, fields) \
	values, UE__MEMBER_ONE, 0, UE__SET_NOTHING, op, unit, units, least, fields

/* The members of a struct are not those of the struct around it, nor is its end. */
#define UE__NO_STRUCT(members)
#define UE__MEMBERS_OF(members) -members
#define UE__END_OF_MEMBERS(members) -1

/* Fields that the kernel has no type for. */
#define UE__EH_FIELD(kind, written, value, type, n, bytes, encoding, format, ...) \
	UE__FIELD(kind, value, type, n, ue__eventheader, written, "", bytes, encoding, \
		  format, __VA_ARGS__, ~)
#define UE__EH_SCALAR(written, type, format, ...)                                   \
	UE__EH_FIELD(ue__scalar, written, type, type, 1, ue__ef, UE__ENCODING_OF(type), \
		     format, __VA_ARGS__, ~, ~)
#define UE_F32(...) \
	UE__EH_SCALAR(UE__RAW(ue__##__VA_ARGS__), float, UE_FORMAT_FLOAT, __VA_ARGS__)
#define UE_F64(...) \
	UE__EH_SCALAR(UE__RAW(ue__##__VA_ARGS__), double, UE_FORMAT_FLOAT, __VA_ARGS__)
#define UE_CHAR16(...) \
	UE__EH_SCALAR(UE__RAW(ue__##__VA_ARGS__), UE__CHAR16, UE_FORMAT_STRING_UTF, \
		      __VA_ARGS__)
#define UE_CHAR32(...) \
	UE__EH_SCALAR(UE__RAW(ue__##__VA_ARGS__), UE__CHAR32, UE_FORMAT_STRING_UTF, \
		      __VA_ARGS__)
#define UE_PORT(...) \
	UE__EH_SCALAR(UE__RAW(ue__##__VA_ARGS__), uint16_t, UE_FORMAT_PORT, __VA_ARGS__)
#define UE_IPV4(...) \
	UE__EH_SCALAR(UE__RAW(ue__##__VA_ARGS__), uint32_t, UE_FORMAT_IP_ADDRESS, \
		      __VA_ARGS__)

#define UE__EH_16_BYTES(written, bytes, format, ...)                                 \
	UE__EH_FIELD(ue__array, written, const void *, unsigned char[16], 1, bytes, \
		     UE_ENCODING_VALUE128, format, __VA_ARGS__, ~, ~)
#define UE_IPV6(...) \
	UE__EH_16_BYTES(UE__RAW(ue__##__VA_ARGS__), ue__ef, UE_FORMAT_IP_ADDRESS, \
			__VA_ARGS__)
#define UE_UUID(...) \
	UE__EH_16_BYTES(UE__RAW(ue__##__VA_ARGS__), ue__ef, UE_FORMAT_UUID, __VA_ARGS__)
#define UE_VALUE128(...) \
	UE__EH_16_BYTES(UE__RAW(ue__##__VA_ARGS__), ue__e, UE_FORMAT_DEFAULT, __VA_ARGS__)

/* The encodings of 8, 16 and 32 bits are consecutive. */
#define UE__UNIT_ENCODING(type, first) (UE__CAST(int, first) + __builtin_ctz(sizeof(type)))
#define UE__EH_STRING(written, type, ...)                                                \
	UE__EH_FIELD(ue__string, written, const type *, type, UE__NO_MAX, ue__e,        \
		     UE__UNIT_ENCODING(type, UE_ENCODING_ZSTRING_CHAR8), 0, __VA_ARGS__, \
		     ~, ~)
#define UE_STRING16(...) \
	UE__EH_STRING(UE__RAW(ue__##__VA_ARGS__), UE__CHAR16, __VA_ARGS__)
#define UE_STRING32(...) \
	UE__EH_STRING(UE__RAW(ue__##__VA_ARGS__), UE__CHAR32, __VA_ARGS__)
#define UE_WSTRING(...) UE__EH_STRING(UE__RAW(ue__##__VA_ARGS__), wchar_t, __VA_ARGS__)
#define UE__EH_COUNTED(written, type, ...)                                             \
	UE__EH_FIELD(ue__counted, written, const type *, type, 0, ue__e,               \
		     UE__UNIT_ENCODING(type, UE_ENCODING_STRING_LENGTH16_CHAR8), 0,    \
		     __VA_ARGS__, ~, ~)
#define UE_COUNTED_STRING16(...) \
	UE__EH_COUNTED(UE__RAW(ue__##__VA_ARGS__), UE__CHAR16, __VA_ARGS__)
#define UE_COUNTED_STRING32(...) \
	UE__EH_COUNTED(UE__RAW(ue__##__VA_ARGS__), UE__CHAR32, __VA_ARGS__)

/*
 * Modifiers: UE__CHANGE(m, argument, field) makes a field of what m(argument, ...) returns.
 * The members of a struct follow it unchanged.
 */
#define UE__CHANGED(kind, name, value, type, n, ...) \
	(kind, name, value, type, n, ue__eventheader, "", "", __VA_ARGS__)
#define UE__CHANGE(m, argument, ...) \
	UE__CHANGE_(UE__FIELDS(__VA_ARGS__), m, argument, __VA_ARGS__, ~)
#define UE__CHANGE_(n, m, argument, field, ...) \
	UE__PASTE(UE__CHANGE_, UE__IS_FIELD(field, ~))(n, m, argument, field, __VA_ARGS__)
/* The event refuses it. */
#define UE__CHANGE_0(n, m, argument, field, ...) field
#define UE__CHANGE_1(n, m, argument, field, ...) \
	UE__CALL(m, argument, UE__BARE field) UE__EACH(n, ~, UE__AND, UE__AND, __VA_ARGS__)
#define UE__AND(c, i, x) , x

#define UE_AS(format, ...) UE__CHANGE(UE__AS, format, __VA_ARGS__)
#define UE__AS(new, kind, name, value, type, n, events, written, text, label, bytes, array, \
	       encoding, format, ...)                                                   \
	UE__CHANGED(kind, name, value, type, n, label, UE__PASTE(UE__FORMAT_OF_, bytes), \
		    array, encoding, UE__NEW_FORMAT(new, encoding), __VA_ARGS__)
/* Seven bits; of a struct they are the number of its members. */
#define UE__NEW_FORMAT(new, encoding) \
	UE__IF(((new) & ~0x7f) == 0 && (encoding) != UE_ENCODING_STRUCT, \
	       UE__CAST(int, new))
#define UE__FORMAT_OF_ue__e ue__ef
#define UE__FORMAT_OF_ue__ef ue__ef
#define UE__FORMAT_OF_ue__eft ue__eft

#define UE_TAGGED(tag, ...) UE__CHANGE(UE__TAGGED, tag, __VA_ARGS__)
#define UE__TAGGED(new, kind, name, value, type, n, events, written, text, label, bytes, \
		   array, encoding, format, tag, ...)                                   \
	UE__CHANGED(kind, name, value, type, n, label, ue__eft, array, encoding, format, \
		    UE__WITHIN(new, 1, 0xffff), __VA_ARGS__)

#define UE_NAMED(label, ...) UE__CHANGE(UE__NAMED, label, __VA_ARGS__)
#define UE__NAMED(new, kind, name, value, type, n, events, written, text, label, ...) \
	UE__CHANGED(kind, name, value, type, n, new, __VA_ARGS__)

#define UE_NULLABLE(field) UE__CHANGE(UE__NULLABLE, ~, field)
#define UE__NULLABLE(unused, kind, name, value, type, n, events, written, text, label, \
		     bytes, array, encoding, format, ...)                              \
	UE__CHANGED(ue__nullable, name, UE__POINTER_TO_##kind(value), type, n, label,  \
		    UE__PASTE(UE__FORMAT_OF_, bytes), array,                           \
		    UE_ENCODING_BINARY_LENGTH16_CHAR8,                                 \
		    UE__IF((format) != UE_FORMAT_STRING_UTF,                           \
			   (format) != 0 ? UE__CAST(int, format) : UE__NULLABLE_##kind), \
		    __VA_ARGS__)
#define UE__NULLABLE_ue__scalar UE__CAST(int, UE_FORMAT_UNSIGNED_INT)
#define UE__NULLABLE_ue__array UE__CAST(int, UE_FORMAT_HEX_BYTES)
/* 16 bytes are passed by a pointer anyway. */
#define UE__POINTER_TO_ue__scalar(value) value const *
#define UE__POINTER_TO_ue__array(value) value
#define UE__POINTER_TO_ue__string(value) value const *
#define UE__POINTER_TO_ue__counted(value) const struct ue_span *

#define UE_ARRAY(field, n) UE__CHANGE(UE__ARRAY, n, field)
#define UE__ARRAY(count, kind, name, value, type, n, events, written, text, label, bytes, \
		  array, encoding, ...)                                                 \
	UE__CHANGED(UE__ARRAY_OF_##kind, name, UE__POINTER_TO_##kind(value), type,      \
		    UE__WITHIN(count, 1, 65535), label, bytes, ue__fixed_array,         \
		    UE__WITHOUT_MAX_##kind(n, encoding), __VA_ARGS__)
#define UE__ARRAY_OF_ue__scalar ue__array
#define UE__ARRAY_OF_ue__array ue__array
#define UE__ARRAY_OF_ue__string ue__strings
#define UE__ARRAY_OF_ue__counted ue__spans
#define UE__WITHOUT_MAX_ue__scalar(n, encoding) encoding
#define UE__WITHOUT_MAX_ue__array(n, encoding) encoding
#define UE__WITHOUT_MAX_ue__string(n, encoding) UE__IF((n) == UE__NO_MAX, encoding)
#define UE__WITHOUT_MAX_ue__counted(n, encoding) encoding

#define UE_SEQUENCE(field) UE__CHANGE(UE__SEQUENCE, ~, field)
#define UE__SEQUENCE(unused, kind, name, value, type, n, events, written, text, label, \
		     bytes, array, encoding, ...)                                      \
	UE__CHANGED(UE__SEQUENCE_OF_##kind, name, UE__POINTER_TO_##kind(value), type, n, \
		    label, bytes, ue__counted_array,                                   \
		    UE__WITHOUT_MAX_##kind(n, encoding), __VA_ARGS__)
#define UE__SEQUENCE_OF_ue__scalar ue__sequence
#define UE__SEQUENCE_OF_ue__array ue__sequence
#define UE__SEQUENCE_OF_ue__string ue__string_sequence
#define UE__SEQUENCE_OF_ue__counted ue__span_sequence

/*
 * In the list of fields, a struct comes before its members, and an array of structs has an
 * end marker after them. The number of its members is that of the fields that follow, minus
 * the members of structs among them.
 */
#define UE_STRUCT(name, ...) \
	UE__STRUCT_HEAD(ue__struct, UE__RAW(ue__##name), int, int, name, 1, ue__one, \
			__VA_ARGS__),                                                \
	__VA_ARGS__
#define UE_STRUCTS(type, name, ...)                                                       \
	UE__STRUCT_HEAD(ue__struct_sequence, UE__RAW(ue__##name), const type *, type,    \
			name, 0, ue__counted_array, __VA_ARGS__),                        \
	UE__MEMBERS_IN(type, __VA_ARGS__)
#define UE_STRUCT_ARRAY(type, name, count, ...)                                           \
	UE__STRUCT_HEAD(ue__structs, UE__RAW(ue__##name), const type *, type, name,      \
			UE__WITHIN(count, 1, 65535), ue__fixed_array, __VA_ARGS__),      \
	UE__MEMBERS_IN(type, __VA_ARGS__)

/*
 * The format byte of a struct is its number of members: at least one, or it would not
 * compile, and at most the number of fields of an event. A check here would grow with each
 * level of nesting.
 */
#define UE__STRUCT_HEAD(kind, written, value, type, name, n, array, ...) \
	(kind, name, value, type, n, ue__eventheader, written, "", #name, ue__ef, array, \
	 UE_ENCODING_STRUCT, UE__MEMBERS(UE__FIELDS(~, __VA_ARGS__), __VA_ARGS__, ~), 0, \
	 ue__argument, ~, UE__NO_STRUCTS, 0)
#define UE__NO_STRUCTS                                                                  \
	__extension__({                                                                 \
		UE__STATIC_ASSERT(0, "UE_WRITE_EVENTHEADER() takes no array of structs; " \
				     "UE_WRITE() does");                                \
		UE__NULL;                                                               \
	})
#define UE__MEMBERS(n, ...) UE__MEMBERS_(n, __VA_ARGS__)
#define UE__MEMBERS_(n, ...) (n UE__EACH(n, ~, UE__LESS, UE__LESS, __VA_ARGS__))
#define UE__LESS(c, i, x) UE__LESS_ x
#define UE__LESS_(kind, name, value, type, n, events, written, text, label, bytes, array, \
		  encoding, format, ...)                                                \
	UE__APPLY(UE__LESS_BY, format, UE__ROW_##kind(type, n))
#define UE__LESS_BY(format, values, member, varies, set, op, unit, units, least, fields) \
	fields(format)

/* The members of elements are no arguments; those of inner arrays are members already. */
#define UE__MEMBERS_IN(type, ...) \
	UE__MEMBERS_IN_(UE__FIELDS(~, __VA_ARGS__), type, __VA_ARGS__, ~)
#define UE__MEMBERS_IN_(n, type, ...)                                                \
	UE__EACH(n, type, UE__MEMBER_OF, UE__MEMBER_OF, __VA_ARGS__)                 \
	(ue__end, ue__end, int, type, 0, ue__eventheader, "", "", "", ue__no_bytes, ue__one, 0, \
	 0, 0, ue__member, ~, ~, ~)
#define UE__MEMBER_OF(c, i, x) UE__PASTE(UE__MEMBER_OF_, UE__IS_FIELD(x, ~))(c, x),
#define UE__MEMBER_OF_0(c, x) x
#define UE__MEMBER_OF_1(c, x) UE__CALL(UE__MEMBER_OF_, c, UE__BARE x)
#define UE__MEMBER_OF_(outer, kind, name, value, type, n, events, written, text, label, \
		       bytes, array, encoding, format, tag, place, of, ...)             \
	(kind, name, value, type, n, ue__eventheader, written, "", label, bytes, array, \
	 encoding, format, tag, ue__member, UE__PASTE(UE__STRUCT_OF_, place)(outer, of), \
	 __VA_ARGS__)
#define UE__STRUCT_OF_ue__argument(outer, of) outer
#define UE__STRUCT_OF_ue__member(outer, of) of

#include <userevents/abi/restore_names.h>
#endif
