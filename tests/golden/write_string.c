/* SPDX-License-Identifier: MIT */
/* Strings and bytes. */
#include <wchar.h>

#include "write.h"

struct point {
	int16_t x, y;
};

/* U+1F600 U+00E9, as they are in UTF-16 and UTF-32 */
static const uint_least16_t text16[] = { 0xd83d, 0xde00, 0xe9, 0 };
static const uint_least32_t text32[] = { 0x1f600, 0xe9, 0 };
static const uint_least16_t counted16[] = { 0xd83d, 0xde00, 'A' };
static const uint_least32_t counted32[] = { 0x1f600, 'A' };
static const struct point point = { 1, -1 };

UE_EVENTHEADER(p5, strings, UE_STRING(a), UE_STRING_MAX(b, 3), UE_CHARS(c, 4),
	     UE_CHARS(d, 4), UE_STRING16(e), UE_STRING32(f), UE_WSTRING(g),
	     UE_COUNTED_STRING(h), UE_COUNTED_STRING16(i), UE_COUNTED_STRING32(j),
	     UE_BLOB(k), UE_BYTES(l, 3), UE_STRUCT_BYTES(point, m, 4));

static int event_strings(int fd)
{
	return UE_WRITE(fd, strings, "hällo", "abcdef", "abcdef", "xy", text16, text32,
			L"w€", "a\0é", 4, counted16, 3, counted32, 2, "\0\xff\x80", 3,
			"\1\2\3", &point);
}

static int site_strings(int fd)
{
	return UE_WRITE_EVENTHEADER(fd, p5, "strings", UE_STRING(a, "hällo"),
		      UE_STRING_MAX(b, 3, "abcdef"), UE_CHARS(c, 4, "abcdef"),
		      UE_CHARS(d, 4, "xy"), UE_STRING16(e, text16),
		      UE_STRING32(f, text32), UE_WSTRING(g, L"w€"),
		      UE_COUNTED_STRING(h, "a\0é", 4),
		      UE_COUNTED_STRING16(i, counted16, 3),
		      UE_COUNTED_STRING32(j, counted32, 2), UE_BLOB(k, "\0\xff\x80", 3),
		      UE_BYTES(l, 3, "\1\2\3"), UE_STRUCT_BYTES(point, m, 4, &point));
}

static void build_strings(struct ue_builder *b)
{
	ue_builder_begin(b, "strings", 0);
	ue_builder_string(b, "a", "hällo");
	ue_builder_add(b, "b", UE_ENCODING_ZSTRING_CHAR8, 0, "abcdef", 3);
	ue_builder_add(b, "c", UE_ENCODING_ZSTRING_CHAR8, 0, "abcdef", 3);
	ue_builder_string(b, "d", "xy");
	ue_builder_add(b, "e", UE_ENCODING_ZSTRING_CHAR16, 0, text16, 3);
	ue_builder_add(b, "f", UE_ENCODING_ZSTRING_CHAR32, 0, text32, 2);
	ue_builder_add(b, "g", UE_ENCODING_ZSTRING_CHAR32, 0, L"w€", 2);
	ue_builder_add(b, "h", UE_ENCODING_STRING_LENGTH16_CHAR8, 0, "a\0é", 4);
	ue_builder_add(b, "i", UE_ENCODING_STRING_LENGTH16_CHAR16, 0, counted16, 3);
	ue_builder_add(b, "j", UE_ENCODING_STRING_LENGTH16_CHAR32, 0, counted32, 2);
	ue_builder_add(b, "k", UE_ENCODING_BINARY_LENGTH16_CHAR8, 0, "\0\xff\x80", 3);
	ue_builder_add(b, "l", UE_ENCODING_BINARY_LENGTH16_CHAR8, 0, "\1\2\3", 3);
	ue_builder_add(b, "m", UE_ENCODING_BINARY_LENGTH16_CHAR8, 0, &point, 4);
}

UE_EVENTHEADER(p5, empty_strings, UE_STRING(a), UE_STRING_MAX(b, 3), UE_CHARS(c, 1),
	     UE_STRING16(e), UE_STRING32(f), UE_WSTRING(g), UE_COUNTED_STRING(h),
	     UE_COUNTED_STRING16(i), UE_COUNTED_STRING32(j), UE_BLOB(k));
UE_EVENTHEADER(p5, null_strings, UE_STRING(a), UE_STRING_MAX(b, 3), UE_CHARS(c, 1),
	     UE_STRING16(e), UE_STRING32(f), UE_WSTRING(g), UE_COUNTED_STRING(h),
	     UE_COUNTED_STRING16(i), UE_COUNTED_STRING32(j), UE_BLOB(k));

static int event_empty_strings(int fd)
{
	return UE_WRITE(fd, empty_strings, "", "", "cut", empty16, empty32, L"", "", 0,
			euro16, 0, euro32, 0, "x", 0);
}

static int site_empty_strings(int fd)
{
	return UE_WRITE_EVENTHEADER(fd, p5, "empty_strings", UE_STRING(a, ""), UE_STRING_MAX(b, 3, ""),
		      UE_CHARS(c, 1, "cut"), UE_STRING16(e, empty16),
		      UE_STRING32(f, empty32), UE_WSTRING(g, L""),
		      UE_COUNTED_STRING(h, "", 0), UE_COUNTED_STRING16(i, euro16, 0),
		      UE_COUNTED_STRING32(j, euro32, 0), UE_BLOB(k, "x", 0));
}

static int event_null_strings(int fd)
{
	return UE_WRITE(fd, null_strings, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0,
			NULL, 0, NULL, 0, NULL, 0);
}

static int site_null_strings(int fd)
{
	return UE_WRITE_EVENTHEADER(fd, p5, "null_strings", UE_STRING(a, NULL),
		      UE_STRING_MAX(b, 3, NULL), UE_CHARS(c, 1, NULL),
		      UE_STRING16(e, NULL), UE_STRING32(f, NULL), UE_WSTRING(g, NULL),
		      UE_COUNTED_STRING(h, NULL, 0), UE_COUNTED_STRING16(i, NULL, 0),
		      UE_COUNTED_STRING32(j, NULL, 0), UE_BLOB(k, NULL, 0));
}

static void build_empty(struct ue_builder *b, const char *name, const char *text)
{
	ue_builder_begin(b, name, 0);
	ue_builder_string(b, "a", text);
	ue_builder_add(b, "b", UE_ENCODING_ZSTRING_CHAR8, 0, text, 0);
	ue_builder_string(b, "c", text);
	ue_builder_add(b, "e", UE_ENCODING_ZSTRING_CHAR16, 0, text, 0);
	ue_builder_add(b, "f", UE_ENCODING_ZSTRING_CHAR32, 0, text, 0);
	ue_builder_add(b, "g", UE_ENCODING_ZSTRING_CHAR32, 0, text, 0);
	ue_builder_add(b, "h", UE_ENCODING_STRING_LENGTH16_CHAR8, 0, text, 0);
	ue_builder_add(b, "i", UE_ENCODING_STRING_LENGTH16_CHAR16, 0, text, 0);
	ue_builder_add(b, "j", UE_ENCODING_STRING_LENGTH16_CHAR32, 0, text, 0);
	ue_builder_add(b, "k", UE_ENCODING_BINARY_LENGTH16_CHAR8, 0, text, 0);
}

static void build_empty_strings(struct ue_builder *b)
{
	build_empty(b, "empty_strings", "");
}

static void build_null_strings(struct ue_builder *b)
{
	build_empty(b, "null_strings", NULL);
}

/* Other formats */

static const uint_least16_t bom16[] = { 0xfeff, 'A', 0 };
static const uint_least32_t letter32[] = { 'A', 0 };
static const uint_least16_t one16[] = { '1' };
static const uint8_t one_of_16[16] = { [15] = 1 };

UE_EVENTHEADER(p5, formats, UE_AS(UE_FORMAT_STRING8, UE_STRING(latin)),
	     UE_AS(UE_FORMAT_STRING_UTF_BOM, UE_STRING(bom)),
	     UE_AS(UE_FORMAT_STRING_XML, UE_STRING(xml)),
	     UE_AS(UE_FORMAT_STRING_JSON, UE_STRING_MAX(json, 2)),
	     UE_AS(UE_FORMAT_HEX_BYTES, UE_STRING(hex)),
	     UE_AS(UE_FORMAT_STRING_UTF_BOM, UE_STRING16(bom16)),
	     UE_AS(UE_FORMAT_HEX_BYTES, UE_STRING32(hex32)),
	     UE_AS(UE_FORMAT_HEX_BYTES, UE_COUNTED_STRING(counted)),
	     UE_AS(UE_FORMAT_STRING_UTF, UE_BLOB(text)),
	     UE_AS(UE_FORMAT_STRING_JSON, UE_COUNTED_STRING16(json16)),
	     UE_AS(UE_FORMAT_STRING_JSON, UE_CHARS(chars, 3)),
	     UE_AS(UE_FORMAT_STRING8, UE_BYTES(name, 2)),
	     UE_AS(UE_FORMAT_HEX_BYTES, UE_U8(bytes)), UE_AS(UE_FORMAT_PORT, UE_U16(port)),
	     UE_AS(UE_FORMAT_TIME, UE_U64(time)),
	     UE_AS(UE_FORMAT_IP_ADDRESS, UE_VALUE128(v6)),
	     UE_AS(UE_FORMAT_UUID, UE_BLOB(uuid)));

static int event_formats(int fd)
{
	return UE_WRITE(fd, formats, "\xe9", "\xef\xbb\xbfx", "<a/>", "{}}", "hé", bom16,
			letter32, "h", 2, "é", 2, one16, 1, "[]]", "a\xfe", 0xc8, NETWORK16(0, 80),
			253402214400, one_of_16, uuid, 16);
}

static int site_formats(int fd)
{
	return UE_WRITE_EVENTHEADER(
		fd, p5, "formats", UE_AS(UE_FORMAT_STRING8, UE_STRING(latin, "\xe9")),
		UE_AS(UE_FORMAT_STRING_UTF_BOM, UE_STRING(bom, "\xef\xbb\xbfx")),
		UE_AS(UE_FORMAT_STRING_XML, UE_STRING(xml, "<a/>")),
		UE_AS(UE_FORMAT_STRING_JSON, UE_STRING_MAX(json, 2, "{}}")),
		UE_AS(UE_FORMAT_HEX_BYTES, UE_STRING(hex, "hé")),
		UE_AS(UE_FORMAT_STRING_UTF_BOM, UE_STRING16(bom16, bom16)),
		UE_AS(UE_FORMAT_HEX_BYTES, UE_STRING32(hex32, letter32)),
		UE_AS(UE_FORMAT_HEX_BYTES, UE_COUNTED_STRING(counted, "h", 2)),
		UE_AS(UE_FORMAT_STRING_UTF, UE_BLOB(text, "é", 2)),
		UE_AS(UE_FORMAT_STRING_JSON, UE_COUNTED_STRING16(json16, one16, 1)),
		UE_AS(UE_FORMAT_STRING_JSON, UE_CHARS(chars, 3, "[]]")),
		UE_AS(UE_FORMAT_STRING8, UE_BYTES(name, 2, "a\xfe")),
		UE_AS(UE_FORMAT_HEX_BYTES, UE_U8(bytes, 0xc8)),
		UE_AS(UE_FORMAT_PORT, UE_U16(port, NETWORK16(0, 80))),
		UE_AS(UE_FORMAT_TIME, UE_U64(time, 253402214400)),
		UE_AS(UE_FORMAT_IP_ADDRESS, UE_VALUE128(v6, one_of_16)),
		UE_AS(UE_FORMAT_UUID, UE_BLOB(uuid, uuid, 16)));
}

static void build_formats(struct ue_builder *b)
{
	const uint8_t string = UE_ENCODING_ZSTRING_CHAR8;
	const uint8_t binary = UE_ENCODING_BINARY_LENGTH16_CHAR8;

	ue_builder_begin(b, "formats", 0);
	ue_builder_add(b, "latin", string, UE_FORMAT_STRING8, "\xe9", 1);
	ue_builder_add(b, "bom", string, UE_FORMAT_STRING_UTF_BOM, "\xef\xbb\xbfx", 4);
	ue_builder_add(b, "xml", string, UE_FORMAT_STRING_XML, "<a/>", 4);
	ue_builder_add(b, "json", string, UE_FORMAT_STRING_JSON, "{}", 2);
	ue_builder_add(b, "hex", string, UE_FORMAT_HEX_BYTES, "hé", 3);
	ue_builder_add(b, "bom16", UE_ENCODING_ZSTRING_CHAR16, UE_FORMAT_STRING_UTF_BOM,
		       bom16, 2);
	ue_builder_add(b, "hex32", UE_ENCODING_ZSTRING_CHAR32, UE_FORMAT_HEX_BYTES,
		       letter32, 1);
	ue_builder_add(b, "counted", UE_ENCODING_STRING_LENGTH16_CHAR8,
		       UE_FORMAT_HEX_BYTES, "h", 2);
	ue_builder_add(b, "text", binary, UE_FORMAT_STRING_UTF, "é", 2);
	ue_builder_add(b, "json16", UE_ENCODING_STRING_LENGTH16_CHAR16,
		       UE_FORMAT_STRING_JSON, one16, 1);
	ue_builder_add(b, "chars", string, UE_FORMAT_STRING_JSON, "[]", 2);
	ue_builder_add(b, "name", binary, UE_FORMAT_STRING8, "a\xfe", 2);
	ue_builder_add(b, "bytes", UE_ENCODING_VALUE8, UE_FORMAT_HEX_BYTES, "\xc8", 1);
	ue_builder_add(b, "port", UE_ENCODING_VALUE16, UE_FORMAT_PORT, "\0\x50", 1);
	ue_builder_add(b, "time", UE_ENCODING_VALUE64, UE_FORMAT_TIME,
		       ONE(uint64_t, 253402214400), 1);
	ue_builder_add(b, "v6", UE_ENCODING_VALUE128, UE_FORMAT_IP_ADDRESS, one_of_16, 1);
	ue_builder_add(b, "uuid", binary, UE_FORMAT_UUID, uuid, 16);
}

const struct write_case string_cases[] = {
	WRITE_CASE(strings),
	WRITE_CASE(empty_strings),
	WRITE_CASE(null_strings),
	WRITE_CASE(formats),
	{ 0 },
};
