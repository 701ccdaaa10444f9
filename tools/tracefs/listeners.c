/* SPDX-License-Identifier: MIT */
/* Prints the listeners of an event. */
#include <stdio.h>

#include <userevents/decode/status.h>

#include "listeners.h"

static const struct {
	uint32_t user;
	const char *name;
} known[] = {
	{ UE_USER_FTRACE, "ftrace" },
	{ UE_USER_PERF, "perf" },
	{ UE_USER_OTHER, "other" },
};

#define KNOWN (sizeof(known) / sizeof(known[0]))

void listeners_print(uint32_t users)
{
	const char *before = "";

	if (!users)
		fputs("none", stdout);
	for (size_t i = 0; i < KNOWN; i++)
		if (users & known[i].user) {
			printf("%s%s", before, known[i].name);
			before = " ";
		}
}

void listeners_print_json(uint32_t users)
{
	const char *before = "";

	fputs(",\"listeners\":[", stdout);
	for (size_t i = 0; i < KNOWN; i++)
		if (users & known[i].user) {
			printf("%s\"%s\"", before, known[i].name);
			before = ",";
		}
	putchar(']');
}
