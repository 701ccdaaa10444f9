/* SPDX-License-Identifier: MIT */
/*
 * The fixed part of a payload is as long as its fields; what has a location goes behind
 * it, in the order of the fields.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "nearest.h"
#include "payload.h"

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

/* Numbers */

static int is_signed(const struct ue_record_field *field)
{
	return field->format == UE_FORMAT_SIGNED_INT;
}

static int fits(const struct ue_record_field *field, uint64_t number, int is_negative)
{
	unsigned int bits = 8u * field->element_size;
	uint64_t limit;

	if (is_negative && !is_signed(field))
		return !number;
	limit = UINT64_MAX >> (64 - bits + (unsigned int)is_signed(field));
	return number <= limit + (uint64_t)is_negative;
}

static int put_integer(const struct target *target, const char *text, char **end,
		       unsigned char *at)
{
	int is_negative = *text == '-';
	unsigned long long number;

	text += is_negative;
	if (*text < '0' || *text > '9')
		return wrong(target, "An integer is decimal, or begins with 0x.");
	errno = 0;
	number = strtoull(text, end, text[0] == '0' && (text[1] | 32) == 'x' ? 16 : 10);
	if (errno || !fits(target->field, number, is_negative))
		return wrong(target, "The number does not fit its type.");
	if (is_negative)
		number = 0 - number;
	for (unsigned int i = 0; i < target->field->element_size; i++)
		at[__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ?
			   target->field->element_size - 1 - i : i] =
			(unsigned char)(number >> 8 * i);
	return 0;
}

static int put_real(const struct target *target, const char *text, char **end,
		    unsigned char *at)
{
	double wide = strtod(text, end);
	float narrow = (float)wide;

	if (*end == text)
		return wrong(target, "This is no number.");
	memcpy(at, target->field->element_size == 8 ? (void *)&wide : (void *)&narrow,
	       target->field->element_size);
	return 0;
}

static int put_number(const struct target *target, const char *text, char **end,
		      unsigned char *at)
{
	return target->field->format == UE_FORMAT_FLOAT ?
		       put_real(target, text, end, at) :
		       put_integer(target, text, end, at);
}

/* 1,2,3: the length in bytes, or -1. */
static long put_numbers(const struct target *target)
{
	size_t used = 0, size = target->field->element_size;
	const char *text = target->value;
	char *end;

	while (*text) {
		if (size > target->room - used)
			return wrong(target, "There are more numbers than there is room.");
		if (put_number(target, text, &end, target->at + used))
			return -1;
		used += size;
		if (*end && *end != ',')
			return wrong(target, "Commas separate the numbers of an array.");
		if (*end && !end[1])
			return wrong(target, "A number is missing behind the last comma.");
		text = end + (*end == ',');
	}
	return (long)used;
}

static long put_one_number(const struct target *target)
{
	char *end;

	if (put_number(target, target->value, &end, target->at))
		return -1;
	if (*end)
		return wrong(target, "There is something behind the number.");
	return target->field->element_size;
}

/* Bytes */

static int nibble(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 32;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static long put_hex(const struct target *target)
{
	size_t used = 0;

	for (const char *text = target->value; *text;) {
		int high, low;

		if (*text == ' ') {
			text++;
			continue;
		}
		high = nibble(text[0]);
		low = high < 0 ? -1 : nibble(text[1]);
		if (low < 0)
			return wrong(target, "Bytes are given in hex, two digits each: "
				     "0aff or \"0a ff\".");
		if (used == target->room)
			return wrong(target, "There are more bytes than there is room.");
		target->at[used++] = (unsigned char)(high << 4 | low);
		text += 2;
	}
	return (long)used;
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

	if (field->is_array)
		return put_numbers(target);
	if (field->element_size)
		return put_one_number(target);
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

static int complain_of_name(const struct ue_record_format *format, const char *word,
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

static int find_field(const struct ue_record_format *format, const char *word)
{
	size_t length = strcspn(word, "=");

	for (uint32_t i = 0; i < format->field_count; i++)
		if (format->fields[i].name_length == length &&
		    !memcmp(format->fields[i].name, word, length))
			return (int)i;
	return -1;
}

/* Sort the values by field. */
static int assign(const struct ue_record_format *format, int count, char **words,
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

int payload_build(struct payload *payload, const struct ue_record_format *format,
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
