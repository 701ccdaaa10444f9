/* SPDX-License-Identifier: MIT */
/* A collector's file of settings: each line is checked, and leaves no memory behind. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/settings.h"
#include "common/cli/message.h"
#include "common/where/where.h"

struct where *__real_where_parse(const char *text);
struct where *__wrap_where_parse(const char *text);
void __real_where_free(struct where *where);
void __wrap_where_free(struct where *where);

static int expressions; /* that exist */

struct where *__wrap_where_parse(const char *text)
{
	struct where *where = __real_where_parse(text);

	expressions += where != NULL;
	return where;
}

void __wrap_where_free(struct where *where)
{
	expressions -= where != NULL;
	__real_where_free(where);
}

static struct settings given;
static const struct tool_option options[] = {
	{ .name = "where", .text = &given.where, .value = "EXPR" },
	{ .name = "otlp", .text = &given.to.endpoint, .value = "URL" },
	{ .name = "max-rate", .text = &given.max_rate, .value = "N/s" },
	{ .name = "queue", .number = &given.queue, .value = "BYTES" },
	OPTIONS_END,
};
static const struct usage usage = {
	.command = "collect", .arguments = "", .help = "", .options = options,
};

static int begin(void **state)
{
	(void)state;
	given = (struct settings){ .config = NULL };
	expressions = 0;
	return 0;
}

/* said: the messages, to be freed. */
static int take(const char *text, char **said)
{
	char *copy = strdup(text);
	size_t length;
	FILE *to = open_memstream(said, &length);
	int status;

	assert_non_null(copy);
	assert_non_null(to);
	message_divert(to);
	status = config_file_take(copy, "FILE", &given, &usage);
	if (!status)
		status = settings_check(&given, &usage);
	message_divert(NULL);
	fclose(to);
	free(copy);
	return status;
}

static void later_lines_free_the_expression(void **state)
{
	char *said;

	(void)state;
	assert_int_equal(take("where = level <= 3\n"
			      "otlp = http://localhost:4318\n"
			      "queue = 1M\n"
			      "max-rate = 5/s\n", &said), 0);
	assert_string_equal(said, "");
	assert_non_null(given.expression);
	assert_int_equal(expressions, 1);
	settings_free(&given);
	assert_int_equal(expressions, 0);
	free(said);
}

static void the_last_expression_counts(void **state)
{
	char *said;

	(void)state;
	assert_int_equal(take("otlp = http://localhost:4318\n"
			      "where = n == 1\n"
			      "where = n == 2\n", &said), 0);
	assert_string_equal(given.where, "n == 2");
	assert_int_equal(expressions, 1);
	settings_free(&given);
	assert_int_equal(expressions, 0);
	free(said);
}

static void a_wrong_line_is_named_and_leaves_none(void **state)
{
	char *said;

	(void)state;
	assert_int_equal(take("where = level <= 3\n"
			      "max-rate = fast\n"
			      "queue = 1M\n", &said), EXIT_WRONG_USAGE);
	assert_non_null(strstr(said, "line 2 of FILE"));
	assert_int_equal(given.queue, 0);
	settings_free(&given);
	assert_int_equal(expressions, 0);
	free(said);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(later_lines_free_the_expression, begin),
		cmocka_unit_test_setup(the_last_expression_counts, begin),
		cmocka_unit_test_setup(a_wrong_line_is_named_and_leaves_none, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
