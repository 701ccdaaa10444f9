/* SPDX-License-Identifier: MIT */
/*
 * Render an event from its first token to its last, in any form. An error closes all that
 * is open, so that the output stays well-formed, and is reported in "meta".
 */
#include "read/cursor.h"
#include "render.h"

/* Items */

static char *begin_item(struct ue__render *render, const struct ue_item *item)
{
	char *at = ue__separator(render, ue__bytes_room(&render->bytes));

	if (!item->is_element && !render->is_nameless)
		at = ue__put_name(render, at, item);
	render->is_nameless = 0;
	return at;
}

static void open_item(struct ue__render *render, const struct ue_item *item,
		      char bracket)
{
	ue__open_bracket(render, begin_item(render, item), bracket);
}

/* An array of values of fixed size is shown whole at its begin. */
static inline int is_whole(const struct ue_item *item)
{
	return item->kind == UE_ITEM_ARRAY_BEGIN && item->element_size;
}

/* All elements at once; they are of the same size. */
static void put_elements(struct ue__render *render, const struct ue_item *item)
{
	struct ue__bytes *bytes = &render->bytes;
	struct ue_value value = item->value;

	value.length = item->element_size;
	for (uint32_t i = 0; i < item->count; i++) {
		ue__put_value(bytes, ue__separator(render, ue__bytes_room(bytes)), &value,
			      render->form->quoted);
		value.bytes += value.length;
	}
}

/* An item, or an array whole. */
static inline void put_one(struct ue__render *render, const struct ue_item *item)
{
	switch (item->kind) {
	case UE_ITEM_VALUE:
		ue__put_value(&render->bytes, begin_item(render, item), &item->value,
			      render->form->quoted);
		break;
	case UE_ITEM_ARRAY_BEGIN:
		open_item(render, item, '[');
		if (!is_whole(item))
			break;
		put_elements(render, item);
		ue__close_bracket(render, ']');
		break;
	case UE_ITEM_STRUCT_BEGIN:
		open_item(render, item, '{');
		break;
	case UE_ITEM_ARRAY_END:
		ue__close_bracket(render, ']');
		break;
	default:
		ue__close_bracket(render, '}');
	}
}

/* One step of the reader, or an array whole. */
static void put_step(struct ue__render *render, struct ue__reader *reader)
{
	put_one(render, &reader->item);
	if (is_whole(&reader->item))
		ue__reader_pass_values(reader);
}

/* The next item; after an error, the end of open items. */
static int next_item(struct ue__reader *reader)
{
	int kind = ue__reader_next(reader);

	return kind < 0 ? ue__reader_unwind(reader) : kind;
}

void ue__put_item(struct ue__render *render, struct ue__reader *reader)
{
	const struct ue_item *item = &reader->item;
	const uint32_t depth = item->depth;
	uint32_t end = item->kind;

	if (end == UE_ITEM_ARRAY_BEGIN)
		end = UE_ITEM_ARRAY_END;
	else if (end == UE_ITEM_STRUCT_BEGIN)
		end = UE_ITEM_STRUCT_END;
	do {
		put_step(render, reader);
	} while ((item->kind != end || item->depth != depth) && next_item(reader));
}

static void put_fields(struct ue__render *render, struct ue__reader *reader)
{
	for (;;) {
		if (render->form->is_compact)
			ue__json_plain_fields(render, reader);
		if (!next_item(reader))
			return;
		put_step(render, reader);
	}
}

/* Text around the fields */

static void put_common(struct ue__render *render)
{
	const struct ue_sample *sample = render->sample;
	char *at = ue__bytes_room(&render->bytes);

	at = ue__put_number(render, at, UE__NAME("common_type"), sample->common_type);
	at = ue__put_number(render, at, UE__NAME("common_flags"), sample->common_flags);
	at = ue__put_number(render, at, UE__NAME("common_preempt_count"),
			    sample->common_preempt_count);
	at = ue__put_number(render, at, UE__NAME("common_pid"), sample->common_pid);
	ue__bytes_used(&render->bytes, at);
}

/* The header that every event has, of one that could not be begun. */
static void put_header(struct ue__render *render, const struct ue_event_info *info)
{
	char *at = ue__bytes_room(&render->bytes);

	at = ue__put_number(render, at, UE__NAME("eventheader_flags"), info->flags);
	at = ue__put_number(render, at, UE__NAME("version"), info->version);
	at = ue__put_number(render, at, UE__NAME("id"), info->id);
	at = ue__put_number(render, at, UE__NAME("tag"), info->tag);
	at = ue__put_number(render, at, UE__NAME("opcode"), info->opcode);
	at = ue__put_number(render, at, UE__NAME("level"), info->level);
	ue__bytes_used(&render->bytes, at);
}

static inline void put_before(struct ue__render *render, const struct ue_event_info *info)
{
	if (render->meta & UE_META_N)
		ue__put_n(render, info);
	if (render->meta & UE_META_COMMON)
		put_common(render);
}

/* Flat JSON must not pay for unneeded work. */
#define APART __attribute__((noinline))

/* Nested: all members but the error stand before the fields. */
static APART void open_fields(struct ue__render *render,
			      const struct ue_event_info *info,
			      const struct ue_eventheader_error *error)
{
	char *at;

	ue__put_meta(render, info, error);
	if (render->meta & UE_META_COMMON)
		put_common(render);
	at = ue__key(render, ue__bytes_room(&render->bytes), UE__NAME("fields"));
	ue__open_bracket(render, at, '{');
}

static APART void close_fields(struct ue__render *render,
			       const struct ue_eventheader_error *error)
{
	ue__close_bracket(render, '}');
	ue__put_nested_error(render, error);
}

static inline void put_event(struct ue__render *render, struct ue__reader *reader)
{
	int result = ue__reader_rewind(reader);

	if (render->is_nested)
		open_fields(render, &reader->info, &reader->error);
	else
		put_before(render, &reader->info);
	if (!result)
		put_fields(render, reader);
	else if (reader->has_header)
		put_header(render, &reader->info);
	if (render->is_nested)
		close_fields(render, &reader->error);
	else
		ue__put_meta(render, &reader->info, &reader->error);
}

/* The members of meta that classic events have. */
#define ITEMS_META                                                                  \
	(UE_META_N | UE_META_TIME | UE_META_CPU | UE_META_PID | UE_META_TID |       \
	 UE_META_COMM | UE_META_LOST | UE_META_CGROUP | UE_META_PROVIDER | UE_META_EVENT | \
	 UE_META_COMMON)

static void put_items(struct ue__render *render, struct ue__items *items)
{
	struct ue_item item;

	render->meta &= ITEMS_META;
	if (render->is_nested)
		open_fields(render, &items->info, &items->error);
	else
		put_before(render, &items->info);
	while (items->next(items, &item) > 0)
		put_one(render, &item);
	if (render->is_nested)
		close_fields(render, &items->error);
	else
		ue__put_meta(render, &items->info, &items->error);
}

/* Whole */

/* The name of the event before it, when asked for, and its bracket. */
static void open_event(struct ue__render *render, const struct ue_event_info *info)
{
	char *at = ue__separator(render, ue__bytes_room(&render->bytes));

	if (render->flags & UE_RENDER_NAME) {
		*at++ = '"';
		at = ue__put_escaped(&render->bytes, at,
				     info->name ? info->name : info->tracepoint,
				     info->name ? info->name_length :
						  info->tracepoint_length);
		at = ue__put_mark(at, &render->form->end_key);
	}
	ue__open_bracket(render, at, '{');
}

static inline int begin(struct ue__render *render, const struct ue_event_info *info,
			const struct ue_render_opts *opts, char *out, size_t size,
			const struct ue__form *form)
{
	int result = ue__render_begin(render, opts, out, size, form);

	if (result)
		return result;
	render->is_event = !render->is_nested; /* nested fields cannot hide other members */
	if (form->is_json)
		open_event(render, info);
	return 0;
}

static inline ptrdiff_t end(struct ue__render *render,
			    const struct ue_eventheader_error *error)
{
	if (render->error)
		*render->error = *error;
	if (render->form->is_json)
		ue__close_bracket(render, '}');
	return (ptrdiff_t)ue__bytes_end(&render->bytes);
}

ptrdiff_t ue__render_event(struct ue__reader *reader, const struct ue_render_opts *opts,
			   char *out, size_t size, const struct ue__form *form)
{
	struct ue__render render;
	int result = begin(&render, &reader->info, opts, out, size, form);

	if (result)
		return result;
	put_event(&render, reader);
	return end(&render, &reader->error);
}

ptrdiff_t ue__render_items(struct ue__items *items, const struct ue_render_opts *opts,
			   char *out, size_t size, const struct ue__form *form)
{
	struct ue__render render;
	int result = begin(&render, &items->info, opts, out, size, form);

	if (result)
		return result;
	put_items(&render, items);
	return end(&render, &items->error);
}
