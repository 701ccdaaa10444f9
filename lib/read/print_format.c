/* SPDX-License-Identifier: MIT */
/*
 * Read the print format of a probe:
 *
 *	print fmt: "(%lx) fd=%d buf=0x%Lx bytes={0x%x,0x%x} c='%c' name=\"%s\"", REC->...
 *
 * The fields are in the order of their declarations, with the same names, behind those that
 * every probe has. Reading ends at the first name that is not the next field's, so most other
 * tracepoints are left alone; one whose format has this form is shown as it says, too.
 */
#include "print_format.h"

static int is_named(const struct ue_record_field *field, const char *name)
{
	return ue__span_is((struct ue__span){ field->name, field->name_length }, name);
}

/* Fields of every probe, which stand in brackets: "(%lx <- %lx)". */
static uint32_t count_own(const struct ue_record_field *fields, uint32_t count)
{
	if (count > 0 && is_named(&fields[0], "__probe_ip"))
		return 1;
	return count > 1 && is_named(&fields[0], "__probe_func") ? 2 : 0;
}

static void drop_brackets(struct ue__span *text)
{
	const char *end;

	if (!ue__span_begins(*text, "("))
		return;
	end = memchr(text->at, ')', text->length);
	*text = end ? ue__span(end + 1, text->at + text->length) :
		      (struct ue__span){ text->at, 0 };
}

/* " NAME=": 1, or 0 if that is not next. */
static int drop_name(struct ue__span *text, const struct ue_record_field *field)
{
	const struct ue__span name = { field->name, field->name_length };

	ue__span_drop(text, " ");
	if (text->length <= name.length || memcmp(text->at, name.at, name.length) ||
	    text->at[name.length] != '=')
		return 0;
	*text = ue__span_after(*text, name.length + 1);
	return 1;
}

/* Up to a blank, or the quote at the end; other quotes have a '\' before them. */
static struct ue__span take_format(struct ue__span *text)
{
	size_t length = 0;
	struct ue__span format;

	while (length < text->length && text->at[length] != ' ' &&
	       (text->at[length] != '"' || (length && text->at[length - 1] == '\\')))
		length++;
	format = (struct ue__span){ text->at, length };
	*text = ue__span_after(*text, length);
	return format;
}

static int is_unsigned(const struct ue_record_field *field)
{
	return field->element_size && field->format == UE_FORMAT_UNSIGNED_INT;
}

static void set_text(struct ue_record_field *field, uint32_t flags)
{
	field->element_size = 0;
	field->format = flags & UE_RECORD_LATIN1 ? UE_FORMAT_STRING8 : UE_FORMAT_STRING_UTF;
	field->encoding = UE_ENCODING_STRING_LENGTH16_CHAR8;
	field->is_array = 0;
}

/* Arrays of bytes stay as they are, shown in hexadecimal already. */
static void set(struct ue_record_field *field, struct ue__span format, uint32_t flags)
{
	if (!is_unsigned(field))
		return;
	ue__span_drop(&format, "{");
	if (ue__span_begins(format, "'%c'") && field->is_array)
		set_text(field, flags);
	else if (ue__span_begins(format, "'%c'"))
		field->format = UE_FORMAT_STRING8;
	else if (ue__span_begins(format, "%pS") ||
		 (ue__span_begins(format, "0x%") &&
		  !(field->is_array && field->element_size == 1)))
		field->format = UE_FORMAT_HEX_INT;
}

void ue__print_format(struct ue_record_field *fields, uint32_t count, struct ue__span text,
		      uint32_t flags)
{
	ue__span_drop(&text, " ");
	if (!ue__span_drop(&text, "\""))
		return;
	drop_brackets(&text);
	for (uint32_t i = count_own(fields, count);
	     i < count && drop_name(&text, &fields[i]); i++)
		set(&fields[i], take_format(&text), flags);
}
