/* SPDX-License-Identifier: MIT */
/*
 * JSON: valid for any event, the same for every size of buffer, and cut between
 * characters if it does not fit.
 */
#include "../support/json_check.h"
#include "fuzz.h"

/* Within such a buffer. */
static void check_cut(struct ue_reader *reader, const struct ue_render_opts *opts,
		      const char *whole, size_t needed, size_t size)
{
	char *out = malloc(size);

	PROMISE(out);
	PROMISE(ue_reader_to_json(reader, opts, out, size) == (ptrdiff_t)needed);
	PROMISE(strnlen(out, size) < size);
	if (needed < size)
		PROMISE(!strcmp(out, whole));
	else
		PROMISE(strlen(out) + 4 >= size);
	PROMISE(!memcmp(out, whole, strlen(out)));
	PROMISE(!utf8_wrong(out, strlen(out)));
	free(out);
}

static void check_event(struct ue_reader *reader, const struct ue_render_opts *opts,
			uint32_t seed)
{
	ptrdiff_t needed = ue_reader_to_json(reader, opts, NULL, 0);
	size_t size = (size_t)needed + 1;
	char *whole = malloc(size);

	PROMISE(whole && needed > 0);
	PROMISE(ue_reader_to_json(reader, opts, whole, size) == needed);
	PROMISE(strlen(whole) == (size_t)needed);
	/* a name before a colon makes it a member rather than a value */
	if (!(opts->flags & UE_RENDER_NAME))
		PROMISE(!json_wrong(whole, (size_t)needed));
	PROMISE(!utf8_wrong(whole, (size_t)needed));
	check_cut(reader, opts, whole, (size_t)needed, 1 + seed % size);
	check_cut(reader, opts, whole, (size_t)needed, size + 1000);
	free(whole);
}

/* Each item at the top, by itself. */
static void check_items(struct ue_reader *reader, const struct ue_render_opts *opts)
{
	struct ue_render_opts bare = { .size = sizeof(bare) };

	bare.flags = opts->flags & ~UE_RENDER_NAME;
	if (ue_reader_rewind(reader))
		return;
	while (ue_reader_next(reader) > 0) {
		struct ue_reader again = *reader;
		ptrdiff_t needed = ue_reader_item_to_json(&again, &bare, NULL, 0);
		char *out = malloc((size_t)needed + 1);

		PROMISE(out && needed > 0);
		PROMISE(ue_reader_item_to_json(reader, &bare, out, (size_t)needed + 1) ==
			needed);
		PROMISE(!json_wrong(out, (size_t)needed));
		free(out);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ue_render_opts opts;
	struct event_input input;
	struct ue_sample sample;
	struct ue_reader reader;

	if (!event_input(&input, data, size))
		return 0;
	event_begin(&input, &reader);
	event_opts(&input, &opts, &sample);
	check_event(&reader, &opts, (uint32_t)size * 2654435761u);
	check_items(&reader, &opts);
	event_input_free(&input);
	return 0;
}
