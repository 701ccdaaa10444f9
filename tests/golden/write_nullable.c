/* SPDX-License-Identifier: MIT */
/* Values that may be NULL. */
#include <arpa/inet.h>

#include "write.h"

/* Each kind once, with the fields as the argument of m. */
#define NULLABLES(m)                                                                    \
	m(UE_U8, u8), m(UE_U16, u16), m(UE_U32, u32), m(UE_U64, u64), m(UE_S8, s8),     \
		m(UE_S16, s16), m(UE_S32, s32), m(UE_S64, s64), m(UE_HEX8, h8),         \
		m(UE_HEX16, h16), m(UE_HEX32, h32), m(UE_HEX64, h64), m(UE_INT, i),     \
		m(UE_UINT, ui), m(UE_SHORT, s), m(UE_USHORT, us), m(UE_LONG, l),        \
		m(UE_ULONG, ul), m(UE_SIZE, z), m(UE_CHAR, c), m(UE_UCHAR, uc),         \
		m(UE_BOOL, b), m(UE_POINTER, at), m(UE_PID, pid), m(UE_ERRNO, error),   \
		m(UE_TIME32, t32), m(UE_TIME64, t64), m(UE_F32, f), m(UE_F64, d),       \
		m(UE_PORT, port), m(UE_IPV4, v4), m(UE_IPV6, v6), m(UE_UUID, id),       \
		m(UE_VALUE128, value)

#define FIELD(kind, name) UE_NULLABLE(kind(name))
#define PRESENT(kind, name) UE_NULLABLE(kind(name, &v.name))
#define PRESENT_VALUE(kind, name) &v.name
#define MISSING(kind, name) UE_NULLABLE(kind(name, NULL))
#define MISSING_VALUE(kind, name) NULL
#define EVENT(...) UE_EVENTHEADER(__VA_ARGS__)
#define WRITE(...) UE_WRITE(__VA_ARGS__)
#define LOG(...) UE_WRITE_EVENTHEADER(__VA_ARGS__)

struct values {
	uint8_t u8;
	uint16_t u16;
	uint32_t u32;
	uint64_t u64;
	int8_t s8;
	int16_t s16;
	int32_t s32;
	int64_t s64;
	uint8_t h8;
	uint16_t h16;
	uint32_t h32;
	uint64_t h64;
	int i;
	unsigned int ui;
	short s;
	unsigned short us;
	long l;
	unsigned long ul;
	size_t z;
	char c;
	unsigned char uc;
	_Bool b;
	const void *at;
	int32_t pid, error, t32;
	int64_t t64;
	float f;
	double d;
	uint16_t port;
	uint32_t v4;
	uint8_t v6[16], id[16], value[16];
	uint16_t on;
};

static struct values make_values(void)
{
	return (struct values){
		.u8 = 255, .u16 = 65534, .u32 = 4294967293, .u64 = 18446744073709551612u,
		.s8 = -128, .s16 = -32768, .s32 = INT32_MIN, .s64 = INT64_MIN,
		.h8 = 0xa1, .h16 = 0xb1b2, .h32 = 0xc1c2c3c4, .h64 = 0xd1d2d3d4d5d6d7d8,
		.i = -2, .ui = 3, .s = -4, .us = 5, .l = -6, .ul = 7, .z = 8,
		.c = 'x', .uc = 200, .b = 1, .at = AT,
		.pid = -2, .error = 11, .t32 = 951842176, .t64 = 253402214400,
		.f = 3.14f, .d = -0.1,
		.port = htons(443), .v4 = htonl(INADDR_LOOPBACK),
		.v6 = { 0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1 },
		.id = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255 },
		.value = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255 },
		.on = 1,
	};
}

EVENT(p5, present, NULLABLES(FIELD), UE_NULLABLE(UE_AS(UE_FORMAT_BOOLEAN, UE_U16(on))));
EVENT(p5, missing, NULLABLES(FIELD), UE_AS(UE_FORMAT_BOOLEAN, UE_NULLABLE(UE_U16(on))));

static int event_present(int fd)
{
	const struct values v = make_values();

	return WRITE(fd, present, NULLABLES(PRESENT_VALUE), &v.on);
}

static int site_present(int fd)
{
	const struct values v = make_values();

	return LOG(fd, p5, "present", NULLABLES(PRESENT),
		   UE_NULLABLE(UE_AS(UE_FORMAT_BOOLEAN, UE_U16(on, &v.on))));
}

static int event_missing(int fd)
{
	return WRITE(fd, missing, NULLABLES(MISSING_VALUE), NULL);
}

static int site_missing(int fd)
{
	return LOG(fd, p5, "missing", NULLABLES(MISSING),
		   UE_AS(UE_FORMAT_BOOLEAN, UE_NULLABLE(UE_U16(on, NULL))));
}

static void build_nullable(struct ue_builder *b, const char *name, uint8_t format,
			   const void *value, size_t size)
{
	ue_builder_add(b, name, UE_ENCODING_BINARY_LENGTH16_CHAR8, format, value, size);
}

static void build_values(struct ue_builder *b, const struct values *v)
{
#define BUILD(format, name) \
	build_nullable(b, #name, format, v ? &v->name : NULL, v ? sizeof(v->name) : 0)
	BUILD(UE_FORMAT_UNSIGNED_INT, u8);
	BUILD(UE_FORMAT_UNSIGNED_INT, u16);
	BUILD(UE_FORMAT_UNSIGNED_INT, u32);
	BUILD(UE_FORMAT_UNSIGNED_INT, u64);
	BUILD(UE_FORMAT_SIGNED_INT, s8);
	BUILD(UE_FORMAT_SIGNED_INT, s16);
	BUILD(UE_FORMAT_SIGNED_INT, s32);
	BUILD(UE_FORMAT_SIGNED_INT, s64);
	BUILD(UE_FORMAT_HEX_INT, h8);
	BUILD(UE_FORMAT_HEX_INT, h16);
	BUILD(UE_FORMAT_HEX_INT, h32);
	BUILD(UE_FORMAT_HEX_INT, h64);
	BUILD(UE_FORMAT_SIGNED_INT, i);
	BUILD(UE_FORMAT_UNSIGNED_INT, ui);
	BUILD(UE_FORMAT_SIGNED_INT, s);
	BUILD(UE_FORMAT_UNSIGNED_INT, us);
	BUILD(UE_FORMAT_SIGNED_INT, l);
	BUILD(UE_FORMAT_UNSIGNED_INT, ul);
	BUILD(UE_FORMAT_UNSIGNED_INT, z);
	BUILD(UE_FORMAT_STRING8, c);
	BUILD(UE_FORMAT_UNSIGNED_INT, uc);
	BUILD(UE_FORMAT_BOOLEAN, b);
	BUILD(UE_FORMAT_HEX_INT, at);
	BUILD(UE_FORMAT_PID, pid);
	BUILD(UE_FORMAT_ERRNO, error);
	BUILD(UE_FORMAT_TIME, t32);
	BUILD(UE_FORMAT_TIME, t64);
	BUILD(UE_FORMAT_FLOAT, f);
	BUILD(UE_FORMAT_FLOAT, d);
	BUILD(UE_FORMAT_PORT, port);
	BUILD(UE_FORMAT_IP_ADDRESS, v4);
	BUILD(UE_FORMAT_IP_ADDRESS, v6);
	BUILD(UE_FORMAT_UUID, id);
	BUILD(UE_FORMAT_HEX_BYTES, value);
	BUILD(UE_FORMAT_BOOLEAN, on);
#undef BUILD
}

static void build_present(struct ue_builder *b)
{
	const struct values v = make_values();

	ue_builder_begin(b, "present", 0);
	build_values(b, &v);
}

static void build_missing(struct ue_builder *b)
{
	ue_builder_begin(b, "missing", 0);
	build_values(b, NULL);
}

const struct write_case nullable_cases[] = {
	WRITE_CASE(present),
	WRITE_CASE(missing),
	{ 0 },
};
