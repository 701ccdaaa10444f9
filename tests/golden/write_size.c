/* SPDX-License-Identifier: MIT */
/* Sizes at which the path through the library changes, up to the largest. */
#include <string.h>

#include "write.h"

static char text[4000];
static uint8_t blob[8144];

/* A string with this number of characters. */
static const char *string_of(char c, size_t length)
{
	memset(text, c, length);
	text[length] = '\0';
	return text;
}

static const uint8_t *blob_of(uint8_t byte)
{
	memset(blob, byte, sizeof(blob));
	return blob;
}

UE_EVENTHEADER(p5, large, UE_STRING(a), UE_BLOB(b), UE_U32(c));

static int event_large(int fd)
{
	return UE_WRITE(fd, large, string_of('x', 1300), blob_of(0xa5), 2400, 0x01020304);
}

static int site_large(int fd)
{
	return UE_WRITE_EVENTHEADER(fd, p5, "large", UE_STRING(a, string_of('x', 1300)),
		      UE_BLOB(b, blob_of(0xa5), 2400), UE_U32(c, 0x01020304));
}

static void build_large(struct ue_builder *b)
{
	ue_builder_begin(b, "large", 0);
	ue_builder_string(b, "a", string_of('x', 1300));
	ue_builder_add(b, "b", UE_ENCODING_BINARY_LENGTH16_CHAR8, 0, blob_of(0xa5),
		       2400);
	ue_builder_u32(b, "c", 0x01020304);
}

/* One string, of all lengths around a limit. */
#define STRING_CASE(name, length)                                              \
	UE_EVENTHEADER(p5, name, UE_STRING(a));                                  \
	static int event_##name(int fd)                                        \
	{                                                                      \
		return UE_WRITE(fd, name, string_of('x', length));             \
	}                                                                      \
	static int site_##name(int fd)                                         \
	{                                                                      \
		return UE_WRITE_EVENTHEADER(fd, p5, #name, UE_STRING(a, string_of('x', length))); \
	}                                                                      \
	static void build_##name(struct ue_builder *b)                         \
	{                                                                      \
		ue_builder_begin(b, #name, 0);                                 \
		ue_builder_string(b, "a", string_of('x', length));             \
	}                                                                      \
	UE__STATIC_ASSERT(1, "")

STRING_CASE(record_of_1280, 1245);
STRING_CASE(record_of_1281, 1246);
STRING_CASE(values_of_1280, 1279);
STRING_CASE(values_of_1281, 1280);

UE_EVENTHEADER(p5, largest, UE_BLOB(a), UE_SEQUENCE(UE_STRING(b)), UE_U8(c));

static char long_text[1052];

static const char *const *two_strings(void)
{
	static const char *strings[2];

	memset(long_text, 'z', sizeof(long_text) - 1);
	strings[0] = string_of('y', 3000);
	strings[1] = long_text;
	return strings;
}

static int event_largest(int fd)
{
	return UE_WRITE(fd, largest, blob_of(0x5a), 4097, two_strings(), 2, 42);
}

static int site_largest(int fd)
{
	return UE_WRITE_EVENTHEADER(fd, p5, "largest", UE_BLOB(a, blob_of(0x5a), 4097),
		      UE_SEQUENCE(UE_STRING(b, two_strings(), 2)), UE_U8(c, 42));
}

static void build_largest(struct ue_builder *b)
{
	const char *const *strings = two_strings();
	const struct ue_span spans[] = { { strings[0], 3000 }, { strings[1], 1051 } };

	ue_builder_begin(b, "largest", 0);
	ue_builder_add(b, "a", UE_ENCODING_BINARY_LENGTH16_CHAR8, 0, blob_of(0x5a),
		       4097);
	ue_builder_add(b, "b", UE_ENCODING_ZSTRING_CHAR8 | UE_ENCODING_VARRAY, 0, spans,
		       2);
	ue_builder_u8(b, "c", 42);
}

struct point {
	int16_t x, y;
};

UE_EVENTHEADER(p5, many_elements, UE_STRUCTS(struct point, e, UE_S16(x), UE_S16(y)),
	     UE_U8(f));

static int event_many_elements(int fd)
{
	static struct point points[2035];

	for (size_t i = 0; i < COUNT(points); i++)
		points[i] = (struct point){ 1, -1 };
	return UE_WRITE(fd, many_elements, points, COUNT(points), 255);
}

static void build_many_elements(struct ue_builder *b)
{
	ue_builder_begin(b, "many_elements", 0);
	ue_builder_struct_begin(b, "e", UE_ENCODING_VARRAY);
	for (int i = 0; i < 2035; i++) {
		ue_builder_struct_next(b);
		ue_builder_s16(b, "x", 1);
		ue_builder_s16(b, "y", -1);
	}
	ue_builder_struct_end(b);
	ue_builder_u8(b, "f", 255);
}

UE_EVENTHEADER(p5, largest_fixed, UE_ARRAY(UE_U8(a), 8144), UE_U8(b), UE_U16(c));

static int event_largest_fixed(int fd)
{
	return UE_WRITE(fd, largest_fixed, blob_of(0x5a), 42, 0x102);
}

static int site_largest_fixed(int fd)
{
	return UE_WRITE_EVENTHEADER(fd, p5, "largest_fixed", UE_ARRAY(UE_U8(a, blob_of(0x5a)), 8144),
		      UE_U8(b, 42), UE_U16(c, 0x102));
}

static void build_largest_fixed(struct ue_builder *b)
{
	ue_builder_begin(b, "largest_fixed", 0);
	ue_builder_add(b, "a", UE_ENCODING_VALUE8 | UE_ENCODING_CARRAY, 0,
		       blob_of(0x5a), 8144);
	ue_builder_u8(b, "b", 42);
	ue_builder_u16(b, "c", 0x102);
}

const struct write_case size_cases[] = {
	WRITE_CASE(large),
	WRITE_CASE(record_of_1280),
	WRITE_CASE(record_of_1281),
	WRITE_CASE(values_of_1280),
	WRITE_CASE(values_of_1281),
	WRITE_CASE(largest),
	WRITE_CASE_WITHOUT_SITE(many_elements),
	WRITE_CASE(largest_fixed),
	{ 0 },
};
