/* SPDX-License-Identifier: MIT */
/* Lines of format files, and the kernel's view of their fields. */
#include "../test.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "kernel/tracefs/tracing_files.h"

#define KERNEL 6012

#define LONG_NAME_20 "a_very_long_name_of_"
#define LONG_NAME LONG_NAME_20 LONG_NAME_20 LONG_NAME_20 LONG_NAME_20 LONG_NAME_20

#define NUMBER 1, 0
#define BYTES 0, 1
#define NEITHER 0, 0

/* Fields of real events, and some that are only possible. */
static const struct {
	const char *line; /* without offset */
	const char *name;
	enum kernel_field_kind kind;
	uint32_t size;
	int is_signed, is_number, is_bytes;
} rows[] = {
	{ "u32 status;size:4;signed:0;", "status", KERNEL_NUMBER, 4, 0, NUMBER },
	{ "s64 balance;size:8;signed:1;", "balance", KERNEL_NUMBER, 8, 1, NUMBER },
	{ "int ret;size:4;signed:1;", "ret", KERNEL_NUMBER, 4, 1, NUMBER },
	{ "unsigned int flags;size:4;signed:0;", "flags", KERNEL_NUMBER, 4, 0, NUMBER },
	{ "unsigned long addr;size:8;signed:0;", "addr", KERNEL_NUMBER, 8, 0, NUMBER },
	{ "unsigned long addr;size:4;signed:0;", "addr", KERNEL_NUMBER, 4, 0, NUMBER },
	{ "long nr;size:8;signed:1;", "nr", KERNEL_NUMBER, 8, 1, NUMBER },
	{ "long long unsigned int n;size:8;signed:0;", "n", KERNEL_NUMBER, 8, 0, NUMBER },
	{ "unsigned short w;size:2;signed:0;", "w", KERNEL_NUMBER, 2, 0, NUMBER },
	{ "pid_t pid;size:4;signed:1;", "pid", KERNEL_NUMBER, 4, 1, NUMBER },
	{ "dev_t dev;size:4;signed:0;", "dev", KERNEL_NUMBER, 4, 0, NUMBER },
	{ "gfp_t gfp_flags;size:4;signed:0;", "gfp_flags", KERNEL_NUMBER, 4, 0, NUMBER },
	{ "loff_t pos;size:8;signed:1;", "pos", KERNEL_NUMBER, 8, 1, NUMBER },
	{ "bool success;size:1;signed:0;", "success", KERNEL_NUMBER, 1, 0, NUMBER },
	{ "_Bool success;size:1;signed:0;", "success", KERNEL_NUMBER, 1, 0, NUMBER },
	{ "enum zone_type zone;size:4;signed:0;", "zone", KERNEL_NUMBER, 4, 0, NUMBER },
	{ "enum state s;size:4;signed:1;", "s", KERNEL_NUMBER, 4, 1, NUMBER },
	/* a bit field stands there with its type */
	{ "unsigned char is_new:1;size:1;signed:0;", "is_new:1",
	  KERNEL_NUMBER, 1, 0, NUMBER },
	/* arguments of system calls are stored as unsigned long */
	{ "int fd;size:8;signed:0;", "fd", KERNEL_NUMBER, 8, 0, NUMBER },
	{ "__s32 wd;size:8;signed:0;", "wd", KERNEL_NUMBER, 8, 0, NUMBER },
	{ "const char * filename;size:8;signed:0;", "filename",
	  KERNEL_TEXT_POINTER, 8, 0, NEITHER },
	{ "char * name;size:8;signed:0;", "name", KERNEL_TEXT_POINTER, 8, 0, NEITHER },
	{ "char *name;size:8;signed:0;", "name", KERNEL_TEXT_POINTER, 8, 0, NEITHER },
	{ "const char *const * argv;size:8;signed:0;", "argv",
	  KERNEL_NUMBER, 8, 0, NUMBER },
	{ "void * skbaddr;size:8;signed:0;", "skbaddr", KERNEL_NUMBER, 8, 0, NUMBER },
	{ "struct page *page;size:8;signed:0;", "page", KERNEL_NUMBER, 8, 0, NUMBER },
	{ "float ratio;size:4;signed:1;", "ratio", KERNEL_NUMBER, 4, 1, NUMBER },
	{ "double ratio;size:8;signed:1;", "ratio", KERNEL_NUMBER, 8, 1, NUMBER },
	/* texts */
	{ "char comm[16];size:16;signed:0;", "comm", KERNEL_TEXT_HERE, 16, 0, NEITHER },
	{ "char comm[16];size:16;signed:1;", "comm", KERNEL_TEXT_HERE, 16, 1, NEITHER },
	{ "char verb[];size:8;signed:1;", "verb", KERNEL_TEXT_HERE, 8, 1, NEITHER },
	{ "char name[TASK_COMM_LEN];size:16;signed:0;", "name",
	  KERNEL_TEXT_HERE, 16, 0, NEITHER },
	{ "char one[1];size:1;signed:0;", "one", KERNEL_TEXT_HERE, 1, 0, NEITHER },
	{ "__data_loc char[] name;size:4;signed:0;", "name",
	  KERNEL_TEXT_DYNAMIC, 4, 0, NEITHER },
	{ "__rel_loc char[] path;size:4;signed:0;", "path",
	  KERNEL_TEXT_DYNAMIC, 4, 0, NEITHER },
	{ "__rel_loc char path[];size:4;signed:1;", "path",
	  KERNEL_TEXT_DYNAMIC, 4, 1, NEITHER },
	{ "__data_loc char[][2] both;size:8;signed:1;", "both",
	  KERNEL_TEXT_DYNAMIC, 8, 1, NEITHER },
	/* ... to the kernel alone */
	{ "unsigned char mac[6];size:6;signed:0;", "mac", KERNEL_TEXT_HERE, 6, 0, BYTES },
	{ "__data_loc unsigned char[] b;size:4;signed:0;", "b",
	  KERNEL_TEXT_DYNAMIC, 4, 0, BYTES },
	/* one character is a number */
	{ "char letter;size:1;signed:1;", "letter", KERNEL_NUMBER, 1, 1, NUMBER },
	{ "char letter;size:1;signed:0;", "letter", KERNEL_NUMBER, 1, 0, NUMBER },
	{ "unsigned char byte;size:1;signed:0;", "byte", KERNEL_NUMBER, 1, 0, NUMBER },
	/* arrays and structs */
	{ "u8 mac[16];size:16;signed:0;", "mac", KERNEL_NUMBER, 0, 0, NEITHER },
	{ "u8 four[4];size:4;signed:0;", "four", KERNEL_NUMBER, 4, 0, NEITHER },
	{ "__u8 saddr[4];size:4;signed:0;", "saddr", KERNEL_NUMBER, 4, 0, NEITHER },
	{ "unsigned long args[6];size:48;signed:0;", "args",
	  KERNEL_NUMBER, 0, 0, NEITHER },
	{ "__data_loc u8[] data;size:4;signed:0;", "data", KERNEL_NUMBER, 4, 0, NEITHER },
	{ "__rel_loc u8 blob[];size:4;signed:1;", "blob", KERNEL_NUMBER, 4, 1, NEITHER },
	{ "__data_loc cpumask_t cpus;size:4;signed:0;", "cpus",
	  KERNEL_CPU_MASK, 4, 0, NEITHER },
	{ "struct pair s;size:8;signed:1;", "s", KERNEL_NUMBER, 8, 1, NEITHER },
	{ "struct big t;size:20;signed:1;", "t", KERNEL_NUMBER, 0, 1, NEITHER },
	{ "union value v;size:8;signed:0;", "v", KERNEL_NUMBER, 8, 0, NEITHER },
	/* odd names */
	{ "u32 " LONG_NAME ";size:4;signed:0;", LONG_NAME, KERNEL_NUMBER, 4, 0, NUMBER },
	{ "char " LONG_NAME "[16];size:16;signed:0;", LONG_NAME,
	  KERNEL_TEXT_HERE, 16, 0, NEITHER },
	{ "u64 a-b;size:8;signed:0;", "a-b", KERNEL_NUMBER, 8, 0, NUMBER },
	{ "u32 signed:1;size:4;signed:0;", "signed:1", KERNEL_NUMBER, 4, 0, NUMBER },
	{ "u32 charm;size:4;signed:0;", "charm", KERNEL_NUMBER, 4, 0, NUMBER },
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static const char head[] =
	"name: kinds\nID: 416\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n";

/* "TYPE NAME;size:4;signed:0;" as the kernel writes it. */
static void add_line(struct bytes *format, const char *line)
{
	const int declaration = (int)strcspn(line, ";"), rest = (int)strlen(line);
	const char *size = line + declaration + 1;
	const int size_length = (int)strcspn(size, ";");
	char *text = xprintf("\tfield:%.*s;\toffset:8;\t%.*s;\t%s\n", declaration, line,
			     size_length, size, size + size_length + 1);

	assert_true(declaration < rest);
	bytes_add(format, text, strlen(text));
	free(text);
}

static struct tracepoint *event_of(const char *line)
{
	struct bytes format = { .length = 0 };
	struct tracepoint *event;

	bytes_add(&format, head, strlen(head));
	add_line(&format, line);
	event = tracepoint_new("any", NULL, (const char *)format.at, format.length, 0);
	bytes_free(&format);
	return event;
}

static int find(const struct tracepoint *event, const char *name,
		struct kernel_field *field)
{
	return kernel_field_find(event, name, strlen(name), KERNEL, field);
}

static void fields_are_what_the_kernel_takes_them_for(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS; i++) {
		struct tracepoint *event = event_of(rows[i].line);
		struct kernel_field field;

		if (find(event, rows[i].name, &field))
			fail_msg("no field: %s", rows[i].line);
		if (field.kind != rows[i].kind || field.size != rows[i].size ||
		    field.is_signed != rows[i].is_signed ||
		    field.is_number != rows[i].is_number ||
		    field.is_bytes != rows[i].is_bytes)
			fail_msg("%s: kind %d, size %u, signed %d, number %d, bytes %d",
				 rows[i].line, (int)field.kind, field.size,
				 field.is_signed, field.is_number, field.is_bytes);
		assert_ptr_equal(field.own, &event->fields[0]);
		assert_int_equal(field.count, 1);
		tracepoint_free(event);
	}
}

static void texts_that_can_be_copied(void **state)
{
	static const struct {
		const char *line, *name;
		int is_copied;
	} texts[] = {
		{ "char comm[16];size:16;signed:0;", "comm", 1 },
		{ "__data_loc char[] name;size:4;signed:0;", "name", 1 },
		{ "__rel_loc char[] path;size:4;signed:0;", "path", 1 },
		{ "unsigned char mac[6];size:6;signed:0;", "mac", 0 },
		{ "char * name;size:8;signed:0;", "name", 0 },
		{ "u32 n;size:4;signed:0;", "n", 0 },
		{ "u8 mac[16];size:16;signed:0;", "mac", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct tracepoint *event = event_of(texts[i].line);
		struct kernel_field field;

		assert_int_equal(find(event, texts[i].name, &field), 0);
		assert_int_equal(kernel_field_is_copied_text(&field), texts[i].is_copied);
		tracepoint_free(event);
	}
}

/* The sign is said nowhere: user events go by the first letter. */
static void definitions_have_signs_by_their_types(void **state)
{
	static const struct {
		const char *name;
		int is_signed;
	} signs[] = {
		{ "status", 0 }, { "code", 1 }, { "c", 1 }, { "b", 0 }, { "verb", 1 },
		{ "path", 1 }, { "pair", 1 },
	};
	struct tracepoint *event = tracepoint_define(
		"done u32 status; s32 code; char c; unsigned char b; char[8] verb; "
		"__rel_loc char[] path; struct pair pair 8", 0);
	struct kernel_field field;

	(void)state;
	assert_non_null(event);
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		assert_int_equal(find(event, signs[i].name, &field), 0);
		assert_int_equal(field.is_signed, signs[i].is_signed);
	}
	tracepoint_free(event);
}

static void common_fields_belong_to_every_event(void **state)
{
	struct tracepoint *event = event_of("u32 status;size:4;signed:0;");
	struct kernel_field field;
	struct words names = { 0 };

	(void)state;
	assert_int_equal(find(event, "common_pid", &field), 0);
	assert_null(field.own);
	assert_true(field.is_number && field.is_signed && field.size == 4);
	assert_int_equal(find(event, "statu", &field), -1);
	assert_int_equal(find(event, "", &field), -1);
	kernel_field_names(event, &names);
	assert_int_equal(names.count, 1);
	assert_string_equal(names.items[0], "status");
	free((char *)names.items[0]);
	free(names.items);
	tracepoint_free(event);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_are_what_the_kernel_takes_them_for),
		cmocka_unit_test(texts_that_can_be_copied),
		cmocka_unit_test(definitions_have_signs_by_their_types),
		cmocka_unit_test(common_fields_belong_to_every_event),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
