/* SPDX-License-Identifier: MIT */
/*
 * Prints how often each operation succeeded and how it failed, and judges it.
 */
#include <stdio.h>
#include <string.h>

#include "exerciser.h"

static uint64_t sum(const uint64_t *results)
{
	uint64_t all = 0;

	for (int i = 0; i < ERRORS; i++)
		all += results[i];
	return all;
}

static void print_errors(const uint64_t *results)
{
	for (int i = 1; i < ERRORS; i++)
		if (results[i]) {
			const char *name = strerrorname_np(i);

			printf(" %s %lu", name ? name : "other",
			       (unsigned long)results[i]);
		}
	putchar('\n');
}

void print_results(void)
{
	uint64_t all = 0;

	for (unsigned i = 0; i < kinds_count; i++) {
		const uint64_t *results = shared->results[i];

		all += sum(results);
		printf("# %-20s %7lu, %7lu ok,", kinds[i]->name,
		       (unsigned long)sum(results), (unsigned long)results[0]);
		print_errors(results);
	}
	printf("# %lu operations\n", (unsigned long)all);
}

int verdict(int is_ok, const char *statement)
{
	static int number;

	printf("%sok %d - %s\n", is_ok ? "" : "not ", ++number, statement);
	return !is_ok;
}

static const uint64_t *results_of(const char *name)
{
	for (unsigned i = 0; i < kinds_count; i++)
		if (!strcmp(kinds[i]->name, name))
			return shared->results[i];
	return NULL;
}

/* A run in which all operations fail, or none does, exercises nothing. */
int judge_results(void)
{
	static const char *const names[] = { "REG",    "write",		  "writev",
					     "enable", "read event file", "perf open",
					     "UNREG" };
	int is_ok = 1;

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]) - (is_6_1 != 0); i++) {
		const uint64_t *results = results_of(names[i]);

		if (results[0] && sum(results) > results[0])
			continue;
		printf("# %s either never works or never fails\n", names[i]);
		is_ok = 0;
	}
	return verdict(is_ok, "operations_succeed_and_fail");
}
