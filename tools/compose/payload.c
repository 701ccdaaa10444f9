/* SPDX-License-Identifier: MIT */
/*
 * The fixed part of a payload is as long as its fields; what has a location goes behind
 * it, in the order of the fields.
 */
#include <stdint.h>
#include <string.h>

#include "cli/message.h"
#include "cli/similar_word.h"
#include "payload.h"
#include "value_words.h"

#define FIELDS_MAX 256
#define SHOWN_MAX 60 /* of a wrong value, in a sentence */

/* Where a value goes, and what to say when it cannot. */
struct target {
	const char *command;
	const struct ue_record_field *field;
	const char *value;
	unsigned char *at;
	size_t room;
};

static int wrong(const struct target *target, const char *why)
{
	const char *more = strlen(target->value) > SHOWN_MAX ? "..." : "";

	message("%s: %.*s=%.*s%s: %s", target->command, (int)target->field->name_length,
		target->field->name, SHOWN_MAX, target->value, more, why);
	return -1;
}

/* The length in bytes, or -1 after a message. */
static long put_numbers(const struct target *target, struct number_type type)
{
	size_t used;
	const char *why = value_numbers(type, target->value, target->at, target->room, &used);

	return why ? wrong(target, why) : (long)used;
}

static long put_number(const struct target *target, struct number_type type)
{
	const char *why = value_number(type, target->value, target->at);

	return why ? wrong(target, why) : (long)type.size;
}

static long put_hex(const struct target *target)
{
	size_t used;
	const char *why = value_hex(target->value, target->at, target->room, &used);

	return why ? wrong(target, why) : (long)used;
}

/* With a NUL: a location counts it, a fixed array need not have one. */
static long put_text(const struct target *target)
{
	size_t length = strlen(target->value);

	if (target->field->location)
		length++;
	if (length > target->room)
		return wrong(target, "The text is longer than the field.");
	memcpy(target->at, target->value, length);
	return (long)length;
}

static long put_bytes(const struct target *target)
{
	const struct ue_record_field *field = target->field;
	struct number_type type = { (enum ue_format)field->format, field->element_size };

	if (field->is_array)
		return put_numbers(target, type);
	if (field->element_size)
		return put_number(target, type);
	return field->encoding == UE_ENCODING_STRING_LENGTH16_CHAR8 ? put_text(target) :
								      put_hex(target);
}

/* Fields */

static int put_behind(struct payload *payload, struct target *target)
{
	const struct ue_record_field *field = target->field;
	uint32_t offset = (uint32_t)payload->length, location;
	long length;

	target->at = payload->bytes + payload->length;
	target->room = sizeof(payload->bytes) - payload->length;
	length = put_bytes(target);
	if (length < 0)
		return -1;
	/* counted from the end of the field, or from the begin of the common fields */
	offset = field->location == UE_LOCATION_RELATIVE ?
			 offset - field->offset - field->size : offset + 8;
	if (length > UINT16_MAX || offset > UINT16_MAX)
		return wrong(target, "The event would be too large.");
	location = (uint32_t)length << 16 | offset;
	memcpy(payload->bytes + field->offset, &location, sizeof(location));
	payload->length += (size_t)length;
	return 0;
}

static int put_field(struct payload *payload, struct target *target)
{
	const struct ue_record_field *field = target->field;
	long length;

	if (field->location && field->size == sizeof(uint32_t))
		return put_behind(payload, target);
	target->at = payload->bytes + field->offset;
	target->room = field->size;
	length = put_bytes(target);
	if (length < 0)
		return -1;
	if (field->is_array && (size_t)length < field->size)
		return wrong(target, "The array has more elements than that.");
	return 0;
}

static int complain_of_name(const struct ue_record_layout *format, const char *word,
			    const char *command)
{
	const char *names[FIELDS_MAX + 1], *near;
	char *given = strndup(word, strcspn(word, "="));

	for (uint32_t i = 0; i < format->field_count; i++)
		names[i] = strndup(format->fields[i].name, format->fields[i].name_length);
	names[format->field_count] = NULL;
	near = given ? nearest(given, names) : NULL;
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
			message("%s: \"%s\" is not of the form field=value.", command, words[i]);
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

int payload_build(struct payload *payload, const struct ue_record_layout *format,
		  int count, char **assignments, const char *command)
{
	const char *values[FIELDS_MAX] = { NULL };

	if (format->field_count > FIELDS_MAX || format->fixed_size > UINT16_MAX) {
		message("%s: The event has too many fields.", command);
		return -1;
	}
	if (assign(format, count, assignments, values, command))
		return -1;
	memset(payload->bytes, 0, format->fixed_size);
	payload->length = format->fixed_size;
	for (uint32_t i = 0; i < format->field_count; i++) {
		struct target target = { command, &format->fields[i], values[i], NULL, 0 };

		if (!values[i]) {
			message("%s: The value of %.*s is missing.", command,
				(int)target.field->name_length, target.field->name);
			return -1;
		}
		if (put_field(payload, &target))
			return -1;
	}
	return 0;
}
