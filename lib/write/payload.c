/* SPDX-License-Identifier: MIT */
/*
 * Pack payloads of classic events at run time, from a definition.
 *
 * Values of fixed size go to their place, and those of location fields behind the fixed part,
 * in the order in which they come.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <userevents/bindings.h>
#include <userevents/event.h>

#include "util/errno_guard.h"
#include "describe/definition.h"

enum kind {
	UNSIGNED,
	SIGNED,
	CHARACTER, /* signed or not */
	TEXT,
	BYTES,
	RELATIVE, /* locations, counted from the end of the field */
	ABSOLUTE, /* ... from the begin of the record, of which the kernel adds 8 bytes */
};

struct field {
	const char *name;
	size_t name_length;
	uint32_t offset, size;
	enum kind kind;
	int is_text; /* behind the location: char */
	int is_set;
};

struct ue_payload {
	char *definition;
	struct field *fields;
	size_t count;
	uint32_t fixed_size;
	int error;
	char *bytes;
	size_t used, room;
};

#define SIZE_MAX_OF_EVENT 65535u
#define COMMON_SIZE 8u

/* The definition */

static int begins(struct ue__span text, const char *prefix)
{
	const size_t length = strlen(prefix);

	return text.length >= length && !memcmp(text.at, prefix, length);
}

static int ends(struct ue__span text, const char *suffix)
{
	const size_t length = strlen(suffix);

	return text.length >= length &&
	       !memcmp(text.at + text.length - length, suffix, length);
}

static enum kind kind_of(struct ue__span type)
{
	if (begins(type, "__rel_loc "))
		return RELATIVE;
	if (begins(type, "__data_loc "))
		return ABSOLUTE;
	if (begins(type, "struct ") || begins(type, "unsigned char["))
		return BYTES;
	if (begins(type, "char["))
		return TEXT;
	if (begins(type, "char"))
		return CHARACTER;
	return begins(type, "u") ? UNSIGNED : SIGNED;
}

static int is_location(const struct field *field)
{
	return field->kind == RELATIVE || field->kind == ABSOLUTE;
}

/* The fields of a definition that was checked. Returns their number. */
static size_t read_fields(struct ue_payload *payload, struct field *to)
{
	struct ue__fields fields;
	struct ue__field field;
	uint32_t offset = 0;
	size_t count = 0;

	ue__fields_begin(&fields, payload->definition,
			 (size_t)ue__definition_name(payload->definition, NULL));
	for (; ue__fields_next(&fields, &field, NULL) > 0; count++) {
		if (to)
			to[count] = (struct field){
				.name = field.name.at,
				.name_length = field.name.length,
				.offset = offset,
				.size = field.size,
				.kind = kind_of(field.type),
				.is_text = ends(field.type, "_loc char[]"),
			};
		offset += field.size;
	}
	payload->fixed_size = offset;
	return count;
}

static int make_room(struct ue_payload *payload, size_t size)
{
	UE__KEEP_ERRNO;
	char *bytes;

	if (size <= payload->room)
		return 0;
	bytes = realloc(payload->bytes, size * 2);
	if (!bytes)
		return -ENOMEM;
	payload->bytes = bytes;
	payload->room = size * 2;
	return 0;
}

UE__PUBLIC int ue_payload_new(const char *definition, struct ue_payload **payload)
{
	UE__KEEP_ERRNO;
	struct ue_payload *made;
	int result = ue_definition_check(definition, 0, NULL);

	if (result)
		return result;
	made = calloc(1, sizeof(*made));
	if (!made)
		return -ENOMEM;
	made->definition = strdup(definition);
	if (made->definition) {
		made->count = read_fields(made, NULL);
		made->fields = calloc(made->count + 1, sizeof(*made->fields));
	}
	if (!made->fields || make_room(made, made->fixed_size + 1)) {
		ue_payload_free(made);
		return -ENOMEM;
	}
	read_fields(made, made->fields);
	ue_payload_begin(made);
	*payload = made;
	return 0;
}

UE__PUBLIC void ue_payload_free(struct ue_payload *payload)
{
	UE__KEEP_ERRNO;

	if (!payload)
		return;
	free(payload->definition);
	free(payload->fields);
	free(payload->bytes);
	free(payload);
}

UE__PUBLIC void ue_payload_begin(struct ue_payload *payload)
{
	payload->error = payload->fixed_size > SIZE_MAX_OF_EVENT ? -EMSGSIZE : 0;
	payload->used = payload->fixed_size;
	memset(payload->bytes, 0, payload->fixed_size);
	for (size_t i = 0; i < payload->count; i++)
		payload->fields[i].is_set = 0;
}

/* Values */

static int fail(struct ue_payload *payload, int error)
{
	if (!payload->error)
		payload->error = error;
	return payload->error;
}

/* The field of this name, which now has its value; NULL after an error. */
static struct field *take(struct ue_payload *payload, const char *name)
{
	const size_t length = name ? strlen(name) : 0;

	for (size_t i = 0; !payload->error && i < payload->count; i++) {
		struct field *field = &payload->fields[i];

		if (field->name_length != length || memcmp(field->name, name, length))
			continue;
		if (field->is_set)
			fail(payload, -EEXIST);
		field->is_set = 1;
		return payload->error ? NULL : field;
	}
	fail(payload, -ENOENT);
	return NULL;
}

static int put_number(struct ue_payload *payload, const struct field *field,
		      uint64_t value)
{
	const size_t unused = sizeof(value) - field->size;
	const int is_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

	memcpy(payload->bytes + field->offset,
	       (const char *)&value + (is_big ? unused : 0), field->size);
	return 0;
}

/* is_negative: of value, which is then as of int64_t. */
static int set_number(struct ue_payload *payload, const char *name, uint64_t value,
		      int is_negative)
{
	const struct field *field = take(payload, name);
	uint64_t most;

	if (!field)
		return payload->error;
	if (field->kind > CHARACTER)
		return fail(payload, -EINVAL);
	most = UINT64_MAX >> (64 - 8 * field->size);
	if (is_negative ? field->kind == UNSIGNED || ~value > most >> 1 :
			  value > (field->kind == SIGNED ? most >> 1 : most))
		return fail(payload, -ERANGE);
	return put_number(payload, field, value);
}

UE__PUBLIC int ue_payload_u64(struct ue_payload *payload, const char *field,
			      uint64_t value)
{
	return set_number(payload, field, value, 0);
}

UE__PUBLIC int ue_payload_s64(struct ue_payload *payload, const char *field,
			      int64_t value)
{
	return set_number(payload, field, (uint64_t)value, value < 0);
}

static int append(struct ue_payload *payload, const struct field *field,
		  const void *bytes, size_t length)
{
	const size_t from = field->kind == RELATIVE ? field->offset + field->size : 0;
	const size_t at = payload->used - from +
			  (field->kind == ABSOLUTE ? COMMON_SIZE : 0);
	uint32_t location;

	if (length > SIZE_MAX_OF_EVENT - payload->used || at > UINT16_MAX)
		return fail(payload, -EMSGSIZE);
	if (make_room(payload, payload->used + length))
		return fail(payload, -ENOMEM);
	location = (uint32_t)length << 16 | (uint32_t)at;
	memcpy(payload->bytes + field->offset, &location, sizeof(location));
	if (length)
		memcpy(payload->bytes + payload->used, bytes, length);
	payload->used += length;
	return 0;
}

static int put_bytes(struct ue_payload *payload, const struct field *field,
		     const void *bytes, size_t length)
{
	if (length > field->size)
		return fail(payload, -ERANGE);
	if (length)
		memcpy(payload->bytes + field->offset, bytes, length);
	return 0;
}

UE__PUBLIC int ue_payload_string(struct ue_payload *payload, const char *name,
				 const char *text)
{
	const struct field *field = take(payload, name);

	if (!field)
		return payload->error;
	if (!text)
		return fail(payload, -EFAULT);
	if (is_location(field) && field->is_text)
		return append(payload, field, text, strlen(text) + 1);
	if (field->kind != TEXT)
		return fail(payload, -EINVAL);
	return put_bytes(payload, field, text, strlen(text));
}

UE__PUBLIC int ue_payload_bytes(struct ue_payload *payload, const char *name,
				const void *bytes, size_t length)
{
	const struct field *field = take(payload, name);

	if (!field)
		return payload->error;
	if (!bytes && length)
		return fail(payload, -EFAULT);
	if (is_location(field))
		return append(payload, field, bytes, length);
	if (field->kind <= CHARACTER && length != field->size)
		return fail(payload, -EINVAL);
	return put_bytes(payload, field, bytes, length);
}

UE__PUBLIC ptrdiff_t ue_payload_finish(struct ue_payload *payload, const void **bytes)
{
	if (payload->error)
		return payload->error;
	/* A value that is missing may still come. */
	for (size_t i = 0; i < payload->count; i++)
		if (!payload->fields[i].is_set)
			return -ENODATA;
	*bytes = payload->bytes;
	return (ptrdiff_t)payload->used;
}
