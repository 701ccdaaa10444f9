/* SPDX-License-Identifier: MIT */
/*
 * Writes filters for the kernel that pass all that an expression passes.
 *
 * Since the parser has moved negations into the comparisons, an expression only grows when a
 * comparison that the kernel cannot decide is taken to hold: it vanishes from an ALL, and an
 * ANY vanishes with it.
 */
#include "where.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include <userevents/eventheader_name.h>

#include "expression.h"
#include "common/cli/memory.h"
#include "common/records/byte_cursor.h"

/* The kernel takes a page; perf's ioctl() too. */
#define FILTER_MAX 4095u

struct target {
	struct where *where;
	const struct tracepoint *tracepoint;
	unsigned abilities;
};

/* Fields */

/* The field of this name, NULL without one; two of it are not used. */
static const struct ue_record_field *find_field(const struct tracepoint *tracepoint,
						const char *name, size_t length, int *count)
{
	const struct ue_record_field *found = NULL;

	*count = 0;
	for (uint32_t i = 0; i < tracepoint->format.field_count; i++) {
		const struct ue_record_field *field = &tracepoint->format.fields[i];

		if (field->name_length != length || memcmp(field->name, name, length))
			continue;
		found = field;
		++*count;
	}
	return found;
}

static int is_kernel_name(const char *name, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!is_name_letter(name[i]))
			return 0;
	return length > 0;
}

static int type_of(const struct ue_record_field *field)
{
	const struct ue_value value = {
		.length = field->element_size,
		.encoding = field->encoding,
		.format = field->format,
	};

	return ue_value_type(&value);
}

/* Pointers to char are text to the kernel. */
static int is_number(const struct ue_record_field *field)
{
	const int type = type_of(field);

	return !field->is_array && field->location == UE_LOCATION_HERE &&
	       field->element_size && field->element_size == field->size &&
	       (type == UE_TYPE_UNSIGNED || type == UE_TYPE_SIGNED || type == UE_TYPE_HEX ||
		type == UE_TYPE_BOOLEAN) &&
	       !memchr(field->type, '*', field->type_length);
}

/* One char is a number to the kernel. */
static int is_text(const struct ue_record_field *field)
{
	return field->encoding == UE_ENCODING_STRING_LENGTH16_CHAR8 &&
	       (field->location != UE_LOCATION_HERE || field->size > 1);
}

static struct part field_part(const struct target *target, const struct comparison *comparison,
			      const struct ue_record_field *field)
{
	const struct literal *literal = &comparison->literal;
	const int length = (int)field->name_length;

	if (literal->is_null || strlen(literal->text) != literal->length)
		return part_any; /* no field of the kernel's is null */
	if (comparison->field.count > 1 || !is_kernel_name(field->name, field->name_length) ||
	    target->tracepoint->format.big_endian != HOST_IS_BIG_ENDIAN)
		return part_any;
	if (is_number(field) && comparison->operator != WHERE_GLOB && literal->number.type &&
	    !(literal->number.type == VALUE_FLOAT && isnan(literal->number.number))) {
		const struct kernel_number number = {
			field->name, length, type_of(field) == UE_TYPE_SIGNED,
			field->size * 8u, 0,
		};

		return number_part(comparison, &literal->number, &number);
	}
	if (is_text(field) && target->abilities & WHERE_KERNEL_TEXT &&
	    literal->number.type <= VALUE_BOOLEAN &&
	    (comparison->operator == WHERE_GLOB || comparison->operator <= WHERE_UNEQUAL)) {
		const int is_here = field->location == UE_LOCATION_HERE;
		const struct kernel_text text = {
			field->name, length, is_here ? field->size : 0, !is_here,
		};

		return text_part(comparison, literal->text, &text);
	}
	return part_any; /* or a fault, which the first event shows */
}

/* Properties */

/* The first of these names that no field hides; NULL if all are. */
static const char *free_name(const struct tracepoint *tracepoint, const char *const *names)
{
	int count;

	while (*names && find_field(tracepoint, *names, strlen(*names), &count))
		names++;
	return *names;
}

static struct part property_number(const struct target *target,
				   const struct comparison *comparison,
				   const char *const *names, int has_no_bits)
{
	const char *name = free_name(target->tracepoint, names);
	/* never negative */
	const struct kernel_number number = {
		name, name ? (int)strlen(name) : 0, 0, 31, has_no_bits,
	};

	return name ? number_part(comparison, &comparison->of_property.value, &number) :
		      part_any;
}

static const char *const cpu_names[] = { "CPU", "cpu", "common_cpu", NULL };
static const char *const tid_names[] = { "common_pid", NULL };
static const char *const comm_names[] = { "comm", "COMM", NULL };

static struct part property_comm(const struct target *target,
				 const struct comparison *comparison)
{
	const char *name = free_name(target->tracepoint, comm_names);
	const struct kernel_text text = { name, name ? (int)strlen(name) : 0, 0, 0 };

	return name ? text_part(comparison, comparison->of_property.value.text, &text) :
		      part_any;
}

/* A name that all events of the tracepoint share. */
static struct part shared_name(const struct comparison *comparison, const char *group,
			       size_t group_length, const char *name)
{
	const struct property_literal *literal = &comparison->of_property;
	char *text = literal->property == PROPERTY_PROVIDER || !name ?
			     xstrndup(group, group_length) :
			     xprintf("%.*s%s%s", literal->has_group ? (int)group_length : 0,
				     group, literal->has_group ? ":" : "", name);
	const struct value value = { .type = VALUE_TEXT, .text = text, .length = strlen(text) };
	const int holds = text_holds(&value, comparison->operator, literal->value.text,
				     literal->value.length);

	free(text);
	return holds != comparison->is_negated ? part_any : part_none;
}

/* Properties of the record. */
static struct part record_part(const struct target *target, const struct comparison *comparison)
{
	switch (comparison->of_property.property) {
	case PROPERTY_TID:
		return target->abilities & WHERE_KERNEL_TID ?
			       property_number(target, comparison, tid_names, 0) : part_any;
	case PROPERTY_CPU:
		return property_number(target, comparison, cpu_names, 1);
	case PROPERTY_COMM:
		return property_comm(target, comparison);
	default:
		return part_any;
	}
}

static struct part classic_part(const struct target *target,
				const struct comparison *comparison)
{
	const struct tracepoint *tracepoint = target->tracepoint;
	const struct field_step *step = comparison->field.steps;
	const enum property property = comparison->of_property.property;
	const struct ue_record_field *field;
	int count = 0;

	field = comparison->field.count ?
			find_field(tracepoint, step->name, step->length, &count) : NULL;
	if (count > 1)
		return part_any;
	/* a path into a field may be absent, and then the name is no property's either */
	if (field)
		return field_part(target, comparison, field);
	if (property == PROPERTY_NONE || property >= PROPERTY_LEVEL)
		return part_none;
	if (property == PROPERTY_PROVIDER || property == PROPERTY_EVENT)
		return shared_name(comparison, tracepoint->system, strlen(tracepoint->system),
				   tracepoint->name);
	return record_part(target, comparison);
}

/*
 * Any event of an EventHeader tracepoint may have a field that hides a property, so only
 * "meta.NAME" is known beforehand. An event that cannot be read has its tracepoint's names.
 */
static struct part eventheader_part(const struct target *target,
				    const struct comparison *comparison)
{
	const struct property_literal *literal = &comparison->of_property;
	const struct tracepoint *tracepoint = target->tracepoint;
	struct value value = { .type = VALUE_UNSIGNED };
	struct ue_eventheader_name name;

	if (comparison->field.count ||
	    ue_eventheader_name_parse(tracepoint->name, strlen(tracepoint->name), &name, NULL))
		return part_any;
	switch (literal->property) {
	case PROPERTY_PROVIDER:
		if (shared_name(comparison, tracepoint->system, strlen(tracepoint->system),
				NULL).kind == PART_ANY)
			return part_any;
		return shared_name(comparison, name.provider, name.provider_length, NULL);
	case PROPERTY_LEVEL:
	case PROPERTY_KEYWORD:
		value.whole = literal->property == PROPERTY_LEVEL ? (int64_t)name.level :
								    (int64_t)name.keyword;
		return number_holds(&value, comparison->operator, &literal->value) !=
				       comparison->is_negated ? part_any : part_none;
	default:
		return record_part(target, comparison);
	}
}

/* Whatever passes the filter: the name is none that was mistyped. */
static void mark(struct where *where, struct comparison *comparison,
		 const struct tracepoint *tracepoint)
{
	const enum property property = comparison->of_property.property;
	const struct field_step *step = comparison->field.steps;
	int count = 0;

	if (comparison->is_found)
		return;
	if (tracepoint->format.is_eventheader)
		count = !comparison->field.count;
	else if (comparison->field.count)
		find_field(tracepoint, step->name, step->length, &count);
	if (!count && (!property || property >= PROPERTY_LEVEL))
		return;
	comparison->is_found = 1;
	where->missing--;
}

/* Joints */

static int append(struct part *to, struct part *part, enum node_kind kind)
{
	const int has_parentheses = part->is_joined_by_or && kind == NODE_ALL;
	char *text = xprintf("%s%s%s%s%s", to->text ? to->text : "",
			     !to->text ? "" : kind == NODE_ALL ? " && " : " || ",
			     has_parentheses ? "(" : "", part->text, has_parentheses ? ")" : "");
	const int is_first = !to->text;

	free(to->text);
	free(part->text);
	to->text = text;
	to->kind = PART_TEXT;
	to->is_joined_by_or = is_first ? part->is_joined_by_or && kind == NODE_ANY :
					 kind == NODE_ANY;
	return 0;
}

static struct part node_part(const struct target *target, const struct node *node);

static struct part joined_part(const struct target *target, const struct node *node)
{
	const struct node *nodes = target->where->nodes;
	/* the vanishing value, and the deciding one */
	const enum part_kind neutral = node->kind == NODE_ALL ? PART_ANY : PART_NONE;
	struct part part = { .kind = neutral };

	if (node->child == node->last)
		return node_part(target, &nodes[node->child]);
	for (uint32_t child = node->child; child; child = nodes[child].sibling) {
		struct part next = node_part(target, &nodes[child]);

		if (next.kind == PART_TEXT) {
			append(&part, &next, node->kind);
		} else if (next.kind != neutral) {
			free(part.text);
			return next;
		}
	}
	return part;
}

/* Recursion ends at depth WHERE_DEPTH_MAX. */
static struct part node_part(const struct target *target, const struct node *node)
{
	const struct comparison *comparison = &target->where->comparisons[node->comparison];

	if (node->kind != NODE_COMPARISON)
		return joined_part(target, node);
	return target->tracepoint->format.is_eventheader ? eventheader_part(target, comparison) :
							   classic_part(target, comparison);
}

/* All of it */

unsigned where_kernel_abilities(void)
{
	struct utsname name;
	struct stat status;
	int major = 0, minor = 0;
	unsigned abilities = 0;

	if (!uname(&name) && sscanf(name.release, "%d.%d", &major, &minor) == 2 &&
	    (major > 6 || (major == 6 && minor >= 4)))
		abilities |= WHERE_KERNEL_TEXT;
	/* include/linux/proc_ns.h: PROC_PID_INIT_INO */
	if (!stat("/proc/self/ns/pid", &status) && status.st_ino == 0xeffffffcu)
		abilities |= WHERE_KERNEL_TID;
	return abilities;
}

char *where_for_kernel_able(struct where *where, const struct tracepoint *tracepoint,
			    unsigned abilities)
{
	const struct target target = { where, tracepoint, abilities };
	struct part part;
	const char *name;

	if (tracepoint->is_bare)
		return NULL;
	for (uint32_t i = 0; i < where->count; i++)
		mark(where, &where->comparisons[i], tracepoint);
	where_describe(where, tracepoint);
	part = node_part(&target, where->nodes);
	name = free_name(tracepoint, cpu_names);
	if (part.kind == PART_NONE && name)
		return xprintf("%s < 0", name);
	if (part.text && strlen(part.text) <= FILTER_MAX)
		return part.text;
	free(part.text);
	return NULL;
}

char *where_for_kernel(struct where *where, const struct tracepoint *tracepoint)
{
	return where_for_kernel_able(where, tracepoint, where_kernel_abilities());
}
