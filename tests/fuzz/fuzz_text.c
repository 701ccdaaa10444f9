/* SPDX-License-Identifier: MIT */
/* Text: valid UTF-8, one line, and the same for every size of buffer. */
#include "../support/json_check.h"
#include "fuzz.h"

static void check_line(struct ue_reader *reader, const struct ue_render_opts *opts,
		       size_t seed)
{
	ptrdiff_t needed = ue_reader_to_text(reader, opts, NULL, 0);
	size_t size = (size_t)needed + 1, cut = 1 + seed % size;
	char *whole = malloc(size), *part = malloc(cut);

	PROMISE(whole && part && needed >= 0);
	PROMISE(ue_reader_to_text(reader, opts, whole, size) == needed);
	PROMISE(strlen(whole) == (size_t)needed);
	PROMISE(!utf8_wrong(whole, (size_t)needed));
	for (const char *c = whole; *c; c++)
		PROMISE((unsigned char)*c >= ' ');
	PROMISE(ue_reader_to_text(reader, opts, part, cut) == needed);
	PROMISE(!memcmp(part, whole, strlen(part)) && strlen(part) < cut);
	PROMISE(!utf8_wrong(part, strlen(part)));
	free(whole);
	free(part);
}

/* A value as JSON, cut anywhere. */
static void check_json(const struct ue_value *value, size_t seed)
{
	ptrdiff_t needed = ue_value_to_json(value, NULL, 0);
	size_t size = (size_t)needed + 1, cut = 1 + seed % size;
	char *whole = malloc(size), *part = malloc(cut);

	PROMISE(whole && part && needed > 0);
	PROMISE(ue_value_to_json(value, whole, size) == needed);
	PROMISE(!json_wrong(whole, (size_t)needed));
	PROMISE(ue_value_to_json(value, part, cut) == needed);
	PROMISE(!memcmp(part, whole, strlen(part)));
	free(whole);
	free(part);
}

static void check_value(const struct ue_value *value, uint32_t flags)
{
	ptrdiff_t needed = ue_value_to_text(value, flags, NULL, 0);
	char *out = malloc((size_t)needed + 1);

	PROMISE(out && needed >= 0);
	PROMISE(ue_value_to_text(value, flags, out, (size_t)needed + 1) == needed);
	PROMISE(!out[needed]);
	PROMISE(!utf8_wrong(out, (size_t)needed));
	free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ue_render_opts opts;
	struct event_input input;
	struct ue_sample sample;
	struct ue_reader reader;
	size_t seed = size * 2654435761u;
	int kind;

	if (!event_input(&input, data, size))
		return 0;
	event_begin(&input, &reader);
	event_opts(&input, &opts, &sample);
	check_line(&reader, &opts, seed);
	ue_reader_rewind(&reader);
	while ((kind = ue_reader_next(&reader)) > 0)
		if (kind == UE_ITEM_VALUE) {
			check_value(&ue_reader_item(&reader)->value, 0);
			check_value(&ue_reader_item(&reader)->value, UE_RENDER_ESCAPE);
			check_json(&ue_reader_item(&reader)->value, seed++);
		}
	event_input_free(&input);
	return 0;
}
