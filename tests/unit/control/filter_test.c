/* SPDX-License-Identifier: MIT */
/*
 * Filters of the kernel, as the tool checks them. malformed_filters.txt and
 * doubtful_filters.txt are also written into real kernels, by
 * tests/kernel/control/filter_test.py.
 *
 * Arguments: kinds.format and these two files.
 */
#include "../test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "kernel/filter/kfilter.h"

#define NEWEST 6012
#define OLDEST 6001

static char *format, *malformed, *doubtful;

static struct tracepoint *new_kinds(void)
{
	return tracepoint_new("user_events", NULL, format, strlen(format), 0);
}

static int check(const char *text, int kernel, struct kfilter_faults *faults)
{
	struct tracepoint *tracepoint = new_kinds();
	int result = kfilter_check(text, tracepoint, kernel, faults);

	tracepoint_free(tracepoint);
	return result;
}

/* The verdict of the check on a filter, as the tables write it. */
static char *said(const char *text, int kernel, int *result)
{
	struct kfilter_faults faults = { 0 };
	struct bytes answer = { 0 };

	*result = check(text, kernel, &faults);
	assert_int_equal(*result != 0, kfilter_refusal(&faults) != NULL);
	for (size_t i = 0; i < faults.count; i++) {
		char *line = xprintf("%*s^ %s\n", (int)faults.items[i].at, "",
				     faults.items[i].sentence);

		assert_true(faults.items[i].at <= strlen(text));
		bytes_add(&answer, line, strlen(line));
		free(line);
	}
	bytes_add(&answer, "", 1);
	kfilter_faults_free(&faults);
	return (char *)answer.at;
}

/* Tables */

struct entry {
	char *text;
	char *said;
	int since; /* the kernel */
};

static int is_said(const char *line)
{
	return line[strspn(line, " ")] == '^';
}

static char *line_end(char *line)
{
	return line + strcspn(line, "\n");
}

/* Take the next entry from a table: 0 at the end. */
static int next_entry(char **rest, struct entry *entry)
{
	char *begin, *end;

	while (**rest == '#') {
		if ((*rest)[1] == '#')
			entry->since = (int)strtol(*rest + 2, NULL, 10);
		*rest = line_end(*rest) + 1;
	}
	if (!**rest)
		return 0;
	end = line_end(*rest);
	entry->text = xstrndup(*rest, (size_t)(end - *rest));
	for (begin = end = end + 1; *end && is_said(end);)
		end = line_end(end) + 1;
	entry->said = xstrndup(begin, (size_t)(end - begin));
	*rest = end;
	return 1;
}

static void check_table(char *table, int is_refused, int at_least)
{
	struct entry entry = { 0 };
	int count = 0, result;

	for (; next_entry(&table, &entry); count++) {
		char *answer = said(entry.text, NEWEST, &result);

		if (strcmp(answer, entry.said) || (result != 0) != is_refused)
			print_error("%s\n%s", entry.text, answer);
		assert_string_equal(answer, entry.said);
		assert_int_equal(result != 0, is_refused);
		free(answer);
		free(entry.text);
		free(entry.said);
	}
	assert_true(count >= at_least);
}

static void malformed_filters_are_refused_with_sentence_and_place(void **state)
{
	(void)state;
	check_table(malformed, 1, 140);
}

static void doubtful_filters_are_accepted_with_warnings(void **state)
{
	(void)state;
	check_table(doubtful, 0, 60);
}

/* Those that older kernels do not have are refused because of that. */
static void older_kernels_refuse_what_they_cannot_do(void **state)
{
	struct entry entry = { 0 };
	char *rest = malformed;
	int count = 0, result;

	(void)state;
	while (next_entry(&rest, &entry)) {
		char *answer = said(entry.text, OLDEST, &result);

		assert_true(result);
		if (!entry.since)
			assert_string_equal(answer, entry.said);
		else if (strstr(answer, "Linux 6.1"))
			count++;
		free(answer);
		free(entry.text);
		free(entry.said);
	}
	assert_true(count >= 40);
}

static void check_said(const char *text, int kernel, int is_refused, const char *expected)
{
	int result;
	char *answer = said(text, kernel, &result);

	assert_string_equal(answer, expected);
	assert_int_equal(result != 0, is_refused);
	free(answer);
}

static void a_version_without_a_part_is_named(void **state)
{
	(void)state;
	check_said("id == 1 && path == \"/\"", 6003, 1,
		   "           ^ Linux 6.3 cannot compare the text of user events such as "
		   "\"path\"; Linux 6.4 can, and so can --where of other commands\n");
	check_said("path == \"/\"", 6004, 0, "");
	check_said("shard & CPUS{0}", 6005, 1, "        ^ Linux 6.5 has no \"CPUS{}\"; Linux 6.6 "
					       "has\n");
	check_said("shard & CPUS{0}", 6006, 0, "");
	check_said("id.function == ksys_read", 6005, 1,
		   "  ^ Linux 6.5 has no \".function\"; Linux 6.6 has\n");
	check_said("stacktrace == 1", 6002, 1,
		   "^ the event has no field \"stacktrace\"\n");
	/* the kernel knew the text of its own events */
	check_said("comm == \"bash\"", OLDEST, 0, "");
}

/* Other filters */

static void plain_filters_have_no_fault(void **state)
{
	static const char *const plain[] = {
		"id == 1", "id==1", " id\t==\n1 ", "!id == 1", "!!id == 1", "!(id == 1)",
		"! ( id == 1 )", "(((id == 1)))", "id == 1 && b == 2", "id == 1||b == 2&&c == 3",
		"(id == 1 || b == 2) && !(c == 3 && !(h == 4))", "id != 0xffffffffffffffff",
		"id & 0x10", "id == 0x1F || l == -1 && i >= -0x10", "b == 255 && b > 254",
		"c == -128 && c < 127", "letter == 97", "c & 0xff", "verb == \"GET\"",
		"verb == 'EIGHTEEN' || verb ~ \"*GE*\"", "path == 'a\"' && path ~ \"it's*\"",
		"path == \"\"", "path ~ \"*.html\"", "path ~ \"[a-c]?\\\\*\"", "data != \"x\"",
		"comm == \"fifteen letters\"", "comm ~ \"a*\" && COMM != 'b'",
		"CPU == 1 && cpu < 2",
		"common_cpu != 0", "common_pid > 0", "common_flags & 1",
		"common_preempt_count == 0",
		"shard & CPUS{0-3,8}", "CPU & CPUS{all}", "CPU == CPUS{1}",
		"shard & CPUS{0-7:1/2}",
		"id.function == ksys_read", "(id.function != ksys_read ) && b == 1",
		"id.function == 0xffffffff81000000", "path == \"id == 1)\" && b == 1",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		int result;
		char *answer = said(plain[i], NEWEST, &result);

		if (*answer)
			print_error("%s\n%s", plain[i], answer);
		assert_int_equal(result, 0);
		assert_string_equal(answer, "");
		free(answer);
	}
}

static void the_type_of_an_event_is_a_constant(void **state)
{
	(void)state;
	check_said("common_type == 416", NEWEST, 0,
		   "^ this always holds, as \"common_type\" of this event is 416\n");
	check_said("common_type > 416", NEWEST, 0,
		   "^ this never holds, as \"common_type\" of this event is 416\n");
}

static void the_last_of_two_fields_of_a_name_counts(void **state)
{
	static const char two[] = "name: two\nID: 1\nformat:\n"
				  "\tfield:char a[];\toffset:8;\tsize:8;\tsigned:1;\n"
				  "\tfield:u8 a;\toffset:16;\tsize:1;\tsigned:0;\n";
	struct tracepoint *tracepoint = tracepoint_new("user_events", NULL, two, strlen(two), 0);
	struct kfilter_faults faults = { 0 };

	(void)state;
	assert_non_null(tracepoint);
	assert_int_equal(kfilter_check("a == 1", tracepoint, NEWEST, &faults), 0);
	assert_int_equal(faults.count, 1);
	assert_string_equal(faults.items[0].sentence,
			    "the event has 2 fields \"a\", and the kernel compares the last");
	kfilter_faults_free(&faults);
	assert_int_equal(kfilter_check("a == \"x\"", tracepoint, NEWEST, &faults), -1);
	kfilter_faults_free(&faults);
	tracepoint_free(tracepoint);
}

static void a_field_hides_what_every_event_has(void **state)
{
	struct tracepoint *tracepoint = tracepoint_define("hides u32 comm; char[4] CPU", 0);
	struct kfilter_faults faults = { 0 };

	(void)state;
	assert_non_null(tracepoint);
	assert_int_equal(kfilter_check("comm == 1 && CPU == \"a\" && cpu == 1", tracepoint, NEWEST,
				       &faults), 0);
	assert_int_equal(faults.count, 0);
	tracepoint_free(tracepoint);
}

/* Long and deep ones */

static char *repeated(const char *unit, size_t count, const char *end)
{
	struct bytes text = { 0 };

	for (size_t i = 0; i < count; i++)
		bytes_add(&text, unit, strlen(unit));
	bytes_add_text(&text, end);
	return (char *)text.at;
}

static void lengths_of_the_kernel_are_kept(void **state)
{
	char *longest = repeated("x", 255, "\""), *longer = repeated("x", 256, "\"");
	char *text = xprintf("path == \"%s", longest), *long_text = xprintf("path == \"%s", longer);
	struct kfilter_faults faults = { 0 };
	char *page = repeated(" ", 4095 - 7, "id == 1"), *more = repeated(" ", 4096 - 7, "id == 1");

	(void)state;
	check_said(text, NEWEST, 0, "");
	check_said(long_text, NEWEST, 1, "        ^ the text has more than 255 bytes\n");
	check_said("id == 0x00000000000000000000ff", NEWEST, 1,
		   "      ^ \"0x00000000000000000000ff\" has too many digits\n");
	check_said(page, NEWEST, 0, "");
	assert_int_equal(check(more, NEWEST, &faults), -1);
	assert_int_equal(faults.items[0].at, 4095);
	assert_string_equal(faults.items[0].sentence, "it has more than 4095 bytes");
	kfilter_faults_free(&faults);
	free(longest);
	free(longer);
	free(text);
	free(long_text);
	free(page);
	free(more);
}

static void parentheses_may_be_as_deep_as_the_text_is_long(void **state)
{
	char *open = repeated("(", 2000, "id == 1"), *close = repeated(")", 2000, "");
	char *text = xprintf("%s%s", open, close), *unclosed = xprintf("(%s", text);
	struct kfilter_faults faults = { 0 };

	(void)state;
	check_said(text, NEWEST, 0, "");
	assert_int_equal(check(unclosed, NEWEST, &faults), -1);
	assert_int_equal(faults.items[0].at, 0);
	kfilter_faults_free(&faults);
	free(open);
	free(close);
	free(text);
	free(unclosed);
}

/* Parts of filters in any order: it must not crash, and a fault lies within the text. */
static void any_text_is_survived(void **state)
{
	static const char *const parts[] = {
		"id", "b", "path", "verb", "comm", "CPU", "CPUS{", "}", "0-1", ",", ":1/2", "==",
		"!=", "~", "&", "&&", "||", "|", "!", "(", ")", "\"", "'", "*", "[", "\\", "1",
		"-1",
		"0x", "300", ".function", ".ustring", "ksys_read", " ", " ", " ", "\n", "\xc3\xa4",
		"\x1b", "%s", "N", "all",
	};
	unsigned random = 1;

	(void)state;
	for (int i = 0; i < 100000; i++) {
		char text[256] = "", *answer;
		int result;

		for (int j = 0; j < 12; j++) {
			random = random * 1103515245 + 12345;
			strcat(text, parts[(random >> 16) % (sizeof(parts) / sizeof(parts[0]))]);
		}
		answer = said(text, random & 1 << 20 ? NEWEST : OLDEST, &result);
		free(answer);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(malformed_filters_are_refused_with_sentence_and_place),
		cmocka_unit_test(doubtful_filters_are_accepted_with_warnings),
		cmocka_unit_test(older_kernels_refuse_what_they_cannot_do),
		cmocka_unit_test(a_version_without_a_part_is_named),
		cmocka_unit_test(plain_filters_have_no_fault),
		cmocka_unit_test(the_type_of_an_event_is_a_constant),
		cmocka_unit_test(the_last_of_two_fields_of_a_name_counts),
		cmocka_unit_test(a_field_hides_what_every_event_has),
		cmocka_unit_test(lengths_of_the_kernel_are_kept),
		cmocka_unit_test(parentheses_may_be_as_deep_as_the_text_is_long),
		cmocka_unit_test(any_text_is_survived),
	};

	if (argc != 4)
		return 2;
	format = read_file(argv[1], NULL);
	malformed = read_file(argv[2], NULL);
	doubtful = read_file(argv[3], NULL);
	if (!format || !malformed || !doubtful)
		return 2;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
