/* SPDX-License-Identifier: MIT */
/*
 * A field is "[TYPE ]NAME=VALUE", text when no type is given: the type of a value does
 * not depend on its look, so that a script's events are always the same.
 */
#include <arpa/inet.h>
#include <stdint.h>
#include <errno.h>
#include <string.h>

#include "common/cli/message.h"
#include "common/cli/options.h"
#include "compose.h"

#define ARRAY_MAX 65536u /* bytes: more than an event has */
#define SHOWN_MAX 60	 /* of a wrong field, in a sentence */

struct field_type;

struct field {
	struct ue_builder *builder;
	const struct field_type *type;
	const char *name;
	const char *value;
	int is_array;
};

/* NULL, or a sentence about the fault in the value. */
typedef const char *put_field(const struct field *field);

struct field_type {
	const char *name;
	put_field *put;
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

static int put(struct field *field, const char *command)
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

		if (parse(&field, words[i], command) || put(&field, command))
			return -1;
	}
	if (!ue_builder_error(builder))
		return 0;
	message("%s: The event \"%.*s\" cannot be made: %s.", command, SHOWN_MAX, name,
		ue_builder_error(builder) == -EMSGSIZE ? "it is larger than 65535 bytes" :
		strerror(-ue_builder_error(builder)));
	return -1;
}
