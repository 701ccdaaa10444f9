/* SPDX-License-Identifier: MIT */
/* Parses types of arguments: u32, string, x8[16], b4@0/32. */
#include "fetch_argument.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <userevents/decode/record.h>

#include "common/cli/memory.h"
#include "common/cli/options.h"

/* As the kernel's MAX_ARRAY_LEN. */
#define COUNT_MAX 64

/* nearest() needs the name first. */
struct named_type {
	const char *name;
	struct fetch_type type;
};

static const struct named_type types[] = {
	{ "u8", { .size = 1 } },
	{ "u16", { .size = 2 } },
	{ "u32", { .size = 4 } },
	{ "u64", { .size = 8 } },
	{ "s8", { .size = 1 } },
	{ "s16", { .size = 2 } },
	{ "s32", { .size = 4 } },
	{ "s64", { .size = 8 } },
	{ "x8", { .size = 1 } },
	{ "x16", { .size = 2 } },
	{ "x32", { .size = 4 } },
	{ "x64", { .size = 8 } },
	{ "char", { .size = 1 } },
	{ "string", { .size = 4, .is_string = 1 } },
	{ "ustring", { .size = 4, .is_string = 1 } },
	{ "symbol", { .size = 8, .is_symbol = 1 } },
	{ "symstr", { .size = 4, .is_string = 1, .is_symstr = 1, .is_symbol = 1 } },
	/* the kernel replaces them by "string" */
	{ "%pd", { .size = 4, .is_string = 1 } },
	{ "%pD", { .size = 4, .is_string = 1 } },
};

#define TYPES (sizeof(types) / sizeof(types[0]))

/* Operators of C, which people write by habit. */
static const struct {
	const char *name, *type;
} of_c[] = {
	{ "int", "s32" },    { "unsigned", "u32" }, { "long", "s64" },
	{ "short", "s16" },  { "ulong", "u64" },    { "pointer", "x64" },
	{ "ptr", "x64" },    { "str", "string" },   { "size_t", "u64" },
	{ "bool", "u8" },    { "hex", "x64" },	    { "uint", "u32" },
	{ "int32", "s32" },  { "int64", "s64" },    { "uint32", "u32" },
	{ "uint64", "u64" },
};

static const char *meant(const char *name)
{
	for (size_t i = 0; i < sizeof(of_c) / sizeof(of_c[0]); i++)
		if (!strcmp(name, of_c[i].name))
			return of_c[i].type;
	return nearest(name, types, TYPES, sizeof(*types));
}

static int complain(struct part name, size_t at, struct fault *fault)
{
	char *text = part_text(name);
	const char *near = meant(text);

	free(text);
	if (!name.length)
		return fault_at(fault, at, "a type must follow ':'");
	if (near)
		return fault_at(fault, at,
				"there is no type \"%.*s\"; did you mean \"%s\"?",
				(int)name.length, name.at, near);
	return fault_at(fault, at,
			"there is no type \"%.*s\": u, s or x with 8, 16, 32 or 64, "
			"char, string, ustring, symbol, symstr, b<BITS>@<FROM>/<SIZE>",
			(int)name.length, name.at);
}

static int exists(const char *name, const struct grammar *grammar)
{
	if (!strcmp(name, "char"))
		return grammar->has_char;
	if (!strcmp(name, "symstr"))
		return grammar->has_symstr;
	return *name != '%' || grammar->has_dentry;
}

/* "b<BITS>@<FROM>/<SIZE>" */
static int parse_bitfield(struct fetch_type *type, struct part text, size_t at,
			  struct fault *fault)
{
	const char *from = memchr(text.at, '@', text.length);
	const char *of = memchr(text.at, '/', text.length), *end = text.at + text.length;
	uint64_t width, offset, size;

	if (!from || !of || of < from ||
	    part_number((struct part){ text.at + 1, (size_t)(from - text.at - 1) },
			&width) ||
	    part_number((struct part){ from + 1, (size_t)(of - from - 1) }, &offset) ||
	    part_number((struct part){ of + 1, (size_t)(end - of - 1) }, &size))
		return fault_at(fault, at,
				"a bitfield is b<BITS>@<FROM>/<SIZE>, such as b4@0/32");
	if (size != 8 && size != 16 && size != 32 && size != 64)
		return fault_at(fault, at + (size_t)(of + 1 - text.at),
				"the container of a bitfield "
				"has 8, 16, 32 or 64 bits");
	if (!width || width > size || offset > size - width)
		return fault_at(fault, at,
				"bits %llu to %llu are not in a container of %llu",
				(unsigned long long)offset,
				(unsigned long long)offset + (width ? width - 1 : 0),
				(unsigned long long)size);
	*type = (struct fetch_type){ .size = (unsigned)size / 8, .is_bitfield = 1 };
	return 0;
}

static int parse_name(struct fetch_type *type, struct part text,
		      const struct grammar *grammar, size_t at, struct fault *fault)
{
	if (text.length > 1 && *text.at == 'b' && text.at[1] >= '0' && text.at[1] <= '9')
		return parse_bitfield(type, text, at, fault);
	for (size_t i = 0; i < TYPES; i++) {
		if (!part_is(text, types[i].name))
			continue;
		if (!exists(types[i].name, grammar))
			return fault_at(
				fault, at, "this kernel does not have the type \"%s\"%s",
				types[i].name, types[i].type.size == 1 ? "; use u8" : "");
		*type = types[i].type;
		return 0;
	}
	return complain(text, at, fault);
}

int fetch_type_parse(struct fetch_type *type, struct part text,
		     const struct grammar *grammar, size_t at, struct fault *fault)
{
	const char *bracket = text.length ? memchr(text.at, '[', text.length) : NULL;
	struct part name = text, count = { 0 };

	if (bracket)
		name.length = (size_t)(bracket - text.at);
	if (parse_name(type, name, grammar, at, fault) || !bracket)
		return fault->reason ? -1 : 0;
	count = (struct part){ bracket + 1, text.length - name.length - 1 };
	if (!count.length || count.at[count.length - 1] != ']')
		return fault_at(fault, at + text.length, "']' is missing");
	count.length--;
	if (part_number(count, &type->count) || !type->count || type->count > COUNT_MAX)
		return fault_at(fault, at + name.length + 1,
				"an array has 1 to %d elements", COUNT_MAX);
	return 0;
}

/* Checks names of registers; of x86-64 alone, others are left to the kernel. */

#ifdef __x86_64__

static const char *const names[] = {
	"ax",  "bx",  "cx",  "dx",  "si",  "di", "bp", "sp", "r8",	"r9",	"r10",
	"r11", "r12", "r13", "r14", "r15", "ip", "cs", "ss", "orig_ax", "flags"
};

#define NAMES (sizeof(names) / sizeof(names[0]))

int register_exists(const char *name)
{
	for (size_t i = 0; i < NAMES; i++)
		if (!strcmp(name, names[i]))
			return 1;
	return 0;
}

const char *register_meant(const char *name)
{
	/* "rdi" and "edi" in assembly */
	if ((*name == 'r' || *name == 'e') && name[1] && strlen(name) == 3)
		for (size_t i = 0; i < NAMES; i++)
			if (!strcmp(name + 1, names[i]))
				return names[i];
	return nearest(name, names, NAMES, sizeof(*names));
}

const char *register_of_argument(unsigned n)
{
	static const char *const of[] = { "di", "si", "dx", "cx", "r8", "r9" };

	return n >= 1 && n <= sizeof(of) / sizeof(of[0]) ? of[n - 1] : NULL;
}

#else

int register_exists(const char *name)
{
	(void)name;
	return 1;
}

const char *register_meant(const char *name)
{
	(void)name;
	return NULL;
}

const char *register_of_argument(unsigned n)
{
	(void)n;
	return NULL;
}

#endif

/* Finds fields in the format file of an event. */

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
