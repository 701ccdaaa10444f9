/* SPDX-License-Identifier: MIT */
/* Finds fields in the format file of an event. */
#include "attached_event.h"

#include <stdlib.h>
#include <string.h>

#include <userevents/decode/record.h>

#include "common/cli/memory.h"

/* The fields, to be freed; NULL: the text is none of a format file. */
static struct ue_record_field *read_fields(const char *format,
					   struct ue_record_layout *layout)
{
	const size_t length = strlen(format);
	int count = ue_record_layout_parse(layout, "", format, length, NULL, 0, 0);
	struct ue_record_field *fields;

	if (count < 0)
		return NULL;
	fields = xcalloc((size_t)count + 1, sizeof(*fields));
	ue_record_layout_parse(layout, "", format, length, fields, (size_t)count, 0);
	return fields;
}

static enum attached_field kind_of(const struct ue_record_field *field)
{
	const int is_text = field->encoding == UE_ENCODING_STRING_LENGTH16_CHAR8;

	if (is_text)
		return field->location == UE_LOCATION_RELATIVE ? FIELD_TEXT_RELATIVE :
								 FIELD_TEXT;
	if (!field->element_size && field->size != 1)
		return FIELD_OTHER;
	return field->is_array ? FIELD_OTHER : FIELD_NUMBER;
}

enum attached_field attached_field(const char *format, struct part name)
{
	struct ue_record_layout layout;
	struct ue_record_field *fields = read_fields(format, &layout);
	enum attached_field result = FIELD_NONE;

	for (uint32_t i = 0; fields && i < layout.field_count && !result; i++)
		if (fields[i].name_length == name.length &&
		    !memcmp(fields[i].name, name.at, name.length))
			result = kind_of(&fields[i]);
	free(fields);
	return result;
}

char *attached_field_meant(const char *format, const char *name)
{
	struct ue_record_layout layout;
	struct ue_record_field *fields = read_fields(format, &layout);
	struct words names = { 0 };
	const char *near;
	char *result;

	for (uint32_t i = 0; fields && i < layout.field_count; i++)
		words_add(&names, xstrndup(fields[i].name, fields[i].name_length));
	near = nearest(name, names.items, names.count, sizeof(*names.items));
	result = near ? xstrdup(near) : NULL;
	for (size_t i = 0; i < names.count; i++)
		free((char *)names.items[i]);
	free(names.items);
	free(fields);
	return result;
}
