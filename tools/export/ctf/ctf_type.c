/* SPDX-License-Identifier: MIT */
/* Chooses the types of fields, and sets values of them. */
#include "ctf_stream.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"

void *ctf_made(void *made)
{
	if (!made)
		memory_is_short();
	return made;
}

/* Types */

static struct ctf_type number(enum ctf_base base, uint32_t size)
{
	if (size == 1 || size == 2 || size == 4 || size == 8)
		return (struct ctf_type){ (uint8_t)base, (uint8_t)size };
	return (struct ctf_type){ CTF_TEXT, 0 };
}

static struct ctf_type type_for(enum ue_value_type type, uint32_t size)
{
	switch (type) {
	case UE_TYPE_UNSIGNED:
	case UE_TYPE_PORT:
		return number(CTF_UNSIGNED, size);
	case UE_TYPE_BOOLEAN: /* one that is neither 0 nor 1 is signed, of 32 bits */
		return number(size < 4 ? CTF_UNSIGNED : CTF_SIGNED, size);
	case UE_TYPE_HEX:
		return number(CTF_HEX, size);
	case UE_TYPE_SIGNED:
	case UE_TYPE_ERRNO:
		return number(CTF_SIGNED, size);
	case UE_TYPE_FLOAT:
		return number(CTF_FLOAT, size);
	case UE_TYPE_BYTES:
		return (struct ctf_type){ CTF_BYTES, 0 };
	case UE_TYPE_NULL:
		return (struct ctf_type){ CTF_NULL, 0 };
	default:
		return (struct ctf_type){ CTF_TEXT, 0 };
	}
}

/* Counted values are null when they are empty, if they may be missing. */
static int may_be_missing(const struct ue_value *raw)
{
	struct ue_value empty = *raw;

	if (raw->encoding < UE_ENCODING_STRING_LENGTH16_CHAR8)
		return 0;
	empty.length = 0;
	return ue_value_type(&empty) == UE_TYPE_NULL;
}

struct ctf_type ctf_type_of(const struct ue_value *raw, enum ue_value_type type, int in_array)
{
	if (in_array && (type == UE_TYPE_BYTES || may_be_missing(raw)))
		return (struct ctf_type){ CTF_TEXT, 0 };
	return type_for(type, raw->length);
}

struct ctf_type ctf_type_of_elements(const struct walk_item *item)
{
	if (item->raw->encoding == UE_ENCODING_STRUCT)
		return (struct ctf_type){ CTF_STRUCT, 0 };
	return ctf_type_of(item->raw, item->type, 1);
}

struct ctf_type ctf_type_of_definition(const struct ue_item *item)
{
	struct ue_value raw = item->value;
	int type;

	if (raw.encoding == UE_ENCODING_STRUCT)
		return (struct ctf_type){ CTF_STRUCT, 0 };
	raw.bytes = (const uint8_t *)"";
	raw.length = raw.encoding < UE_ENCODING_VALUE8 ||
				     raw.encoding > UE_ENCODING_VALUE128 ?
			     0 : 1u << (raw.encoding - UE_ENCODING_VALUE8);
	type = ue_value_type(&raw);
	return ctf_type_of(&raw, type < 0 ? UE_TYPE_NULL : (enum ue_value_type)type, 1);
}

/* Their classes */

static bt_field_class *integer_class(bt_trace_class *trace, struct ctf_type type)
{
	bt_field_class *class =
		ctf_made(type.base == CTF_SIGNED ? bt_field_class_integer_signed_create(trace) :
						   bt_field_class_integer_unsigned_create(trace));

	bt_field_class_integer_set_field_value_range(class, 8u * type.size);
	if (type.base == CTF_HEX)
		bt_field_class_integer_set_preferred_display_base(
			class, BT_FIELD_CLASS_INTEGER_PREFERRED_DISPLAY_BASE_HEXADECIMAL);
	return class;
}

static bt_field_class *bytes_class(bt_trace_class *trace)
{
	bt_field_class *byte = integer_class(trace, (struct ctf_type){ CTF_HEX, 1 });
	bt_field_class *class =
		ctf_made(bt_field_class_array_dynamic_create(trace, byte, NULL));

	bt_field_class_put_ref(byte);
	return class;
}

bt_field_class *ctf_type_class(bt_trace_class *trace, struct ctf_type type)
{
	switch (type.base) {
	case CTF_UNSIGNED:
	case CTF_HEX:
	case CTF_SIGNED:
		return integer_class(trace, type);
	case CTF_FLOAT:
		return ctf_made(type.size == 4 ?
					bt_field_class_real_single_precision_create(trace) :
					bt_field_class_real_double_precision_create(trace));
	case CTF_TEXT:
		return ctf_made(bt_field_class_string_create(trace));
	case CTF_BYTES:
		return bytes_class(trace);
	default:
		return ctf_made(bt_field_class_structure_create(trace));
	}
}

/* Values */

static void append(bt_field *field, const char *text, size_t length)
{
	if (bt_field_string_append_with_length(field, text, length))
		memory_is_short();
}

uint64_t ctf_set_words(bt_field *field, const char *text, size_t length)
{
	bt_field_string_clear(field);
	append(field, text, length);
	return length + 1;
}

uint64_t ctf_set_text(bt_field *field, const char *text, size_t length)
{
	const char *nul;

	bt_field_string_clear(field);
	while (length && (nul = memchr(text, 0, length))) {
		append(field, text, (size_t)(nul - text));
		append(field, "\xe2\x90\x80", 3);
		length -= (size_t)(nul - text) + 1;
		text = nul + 1;
	}
	append(field, text, length);
	return bt_field_string_get_length(field) + 1;
}

static uint64_t set_printed(bt_field *field, const struct walk_item *item,
			    struct bytes *scratch)
{
	struct value value = item->value;

	if (value.type != VALUE_TEXT)
		value_printed(item->raw, &value, scratch);
	if (value.type != VALUE_TEXT)
		return ctf_set_words(field, "null", 4);
	if (item->raw->encoding == UE_ENCODING_ZSTRING_CHAR8)
		return ctf_set_words(field, value.text, value.length);
	return ctf_set_text(field, value.text, value.length);
}

static uint64_t set_bytes(bt_field *field, const struct ue_value *raw)
{
	if (bt_field_array_dynamic_set_length(field, raw->length))
		memory_is_short();
	for (uint32_t i = 0; i < raw->length; i++)
		bt_field_integer_unsigned_set_value(
			bt_field_array_borrow_element_field_by_index(field, i),
			raw->bytes[i]);
	return CTF_COUNT_SIZE + raw->length;
}

static void set_float(bt_field *field, const struct walk_item *item)
{
	if (item->raw->length == 4)
		bt_field_real_single_precision_set_value(field, (float)item->value.number);
	else
		bt_field_real_double_precision_set_value(field, item->value.number);
}

/* Hexadecimal numbers are text in the item. */
static void set_hex(bt_field *field, const struct ue_value *raw)
{
	uint64_t value = 0;

	ue_value_u64(raw, &value);
	bt_field_integer_unsigned_set_value(field, value);
}

uint64_t ctf_type_set(bt_field *field, struct ctf_type type, const struct walk_item *item,
		      struct bytes *scratch)
{
	switch (type.base) {
	case CTF_UNSIGNED:
		bt_field_integer_unsigned_set_value(field, (uint64_t)item->value.whole);
		return type.size;
	case CTF_HEX:
		set_hex(field, item->raw);
		return type.size;
	case CTF_SIGNED:
		bt_field_integer_signed_set_value(field, item->value.whole);
		return type.size;
	case CTF_FLOAT:
		set_float(field, item);
		return type.size;
	case CTF_TEXT:
		return set_printed(field, item, scratch);
	case CTF_BYTES:
		return set_bytes(field, item->raw);
	default:
		return 0;
	}
}

/* Makes identifiers of the names of fields. */

static int is_letter(uint8_t byte)
{
	return (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
}

static int is_digit(uint8_t byte)
{
	return byte >= '0' && byte <= '9';
}

static void add_escaped(struct bytes *to, uint8_t byte)
{
	static const char digits[] = "0123456789abcdef";
	const char escaped[3] = { '_', digits[byte >> 4], digits[byte & 15] };

	bytes_add(to, escaped, sizeof(escaped));
}

static char *identifier(const char *name, size_t length)
{
	struct bytes made = { .at = NULL };

	if (!length || is_digit((uint8_t)*name))
		bytes_add(&made, "_", 1);
	for (size_t i = 0; i < length && made.length < CTF_NAME_MAX; i++) {
		const uint8_t byte = (uint8_t)name[i];

		if (is_letter(byte) || is_digit(byte) || byte == '_')
			bytes_add(&made, &byte, 1);
		else
			add_escaped(&made, byte);
	}
	bytes_add(&made, "", 1);
	return (char *)made.at;
}

void ctf_name_print(struct bytes *to, const char *name, size_t length)
{
	const size_t end = to->length + CTF_NAME_MAX;

	for (size_t i = 0; i < length && to->length < end; i++) {
		const uint8_t byte = (uint8_t)name[i];

		if (byte >= ' ' && byte < 0x7f)
			bytes_add(to, &byte, 1);
		else
			add_escaped(to, byte);
	}
}

static int is_taken(const struct ctf_names *names, const char *name)
{
	const uint64_t key = hash_bytes(name, strlen(name));
	uint32_t steps = 0, found;

	while ((found = key_table_next(&names->by_name, key, &steps)) != KEY_UNKNOWN)
		if (!strcmp(names->items[found], name))
			return 1;
	return 0;
}

const char *ctf_name_add(struct ctf_names *names, const char *name, size_t length)
{
	char *first = identifier(name, length);
	char *made = first;

	for (uint32_t number = names->count + 1; is_taken(names, made); number++) {
		if (made != first)
			free(made);
		made = xprintf("%s_%u", first, number);
	}
	if (made != first)
		free(first);
	names->items = xgrow(names->items, names->count, sizeof(*names->items));
	names->items[names->count] = made;
	key_table_add(&names->by_name, hash_bytes(made, strlen(made)), names->count++);
	return made;
}

void ctf_names_free(struct ctf_names *names)
{
	for (uint32_t i = 0; i < names->count; i++)
		free(names->items[i]);
	free(names->items);
	key_table_free(&names->by_name);
	*names = (struct ctf_names){ .count = 0 };
}
