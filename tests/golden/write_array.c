/* SPDX-License-Identifier: MIT */
/* Arrays of every kind of value: with a constant number of values, and with any. */
#include <stdbool.h>
#include <wchar.h>

#include "write.h"

/* Each kind once, in the order of the fields; with name and number of values. */
#define KINDS(m)                                                                          \
	m(UE_U8, u8, 2), m(UE_U16, u16, 2), m(UE_U32, u32, 2), m(UE_U64, u64, 2),         \
		m(UE_S8, s8, 2), m(UE_S16, s16, 2), m(UE_S32, s32, 2), m(UE_S64, s64, 2), \
		m(UE_HEX8, h8, 1), m(UE_HEX16, h16, 1), m(UE_HEX32, h32, 1),              \
		m(UE_HEX64, h64, 1), m(UE_INT, i, 1), m(UE_UINT, ui, 1),                  \
		m(UE_SHORT, s, 1), m(UE_USHORT, us, 1), m(UE_LONG, l, 1),                 \
		m(UE_ULONG, ul, 1), m(UE_SIZE, z, 1), m(UE_CHAR, c, 2),                   \
		m(UE_UCHAR, uc, 2), m(UE_BOOL, b, 2), m(UE_POINTER, at, 2),               \
		m(UE_PID, pid, 2), m(UE_ERRNO, error, 2), m(UE_TIME32, t32, 1),           \
		m(UE_TIME64, t64, 1), m(UE_F32, f, 2), m(UE_F64, d, 2),                   \
		m(UE_CHAR16, c16, 2), m(UE_CHAR32, c32, 2), m(UE_PORT, port, 2),          \
		m(UE_IPV4, v4, 2), m(UE_IPV6, v6, 2), m(UE_UUID, id, 2),                  \
		m(UE_VALUE128, value, 2)

#define ARRAY(kind, name, n) UE_ARRAY(kind(name), n)
#define ARRAY_VALUE(kind, name, n) values_##name
#define ARRAY_HERE(kind, name, n) UE_ARRAY(kind(name, values_##name), n)
#define SEQUENCE(kind, name, n) UE_SEQUENCE(kind(name))
#define SEQUENCE_VALUE(kind, name, n) values_##name, n
#define SEQUENCE_HERE(kind, name, n) UE_SEQUENCE(kind(name, values_##name, n))
#define EVENT(...) UE_EVENTHEADER(__VA_ARGS__)
#define WRITE(...) UE_WRITE(__VA_ARGS__)
#define LOG(...) UE_WRITE_EVENTHEADER(__VA_ARGS__)

static const uint8_t values_u8[] = { 1, 2 };
static const uint16_t values_u16[] = { 0x0201, 0x0403 };
static const uint32_t values_u32[] = { 1, 2 };
static const uint64_t values_u64[] = { 1, 2 };
static const int8_t values_s8[] = { -1, -2 };
static const int16_t values_s16[] = { -1, -2 };
static const int32_t values_s32[] = { -1, -2 };
static const int64_t values_s64[] = { -1, -2 };
static const uint8_t values_h8[] = { 0xa1 };
static const uint16_t values_h16[] = { 0xb1b2 };
static const uint32_t values_h32[] = { 0xc1c2c3c4 };
static const uint64_t values_h64[] = { 0xd1d2d3d4d5d6d7d8 };
static const int values_i[] = { -2 };
static const unsigned int values_ui[] = { 3 };
static const short values_s[] = { -4 };
static const unsigned short values_us[] = { 5 };
static const long values_l[] = { -6 };
static const unsigned long values_ul[] = { 7 };
static const size_t values_z[] = { 8 };
static const char values_c[] = { 'x', (char)0xe9 };
static const unsigned char values_uc[] = { 1, 200 };
static const bool values_b[] = { true, false };
static const void *const values_at[] = { AT, NULL };
static const int32_t values_pid[] = { 1, -2 };
static const int32_t values_error[] = { 1, 11 };
static const int32_t values_t32[] = { 951842176 };
static const int64_t values_t64[] = { 253402214400 };
static const float values_f[] = { 3.14f, 0.5f };
static const double values_d[] = { -0.1, 100 };
static const uint_least16_t values_c16[] = { 'A', 0x20ac };
static const uint_least32_t values_c32[] = { 'A', 0x1f600 };
static const uint16_t values_port[] = { NETWORK16(1, 0xbb), NETWORK16(0, 80) };
static const uint32_t values_v4[] = {
	NETWORK32(127, 0, 0, 1), NETWORK32(8, 8, 4, 4)
};
static const uint8_t values_v6[][16] = {
	{ 0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1 }, { [15] = 1 }
};
static const uint8_t values_id[][16] = {
	{ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255 },
	{ 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11,
	  0x11, 0x11, 0x11 }
};
static const uint8_t values_value[][16] = {
	{ 0x22, 0x22, 0x22, 0x22, 0x22, 0x22, 0x22, 0x22, 0x22, 0x22, 0x22, 0x22, 0x22,
	  0x22, 0x22, 0x22 },
	{ 0x33, 0x33, 0x33, 0x33, 0x33, 0x33, 0x33, 0x33, 0x33, 0x33, 0x33, 0x33, 0x33,
	  0x33, 0x33, 0x33 }
};

EVENT(p5, arrays, KINDS(ARRAY));
EVENT(p5, sequences, KINDS(SEQUENCE));

static int event_arrays(int fd)
{
	return WRITE(fd, arrays, KINDS(ARRAY_VALUE));
}

static int site_arrays(int fd)
{
	return LOG(fd, p5, "arrays", KINDS(ARRAY_HERE));
}

static int event_sequences(int fd)
{
	return WRITE(fd, sequences, KINDS(SEQUENCE_VALUE));
}

static int site_sequences(int fd)
{
	return LOG(fd, p5, "sequences", KINDS(SEQUENCE_HERE));
}

static void build_all(struct ue_builder *b, uint8_t array)
{
#define BUILD(encoding, format, name)                                                 \
	ue_builder_add(b, #name, (uint8_t)(UE_ENCODING_##encoding | array), format, \
			 values_##name, COUNT(values_##name))
	BUILD(VALUE8, 0, u8);
	BUILD(VALUE16, 0, u16);
	BUILD(VALUE32, 0, u32);
	BUILD(VALUE64, 0, u64);
	BUILD(VALUE8, UE_FORMAT_SIGNED_INT, s8);
	BUILD(VALUE16, UE_FORMAT_SIGNED_INT, s16);
	BUILD(VALUE32, UE_FORMAT_SIGNED_INT, s32);
	BUILD(VALUE64, UE_FORMAT_SIGNED_INT, s64);
	BUILD(VALUE8, UE_FORMAT_HEX_INT, h8);
	BUILD(VALUE16, UE_FORMAT_HEX_INT, h16);
	BUILD(VALUE32, UE_FORMAT_HEX_INT, h32);
	BUILD(VALUE64, UE_FORMAT_HEX_INT, h64);
	BUILD(VALUE32, UE_FORMAT_SIGNED_INT, i);
	BUILD(VALUE32, 0, ui);
	BUILD(VALUE16, UE_FORMAT_SIGNED_INT, s);
	BUILD(VALUE16, 0, us);
	BUILD(POINTER, UE_FORMAT_SIGNED_INT, l);
	BUILD(POINTER, 0, ul);
	BUILD(POINTER, 0, z);
	BUILD(VALUE8, UE_FORMAT_STRING8, c);
	BUILD(VALUE8, 0, uc);
	BUILD(VALUE8, UE_FORMAT_BOOLEAN, b);
	BUILD(POINTER, UE_FORMAT_HEX_INT, at);
	BUILD(VALUE32, UE_FORMAT_PID, pid);
	BUILD(VALUE32, UE_FORMAT_ERRNO, error);
	BUILD(VALUE32, UE_FORMAT_TIME, t32);
	BUILD(VALUE64, UE_FORMAT_TIME, t64);
	BUILD(VALUE32, UE_FORMAT_FLOAT, f);
	BUILD(VALUE64, UE_FORMAT_FLOAT, d);
	BUILD(VALUE16, UE_FORMAT_STRING_UTF, c16);
	BUILD(VALUE32, UE_FORMAT_STRING_UTF, c32);
	BUILD(VALUE16, UE_FORMAT_PORT, port);
	BUILD(VALUE32, UE_FORMAT_IP_ADDRESS, v4);
	BUILD(VALUE128, UE_FORMAT_IP_ADDRESS, v6);
	BUILD(VALUE128, UE_FORMAT_UUID, id);
	BUILD(VALUE128, 0, value);
#undef BUILD
}

static void build_arrays(struct ue_builder *b)
{
	ue_builder_begin(b, "arrays", 0);
	build_all(b, UE_ENCODING_CARRAY);
}

static void build_sequences(struct ue_builder *b)
{
	ue_builder_begin(b, "sequences", 0);
	build_all(b, UE_ENCODING_VARRAY);
}

/* Arrays without elements: with a pointer to values, and with NULL. */

UE_EVENTHEADER(p5, no_elements, UE_SEQUENCE(UE_U8(u8)), UE_SEQUENCE(UE_HEX64(h64)),
	     UE_SEQUENCE(UE_F64(d)), UE_SEQUENCE(UE_UUID(id)), UE_SEQUENCE(UE_STRING(a)),
	     UE_SEQUENCE(UE_STRING16(b)), UE_SEQUENCE(UE_STRING32(c)),
	     UE_SEQUENCE(UE_COUNTED_STRING(d8)), UE_SEQUENCE(UE_COUNTED_STRING16(e)),
	     UE_SEQUENCE(UE_COUNTED_STRING32(f)), UE_SEQUENCE(UE_BLOB(g)), UE_U8(last));

static int event_no_elements(int fd)
{
	return UE_WRITE(fd, no_elements, values_u8, 0, NULL, 0, NULL, 0, NULL, 0, NULL, 0,
			NULL, 0, NULL, 0, NULL, 0, NULL, 0, NULL, 0, NULL, 0, 42);
}

static int site_no_elements(int fd)
{
	return UE_WRITE_EVENTHEADER(fd, p5, "no_elements", UE_SEQUENCE(UE_U8(u8, values_u8, 0)),
		      UE_SEQUENCE(UE_HEX64(h64, NULL, 0)),
		      UE_SEQUENCE(UE_F64(d, NULL, 0)), UE_SEQUENCE(UE_UUID(id, NULL, 0)),
		      UE_SEQUENCE(UE_STRING(a, NULL, 0)),
		      UE_SEQUENCE(UE_STRING16(b, NULL, 0)),
		      UE_SEQUENCE(UE_STRING32(c, NULL, 0)),
		      UE_SEQUENCE(UE_COUNTED_STRING(d8, NULL, 0)),
		      UE_SEQUENCE(UE_COUNTED_STRING16(e, NULL, 0)),
		      UE_SEQUENCE(UE_COUNTED_STRING32(f, NULL, 0)),
		      UE_SEQUENCE(UE_BLOB(g, NULL, 0)), UE_U8(last, 42));
}

static void build_no_elements(struct ue_builder *b)
{
	static const char *const names[] = { "a", "b", "c", "d8", "e", "f", "g" };

	ue_builder_begin(b, "no_elements", 0);
	ue_builder_add(b, "u8", UE_ENCODING_VALUE8 | UE_ENCODING_VARRAY, 0, values_u8,
		       0);
	ue_builder_add(b, "h64", UE_ENCODING_VALUE64 | UE_ENCODING_VARRAY,
		       UE_FORMAT_HEX_INT, NULL, 0);
	ue_builder_add(b, "d", UE_ENCODING_VALUE64 | UE_ENCODING_VARRAY,
		       UE_FORMAT_FLOAT, NULL, 0);
	ue_builder_add(b, "id", UE_ENCODING_VALUE128 | UE_ENCODING_VARRAY,
		       UE_FORMAT_UUID, NULL, 0);
	for (unsigned int i = 0; i < COUNT(names); i++)
		ue_builder_add(b, names[i],
			       (uint8_t)((UE_ENCODING_ZSTRING_CHAR8 + i) |
					 UE_ENCODING_VARRAY),
			       0, NULL, 0);
	ue_builder_u8(b, "last", 42);
}

/* Arrays of strings */

static const char *const strings8[] = { "hé", NULL };
static const uint_least16_t *const strings16[] = { smile16, NULL };
static const uint_least32_t *const strings32[] = { smile32, NULL };
static const wchar_t *const wide_strings[] = { L"w" };
static const struct ue_span counted8[] = { { "ab", 2 }, { NULL, 0 } };
static const struct ue_span counted16[] = { { euro16, 1 }, { euro16, 0 } };
static const struct ue_span counted32[] = { { NULL, 0 }, { smile32, 1 } };
static const struct ue_span blobs[] = { { "\0\1\2", 3 }, { "", 0 } };

UE_EVENTHEADER(p5, string_arrays, UE_ARRAY(UE_STRING(a), 2), UE_ARRAY(UE_STRING16(b), 2),
	     UE_ARRAY(UE_STRING32(c), 2), UE_ARRAY(UE_WSTRING(w), 1),
	     UE_ARRAY(UE_COUNTED_STRING(d), 2), UE_ARRAY(UE_COUNTED_STRING16(e), 2),
	     UE_ARRAY(UE_COUNTED_STRING32(f), 2), UE_ARRAY(UE_BLOB(g), 2), UE_U8(last));
UE_EVENTHEADER(p5, string_sequences, UE_SEQUENCE(UE_STRING(a)), UE_SEQUENCE(UE_STRING16(b)),
	     UE_SEQUENCE(UE_STRING32(c)), UE_SEQUENCE(UE_WSTRING(w)),
	     UE_SEQUENCE(UE_COUNTED_STRING(d)), UE_SEQUENCE(UE_COUNTED_STRING16(e)),
	     UE_SEQUENCE(UE_COUNTED_STRING32(f)), UE_SEQUENCE(UE_BLOB(g)), UE_U8(last));

static int event_string_arrays(int fd)
{
	return UE_WRITE(fd, string_arrays, strings8, strings16, strings32, wide_strings,
			counted8, counted16, counted32, blobs, 42);
}

static int site_string_arrays(int fd)
{
	return UE_WRITE_EVENTHEADER(fd, p5, "string_arrays", UE_ARRAY(UE_STRING(a, strings8), 2),
		      UE_ARRAY(UE_STRING16(b, strings16), 2),
		      UE_ARRAY(UE_STRING32(c, strings32), 2),
		      UE_ARRAY(UE_WSTRING(w, wide_strings), 1),
		      UE_ARRAY(UE_COUNTED_STRING(d, counted8), 2),
		      UE_ARRAY(UE_COUNTED_STRING16(e, counted16), 2),
		      UE_ARRAY(UE_COUNTED_STRING32(f, counted32), 2),
		      UE_ARRAY(UE_BLOB(g, blobs), 2), UE_U8(last, 42));
}

static int event_string_sequences(int fd)
{
	return UE_WRITE(fd, string_sequences, strings8, 2, strings16, 2, strings32, 2,
			wide_strings, 1, counted8, 2, counted16, 2, counted32, 2, blobs,
			2, 42);
}

static int site_string_sequences(int fd)
{
	return UE_WRITE_EVENTHEADER(fd, p5, "string_sequences",
		      UE_SEQUENCE(UE_STRING(a, strings8, 2)),
		      UE_SEQUENCE(UE_STRING16(b, strings16, 2)),
		      UE_SEQUENCE(UE_STRING32(c, strings32, 2)),
		      UE_SEQUENCE(UE_WSTRING(w, wide_strings, 1)),
		      UE_SEQUENCE(UE_COUNTED_STRING(d, counted8, 2)),
		      UE_SEQUENCE(UE_COUNTED_STRING16(e, counted16, 2)),
		      UE_SEQUENCE(UE_COUNTED_STRING32(f, counted32, 2)),
		      UE_SEQUENCE(UE_BLOB(g, blobs, 2)), UE_U8(last, 42));
}

static void build_strings(struct ue_builder *b, unsigned int array)
{
	static const struct ue_span spans8[] = { { "hé", 3 }, { NULL, 0 } };
	static const struct ue_span spans16[] = { { smile16, 2 }, { NULL, 0 } };
	static const struct ue_span spans32[] = { { smile32, 1 }, { NULL, 0 } };
	static const struct ue_span wide[] = { { L"w", 1 } };
#define BUILD(name, encoding, spans)                                                \
	ue_builder_add(b, name, (uint8_t)(UE_ENCODING_##encoding | array), 0, spans, \
			 COUNT(spans))
	BUILD("a", ZSTRING_CHAR8, spans8);
	BUILD("b", ZSTRING_CHAR16, spans16);
	BUILD("c", ZSTRING_CHAR32, spans32);
	BUILD("w", ZSTRING_CHAR32, wide);
	BUILD("d", STRING_LENGTH16_CHAR8, counted8);
	BUILD("e", STRING_LENGTH16_CHAR16, counted16);
	BUILD("f", STRING_LENGTH16_CHAR32, counted32);
	BUILD("g", BINARY_LENGTH16_CHAR8, blobs);
#undef BUILD
	ue_builder_u8(b, "last", 42);
}

static void build_string_arrays(struct ue_builder *b)
{
	ue_builder_begin(b, "string_arrays", 0);
	build_strings(b, UE_ENCODING_CARRAY);
}

static void build_string_sequences(struct ue_builder *b)
{
	ue_builder_begin(b, "string_sequences", 0);
	build_strings(b, UE_ENCODING_VARRAY);
}

const struct write_case array_cases[] = {
	WRITE_CASE(arrays),	   WRITE_CASE(sequences),	 WRITE_CASE(no_elements),
	WRITE_CASE(string_arrays), WRITE_CASE(string_sequences), { 0 },
};
