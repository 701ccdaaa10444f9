/* SPDX-License-Identifier: MIT */
/*
 * Comparisons of text for the kernel, which differs from where_glob.c:
 *
 *  - It compares bytes; so non-ASCII text is left to this program, and "?" and sets, which
 *    are characters here, become "?*".
 *  - "1*" is no glob to it, as it begins with a digit, and "*a" compares with the end of the
 *    array, not of the text. A backslash makes a real glob of either.
 *  - Where a glob follows text to its end, an array without a NUL may be read beyond it; so
 *    such a glob gets a "*" at its end, and its opposite is left to this program.
 *  - Dynamic text of length 0 is taken for what follows it. "~ *" never holds for that.
 */
#include <stdlib.h>
#include <string.h>

#include "kernel_filter.h"
#include "common/cli/bytes.h"
#include "common/cli/memory.h"

/* MAX_FILTER_STR_VAL, with a NUL. */
#define KERNEL_TEXT_MAX 255u

static int is_ascii(const char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			return 0;
	return 1;
}

/* The kernel knows no escape inside of quotes. NULL: there is none that the text lacks. */
static const char *quote_for(const char *text)
{
	return !strchr(text, '"') ? "\"" : !strchr(text, '\'') ? "'" : NULL;
}

static struct part written(const char *negation, const struct kernel_text *text,
			   const char *operator, const char *literal, int may_be_empty)
{
	const char *quote = quote_for(literal);
	struct part part = { .kind = PART_TEXT };

	if (!quote || strlen(literal) > KERNEL_TEXT_MAX)
		return part_any;
	part.text = xprintf("%s%.*s %s %s%s%s", negation, text->length, text->name, operator,
			    quote, literal, quote);
	if (text->is_dynamic && may_be_empty) {
		char *first = part.text;

		part.text = xprintf("%s || !%.*s ~ \"*\"", first, text->length, text->name);
		part.is_joined_by_or = 1;
		free(first);
	}
	return part;
}

static struct part equality(const char *literal, const struct kernel_text *text, int is_equal)
{
	if (!is_ascii(literal))
		return part_any;
	return written("", text, is_equal ? "==" : "!=", literal, !is_equal || !*literal);
}

/* Globs */

/* The end of an item that is no '*'. */
static const char *skip_item(const char *glob)
{
	if (*glob == '[') {
		glob += glob[1] == '!';
		glob = strchr(glob + 2, ']');
	} else if (*glob == '\\') {
		glob++;
	}
	for (glob++; ((unsigned char)*glob & 0xc0) == 0x80;)
		glob++;
	return glob;
}

static void add(struct bytes *to, char c)
{
	/* "**" is "*" */
	if (c != '*' || !to->length || to->at[to->length - 1] != '*' ||
	    (to->length > 1 && to->at[to->length - 2] == '\\'))
		bytes_add(to, &c, 1);
}

/* The same glob, or one that matches more. is_exact: whether it is the same. */
static char *convert(const char *glob, int is_array, int *is_exact)
{
	struct bytes to = { .at = NULL };
	int has_escape = 0;

	*is_exact = 1;
	while (*glob) {
		const char *next = *glob == '*' ? glob + 1 : skip_item(glob);
		const char c = *glob == '\\' ? glob[1] : *glob;

		if (*glob == '*') {
			add(&to, '*');
		} else if (*glob == '?' || *glob == '[' || c < ' ' || c > '~') {
			add(&to, '?');
			add(&to, '*');
			*is_exact = 0;
		} else {
			if (!has_escape || strchr("*?[\\!", c))
				add(&to, '\\');
			has_escape = 1;
			bytes_add(&to, &c, 1);
		}
		glob = next;
	}
	if (is_array) {
		add(&to, '*');
		*is_exact = 0;
	}
	bytes_add(&to, "", 1);
	return (char *)to.at;
}

static struct part glob(const char *literal, const struct kernel_text *text, int is_negated)
{
	int is_exact;
	char *converted = convert(literal, text->room != 0, &is_exact);
	struct part part = part_any;

	if (!*converted)
		part = equality("", text, !is_negated);
	else if (!strcmp(converted, "*"))
		part = is_negated && is_exact ? part_none : part_any;
	else if (!is_negated)
		part = written("", text, "~", converted, 0);
	else if (is_exact)
		part = written("!", text, "~", converted, 1);
	free(converted);
	return part;
}

struct part text_part(const struct comparison *comparison, const char *literal,
		      const struct kernel_text *text)
{
	if (comparison->operator == WHERE_GLOB)
		return glob(literal, text, comparison->is_negated);
	return equality(literal, text, (comparison->operator == WHERE_EQUAL) !=
					       comparison->is_negated);
}
