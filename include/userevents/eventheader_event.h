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
 * An event consists of one constant, its header and the description of its fields, and of a
 * function that copies the constant to its stack, packs the values behind it and sends that.
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

/*
 * Name a provider: UE_PROVIDER(name, "Name"), or UE_PROVIDER_GROUP(name, "Name", "group").
 *
 * name is a C identifier for UE_TRACEPOINT(); the texts are as for ue_tracepoint_init().
 * At file scope, in a header as well. Since 0.1.
 */
#define UE_PROVIDER(name, text) UE__PROVIDER(name, text, "")
#define UE_PROVIDER_GROUP(name, text, group) UE__PROVIDER(name, text, group)

/*
 * Define a tracepoint for this source file: UE_TRACEPOINT(name, provider, level, keyword).
 *
 * name: a C identifier, which events and UE_ENABLED() take. level: 1 to 255, enum
 * ue_level. keyword: 64 bits. Both are constants. Its ue_event is UE_EVENT_OF(name).
 * A level or a length out of bounds does not compile. ue_register() refuses a provider or
 * group with invalid bytes, and ue_tracepoint_check() reports the reason. Since 0.1.
 */
#define UE_TRACEPOINT(name, provider, level, keyword) \
	UE_TRACEPOINT_FLAGS(0, name, provider, level, keyword)
/* The same with flags as in struct ue_event. Since 0.1. */
#define UE_TRACEPOINT_FLAGS(flags, name, provider, level, keyword) \
	UE__TRACEPOINT_PARTS(name, provider, level, keyword);      \
	static UE__WORD(name);                                     \
	UE__TRACEPOINT_OBJECT(static, flags, name);                \
	UE__TRACEPOINT_EVENT(name)

/* The struct of a tracepoint, for ue_builder_write(). Since 0.1. */
#define UE_TRACEPOINT_OF(name) (name##_ue__tracepoint)

/*
 * For a tracepoint of several source files of a module: UE_TRACEPOINT_DECLARE(name,
 * provider, level, keyword) in a header, with the events, and UE_TRACEPOINT_DEFINE(name)
 * in one of the files that include it. A module that includes the header must define the
 * tracepoint even if it writes none of its events, because gcc without optimization refers
 * to it. Since 0.1.
 */
#define UE_TRACEPOINT_DECLARE(name, provider, level, keyword)           \
	UE__TRACEPOINT_PARTS(name, provider, level, keyword);           \
	UE__EXTERN UE__HIDDEN UE__WORD(name);                           \
	UE__EXTERN UE__HIDDEN struct ue_tracepoint name##_ue__tracepoint[1]; \
	UE__TRACEPOINT_EVENT(name)
#define UE_TRACEPOINT_DEFINE(name) UE_TRACEPOINT_DEFINE_FLAGS(0, name)
#define UE_TRACEPOINT_DEFINE_FLAGS(flags, name) \
	UE__HIDDEN UE__WORD(name);              \
	UE__TRACEPOINT_OBJECT(UE__HIDDEN, flags, name)

/*
 * Define an event: UE_EVENTHEADER(tracepoint, name, fields...).
 *
 * name: a C identifier and no macro, the event's name and what UE_WRITE() takes. fields:
 * up to 64, of fields.h and eventheader_fields.h. At file scope, in a header as well. Since 0.1.
 */
#define UE_EVENTHEADER(tracepoint, ...) \
	UE__EH_EVENT(UE__FIELDS(__VA_ARGS__), UE__RAW(ue__##__VA_ARGS__), tracepoint, \
		      __VA_ARGS__, ~)

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
 * As UE_WRITE(), and -EINVAL for a related id without an id. Since 0.1.
 */
#define UE_WRITE_ACTIVITY(fd, activity, related, ...) \
	UE__PASTE(UE__WRITE_ACTIVITY_, UE__HAS_VALUES(__VA_ARGS__)) \
	(fd, activity, related, __VA_ARGS__)

/*
 * Define and write an event in one place: UE_WRITE_EVENTHEADER(fd, tracepoint, label, fields...).
 *
 * label: the event's name, a literal of UTF-8. fields: as for UE_EVENTHEADER(), each with
 * its value after the name, UE_U32(name, value) or UE_BLOB(name, bytes, length); no arrays
 * of structs. Everything is evaluated only while the tracepoint is enabled. This is an
 * expression of type int; in C it cannot be used in an inline function with external
 * linkage.
 *
 * UE_EVENTHEADER() and UE_WRITE() generate faster code, and less of it for an event that is
 * written in several places. Returns and restrictions as for UE_WRITE(). Since 0.1.
 */
#define UE_WRITE_EVENTHEADER(fd, tracepoint, ...) \
	UE__EH(UE__FIELDS(__VA_ARGS__), fd, tracepoint, 0, UE__NULL, UE__NULL, \
		__VA_ARGS__, ~)

/*
 * The same with more: UE_WRITE_EVENTHEADER_WITH(fd, tracepoint, options, activity, related, label,
 * fields...). options as for UE_EVENTHEADER_WITH(), the activities as for
 * UE_WRITE_ACTIVITY(), or NULL. Since 0.1.
 */
#define UE_WRITE_EVENTHEADER_WITH(fd, tracepoint, options, activity, related, ...)                 \
	UE__EH(UE__FIELDS(__VA_ARGS__), fd, tracepoint, options, activity, related, \
		__VA_ARGS__, ~)

/* Everything below is internal. */

#define UE__WRITE_ACTIVITY_0(fd, activity, related, name) \
	UE__IF_LISTENED(name, name##_ue__write_activity(fd, activity, related, \
							name##_ue__event))
#define UE__WRITE_ACTIVITY_1(fd, activity, related, name, ...) \
	UE__IF_LISTENED(name, name##_ue__write_activity(fd, activity, related, \
							name##_ue__event, __VA_ARGS__))

/* Provider and tracepoint */

#define UE__PROVIDER(name, text, group)                                         \
	static const char name##_ue__provider[] UE__UNUSED = text;              \
	static const char name##_ue__group[] UE__UNUSED = group;                \
	UE__STATIC_ASSERT(sizeof(text) > 1, "the provider " #name " has no name");  \
	UE__STATIC_ASSERT(__builtin_strlen(text) == sizeof(text) - 1 &&         \
				  __builtin_strlen(group) == sizeof(group) - 1, \
			  "there is a NUL in the name or group of the provider " #name)

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
	storage struct ue_tracepoint name##_ue__tracepoint[1] = { {                  \
		UE__EVENT_INIT(name##_ue__word, name##_ue__tracepoint[0].ue__text,   \
			       flags, sizeof(struct ue_eventheader),                 \
			       &ue__parts_##name),                                   \
		{ UE__NULL, UE__NULL, 0, 0 }, { 0 } } };                             \
	static struct ue_event *ue__listed_##name UE__LISTED =                       \
		&name##_ue__tracepoint[0].event

#define UE__TRACEPOINT_EVENT(name)                                    \
	static struct ue_event *const name##_ue__event UE__UNUSED =   \
		&name##_ue__tracepoint[0].event

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
 * The complete header and description of an event, as a constant. Names and types of fields
 * differ in size, so each is a member.
 */
#define UE__DESCRIPTION(tag, n, label, ...)                                     \
	struct tag {                                                            \
		struct ue_eventheader ue__header;                               \
		struct ue_eventheader_extension ue__extension;                  \
		char ue__name[sizeof(label)];                                   \
		UE__EACH(n, UE__EH_MEMBER, UE__EH_MEMBER, __VA_ARGS__)        \
	} __attribute__((packed))
#define UE__DESCRIPTION_OF(type, n, label, level, options, ...)                 \
	{ UE__HEADER(UE__CAST(uint64_t, options), level),                               \
	  { UE__CAST(uint16_t, sizeof(type) - sizeof(struct ue_eventheader) -   \
				 sizeof(struct ue_eventheader_extension)),      \
	    UE_EXTENSION_METADATA },                                            \
	  label, UE__EACH(n, UE__EH_TYPE, UE__EH_TYPE, __VA_ARGS__) }

#define UE__EH_MEMBER(i, x) \
	UE__NAMED_AS_WRITTEN x UE__CALL(UE__EH_MEMBER_, i, UE__EH_OF x)
#define UE__EH_MEMBER_(i, put, value, member, name, n, label, shape, array, ...) \
	UE__PASTE(UE__EH_MEMBER_, shape)(i, label, array)
#define UE__EH_MEMBER_ue__none(i, label, array)
#define UE__EH_MEMBER_ue__e(i, label, array) UE__EH_MEMBER_OF(i, label, 1, array)
#define UE__EH_MEMBER_ue__ef(i, label, array) UE__EH_MEMBER_OF(i, label, 2, array)
#define UE__EH_MEMBER_ue__eft(i, label, array) UE__EH_MEMBER_OF(i, label, 4, array)
#define UE__EH_MEMBER_OF(i, label, size, array)                                  \
	UE__STATIC_ASSERT(__builtin_strlen(label) == sizeof(label) - 1,           \
			  "there is a NUL in the name of a field");               \
	char ue__name##i[sizeof(label)];                                          \
	unsigned char ue__type##i[size + UE__PASTE(UE__COUNT_SIZE_, array)];
#define UE__COUNT_SIZE_ue__one 0
#define UE__COUNT_SIZE_ue__fixed_array 2
#define UE__COUNT_SIZE_ue__counted_array 0

#define UE__EH_TYPE(i, x) UE__CALL(UE__EH_TYPE_, UE__EH_OF x)
#define UE__EH_TYPE_(put, value, member, name, n, label, shape, array, encoding,  \
		      format, tag, ...)                                            \
	UE__PASTE(UE__EH_TYPE_, shape)                                            \
	(label, UE__PASTE(UE__ARRAY_FLAG_, array) | (encoding), format, tag,       \
	 UE__PASTE(UE__COUNT_, array)(n))
#define UE__EH_TYPE_ue__none(label, encoding, format, tag, count)
#define UE__EH_TYPE_ue__e(label, encoding, format, tag, count) \
	label, { UE__CAST(uint8_t, encoding) UE__BARE count },
#define UE__EH_TYPE_ue__ef(label, encoding, format, tag, count)      \
	label, { UE__CAST(uint8_t, (encoding) | UE_ENCODING_CHAIN),           \
		 UE__CAST(uint8_t, format) UE__BARE count },
#define UE__EH_TYPE_ue__eft(label, encoding, format, tag, count)     \
	label, { UE__CAST(uint8_t, (encoding) | UE_ENCODING_CHAIN),           \
		 UE__CAST(uint8_t, (format) | UE_FORMAT_CHAIN), \
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

/* The event */

#define UE__EH_EVENT(n, written, tracepoint, ...) \
	UE__EH_EVENT_(n, written, tracepoint, __VA_ARGS__)
#define UE__EH_EVENT_(n, written, tracepoint, name, ...) \
	UE__AS_WRITTEN("an event", #name, written);       \
	UE__EH_EVENT_WITH(n, tracepoint, name, #name, 0, __VA_ARGS__)
#define UE__EH_EVENT_WITH(n, tracepoint, name, label, ...) \
	UE__EH_EVENT_WITH_(n, tracepoint, name, label, __VA_ARGS__)
#define UE__EH_EVENT_WITH_(n, tracepoint, name, label, options, ...)               \
	UE__EH_LIMITS(n, label, name);                                             \
	static const UE__DESCRIPTION(ue__described_##name, n, label, __VA_ARGS__)   \
		ue__described_##name UE__UNUSED =                                   \
			UE__DESCRIPTION_OF(struct ue__described_##name, n, label,   \
					   tracepoint##_ue__level, options,         \
					   __VA_ARGS__);                            \
	static uint32_t *const name##_ue__word UE__UNUSED = tracepoint##_ue__word;  \
	static struct ue_event *const name##_ue__event UE__UNUSED =                 \
		&tracepoint##_ue__tracepoint[0].event;                              \
	UE__STRICT                                                                  \
	UE__EH_FUNCTIONS(n, name, __VA_ARGS__)                                     \
	UE__LENIENT                                                                 \
	UE__STATIC_ASSERT(1, "")

#define UE__EH_LIMITS(n, label, name)                                              \
	UE__STATIC_ASSERT(sizeof(UE__STRING(n)) <= sizeof("64"),                    \
			  "the event " #name " has more than 64 fields");           \
	UE__STATIC_ASSERT(__builtin_strlen(label) == sizeof(label) - 1,             \
			  "there is a NUL in the name of the event " #name)

/*
 * The size of an argument's value is fixed or variable. UE__TOO_LARGE exceeds any event, and
 * the sum of 64 of them is still less than UE__VARIABLE.
 */
#define UE__VARIABLE (1 << 20)
#define UE__TOO_LARGE (UE__VARIABLE / 128)

/*
 * Each event has two functions. name_ue__write() has no activity and a record on its stack.
 * When the values do not fit, it calls name_ue__write_activity(), which packs them, learns
 * how much room is missing, gets that and begins again.
 */
#define UE__EH_FUNCTIONS(n, name, ...)                                              \
	enum {                                                                       \
		ue__sizes_##name = 0 UE__EACH(n, UE__EH_SIZE, UE__EH_SIZE,         \
					      __VA_ARGS__),                          \
		ue__fixed_##name = ue__sizes_##name % UE__VARIABLE,                  \
		ue__varies_##name = ue__sizes_##name >= UE__VARIABLE,                \
		ue__head_##name = sizeof(uint32_t) + sizeof(ue__described_##name)    \
	};                                                                           \
	UE__STATIC_ASSERT(ue__head_##name + ue__fixed_##name <=                      \
				  UE_PAYLOAD_MAX_PERF + sizeof(uint32_t),            \
			  "the fields of the event " #name                           \
			  " are larger than any listener can receive");              \
	static UE__COLD int name##_ue__write_activity(                               \
		int ue__fd, const struct ue_activity *ue__activity,                  \
		const struct ue_activity *ue__related,                               \
		struct ue_event *ue__event                                           \
		UE__EACH(n, UE__EH_PARAMETER, UE__EH_PARAMETER, __VA_ARGS__))      \
	{                                                                            \
		char ue__record[ue__head_##name + UE__ACTIVITY_MAX +                 \
				ue__fixed_##name +                                   \
				(ue__varies_##name ? UE__RECORD : 1)];               \
		char *ue__start = ue__record, *ue__at;                               \
		struct ue__room ue__room = {                                         \
			ue__record + sizeof(ue__record) - ue__fixed_##name, 0, 0     \
		};                                                                   \
		do {                                                                 \
			ue__at = ue__put_head(ue__start, &ue__room,                  \
					      &ue__described_##name,                 \
					      sizeof(ue__described_##name),          \
					      ue__activity, ue__related);            \
			UE__EACH(n, UE__EH_PUT, UE__EH_PUT, __VA_ARGS__)             \
			ue__start = ue__finish(&ue__room, ue__fd, ue__event,         \
					       ue__start, ue__at, ue__fixed_##name); \
		} while (ue__start);                                                 \
		return ue__room.error;                                               \
	}                                                                            \
	static UE__COLD int name##_ue__write(                                        \
		int ue__fd, struct ue_event *ue__event                               \
		UE__EACH(n, UE__EH_PARAMETER, UE__EH_PARAMETER, __VA_ARGS__))      \
	{                                                                            \
		char ue__record[ue__head_##name + ue__fixed_##name +                 \
				(ue__varies_##name ? UE__RECORD : 1)];               \
		char *ue__at = ue__record + ue__head_##name;                         \
		struct ue__room ue__room = {                                         \
			ue__record + sizeof(ue__record) - ue__fixed_##name, 0, 0     \
		};                                                                   \
		ue__copy_description(ue__record + sizeof(uint32_t),                  \
				     &ue__described_##name,                          \
				     sizeof(ue__described_##name));                  \
		UE__EACH(n, UE__EH_PUT, UE__EH_PUT, __VA_ARGS__)                   \
		if (ue__varies_##name && __builtin_expect(ue__room.missing != 0, 0)) \
			return name##_ue__write_activity(                            \
				ue__fd, UE__NULL, UE__NULL, ue__event                \
				UE__EACH(n, UE__EH_ARGUMENT, UE__EH_ARGUMENT,      \
					 __VA_ARGS__));                              \
		if (sizeof(ue__record) > UE__SMALL_RECORD)                           \
			return ue__send_fixed(ue__fd, ue__record,                    \
					      UE__CAST(size_t, ue__at - ue__record), \
					      ue__event);                            \
		if (ue__varies_##name)                                               \
			return ue__send_between(ue__fd, ue__record, ue__at,          \
						ue__event);                          \
		return ue__send_small(ue__fd, ue__record,                            \
				      UE__CAST(size_t, ue__at - ue__record),         \
				      ue__event);                                    \
	}

/*
 * A value is an argument, at depth ue__0, or a member of the innermost element around it,
 * a variable with the depth in its name. The elements of an array are one deeper than the
 * array.
 */
#define UE__KIND(depth) UE__KIND_OF(UE__PASTE(UE__KIND_, depth), ue__member, ~)
#define UE__KIND_OF(...) UE__SECOND(__VA_ARGS__)
#define UE__SECOND(a, b, ...) b
#define UE__KIND_ue__0 ~, ue__argument
#define UE__ELEMENT_OF(depth) UE__PASTE(ue__element_, UE__PASTE(UE__BELOW_, depth))

/* The parameters of a write, and the same as arguments of another. */
#define UE__EH_PARAMETER(i, x) UE__CALL(UE__EH_PARAMETER_, UE__EH_OF x)
#define UE__EH_PARAMETER_(put, value, member, name, n, label, shape, array, encoding, \
			  format, tag, depth, ...)                                    \
	UE__PASTE(UE__PARAMETER_, UE__ARGUMENTS(put, depth))(value, name)
#define UE__EH_ARGUMENT(i, x) UE__CALL(UE__EH_ARGUMENT_, UE__EH_OF x)
#define UE__EH_ARGUMENT_(put, value, member, name, n, label, shape, array, encoding, \
			 format, tag, depth, ...)                                    \
	UE__PASTE(UE__ARGUMENT_, UE__ARGUMENTS(put, depth))(name)
#define UE__ARGUMENTS(put, depth) UE__PASTE(UE__ARGUMENTS_, UE__KIND(depth))(put)
#define UE__ARGUMENTS_ue__argument(put) UE__COLUMN_1(UE__EH_ROW_##put)
#define UE__ARGUMENTS_ue__member(put) ue__none
#define UE__PARAMETER_ue__none(value, name)
#define UE__PARAMETER_ue__refused(value, name)
#define UE__PARAMETER_ue__element UE__PARAMETER_ue__one
#define UE__PARAMETER_ue__elements UE__PARAMETER_ue__two
#define UE__ARGUMENT_ue__none(name)
#define UE__ARGUMENT_ue__refused(name)
#define UE__ARGUMENT_ue__one(name) , name
#define UE__ARGUMENT_ue__two(name) , name, ue__length_of_##name
#define UE__ARGUMENT_ue__element UE__ARGUMENT_ue__one
#define UE__ARGUMENT_ue__elements UE__ARGUMENT_ue__two

/* The place of a value. */
#define UE__VALUE(depth, name) UE__PASTE(UE__VALUE_, UE__KIND(depth))(depth, name)
#define UE__VALUE_ue__argument(depth, name) name
#define UE__VALUE_ue__member(depth, name) ue__element_##depth->name
/* data, length */
#define UE__VALUES(depth, name) UE__PASTE(UE__VALUES_, UE__KIND(depth))(depth, name)
#define UE__VALUES_ue__argument(depth, name) name, ue__length_of_##name
#define UE__VALUES_ue__member(depth, name) UE__SPAN(ue__element_##depth->name)
#define UE__SPAN(span) (span).data, (span).length

/* The sum of these is the size of the fixed values, and UE__VARIABLE if any is not fixed. */
#define UE__EH_SIZE(i, x) UE__CALL(UE__EH_SIZE_, UE__EH_OF x)
#define UE__EH_SIZE_(put, value, member, name, n, label, shape, array, encoding,  \
		     format, tag, depth, ...)                                     \
	UE__PASTE(UE__EH_SIZE_, UE__KIND(depth))(put, member, n)
#define UE__EH_SIZE_ue__argument(put, member, n) \
	+UE__CAST(int, UE__COLUMN_2(UE__EH_ROW_##put)(member, n))
#define UE__EH_SIZE_ue__member(put, member, n)
#define UE__SIZE_FIXED(member, n) \
	(sizeof(member) * (n) < UE__TOO_LARGE ? sizeof(member) * (n) : UE__TOO_LARGE)
#define UE__SIZE_SIZED(member, n) (2 + UE__SIZE_FIXED(member, 1))
#define UE__SIZE_VARIES(member, n) UE__VARIABLE
#define UE__SIZE_NONE(member, n) 0

/*
 * Put the value at the end of the record. A member of an element is converted to the
 * field's type first, as an argument is, so that the compiler checks it, too.
 */
#define UE__EH_PUT(i, x) UE__CALL(UE__EH_PUT_, UE__EH_OF x)
#define UE__EH_PUT_(put, value, member, name, n, label, shape, array, encoding,   \
		    format, tag, depth, ...)                                      \
	UE__COLUMN_3(UE__EH_ROW_##put)                                            \
	(UE__COLUMN_4(UE__EH_ROW_##put), value, member, name, n, depth)
#define UE__PUT_SCALAR(item, value, member, name, n, depth)          \
	{                                                             \
		value const ue__given = UE__VALUE(depth, name);       \
		const member ue__value = UE__CAST(member, ue__given); \
		UE__STORE(depth, &ue__value, sizeof(ue__value))       \
	}
/* A member that is an array is never NULL, and comparing it with NULL would be warned of. */
#define UE__PUT_FIXED(item, value, member, name, n, depth) \
	UE__STORE_NOT_NULL(value, depth, UE__VALUE(depth, name), sizeof(member) * (n))
#define UE__PUT_SIZED(item, value, member, name, n, depth)                     \
	{                                                                      \
		const uint16_t ue__value = UE__CAST(uint16_t, sizeof(member)); \
		UE__STORE(depth, &ue__value, sizeof(ue__value))                \
	}                                                                      \
	UE__PUT_FIXED(item, value, member, name, 1, depth)
#define UE__PUT_STRING(item, value, member, name, n, depth)                           \
	{                                                                             \
		value const ue__given = UE__VALUE(depth, name);                       \
		ue__at = (n) == UE__NO_MAX && sizeof(member) == 1 ?                   \
				 ue__put_string(ue__at, &ue__room,                    \
						UE__CAST(const char *, ue__given)) :  \
				 ue__put(ue__at, &ue__room,                           \
					 item(ue__given, ~, member, n));              \
	}
#define UE__PUT_ONE(item, value, member, name, n, depth)                              \
	{                                                                             \
		value const ue__given = UE__VALUE(depth, name);                       \
		ue__at = ue__put(ue__at, &ue__room, item(ue__given, ~, member, n));   \
	}
#define UE__PUT_TWO(item, value, member, name, n, depth) \
	ue__at = ue__put(ue__at, &ue__room,              \
			 UE__ITEM(item, UE__VALUES(depth, name), member, n));
#define UE__ITEM(item, ...) item(__VA_ARGS__)
#define UE__PUT_NONE(item, value, member, name, n, depth)
#define UE__PUT_STRUCTS(item, value, member, name, n, depth)                          \
	UE__NOT_TOO_DEEP(depth, name)                                                 \
	ue__at = ue__put(ue__at, &ue__room, UE__VALUES(depth, name),                  \
			 UE__ITEM_COUNT);                                             \
	UE__FOR_ELEMENTS(member, UE__ELEMENT_OF(depth), UE__VALUES(depth, name))
#define UE__PUT_STRUCT_ARRAY(item, value, member, name, n, depth)                     \
	UE__NOT_TOO_DEEP(depth, name)                                                 \
	{                                                                             \
		value const ue__given = UE__VALUE(depth, name);                       \
		ue__at = ue__put_bytes(ue__at, &ue__room, ue__given, 0);              \
	}                                                                             \
	UE__FOR_ELEMENTS(member, UE__ELEMENT_OF(depth), UE__VALUE(depth, name), n)
#define UE__NOT_TOO_DEEP(depth, name)                                              \
	UE__STATIC_ASSERT(sizeof(UE__STRING(UE__PASTE(UE__BELOW_, depth))) ==      \
				  sizeof("ue__8"),                                 \
			  "the array of structs " #name " is more than 8 deep");
#define UE__FOR_ELEMENTS(type, element, ...) \
	UE__FOR_ELEMENTS_(type, element, __VA_ARGS__)
#define UE__FOR_ELEMENTS_(type, element, data, length)                             \
	for (const type *element = UE__CAST(const type *, data), \
			*UE__PASTE(element, _end) =                                \
				ue__room.error < 0 || (length) == 0 ?              \
					element :                                  \
					element + (length);                        \
	     element != UE__PASTE(element, _end) && ue__room.error >= 0; element++) {
#define UE__PUT_END(item, value, member, name, n, depth) }
#define UE__PUT_NOTHING(item, value, member, name, n, depth) \
	UE__STATIC_ASSERT(0, "the field " #name " is for UE_EVENT() only");

/*
 * Fixed values of the event have their room reserved. The number of elements of an array is
 * not known before, so that there may be no room for their members.
 */
#define UE__STORE(depth, from, size) \
	UE__PASTE(UE__STORE_, UE__KIND(depth))(from, size)
#define UE__STORE_ue__argument(from, size)    \
	__builtin_memcpy(ue__at, from, size); \
	ue__at += size;
#define UE__STORE_NOT_NULL(value, depth, from, size) \
	UE__PASTE(UE__STORE_NOT_NULL_, UE__KIND(depth))(value, depth, from, size)
#define UE__STORE_NOT_NULL_ue__argument(value, depth, from, size) \
	if (!(from))                                              \
		return ue__refuse(ue__fd, ue__event, -EFAULT);    \
	UE__STORE(depth, from, size)
#define UE__STORE_NOT_NULL_ue__member(value, depth, from, size) \
	{                                                       \
		value const ue__given = from;                   \
		UE__STORE(depth, ue__given, size)               \
	}
#define UE__STORE_ue__member(from, size) \
	ue__at = ue__put_bytes(ue__at, &ue__room, from, size);

/*
 * Define and write in one place. No function can be defined there, and packing in place
 * would put a record on the stack of every function with such an event, enabled or not. So
 * the values become items, which the library puts by the same calls.
 */

#define UE__EH(n, fd, tracepoint, options, activity, related, ...) \
	UE__EH_(n, fd, tracepoint, options, activity, related, __VA_ARGS__)
#define UE__EH_(n, fd, tracepoint, options, activity, related, label, ...)             \
	__extension__({                                                                 \
		UE__STRICT                                                              \
		int ue__result = 0;                                                     \
		const uint32_t ue__word = __atomic_load_n(tracepoint##_ue__word,        \
							  __ATOMIC_RELAXED);            \
		if (__builtin_expect(ue__word != 0, 0) &&                               \
		    UE__WORD_SAYS(ue__word, tracepoint##_ue__event)) {                  \
			UE__EH_LIMITS(n, label, label);                                 \
			UE__DESCRIPTION(ue__described, n, label, __VA_ARGS__);          \
			static const struct ue__described ue__described =               \
				UE__DESCRIPTION_OF(struct ue__described, n, label,      \
						   tracepoint##_ue__level, options,     \
						   __VA_ARGS__);                        \
			UE__EACH(n, UE__EH_LOCAL, UE__EH_LOCAL, __VA_ARGS__)            \
			const struct ue__item ue__items[] = {                           \
				UE__EACH(n, UE__EH_ITEM, UE__EH_ITEM, __VA_ARGS__){     \
					UE__NULL, 0, 0 }                                \
			};                                                              \
			ue__result = ue__send_items(fd, tracepoint##_ue__event,         \
						    &ue__described,                     \
						    sizeof(ue__described), activity,    \
						    related, ue__items);                \
		}                                                                       \
		UE__LENIENT                                                             \
		ue__result;                                                             \
	})

#define UE__EH_LOCAL(i, x) UE__CALL(UE__EH_LOCAL_, i, UE__EH_OF x)
#define UE__EH_LOCAL_(i, put, value, member, name, n, label, shape, array, encoding, \
		      format, tag, depth, given, length)                             \
	UE__PASTE(UE__LOCAL_, UE__COLUMN_1(UE__EH_ROW_##put))(i, value, given, length)
#define UE__LOCAL_ue__none(i, value, given, length)
#define UE__LOCAL_ue__one(i, value, given, length) value const ue__local##i = (given);
#define UE__LOCAL_ue__two(i, value, given, length) \
	value const ue__local##i = (given);        \
	const size_t ue__local_length##i = (length);
#define UE__LOCAL_ue__element(i, value, given, length) \
	UE__STATIC_ASSERT(0, "UE_WRITE_EVENTHEADER() takes no array of structs; UE_WRITE() does");
#define UE__LOCAL_ue__elements UE__LOCAL_ue__element
#define UE__LOCAL_ue__refused(i, value, given, length) \
	UE__STATIC_ASSERT(0, "UE_DECLARED() is for UE_EVENT() only");

#define UE__EH_ITEM(i, x) UE__CALL(UE__EH_ITEM_, i, UE__EH_OF x)
#define UE__EH_ITEM_(i, put, value, member, name, n, ...)       \
	UE__PASTE(UE__ITEM_OF_, UE__COLUMN_1(UE__EH_ROW_##put)) \
	(UE__COLUMN_4(UE__EH_ROW_##put), ue__local##i, ue__local_length##i, member, n)
#define UE__ITEM_OF_ue__none(item, ...)
#define UE__ITEM_OF_ue__element(item, ...)
#define UE__ITEM_OF_ue__elements(item, ...)
#define UE__ITEM_OF_ue__refused(item, ...)
#define UE__ITEM_OF_ue__one(item, ...) { item(__VA_ARGS__) },
#define UE__ITEM_OF_ue__two(item, ...) { item(__VA_ARGS__) },

/* data, length and how of struct ue__item, which are arguments of ue__put(), too */
#define UE__HOW(kind, unit) UE__CAST(uint32_t, UE__ITEM_##kind##_ | (unit) << 8)
#define UE__ITEM_NONE(data, length, member, n)
#define UE__ITEM_SCALAR(data, length, member, n) &data, sizeof(member), UE__HOW(BYTES, 1)
#define UE__ITEM_FIXED(data, length, member, n) data, sizeof(member) * (n), UE__HOW(BYTES, 1)
#define UE__ITEM_SIZED(data, length, member, n) data, sizeof(member), UE__HOW(COUNTED, 1)
#define UE__ITEM_STRING(data, length, member, n) data, n, UE__HOW(STRING, sizeof(member))
#define UE__ITEM_NULLABLE(data, length, member, n) \
	data, data ? sizeof(member) : 0, UE__HOW(COUNTED, 1)
#define UE__ITEM_COUNTED(data, length, member, n) \
	data, length, UE__HOW(COUNTED, sizeof(member))
#define UE__ITEM_STRINGS(data, length, member, n) data, n, UE__HOW(STRINGS, sizeof(member))
#define UE__ITEM_COUNTED_STRINGS(data, length, member, n) \
	data, length, UE__HOW(COUNTED_STRINGS, sizeof(member))
#define UE__ITEM_SPANS(data, length, member, n) data, n, UE__HOW(SPANS, sizeof(member))
#define UE__ITEM_COUNTED_SPANS(data, length, member, n) \
	data, length, UE__HOW(COUNTED_SPANS, sizeof(member))

#endif
