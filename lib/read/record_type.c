/* SPDX-License-Identifier: MIT */
/*
 * Find the encoding and format of a tracepoint's field. Its type is C source as the
 * author wrote it, explained by a size alone: known words decide, and for other types the
 * size and sign that the kernel states.
 */
#include <string.h>

#include "record_type.h"

/* The words of a type, combined. */
struct words {
	int is_pointer, is_struct, is_char, is_real, is_bool;
	int is_unsigned, is_signed; /* in so many words */
	int longs;
	int is_array;
	uint32_t size; /* of a known type; 0: not known */
	enum ue_location location;
};

static int is_word_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_';
}

static int is(struct ue__span word, const char *text)
{
	return word.length == strlen(text) && !memcmp(word.at, text, word.length);
}

static int drop_prefix(struct ue__span *word, const char *prefix)
{
	size_t length = strlen(prefix);

	if (word->length < length || memcmp(word->at, prefix, length))
		return 0;
	word->at += length;
	word->length -= length;
	return 1;
}

static uint32_t bytes_of_bits(struct ue__span bits)
{
	static const char *const known[] = { "8", "16", "32", "64" };

	for (uint32_t i = 0; i < 4; i++)
		if (is(bits, known[i]))
			return 1u << i;
	return 0;
}

/* u8, __s16, uint32_t, int64_t: 1, or 0 for another word. */
static int take_sized(struct words *words, struct ue__span word)
{
	int is_unsigned;
	uint32_t size;

	drop_prefix(&word, "__");
	is_unsigned = drop_prefix(&word, "u");
	if (drop_prefix(&word, "int")) {
		if (word.length < 2 || memcmp(word.at + word.length - 2, "_t", 2))
			return 0;
		word.length -= 2;
	} else if (!is_unsigned && !drop_prefix(&word, "s")) {
		return 0;
	}
	size = bytes_of_bits(word);
	if (!size)
		return 0;
	words->size = size;
	words->is_unsigned |= is_unsigned;
	words->is_signed |= !is_unsigned;
	return 1;
}

enum meaning {
	STRUCT,
	UNSIGNED,
	SIGNED,
	CHAR,
	BOOL,
	SIZE2,
	SIZE4,
	LONG,
	FLOAT,
	DOUBLE,
	DATA_LOC,
	REL_LOC,
};

static const struct {
	const char *word;
	enum meaning meaning;
} known_words[] = {
	{ "struct", STRUCT },	{ "union", STRUCT },	 { "unsigned", UNSIGNED },
	{ "signed", SIGNED },	{ "char", CHAR },	 { "bool", BOOL },
	{ "_Bool", BOOL },	{ "short", SIZE2 },	 { "int", SIZE4 },
	{ "long", LONG },	{ "float", FLOAT },	 { "double", DOUBLE },
	{ "__data_loc", DATA_LOC }, { "__rel_loc", REL_LOC },
};

static void take_meaning(struct words *words, enum meaning meaning)
{
	switch (meaning) {
	case STRUCT:
		words->is_struct = 1;
		break;
	case UNSIGNED:
		words->is_unsigned = 1;
		break;
	case SIGNED:
		words->is_signed = 1;
		break;
	case CHAR:
		words->is_char = 1;
		words->size = 1;
		break;
	case BOOL:
		words->is_bool = 1;
		words->size = 1;
		break;
	case SIZE2:
		words->size = 2;
		break;
	case SIZE4:
		if (!words->size)
			words->size = 4;
		break;
	case LONG:
		words->longs++;
		break;
	case FLOAT:
		words->is_real = 1;
		words->size = 4;
		break;
	case DOUBLE:
		words->is_real = 1;
		words->size = 8;
		break;
	case DATA_LOC:
		words->location = UE_LOCATION_DATA;
		break;
	case REL_LOC:
		words->location = UE_LOCATION_RELATIVE;
		break;
	}
}

static void take_word(struct words *words, struct ue__span word)
{
	for (size_t i = 0; i < sizeof(known_words) / sizeof(known_words[0]); i++)
		if (is(word, known_words[i].word)) {
			take_meaning(words, known_words[i].meaning);
			return;
		}
	take_sized(words, word);
}

static struct words read_words(struct ue__span type)
{
	const char *at = type.at, *end = at + type.length;
	struct words words = { 0 };

	while (at < end) {
		const char *begin = at;

		while (at < end && is_word_byte(*at))
			at++;
		if (at > begin) {
			take_word(&words, (struct ue__span){ begin,
							     (size_t)(at - begin) });
			continue;
		}
		words.is_pointer |= *at == '*';
		words.is_array |= *at == '[';
		at++;
	}
	/* "unsigned" alone is an int; how long a long is, its size has to say */
	if (!words.size && words.is_unsigned && !words.longs)
		words.size = 4;
	if (words.longs && !words.is_real)
		words.size = words.longs > 1 ? 8 : 0;
	return words;
}

/* The number in brackets, 0 when there is none. */
static uint32_t count_in(struct ue__span brackets)
{
	uint32_t count = 0;

	for (size_t i = 1; i + 1 < brackets.length; i++) {
		if (brackets.at[i] < '0' || brackets.at[i] > '9' || count > 100000)
			return 0;
		count = count * 10 + (uint32_t)(brackets.at[i] - '0');
	}
	return count;
}

static int is_number_size(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static uint32_t element_size(const struct words *words, uint32_t size, uint32_t count)
{
	if (!words->is_array && !words->location && size)
		return size;
	if (words->is_pointer || !words->size)
		return count && size % count == 0 ? size / count : 0;
	return words->size;
}

/*
 * A type of another size is not that of the value: arguments of system calls are stored as
 * unsigned long, "__s32 wd" in 8 bytes.
 */
static enum ue_format format_of(const struct words *words, uint32_t size, int is_signed)
{
	int is_size_right = !words->size || words->size == size;

	if (words->is_pointer || (words->is_unsigned && words->longs == 1))
		return UE_FORMAT_HEX_INT;
	if (words->is_real && size >= 4)
		return UE_FORMAT_FLOAT;
	if (words->is_bool)
		return UE_FORMAT_BOOLEAN;
	if (words->is_unsigned)
		return UE_FORMAT_UNSIGNED_INT;
	return is_signed || (words->is_signed && is_size_right) ? UE_FORMAT_SIGNED_INT :
								   UE_FORMAT_UNSIGNED_INT;
}

static void set_number(struct ue_record_field *field, const struct words *words,
		       uint32_t size, int is_signed)
{
	field->element_size = (uint8_t)size;
	field->encoding = (uint8_t)(UE_ENCODING_VALUE8 + __builtin_ctz(size));
	field->format = (uint8_t)format_of(words, size, is_signed);
	field->is_array = words->is_array || words->location || !field->size;
}

static void set_bytes(struct ue_record_field *field, enum ue_encoding encoding,
		      enum ue_format format)
{
	field->element_size = 0;
	field->encoding = (uint8_t)encoding;
	field->format = (uint8_t)format;
	field->is_array = 0;
}

void ue__record_type(struct ue_record_field *field, struct ue__span type,
		     struct ue__span brackets, int is_signed, uint32_t flags)
{
	struct words words = read_words(type);
	uint32_t size;

	field->type = type.at;
	field->type_length = (uint32_t)type.length;
	field->location = (uint8_t)words.location;
	memset(field->spare, 0, sizeof(field->spare));
	words.is_array |= brackets.length > 0;
	size = element_size(&words, field->size, count_in(brackets));
	if (words.is_pointer && is_number_size(size))
		set_number(field, &words, size, 0);
	else if (words.is_struct || words.is_pointer)
		set_bytes(field, UE_ENCODING_BINARY_LENGTH16_CHAR8, UE_FORMAT_HEX_BYTES);
	else if (words.is_char && !words.is_unsigned && !words.is_signed)
		set_bytes(field, UE_ENCODING_STRING_LENGTH16_CHAR8,
			  flags & UE_RECORD_LATIN1 ? UE_FORMAT_STRING8 :
						     UE_FORMAT_STRING_UTF);
	else if (is_number_size(size))
		set_number(field, &words, size, is_signed);
	else
		set_bytes(field, UE_ENCODING_BINARY_LENGTH16_CHAR8, UE_FORMAT_HEX_BYTES);
}
