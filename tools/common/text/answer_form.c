/* SPDX-License-Identifier: MIT */
/* Prints answers as JSON, CSV and TSV. */
#include "text_table.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/cli/program.h"

int answer_form_choose(const struct form_options *options, const struct usage *usage,
		       enum answer_form *form)
{
	*form = options->is_json ? FORM_JSON : options->is_csv ? FORM_CSV :
		options->is_tsv ? FORM_TSV : FORM_TEXT;
	if (options->is_json + options->is_csv + options->is_tsv > 1)
		return options_complain(usage, "--json, --csv and --tsv exclude each other");
	return 0;
}

/* Reads JSON of this program: without blanks between tokens, and never malformed. */

static const char *skip_string(const char *at)
{
	for (at++; *at != '"'; at++)
		at += *at == '\\';
	return at + 1;
}

static const char *skip_value(const char *at)
{
	int depth = 0;

	do {
		if (*at == '"') {
			at = skip_string(at);
			continue;
		}
		if (*at == '{' || *at == '[')
			depth++;
		if (*at == '}' || *at == ']')
			depth--;
		at++;
	} while (depth || !strchr(",}]", *at));
	return at;
}

/* The value of a member of an object; NULL: it has none. */
static const char *member_of(const char *object, const char *name)
{
	const size_t length = strlen(name);

	for (const char *at = object + 1; *at == '"'; at += *at == ',') {
		const char *value = skip_string(at) + 1;

		if (!strncmp(at + 1, name, length) && at[length + 1] == '"')
			return value;
		at = skip_value(value);
	}
	return NULL;
}

/* Columns: the names of members, in the order in which they appear. */

struct columns {
	char **names;
	const char **values; /* of a row, in JSON; NULL: none */
	size_t count;
};

static void set(struct columns *columns, char *name, const char *value)
{
	size_t at = 0;

	while (at < columns->count && strcmp(columns->names[at], name))
		at++;
	if (at == columns->count) {
		columns->values = xgrow(columns->values, columns->count, sizeof(*columns->values));
		columns->names = xgrow(columns->names, columns->count, sizeof(*columns->names));
		columns->names[columns->count++] = xstrdup(name);
	}
	columns->values[at] = value;
	free(name);
}

static void take_object(struct columns *columns, const char *object, const char *outer)
{
	for (const char *at = object + 1; *at == '"'; at += *at == ',') {
		const char *value = skip_string(at) + 1;
		char *name = xprintf("%s%s%.*s", outer, *outer ? "." : "",
				     (int)(value - at - 3), at + 1);

		if (*value == '{') {
			take_object(columns, value, name);
			free(name);
		} else if (*value == '[') {
			free(name);
		} else {
			set(columns, name, value);
		}
		at = skip_value(value);
	}
}

static void put_row(const struct columns *columns, enum answer_form form, struct bytes *to);

/* form: FORM_TEXT: find the columns alone. */
static void each_row(const char *array, struct columns *columns, enum answer_form form,
		     struct bytes *to)
{
	for (const char *at = array + 1; *at == '{'; at += *at == ',') {
		for (size_t i = 0; i < columns->count; i++)
			columns->values[i] = NULL;
		take_object(columns, at, "");
		if (form)
			put_row(columns, form, to);
		at = skip_value(at);
	}
}

/* Values */

static uint32_t hex_at(const char *at)
{
	char digits[5] = { at[0], at[1], at[2], at[3], 0 };

	return (uint32_t)strtoul(digits, NULL, 16);
}

/* An escape, from behind its backslash; at is left on its last character. */
static void put_escaped(const char **at, struct bytes *to)
{
	static const char from[] = "nrtbf", meant[] = "\n\r\t\b\f";
	const char *named = strchr(from, **at);

	if (**at == 'u') {
		bytes_add_utf8(to, hex_at(*at + 1));
		*at += 4;
	} else {
		bytes_add(to, named ? &meant[named - from] : *at, 1);
	}
}

/* Returns whether it is text. */
static int put_value(const char *value, struct bytes *to)
{
	const char *end = skip_value(value);

	if (*value != '"') {
		bytes_add(to, value, (size_t)(end - value));
		return 0;
	}
	for (const char *at = value + 1; at < end - 1; at++)
		if (*at == '\\' && at++)
			put_escaped(&at, to);
		else
			bytes_add(to, at, 1);
	return 1;
}

/* Cells */

static void quote_csv(const uint8_t *text, size_t length, int must, struct bytes *to)
{
	for (size_t i = 0; i < length && !must; i++)
		must = text[i] && strchr(",\"\n\r", text[i]) != NULL;
	bytes_add(to, "\"", (size_t)must);
	for (size_t i = 0; i < length; i++)
		bytes_add(to, text[i] == '"' ? (const uint8_t *)"\"\"" : &text[i],
			  text[i] == '"' ? 2 : 1);
	bytes_add(to, "\"", (size_t)must);
}

static void escape_tsv(const uint8_t *text, size_t length, struct bytes *to)
{
	static const char from[] = "\t\n\r\\";
	static const char *const escapes[] = { "\\t", "\\n", "\\r", "\\\\" };

	for (size_t i = 0; i < length; i++) {
		const char *special = text[i] ? strchr(from, text[i]) : NULL;

		if (special)
			bytes_put(to, escapes[special - from]);
		else
			bytes_add(to, &text[i], 1);
	}
}

void cell_end(struct bytes *out, size_t begin, enum answer_form form, int is_text)
{
	AUTO(bytes_free) struct bytes cell = { .at = NULL };

	bytes_add(&cell, out->at + begin, out->length - begin);
	if (output_is_terminal() && cell.length)
		controls_blank((char *)cell.at, cell.length);
	out->length = begin;
	if (form == FORM_CSV)
		quote_csv(cell.at, cell.length, is_text && !cell.length, out);
	else
		escape_tsv(cell.at, cell.length, out);
}

void cell_null(struct bytes *out, enum answer_form form)
{
	bytes_put(out, form == FORM_CSV ? "" : "\\N");
}

void cell_separate(struct bytes *out, enum answer_form form, int is_first)
{
	bytes_add(out, form == FORM_CSV ? "," : "\t", !is_first);
}

/* Rows */

static void put_cell(const char *value, enum answer_form form, struct bytes *to)
{
	const size_t begin = to->length;

	if (!value || !strncmp(value, "null", 4))
		cell_null(to, form);
	else
		cell_end(to, begin, form, put_value(value, to));
}

static void put_row(const struct columns *columns, enum answer_form form, struct bytes *to)
{
	for (size_t i = 0; i < columns->count; i++) {
		cell_separate(to, form, !i);
		put_cell(columns->values[i], form, to);
	}
	bytes_put(to, "\n");
}

static void put_rows(const char *array, enum answer_form form, struct bytes *to)
{
	struct columns columns = { .names = NULL };

	each_row(array, &columns, FORM_TEXT, to);
	for (size_t i = 0; i < columns.count; i++) {
		cell_separate(to, form, !i);
		bytes_put(to, columns.names[i]);
	}
	if (columns.count)
		bytes_put(to, "\n");
	each_row(array, &columns, form, to);
	for (size_t i = 0; i < columns.count; i++)
		free(columns.names[i]);
	free(columns.names);
	free(columns.values);
}

/* The answer as an array of one object. */
static const char *whole(struct bytes *json)
{
	char *array = xprintf("[%s]", (const char *)json->at);

	json->length = 0;
	bytes_add(json, array, strlen(array) + 1);
	free(array);
	return (const char *)json->at;
}

void answer_print(struct bytes *json, enum answer_form form, const char *const *members)
{
	const char *array = NULL;
	AUTO(bytes_free) struct bytes rows = { .at = NULL };

	if (form == FORM_JSON) {
		bytes_add(json, "\n", 1);
		bytes_print(json);
		bytes_free(json);
		return;
	}
	bytes_add(json, "", 1);
	for (; *members && !array; members++)
		array = **members ? member_of((const char *)json->at, *members) : whole(json);
	if (array)
		put_rows(array, form, &rows);
	bytes_print(&rows);
	bytes_free(json);
}
