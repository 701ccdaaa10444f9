/* SPDX-License-Identifier: MIT */
/*
 * Check the text of a definition, more strictly than the kernel does.
 *
 * The kernel's parser (user_event_parse_cmd() and below, the same in Linux 6.1
 * and 6.12) splits at ';', then at single blanks. Text that it accepts without complaint
 * and then treats as something else is refused here, with the reason. Blanks that it
 * passes over are passed over here, too, and kept from it: "u8 a;u8 b" would register
 * once before Linux 6.9, and then never again.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>

#include "definition.h"

static int wrong(struct ue_definition_error *error, const char *text,
		 struct ue__span part, const char *reason)
{
	if (error) {
		error->offset = (size_t)(part.at - text);
		error->length = part.length;
		error->reason = reason;
	}
	return -EINVAL;
}

static int is_identifier(struct ue__span s)
{
	for (size_t i = 0; i < s.length; i++) {
		const char c = s.at[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
		      (i && c >= '0' && c <= '9')))
			return 0;
	}
	return s.length > 0;
}

/* A decimal number without leading zeros, at most max; 0 when it is not one. */
static uint32_t number(struct ue__span s, uint32_t max)
{
	uint32_t value;

	if (!s.length || s.at[0] == '0' || !ue__span_number(&s, &value) || s.length)
		return 0;
	return value <= max ? value : 0;
}

/* The name */

static const char *why_not_in_name(char c)
{
	switch (c) {
	case '/':
		return "An event name has no '/': it becomes a directory of tracefs.";
	case ':':
		return "An event name has no ':': the kernel reads flags after it.";
	case ';':
		return "An event name has no ';'; it ends at the first blank, and "
		       "';' separates fields.";
	default:
		if ((unsigned char)c < ' ' || c == 0x7f)
			return "An event name has no control characters; one blank "
			       "ends it.";
		return NULL;
	}
}

int ue__definition_name(const char *text, struct ue_definition_error *error)
{
	const char *at = text = text ? text : "";
	struct ue__span name;

	for (; *at && *at != ' '; at++) {
		const char *reason = why_not_in_name(*at);

		if (reason)
			return wrong(error, text, ue__span(at, at + 1), reason);
	}
	name = ue__span(text, at);
	if (!name.length)
		return wrong(error, text, name, "The event name is missing.");
	if (ue__span_is(name, ".") || ue__span_is(name, ".."))
		return wrong(error, text, name,
			     "'.' and '..' cannot be names of a directory of tracefs.");
	if (name.length > UE__NAME_MAX)
		return wrong(error, text, name,
			     "An event name has at most 255 bytes.");
	return (int)name.length;
}

/* Types */

#define SCALAR(name, size) { { name, sizeof(name) - 1 }, size }

/* The most frequent first. */
static const struct {
	struct ue__span name;
	uint32_t size;
} scalars[] = {
	SCALAR("u32", 4),   SCALAR("u64", 8),  SCALAR("s32", 4), SCALAR("s64", 8),
	SCALAR("u8", 1),    SCALAR("s8", 1),   SCALAR("u16", 2), SCALAR("s16", 2),
	SCALAR("char", 1),  SCALAR("unsigned char", 1),
	SCALAR("short", 2), SCALAR("unsigned short", 2),
	SCALAR("int", 4),   SCALAR("unsigned int", 4),
};

static uint32_t scalar_size(struct ue__span type)
{
	for (size_t i = 0; i < sizeof(scalars) / sizeof(scalars[0]); i++)
		if (scalars[i].name.length == type.length &&
		    !memcmp(scalars[i].name.at, type.at, type.length))
			return scalars[i].size;
	return 0;
}

/* char[N], unsigned char[N]; 0 when it is not one or N is not allowed. */
static uint32_t char_array_size(struct ue__span type)
{
	ue__span_drop(&type, "unsigned ");
	if (!ue__span_drop(&type, "char[") || !type.length ||
	    type.at[--type.length] != ']')
		return 0;
	return number(type, 1024);
}

static uint32_t location_size(struct ue__span type)
{
	if (!ue__span_drop(&type, "__rel_loc ") && !ue__span_drop(&type, "__data_loc "))
		return 0;
	ue__span_drop(&type, "unsigned ");
	if (type.length < 3 || memcmp(type.at + type.length - 2, "[]", 2))
		return 0;
	type.length -= 2;
	return is_identifier(type) ? 4 : 0;
}

static uint32_t type_size(struct ue__span type)
{
	uint32_t size = location_size(type);

	if (!size)
		size = scalar_size(type);
	return size ? size : char_array_size(type);
}

static const char *why_not_a_type(struct ue__span type)
{
	if (ue__span_begins(type, "char[") || ue__span_begins(type, "unsigned char["))
		return "The length of a char array is a decimal number from 1 to "
		       "1024, without leading zeros; for text of any length there "
		       "is \"__rel_loc char[]\".";
	if (ue__span_begins(type, "__rel_loc") || ue__span_begins(type, "__data_loc"))
		return "A location is written \"__rel_loc T[]\" or \"__data_loc "
		       "T[]\", with T one word.";
	if (memchr(type.at, '[', type.length))
		return "The kernel has arrays of char only; for others there is "
		       "\"__rel_loc T[]\".";
	return "Not a type of user_events: u8 u16 u32 u64 s8 s16 s32 s64, char, "
	       "short, int (also unsigned), char[N], \"__rel_loc T[]\", \"struct "
	       "TAG name SIZE\".";
}

/* Fields: why one is refused, and *part for what, or NULL. */

int ue__is_common_field(struct ue__span name)
{
	return ue__span_is(name, "common_type") || ue__span_is(name, "common_flags") ||
	       ue__span_is(name, "common_preempt_count") ||
	       ue__span_is(name, "common_pid");
}

static const char *why_not_a_field_name(struct ue__span name)
{
	if (!name.length)
		return "The field name is missing.";
	if (memchr(name.at, '[', name.length))
		return "A name has no brackets, the kernel would take them for part of "
		       "it: write \"char[20] name\"; for arrays of other types, "
		       "\"__rel_loc T[] name\".";
	if (!is_identifier(name))
		return "A field name is a C identifier: letters, digits and '_', with no "
		       "digit first.";
	return ue__is_common_field(name) ?
		       "Every event has a field of this name already." : NULL;
}

/* "struct TAG name SIZE" */
static const char *take_struct(struct ue__field *field, struct ue__span *part)
{
	const char *begin = part->at, *end = begin + part->length;
	const char *tag = begin + strlen("struct ");
	const char *name = memchr(tag, ' ', (size_t)(end - tag));
	const char *size = name ? memchr(name + 1, ' ', (size_t)(end - name - 1)) :
				  NULL;

	if (!size)
		return "A struct is written \"struct TAG name SIZE\".";
	field->type = ue__span(begin, name);
	field->name = ue__span(name + 1, size);
	*part = ue__span(tag, name);
	if (!is_identifier(*part))
		return "The tag of a struct is a C identifier.";
	*part = ue__span(size + 1, end);
	field->size = number(*part, 65535);
	if (!field->size)
		return "The size of a struct is a decimal number from 1 to 65535, "
		       "without leading zeros.";
	*part = field->name;
	return why_not_a_field_name(field->name);
}

/* "TYPE name": the name follows the last blank. */
static const char *take_plain(struct ue__field *field, struct ue__span *part)
{
	const char *blank = memrchr(part->at, ' ', part->length);

	if (!blank)
		return "A field is a type, one blank, and a name.";
	field->type = ue__span(part->at, blank);
	field->name = ue__span(blank + 1, part->at + part->length);
	field->size = type_size(field->type);
	*part = field->size ? field->name : field->type;
	return field->size ? why_not_a_field_name(field->name) :
			     why_not_a_type(field->type);
}

static const char *check_blanks(struct ue__span *part)
{
	const char *end = part->at + part->length;

	for (const char *at = part->at; at < end; at++) {
		if ((unsigned char)*at > ' ' && *at != 0x7f)
			continue;
		if (*at == ' ' && at[-1] != ' ' && at + 1 < end)
			continue;
		*part = ue__span(at, at + 1);
		if (*at != ' ')
			return "Only blanks separate; the kernel does not take tabs or "
			       "other control characters.";
		if (at[-1] == ' ')
			return "One blank too many: the kernel takes exactly one.";
		return "A blank before ';': the kernel takes none there.";
	}
	return NULL;
}

static const char *take_field(struct ue__field *field, struct ue__span *part)
{
	const char *reason = check_blanks(part);

	if (reason)
		return reason;
	if (!part->length)
		return "A field is missing here.";
	field->whole = *part;
	return ue__span_begins(*part, "struct ") ? take_struct(field, part) :
						   take_plain(field, part);
}

void ue__fields_begin(struct ue__fields *fields, const char *text,
		      size_t name_length)
{
	fields->text = text;
	fields->at = text + name_length + strspn(text + name_length, " ");
}

int ue__fields_next(struct ue__fields *fields, struct ue__field *field,
		    struct ue_definition_error *error)
{
	const char *begin = fields->at;
	const char *end = begin + strcspn(begin, ";"), *next = end + (*end == ';');
	const char *reason;
	struct ue__span part;

	if (!*begin)
		return 0;
	if (!*end) /* blanks at the end of all */
		while (end > begin && end[-1] == ' ')
			end--;
	fields->at = next + strspn(next, " ");
	part = ue__span(begin, end);
	reason = take_field(field, &part);
	return reason ? wrong(error, fields->text, part, reason) : 1;
}

/* FNV-1a */
uint32_t ue__name_hash(const char *name, size_t length)
{
	uint32_t hash = 0x811c9dc5u;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)name[i]) * 0x01000193u;
	return hash;
}

/* A field takes 5 bytes of the text, or more. */
#define FIELDS_MAX (UE__DEFINITION_MAX / 5 + 1)

/* Bytes that do not fit are counted. */
static void append(struct ue__definition *definition, const char *bytes, size_t length)
{
	if (definition->length + length <= UE__DEFINITION_MAX)
		memcpy(definition->text + definition->length, bytes, length);
	definition->length += (uint32_t)length;
}

/* Offsets of the names of the fields: small, as a signal handler may have little stack. */
struct names {
	uint16_t at[FIELDS_MAX], length[FIELDS_MAX];
};

static int is_repeated(const struct names *names, uint32_t count, const char *text,
		       struct ue__span name)
{
	while (count--)
		if (names->length[count] == name.length &&
		    !memcmp(text + names->at[count], name.at, name.length))
			return 1;
	return 0;
}

static int parse_fields(struct ue__definition *definition, const char *text,
			struct ue_definition_error *error)
{
	struct names names;
	struct ue__fields fields;
	struct ue__field field;
	int result;

	ue__fields_begin(&fields, text, definition->name_length);
	while ((result = ue__fields_next(&fields, &field, error)) > 0) {
		if (is_repeated(&names, definition->fields, text, field.name))
			return wrong(error, text, field.name,
				     "Two fields have this name.");
		names.at[definition->fields] = (uint16_t)(field.name.at - text);
		names.length[definition->fields] = (uint16_t)field.name.length;
		append(definition, definition->fields ? "; " : " ",
		       definition->fields ? 2 : 1);
		append(definition, field.whole.at, field.whole.length);
		definition->fixed_size += field.size;
		definition->fields++;
	}
	return result;
}

static int check_length(const char *text, int name_length, uint32_t flags,
			struct ue_definition_error *error)
{
	size_t length = strlen(text);

	if (length > UE__DEFINITION_MAX)
		return wrong(error, text, ue__span(text + UE__DEFINITION_MAX, text + length),
			     "A definition has at most 511 bytes.");
	if (flags & UE_EVENT_MULTI_FORMAT && name_length > UE__NAME_MAX_MULTI)
		return wrong(error, text, ue__span(text, text + name_length),
			     "With UE_EVENT_MULTI_FORMAT a name has at most 238 bytes: "
			     "the kernel appends a number.");
	return 0;
}

int ue__definition_parse(const char *text, uint32_t flags,
			 struct ue__definition *definition,
			 struct ue_definition_error *error)
{
	int result, name_length = ue__definition_name(text, error);

	if (name_length < 0)
		return name_length;
	result = check_length(text, name_length, flags, error);
	if (result)
		return result;
	definition->name_length = (uint32_t)name_length;
	definition->name_hash = ue__name_hash(text, (size_t)name_length);
	definition->fields = definition->fixed_size = definition->length = 0;
	append(definition, text, (size_t)name_length);
	result = parse_fields(definition, text, error);
	if (!result && definition->length > UE__DEFINITION_MAX)
		return wrong(error, text, ue__span(text, text + strlen(text)),
			     "A definition has at most 511 bytes, with a blank after "
			     "each ';'.");
	if (!result)
		definition->text[definition->length] = '\0';
	return result;
}

UE__PUBLIC int ue_definition_check(const char *definition, uint32_t flags,
				   struct ue_definition_error *error)
{
	struct ue__definition parsed;

	return ue__definition_parse(definition, flags, &parsed, error);
}
