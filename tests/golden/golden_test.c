/* SPDX-License-Identifier: MIT */
/*
 * Golden events: exact output. Also, every truncation of each event and every single
 * flipped bit (every seventh one without UE_TEST_FULL) must give valid JSON and text.
 *
 *	golden_test FILE...		check
 *	golden_test --json FILE...	print each event's JSON
 *	golden_test --big FILE...	check the same events from a big-endian machine
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <userevents/decode/render.h>
#include <userevents/session.h>

#include "../support/golden.h"
#include "../support/json_check.h"

static char out[1 << 20];
static int failures, print;

static void complain(const struct golden *golden, const char *what,
		     const char *expected, const char *got)
{
	fprintf(stderr, "%s:%d: %s\n  expected %s\n  got      %s\n", golden->file,
		golden->line, what, expected, got);
	failures++;
}

static void begin(const struct golden *golden, const uint8_t *bytes, size_t length,
		  struct ue_reader *reader)
{
	ue_reader_begin(reader, golden->name, strlen(golden->name), bytes, length,
			NULL);
}

static void check_fault(const struct golden *golden, const struct ue_reader *reader)
{
	char expected[128], got[128];

	snprintf(expected, sizeof(expected), "%s %ld",
		 *golden->fault ? golden->fault : "none", golden->fault_offset);
	snprintf(got, sizeof(got), "%s %zu",
		 ue_name(UE_NAME_FAULT, ue_reader_error(reader)->fault),
		 ue_reader_error(reader)->offset);
	if (strcmp(expected, got))
		complain(golden, "fault", expected, got);
	if ((size_t)golden->trailing != ue_reader_trailing(reader) &&
	    !ue_reader_error(reader)->error)
		complain(golden, "trailing", "as given", "another count");
}

static const struct ue_render_opts nested = {
	.size = sizeof(nested), .flags = UE_RENDER_TAGS | UE_RENDER_NESTED,
};

static void check_nested(const struct golden *golden, struct ue_reader *reader)
{
	ue_reader_to_json(reader, &nested, out, sizeof(out));
	if (*golden->nested && strcmp(out, golden->nested))
		complain(golden, "nested", golden->nested, out);
	if (json_wrong(out, strlen(out)))
		complain(golden, "nested", "valid JSON", out);
}

static void check_output(const struct golden *golden)
{
	struct ue_reader reader;

	begin(golden, golden->bytes, golden->length, &reader);
	ue_reader_to_json(&reader, NULL, out, sizeof(out));
	if (print)
		puts(out);
	if (*golden->json && strcmp(out, golden->json))
		complain(golden, "json", golden->json, out);
	if (json_wrong(out, strlen(out)))
		complain(golden, "json", "valid JSON", out);
	check_fault(golden, &reader);
	check_nested(golden, &reader);
	ue_reader_to_text(&reader, NULL, out, sizeof(out));
	if (*golden->text && strcmp(out, golden->text))
		complain(golden, "text", golden->text, out);
}

/* In memory of exactly this size, so that a sanitizer sees over-reads. */
static void check_any(const struct golden *golden, const uint8_t *bytes,
		      size_t length, const char *what)
{
	uint8_t *copy = malloc(length ? length : 1);
	struct ue_reader reader;
	ptrdiff_t needed;

	if (!copy)
		abort();
	if (length)
		memcpy(copy, bytes, length);
	begin(golden, copy, length, &reader);
	needed = ue_reader_to_json(&reader, NULL, out, sizeof(out));
	if (needed >= (ptrdiff_t)sizeof(out) || json_wrong(out, (size_t)needed))
		complain(golden, what, "valid JSON", out);
	needed = ue_reader_to_json(&reader, &nested, out, sizeof(out));
	if (needed >= (ptrdiff_t)sizeof(out) || json_wrong(out, (size_t)needed))
		complain(golden, what, "valid nested JSON", out);
	needed = ue_reader_to_text(&reader, NULL, out, sizeof(out));
	if (needed >= (ptrdiff_t)sizeof(out) || utf8_wrong(out, (size_t)needed))
		complain(golden, what, "valid UTF-8", out);
	free(copy);
}

static void check_damaged(const struct golden *golden)
{
	static uint8_t bytes[GOLDEN_EVENT_MAX];
	/* of a long event, only the beginning, which has the structure */
	size_t length = golden->length < 400 ? golden->length : 400;
	const size_t step = getenv("UE_TEST_FULL") ? 1 : 7;

	memcpy(bytes, golden->bytes, golden->length);
	for (size_t cut = 0; cut < length; cut++)
		check_any(golden, bytes, cut, "cut");
	for (size_t bit = 0; bit < length * 8; bit += step) {
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		check_any(golden, bytes, golden->length, "bit");
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
}

static void check(const struct golden *golden, void *context)
{
	(void)context;
	check_output(golden);
	if (!print)
		check_damaged(golden);
}

int main(int argc, char **argv)
{
	enum golden_machine machine = GOLDEN_FILE;
	int count = 0;

	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--json"))
			print = 1;
		else if (!strcmp(argv[i], "--big"))
			machine = GOLDEN_BIG;
		else
			count += golden_read(argv[i], machine, check, NULL);
	if (!print)
		printf("%sok 1 - %d events, %d failures\n1..1\n",
		       failures || !count ? "not " : "", count, failures);
	return failures || !count;
}
