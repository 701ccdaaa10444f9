/* SPDX-License-Identifier: MIT */
/*
 * Draws definitions of events: most are valid, some have one thing wrong.
 */
#include <stdio.h>
#include <string.h>

#include "exerciser.h"

static const char *const types[] = {
	"s64",
	"u64",
	"s32",
	"u32",
	"int",
	"unsigned int",
	"s16",
	"u16",
	"short",
	"unsigned short",
	"s8",
	"u8",
	"char",
	"unsigned char",
	"char[16]",
	"unsigned char[7]",
	"__data_loc char[]",
	"__rel_loc char[]",
	"__data_loc u8[]",
	"__rel_loc u8[]",
	"__data_loc unsigned char[]",
	"__rel_loc u32[]",
};

static const char *const bad_types[] = {
	"",
	"float",
	"u32[4]",
	"char[",
	"char[0]",
	"char[1024]",
	"char[1025]",
	"char[-1]",
	"char[4294967295]",
	"char *",
	"struct",
	"__data_loc",
	"__rel_loc ",
	"__data_loc char",
	"__data_loc char[] __rel_loc",
	"struct char[20]",
	"const char",
	"long",
	"cpumask_t",
};

static const char *const bad_names[] = {
	"",	      "enable", "filter", "..",	    ".", "a/b",	    "\001",    "\377\376",
	"ex_00:FLAG", ":",	"%s%n",	  "ex_00;", "*", "-:ex_00", "ex_00.0", "format",
};

static const char *const bad_fields[] = {
	"", "f0", "common_pid", "1", "a-b", "f1:2", "\200", "a.b", "ex_00", "f0[4]",
};

/* The last byte that fits in 64 KiB, and sizes that wrap int and u32. */
static const char *const bad_sizes[] = {
	"0",	      "1",	    "-1",	  "4095",	"8192",
	"65527",      "65535",	    "65536",	  "1048576",	"2147483640",
	"2147483647", "2147483648", "4294967287", "4294967295", "4294967296",
	"0x10",	      "x",	    "",
};

#define ANY(worker, list) list[below(worker, sizeof(list) / sizeof(list[0]))]

static int is_wrong(struct worker *worker, unsigned count)
{
	int wrong = one_in(worker, count);

	return wrong && !is_tame;
}

void draw_name(struct worker *worker, char *text, size_t size)
{
	const char *bad = ANY(worker, bad_names);
	unsigned number = below(worker, NAMES);

	if (is_wrong(worker, 16))
		snprintf(text, size, "%s", bad);
	else if (is_wrong(worker, 200))
		snprintf(text, size, "%0*u", 100 + (int)number * 10, number);
	else
		snprintf(text, size, "ex_%02u", number);
}

static int draw_struct(struct worker *worker, char *text, size_t size, unsigned number)
{
	const char *bad = ANY(worker, bad_sizes);
	unsigned length = 1 + below(worker, 400);

	if (is_wrong(worker, 3))
		return snprintf(text, size, "struct s f%u %s", number, bad);
	return snprintf(text, size, "struct s f%u %u", number, length);
}

static int draw_field(struct worker *worker, char *text, size_t size, unsigned number)
{
	const char *type = ANY(worker, types), *bad_type = ANY(worker, bad_types);
	const char *bad_field = ANY(worker, bad_fields);

	if (one_in(worker, 8))
		return draw_struct(worker, text, size, number);
	if (is_wrong(worker, 40))
		type = bad_type;
	if (is_wrong(worker, 40))
		return snprintf(text, size, "%s %s", type, bad_field);
	return snprintf(text, size, "%s f%u", type, number);
}

static unsigned draw_count(struct worker *worker)
{
	unsigned few = below(worker, 5), many = below(worker, 64);

	return one_in(worker, 20) ? many : few;
}

/* Some bytes are overwritten, or the text ends early. */
static void mutate(struct worker *worker, char *text)
{
	static const char bytes[] = ";;  :[]_0\t\n\"\\\177\200";
	size_t length = strlen(text);

	for (unsigned i = below(worker, 4); length && i--;)
		text[below(worker, (unsigned)length)] =
			bytes[below(worker, sizeof(bytes) - 1)];
	if (one_in(worker, 4))
		text[below(worker, (unsigned)length + 1)] = 0;
}

/*
 * Two definitions of one name only match if their fields do, so every second definition
 * is the one that all workers know for the name.
 */
void draw_definition(struct worker *worker, char *text, size_t size)
{
	int at, is_common = one_in(worker, 2);
	unsigned count = draw_count(worker);

	draw_name(worker, text, size);
	at = (int)strlen(text);
	if (is_common) {
		unsigned number = (unsigned)(text[at ? at - 1 : 0] & 15) + 3;

		snprintf(text + at, size - (size_t)at, " %s f0; u32 f1; %s f2",
			 types[number], types[number + 3]);
		return;
	}
	for (unsigned i = 0; i < count && at + 2 < (int)size; i++) {
		at += snprintf(text + at, size - (size_t)at, "%s", i ? "; " : " ");
		if (at < (int)size)
			at += draw_field(worker, text + at, size - (size_t)at, i);
	}
	if (is_wrong(worker, 12))
		mutate(worker, text);
}
