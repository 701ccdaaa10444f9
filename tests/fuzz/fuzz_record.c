/* SPDX-License-Identifier: MIT */
/*
 * A byte of options, a description, NUL, a record: the output must be valid JSON, end,
 * and come from inside the record.
 */
#include <errno.h>

#include <userevents/decode/record.h>

#include "../support/json_check.h"
#include "fuzz.h"

#define FIELDS_MAX 32

static char text[1 << 20];

/* A copy that ends where its memory does. */
static void *copy_of(const void *bytes, size_t length)
{
	void *copy = malloc(length ? length : 1);

	PROMISE(copy);
	if (length)
		memcpy(copy, bytes, length);
	return copy;
}

static void check_fields(const struct ue_record_layout *format, const uint8_t *bytes,
			 size_t length)
{
	struct ue_item item;

	for (uint32_t i = 0; i < format->field_count; i++) {
		int kind = ue_record_item(format, i, bytes, length, &item);
		uint64_t number;

		PROMISE(kind == UE_ITEM_VALUE || kind == UE_ITEM_ARRAY_BEGIN ||
			kind == -EBADMSG);
		PROMISE(kind < 0 || item.value.length <= length);
		PROMISE(kind < 0 || !item.value.length ||
			(item.value.bytes >= bytes &&
			 item.value.bytes + item.value.length <= bytes + length));
		if (kind == UE_ITEM_ARRAY_BEGIN)
			PROMISE(item.value.length == item.count * item.element_size);
		else
			(void)ue_value_u64(&item.value, &number);
	}
	PROMISE(ue_record_item(format, format->field_count, bytes, length, &item) ==
		-ENOENT);
}

static void check_render(const struct ue_record_layout *format, const uint8_t *bytes,
			 size_t length, const struct ue_render_opts *opts)
{
	ptrdiff_t needed = ue_record_to_json(format, bytes, length, opts, text,
					     sizeof(text));

	PROMISE(needed >= 0);
	if ((size_t)needed < sizeof(text) && !(opts->flags & UE_RENDER_NAME))
		PROMISE(!json_wrong(text, (size_t)needed));
	PROMISE(ue_record_to_json(format, bytes, length, opts, text, 7) == needed);
	needed = ue_record_to_text(format, bytes, length, opts, text, sizeof(text));
	PROMISE(needed >= 0);
	if ((size_t)needed < sizeof(text))
		PROMISE(!utf8_wrong(text, (size_t)needed));
}

static int describe(struct ue_record_layout *format, struct ue_record_field *fields,
		    const char *description, size_t length, unsigned int options)
{
	uint32_t flags = options & 7;

	if (options & 8)
		return ue_record_layout_define(format, "user_events", description,
					       fields, FIELDS_MAX, flags);
	return ue_record_layout_parse(format, options & 16 ? "user_events_multi" : "s",
				      description, length, fields, FIELDS_MAX, flags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ue_record_field fields[FIELDS_MAX];
	struct ue_record_layout format;
	struct ue_render_opts opts;
	struct event_input input;
	struct ue_sample sample;
	char *description;
	int count;

	if (!event_input(&input, data, size))
		return 0;
	event_opts(&input, &opts, &sample);
	/* a definition ends with a NUL */
	description = copy_of(input.name, input.name_length + 1 <= size - 1 ?
						  input.name_length + 1 :
						  input.name_length);
	if (input.options & 8 && 1 + input.name_length == size) {
		free(description);
		event_input_free(&input);
		return 0;
	}
	count = describe(&format, fields, description, input.name_length, input.options);
	PROMISE(count >= 0 || count == -EINVAL || count == -EBADMSG);
	if (count >= 0 && count <= FIELDS_MAX) {
		PROMISE(format.field_count == (uint32_t)count);
		check_fields(&format, input.bytes, input.length);
		check_render(&format, input.bytes, input.length, &opts);
	}
	free(description);
	event_input_free(&input);
	return 0;
}
