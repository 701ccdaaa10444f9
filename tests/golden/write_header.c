/* SPDX-License-Identifier: MIT */
/* Header, options, activities, names. */
#include "write.h"

UE_TRACEPOINT_DEFINE(p5);

const uint8_t ones[16] = { 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11,
			   0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11 };
const uint8_t twos[16] = { 0x22, 0x22, 0x22, 0x22, 0x22, 0x22, 0x22, 0x22,
			   0x22, 0x22, 0x22, 0x22, 0x22, 0x22, 0x22, 0x22 };
const uint8_t uuid[16] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255 };
const uint8_t ipv6[16] = { 0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1 };
const uint_least16_t smile16[] = { 0xd83d, 0xde00, 0 };
const uint_least16_t euro16[] = { 0x20ac, 0 };
const uint_least16_t empty16[] = { 0 };
const uint_least32_t smile32[] = { 0x1f600, 0 };
const uint_least32_t euro32[] = { 0x20ac, 0 };
const uint_least32_t empty32[] = { 0 };

static const struct ue_activity first = { { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
					    15, 16 } };
static const struct ue_activity outer = { { 0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6,
					    0xf7, 0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd,
					    0xfe, 0xff } };

UE_PROVIDER(myco, "MyCo_Net", "mygrp");
UE_TRACEPOINT(net, myco, UE_LEVEL_INFORMATION, 0x1f);
UE_TRACEPOINT(highest_of_p, p, 255, 0x8000000000000000);
UE_PROVIDER(p9, "_p9", "0z");
UE_TRACEPOINT(sixteen_of_p9, p9, 16, 0xf123456789abcdef);
#define P10 "PPPPPPPPPP"
#define P50 P10 P10 P10 P10 P10
UE_PROVIDER(longest, P50 P50 P50 P50 P50);
UE_TRACEPOINT(longest_1, longest, UE_LEVEL_CRITICAL_ERROR, 0);

/* The format's first example. */

#define HELLO (UE_ID(100, 1) | UE_OPCODE(UE_OPCODE_ACTIVITY_START) | UE_EVENT_TAG(0xbeef))
UE_EVENTHEADER_WITH(net, Hello, "Hello", HELLO, UE_S32(i), UE_COUNTED_STRING(s),
		  UE_TAGGED(0x1234, UE_HEX8(t)), UE_ARRAY(UE_U16(a), 2),
		  UE_SEQUENCE(UE_F64(v)));

static int event_Hello(int fd)
{
	return UE_WRITE_ACTIVITY(fd, &first, NULL, Hello, -2, "hé", 3, 0xff,
				 SOME(uint16_t, 80, 443), ONE(double, 0.5), 1);
}

static int site_Hello(int fd)
{
	return UE_WRITE_EVENTHEADER_WITH(fd, net, HELLO, &first, NULL, "Hello", UE_S32(i, -2),
			   UE_COUNTED_STRING(s, "hé", 3),
			   UE_TAGGED(0x1234, UE_HEX8(t, 0xff)),
			   UE_ARRAY(UE_U16(a, SOME(uint16_t, 80, 443)), 2),
			   UE_SEQUENCE(UE_F64(v, ONE(double, 0.5), 1)));
}

static void build_Hello(struct ue_builder *b)
{
	ue_builder_begin(b, "Hello", HELLO);
	ue_builder_s32(b, "i", -2);
	ue_builder_add(b, "s", UE_ENCODING_STRING_LENGTH16_CHAR8, 0, "hé", 3);
	ue_builder_tag(b, 0x1234);
	ue_builder_add(b, "t", UE_ENCODING_VALUE8, UE_FORMAT_HEX_INT, "\xff", 1);
	ue_builder_add(b, "a", UE_ENCODING_VALUE16 | UE_ENCODING_CARRAY, 0,
		       SOME(uint16_t, 80, 443), 2);
	ue_builder_add(b, "v", UE_ENCODING_VALUE64 | UE_ENCODING_VARRAY,
		       UE_FORMAT_FLOAT, ONE(double, 0.5), 1);
}

/* The second. */

struct xy {
	uint8_t x;
	const uint_least16_t *y;
};

static const uint_least16_t a16[] = { 'a', 0 };

UE_EVENTHEADER(p5, S, UE_STRUCTS(struct xy, p, UE_U8(x), UE_STRING16(y)),
	     UE_NULLABLE(UE_S32(z)));

static int event_S(int fd)
{
	const struct xy xy[] = { { 1, a16 }, { 2, empty16 } };

	return UE_WRITE(fd, S, xy, COUNT(xy), NULL);
}

static void build_S(struct ue_builder *b)
{
	ue_builder_begin(b, "S", 0);
	ue_builder_struct_begin(b, "p", UE_ENCODING_VARRAY);
	for (uint8_t i = 1; i <= 2; i++) {
		ue_builder_struct_next(b);
		ue_builder_u8(b, "x", i);
		ue_builder_add(b, "y", UE_ENCODING_ZSTRING_CHAR16, 0, a16,
			       i == 1 ? 1 : 0);
	}
	ue_builder_struct_end(b);
	ue_builder_add(b, "z", UE_ENCODING_BINARY_LENGTH16_CHAR8, UE_FORMAT_SIGNED_INT,
		       NULL, 0);
}

/* No fields, options */

UE_EVENTHEADER(p5, nothing);
#define LARGEST (UE_ID(65535, 255) | UE_OPCODE(255) | UE_EVENT_TAG(65535))
UE_EVENTHEADER_WITH(p5, options, "options", LARGEST, UE_U8(a));
UE_EVENTHEADER_WITH(p5, id, "id", UE_ID(0x102, 0));
UE_EVENTHEADER_WITH(p5, opcode, "opcode", UE_OPCODE(UE_OPCODE_RECEIVE));
UE_EVENTHEADER_WITH(p5, tag, "tag", UE_EVENT_TAG(0x102));

static int event_nothing(int fd)
{
	return UE_WRITE(fd, nothing);
}

static int site_nothing(int fd)
{
	return UE_WRITE_EVENTHEADER(fd, p5, "nothing");
}

static void build_nothing(struct ue_builder *b)
{
	ue_builder_begin(b, "nothing", 0);
}

static int event_options(int fd)
{
	return UE_WRITE(fd, options, 1);
}

static int site_options(int fd)
{
	return UE_WRITE_EVENTHEADER_WITH(fd, p5, LARGEST, NULL, NULL, "options", UE_U8(a, 1));
}

static void build_options(struct ue_builder *b)
{
	ue_builder_begin(b, "options", LARGEST);
	ue_builder_u8(b, "a", 1);
}

static int event_id(int fd)
{
	return UE_WRITE(fd, id);
}

static int site_id(int fd)
{
	return UE_WRITE_EVENTHEADER_WITH(fd, p5, UE_ID(0x102, 0), NULL, NULL, "id");
}

static void build_id(struct ue_builder *b)
{
	ue_builder_begin(b, "id", UE_ID(0x102, 0));
}

static int event_opcode(int fd)
{
	return UE_WRITE(fd, opcode);
}

static int site_opcode(int fd)
{
	return UE_WRITE_EVENTHEADER_WITH(fd, p5, UE_OPCODE(0xf0), NULL, NULL, "opcode");
}

static void build_opcode(struct ue_builder *b)
{
	ue_builder_begin(b, "opcode", UE_OPCODE(0xf0));
}

static int event_tag(int fd)
{
	return UE_WRITE(fd, tag);
}

static int site_tag(int fd)
{
	return UE_WRITE_EVENTHEADER_WITH(fd, p5, UE_EVENT_TAG(0x102), NULL, NULL, "tag");
}

static void build_tag(struct ue_builder *b)
{
	ue_builder_begin_named(b, "tag and more", 3, UE_EVENT_TAG(0x102));
}

/* Activities */

UE_EVENTHEADER_WITH(p5, start, "start", UE_OPCODE(UE_OPCODE_ACTIVITY_START), UE_STRING(a));
UE_EVENTHEADER_WITH(p5, stop, "stop", UE_OPCODE(UE_OPCODE_ACTIVITY_STOP), UE_U32(a));

static int event_start(int fd)
{
	return UE_WRITE_ACTIVITY(fd, &first, &outer, start, "text");
}

static int site_start(int fd)
{
	return UE_WRITE_EVENTHEADER_WITH(fd, p5, UE_OPCODE(1), &first, &outer, "start",
			   UE_STRING(a, "text"));
}

static void build_start(struct ue_builder *b)
{
	ue_builder_begin(b, "start", UE_OPCODE(1));
	ue_builder_string(b, "a", "text");
}

static int event_stop(int fd)
{
	return UE_WRITE_ACTIVITY(fd, &first, NULL, stop, 0x01020304);
}

static int site_stop(int fd)
{
	return UE_WRITE_EVENTHEADER_WITH(fd, p5, UE_OPCODE(2), &first, NULL, "stop",
			   UE_U32(a, 0x01020304));
}

static void build_stop(struct ue_builder *b)
{
	ue_builder_begin(b, "stop", UE_OPCODE(2));
	ue_builder_u32(b, "a", 0x01020304);
}

/* Tracepoints */

UE_EVENTHEADER(highest_of_p, highest, UE_U8(a));
UE_EVENTHEADER(sixteen_of_p9, sixteen);
UE_EVENTHEADER(longest_1, longest);

static int event_highest(int fd)
{
	/* An activity that is NULL is none. */
	return UE_WRITE_ACTIVITY(fd, NULL, NULL, highest, 42);
}

static int site_highest(int fd)
{
	return UE_WRITE_EVENTHEADER(fd, highest_of_p, "highest", UE_U8(a, 42));
}

static void build_highest(struct ue_builder *b)
{
	ue_builder_begin(b, "highest", 0);
	ue_builder_u8(b, "a", 42);
}

static int event_sixteen(int fd)
{
	return UE_WRITE_ACTIVITY(fd, NULL, NULL, sixteen);
}

static int site_sixteen(int fd)
{
	return UE_WRITE_EVENTHEADER(fd, sixteen_of_p9, "sixteen");
}

static void build_sixteen(struct ue_builder *b)
{
	ue_builder_begin(b, "sixteen", 0);
}

static int event_longest(int fd)
{
	return UE_WRITE(fd, longest);
}

static int site_longest(int fd)
{
	return UE_WRITE_EVENTHEADER(fd, longest_1, "longest");
}

static void build_longest(struct ue_builder *b)
{
	ue_builder_begin(b, "longest", 0);
}

/* Names */

#define GREAT "Größe ☃;unit=m;;s;x="
#define N10 "nnnnnnnnnn"
#define N100 N10 N10 N10 N10 N10 N10 N10 N10 N10 N10
#define F10 "ffffffffff"
#define F100 F10 F10 F10 F10 F10 F10 F10 F10 F10 F10
UE_EVENTHEADER_WITH(p5, no_name, "", 0, UE_U8(a));
UE_EVENTHEADER_WITH(p5, great, GREAT, 0, UE_NAMED("höhe", UE_U8(a)),
		  UE_NAMED("a b;unit=m", UE_U8(b)), UE_NAMED("", UE_U8(c)));
UE_EVENTHEADER_WITH(p5, long_names, N100 N100 N100, 0,
		  UE_NAMED(F100 F100 F100, UE_U16(a)));

static int event_no_name(int fd)
{
	return UE_WRITE(fd, no_name, 1);
}

static int site_no_name(int fd)
{
	return UE_WRITE_EVENTHEADER(fd, p5, "", UE_U8(a, 1));
}

static void build_no_name(struct ue_builder *b)
{
	ue_builder_begin(b, "", 0);
	ue_builder_u8(b, "a", 1);
}

static int event_great(int fd)
{
	return UE_WRITE(fd, great, 1, 2, 3);
}

static int site_great(int fd)
{
	return UE_WRITE_EVENTHEADER(fd, p5, GREAT, UE_NAMED("höhe", UE_U8(a, 1)),
		      UE_NAMED("a b;unit=m", UE_U8(b, 2)), UE_NAMED("", UE_U8(c, 3)));
}

static void build_great(struct ue_builder *b)
{
	ue_builder_begin(b, GREAT, 0);
	ue_builder_u8(b, "höhe", 1);
	ue_builder_describe(b, "a b;unit=mm", 10, UE_ENCODING_VALUE8, 0, 0);
	ue_builder_describe(b, "", 0, UE_ENCODING_VALUE8, 0, 0);
	ue_builder_raw(b, "\2\3", 2);
}

static int event_long_names(int fd)
{
	return UE_WRITE(fd, long_names, 0x102);
}

static int site_long_names(int fd)
{
	return UE_WRITE_EVENTHEADER(fd, p5, N100 N100 N100,
		      UE_NAMED(F100 F100 F100, UE_U16(a, 0x102)));
}

static void build_long_names(struct ue_builder *b)
{
	ue_builder_begin(b, N100 N100 N100, 0);
	ue_builder_u16(b, F100 F100 F100, 0x102);
}

const struct write_case header_cases[] = {
	WRITE_CASE_OF(net, &first, NULL, Hello),
	WRITE_CASE_WITHOUT_SITE(S),
	WRITE_CASE(nothing),
	WRITE_CASE(options),
	WRITE_CASE(id),
	WRITE_CASE(opcode),
	WRITE_CASE(tag),
	WRITE_CASE_OF(p5, &first, &outer, start),
	WRITE_CASE_OF(p5, &first, NULL, stop),
	WRITE_CASE_OF(highest_of_p, NULL, NULL, highest),
	WRITE_CASE_OF(sixteen_of_p9, NULL, NULL, sixteen),
	WRITE_CASE_OF(longest_1, NULL, NULL, longest),
	WRITE_CASE(no_name),
	WRITE_CASE(great),
	WRITE_CASE(long_names),
	{ 0 },
};
