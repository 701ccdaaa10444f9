/* SPDX-License-Identifier: MIT */
/*
 * EventHeader events: they describe themselves, and belong to a provider, a level and a
 * keyword.
 *
 *	UE_PROVIDER(shop, "MyCompany_Shop");
 *	UE_TRACEPOINT(shop_info, shop, UE_LEVEL_INFORMATION, 0x1);
 *	UE_EVENTHEADER(shop_info, order_placed, UE_U64(order), UE_F64(total), UE_UUID(who));
 *
 *	int fd = ue_open(NULL);
 *	ue_register_all(fd);
 *	UE_WRITE(fd, order_placed, 17, 99.5, who);
 *	UE_WRITE_EVENTHEADER(fd, shop_info, "OrderLost", UE_U64(order, 17));
 *
 * Users enable the tracepoint, user_events:MyCompany_Shop_L4K1, and the kernel knows
 * nothing else. Its events share its registration and test its word, at an address that
 * the linker fills in.
 *
 * An event consists of a constant and a function. The constant has the header, the
 * description of the fields, and operations that tell the library how to pack those values
 * that are not simply copied. The function puts its arguments into a struct and passes both
 * to the library; an event without such values is complete there and is sent as it is.
 * UE_WRITE_EVENTHEADER() does the same in place.
 */
#ifndef USEREVENTS_EVENTHEADER_EVENT_H
#define USEREVENTS_EVENTHEADER_EVENT_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <userevents/activity.h>
#include <userevents/abi/eventheader.h>
#include <userevents/fields.h>
#include <userevents/eventheader_fields.h>
#include <userevents/abi/write_calls.h>
#include <userevents/classic_event.h>
#include <userevents/tracepoint.h>

#include <userevents/abi/hide_names.h>

/*
 * Name a provider: UE_PROVIDER(name, "Name"), or UE_PROVIDER(name, "Name", "group").
 *
 * name is a C identifier for UE_TRACEPOINT(); the texts are as for ue_tracepoint_init().
 * At file scope, in a header as well. Since 0.1.
 */
#define UE_PROVIDER(name, ...) UE__PROVIDER(name, __VA_ARGS__, "", ~)

/*
 * Define a tracepoint for this source file: UE_TRACEPOINT(name, provider, level,
 * keyword), or UE_TRACEPOINT(name, provider, level, keyword, flags) with flags as in
 * struct ue_event, a constant.
 *
 * name: a C identifier, which events and UE_ENABLED() take.
 * provider: of UE_PROVIDER().
 * level: 1 to 255, enum ue_level; a constant.
 * keyword: 64 bits; a constant.
 *
 * The tracepoint's ue_event is UE_EVENT_OF(name). A level or a length out of bounds does
 * not compile. ue_register() refuses a provider or group with invalid bytes, and
 * ue_tracepoint_check() reports the reason. Since 0.1.
 */
#define UE_TRACEPOINT(name, provider, level, ...) \
	UE__TRACEPOINT(name, provider, level, __VA_ARGS__, 0, ~)

/* The struct of a tracepoint, for ue_builder_write(). Since 0.1. */
#define UE_TRACEPOINT_OF(name) (name##_ue__tracepoint)

/*
 * For a tracepoint of several source files of a module: UE_TRACEPOINT_DECLARE(name,
 * provider, level, keyword) in a header, with the events, and UE_TRACEPOINT_DEFINE(name)
 * in one of the files that include it, or UE_TRACEPOINT_DEFINE(name, flags). A module
 * that includes the header must define the tracepoint even if it writes none of its
 * events, because gcc without optimization refers to it. Since 0.1.
 */
#define UE_TRACEPOINT_DECLARE(name, provider, level, keyword)           \
	UE__TRACEPOINT_PARTS(name, provider, level, keyword);           \
	UE__SHARED UE__HIDDEN UE__WORD(name);                           \
	UE__SHARED UE__HIDDEN struct ue_tracepoint name##_ue__tracepoint[1]; \
	UE__TRACEPOINT_EVENT(name)
#define UE_TRACEPOINT_DEFINE(...) UE__TRACEPOINT_DEFINE(__VA_ARGS__, 0, ~)

/*
 * Define an event: UE_EVENTHEADER(tracepoint, name, fields...).
 *
 * name: a C identifier and no macro, the event's name and what UE_WRITE() takes.
 * fields: up to 64, of fields.h and eventheader_fields.h.
 *
 * UE_EVENTHEADER_WITH() gives it another name in the trace, and options.
 *
 * At file scope, in a header as well. Since 0.1.
 */
#define UE_EVENTHEADER(tracepoint, ...) \
	UE__EH_EVENT(UE__FIELDS(__VA_ARGS__), UE__RAW(ue__##__VA_ARGS__), tracepoint, \
		      __VA_ARGS__, (~))

/*
 * The same with more: UE_EVENTHEADER_WITH(tracepoint, name, label, options, fields...).
 *
 * label: the event's name in the trace, a literal of UTF-8.
 * options: UE_ID(id, version), UE_OPCODE(opcode), UE_EVENT_TAG(tag), joined by |, or 0.
 * Since 0.1.
 */
#define UE_EVENTHEADER_WITH(tracepoint, name, label, ...) \
	UE__EH_EVENT_WITH(UE__FIELDS(__VA_ARGS__), tracepoint, name, label, __VA_ARGS__, ~)

/* A lasting number for the event, 1 to 65535, and the version of its fields, 0 to 255. */
#define UE_ID(id, version) \
	(UE__OPTION(id, 1, 0xffff, 16) | UE__OPTION(version, 0, 0xff, 8))
/* enum ue_opcode, or another number up to 255. */
#define UE_OPCODE(opcode) UE__OPTION(opcode, 0, 0xff, 48)
/* 1 to 65535, of the provider's own. */
#define UE_EVENT_TAG(tag) UE__OPTION(tag, 1, 0xffff, 32)

/*
 * Write an event as part of an activity: UE_WRITE_ACTIVITY(fd, activity, related, name,
 * values...), for events of UE_EVENTHEADER().
 *
 * activity: const struct ue_activity *. related: the same, of the activity that this one
 * is part of, for the event that starts it; else NULL.
 *
 * Returns as UE_WRITE(), and -EINVAL for a related id without an id. Since 0.1.
 */
#define UE_WRITE_ACTIVITY(fd, activity, related, ...) \
	UE__PASTE(UE__WRITE_ACTIVITY_, UE__HAS_VALUES(__VA_ARGS__)) \
	(fd, activity, related, __VA_ARGS__)

/*
 * Define and write an event in one place: UE_WRITE_EVENTHEADER(fd, tracepoint, label, fields...).
 *
 * label: the event's name, a literal of UTF-8.
 * fields: as for UE_EVENTHEADER(), each with its value after the name, UE_U32(name, value)
 *   or UE_BLOB(name, bytes, length); no arrays of structs.
 *
 * Everything is evaluated only while the tracepoint is enabled, the values in order. This is
 * an expression of type int; in C it cannot be used in an inline function with external linkage.
 *
 * UE_EVENTHEADER() and UE_WRITE() generate less code for an event that is written in several
 * places, and faster code if all of its values have a fixed size. Returns and restrictions as
 * for UE_WRITE(). Since 0.1.
 */
#define UE_WRITE_EVENTHEADER(fd, tracepoint, ...) \
	UE__EH(UE__FIELDS(__VA_ARGS__),                                              \
	       UE__SEND(ue__fd, tracepoint##_ue__event, ue__described, ue__values),  \
	       fd, UE__NULL, UE__NULL, tracepoint, 0, __VA_ARGS__, ~)

/*
 * The same with more: UE_WRITE_EVENTHEADER_WITH(fd, tracepoint, options, activity, related,
 * label, fields...). options as for UE_EVENTHEADER_WITH(), the activities as for
 * UE_WRITE_ACTIVITY(), or NULL. Since 0.1.
 */
#define UE_WRITE_EVENTHEADER_WITH(fd, tracepoint, options, activity, related, ...)    \
	UE__EH(UE__FIELDS(__VA_ARGS__),                                               \
	       ue__send_values(ue__fd, tracepoint##_ue__event, &ue__described,        \
			       UE__FIRST_OF(ue__values), ue__activity, ue__related),  \
	       fd, activity, related, tracepoint, options, __VA_ARGS__, ~)

/* Everything below is internal. */

#define UE__WRITE_ACTIVITY_0(fd, activity, related, name) \
	UE__IF_LISTENED(name, name##_ue__write_activity(fd, activity, related, \
							name##_ue__event))
#define UE__WRITE_ACTIVITY_1(fd, activity, related, name, ...) \
	UE__IF_LISTENED(name, name##_ue__write_activity(fd, activity, related, \
							name##_ue__event, __VA_ARGS__))

/* Provider and tracepoint */

#define UE__PROVIDER(name, text, group, ...)                                     \
	static const char name##_ue__provider[] UE__UNUSED = text;              \
	static const char name##_ue__group[] UE__UNUSED = group;                \
	UE__STATIC_ASSERT(sizeof(text) > 1, "the provider " #name " has no name");  \
	UE__STATIC_ASSERT(__builtin_strlen(text) == sizeof(text) - 1 &&         \
				  __builtin_strlen(group) == sizeof(group) - 1, \
			  "there is a NUL in the name or group of the provider " #name)

#define UE__TRACEPOINT(name, provider, level, keyword, flags, ...) \
	UE__TRACEPOINT_PARTS(name, provider, level, keyword);      \
	static UE__WORD(name);                                     \
	UE__TRACEPOINT_OBJECT(static, flags, name);                \
	UE__TRACEPOINT_EVENT(name)
#define UE__TRACEPOINT_DEFINE(name, flags, ...)         \
	UE__SHARED_BEGIN                                \
	UE__HIDDEN UE__WORD(name);                      \
	UE__TRACEPOINT_OBJECT(UE__HIDDEN, flags, name); \
	UE__SHARED_END                                  \
	UE__STATIC_ASSERT(1, "")

#define UE__TRACEPOINT_PARTS(name, provider, level, keyword)                         \
	enum { name##_ue__level = (level) };                                         \
	UE__STATIC_ASSERT((level) >= 1 && (level) <= 255,                            \
			  "the level of the tracepoint " #name " is not 1 to 255");  \
	UE__STATIC_ASSERT(sizeof(provider##_ue__provider) +                          \
				  sizeof(provider##_ue__group) + 3 +                 \
				  ((level) > 15) + UE__HEX_DIGITS(keyword) -         \
				  (sizeof(provider##_ue__group) == 1) <=             \
				  UE_EVENTHEADER_NAME_MAX,                           \
			  "the name of the tracepoint " #name                        \
			  " is longer than 255 bytes");                              \
	static const struct ue_tracepoint_parts ue__parts_##name UE__UNUSED = {      \
		provider##_ue__provider, provider##_ue__group, keyword, level        \
	}

/* "_L", "K" and one digit each are in the 3 above, and the G of a group in its NUL. */
#define UE__HEX_DIGITS(x) (1 + UE__HEX_DIGITS_16(UE__CAST(uint64_t, x)))
#define UE__HEX_DIGITS_16(x) \
	(((x) >> 32 ? 8 : 0) + UE__HEX_DIGITS_8((x) >> 32 ? (x) >> 32 : (x)))
#define UE__HEX_DIGITS_8(x) \
	(((x) >> 4 > 0) + ((x) >> 8 > 0) + ((x) >> 12 > 0) + ((x) >> 16 > 0) + \
	 ((x) >> 20 > 0) + ((x) >> 24 > 0) + ((x) >> 28 > 0))

#define UE__TRACEPOINT_OBJECT(storage, flags, name)                                  \
	UE__FLAGS_ARE_CONSTANT("tracepoint " #name, flags)                           \
	storage struct ue_tracepoint name##_ue__tracepoint[1] = { {                  \
		UE__EVENT_INIT(name##_ue__word, name##_ue__tracepoint[0].ue__text,   \
			       flags, sizeof(struct ue_eventheader),                 \
			       &ue__parts_##name),                                   \
		{ UE__NULL, UE__NULL, 0, 0 }, { 0 } } };                             \
	static struct ue_event *ue__listed_##name UE__LISTED =                       \
		UE__FIRST_EVENT(name##_ue__tracepoint)

#define UE__TRACEPOINT_EVENT(name)                                    \
	static struct ue_event *const name##_ue__event UE__UNUSED =   \
		UE__FIRST_EVENT(name##_ue__tracepoint)

/* The options of an event are the header's fields, from the version on, in one number. */
#define UE__OPTION(x, least, most, shift) \
	(UE__CAST(uint64_t, UE__WITHIN(x, least, most)) << (shift))
#define UE__HEADER(options, level)                                                    \
	{                                                                             \
		UE__CAST(uint8_t, UE_HEADER_NATIVE | UE_HEADER_EXTENSION),            \
			UE__CAST(uint8_t, (options) >> 8 & 0xff),                     \
			UE__CAST(uint16_t, (options) >> 16 & 0xffff),                 \
			UE__CAST(uint16_t, (options) >> 32 & 0xffff),                 \
			UE__CAST(uint8_t, (options) >> 48 & 0xff), (level)            \
	}

/*
 * The header, description and operations of an event, as a constant. Names and types of
 * fields differ in size, so each is a member. values: the struct with the values.
 */
#define UE__DESCRIPTION(tag, n, ops, label, ...)                                      \
	struct tag {                                                                  \
		struct ue__described ue__head;                                        \
		struct ue_eventheader ue__header;                                     \
		struct ue_eventheader_extension ue__extension;                        \
		char ue__name[sizeof(label)];                                         \
		UE__EACH(n, ~, UE__LABEL, UE__LABEL, __VA_ARGS__)                     \
		struct ue__op ue__ops[(ops) + 1];                                     \
	} __attribute__((__packed__))
#define UE__DESCRIPTION_OF(type, weight, values, n, label, level, options, ...)       \
	{ { UE__CAST(uint16_t, UE__DESCRIBED_SIZE(type)),                            \
	    UE__CAST(uint16_t, UE__LONGEST(UE__DESCRIBED_SIZE(type), weight)) },      \
	  UE__HEADER(UE__CAST(uint64_t, options), level),                             \
	  { UE__CAST(uint16_t, UE__DESCRIBED_SIZE(type) -                             \
				       __builtin_offsetof(type, ue__name)),           \
	    UE_EXTENSION_METADATA },                                                  \
	  label, UE__EACH(n, ~, UE__TYPE, UE__TYPE, __VA_ARGS__) {                    \
		UE__EACH(n, values, UE__OP, UE__OP, __VA_ARGS__)                      \
		UE__OP_OF(UE__OFFSET(values, ue__end), UE__OP_END, 0, 0) } }
/* Compilers align large constants generously otherwise. */
#define UE__DESCRIBED __attribute__((__unused__, __aligned__(1)))
/* C++ would take options that are not constant, and keep those of the first write. */
#ifdef __cplusplus
#define UE__CONSTANT static constexpr
#else
#define UE__CONSTANT static const
#endif
#define UE__DESCRIBED_SIZE(type) __builtin_offsetof(type, ue__ops)

#define UE__LABEL(c, i, x) UE__CALL(UE__LABEL_, i, UE__BARE x)
#define UE__LABEL_(i, kind, name, value, type, n, events, written, text, label, bytes,  \
		   array, encoding, format, tag, place, of, ...)                        \
	UE__AS_WRITTEN("a field", #name, written);                                      \
	UE__PASTE(UE__CHECK_, events)(name)                                             \
	UE__APPLY(UE__PASTE(UE__CHECK_, place), of, name, type, UE__ROW_##kind(type, n)) \
	UE__PASTE(UE__LABEL_, bytes)(i, label, array)
#define UE__LABEL_ue__no_bytes(i, label, array)
#define UE__LABEL_ue__e(i, label, array) UE__LABEL_OF(i, label, 1, array)
#define UE__LABEL_ue__ef(i, label, array) UE__LABEL_OF(i, label, 2, array)
#define UE__LABEL_ue__eft(i, label, array) UE__LABEL_OF(i, label, 4, array)
#define UE__LABEL_OF(i, label, size, array)                               \
	UE__STATIC_ASSERT(__builtin_strlen(label) == sizeof(label) - 1,   \
			  "there is a NUL in the name of a field");       \
	char ue__name##i[sizeof(label)];                                  \
	unsigned char ue__type##i[size + UE__PASTE(UE__COUNT_SIZE_, array)];
#define UE__COUNT_SIZE_ue__one 0
#define UE__COUNT_SIZE_ue__fixed_array 2
#define UE__COUNT_SIZE_ue__counted_array 0

#define UE__CHECK_ue__any(name)
#define UE__CHECK_ue__eventheader(name)
#define UE__CHECK_ue__classic(name) \
	UE__STATIC_ASSERT(0, "the field " #name " is for UE_EVENT() only");
#define UE__CHECK_ue__argument(...)
#define UE__CHECK_ue__member(of, name, type, values, ...) \
	UE__PASTE(UE__CHECK_MEMBER_, values)(UE__MEMBER_AT(of, name), name, type)
/* The library copies it, and converts nothing. */
#define UE__CHECK_MEMBER_ue__value(x, name, type)                                     \
	UE__STATIC_ASSERT(sizeof(x) == sizeof(type) &&                                \
				  UE__IS_FLOAT(x) ==                                  \
					  UE__IS_FLOAT(*UE__CAST(type *, UE__NULL)),  \
			  "the member " #name " of the elements of an array has "     \
			  "another size than its field, or only one is a float");
#define UE__CHECK_MEMBER_ue__pointer(x, name, type)
#define UE__CHECK_MEMBER_ue__span(x, name, type)
#define UE__CHECK_MEMBER_ue__nothing(x, name, type)
#define UE__CHECK_MEMBER_ue__end(x, name, type)
#define UE__IS_FLOAT(x) (__builtin_classify_type(x) == 8)
#define UE__MEMBER_AT(of, name) (UE__CAST(const of *, UE__NULL)->name)

#define UE__TYPE(c, i, x) UE__TYPE_ x
#define UE__TYPE_(kind, name, value, type, n, events, written, text, label, bytes, array, \
		  encoding, format, tag, ...)                                           \
	UE__PASTE(UE__TYPE_, bytes)                                                     \
	(label, UE__PASTE(UE__ARRAY_FLAG_, array) | (encoding), format, tag,            \
	 UE__PASTE(UE__COUNT_, array)(n))
#define UE__TYPE_ue__no_bytes(label, encoding, format, tag, count)
#define UE__TYPE_ue__e(label, encoding, format, tag, count) \
	label, { UE__CAST(uint8_t, encoding) UE__BARE count },
#define UE__TYPE_ue__ef(label, encoding, format, tag, count)      \
	label, { UE__CAST(uint8_t, (encoding) | UE_ENCODING_CHAIN), \
		 UE__CAST(uint8_t, format) UE__BARE count },
#define UE__TYPE_ue__eft(label, encoding, format, tag, count)       \
	label, { UE__CAST(uint8_t, (encoding) | UE_ENCODING_CHAIN), \
		 UE__CAST(uint8_t, (format) | UE_FORMAT_CHAIN),     \
		 UE__BYTES16(tag) UE__BARE count },
#define UE__ARRAY_FLAG_ue__one 0
#define UE__ARRAY_FLAG_ue__fixed_array 0x20
#define UE__ARRAY_FLAG_ue__counted_array 0x40
#define UE__COUNT_ue__one(n) ()
#define UE__COUNT_ue__fixed_array(n) (, UE__BYTES16(n))
#define UE__COUNT_ue__counted_array(n) ()
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define UE__BYTES16(x) UE__CAST(uint8_t, (x) & 0xff), UE__CAST(uint8_t, (x) >> 8)
#else
#define UE__BYTES16(x) UE__CAST(uint8_t, (x) >> 8), UE__CAST(uint8_t, (x) & 0xff)
#endif

/*
 * Operations. An argument that is a value lies in the struct and needs none: the library
 * copies everything between two operations. A member of elements always needs one.
 */
#define UE__OP(c, i, x) UE__CALL(UE__OP_, c, i, UE__BARE x)
#define UE__OP_(c, i, kind, name, value, type, n, events, written, text, label, bytes,   \
		array, encoding, format, tag, place, of, ...)                            \
	UE__APPLY(UE__PASTE(UE__OP_, place), c, i, name, value, type, of,                \
		  UE__ROW_##kind(type, n))
#define UE__OP_ue__argument(c, i, name, value, type, of, values, member, varies, set, op, \
			    unit, units, ...)                                           \
	UE__PASTE(UE__OP_ARGUMENT_, values)(UE__OFFSET(c, ue__v##i), op, unit, units)
#define UE__OP_ARGUMENT_ue__value(at, op, unit, units)
#define UE__OP_ARGUMENT_ue__nothing(at, op, unit, units)
#define UE__OP_ARGUMENT_ue__pointer UE__OP_OF_ARGUMENT
#define UE__OP_ARGUMENT_ue__span UE__OP_OF_ARGUMENT
#define UE__OP_OF_ARGUMENT(at, op, unit, units) UE__OP_OF(at, op, unit, units),
#define UE__OP_ue__member(c, i, name, value, type, of, values, member, varies, set, op,  \
			  unit, units, ...)                                             \
	UE__PASTE(UE__OP_MEMBER_, values)(of, name, value, type, op, unit, units)
#define UE__OP_MEMBER_ue__nothing(of, name, value, type, op, unit, units)
#define UE__OP_MEMBER_ue__value(of, name, value, type, op, unit, units) \
	UE__OP_OF(UE__PLACE(of, name, value), op, unit, units),
#define UE__OP_MEMBER_ue__pointer(of, name, value, type, op, unit, units)         \
	UE__OP_OF(UE__PLACE(of, name, value),                                     \
		  (op) | (UE__IS_ARRAY(UE__CAST(const of *, UE__NULL)->name) ?    \
				  UE__OP_IN_PLACE : 0), unit, units),
#define UE__OP_MEMBER_ue__span(of, name, value, type, op, unit, units) \
	UE__OP_OF(UE__PLACE(of, name, struct ue_span), op, unit, units),
#define UE__OP_MEMBER_ue__end(of, name, value, type, op, unit, units) \
	UE__OP_OF(UE__WITHIN(sizeof(type), 1, 0xffff), op, unit, units),
#define UE__OP_OF(at, op, unit, units)                                           \
	{ UE__CAST(uint16_t, at), UE__CAST(uint8_t, op), UE__CAST(uint8_t, unit), \
	  UE__CAST(uint16_t, units) }

/* The place of a member; the call, which is not evaluated, converts it like an argument. */
#define UE__PLACE(of, name, value)                                                \
	(__builtin_offsetof(of, name) +                                           \
	 0 * sizeof(UE__CAST(int (*)(value), UE__NULL)(UE__MEMBER_AT(of, name))))

/*
 * The sum of these: bytes that the values take at least, UE__ONE_OP per operation, and
 * UE__OTHER_OP for each that is no string of any length.
 */
#define UE__ONE_OP (1LL << 24)
#define UE__OTHER_OP (1LL << 40)
#define UE__OPS(weight) ((weight) % UE__OTHER_OP / UE__ONE_OP)
#define UE__LEAST(weight) UE__CAST(size_t, (weight) % UE__ONE_OP)
#define UE__WEIGHT(c, i, x) UE__WEIGHT_ x
#define UE__WEIGHT_(kind, name, value, type, n, events, written, text, label, bytes,    \
		    array, encoding, format, tag, place, ...)                           \
	UE__APPLY(UE__PASTE(UE__WEIGHT_, place), UE__ROW_##kind(type, n))
#define UE__WEIGHT_ue__argument(values, member, varies, set, op, unit, units, least, ...) \
	+UE__PASTE(UE__OPS_, values)(op) +                                              \
		UE__CAST(int, (least) < 0x10000 ? (least) : 0x10000)
#define UE__WEIGHT_ue__member(values, member, varies, set, op, ...) \
	+((op) == UE__NO_OP ? 0 : UE__ONE_OP)
#define UE__OPS_ue__value(op) 0
#define UE__OPS_ue__nothing(op) 0
#define UE__OPS_ue__pointer(op) \
	((op) == UE__OP_STRING ? UE__ONE_OP : UE__ONE_OP + UE__OTHER_OP)
#define UE__OPS_ue__span(op) UE__ONE_OP + UE__OTHER_OP

/* See struct ue__described. */
#define UE__LONGEST(size, weight)                                                     \
	((weight) >= UE__OTHER_OP ||                                                  \
			 (size) + UE__LEAST(weight) +                                 \
					 UE__CAST(size_t, 15 * UE__OPS(weight)) >     \
				 UE__SMALL_RECORD ?                                   \
		 0 :                                                                  \
		 (UE__SMALL_RECORD - (size) - UE__LEAST(weight)) /                    \
			 UE__CAST(size_t, UE__OPS(weight) + !UE__OPS(weight)))

/* Values: the arguments in order, behind room for whatever the record begins with. */
#define UE__VALUES(tag, head, n, ...)                             \
	struct tag {                                              \
		char ue__head[head];                              \
		UE__EACH(n, ~, UE__SLOT, UE__SLOT, __VA_ARGS__)   \
		char ue__end[UE__BEHIND_VALUES];                  \
	} __attribute__((__packed__))
#define UE__OFFSET(tag, member)                    \
	(__builtin_offsetof(struct tag, member) - \
	 sizeof(UE__CAST(struct tag *, UE__NULL)->ue__head))
#define UE__SLOT(c, i, x) UE__CALL(UE__SLOT_, i, UE__BARE x)
#define UE__SLOT_(i, kind, name, value, type, n, events, written, text, label, bytes,   \
		  array, encoding, format, tag, place, ...)                             \
	UE__APPLY(UE__PASTE(UE__SLOT_, place), i, type, UE__ROW_##kind(type, n))
#define UE__SLOT_ue__member(...)
#define UE__SLOT_ue__argument(i, type, values, ...) \
	UE__PASTE(UE__SLOT_, values)(type, ue__v##i)
#define UE__SLOT_ue__value(type, slot) type slot;
#define UE__SLOT_ue__pointer(type, slot) const void *slot;
#define UE__SLOT_ue__span(type, slot) struct ue__span_slot slot;
#define UE__SLOT_ue__nothing(type, slot)

/* Fill the struct with the arguments of the function, or with what the fields were given. */
#define UE__FILL(c, i, x) UE__CALL(UE__FILL_, i, UE__BARE x)
#define UE__FILL_(i, kind, name, value, type, n, events, written, text, label, bytes,   \
		  array, encoding, format, tag, place, ...)                             \
	UE__APPLY(UE__PASTE(UE__FILL_, place), ue__values.ue__v##i, type, name,         \
		  UE__ROW_##kind(type, n))
#define UE__FILL_ue__member(...)
#define UE__FILL_ue__argument(slot, type, name, values, ...) \
	UE__FILL_##values(slot, type, name, ue__length_of_##name)
#define UE__FILL_ue__value(slot, type, data, size) slot = UE__CAST(type, data);
#define UE__FILL_ue__pointer(slot, type, data, size) slot = data;
#define UE__FILL_ue__span(slot, type, from, size) \
	slot.ue__data = from;                     \
	slot.ue__length = size;
#define UE__FILL_ue__nothing(slot, type, data, size)

/*
 * What the fields of UE_WRITE_EVENTHEADER() were given. C++ destroys temporary objects at the
 * end of an expression, so there all of the write is one, and evaluates the values in order. C
 * keeps them in variables, and a compound literal lives as long as their block.
 */
#ifdef __cplusplus
extern "C++" {
/* Converts like an argument. */
template <typename ue__type> struct ue__as {
	static inline ue__type ue__of(ue__type value) { return value; }
};
}

#define UE__GIVE(n, send, fd, activity, related, ...)                                 \
	int ue__fd;                                                                   \
	const struct ue_activity *ue__activity, *ue__related;                         \
	struct ue__values ue__values;                                                 \
	ue__result = (ue__fd = (fd), ue__activity = (activity), ue__related = (related), \
		      UE__EACH(n, ~, UE__FILL_GIVEN, UE__FILL_GIVEN, __VA_ARGS__) send); \
	static_cast<void>(ue__activity);                                              \
	static_cast<void>(ue__related)
#define UE__FILL_GIVEN(c, i, x) UE__CALL(UE__FILL_GIVEN_, i, UE__BARE x)
#define UE__FILL_GIVEN_(i, kind, name, value, type, n, events, written, text, label,    \
			bytes, array, encoding, format, tag, place, of, given, length)  \
	UE__APPLY(UE__PASTE(UE__GIVEN_, place), ue__values.ue__v##i, value, type, given, \
		  length, UE__ROW_##kind(type, n))
#define UE__GIVEN_ue__member(...)
#define UE__GIVEN_ue__argument(slot, value, type, given, length, values, ...) \
	UE__GIVEN_##values(slot, value, type, given, length)
#define UE__GIVEN_ue__value(slot, value, type, given, length) \
	slot = UE__CAST(type, ue__as<value>::ue__of(given)),
#define UE__GIVEN_ue__pointer(slot, value, type, given, length) \
	slot = ue__as<value>::ue__of(given),
#define UE__GIVEN_ue__span(slot, value, type, given, size) \
	slot.ue__data = ue__as<value>::ue__of(given), slot.ue__length = (size),
#define UE__GIVEN_ue__nothing(slot, value, type, given, length)
#else
#define UE__GIVE(n, send, fd, activity, related, ...)                         \
	const int ue__fd = (fd);                                              \
	const struct ue_activity *const ue__activity = (activity);            \
	const struct ue_activity *const ue__related = (related);              \
	struct ue__values ue__values;                                         \
	UE__EACH(n, ~, UE__FILL_GIVEN, UE__FILL_GIVEN, __VA_ARGS__)           \
	(void)ue__activity;                                                   \
	(void)ue__related;                                                    \
	ue__result = send
#define UE__FILL_GIVEN(c, i, x) UE__CALL(UE__FILL_GIVEN_, i, UE__BARE x)
#define UE__FILL_GIVEN_(i, kind, name, value, type, n, events, written, text, label,    \
			bytes, array, encoding, format, tag, place, of, given, length)  \
	UE__APPLY(UE__PASTE(UE__GIVEN_, place), ue__values.ue__v##i, ue__given##i, value, \
		  type, given, length, UE__ROW_##kind(type, n))
#define UE__GIVEN_ue__member(...)
#define UE__GIVEN_ue__argument(slot, local, value, type, given, length, values, ...) \
	UE__GIVEN_##values(UE__FILL_##values, slot, local, value, type, given, length)
/* No block of its own: a compound literal would end with it. */
#define UE__GIVEN_ue__value(fill, slot, local, value, type, given, length) \
	value const local = (given);                                       \
	fill(slot, type, local, (length))
#define UE__GIVEN_ue__pointer UE__GIVEN_ue__value
#define UE__GIVEN_ue__span UE__GIVEN_ue__value
#define UE__GIVEN_ue__nothing(fill, slot, local, value, type, given, length)
#endif

/* The event */

#define UE__EH_EVENT(n, written, tracepoint, ...) \
	UE__EH_EVENT_(n, written, tracepoint, __VA_ARGS__)
#define UE__EH_EVENT_(n, written, tracepoint, name, ...)          \
	UE__PASTE(UE__EH_EVENT_, UE__IS_FIELD(__VA_ARGS__, ~))    \
	(n, written, tracepoint, name, __VA_ARGS__)
#define UE__EH_EVENT_0(n, written, tracepoint, name, x, ...)                        \
	UE__STATIC_ASSERT(0, #x " is not a field; a field is UE_U32(name) or the like, " \
			     "a name in the trace and options go into "             \
			     "UE_EVENTHEADER_WITH(tracepoint, name, label, options, " \
			     "fields...)")
#define UE__EH_EVENT_1(n, written, tracepoint, name, ...) \
	UE__AS_WRITTEN("an event", #name, written);       \
	UE__EH_EVENT_WITH(n, tracepoint, name, #name, 0, __VA_ARGS__)
#define UE__EH_EVENT_WITH(n, tracepoint, name, label, ...) \
	UE__EH_EVENT_WITH_(n, tracepoint, name, label, __VA_ARGS__)
#define UE__EH_EVENT_WITH_(n, tracepoint, name, label, options, ...)   \
	UE__PASTE(UE__EH_EVENT_WITH_, UE__ARE_FIELDS(n, __VA_ARGS__))  \
	(n, tracepoint, name, label, options, __VA_ARGS__)
#define UE__EH_EVENT_WITH_0(n, tracepoint, name, label, options, ...) \
	UE__REFUSE_FIELDS(n, __VA_ARGS__) UE__STATIC_ASSERT(1, "")
#define UE__EH_EVENT_WITH_1(n, tracepoint, name, label, options, ...)                 \
	UE__EH_LIMITS(n, label, name);                                                \
	UE__STRICT                                                                    \
	__extension__ enum {                                                          \
		ue__weight_##name =                                                   \
			0 UE__EACH(n, ~, UE__WEIGHT, UE__WEIGHT, __VA_ARGS__),        \
		ue__ops_##name = UE__OPS(ue__weight_##name)                           \
	};                                                                            \
	UE__DESCRIPTION(ue__description_##name, n, ue__ops_##name, label, __VA_ARGS__); \
	enum {                                                                        \
		ue__size_##name = UE__DESCRIBED_SIZE(struct ue__description_##name)   \
	};                                                                            \
	UE__STATIC_ASSERT(ue__size_##name + UE__LEAST(ue__weight_##name) <=           \
				  UE_PAYLOAD_MAX_PERF + sizeof(uint32_t),             \
			  "the fields of the event " #name                            \
			  " are larger than any listener can receive");               \
	UE__VALUES(ue__values_##name,                                                 \
		   ue__ops_##name > 0 ? sizeof(void *) : UE__CAST(size_t, ue__size_##name), \
		   n, __VA_ARGS__);                                                   \
	UE__CONSTANT struct ue__description_##name ue__described_##name UE__DESCRIBED = \
		UE__DESCRIPTION_OF(struct ue__description_##name, ue__weight_##name,  \
				   ue__values_##name, n, label,                       \
				   tracepoint##_ue__level, options, __VA_ARGS__);     \
	static uint32_t *const name##_ue__word UE__UNUSED = tracepoint##_ue__word;    \
	static struct ue_event *const name##_ue__event UE__UNUSED =                   \
		UE__FIRST_EVENT(tracepoint##_ue__tracepoint);                                \
	UE__EH_FUNCTIONS(n, name, __VA_ARGS__)                                        \
	UE__LENIENT                                                                   \
	UE__STATIC_ASSERT(1, "")

#define UE__EH_LIMITS(n, label, name)                                                 \
	UE__STATIC_ASSERT(sizeof(UE__STRING(n)) <= sizeof("64"),                      \
			  "the event " #name " has more than 64 fields");             \
	UE__STATIC_ASSERT(__builtin_strlen(label) == sizeof(label) - 1,               \
			  "there is a NUL in the name of the event " #name)

/* Each event has two functions, one for activities; the compiler drops what is not used. */
#define UE__EH_FUNCTIONS(n, name, ...)                                                \
	static UE__COLD int name##_ue__write_activity(                                \
		int ue__fd, const struct ue_activity *ue__activity,                   \
		const struct ue_activity *ue__related, struct ue_event *ue__event     \
		UE__EACH(n, ~, UE__PARAMETER, UE__PARAMETER, __VA_ARGS__))            \
	{                                                                             \
		struct ue__values_##name ue__values;                                  \
		UE__EACH(n, ~, UE__FILL, UE__FILL, __VA_ARGS__)                       \
		return ue__send_values(ue__fd, ue__event, &ue__described_##name,    \
					 UE__FIRST_OF(ue__values), ue__activity,      \
					 ue__related);                                \
	}                                                                             \
	static UE__COLD int name##_ue__write(                                         \
		int ue__fd, struct ue_event *ue__event                                \
		UE__EACH(n, ~, UE__PARAMETER, UE__PARAMETER, __VA_ARGS__))            \
	{                                                                             \
		struct ue__values_##name ue__values;                                  \
		const size_t ue__size = __builtin_offsetof(struct ue__values_##name,  \
							   ue__end);                  \
		UE__EACH(n, ~, UE__FILL, UE__FILL, __VA_ARGS__)                       \
		if (ue__ops_##name > 0)                                               \
			return UE__SEND(ue__fd, ue__event, ue__described_##name,      \
					ue__values);                                  \
		ue__copy_description(ue__values.ue__head + sizeof(uint32_t),          \
				     &ue__described_##name.ue__header,                \
				     ue__size_##name - sizeof(uint32_t));             \
		return (ue__size > UE__SMALL_RECORD ? ue__send_fixed :                \
						      ue__send_small)(                \
			ue__fd, ue__values.ue__head, ue__size, ue__event);            \
	}
#define UE__FIRST_OF(values) ((values).ue__head + sizeof((values).ue__head))
#define UE__SEND(fd, event, described, values)                                         \
	(!(described).ue__head.ue__longest ?                                               \
		 ue__send_values(fd, event, &(described), UE__FIRST_OF(values),        \
				 UE__NULL, UE__NULL) :                                 \
		 (sizeof((described).ue__ops) == 2 * sizeof(struct ue__op) ?           \
			  ue__send_string :                                            \
			  ue__send_strings)(fd, event, &(described),                   \
					    UE__FIRST_OF(values)))

/*
 * Define and write in one place. No function can be defined there, so the values are on the
 * stack of every function with such an event, enabled or not.
 */
#define UE__EH(n, send, fd, activity, related, tracepoint, options, ...) \
	UE__EH_(n, send, fd, activity, related, tracepoint, options, __VA_ARGS__)
#define UE__EH_(n, send, fd, activity, related, tracepoint, options, label, ...) \
	UE__PASTE(UE__EH_, UE__ARE_FIELDS(n, __VA_ARGS__))                       \
	(n, send, fd, activity, related, tracepoint, options, label, __VA_ARGS__)
#define UE__EH_0(n, send, fd, activity, related, tracepoint, options, label, ...) \
	__extension__({ UE__REFUSE_FIELDS(n, __VA_ARGS__) 0; })
#define UE__EH_1(n, send, fd, activity, related, tracepoint, options, label, ...)     \
	__extension__({                                                               \
		UE__STRICT                                                            \
		int ue__result = 0;                                                   \
		const uint32_t ue__word = __atomic_load_n(tracepoint##_ue__word,      \
							  __ATOMIC_RELAXED);          \
		if (__builtin_expect(ue__word != 0, 0) &&                             \
		    UE__WORD_SAYS(ue__word, tracepoint##_ue__event)) {                \
			UE__EH_LIMITS(n, label, label);                               \
			UE__VALUES(ue__values, sizeof(void *), n, __VA_ARGS__);       \
			__extension__ enum {                                          \
				ue__weight = 0 UE__EACH(n, ~, UE__WEIGHT, UE__WEIGHT, \
							__VA_ARGS__)                  \
			};                                                            \
			UE__DESCRIPTION(ue__description, n, UE__OPS(ue__weight),      \
					label, __VA_ARGS__);                          \
			UE__STATIC_ASSERT(                                            \
				UE__DESCRIBED_SIZE(struct ue__description) +          \
						UE__LEAST(ue__weight) <=              \
					UE_PAYLOAD_MAX_PERF + sizeof(uint32_t),       \
				"the fields of an event are larger than any "         \
				"listener can receive");                              \
			UE__CONSTANT struct ue__description ue__described UE__DESCRIBED =      \
				UE__DESCRIPTION_OF(struct ue__description, ue__weight, \
						   ue__values, n, label,              \
						   tracepoint##_ue__level, options,   \
						   __VA_ARGS__);                      \
			UE__GIVE(n, send, fd, activity, related, __VA_ARGS__);        \
		}                                                                     \
		UE__LENIENT                                                           \
		ue__result;                                                           \
	})

#include <userevents/abi/restore_names.h>
#endif
