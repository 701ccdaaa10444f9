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
 *	UE_STRUCT(name, F...)		a struct; takes the values of its members
 *	UE_STRUCTS(type, name, F...)		any number of structs; takes a pointer to
 *						C structs of this type and a count
 *	UE_STRUCT_ARRAY(type, name, n, F...)	n structs; takes a pointer
 *
 * UE_STRUCTS and UE_STRUCT_ARRAY read each field from the member of the same name in the C
 * struct; if a field takes a pointer and a length, that member is a struct ue_span. Every
 * reader accepts structs nested 8 deep; arrays of structs cannot be deeper. Each struct
 * counts as one of the event's 64 fields, each array of structs as two.
 */
#ifndef USEREVENTS_EVENTHEADER_FIELDS_H
#define USEREVENTS_EVENTHEADER_FIELDS_H

#include <stddef.h>
#include <stdint.h>

#include <userevents/abi/eventheader.h>
#include <userevents/fields.h>

/* Bytes, characters or values. length: their number, not their size. */
struct ue_span {
	const void *data;
	size_t length;
};

#ifdef __cplusplus
#define UE__CHAR16 char16_t
#define UE__CHAR32 char32_t
#else
#define UE__CHAR16 uint_least16_t
#define UE__CHAR32 uint_least32_t
#endif

/*
 * A field of an EventHeader event is a tuple
 *
 *	(put, type of the value, type in the event, name, n, label, shape, array,
 *	 encoding, format, tag, depth, value, length)
 *
 * put: the kind of field, see the rows below. label: the name in the trace. shape: ue__eft
 * with format and tag. array: ue__one, ue__fixed_array, ue__counted_array. depth: ue__0 for
 * an argument, ue__1 and so on for a member of an element.
 *
 * UE__EH_OF(x) is that tuple without its brackets, of a field that fields.h or this file
 * makes.
 */
#define UE__EH_OF(kind, value, member, name, written, text, n, log) \
	UE__EH_OF_##kind(value, member, name, n, log)
#define UE__EH_OF_ue__eh_only(value, member, name, n, log) UE__BARE log
#define UE__EH_OF_ue__scalar(value, member, name, n, log) \
	UE__EH_FILL(ue__put_scalar, value, member, name, 1, UE__BARE log)
#define UE__EH_OF_ue__pointer(value, member, name, n, log) \
	UE__EH_FILL(ue__put_scalar, value, member, name, 1, UE__BARE log)
#define UE__EH_OF_ue__declared(value, member, name, n, log) \
	UE__EH_FILL(ue__put_nothing, value, member, name, 1, UE__BARE log)
#define UE__EH_OF_ue__string(value, member, name, n, log) \
	UE__EH_FILL(ue__put_string, value, char, name, n, UE__BARE log)
#define UE__EH_OF_ue__counted(value, member, name, n, log) \
	UE__EH_FILL(ue__put_counted, value, char, name, 1, UE__BARE log)
#define UE__EH_OF_ue__chars(value, member, name, n, log) \
	UE__EH_FILL(ue__put_string, value, char, name, UE__WITHIN(n, 1, 65535) - 1, \
		     UE__BARE log)
#define UE__EH_OF_ue__bytes(value, member, name, n, log) \
	UE__EH_FILL(ue__put_sized, value, unsigned char[UE__WITHIN(n, 1, 65535)], name, \
		     1, UE__BARE log)
#define UE__EH_OF_ue__struct(value, member, name, n, log) \
	UE__EH_FILL(ue__put_sized, value, member, name, 1, UE__BARE log)
#define UE__EH_FILL(...) UE__EH_FILL_(__VA_ARGS__)
#define UE__EH_FILL_(put, value, member, name, n, shape, encoding, format, given, length) \
	put, value, member, name, n, #name, shape, ue__one, encoding, format, 0, ue__0, \
		given, length
#define UE__BARE(...) __VA_ARGS__

/*
 * The kinds of fields, a row each:
 *
 *	arguments of a write, bytes that are reserved, what puts the value,
 *	the value as an item, members of structs that the field stands for
 *
 * arguments: ue__one, ue__two (data, length), ue__none; of an array of structs, which is
 * UE_WRITE()'s alone, ue__element and ue__elements; ue__refused.
 */
#define UE__EH_ROW_ue__put_scalar \
	ue__one, UE__SIZE_FIXED, UE__PUT_SCALAR, UE__ITEM_SCALAR, UE__NO_MEMBERS
#define UE__EH_ROW_ue__put_fixed \
	ue__one, UE__SIZE_FIXED, UE__PUT_FIXED, UE__ITEM_FIXED, UE__NO_MEMBERS
#define UE__EH_ROW_ue__put_sized \
	ue__one, UE__SIZE_SIZED, UE__PUT_SIZED, UE__ITEM_SIZED, UE__NO_MEMBERS
#define UE__EH_ROW_ue__put_string \
	ue__one, UE__SIZE_VARIES, UE__PUT_STRING, UE__ITEM_STRING, UE__NO_MEMBERS
#define UE__EH_ROW_ue__put_nullable \
	ue__one, UE__SIZE_VARIES, UE__PUT_ONE, UE__ITEM_NULLABLE, UE__NO_MEMBERS
#define UE__EH_ROW_ue__put_counted \
	ue__two, UE__SIZE_VARIES, UE__PUT_TWO, UE__ITEM_COUNTED, UE__NO_MEMBERS
#define UE__EH_ROW_ue__put_strings \
	ue__one, UE__SIZE_VARIES, UE__PUT_ONE, UE__ITEM_STRINGS, UE__NO_MEMBERS
#define UE__EH_ROW_ue__put_counted_strings \
	ue__two, UE__SIZE_VARIES, UE__PUT_TWO, UE__ITEM_COUNTED_STRINGS, UE__NO_MEMBERS
#define UE__EH_ROW_ue__put_spans \
	ue__one, UE__SIZE_VARIES, UE__PUT_ONE, UE__ITEM_SPANS, UE__NO_MEMBERS
#define UE__EH_ROW_ue__put_counted_spans \
	ue__two, UE__SIZE_VARIES, UE__PUT_TWO, UE__ITEM_COUNTED_SPANS, UE__NO_MEMBERS
#define UE__EH_ROW_ue__put_struct \
	ue__none, UE__SIZE_NONE, UE__PUT_NONE, UE__ITEM_NONE, UE__MEMBERS_OF
#define UE__EH_ROW_ue__put_structs \
	ue__elements, UE__SIZE_VARIES, UE__PUT_STRUCTS, UE__ITEM_NONE, UE__MEMBERS_OF
#define UE__EH_ROW_ue__put_struct_array \
	ue__element, UE__SIZE_VARIES, UE__PUT_STRUCT_ARRAY, UE__ITEM_NONE, UE__MEMBERS_OF
#define UE__EH_ROW_ue__put_end \
	ue__none, UE__SIZE_NONE, UE__PUT_END, UE__ITEM_NONE, UE__ONE_MEMBER
#define UE__EH_ROW_ue__put_nothing \
	ue__refused, UE__SIZE_NONE, UE__PUT_NOTHING, UE__ITEM_NONE, UE__NO_MEMBERS

/* The members of a struct are not those of the struct around it, nor is its end. */
#define UE__NO_MEMBERS(members)
#define UE__MEMBERS_OF(members) -members
#define UE__ONE_MEMBER(members) -1

/* A field that the kernel has no type for. */
#define UE__EH_ONLY(written, put, value, member, name, n, shape, encoding, format, \
		     given, length) \
	(ue__eh_only, value, member, name, written, "", 0, \
	 (put, value, member, name, n, #name, shape, ue__one, encoding, format, 0, ue__0, \
	  given, length))

#define UE__EH_SCALAR(...) UE__EH_SCALAR_(__VA_ARGS__, ~, ~, ~)
#define UE__EH_SCALAR_(written, type, encoding, format, name, given, length, ...) \
	UE__EH_ONLY(written, ue__put_scalar, type, type, name, 1, ue__ef, encoding, \
		     format, given, length)
#define UE_F32(...) \
	UE__EH_SCALAR(UE__RAW(ue__##__VA_ARGS__), float, UE_ENCODING_FLOAT, \
		       UE_FORMAT_FLOAT, __VA_ARGS__)
#define UE_F64(...) \
	UE__EH_SCALAR(UE__RAW(ue__##__VA_ARGS__), double, UE_ENCODING_DOUBLE, \
		       UE_FORMAT_FLOAT, __VA_ARGS__)
#define UE_CHAR16(...) \
	UE__EH_SCALAR(UE__RAW(ue__##__VA_ARGS__), UE__CHAR16, UE_ENCODING_VALUE16, \
		       UE_FORMAT_STRING_UTF, __VA_ARGS__)
#define UE_CHAR32(...) \
	UE__EH_SCALAR(UE__RAW(ue__##__VA_ARGS__), UE__CHAR32, UE_ENCODING_VALUE32, \
		       UE_FORMAT_STRING_UTF, __VA_ARGS__)
#define UE_PORT(...) \
	UE__EH_SCALAR(UE__RAW(ue__##__VA_ARGS__), uint16_t, UE_ENCODING_VALUE16, \
		       UE_FORMAT_PORT, __VA_ARGS__)
#define UE_IPV4(...) \
	UE__EH_SCALAR(UE__RAW(ue__##__VA_ARGS__), uint32_t, UE_ENCODING_VALUE32, \
		       UE_FORMAT_IP_ADDRESS, __VA_ARGS__)

#define UE__EH_16_BYTES(...) UE__EH_16_BYTES_(__VA_ARGS__, ~, ~, ~)
#define UE__EH_16_BYTES_(written, shape, format, name, given, length, ...) \
	UE__EH_ONLY(written, ue__put_fixed, const void *, unsigned char[16], name, 1, \
		     shape, UE_ENCODING_VALUE128, format, given, length)
#define UE_IPV6(...) \
	UE__EH_16_BYTES(UE__RAW(ue__##__VA_ARGS__), ue__ef, UE_FORMAT_IP_ADDRESS, \
			 __VA_ARGS__)
#define UE_UUID(...) \
	UE__EH_16_BYTES(UE__RAW(ue__##__VA_ARGS__), ue__ef, UE_FORMAT_UUID, \
			 __VA_ARGS__)
#define UE_VALUE128(...) \
	UE__EH_16_BYTES(UE__RAW(ue__##__VA_ARGS__), ue__e, UE_FORMAT_DEFAULT, \
			 __VA_ARGS__)

#define UE__EH_STRING(...) UE__EH_STRING_(__VA_ARGS__, ~, ~, ~)
#define UE__EH_STRING_(written, type, encoding, name, given, length, ...) \
	UE__EH_ONLY(written, ue__put_string, const type *, type, name, UE__NO_MAX, ue__e, \
		     encoding, 0, given, length)
#define UE_STRING16(...) \
	UE__EH_STRING(UE__RAW(ue__##__VA_ARGS__), UE__CHAR16, \
		       UE_ENCODING_ZSTRING_CHAR16, __VA_ARGS__)
#define UE_STRING32(...) \
	UE__EH_STRING(UE__RAW(ue__##__VA_ARGS__), UE__CHAR32, \
		       UE_ENCODING_ZSTRING_CHAR32, __VA_ARGS__)
#if __SIZEOF_WCHAR_T__ == 2
#define UE_WSTRING(...) \
	UE__EH_STRING(UE__RAW(ue__##__VA_ARGS__), wchar_t, UE_ENCODING_ZSTRING_CHAR16, \
		       __VA_ARGS__)
#else
#define UE_WSTRING(...) \
	UE__EH_STRING(UE__RAW(ue__##__VA_ARGS__), wchar_t, UE_ENCODING_ZSTRING_CHAR32, \
		       __VA_ARGS__)
#endif

#define UE__EH_COUNTED(...) UE__EH_COUNTED_(__VA_ARGS__, ~, ~, ~)
#define UE__EH_COUNTED_(written, type, encoding, name, given, length, ...) \
	UE__EH_ONLY(written, ue__put_counted, const type *, type, name, 1, ue__e, \
		     encoding, 0, given, length)
#define UE_COUNTED_STRING16(...) \
	UE__EH_COUNTED(UE__RAW(ue__##__VA_ARGS__), UE__CHAR16, \
			UE_ENCODING_STRING_LENGTH16_CHAR16, __VA_ARGS__)
#define UE_COUNTED_STRING32(...) \
	UE__EH_COUNTED(UE__RAW(ue__##__VA_ARGS__), UE__CHAR32, \
			UE_ENCODING_STRING_LENGTH16_CHAR32, __VA_ARGS__)

/*
 * Modifiers: UE__EH_CHANGE(m, argument, field) makes a field of the tuple that
 * m(argument, ...) returns. The members of a struct follow it unchanged.
 */
#define UE__CALL(m, ...) m(__VA_ARGS__)
#define UE__EH_FIELD(put, value, ...) \
	(ue__eh_only, value, ~, UE__THIRD(value, __VA_ARGS__, ~), "", "", 0, \
	 (put, value, __VA_ARGS__))
#define UE__THIRD(a, b, c, ...) c
#define UE__EH_CHANGE(m, argument, ...) \
	UE__EH_CHANGE_(UE__FIELDS(__VA_ARGS__), m, argument, __VA_ARGS__, ~)
#define UE__EH_CHANGE_(n, m, argument, field, ...)     \
	UE__CALL(m, argument, UE__EH_OF field) UE__EACH(n, UE__AND, UE__AND, __VA_ARGS__)
#define UE__AND(i, x) , x

#define UE_AS(format, ...) UE__EH_CHANGE(UE__AS, format, __VA_ARGS__)
#define UE__AS(new, put, value, member, name, n, label, shape, array, encoding, format, \
	       tag, ...)                                                                \
	UE__EH_FIELD(put, value, member, name, n, label, UE__PASTE(UE__FORMAT_OF_, shape), \
		      array, encoding, UE__NEW_FORMAT(new, encoding), tag, __VA_ARGS__)
/* Seven bits; of a struct they are the number of its members. */
#define UE__NEW_FORMAT(new, encoding) \
	UE__IF(((new) & ~0x7f) == 0 && (encoding) != UE_ENCODING_STRUCT, \
	       UE__CAST(int, new))
#define UE__FORMAT_OF_ue__e ue__ef
#define UE__FORMAT_OF_ue__ef ue__ef
#define UE__FORMAT_OF_ue__eft ue__eft

#define UE_TAGGED(tag, ...) UE__EH_CHANGE(UE__TAGGED, tag, __VA_ARGS__)
#define UE__TAGGED(new, put, value, member, name, n, label, shape, array, encoding,     \
		   format, tag, ...)                                                    \
	UE__EH_FIELD(put, value, member, name, n, label, ue__eft, array, encoding,     \
		      format, UE__WITHIN(new, 1, 0xffff), __VA_ARGS__)

#define UE_NAMED(label, ...) UE__EH_CHANGE(UE__NAMED, label, __VA_ARGS__)
#define UE__NAMED(new, put, value, member, name, n, label, ...) \
	UE__EH_FIELD(put, value, member, name, n, new, __VA_ARGS__)

/* x, if a constant condition is true; otherwise an array of negative size, an error. */
#define UE__IF(condition, x) ((x) + 0 * UE__CAST(int, sizeof(char[(condition) ? 1 : -1])))
#define UE__WITHIN(x, least, most) UE__IF((x) >= (least) && (x) <= (most), x)

#define UE_NULLABLE(field) UE__EH_CHANGE(UE__NULLABLE, ~, field)
#define UE__NULLABLE(unused, put, ...) UE__PASTE(UE__NULLABLE_, put)(__VA_ARGS__)
#define UE__NULLABLE_ue__put_scalar(value, member, name, n, label, shape, array,        \
				    encoding, format, ...)                              \
	UE__EH_FIELD(ue__put_nullable, value const *, member, name, n, label,          \
		      UE__PASTE(UE__FORMAT_OF_, shape), array,                          \
		      UE_ENCODING_BINARY_LENGTH16_CHAR8,                                \
		      UE__IF((format) != UE_FORMAT_STRING_UTF,                          \
			     UE__FORMAT_OR(format, UE_FORMAT_UNSIGNED_INT)),             \
		      __VA_ARGS__)
#define UE__NULLABLE_ue__put_fixed(value, member, name, n, label, shape, array,         \
				   encoding, format, ...)                               \
	UE__EH_FIELD(ue__put_nullable, value, member, name, n, label,                  \
		      UE__PASTE(UE__FORMAT_OF_, shape), array,                          \
		      UE_ENCODING_BINARY_LENGTH16_CHAR8,                                \
		      UE__FORMAT_OR(format, UE_FORMAT_HEX_BYTES), __VA_ARGS__)
#define UE__FORMAT_OR(format, default_format) \
	((format) != 0 ? UE__CAST(int, format) : UE__CAST(int, default_format))

#define UE_ARRAY(field, n) UE__EH_CHANGE(UE__ARRAY, n, field)
#define UE__ARRAY(count, put, ...) UE__PASTE(UE__ARRAY_, put)(count, __VA_ARGS__)
#define UE__ARRAY_ue__put_scalar(count, value, ...) \
	UE__ARRAY_OF(ue__put_fixed, value const *, count, __VA_ARGS__)
#define UE__ARRAY_ue__put_fixed(count, value, ...) \
	UE__ARRAY_OF(ue__put_fixed, value, count, __VA_ARGS__)
#define UE__ARRAY_ue__put_string(count, value, member, name, n, label, shape, array,    \
				 encoding, ...)                                         \
	UE__ARRAY_OF(ue__put_strings, value const *, count, member, name, n, label,     \
		     shape, array, UE__IF((n) == UE__NO_MAX, encoding), __VA_ARGS__)
#define UE__ARRAY_ue__put_counted(count, value, ...) \
	UE__ARRAY_OF(ue__put_spans, const struct ue_span *, count, __VA_ARGS__)
#define UE__ARRAY_OF(put, value, count, member, name, n, label, shape, array, ...)      \
	UE__EH_FIELD(put, value, member, name, UE__WITHIN(count, 1, 65535), label,     \
		      shape, ue__fixed_array, __VA_ARGS__)

#define UE_SEQUENCE(field) UE__EH_CHANGE(UE__SEQUENCE, ~, field)
#define UE__SEQUENCE(unused, put, ...) UE__PASTE(UE__SEQUENCE_, put)(__VA_ARGS__)
#define UE__SEQUENCE_ue__put_scalar(value, ...) \
	UE__SEQUENCE_OF(ue__put_counted, value const *, __VA_ARGS__)
#define UE__SEQUENCE_ue__put_fixed(value, ...) \
	UE__SEQUENCE_OF(ue__put_counted, value, __VA_ARGS__)
#define UE__SEQUENCE_ue__put_string(value, member, name, n, label, shape, array,        \
				    encoding, ...)                                      \
	UE__SEQUENCE_OF(ue__put_counted_strings, value const *, member, name, n, label, \
			shape, array, UE__IF((n) == UE__NO_MAX, encoding), __VA_ARGS__)
#define UE__SEQUENCE_ue__put_counted(value, ...) \
	UE__SEQUENCE_OF(ue__put_counted_spans, const struct ue_span *, __VA_ARGS__)
#define UE__SEQUENCE_OF(put, value, member, name, n, label, shape, array, ...) \
	UE__EH_FIELD(put, value, member, name, n, label, shape, ue__counted_array, \
		      __VA_ARGS__)

/*
 * In the list of fields, a struct comes before its members, and an array of structs has an
 * end marker after them. The number of its members is that of the fields that follow, minus
 * the members of structs among them.
 */
#define UE_STRUCT(name, ...)                                                    \
	UE__STRUCT_HEAD(UE__RAW(ue__##name), ue__put_struct, int, int, name, 1, ue__one, \
			UE__MEMBERS(UE__FIELDS(name, __VA_ARGS__), __VA_ARGS__, ~)), \
	__VA_ARGS__
#define UE_STRUCTS(type, name, ...)                                                    \
	UE__STRUCT_HEAD(UE__RAW(ue__##name), ue__put_structs, const type *, type,     \
			name, 0, ue__counted_array,                                    \
			UE__MEMBERS(UE__FIELDS(name, __VA_ARGS__), __VA_ARGS__, ~)),   \
	UE__DEEPER(UE__FIELDS(name, __VA_ARGS__), __VA_ARGS__, ~), UE__STRUCT_END(name)
#define UE_STRUCT_ARRAY(type, name, count, ...)                                        \
	UE__STRUCT_HEAD(UE__RAW(ue__##name), ue__put_struct_array, const type *, type, \
			name, UE__WITHIN(count, 1, 65535), ue__fixed_array,            \
			UE__MEMBERS(UE__FIELDS(name, __VA_ARGS__), __VA_ARGS__, ~)),   \
	UE__DEEPER(UE__FIELDS(name, __VA_ARGS__), __VA_ARGS__, ~), UE__STRUCT_END(name)

/*
 * The format byte of a struct is its number of members: at least one, or it would not
 * compile, and at most the number of fields of an event. A check here would grow with each
 * level of nesting.
 */
#define UE__STRUCT_HEAD(written, put, value, member, name, n, array, members) \
	(ue__eh_only, value, member, name, written, "", 0,                            \
	 (put, value, member, name, n, #name, ue__ef, array, UE_ENCODING_STRUCT,       \
	  members, 0, ue__0, ~, ~))
#define UE__STRUCT_END(name)                                                           \
	(ue__eh_only, int, int, name, "", "", 0,                                      \
	 (ue__put_end, int, int, name, 0, "", ue__none, ue__one, 0, 0, 0, ue__0, ~, ~))

#define UE__MEMBERS(n, ...) UE__MEMBERS_(n, __VA_ARGS__)
#define UE__MEMBERS_(n, ...) (n UE__EACH(n, UE__LESS, UE__LESS, __VA_ARGS__))
#define UE__LESS(i, x) UE__CALL(UE__LESS_, UE__EH_OF x)
#define UE__LESS_(put, value, member, name, n, label, shape, array, encoding, format, ...) \
	UE__COLUMN_5(UE__EH_ROW_##put)(format)

/* Members of elements take their values from the element, not from arguments. */
#define UE__DEEPER(n, ...) UE__DEEPER_(n, __VA_ARGS__)
#define UE__DEEPER_(n, ...) UE__EACH(n, UE__DEEPER_MORE, UE__DEEPER_LAST, __VA_ARGS__)
#define UE__DEEPER_MORE(i, x) UE__CALL(UE__DEEPER_FIELD, UE__EH_OF x),
#define UE__DEEPER_LAST(i, x) UE__CALL(UE__DEEPER_FIELD, UE__EH_OF x)
#define UE__DEEPER_FIELD(put, value, member, name, n, label, shape, array, encoding,    \
			 format, tag, depth, ...)                                       \
	UE__EH_FIELD(put, value, member, name, n, label, shape, array, encoding,       \
		      format, tag, UE__PASTE(UE__BELOW_, depth), __VA_ARGS__)
#define UE__BELOW_ue__0 ue__1
#define UE__BELOW_ue__1 ue__2
#define UE__BELOW_ue__2 ue__3
#define UE__BELOW_ue__3 ue__4
#define UE__BELOW_ue__4 ue__5
#define UE__BELOW_ue__5 ue__6
#define UE__BELOW_ue__6 ue__7
#define UE__BELOW_ue__7 ue__8

#endif
