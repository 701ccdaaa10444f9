/* SPDX-License-Identifier: MIT */
/* Values as text become bytes here; the library packs them. */
#include "compose.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <userevents/bindings.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/cli/options.h"

static int fits(struct number_type type, uint64_t number, int is_negative)
{
	int is_signed = type.format == UE_FORMAT_SIGNED_INT;
	uint64_t limit;

	if (is_negative && !is_signed)
		return !number;
	limit = UINT64_MAX >> (64 - 8u * type.size + (unsigned int)is_signed);
	return number <= limit + (uint64_t)is_negative;
}

static const char *put_integer(struct number_type type, const char *text, char **end,
			       unsigned char *at)
{
	int is_negative = *text == '-';
	unsigned long long number;

	text += is_negative;
	if (*text < '0' || *text > '9')
		return "An integer is decimal, or begins with 0x.";
	errno = 0;
	number = strtoull(text, end, text[0] == '0' && (text[1] | 32) == 'x' ? 16 : 10);
	if (errno || !fits(type, number, is_negative))
		return "The number does not fit its type.";
	if (is_negative)
		number = 0 - number;
	for (size_t i = 0; i < type.size; i++)
		at[__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? type.size - 1 - i : i] =
			(unsigned char)(number >> 8 * i);
	return NULL;
}

static int is_infinity(const char *text)
{
	text += strspn(text, " \t\n\v\f\r");
	text += *text == '-' || *text == '+';
	return *text == 'i' || *text == 'I';
}

static const char *put_real(struct number_type type, const char *text, char **end,
			    unsigned char *at)
{
	double wide = strtod(text, end);
	float narrow = (float)wide;

	if (*end == text)
		return "This is no number.";
	/* "inf" is, but nothing too large is made to be */
	if (isinf(type.size == 8 ? wide : (double)narrow) && !is_infinity(text))
		return "The number does not fit its type.";
	memcpy(at, type.size == 8 ? (void *)&wide : (void *)&narrow, type.size);
	return NULL;
}

static const char *put(struct number_type type, const char *text, char **end,
		       unsigned char *at)
{
	return type.format == UE_FORMAT_FLOAT ? put_real(type, text, end, at) :
						put_integer(type, text, end, at);
}

/*
 * Each puts the value of a whole text into the room at at. Returns NULL, or
 * a sentence about the fault in the text; used is set to the bytes that it took.
 */
static const char *value_number(struct number_type type, const char *text,
				unsigned char *at)
{
	char *end;
	const char *why = put(type, text, &end, at);

	return why || !*end ? why : "There is something behind the number.";
}

/* 1,2,3; none when the text is empty. */
static const char *value_numbers(struct number_type type, const char *text,
				 unsigned char *at, size_t room, size_t *used)
{
	const char *why;
	char *end;

	for (*used = 0; *text; *used += type.size) {
		if (type.size > room - *used)
			return "There are more numbers than there is room.";
		why = put(type, text, &end, at + *used);
		if (why)
			return why;
		if (*end && *end != ',')
			return "Commas separate the numbers of an array.";
		if (*end && !end[1])
			return "A number is missing behind the last comma.";
		text = end + (*end == ',');
	}
	return NULL;
}

static int nibble(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 32;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Two hex digits for each byte; blanks between bytes. */
static const char *value_hex(const char *text, unsigned char *at, size_t room,
			     size_t *used)
{
	for (*used = 0; *text;) {
		int high, low;

		if (*text == ' ') {
			text++;
			continue;
		}
		high = nibble(text[0]);
		low = high < 0 ? -1 : nibble(text[1]);
		if (low < 0)
			return "Bytes are given in hex, two digits each: 0aff or \"0a ff\".";
		if (*used == room)
			return "There are more bytes than there is room.";
		at[(*used)++] = (unsigned char)(high << 4 | low);
		text += 2;
	}
	return NULL;
}

#define FIELDS_MAX 256
#define SHOWN_MAX 60 /* bytes of a wrong word, in a message */

/* A value, its field, and the command that messages begin with. */
struct target {
	const char *command;
	const struct ue_record_field *field;
	const char *value;
};

static int wrong(const struct target *target, const char *why)
{
	const char *more = strlen(target->value) > SHOWN_MAX ? "..." : "";

	message("%s: %.*s=%.*s%s: %s", target->command, (int)target->field->name_length,
		target->field->name, SHOWN_MAX, target->value, more, why);
	return -1;
}

/* The value's bytes, for which there is room. NULL, or a sentence about the fault. */
static const char *read_value(const struct target *target, unsigned char *bytes,
			      size_t room, size_t *used)
{
	const struct ue_record_field *field = target->field;
	struct number_type type = { (enum ue_format)field->format, field->element_size };

	if (field->is_array)
		return value_numbers(type, target->value, bytes, room, used);
	if (field->element_size) {
		*used = type.size;
		return value_number(type, target->value, bytes);
	}
	if (field->encoding == UE_ENCODING_BINARY_LENGTH16_CHAR8)
		return value_hex(target->value, bytes, room, used);
	/* A location counts the NUL; a fixed array need not have one. */
	*used = strlen(target->value) + (field->location != 0);
	if (*used > room)
		return "The text is longer than the field.";
	memcpy(bytes, target->value, *used);
	return NULL;
}

static int put_field(struct ue_payload *to, const struct target *target)
{
	static unsigned char bytes[UINT16_MAX];
	const struct ue_record_field *field = target->field;
	size_t room = field->location ? UINT16_MAX : field->size, used = 0;
	const char *why = read_value(target, bytes, room, &used);
	char name[512];

	if (why)
		return wrong(target, why);
	if (field->is_array && !field->location && used < field->size)
		return wrong(target, "The array has more elements than that.");
	memcpy(name, field->name, field->name_length); /* a definition is shorter */
	name[field->name_length] = '\0';
	if (ue_payload_bytes(to, name, bytes, used))
		return wrong(target, "The event would be too large.");
	return 0;
}

static int complain_of_name(const struct ue_record_layout *format, const char *word,
			    const char *command)
{
	const char *names[FIELDS_MAX], *near, *given = xstrndup(word, strcspn(word, "="));

	for (uint32_t i = 0; i < format->field_count; i++)
		names[i] = xstrndup(format->fields[i].name, format->fields[i].name_length);
	near = nearest(given, names, format->field_count, sizeof(names[0]));
	if (near)
		message("%s: %.*s has no field \"%s\". Did you mean \"%s\"?", command,
			(int)format->name_length, format->name, given, near);
	else
		message("%s: %.*s has no field \"%s\"; \"userevents list %.*s\" shows those it "
			"has.", command, (int)format->name_length, format->name, given,
			(int)format->name_length, format->name);
	return -1; /* the process ends: names are not freed */
}

static int find_field(const struct ue_record_layout *format, const char *word)
{
	size_t length = strcspn(word, "=");

	for (uint32_t i = 0; i < format->field_count; i++)
		if (format->fields[i].name_length == length &&
		    !memcmp(format->fields[i].name, word, length))
			return (int)i;
	return -1;
}

/* Sort the values by field. */
static int assign(const struct ue_record_layout *format, int count, char **words,
		  const char **values, const char *command)
{
	for (int i = 0; i < count; i++) {
		const char *equals = strchr(words[i], '=');
		int index = find_field(format, words[i]);

		if (!equals) {
			message("cannot %s: \"%s\" is not FIELD=VALUE; write it like count=3",
				command, words[i]);
			return -1;
		}
		if (index < 0)
			return complain_of_name(format, words[i], command);
		if (values[index]) {
			message("%s: The field of \"%s\" is given twice.", command, words[i]);
			return -1;
		}
		values[index] = equals + 1;
	}
	return 0;
}

static int put_fields(struct ue_payload *to, const struct ue_record_layout *format,
		      const char **values, const char *command)
{
	for (uint32_t i = 0; i < format->field_count; i++) {
		const struct target target = { command, &format->fields[i], values[i] };

		if (!values[i]) {
			message("%s: The value of %.*s is missing.", command,
				(int)target.field->name_length, target.field->name);
			return -1;
		}
		if (put_field(to, &target))
			return -1;
	}
	return 0;
}

int payload_build(struct payload *payload, const char *definition,
		  const struct ue_record_layout *format, int count, char **assignments,
		  const char *command)
{
	const char *values[FIELDS_MAX] = { NULL };
	struct ue_payload *packed;
	const void *bytes;
	long size = -1;

	if (format->field_count > FIELDS_MAX || format->fixed_size > UINT16_MAX) {
		message("%s: The event has too many fields.", command);
		return -1;
	}
	if (assign(format, count, assignments, values, command))
		return -1;
	if (ue_payload_new(definition, &packed)) {
		message("%s: There is no memory left.", command);
		return -1;
	}
	if (!put_fields(packed, format, values, command)) {
		size = ue_payload_finish(packed, &bytes);
		if (size < 0)
			message("%s: The event would be too large.", command);
	}
	if (size >= 0) {
		memcpy(payload->bytes, bytes, (size_t)size);
		payload->length = (size_t)size;
	}
	ue_payload_free(packed);
	return size < 0 ? -1 : 0;
}

/*
 * A field is "[TYPE ]NAME=VALUE", text when no type is given: the type of a value does
 * not depend on its look, so that a script's events are always the same.
 */

#define ARRAY_MAX 65536u /* bytes: more than an event has */

struct field_type;

struct field {
	struct ue_builder *builder;
	const struct field_type *type;
	const char *name;
	const char *value;
	int is_array;
};

/* NULL, or a sentence about the fault in the value. */
typedef const char *put_value(const struct field *field);

struct field_type {
	const char *name;
	put_value *put;
	struct number_type number;
	uint8_t encoding;
	uint8_t format;
};

static const char *put_number(const struct field *field)
{
	const struct field_type *type = field->type;
	static unsigned char bytes[ARRAY_MAX];
	const char *why;
	size_t used;

	if (!field->is_array) {
		why = value_number(type->number, field->value, bytes);
		if (!why)
			ue_builder_add(field->builder, field->name, type->encoding,
				       type->format, bytes, 1);
		return why;
	}
	why = value_numbers(type->number, field->value, bytes, sizeof(bytes), &used);
	if (!why)
		ue_builder_add(field->builder, field->name,
			       type->encoding | UE_ENCODING_VARRAY, type->format, bytes,
			       used / type->number.size);
	return why;
}

static const char *put_bool(const struct field *field)
{
	int is_true = !strcmp(field->value, "true") || !strcmp(field->value, "1");

	if (!is_true && strcmp(field->value, "false") && strcmp(field->value, "0"))
		return "It is true or false.";
	ue_builder_bool(field->builder, field->name, is_true);
	return NULL;
}

static const char *put_text(const struct field *field)
{
	ue_builder_string(field->builder, field->name, field->value);
	return NULL;
}

static const char *put_bytes(const struct field *field)
{
	static unsigned char bytes[ARRAY_MAX];
	size_t used;
	const char *why = value_hex(field->value, bytes, sizeof(bytes), &used);

	if (!why)
		ue_builder_add(field->builder, field->name, field->type->encoding,
			       field->type->format, bytes, used);
	return why;
}

static const char *put_uuid(const struct field *field)
{
	char digits[33] = "";
	unsigned char bytes[16];
	size_t count = 0, used = 0;

	for (const char *c = field->value; *c && count < sizeof(digits); c++)
		if (*c != '-')
			digits[count++] = *c;
	if (count != 32 || strchr(digits, ' ') ||
	    value_hex(digits, bytes, sizeof(bytes), &used))
		return "It has 32 hex digits, 01234567-89ab-cdef-0123-456789abcdef.";
	ue_builder_add(field->builder, field->name, UE_ENCODING_VALUE128, UE_FORMAT_UUID,
		       bytes, 1);
	return NULL;
}

static const char *put_ip(const struct field *field)
{
	unsigned char bytes[16];
	uint8_t encoding = UE_ENCODING_VALUE32;

	if (inet_pton(AF_INET, field->value, bytes) != 1) {
		encoding = UE_ENCODING_VALUE128;
		if (inet_pton(AF_INET6, field->value, bytes) != 1)
			return "An address is 192.0.2.1, or 2001:db8::1.";
	}
	ue_builder_add(field->builder, field->name, encoding, UE_FORMAT_IP_ADDRESS,
		       bytes, 1);
	return NULL;
}

#define NUMBER(name, kind, size, bits, shown) \
	{ name, put_number, { kind, size }, UE_ENCODING_VALUE##bits, shown }
#define INTEGERS(size, bits)                                                             \
	NUMBER("u" #bits, UE_FORMAT_UNSIGNED_INT, size, bits, UE_FORMAT_DEFAULT),        \
	NUMBER("s" #bits, UE_FORMAT_SIGNED_INT, size, bits, UE_FORMAT_SIGNED_INT),       \
	NUMBER("x" #bits, UE_FORMAT_UNSIGNED_INT, size, bits, UE_FORMAT_HEX_INT)

static const struct field_type types[] = {
	{ .name = "str", .put = put_text },
	INTEGERS(1, 8),
	INTEGERS(2, 16),
	INTEGERS(4, 32),
	INTEGERS(8, 64),
	NUMBER("f32", UE_FORMAT_FLOAT, 4, 32, UE_FORMAT_FLOAT),
	NUMBER("f64", UE_FORMAT_FLOAT, 8, 64, UE_FORMAT_FLOAT),
	{ .name = "bool", .put = put_bool },
	{ .name = "bytes", .put = put_bytes, .encoding = UE_ENCODING_BINARY_LENGTH16_CHAR8,
	  .format = UE_FORMAT_HEX_BYTES },
	{ .name = "uuid", .put = put_uuid },
	{ .name = "ip", .put = put_ip },
};

#define TYPES (sizeof(types) / sizeof(types[0]))

static int complain_of_type(const char *name, const char *command)
{
	const char *near = nearest(name, types, TYPES, sizeof(types[0]));

	if (near)
		message("%s: There is no type \"%s\". Did you mean \"%s\"?", command, name,
			near);
	else
		message("%s: There is no type \"%s\"; \"userevents %s --help\" lists them.",
			command, name, command);
	return -1;
}

/* "u32[]" or "u32", of this length. */
static int find_type(struct field *field, const char *name, size_t length)
{
	field->is_array = length > 2 && !memcmp(name + length - 2, "[]", 2);
	length -= field->is_array ? 2 : 0;
	for (size_t i = 0; i < TYPES; i++) {
		if (strlen(types[i].name) != length || memcmp(types[i].name, name, length))
			continue;
		field->type = &types[i];
		return !field->is_array || types[i].put == put_number ? 0 : -1;
	}
	return -1;
}

/* Cuts the word into its parts. */
static int parse(struct field *field, char *word, const char *command)
{
	char *equals = strchr(word, '='), *blank;
	const char *type = types[0].name;

	if (!equals || equals == word || equals[-1] == ' ') {
		message("%s: \"%.*s\" is not of the form \"field=value\" or \"u32 "
			"field=value\".", command, SHOWN_MAX, word);
		return -1;
	}
	*equals = '\0';
	field->value = equals + 1;
	field->name = word;
	blank = strchr(word, ' ');
	if (blank) {
		*blank = '\0';
		type = word;
		field->name = blank + 1 + strspn(blank + 1, " ");
	}
	return find_type(field, type, strlen(type)) ? complain_of_type(type, command) : 0;
}

static int put_word(struct field *field, const char *command)
{
	const char *more = strlen(field->value) > SHOWN_MAX ? "..." : "";
	const char *why = field->type->put(field);

	if (!why)
		return 0;
	message("%s: %s=%.*s%s: %s", command, field->name, SHOWN_MAX, field->value, more,
		why);
	return -1;
}

int eventheader_build(struct ue_builder *builder, const char *name, int count,
		      char **words, const char *command)
{
	ue_builder_begin(builder, name, 0);
	for (int i = 0; i < count; i++) {
		struct field field = { .builder = builder };

		if (parse(&field, words[i], command) || put_word(&field, command))
			return -1;
	}
	if (!ue_builder_error(builder))
		return 0;
	message("%s: The event \"%.*s\" cannot be made: %s.", command, SHOWN_MAX, name,
		ue_builder_error(builder) == -EMSGSIZE ? "it is larger than 65535 bytes" :
		strerror(-ue_builder_error(builder)));
	return -1;
}
