/* SPDX-License-Identifier: MIT */
/* Tags, names and formats around fields of every kind. */
#include "write.h"

static const struct ue_span y_blob[] = { { "y", 1 } };
static const struct ue_span x_blobs[] = { { "x", 1 }, { NULL, 0 } };

#define T(...) UE_TAGGED(0x102, __VA_ARGS__)

UE_EVENTHEADER(p5, tags, UE_TAGGED(1, UE_U8(a)), UE_TAGGED(65535, UE_S8(b)),
	     T(UE_STRING(c)), T(UE_BLOB(d)), T(UE_UUID(e)), T(UE_NULLABLE(UE_U32(f))),
	     T(UE_ARRAY(UE_U16(g), 2)), T(UE_SEQUENCE(UE_U16(h))),
	     T(UE_SEQUENCE(UE_STRING(i))), T(UE_ARRAY(UE_BLOB(j), 1)),
	     T(UE_STRUCT(k, UE_U8(l))));

static int event_tags(int fd)
{
	return UE_WRITE(fd, tags, 1, -2, "", NULL, 0, ones, NULL, SOME(uint16_t, 1, 2),
			ONE(uint16_t, 3), 1, ONE(char *const, "x"), 1, y_blob, 42);
}

static int site_tags(int fd)
{
	return UE_WRITE_EVENTHEADER(fd, p5, "tags", UE_TAGGED(1, UE_U8(a, 1)),
		      UE_TAGGED(65535, UE_S8(b, -2)), T(UE_STRING(c, "")),
		      T(UE_BLOB(d, NULL, 0)), T(UE_UUID(e, ones)),
		      T(UE_NULLABLE(UE_U32(f, NULL))),
		      T(UE_ARRAY(UE_U16(g, SOME(uint16_t, 1, 2)), 2)),
		      T(UE_SEQUENCE(UE_U16(h, ONE(uint16_t, 3), 1))),
		      T(UE_SEQUENCE(UE_STRING(i, ONE(char *const, "x"), 1))),
		      T(UE_ARRAY(UE_BLOB(j, y_blob), 1)),
		      T(UE_STRUCT(k, UE_U8(l, 42))));
}

/* The same fields for tags and for names. */
static void build_fields(struct ue_builder *b, const char *const *names,
			 const uint16_t *tags)
{
	const uint8_t binary = UE_ENCODING_BINARY_LENGTH16_CHAR8;
	int i = 0;

#define NEXT (ue_builder_tag(b, tags[i]), names[i++])
	ue_builder_u8(b, NEXT, 1);
	ue_builder_s8(b, NEXT, -2);
	ue_builder_string(b, NEXT, NULL);
	ue_builder_add(b, NEXT, binary, 0, NULL, 0);
	ue_builder_add(b, NEXT, UE_ENCODING_VALUE128, UE_FORMAT_UUID, ones, 1);
	ue_builder_add(b, NEXT, binary, UE_FORMAT_UNSIGNED_INT, NULL, 0);
	ue_builder_add(b, NEXT, UE_ENCODING_VALUE16 | UE_ENCODING_CARRAY, 0,
		       SOME(uint16_t, 1, 2), 2);
	ue_builder_add(b, NEXT, UE_ENCODING_VALUE16 | UE_ENCODING_VARRAY, 0,
		       ONE(uint16_t, 3), 1);
	ue_builder_add(b, NEXT, UE_ENCODING_ZSTRING_CHAR8 | UE_ENCODING_VARRAY, 0,
		       x_blobs, 1);
	ue_builder_add(b, NEXT, binary | UE_ENCODING_CARRAY, 0, y_blob, 1);
	ue_builder_struct_begin(b, NEXT, 0);
	ue_builder_u8(b, NEXT, 42);
	ue_builder_struct_end(b);
#undef NEXT
}

static void build_tags(struct ue_builder *b)
{
	static const char *const names[] = { "a", "b", "c", "d", "e", "f",
					     "g", "h", "i", "j", "k", "l" };
	static const uint16_t tag_of[] = { 1,	  65535, 0x102, 0x102, 0x102, 0x102,
					   0x102, 0x102, 0x102, 0x102, 0x102, 0 };

	ue_builder_begin(b, "tags", 0);
	build_fields(b, names, tag_of);
}

UE_EVENTHEADER(p5, names, UE_NAMED("a a", UE_U8(a)), UE_NAMED("b-b", UE_S8(b)),
	     UE_NAMED("ç", UE_STRING(c)), UE_NAMED("d.d", UE_BLOB(d)),
	     UE_NAMED("e", UE_UUID(id)), UE_NAMED("2f", UE_NULLABLE(UE_U32(f))),
	     UE_NAMED("g g", UE_ARRAY(UE_U16(g), 2)),
	     UE_NAMED("h h", UE_SEQUENCE(UE_U16(h))),
	     UE_NAMED("i i", UE_SEQUENCE(UE_STRING(i))),
	     UE_NAMED("j j", UE_ARRAY(UE_BLOB(j), 1)),
	     UE_NAMED("k k", UE_STRUCT(k, UE_NAMED("l l", UE_U8(l)))));

static int event_names(int fd)
{
	return UE_WRITE(fd, names, 1, -2, "", NULL, 0, ones, NULL, SOME(uint16_t, 1, 2),
			ONE(uint16_t, 3), 1, ONE(char *const, "x"), 1, y_blob, 42);
}

static int site_names(int fd)
{
	return UE_WRITE_EVENTHEADER(fd, p5, "names", UE_NAMED("a a", UE_U8(a, 1)),
		      UE_NAMED("b-b", UE_S8(b, -2)), UE_NAMED("ç", UE_STRING(c, "")),
		      UE_NAMED("d.d", UE_BLOB(d, NULL, 0)),
		      UE_NAMED("e", UE_UUID(id, ones)),
		      UE_NAMED("2f", UE_NULLABLE(UE_U32(f, NULL))),
		      UE_NAMED("g g", UE_ARRAY(UE_U16(g, SOME(uint16_t, 1, 2)), 2)),
		      UE_NAMED("h h", UE_SEQUENCE(UE_U16(h, ONE(uint16_t, 3), 1))),
		      UE_NAMED("i i", UE_SEQUENCE(UE_STRING(i, ONE(char *const, "x"), 1))),
		      UE_NAMED("j j", UE_ARRAY(UE_BLOB(j, y_blob), 1)),
		      UE_NAMED("k k", UE_STRUCT(k, UE_NAMED("l l", UE_U8(l, 42)))));
}

static void build_names(struct ue_builder *b)
{
	static const char *const given[] = { "a a", "b-b", "ç",	  "d.d", "e",	"2f",
					     "g g", "h h", "i i", "j j", "k k", "l l" };
	static const uint16_t no_tags[COUNT(given)];

	ue_builder_begin(b, "names", 0);
	build_fields(b, given, no_tags);
}

/* Several at once, in any order. */

UE_EVENTHEADER(p5, around,
	     UE_NAMED("a a", UE_TAGGED(0x102, UE_AS(UE_FORMAT_HEX_INT, UE_U8(a)))),
	     UE_TAGGED(0x102, UE_AS(UE_FORMAT_STRING_JSON, UE_NAMED("b b", UE_STRING(b)))),
	     UE_AS(UE_FORMAT_BOOLEAN, UE_NULLABLE(UE_NAMED("c c", T(UE_U8(c))))),
	     T(UE_NAMED("d d", UE_ARRAY(UE_PORT(d), 2))),
	     UE_NAMED("e e", UE_SEQUENCE(T(UE_IPV4(e)))),
	     UE_NAMED("f f", T(UE_SEQUENCE(UE_AS(UE_FORMAT_STRING_XML, UE_STRING(f))))),
	     UE_AS(UE_FORMAT_STRING_UTF, T(UE_ARRAY(UE_NAMED("g g", UE_BLOB(g)), 2))),
	     UE_AS(UE_FORMAT_HEX_BYTES, T(UE_NAMED("h h", UE_COUNTED_STRING(h)))),
	     T(UE_AS(UE_FORMAT_STRING_UTF_BOM, UE_NAMED("i i", UE_STRING32(i)))));

static const uint16_t ports[] = { NETWORK16(0, 80), NETWORK16(1, 0xbb) };
static const uint32_t loopback = NETWORK32(127, 0, 0, 1);

static int event_around(int fd)
{
	return UE_WRITE(fd, around, 0xc8, "{}", ONE(uint8_t, 1),
			ports, &loopback, 1,
			ONE(char *const, "<a/>"), 1, x_blobs, "h\xe9", 2, smile32);
}

static int site_around(int fd)
{
	return UE_WRITE_EVENTHEADER(
		fd, p5, "around",
		UE_NAMED("a a", UE_TAGGED(0x102, UE_AS(UE_FORMAT_HEX_INT, UE_U8(a, 0xc8)))),
		UE_TAGGED(0x102,
			  UE_AS(UE_FORMAT_STRING_JSON, UE_NAMED("b b", UE_STRING(b, "{}")))),
		UE_AS(UE_FORMAT_BOOLEAN,
		      UE_NULLABLE(UE_NAMED("c c", T(UE_U8(c, ONE(uint8_t, 1)))))),
		T(UE_NAMED("d d",
			   UE_ARRAY(UE_PORT(d, ports), 2))),
		UE_NAMED("e e", UE_SEQUENCE(T(UE_IPV4(e, &loopback, 1)))),
		UE_NAMED("f f", T(UE_SEQUENCE(UE_AS(UE_FORMAT_STRING_XML,
						    UE_STRING(f, ONE(char *const, "<a/>"),
							      1))))),
		UE_AS(UE_FORMAT_STRING_UTF,
		      T(UE_ARRAY(UE_NAMED("g g", UE_BLOB(g, x_blobs)), 2))),
		UE_AS(UE_FORMAT_HEX_BYTES,
		      T(UE_NAMED("h h", UE_COUNTED_STRING(h, "h\xe9", 2)))),
		T(UE_AS(UE_FORMAT_STRING_UTF_BOM,
			UE_NAMED("i i", UE_STRING32(i, smile32)))));
}

static void build_around(struct ue_builder *b)
{
	const uint8_t binary = UE_ENCODING_BINARY_LENGTH16_CHAR8;
	const uint8_t string = UE_ENCODING_ZSTRING_CHAR8;
	const struct ue_span xml = { "<a/>", 4 };

	ue_builder_begin(b, "around", 0);
#define TAG (ue_builder_tag(b, 0x102), b)
	ue_builder_add(TAG, "a a", UE_ENCODING_VALUE8, UE_FORMAT_HEX_INT, "\xc8", 1);
	ue_builder_add(TAG, "b b", string, UE_FORMAT_STRING_JSON, "{}", 2);
	ue_builder_add(TAG, "c c", binary, UE_FORMAT_BOOLEAN, "\1", 1);
	ue_builder_add(TAG, "d d", UE_ENCODING_VALUE16 | UE_ENCODING_CARRAY,
		       UE_FORMAT_PORT, ports, 2);
	ue_builder_add(TAG, "e e", UE_ENCODING_VALUE32 | UE_ENCODING_VARRAY,
		       UE_FORMAT_IP_ADDRESS, "\x7f\0\0\1", 1);
	ue_builder_add(TAG, "f f", string | UE_ENCODING_VARRAY, UE_FORMAT_STRING_XML,
		       &xml, 1);
	ue_builder_add(TAG, "g g", binary | UE_ENCODING_CARRAY, UE_FORMAT_STRING_UTF,
		       x_blobs, 2);
	ue_builder_add(TAG, "h h", UE_ENCODING_STRING_LENGTH16_CHAR8,
		       UE_FORMAT_HEX_BYTES, "h\xe9", 2);
	ue_builder_add(TAG, "i i", UE_ENCODING_ZSTRING_CHAR32, UE_FORMAT_STRING_UTF_BOM,
		       smile32, 1);
#undef TAG
}

const struct write_case around_cases[] = {
	WRITE_CASE(tags),
	WRITE_CASE(names),
	WRITE_CASE(around),
	{ 0 },
};
