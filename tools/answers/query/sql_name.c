/* SPDX-License-Identifier: MIT */
/* Makes names of SQL, and quotes them. */
#include "sql_name.h"

#include <string.h>

#include <userevents/decode/render.h>

#include "common/cli/memory.h"
#include "common/cli/safe_text.h"

/* All columns of a table fit into a statement, whatever their names. */
#define NAME_MAX_BYTES 200

char *sql_name(const char *name, size_t length)
{
	const struct ue_value value = {
		.bytes = (const uint8_t *)name,
		.length = (uint32_t)(length < NAME_MAX_BYTES ? length : NAME_MAX_BYTES),
		.encoding = UE_ENCODING_ZSTRING_CHAR8,
	};
	char text[2 * NAME_MAX_BYTES + 1]; /* a byte that is not UTF-8 becomes two */

	ue_value_to_text(&value, 0, text, sizeof(text));
	controls_blank(text, length ? strlen(text) : 0);
	return xstrdup(length ? text : "(no name)");
}

static void quote(struct bytes *sql, const char *text, char mark)
{
	bytes_add(sql, &mark, 1);
	for (; *text; text++) {
		if (*text == mark)
			bytes_add(sql, &mark, 1);
		bytes_add(sql, text, 1);
	}
	bytes_add(sql, &mark, 1);
}

void sql_quote_name(struct bytes *sql, const char *name)
{
	quote(sql, name, '"');
}

void sql_quote_text(struct bytes *sql, const char *text)
{
	quote(sql, text, '\'');
}

void sql_add(struct bytes *sql, const char *text)
{
	bytes_add(sql, text, strlen(text));
}
