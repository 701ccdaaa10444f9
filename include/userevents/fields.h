/* SPDX-License-Identifier: MIT */
/*
 * The fields of an event: each macro names a field, its type in the trace and the
 * values that UE_WRITE() takes for it.
 *
 *	macro				in the trace		value(s)
 *	UE_U8 .. UE_U64(name)		u8 .. u64		integer
 *	UE_S8 .. UE_S64(name)		s8 .. s64		integer
 *	UE_INT UE_UINT(name)		int, unsigned int	integer
 *	UE_SHORT UE_USHORT(name)	short, unsigned short	integer
 *	UE_CHAR UE_UCHAR(name)		char, unsigned char	integer
 *	UE_BOOL(name)			u8, 0 or 1		bool
 *	UE_POINTER(name)		u64 (u32)		pointer
 *	UE_STRING(name)			__rel_loc char[]	string
 *	UE_STRING_MAX(name, max)	__rel_loc char[]	string
 *	UE_COUNTED_STRING(name)		__rel_loc char[]	bytes, length
 *	UE_BLOB(name)			__rel_loc u8[]		bytes, length
 *	UE_CHARS(name, n)		char[n]			string
 *	UE_BYTES(name, n)		unsigned char[n]	n bytes
 *	UE_STRUCT(tag, name, n)		struct tag name n	struct tag *
 *	UE_DECLARED(type, name, text)	text			type
 *
 * UE_STRING: NULL is written as "". UE_STRING_MAX writes at most the first max
 * bytes. UE_CHARS writes at most the first n - 1 bytes, and NULs after them.
 * UE_BYTES and UE_STRUCT copy n bytes; for them, and for a length other than 0,
 * NULL is an error (-EFAULT). n is a decimal number, or a macro that is one, since
 * it is part of the text; for UE_STRUCT it must equal sizeof(struct tag).
 *
 * UE_DECLARED is for a declaration of one's own: text is passed to the kernel as it
 * is, and the value, of an arithmetic or struct type, is copied. ue_register()
 * refuses an event whose text and types differ in size.
 */
#ifndef USEREVENTS_FIELDS_H
#define USEREVENTS_FIELDS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define UE__STATIC_ASSERT(condition, text) static_assert(condition, text)
#else
#define UE__STATIC_ASSERT(condition, text) _Static_assert(condition, text)
#endif

/* The text of x, a macro expanded. */
#define UE__STRING(x) UE__STRING_(x)
#define UE__STRING_(x) #x

#define UE__SCALAR(type, name, declared) \
	(ue__scalar, type, type, name, declared " " #name, 0)

#define UE_U8(name) UE__SCALAR(uint8_t, name, "u8")
#define UE_U16(name) UE__SCALAR(uint16_t, name, "u16")
#define UE_U32(name) UE__SCALAR(uint32_t, name, "u32")
#define UE_U64(name) UE__SCALAR(uint64_t, name, "u64")
#define UE_S8(name) UE__SCALAR(int8_t, name, "s8")
#define UE_S16(name) UE__SCALAR(int16_t, name, "s16")
#define UE_S32(name) UE__SCALAR(int32_t, name, "s32")
#define UE_S64(name) UE__SCALAR(int64_t, name, "s64")
#define UE_INT(name) UE__SCALAR(int, name, "int")
#define UE_UINT(name) UE__SCALAR(unsigned int, name, "unsigned int")
#define UE_SHORT(name) UE__SCALAR(short, name, "short")
#define UE_USHORT(name) UE__SCALAR(unsigned short, name, "unsigned short")
#define UE_CHAR(name) UE__SCALAR(char, name, "char")
#define UE_UCHAR(name) UE__SCALAR(unsigned char, name, "unsigned char")

#ifdef __cplusplus
#define UE__BOOL_TYPE bool
#else
#define UE__BOOL_TYPE _Bool
#endif
#define UE_BOOL(name) (ue__scalar, UE__BOOL_TYPE, uint8_t, name, "u8 " #name, 0)

#if UINTPTR_MAX == UINT64_MAX
#define UE__POINTER_TEXT "u64 "
#else
#define UE__POINTER_TEXT "u32 "
#endif
#define UE_POINTER(name) \
	(ue__pointer, const void *, uintptr_t, name, UE__POINTER_TEXT #name, 0)

#define UE_STRING(name) UE_STRING_MAX(name, UE__NO_MAX)
#define UE_STRING_MAX(name, max) \
	(ue__string, const char *, uint32_t, name, "__rel_loc char[] " #name, max)
#define UE_COUNTED_STRING(name) \
	(ue__counted, const void *, uint32_t, name, "__rel_loc char[] " #name, \
	 UE__TERMINATED)
#define UE_BLOB(name) \
	(ue__counted, const void *, uint32_t, name, "__rel_loc u8[] " #name, UE__BYTES)

#define UE_CHARS(name, n) \
	(ue__chars, const char *, char, name, "char[" UE__STRING(n) "] " #name, n)
#define UE_BYTES(name, n)                                                    \
	(ue__bytes, const void *, unsigned char, name, \
	 "unsigned char[" UE__STRING(n) "] " #name, n)
#define UE_STRUCT(tag, name, n)                              \
	(ue__struct, const struct tag *, struct tag, name,   \
	 "struct " #tag " " #name " " UE__STRING(n), n)
#define UE_DECLARED(type, name, text) (ue__scalar, type, type, name, text, 0)

#define UE__NO_MAX 0xffffffffu

/*
 * What becomes of a field. A field is a tuple
 *
 *	(kind, type of the value, type in the record, name, text, n)
 *
 * and UE__DO(what) x picks the macro UE__what_kind for it.
 */
#define UE__PARAMETER(x) UE__PARAMETER_ x
#define UE__PARAMETER_(kind, value, member, name, text, n) \
	UE__PARAMETER_##kind(value, name)
#define UE__PARAMETER_ue__scalar(value, name) , value name
#define UE__PARAMETER_ue__pointer(value, name) , value name
#define UE__PARAMETER_ue__string(value, name) , value name
#define UE__PARAMETER_ue__chars(value, name) , value name
#define UE__PARAMETER_ue__bytes(value, name) , value name
#define UE__PARAMETER_ue__struct(value, name) , value name
#define UE__PARAMETER_ue__counted(value, name) , value name, size_t ue__length_of_##name

#define UE__MEMBER(x) UE__MEMBER_ x
#define UE__MEMBER_(kind, value, member, name, text, n) \
	UE__MEMBER_##kind(member, name, n)
#define UE__MEMBER_ue__scalar(member, name, n) member name;
#define UE__MEMBER_ue__pointer(member, name, n) member name;
#define UE__MEMBER_ue__string(member, name, n) member name;
#define UE__MEMBER_ue__counted(member, name, n) member name;
#define UE__MEMBER_ue__chars(member, name, n) member name[n];
#define UE__MEMBER_ue__bytes(member, name, n) member name[n];
#define UE__MEMBER_ue__struct(member, name, n)                            \
	UE__STATIC_ASSERT(sizeof(member) == (n),                          \
			  "the size of the struct " #name " is not " #n); \
	unsigned char name[n];

/* The text of all but the last field ends with a separator. */
#define UE__TEXT_MORE(x) UE__TEXT_ x "; "
#define UE__TEXT_LAST(x) UE__TEXT_ x
#define UE__TEXT_(kind, value, member, name, text, n) text

#define UE__IS_VARIABLE(x) UE__IS_VARIABLE_ x
#define UE__IS_VARIABLE_(kind, value, member, name, text, n) \
	+UE__IS_VARIABLE_##kind
#define UE__IS_VARIABLE_ue__scalar 0
#define UE__IS_VARIABLE_ue__pointer 0
#define UE__IS_VARIABLE_ue__chars 0
#define UE__IS_VARIABLE_ue__bytes 0
#define UE__IS_VARIABLE_ue__struct 0
#define UE__IS_VARIABLE_ue__string 1
#define UE__IS_VARIABLE_ue__counted 1

/* Put the value where it belongs: into the record, or among the pieces. */
#define UE__SET(x) UE__SET_ x
#define UE__SET_(kind, value, member, name, text, n) UE__SET_##kind(member, name, n)
#define UE__SET_ue__scalar(member, name, n) ue__to.record.fixed.name = name;
#define UE__SET_ue__pointer(member, name, n) \
	ue__to.record.fixed.name = (member)name;
#define UE__SET_ue__chars(member, name, n) \
	ue__set_chars(ue__to.record.fixed.name, name, n);
#define UE__SET_ue__bytes(member, name, n)                      \
	if (!name)                                              \
		return ue__refuse(ue__fd, ue__event, -EFAULT);  \
	__builtin_memcpy(ue__to.record.fixed.name, name, n);
#define UE__SET_ue__struct(member, name, n) UE__SET_ue__bytes(member, name, n)
#define UE__SET_ue__string(member, name, n)                             \
	ue__set_piece(ue__piece++, name, n, UE__STRING_PIECE,           \
		      (size_t)((char *)&ue__to.record.fixed.name -         \
			       (char *)&ue__to.record));
#define UE__SET_ue__counted(member, name, n)                            \
	ue__set_piece(ue__piece++, name, ue__length_of_##name, n,       \
		      (size_t)((char *)&ue__to.record.fixed.name -         \
			       (char *)&ue__to.record));

/*
 * The preprocessor counts to 64 and does something for each. UE__FIELDS() counts
 * what follows its first argument: the event's name is always there, so that an
 * event without fields needs no empty list.
 */
#define UE__PASTE(a, b) UE__PASTE_(a, b)
#define UE__PASTE_(a, b) a##b
#define UE__FIRST(first, ...) first

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

/*
 * m(x) for each of the first n arguments but the last of them, then last(x).
 * Something has to follow them: ISO C wants no empty "...".
 */
#define UE__EACH(n, m, last, ...) UE__PASTE(UE__EACH_, n)(m, last, __VA_ARGS__)
#define UE__EACH_ue__many(m, last, ...)
#define UE__EACH_0(m, last, ...)
#define UE__EACH_1(m, last, x, ...) last(x)
#define UE__EACH_2(m, last, x, ...) m(x) UE__EACH_1(m, last, __VA_ARGS__)
#define UE__EACH_3(m, last, x, ...) m(x) UE__EACH_2(m, last, __VA_ARGS__)
#define UE__EACH_4(m, last, x, ...) m(x) UE__EACH_3(m, last, __VA_ARGS__)
#define UE__EACH_5(m, last, x, ...) m(x) UE__EACH_4(m, last, __VA_ARGS__)
#define UE__EACH_6(m, last, x, ...) m(x) UE__EACH_5(m, last, __VA_ARGS__)
#define UE__EACH_7(m, last, x, ...) m(x) UE__EACH_6(m, last, __VA_ARGS__)
#define UE__EACH_8(m, last, x, ...) m(x) UE__EACH_7(m, last, __VA_ARGS__)
#define UE__EACH_9(m, last, x, ...) m(x) UE__EACH_8(m, last, __VA_ARGS__)
#define UE__EACH_10(m, last, x, ...) m(x) UE__EACH_9(m, last, __VA_ARGS__)
#define UE__EACH_11(m, last, x, ...) m(x) UE__EACH_10(m, last, __VA_ARGS__)
#define UE__EACH_12(m, last, x, ...) m(x) UE__EACH_11(m, last, __VA_ARGS__)
#define UE__EACH_13(m, last, x, ...) m(x) UE__EACH_12(m, last, __VA_ARGS__)
#define UE__EACH_14(m, last, x, ...) m(x) UE__EACH_13(m, last, __VA_ARGS__)
#define UE__EACH_15(m, last, x, ...) m(x) UE__EACH_14(m, last, __VA_ARGS__)
#define UE__EACH_16(m, last, x, ...) m(x) UE__EACH_15(m, last, __VA_ARGS__)
#define UE__EACH_17(m, last, x, ...) m(x) UE__EACH_16(m, last, __VA_ARGS__)
#define UE__EACH_18(m, last, x, ...) m(x) UE__EACH_17(m, last, __VA_ARGS__)
#define UE__EACH_19(m, last, x, ...) m(x) UE__EACH_18(m, last, __VA_ARGS__)
#define UE__EACH_20(m, last, x, ...) m(x) UE__EACH_19(m, last, __VA_ARGS__)
#define UE__EACH_21(m, last, x, ...) m(x) UE__EACH_20(m, last, __VA_ARGS__)
#define UE__EACH_22(m, last, x, ...) m(x) UE__EACH_21(m, last, __VA_ARGS__)
#define UE__EACH_23(m, last, x, ...) m(x) UE__EACH_22(m, last, __VA_ARGS__)
#define UE__EACH_24(m, last, x, ...) m(x) UE__EACH_23(m, last, __VA_ARGS__)
#define UE__EACH_25(m, last, x, ...) m(x) UE__EACH_24(m, last, __VA_ARGS__)
#define UE__EACH_26(m, last, x, ...) m(x) UE__EACH_25(m, last, __VA_ARGS__)
#define UE__EACH_27(m, last, x, ...) m(x) UE__EACH_26(m, last, __VA_ARGS__)
#define UE__EACH_28(m, last, x, ...) m(x) UE__EACH_27(m, last, __VA_ARGS__)
#define UE__EACH_29(m, last, x, ...) m(x) UE__EACH_28(m, last, __VA_ARGS__)
#define UE__EACH_30(m, last, x, ...) m(x) UE__EACH_29(m, last, __VA_ARGS__)
#define UE__EACH_31(m, last, x, ...) m(x) UE__EACH_30(m, last, __VA_ARGS__)
#define UE__EACH_32(m, last, x, ...) m(x) UE__EACH_31(m, last, __VA_ARGS__)
#define UE__EACH_33(m, last, x, ...) m(x) UE__EACH_32(m, last, __VA_ARGS__)
#define UE__EACH_34(m, last, x, ...) m(x) UE__EACH_33(m, last, __VA_ARGS__)
#define UE__EACH_35(m, last, x, ...) m(x) UE__EACH_34(m, last, __VA_ARGS__)
#define UE__EACH_36(m, last, x, ...) m(x) UE__EACH_35(m, last, __VA_ARGS__)
#define UE__EACH_37(m, last, x, ...) m(x) UE__EACH_36(m, last, __VA_ARGS__)
#define UE__EACH_38(m, last, x, ...) m(x) UE__EACH_37(m, last, __VA_ARGS__)
#define UE__EACH_39(m, last, x, ...) m(x) UE__EACH_38(m, last, __VA_ARGS__)
#define UE__EACH_40(m, last, x, ...) m(x) UE__EACH_39(m, last, __VA_ARGS__)
#define UE__EACH_41(m, last, x, ...) m(x) UE__EACH_40(m, last, __VA_ARGS__)
#define UE__EACH_42(m, last, x, ...) m(x) UE__EACH_41(m, last, __VA_ARGS__)
#define UE__EACH_43(m, last, x, ...) m(x) UE__EACH_42(m, last, __VA_ARGS__)
#define UE__EACH_44(m, last, x, ...) m(x) UE__EACH_43(m, last, __VA_ARGS__)
#define UE__EACH_45(m, last, x, ...) m(x) UE__EACH_44(m, last, __VA_ARGS__)
#define UE__EACH_46(m, last, x, ...) m(x) UE__EACH_45(m, last, __VA_ARGS__)
#define UE__EACH_47(m, last, x, ...) m(x) UE__EACH_46(m, last, __VA_ARGS__)
#define UE__EACH_48(m, last, x, ...) m(x) UE__EACH_47(m, last, __VA_ARGS__)
#define UE__EACH_49(m, last, x, ...) m(x) UE__EACH_48(m, last, __VA_ARGS__)
#define UE__EACH_50(m, last, x, ...) m(x) UE__EACH_49(m, last, __VA_ARGS__)
#define UE__EACH_51(m, last, x, ...) m(x) UE__EACH_50(m, last, __VA_ARGS__)
#define UE__EACH_52(m, last, x, ...) m(x) UE__EACH_51(m, last, __VA_ARGS__)
#define UE__EACH_53(m, last, x, ...) m(x) UE__EACH_52(m, last, __VA_ARGS__)
#define UE__EACH_54(m, last, x, ...) m(x) UE__EACH_53(m, last, __VA_ARGS__)
#define UE__EACH_55(m, last, x, ...) m(x) UE__EACH_54(m, last, __VA_ARGS__)
#define UE__EACH_56(m, last, x, ...) m(x) UE__EACH_55(m, last, __VA_ARGS__)
#define UE__EACH_57(m, last, x, ...) m(x) UE__EACH_56(m, last, __VA_ARGS__)
#define UE__EACH_58(m, last, x, ...) m(x) UE__EACH_57(m, last, __VA_ARGS__)
#define UE__EACH_59(m, last, x, ...) m(x) UE__EACH_58(m, last, __VA_ARGS__)
#define UE__EACH_60(m, last, x, ...) m(x) UE__EACH_59(m, last, __VA_ARGS__)
#define UE__EACH_61(m, last, x, ...) m(x) UE__EACH_60(m, last, __VA_ARGS__)
#define UE__EACH_62(m, last, x, ...) m(x) UE__EACH_61(m, last, __VA_ARGS__)
#define UE__EACH_63(m, last, x, ...) m(x) UE__EACH_62(m, last, __VA_ARGS__)
#define UE__EACH_64(m, last, x, ...) m(x) UE__EACH_63(m, last, __VA_ARGS__)

#endif
