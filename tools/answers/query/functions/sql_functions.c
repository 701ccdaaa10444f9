/* SPDX-License-Identifier: MIT */
/* The functions of one row: time_text(NS), duration_text(NS) and bar(N, OF, WIDTH). */
#include "sql_functions.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "common/text/amount.h"

/* Times before this one, in 2001, are of a clock that began when the machine did. */
#define FIRST_DATE INT64_C(1000000000000000000)

static void call_time_text(sqlite3_context *context, int count, sqlite3_value **values)
{
	const int64_t ns = sqlite3_value_int64(values[0]);
	char text[DATE_TEXT_MAX];

	(void)count;
	if (!sql_is_number(context, values[0]))
		return;
	time_text(text, ns, ns >= FIRST_DATE);
	sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

static void answer_duration_text(sqlite3_context *context, int count, sqlite3_value **values)
{
	char text[QUANTITY_TEXT_MAX];

	(void)count;
	if (!sql_is_number(context, values[0]))
		return;
	quantity_text(text, sqlite3_value_double(values[0]), UNIT_NS);
	sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

#define BAR_WIDTH 40
#define BAR_WIDTH_MAX 1000

/* '#', as many of WIDTH as N is of OF. */
static void bar(sqlite3_context *context, int count, sqlite3_value **values)
{
	const double width = count > 2 ? sqlite3_value_double(values[2]) : BAR_WIDTH;
	const double share = sqlite3_value_double(values[0]) /
			     sqlite3_value_double(values[1]);
	char text[BAR_WIDTH_MAX + 1];
	int length = 0;

	for (int i = 0; i < count; i++)
		if (!sql_is_number(context, values[i]))
			return;
	if (share > 0 && width > 0) /* not NaN */
		length = (int)(fmin(share, 1) * fmin(width, BAR_WIDTH_MAX) + 0.5);
	for (int i = 0; i < length; i++)
		text[i] = '#';
	sqlite3_result_text(context, text, length, SQLITE_TRANSIENT);
}

int sql_functions_add(sqlite3 *handle)
{
	static const struct {
		const char *name;
		int arguments;
		void (*call)(sqlite3_context *context, int count, sqlite3_value **values);
		const char *shown;
	} all[] = {
		{ "time_text", 1, call_time_text, "time_text()" },
		{ "duration_text", 1, answer_duration_text, "duration_text()" },
		{ "bar", 2, bar, "bar()" },
		{ "bar", 3, bar, "bar()" },
	};
	int result = SQLITE_OK;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]) && !result; i++)
		result = sqlite3_create_function_v2(
			handle, all[i].name, all[i].arguments,
			SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
			(void *)all[i].shown, all[i].call, NULL, NULL, NULL);
	return result			  ? result :
	       sql_percentile_add(handle) ? SQLITE_ERROR :
					    sql_histogram_add(handle);
}
