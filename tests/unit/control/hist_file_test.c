/* SPDX-License-Identifier: MIT */
/* Texts of kernels' histograms, whole and damaged, and the tables made of them. */
#include "../test.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "kernel/khist/kernel_question.h"

#define HEAD(info) "# event histogram\n#\n# trigger info: hist:" info " [active]\n#\n\n"
#define TOTALS(hits, entries, dropped) \
	"\nTotals:\n    Hits: " hits "\n    Entries: " entries "\n    Dropped: " dropped "\n"
/* The kernel pads texts to 50 bytes. */

#define BLANKS_10 "          "
#define BLANKS_40 BLANKS_10 BLANKS_10 BLANKS_10 BLANKS_10

/* The same on 6.12 and 6.1. */
static const char two_keys[] =
	HEAD("keys=status.buckets=100,common_pid:vals=hitcount:sort=hitcount:size=131072")
	"{ status: ~ 4294967200-4294967299, common_pid:         40 } hitcount:          1\n"
	"{ status: ~ 200-299, common_pid:         40 } hitcount:          1\n"
	"{ status: ~ 1000-1099, common_pid:         32 } hitcount:          2\n"
	TOTALS("4", "3", "0");

static const char powers[] =
	HEAD("keys=status.log2:vals=hitcount:sort=hitcount:size=2048")
	"{ status: ~ 2^9  } hitcount:          1\n"
	"{ status: ~ 2^64 } hitcount:          3\n"
	"{ status: ~ 2^0  } hitcount:          2\n"
	TOTALS("6", "3", "7");

static const char texts[] =
	HEAD("keys=path,verb,status.buckets=10:vals=hitcount:sort=hitcount:size=128")
	"{ path: /b        " BLANKS_40 ", verb: PUT       " BLANKS_40 ", status: ~ 0-9 } "
	"hitcount:          2\n"
	"{ path: a}b,c:d   " BLANKS_40 ", verb: , verb:   " BLANKS_40 ", status: ~ 10-19 } "
	"hitcount:          1\n"
	"{ path: /quite/a/long/path/that/is/longer/than/50/characters/isnt/it, verb: DELETE7   "
	BLANKS_40 ", status: ~ 1020-1029 } hitcount:          1\n"
	"{ path: " BLANKS_10 BLANKS_40 ", verb:           " BLANKS_40 ", status: ~ 0-9 } "
	"hitcount:          1\n"
	TOTALS("5", "4", "0");

#define SHAPE(...)                                                               \
	{ (struct hist_key[]){ __VA_ARGS__ },                                     \
	  sizeof((struct hist_key[]){ __VA_ARGS__ }) / sizeof(struct hist_key) }

static const struct hist_shape two_shape =
	SHAPE({ "status", HIST_BUCKET }, { "common_pid", HIST_NUMBER });
static const struct hist_shape power_shape = SHAPE({ "status", HIST_POWER });
static const struct hist_shape text_shape =
	SHAPE({ "path", HIST_TEXT }, { "verb", HIST_TEXT }, { "status", HIST_BUCKET });
static const struct hist_shape path_shape = SHAPE({ "path", HIST_TEXT });
/* More than Linux 6.12 has. */
static const struct hist_shape four_shape =
	SHAPE({ "a", HIST_NUMBER }, { "b", HIST_NUMBER }, { "c", HIST_NUMBER },
	      { "d", HIST_NUMBER });

static struct hist_table parsed(const char *text, const struct hist_shape *shape,
				size_t sections)
{
	struct hist_table table;

	assert_int_equal(hist_file_parse(text, strlen(text), shape, sections, &table), 0);
	return table;
}

static void refuses(const char *text, size_t length, const struct hist_shape *shape)
{
	struct hist_table table;
	char *copy = xmalloc(length); /* without a NUL, so that a read beyond is seen */

	memcpy(copy, text, length);
	if (!hist_file_parse(copy, length, shape, 1, &table))
		fail_msg("accepted: %.*s", (int)length, text);
	hist_table_free(&table);
	free(copy);
}

static void cell_is(const struct hist_cell *cell, uint64_t low, uint64_t high)
{
	assert_int_equal(cell->low, low);
	assert_int_equal(cell->high, high);
}

static void text_is(const struct hist_cell *cell, const char *text)
{
	assert_int_equal(cell->length, strlen(text));
	assert_memory_equal(cell->text, text, cell->length);
}

static void buckets_and_numbers_are_read(void **state)
{
	struct hist_table table = parsed(two_keys, &two_shape, 1);

	(void)state;
	assert_int_equal(table.count, 3);
	assert_int_equal(table.hits, 4);
	assert_int_equal(table.dropped, 0);
	cell_is(&table.entries[0].keys[0], 4294967200, 4294967299);
	cell_is(&table.entries[0].keys[1], 40, 40);
	cell_is(&table.entries[2].keys[0], 1000, 1099);
	assert_int_equal(table.entries[2].hits, 2);
	hist_table_free(&table);
}

static void the_number_of_keys_has_no_limit(void **state)
{
	static const char text[] = HEAD("keys=a,b,c,d")
		"{ a: 1, b: 2, c: 3, d: 4 } hitcount: 5\n"
		"{ a: 5, b: 6, c: 7, d: 8 } hitcount: 1\n" TOTALS("6", "2", "0");
	struct hist_table table = parsed(text, &four_shape, 1);

	(void)state;
	for (uint64_t i = 0; i < 4; i++) {
		cell_is(&table.entries[0].keys[i], i + 1, i + 1);
		cell_is(&table.entries[1].keys[i], i + 5, i + 5);
	}
	hist_table_free(&table);
}

static void powers_of_2_begin_above_the_one_before(void **state)
{
	struct hist_table table = parsed(powers, &power_shape, 1);

	(void)state;
	assert_int_equal(table.dropped, 7);
	cell_is(&table.entries[0].keys[0], 257, 512);
	cell_is(&table.entries[1].keys[0], ((uint64_t)1 << 63) + 1, UINT64_MAX);
	cell_is(&table.entries[2].keys[0], 0, 1);
	hist_table_free(&table);
}

static void texts_may_have_any_characters(void **state)
{
	struct hist_table table = parsed(texts, &text_shape, 1);

	(void)state;
	assert_int_equal(table.count, 4);
	text_is(&table.entries[0].keys[0], "/b");
	text_is(&table.entries[0].keys[1], "PUT");
	text_is(&table.entries[1].keys[0], "a}b,c:d");
	text_is(&table.entries[1].keys[1], ", verb:");
	cell_is(&table.entries[1].keys[2], 10, 19);
	text_is(&table.entries[2].keys[0],
		"/quite/a/long/path/that/is/longer/than/50/characters/isnt/it");
	text_is(&table.entries[3].keys[0], "");
	hist_table_free(&table);
}

static void a_text_may_look_like_the_end_of_its_line(void **state)
{
	char *text = xprintf(HEAD("keys=path") "{ path: %-50s } hitcount:          1\n"
			     "{ path: %-50s } hitcount:          2\n" TOTALS("3", "2", "0"),
			     "x } hitcount:          7", "two\nlines");
	struct hist_table table = parsed(text, &path_shape, 1);

	(void)state;
	assert_int_equal(table.count, 2);
	text_is(&table.entries[0].keys[0], "x } hitcount:          7");
	text_is(&table.entries[1].keys[0], "two\nlines");
	hist_table_free(&table);
	free(text);
}

static void a_forged_line_is_noticed(void **state)
{
	static const char line[] =
		HEAD("keys=path")
		"{ path: x                                                  } hitcount:          7\n"
		"{ path: y                                                  } hitcount:          1\n"
		TOTALS("1", "1", "0");
	static const char totals[] =
		HEAD("keys=path")
		"{ path: x" TOTALS("5", "5", "0") "             } hitcount:          1\n"
		TOTALS("1", "1", "0");
	static const char section[] =
		HEAD("keys=path")
		"{ path: x\n" HEAD("keys=path") "             } hitcount:          1\n"
		TOTALS("1", "1", "0");
	struct hist_table table = parsed(totals, &path_shape, 1);

	(void)state;
	assert_int_equal(table.hits, 1);
	assert_int_equal(table.dropped, 0);
	hist_table_free(&table);
	refuses(line, strlen(line), &path_shape);
	refuses(section, strlen(section), &path_shape);
}

static void several_histograms_are_one_table(void **state)
{
	char *both = xprintf("%s\n\n%s", two_keys, two_keys);
	struct hist_table table = parsed(both, &two_shape, 2), totals[2];

	(void)state;
	assert_int_equal(table.count, 6);
	assert_int_equal(table.hits, 8);
	assert_int_equal(table.entries[2].section, 0);
	assert_int_equal(table.entries[3].section, 1);
	hist_table_free(&table);
	assert_int_equal(hist_file_parse(both, strlen(both), &two_shape, 1, &table), -1);
	for (size_t i = 0; i < table.count; i++)
		assert_int_equal(table.entries[i].section, 0);
	hist_table_free(&table);
	assert_int_equal(hist_file_parse(both, strlen(both), &two_shape, 3, &table), -1);
	hist_table_free(&table);
	assert_int_equal(hist_file_totals(both, strlen(both), totals, 2), 0);
	assert_int_equal(totals[1].hits, 4);
	assert_int_equal(hist_file_totals(both, strlen(both), totals, 1), -1);
	free(both);
}

/* Cut anywhere, and with any byte replaced, nothing is read beyond, and nothing crashes. */
static void damaged_files_are_refused(void **state)
{
	const size_t length = strlen(texts);
	struct hist_table table;
	char *copy = xmalloc(length);

	(void)state;
	for (size_t cut = 1; cut < length; cut++)
		refuses(texts, cut, &text_shape);
	for (size_t i = 0; i < length; i++) {
		memcpy(copy, texts, length);
		copy[i] = '9';
		hist_file_parse(copy, length, &text_shape, 1, &table);
		hist_table_free(&table);
	}
	free(copy);
	refuses(texts, length, &two_shape);
	refuses(two_keys, strlen(two_keys), &power_shape);
}

static void numbers_that_are_too_large_are_refused(void **state)
{
	static const char number[] = HEAD("keys=status.log2")
		"{ status: ~ 2^65 } hitcount:          1\n" TOTALS("1", "1", "0");
	static const char hits[] = HEAD("keys=status.log2")
		"{ status: ~ 2^6  } hitcount: 18446744073709551616\n" TOTALS("1", "1", "0");
	static const char totals[] = HEAD("keys=status.log2")
		"{ status: ~ 2^6  } hitcount: 1\n" TOTALS("99999999999999999999", "1", "0");

	(void)state;
	refuses(number, strlen(number), &power_shape);
	refuses(hits, strlen(hits), &power_shape);
	refuses(totals, strlen(totals), &power_shape);
}

/* Plans */

static struct key_field number_field(int is_signed, uint32_t size)
{
	static char name[] = "n";

	return (struct key_field){ .name = name, .is_signed = is_signed, .size = size };
}

/* Each number of the type is passed by one piece alone, and the pieces leave none out. */
static void pieces_are_a_partition(void **state)
{
	(void)state;
	for (uint32_t size = 1; size <= 8; size *= 2)
		for (int is_signed = 0; is_signed <= 1; is_signed++) {
			const struct key_field field = number_field(is_signed, size);
			struct bucket_plan plan;
			uint64_t sum = 0;

			assert_int_equal(bucket_plan_make(&plan, &field, "auto", 1, "count"), 0);
			assert_true(plan.count <= 17);
			for (size_t i = 0; i < plan.count; i++)
				sum += plan.pieces[i].most - plan.pieces[i].least + 1;
			assert_int_equal(sum, size == 8 ? 0 : (uint64_t)1 << (size * 8));
			bucket_plan_free(&plan);
		}
}

static struct range range_of(const struct bucket_plan *plan, const struct key_field *field,
			     size_t piece, uint64_t low, uint64_t high)
{
	const struct hist_cell cell = { .low = low, .high = high };

	return bucket_plan_range(plan, field, piece, &cell);
}

static void signed_is(struct range range, int64_t low, int64_t high)
{
	assert_int_equal((int64_t)range.low, low);
	assert_int_equal((int64_t)range.high, high);
}

static void ranges_stay_within_their_piece(void **state)
{
	const struct key_field s64 = number_field(1, 8), s32 = number_field(1, 4);
	const struct key_field u32 = number_field(0, 4), u64 = number_field(0, 8);
	struct bucket_plan plan;

	(void)state;
	assert_int_equal(bucket_plan_make(&plan, &s64, "10", 1, "count"), 0);
	assert_int_equal(plan.count, 2);
	signed_is(range_of(&plan, &s64, 0, 18446744073709551610u, 3), -6, -1);
	signed_is(range_of(&plan, &s64, 0, 18446744073709551510u, 18446744073709551519u), -106,
		  -97);
	signed_is(range_of(&plan, &s64, 0, 9223372036854775800u, 9223372036854775809u), INT64_MIN,
		  INT64_MIN + 1);
	signed_is(range_of(&plan, &s64, 1, 9223372036854775800u, 9223372036854775809u),
		  9223372036854775800, INT64_MAX);
	bucket_plan_free(&plan);
	assert_int_equal(bucket_plan_make(&plan, &s32, "10000000", 1, "count"), 0);
	/* with more than one key, the kernel keeps 4 bytes */
	signed_is(range_of(&plan, &s32, 0, 2145415680, 2155415679), INT32_MIN, -2139551617);
	signed_is(range_of(&plan, &s32, 1, 2140000000, 2149999999), 2140000000, INT32_MAX);
	bucket_plan_free(&plan);
	assert_int_equal(bucket_plan_make(&plan, &u32, "100", 1, "count"), 0);
	signed_is(range_of(&plan, &u32, 0, 4294967200, 4294967299), 4294967200, UINT32_MAX);
	bucket_plan_free(&plan);
	assert_int_equal(bucket_plan_make(&plan, &u64, "100", 1, "count"), 0);
	assert_int_equal(range_of(&plan, &u64, 0, 18446744073709551600u, 83).high, UINT64_MAX);
	bucket_plan_free(&plan);
}

/* Distributions */

static void percentiles_are_of_the_rank(void **state)
{
	struct ranges ranges = { .is_signed = 1 };

	(void)state;
	for (int i = 999; i >= 0; i--) {
		const struct range range = { (uint64_t)(i - 500), (uint64_t)(i - 500), 1 };

		ranges_add(&ranges, &range);
	}
	ranges_sort(&ranges);
	assert_int_equal(ranges.total, 1000);
	assert_int_equal((int64_t)ranges_percentile(&ranges, 0.5)->low, -1);
	assert_int_equal((int64_t)ranges_percentile(&ranges, 0.999)->low, 498);
	assert_int_equal((int64_t)ranges_percentile(&ranges, 0)->low, -500);
	assert_int_equal((int64_t)ranges_percentile(&ranges, 1)->low, 499);
	ranges_free(&ranges);
}

static void rows_have_all_counts(void **state)
{
	static const uint64_t steps[] = { 1, 7, 1000, 123456789, (uint64_t)1 << 57 };

	(void)state;
	for (size_t s = 0; s < sizeof(steps) / sizeof(steps[0]); s++)
		for (int is_signed = 0; is_signed <= 1; is_signed++) {
			struct ranges ranges = { .is_signed = is_signed };
			const uint64_t first = is_signed ? 0 - steps[s] * 60 : 0;
			struct count_rows rows;
			uint64_t sum = 0;

			for (uint64_t i = 0; i < 100; i++) {
				const uint64_t low = first + i * steps[s];
				const struct range range = { low, low + steps[s] - 1, i };

				ranges_add(&ranges, &range);
			}
			ranges_sort(&ranges);
			count_rows_make(&ranges, &rows);
			assert_true(rows.count > 1 && rows.count <= COUNT_ROWS_MAX);
			for (size_t i = 0; i < rows.count; i++)
				sum += rows.rows[i].count;
			assert_int_equal(sum, 4950);
			ranges_free(&ranges);
		}
}

static void groups_are_sorted_by_their_counts(void **state)
{
	struct key_field fields[] = { number_field(0, 4), number_field(1, 4) };
	struct group_counts counts = { .fields = fields, .field_count = 2 };
	struct hist_table table = parsed(two_keys, &two_shape, 1);
	struct bucket_plan plan;

	(void)state;
	table.entries[0].hits = 0; /* an entry that the kernel has not counted yet */
	assert_int_equal(bucket_plan_make(&plan, &fields[0], "100", 1, "count"), 0);
	group_counts_make(&counts, &table, &plan);
	assert_int_equal(counts.count, 3);
	assert_int_equal(counts.group_count, 2);
	assert_int_equal(counts.groups[0].by[0].whole, 32);
	assert_int_equal(counts.groups[0].count, 2);
	assert_int_equal(counts.groups[1].ranges.items[0].low, 200);
	assert_int_equal(counts.sum.count, 2);
	group_counts_free(&counts);
	bucket_plan_free(&plan);
	hist_table_free(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets_and_numbers_are_read),
		cmocka_unit_test(the_number_of_keys_has_no_limit),
		cmocka_unit_test(powers_of_2_begin_above_the_one_before),
		cmocka_unit_test(texts_may_have_any_characters),
		cmocka_unit_test(a_text_may_look_like_the_end_of_its_line),
		cmocka_unit_test(a_forged_line_is_noticed),
		cmocka_unit_test(several_histograms_are_one_table),
		cmocka_unit_test(damaged_files_are_refused),
		cmocka_unit_test(numbers_that_are_too_large_are_refused),
		cmocka_unit_test(pieces_are_a_partition),
		cmocka_unit_test(ranges_stay_within_their_piece),
		cmocka_unit_test(percentiles_are_of_the_rank),
		cmocka_unit_test(rows_have_all_counts),
		cmocka_unit_test(groups_are_sorted_by_their_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
