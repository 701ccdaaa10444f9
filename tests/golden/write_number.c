/* SPDX-License-Identifier: MIT */
/* Values of fixed size. */
#include <arpa/inet.h>

#include "write.h"

UE_EVENTHEADER(p5, integers, UE_U8(u8), UE_U16(u16), UE_U32(u32), UE_U64(u64), UE_S8(s8),
	     UE_S16(s16), UE_S32(s32), UE_S64(s64), UE_HEX8(h8), UE_HEX16(h16),
	     UE_HEX32(h32), UE_HEX64(h64));

static int event_integers(int fd)
{
	return UE_WRITE(fd, integers, 255, 65534, 4294967293, 18446744073709551612u, -128,
			-32768, INT32_MIN, INT64_MIN, 0xa1, 0xb1b2, 0xc1c2c3c4,
			0xd1d2d3d4d5d6d7d8);
}

static int site_integers(int fd)
{
	return UE_WRITE_EVENTHEADER(fd, p5, "integers", UE_U8(u8, 255), UE_U16(u16, 65534),
		      UE_U32(u32, 4294967293), UE_U64(u64, 18446744073709551612u),
		      UE_S8(s8, -128), UE_S16(s16, -32768), UE_S32(s32, INT32_MIN),
		      UE_S64(s64, INT64_MIN), UE_HEX8(h8, 0xa1), UE_HEX16(h16, 0xb1b2),
		      UE_HEX32(h32, 0xc1c2c3c4), UE_HEX64(h64, 0xd1d2d3d4d5d6d7d8));
}

static void build_integers(struct ue_builder *b)
{
	ue_builder_begin(b, "integers", 0);
	ue_builder_u8(b, "u8", 255);
	ue_builder_u16(b, "u16", 65534);
	ue_builder_u32(b, "u32", 4294967293);
	ue_builder_u64(b, "u64", 18446744073709551612u);
	ue_builder_s8(b, "s8", -128);
	ue_builder_s16(b, "s16", -32768);
	ue_builder_s32(b, "s32", INT32_MIN);
	ue_builder_s64(b, "s64", INT64_MIN);
	ue_builder_add(b, "h8", UE_ENCODING_VALUE8, UE_FORMAT_HEX_INT,
		       ONE(uint8_t, 0xa1), 1);
	ue_builder_add(b, "h16", UE_ENCODING_VALUE16, UE_FORMAT_HEX_INT,
		       ONE(uint16_t, 0xb1b2), 1);
	ue_builder_add(b, "h32", UE_ENCODING_VALUE32, UE_FORMAT_HEX_INT,
		       ONE(uint32_t, 0xc1c2c3c4), 1);
	ue_builder_add(b, "h64", UE_ENCODING_VALUE64, UE_FORMAT_HEX_INT,
		       ONE(uint64_t, 0xd1d2d3d4d5d6d7d8), 1);
}

UE_EVENTHEADER(p5, c_types, UE_INT(i), UE_UINT(ui), UE_SHORT(s), UE_USHORT(us), UE_LONG(l),
	     UE_ULONG(ul), UE_SIZE(z), UE_CHAR(c), UE_CHAR(e), UE_UCHAR(uc));

static int event_c_types(int fd)
{
	return UE_WRITE(fd, c_types, -2, 3, -4, 5, -6, 7, 8, 'x', (char)0xe9, 200);
}

static int site_c_types(int fd)
{
	return UE_WRITE_EVENTHEADER(fd, p5, "c_types", UE_INT(i, -2), UE_UINT(ui, 3), UE_SHORT(s, -4),
		      UE_USHORT(us, 5), UE_LONG(l, -6), UE_ULONG(ul, 7), UE_SIZE(z, 8),
		      UE_CHAR(c, 'x'), UE_CHAR(e, (char)0xe9), UE_UCHAR(uc, 200));
}

static void build_c_types(struct ue_builder *b)
{
	ue_builder_begin(b, "c_types", 0);
	ue_builder_s32(b, "i", -2);
	ue_builder_u32(b, "ui", 3);
	ue_builder_s16(b, "s", -4);
	ue_builder_u16(b, "us", 5);
	ue_builder_add(b, "l", UE_ENCODING_POINTER, UE_FORMAT_SIGNED_INT, ONE(long, -6),
		       1);
	ue_builder_add(b, "ul", UE_ENCODING_POINTER, 0, ONE(unsigned long, 7), 1);
	ue_builder_add(b, "z", UE_ENCODING_POINTER, 0, ONE(size_t, 8), 1);
	ue_builder_add(b, "c", UE_ENCODING_VALUE8, UE_FORMAT_STRING8, "x", 1);
	ue_builder_add(b, "e", UE_ENCODING_VALUE8, UE_FORMAT_STRING8, "\xe9", 1);
	ue_builder_u8(b, "uc", 200);
}

UE_EVENTHEADER(p5, bools, UE_BOOL(a), UE_BOOL(b), UE_BOOL(c),
	     UE_AS(UE_FORMAT_BOOLEAN, UE_U16(d)), UE_AS(UE_FORMAT_BOOLEAN, UE_U32(e)),
	     UE_AS(UE_FORMAT_BOOLEAN, UE_S32(f)));

static int event_bools(int fd)
{
	return UE_WRITE(fd, bools, 1, 0, 256, 1, 0, -5);
}

static int site_bools(int fd)
{
	return UE_WRITE_EVENTHEADER(fd, p5, "bools", UE_BOOL(a, 1), UE_BOOL(b, 0), UE_BOOL(c, 256),
		      UE_AS(UE_FORMAT_BOOLEAN, UE_U16(d, 1)),
		      UE_AS(UE_FORMAT_BOOLEAN, UE_U32(e, 0)),
		      UE_AS(UE_FORMAT_BOOLEAN, UE_S32(f, -5)));
}

static void build_bools(struct ue_builder *b)
{
	ue_builder_begin(b, "bools", 0);
	ue_builder_bool(b, "a", 1);
	ue_builder_bool(b, "b", 0);
	ue_builder_bool(b, "c", 256);
	ue_builder_add(b, "d", UE_ENCODING_VALUE16, UE_FORMAT_BOOLEAN, ONE(uint16_t, 1),
		       1);
	ue_builder_add(b, "e", UE_ENCODING_VALUE32, UE_FORMAT_BOOLEAN, ONE(uint32_t, 0),
		       1);
	ue_builder_add(b, "f", UE_ENCODING_VALUE32, UE_FORMAT_BOOLEAN, ONE(int32_t, -5),
		       1);
}

UE_EVENTHEADER(p5, of_the_system, UE_POINTER(at), UE_POINTER(none), UE_PID(pid),
	     UE_ERRNO(error), UE_TIME32(t32), UE_TIME64(t64));

static int event_of_the_system(int fd)
{
	return UE_WRITE(fd, of_the_system, AT, NULL, -2, 11, 951842176, 253402214400);
}

static int site_of_the_system(int fd)
{
	return UE_WRITE_EVENTHEADER(fd, p5, "of_the_system", UE_POINTER(at, AT), UE_POINTER(none, NULL),
		      UE_PID(pid, -2), UE_ERRNO(error, 11), UE_TIME32(t32, 951842176),
		      UE_TIME64(t64, 253402214400));
}

static void build_of_the_system(struct ue_builder *b)
{
	ue_builder_begin(b, "of_the_system", 0);
	ue_builder_add(b, "at", UE_ENCODING_POINTER, UE_FORMAT_HEX_INT, ONE(void *, AT),
		       1);
	ue_builder_add(b, "none", UE_ENCODING_POINTER, UE_FORMAT_HEX_INT,
		       ONE(void *, NULL), 1);
	ue_builder_add(b, "pid", UE_ENCODING_VALUE32, UE_FORMAT_PID, ONE(int32_t, -2), 1);
	ue_builder_add(b, "error", UE_ENCODING_VALUE32, UE_FORMAT_ERRNO,
		       ONE(int32_t, 11), 1);
	ue_builder_add(b, "t32", UE_ENCODING_VALUE32, UE_FORMAT_TIME,
		       ONE(int32_t, 951842176), 1);
	ue_builder_add(b, "t64", UE_ENCODING_VALUE64, UE_FORMAT_TIME,
		       ONE(int64_t, 253402214400), 1);
}

UE_EVENTHEADER(p5, floats, UE_F32(f), UE_F64(d), UE_F32(inf), UE_F64(nothing));

static int event_floats(int fd)
{
	return UE_WRITE(fd, floats, 3.14f, -0.1, __builtin_inff(), -0.0);
}

static int site_floats(int fd)
{
	return UE_WRITE_EVENTHEADER(fd, p5, "floats", UE_F32(f, 3.14f), UE_F64(d, -0.1),
		      UE_F32(inf, __builtin_inff()), UE_F64(nothing, -0.0));
}

static void build_floats(struct ue_builder *b)
{
	ue_builder_begin(b, "floats", 0);
	ue_builder_f32(b, "f", 3.14f);
	ue_builder_f64(b, "d", -0.1);
	ue_builder_f32(b, "inf", __builtin_inff());
	ue_builder_f64(b, "nothing", -0.0);
}

UE_EVENTHEADER(p5, characters, UE_CHAR16(c), UE_CHAR32(d));

static int event_characters(int fd)
{
	return UE_WRITE(fd, characters, 0x20ac, 0x1f600);
}

static int site_characters(int fd)
{
	return UE_WRITE_EVENTHEADER(fd, p5, "characters", UE_CHAR16(c, 0x20ac), UE_CHAR32(d, 0x1f600));
}

static void build_characters(struct ue_builder *b)
{
	ue_builder_begin(b, "characters", 0);
	ue_builder_add(b, "c", UE_ENCODING_VALUE16, UE_FORMAT_STRING_UTF, euro16, 1);
	ue_builder_add(b, "d", UE_ENCODING_VALUE32, UE_FORMAT_STRING_UTF, smile32, 1);
}

UE_EVENTHEADER(p5, addresses, UE_PORT(port), UE_IPV4(v4), UE_IPV6(v6), UE_UUID(id),
	     UE_VALUE128(value));

static int event_addresses(int fd)
{
	return UE_WRITE(fd, addresses, htons(443), htonl(INADDR_LOOPBACK), ipv6, uuid,
			uuid);
}

static int site_addresses(int fd)
{
	return UE_WRITE_EVENTHEADER(fd, p5, "addresses", UE_PORT(port, htons(443)),
		      UE_IPV4(v4, htonl(INADDR_LOOPBACK)), UE_IPV6(v6, ipv6),
		      UE_UUID(id, uuid), UE_VALUE128(value, uuid));
}

static void build_addresses(struct ue_builder *b)
{
	ue_builder_begin(b, "addresses", 0);
	ue_builder_add(b, "port", UE_ENCODING_VALUE16, UE_FORMAT_PORT, "\x01\xbb", 1);
	ue_builder_add(b, "v4", UE_ENCODING_VALUE32, UE_FORMAT_IP_ADDRESS, "\x7f\0\0\1",
		       1);
	ue_builder_add(b, "v6", UE_ENCODING_VALUE128, UE_FORMAT_IP_ADDRESS, ipv6, 1);
	ue_builder_add(b, "id", UE_ENCODING_VALUE128, UE_FORMAT_UUID, uuid, 1);
	ue_builder_add(b, "value", UE_ENCODING_VALUE128, UE_FORMAT_DEFAULT, uuid, 1);
}

/* All that fit */

#define EIGHT(field, x)                                                               \
	field(x##0), field(x##1), field(x##2), field(x##3), field(x##4), field(x##5), \
		field(x##6), field(x##7)
#define EIGHT_FROM(field, x, v)                                                     \
	field(x##0, v), field(x##1, v + 1), field(x##2, v + 2), field(x##3, v + 3), \
		field(x##4, v + 4), field(x##5, v + 5), field(x##6, v + 6),         \
		field(x##7, v + 7)
#define EIGHT_VALUES(v) v, v + 1, v + 2, v + 3, v + 4, v + 5, v + 6, v + 7
#define EVENT(...) UE_EVENTHEADER(__VA_ARGS__)
#define WRITE(...) UE_WRITE(__VA_ARGS__)
#define LOG(...) UE_WRITE_EVENTHEADER(__VA_ARGS__)

EVENT(p5, sixty_four, EIGHT(UE_U8, a), EIGHT(UE_U16, b), EIGHT(UE_U8, c), EIGHT(UE_U8, d),
      EIGHT(UE_U8, e), EIGHT(UE_U8, f), EIGHT(UE_U8, g), EIGHT(UE_S8, h));

static int event_sixty_four(int fd)
{
	return WRITE(fd, sixty_four, EIGHT_VALUES(0), EIGHT_VALUES(0x100),
		     EIGHT_VALUES(0x20), EIGHT_VALUES(0x30), EIGHT_VALUES(0x40),
		     EIGHT_VALUES(0x50), EIGHT_VALUES(0x60), EIGHT_VALUES(-0x10));
}

static int site_sixty_four(int fd)
{
	return LOG(fd, p5, "sixty_four", EIGHT_FROM(UE_U8, a, 0),
		   EIGHT_FROM(UE_U16, b, 0x100), EIGHT_FROM(UE_U8, c, 0x20),
		   EIGHT_FROM(UE_U8, d, 0x30), EIGHT_FROM(UE_U8, e, 0x40),
		   EIGHT_FROM(UE_U8, f, 0x50), EIGHT_FROM(UE_U8, g, 0x60),
		   EIGHT_FROM(UE_S8, h, -0x10));
}

static void build_sixty_four(struct ue_builder *b)
{
	ue_builder_begin(b, "sixty_four", 0);
	for (char letter = 'a'; letter <= 'h'; letter++)
		for (int i = 0; i < 8; i++) {
			const char name[] = { letter, (char)('0' + i), '\0' };

			if (letter == 'a')
				ue_builder_u8(b, name, (uint8_t)i);
			else if (letter == 'b')
				ue_builder_u16(b, name, (uint16_t)(0x100 + i));
			else if (letter == 'h')
				ue_builder_s8(b, name, (int8_t)(-0x10 + i));
			else
				ue_builder_u8(b, name,
					      (uint8_t)((letter - 'a') * 0x10 + i));
		}
}

const struct write_case number_cases[] = {
	WRITE_CASE(integers),	 WRITE_CASE(c_types), WRITE_CASE(bools),
	WRITE_CASE(of_the_system), WRITE_CASE(floats),  WRITE_CASE(characters),
	WRITE_CASE(addresses),	 WRITE_CASE(sixty_four), { 0 },
};
