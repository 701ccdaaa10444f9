/* SPDX-License-Identifier: MIT */
/*
 * Build EventHeader events at run time.
 *
 * Description and values grow in a buffer each. Before the description there is room for
 * everything that comes before it in the record, and the values are copied behind it when
 * the event is written, so that it leaves in one piece.
 *
 * The members of an array of structs are described once. From the second element on the
 * fields do not extend the description, but have to agree with what is there: a cursor,
 * ue__repeat, goes through it again.
 */
#include <errno.h>
#include <stdlib.h>

#include <userevents/bindings.h>

#include "util/errno_guard.h"
#include "builder.h"

UE__BUILDER_COLD void ue__builder_fail(struct ue_builder *builder, int error)
{
	if (!builder->ue__error)
		builder->ue__error = error;
	builder->ue__is_plain = 0;
}

/* Memory */

UE__BUILDER_COLD int ue__builder_grow(struct ue__builder_buffer *buffer, size_t head,
				      size_t size)
{
	UE__KEEP_ERRNO;
	const size_t at = ue__builder_used(buffer);
	size_t room = buffer->room ? buffer->room : 256;
	char *memory;

	while (room < head + size)
		room *= 2;
	memory = realloc(buffer->memory, room);
	if (!memory)
		return -ENOMEM;
	buffer->memory = memory;
	buffer->room = room;
	buffer->begin = memory + head;
	buffer->at = buffer->begin + at;
	buffer->end = buffer->begin +
		      (room - head < UE_BUILDER_MAX ? room - head : UE_BUILDER_MAX);
	return 0;
}

UE__BUILDER_COLD int ue__builder_make_room(struct ue_builder *builder,
					   struct ue__builder_buffer *buffer, size_t size)
{
	const size_t head = buffer == &builder->ue__description ? UE__BUILDER_HEAD : 0;

	if (size > UE_BUILDER_MAX - ue__builder_used(buffer))
		ue__builder_fail(builder, -EMSGSIZE);
	else if (ue__builder_grow(buffer, head, ue__builder_used(buffer) + size))
		ue__builder_fail(builder, -ENOMEM);
	return builder->ue__error;
}

UE__PUBLIC void ue_builder_release(struct ue_builder *builder)
{
	UE__KEEP_ERRNO;

	free(builder->ue__description.memory);
	free(builder->ue__values.memory);
	*builder = (struct ue_builder){ 0 };
}

UE__PUBLIC struct ue_builder *ue_builder_new(void)
{
	UE__KEEP_ERRNO;

	return calloc(1, sizeof(struct ue_builder));
}

UE__PUBLIC void ue_builder_free(struct ue_builder *builder)
{
	UE__KEEP_ERRNO;

	if (builder)
		ue_builder_release(builder);
	free(builder);
}

/* Begin */

static inline void reset(struct ue_builder *builder, const char *name, size_t length,
			 uint64_t options)
{
	struct ue__builder_buffer *description = &builder->ue__description;

	description->at = description->begin;
	builder->ue__values.at = builder->ue__values.begin;
	builder->ue__options = options;
	builder->ue__is_plain = 1;
	builder->ue__error = 0;
	builder->ue__repeat = 0;
	builder->ue__without_values = 0;
	builder->ue__tag = 0;
	builder->ue__depth = 0;
	if (!ue__builder_has_room(description, length + 1) &&
	    ue__builder_make_room(builder, description, length + 1))
		return;
	ue__copy(description->at, name, length);
	description->at += length;
	*description->at++ = '\0';
}

UE__PUBLIC void ue_builder_begin_named(struct ue_builder *builder, const char *name,
				   size_t length, uint64_t options)
{
	const int is_right = ue__builder_is_name(name, length);

	reset(builder, "", 0, options);
	if (!is_right)
		ue__builder_fail(builder, -EINVAL);
	else if (!builder->ue__error)
		reset(builder, name, length, options);
}

UE__PUBLIC void ue_builder_begin(struct ue_builder *builder, const char *name,
			     uint64_t options)
{
	reset(builder, name ? name : "", ue__builder_length(name), options);
	if (!name)
		ue__builder_fail(builder, -EINVAL);
}

UE__PUBLIC int ue_builder_error(const struct ue_builder *builder)
{
	return builder->ue__error;
}
