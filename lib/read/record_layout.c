/* SPDX-License-Identifier: MIT */
/*
 * Describe the records of a tracepoint by its format file or its definition.
 *
 *	name: sched_wakeup
 *	ID: 318
 *	format:
 *		field:unsigned short common_type;	offset:0;	size:2;	signed:0;
 *		...
 *
 *		field:char comm[16];	offset:8;	size:16;	signed:0;
 *
 *	print fmt: ...
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>

#include <userevents/event.h>
#include <userevents/eventheader_name.h>

#include "describe/definition.h"
#include "describe/eventheader.h"
#include "print_format.h"
#include "record_type.h"
#include "util/sized_struct.h"

/* The layout of all kernels to date: type, flags, preempt_count, pid. */
#define COMMON_SIZE 8u

#define FLAGS (UE_RECORD_BIG_ENDIAN | UE_RECORD_LITTLE_ENDIAN | UE_RECORD_LATIN1)
#define BOTH_ORDERS (UE_RECORD_BIG_ENDIAN | UE_RECORD_LITTLE_ENDIAN)

/* The layout under construction. */
struct table {
	struct ue_record_layout layout;
	struct ue_record_field *fields;
	size_t max;
	uint32_t flags;
	int is_own; /* the common fields are over: a blank line follows them */
};

static int begin(struct table *table, const char *system,
		 struct ue_record_field *fields, size_t fields_max, uint32_t flags)
{
	uint32_t orders = flags & BOTH_ORDERS;

	if (flags & ~FLAGS || orders == BOTH_ORDERS)
		return -EINVAL;
	*table = (struct table){ .fields = fields, .max = fields_max, .flags = flags };
	table->layout = (struct ue_record_layout){
		.system = system,
		.system_length = strlen(system),
		.fields = fields,
		.common_size = COMMON_SIZE,
		.big_endian = orders ? orders == UE_RECORD_BIG_ENDIAN :
				       __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
	};
	return 0;
}

static void add(struct table *table, const struct ue_record_field *field)
{
	struct ue_record_layout *layout = &table->layout;
	uint32_t end;

	if (__builtin_add_overflow(field->offset, field->size, &end))
		end = UINT32_MAX;
	if (end > layout->fixed_size)
		layout->fixed_size = end;
	if (layout->field_count < table->max)
		table->fields[layout->field_count] = *field;
	layout->field_count++;
}

/* EventHeader */

static const struct {
	const char *name;
	uint32_t offset;
} header_fields[] = {
	{ "eventheader_flags", 0 }, { "version", 1 }, { "id", 2 },
	{ "tag", 4 },		    { "opcode", 6 },  { "level", 7 },
};

#define HEADER_FIELDS (sizeof(header_fields) / sizeof(header_fields[0]))

static int has_header_fields(const struct ue_record_layout *layout)
{
	for (size_t i = 0; i < HEADER_FIELDS; i++) {
		const struct ue_record_field *field = &layout->fields[i];
		struct ue__span name = { field->name, field->name_length };

		if (field->offset != header_fields[i].offset ||
		    !ue__span_is(name, header_fields[i].name))
			return 0;
	}
	return layout->fixed_size == sizeof(struct ue_eventheader);
}

/* Hand the layout out; returns the number of its fields. */
static int finish(struct table *table, struct ue_record_layout *out, size_t size)
{
	struct ue_record_layout *layout = &table->layout;
	size_t length = layout->name_length;
	struct ue_eventheader_name parts;

	if (layout->field_count > INT32_MAX)
		return -EBADMSG;
	if (!strcmp(layout->system, "user_events_multi"))
		length = ue__name_unnumbered(layout->name, length);
	if (layout->field_count == HEADER_FIELDS && table->max >= HEADER_FIELDS &&
	    has_header_fields(layout))
		layout->is_eventheader = !ue_eventheader_name_parse(layout->name, length,
								    &parts, NULL);
	layout->size = size < sizeof(*layout) ? size : sizeof(*layout);
	ue__hand_out(out, size, layout, sizeof(*layout));
	return (int)layout->field_count;
}

/* A format file */

/* ";\tKEY:NUMBER": 1, or 0. */
static int take_member(struct ue__span *line, const char *key, uint32_t *number)
{
	if (!ue__span_drop(line, ";"))
		return 0;
	while (ue__span_drop(line, "\t") || ue__span_drop(line, " "))
		;
	return ue__span_drop(line, key) && ue__span_number(line, number);
}

/* Split "TYPE NAME[BRACKETS]". */
static void split(struct ue__span text, struct ue__span *type, struct ue__span *name,
		  struct ue__span *brackets)
{
	const char *end = text.at + text.length, *bracket = NULL, *blank;

	if (text.length && end[-1] == ']')
		bracket = memrchr(text.at, '[', text.length);
	*brackets = bracket ? ue__span(bracket, end) : (struct ue__span){ NULL, 0 };
	if (bracket)
		end = bracket;
	blank = memrchr(text.at, ' ', (size_t)(end - text.at));
	name->at = blank ? blank + 1 : text.at;
	/* "char *name": the star belongs to the type */
	while (name->at < end && *name->at == '*')
		name->at++;
	name->length = (size_t)(end - name->at);
	*type = ue__span(text.at, name->at);
	while (type->length && type->at[type->length - 1] == ' ')
		type->length--;
}

static int take_common(struct ue_record_layout *layout,
		       const struct ue_record_field *field)
{
	if (field->offset > UINT16_MAX || field->size > UINT16_MAX)
		return -EBADMSG;
	layout->common_size = field->offset + field->size;
	return 0;
}

static int take_field(struct table *table, struct ue__span line)
{
	const char *end = memchr(line.at, ';', line.length);
	struct ue_record_field field = { 0 };
	struct ue__span rest, type, name, brackets;
	uint32_t is_signed = 0;

	if (!end)
		return -EBADMSG;
	rest = ue__span(end, line.at + line.length);
	if (!take_member(&rest, "offset:", &field.offset) ||
	    !take_member(&rest, "size:", &field.size))
		return -EBADMSG;
	take_member(&rest, "signed:", &is_signed);
	split(ue__span(line.at, end), &type, &name, &brackets);
	if (!name.length || name.length > UINT16_MAX || type.length > UINT16_MAX)
		return -EBADMSG;
	if (!table->is_own && name.length > 7 && !memcmp(name.at, "common_", 7))
		return take_common(&table->layout, &field);
	table->is_own = 1;
	if (field.offset < table->layout.common_size)
		return -EBADMSG;
	field.offset -= table->layout.common_size;
	field.name = name.at;
	field.name_length = (uint32_t)name.length;
	ue__record_type(&field, type, brackets, (int)is_signed, table->flags);
	add(table, &field);
	return 0;
}

static int take_line(struct table *table, struct ue__span line)
{
	if (ue__span_drop(&line, "name: ")) {
		table->layout.name = line.at;
		table->layout.name_length = line.length;
		return 0;
	}
	if (ue__span_drop(&line, "ID: "))
		return ue__span_number(&line, &table->layout.id) ? 0 : -EBADMSG;
	if (ue__span_drop(&line, "\tfield:"))
		return take_field(table, line);
	table->is_own |= !line.length;
	return 0;
}

UE__PUBLIC int ue_record_layout_parse_sized(struct ue_record_layout *layout, size_t size,
					    const char *system, const char *text,
					    size_t length,
					    struct ue_record_field *fields,
					    size_t fields_max, uint32_t flags)
{
	struct ue__span line, rest = { text, length };
	struct table table;
	int result = begin(&table, system, fields, fields_max, flags), is_print = 0;

	while (!result && !is_print && ue__span_line(&rest, &line)) {
		is_print = ue__span_drop(&line, "print fmt:");
		if (!is_print)
			result = take_line(&table, line);
	}
	if (is_print && table.layout.field_count <= fields_max)
		ue__print_format(fields, table.layout.field_count, line, flags);
	if (!result && !table.layout.name_length)
		result = -EBADMSG;
	return result ? result : finish(&table, layout, size);
}

/* A definition */

static void add_defined(struct table *table, const char *definition)
{
	struct ue_record_layout *layout = &table->layout;
	struct ue__fields reading;
	struct ue__field field;

	layout->name = definition;
	layout->name_length = (size_t)ue__definition_name(definition, NULL);
	ue__fields_begin(&reading, definition, layout->name_length);
	while (ue__fields_next(&reading, &field, NULL) > 0) {
		struct ue_record_field added = {
			.name = field.name.at,
			.name_length = (uint32_t)field.name.length,
			.offset = layout->fixed_size,
			.size = field.size,
		};

		ue__record_type(&added, field.type, (struct ue__span){ NULL, 0 },
				field.type.at[0] != 'u', table->flags);
		add(table, &added);
	}
}

UE__PUBLIC int ue_record_layout_define_sized(struct ue_record_layout *layout, size_t size,
					     const char *system, const char *definition,
					     struct ue_record_field *fields,
					     size_t fields_max, uint32_t flags)
{
	struct table table;
	int result = begin(&table, system, fields, fields_max, flags);

	if (!result)
		result = ue_definition_check(definition, 0, NULL);
	if (result)
		return result;
	add_defined(&table, definition);
	return finish(&table, layout, size);
}
