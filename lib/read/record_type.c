/* SPDX-License-Identifier: MIT */
/*
 * Find the encoding and format of a tracepoint's field. Its type is C source as the
 * author wrote it, explained by a size alone: known words decide, and for other types the
 * size and sign that the kernel states.
 */
#include <string.h>

#include "record_type.h"

/* A type, as its words say. */
enum {
	STRUCT = 1 << 0,
	CHAR = 1 << 1,
	BOOL = 1 << 2,
	REAL = 1 << 3,
	UNSIGNED = 1 << 4,
	SIGNED = 1 << 5, /* in so many words */
	INT = 1 << 6,
	LONG = 1 << 7,
	LONG_LONG = 1 << 8,
	POINTER = 1 << 9,
	ARRAY = 1 << 10,
	DATA_LOC = 1 << 11,
	REL_LOC = 1 << 12,
};

struct type {
	uint32_t is;
	uint32_t size; /* 0: not known */
};

struct word {
	const char *text;
	struct type type;
};

static const struct word words[] = {
	{ "struct", { STRUCT, 0 } },	   { "union", { STRUCT, 0 } },
	{ "unsigned", { UNSIGNED, 0 } },   { "signed", { SIGNED, 0 } },
	{ "char", { CHAR, 1 } },	   { "bool", { BOOL, 1 } },
	{ "_Bool", { BOOL, 1 } },	   { "short", { 0, 2 } },
	{ "int", { INT, 4 } },		   { "long", { LONG, 0 } },
	{ "float", { REAL, 4 } },	   { "double", { REAL, 8 } },
	{ "__data_loc", { DATA_LOC, 0 } }, { "__rel_loc", { REL_LOC, 0 } },
	{ NULL, { 0, 0 } },
};

/* These also with "__" before them. */
static const struct word sized_words[] = {
	{ "u8", { UNSIGNED, 1 } },	 { "s8", { SIGNED, 1 } },
	{ "u16", { UNSIGNED, 2 } },	 { "s16", { SIGNED, 2 } },
	{ "u32", { UNSIGNED, 4 } },	 { "s32", { SIGNED, 4 } },
	{ "u64", { UNSIGNED, 8 } },	 { "s64", { SIGNED, 8 } },
	{ "uint8_t", { UNSIGNED, 1 } },	 { "int8_t", { SIGNED, 1 } },
	{ "uint16_t", { UNSIGNED, 2 } }, { "int16_t", { SIGNED, 2 } },
	{ "uint32_t", { UNSIGNED, 4 } }, { "int32_t", { SIGNED, 4 } },
	{ "uint64_t", { UNSIGNED, 8 } }, { "int64_t", { SIGNED, 8 } },
	{ NULL, { 0, 0 } },
};

static int is_word_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_';
}

static const struct word *find(const struct word *word, struct ue__span text)
{
	while (word->text && !ue__span_is(text, word->text))
		word++;
	return word;
}

static void take_word(struct type *type, struct ue__span text)
{
	const struct word *word = find(words, text);

	if (!word->text) {
		ue__span_drop(&text, "__");
		word = find(sized_words, text);
	}
	/* "short int" is a short */
	if (word->type.size && !(word->type.is & INT && type->size))
		type->size = word->type.size;
	if (type->is & word->type.is & LONG)
		type->is |= LONG_LONG;
	type->is |= word->type.is;
}

static struct type read_words(struct ue__span text)
{
	const char *at = text.at, *end = at + text.length;
	struct type type = { 0, 0 };

	while (at < end) {
		const char *begin = at;

		while (at < end && is_word_byte(*at))
			at++;
		if (at > begin) {
			take_word(&type, ue__span(begin, at));
			continue;
		}
		type.is |= *at == '*' ? POINTER : *at == '[' ? ARRAY : 0;
		at++;
	}
	/* "unsigned" alone is an int; how long a long is, its size has to say */
	if (!type.size && type.is & UNSIGNED && !(type.is & LONG))
		type.size = 4;
	if (type.is & LONG && !(type.is & REAL))
		type.size = type.is & LONG_LONG ? 8 : 0;
	return type;
}

/* The number in brackets, 0 when there is none. */
static uint32_t count_in(struct ue__span brackets)
{
	uint32_t count;

	return ue__span_drop(&brackets, "[") && ue__span_number(&brackets, &count) &&
			       ue__span_is(brackets, "]") ?
		       count :
		       0;
}

static int is_number_size(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static uint32_t element_size(const struct type *type, uint32_t size, uint32_t count)
{
	if (!(type->is & (ARRAY | DATA_LOC | REL_LOC)) && size)
		return size;
	if (type->is & POINTER || !type->size)
		return count && size % count == 0 ? size / count : 0;
	return type->size;
}

/*
 * A type of another size is not that of the value: arguments of system calls are stored as
 * unsigned long, "__s32 wd" in 8 bytes.
 */
static enum ue_format number_format(const struct type *type, uint32_t size,
				    int is_signed)
{
	if (type->is & POINTER ||
	    (type->is & (UNSIGNED | LONG | LONG_LONG)) == (UNSIGNED | LONG))
		return UE_FORMAT_HEX_INT;
	if (type->is & REAL && size >= 4)
		return UE_FORMAT_FLOAT;
	if (type->is & BOOL)
		return UE_FORMAT_BOOLEAN;
	if (type->is & UNSIGNED)
		return UE_FORMAT_UNSIGNED_INT;
	if (type->is & SIGNED && (!type->size || type->size == size))
		return UE_FORMAT_SIGNED_INT;
	return is_signed ? UE_FORMAT_SIGNED_INT : UE_FORMAT_UNSIGNED_INT;
}

static void set_number(struct ue_record_field *field, const struct type *type,
		       uint32_t size, int is_signed)
{
	field->element_size = (uint8_t)size;
	field->encoding = (uint8_t)(UE_ENCODING_VALUE8 + __builtin_ctz(size));
	field->format = (uint8_t)number_format(type, size, is_signed);
	field->is_array = type->is & (ARRAY | DATA_LOC | REL_LOC) || !field->size;
}

static void set_bytes(struct ue_record_field *field, enum ue_encoding encoding,
		      enum ue_format format)
{
	field->element_size = 0;
	field->encoding = (uint8_t)encoding;
	field->format = (uint8_t)format;
	field->is_array = 0;
}

/* "__data_loc char[][2]": each text has a location of its own. */
static int is_of_texts(struct ue__span type, uint32_t size)
{
	for (size_t i = 0; i + 3 < type.length; i++)
		if (!memcmp(type.at + i, "[][", 3))
			return size && size % 4 == 0;
	return 0;
}

static int is_text(const struct type *type)
{
	return type->is & CHAR && !(type->is & (STRUCT | POINTER | UNSIGNED | SIGNED));
}

void ue__record_type(struct ue_record_field *field, struct ue__span text,
		     struct ue__span brackets, int is_signed, uint32_t flags)
{
	struct type type = read_words(text);
	uint32_t size;

	field->type = text.at;
	field->type_length = (uint32_t)text.length;
	field->location = type.is & REL_LOC  ? UE_LOCATION_RELATIVE :
			  type.is & DATA_LOC ? UE_LOCATION_DATA :
					       0;
	memset(field->spare, 0, sizeof(field->spare));
	if (brackets.length)
		type.is |= ARRAY;
	size = element_size(&type, field->size, count_in(brackets));
	if (is_text(&type) && field->size == 1 && !(type.is & (ARRAY | DATA_LOC | REL_LOC)))
		set_bytes(field, UE_ENCODING_VALUE8, UE_FORMAT_STRING8);
	else if (is_text(&type))
		set_bytes(field, UE_ENCODING_STRING_LENGTH16_CHAR8,
			  flags & UE_RECORD_LATIN1 ? UE_FORMAT_STRING8 :
						     UE_FORMAT_STRING_UTF);
	else if (is_number_size(size) && !((type.is & STRUCT) && !(type.is & POINTER)))
		set_number(field, &type, size, is_signed);
	else
		set_bytes(field, UE_ENCODING_BINARY_LENGTH16_CHAR8, UE_FORMAT_HEX_BYTES);
	if (is_text(&type) && type.is & DATA_LOC)
		field->is_array = (uint8_t)is_of_texts(text, field->size);
}
