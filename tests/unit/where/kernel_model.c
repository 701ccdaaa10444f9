/* SPDX-License-Identifier: MIT */
/*
 * Evaluates a filter as the kernel does, with its faults: values are cut to the size of the
 * field, globs that begin with a digit are none, "*a" compares with the end of the array, and
 * dynamic text of length 0 is whatever follows.
 */
#include "kernel_model.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/records/byte_cursor.h"

#define OPERATORS 8

enum { GLOB, NE, EQ, LE, LT, GE, GT, BAND };
static const char *const operators[OPERATORS] = { "~", "!=", "==", "<=", "<", ">=", ">", "&" };

enum filter_type { OTHER, STATIC_STRING, RDYN_STRING, DYN_STRING, CPU, COMM };

struct kernel_field {
	enum filter_type type;
	uint32_t offset, size;
	int is_signed, is_pid;
};

struct model {
	const char *at;
	const struct kernel_record *record;
	int is_refused;
};

/* Fields */

static int has(const struct ue_record_field *field, const char *text)
{
	return memmem(field->type, field->type_length, text, strlen(text)) != NULL;
}

static enum filter_type assign_type(const struct ue_record_field *field)
{
	if (has(field, "__data_loc") && has(field, "char"))
		return DYN_STRING;
	if (has(field, "__rel_loc") && has(field, "char"))
		return RDYN_STRING;
	return has(field, "[") && has(field, "char") ? STATIC_STRING : OTHER;
}

static int is_named(const char *name, size_t length, const char *is)
{
	return strlen(is) == length && !memcmp(name, is, length);
}

static int find_field(const struct ue_record_layout *layout, const char *name, size_t length,
		      struct kernel_field *found)
{
	for (uint32_t i = layout->field_count; i-- > 0;) {
		const struct ue_record_field *field = &layout->fields[i];

		if (field->name_length != length || memcmp(field->name, name, length))
			continue;
		*found = (struct kernel_field){ assign_type(field), field->offset, field->size,
						field->type[0] != 'u', 0 };
		return 0;
	}
	*found = (struct kernel_field){ .size = 4, .is_signed = 1 };
	if (is_named(name, length, "CPU") || is_named(name, length, "cpu"))
		found->type = CPU;
	else if (is_named(name, length, "COMM") || is_named(name, length, "comm"))
		found->type = COMM;
	else if (is_named(name, length, "common_pid"))
		found->is_pid = 1;
	else
		return -1;
	return 0;
}

/* Numbers */

static int holds_signed(int op, int64_t field, int64_t value)
{
	switch (op) {
	case LT: return field < value;
	case LE: return field <= value;
	case GT: return field > value;
	case GE: return field >= value;
	case EQ: return field == value;
	case NE: return field != value;
	default: return (field & value) != 0;
	}
}

static int holds_unsigned(int op, uint64_t field, uint64_t value)
{
	switch (op) {
	case LT: return field < value;
	case LE: return field <= value;
	case GT: return field > value;
	case GE: return field >= value;
	case EQ: return field == value;
	case NE: return field != value;
	default: return (field & value) != 0;
	}
}

static int64_t cut(uint64_t value, uint32_t size, int is_signed)
{
	switch (size) {
	case 1: return is_signed ? (int64_t)(int8_t)value : (int64_t)(uint8_t)value;
	case 2: return is_signed ? (int64_t)(int16_t)value : (int64_t)(uint16_t)value;
	case 4: return is_signed ? (int64_t)(int32_t)value : (int64_t)(uint32_t)value;
	default: return (int64_t)value;
	}
}

static int number_passes(const struct model *model, const struct kernel_field *field, int op,
			 uint64_t value)
{
	uint64_t bytes = 0;

	if (field->type == CPU)
		return op != BAND && holds_signed(op, model->record->cpu, (int)value);
	if (field->is_pid)
		return holds_signed(op, model->record->pid, (int)value);
	if (field->size != 1 && field->size != 2 && field->size != 4 && field->size != 8)
		return 0;
	memcpy((uint8_t *)&bytes + (HOST_IS_BIG_ENDIAN ? sizeof(bytes) - field->size : 0),
	       model->record->bytes + field->offset, field->size);
	bytes = (uint64_t)cut(bytes, field->size, field->is_signed);
	value = (uint64_t)cut(value, field->size, field->is_signed);
	return field->is_signed ? holds_signed(op, (int64_t)bytes, (int64_t)value) :
				  holds_unsigned(op, bytes, value);
}

/* Text */

static unsigned char byte_at(const struct model *model, size_t at)
{
	return at < model->record->length ? model->record->bytes[at] : 'Z';
}

/* lib/glob.c, with the text as a function. */
static int glob_match(const char *pat, const unsigned char *str, size_t end)
{
	const char *back_pat = NULL;
	size_t at = 0, back_at = 0;

	for (;;) {
		unsigned char c = at >= end ? 0 : str[at], d = (unsigned char)*pat++;
		int match = 0;

		at++;
		if (d == '?') {
			if (!c)
				return 0;
			continue;
		}
		if (d == '*') {
			if (!*pat)
				return 1;
			back_pat = pat;
			back_at = --at;
			continue;
		}
		if (d == '[')
			abort(); /* the tool writes none */
		if (d == '\\')
			d = (unsigned char)*pat++;
		match = c == d;
		if (match && !d)
			return 1;
		if (match)
			continue;
		if (!c || !back_pat)
			return 0;
		pat = back_pat;
		at = ++back_at;
	}
}

/* filter_parse_regex() and the functions that it chooses. */
static int regex(char *pattern, const unsigned char *str, size_t field_length, size_t room,
		 int is_glob, int ends_at_nul)
{
	enum { FULL, FRONT, MIDDLE, END } type = FULL;
	size_t length = strlen(pattern);

	for (size_t i = 0; is_glob && i < length && !isdigit((unsigned char)pattern[0]); i++) {
		if (strchr("[?\\", pattern[i]) ||
		    (pattern[i] == '*' && i && i != length - 1))
			return glob_match(pattern, str,
					  field_length && !ends_at_nul ? field_length : room);
		if (pattern[i] != '*')
			continue;
		if (i && i == length - 1) {
			type = type == END ? MIDDLE : FRONT;
			pattern[i] = '\0';
		} else {
			type = END;
		}
	}
	pattern += (type == END || type == MIDDLE) && *pattern == '*';
	length = strlen(pattern);
	switch (type) {
	case FULL:
		if (field_length && field_length < length)
			return 0;
		return !strncmp((const char *)str, pattern, field_length ? field_length : room);
	case FRONT:
		return !(field_length && field_length < length) &&
		       !strncmp((const char *)str, pattern, length);
	case MIDDLE:
		return memmem(str, field_length, pattern, length) != NULL;
	default:
		return field_length >= length + 1 &&
		       !memcmp(str + field_length - 1 - length, pattern, length);
	}
}

static int text_passes(const struct model *model, const struct kernel_field *field, int op,
		       char *pattern)
{
	unsigned char text[512] = { 0 };
	size_t begin = field->offset, length = field->size;
	uint32_t location = 0;

	if (field->type == COMM) {
		length = 16;
		memcpy(text, model->record->comm, 16);
	} else {
		if (field->type == RDYN_STRING) {
			memcpy(&location, model->record->bytes + field->offset, 4);
			begin = field->offset + 4 + (location & 0xffff);
			length = location >> 16;
		}
		for (size_t i = 0; i < sizeof(text) - 1; i++)
			text[i] = byte_at(model, begin + i);
	}
	return regex(pattern, text, length, sizeof(text), op == GLOB,
		     model->record->globs_end_at_nul) != (op == NE);
}

/* Syntax */

static int refuse(struct model *model)
{
	model->is_refused = 1;
	return 0;
}

static void skip_blanks(struct model *model)
{
	while (isspace((unsigned char)*model->at))
		model->at++;
}

static int parse_text(struct model *model, const struct kernel_field *field, int op)
{
	const char quote = *model->at++, *end = strchr(model->at, quote);
	char pattern[256];

	if (!end || (size_t)(end - model->at) >= sizeof(pattern) || field->type == OTHER ||
	    field->type == CPU || (op != GLOB && op != EQ && op != NE))
		return refuse(model);
	memcpy(pattern, model->at, (size_t)(end - model->at));
	pattern[end - model->at] = '\0';
	model->at = end + 1;
	if (op == GLOB && *pattern == '!')
		return refuse(model); /* it would invert the result */
	return text_passes(model, field, op, pattern);
}

static int parse_number(struct model *model, const struct kernel_field *field, int op)
{
	uint64_t value;
	char *end;

	if ((field->type != OTHER && field->type != CPU) || op == GLOB)
		return refuse(model);
	errno = 0;
	value = *model->at == '-' || field->is_signed ?
			(uint64_t)strtoll(model->at, &end, 0) : strtoull(model->at, &end, 0);
	if (errno || (*model->at == '-' && !field->is_signed))
		return refuse(model);
	model->at = end;
	return number_passes(model, field, op, value);
}

static int parse_pred(struct model *model)
{
	struct kernel_field field;
	const char *name;
	int op = 0;

	skip_blanks(model);
	name = model->at;
	while (isalnum((unsigned char)*model->at) || *model->at == '_')
		model->at++;
	if (find_field(model->record->layout, name, (size_t)(model->at - name), &field))
		return refuse(model);
	skip_blanks(model);
	while (op < OPERATORS && strncmp(model->at, operators[op], strlen(operators[op])))
		op++;
	if (op == OPERATORS)
		return refuse(model);
	model->at += strlen(operators[op]);
	skip_blanks(model);
	if (*model->at == '"' || *model->at == '\'')
		return parse_text(model, &field, op);
	return isdigit((unsigned char)*model->at) || *model->at == '-' ?
		       parse_number(model, &field, op) : refuse(model);
}

static int parse_or(struct model *model);

static int parse_one(struct model *model)
{
	int result;

	skip_blanks(model);
	if (*model->at == '!') {
		model->at++;
		return !parse_one(model);
	}
	if (*model->at != '(')
		return parse_pred(model);
	model->at++;
	result = parse_or(model);
	skip_blanks(model);
	if (*model->at != ')')
		return refuse(model);
	model->at++;
	return result;
}

static int parse_joined(struct model *model, const char *joint)
{
	const int is_and = *joint == '&';
	int result = is_and ? parse_one(model) : parse_joined(model, "&&");

	for (;;) {
		int next;

		skip_blanks(model);
		if (model->is_refused || strncmp(model->at, joint, 2))
			return result;
		model->at += 2;
		next = is_and ? parse_one(model) : parse_joined(model, "&&");
		result = is_and ? result && next : result || next;
	}
}

static int parse_or(struct model *model)
{
	return parse_joined(model, "||");
}

int kernel_passes(const char *filter, const struct kernel_record *record)
{
	struct model model = { filter, record, 0 };
	const int result = parse_or(&model);

	skip_blanks(&model);
	return model.is_refused || *model.at ? -1 : result;
}
