/* SPDX-License-Identifier: MIT */
/*
 * Build EventHeader events at run time.
 *
 * Description and values grow in a buffer each. Before the description there is room for
 * everything that comes before it in the record, and the values are copied behind it when
 * the event is written, so that it leaves in one piece.
 *
 * The members of an array of structs are described once. From the second element on the
 * fields do not extend the description, but have to agree with the present one: a cursor,
 * repeat, goes through it again.
 */
#include <errno.h>
#include <stdlib.h>

#include "util/errno_guard.h"
#include "builder.h"

UE__BUILDER_COLD void ue__builder_fail(struct ue_builder *builder, int error)
{
	if (!builder->error)
		builder->error = error;
	builder->is_plain = 0;
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
	const size_t head = buffer == &builder->description ? UE__BUILDER_HEAD : 0;

	if (size > UE_BUILDER_MAX - ue__builder_used(buffer))
		ue__builder_fail(builder, -EMSGSIZE);
	else if (ue__builder_grow(buffer, head, ue__builder_used(buffer) + size))
		ue__builder_fail(builder, -ENOMEM);
	return builder->error;
}

UE__PUBLIC struct ue_builder *ue_builder_new(void)
{
	UE__KEEP_ERRNO;

	return calloc(1, sizeof(struct ue_builder));
}

UE__PUBLIC void ue_builder_free(struct ue_builder *builder)
{
	UE__KEEP_ERRNO;

	if (!builder)
		return;
	free(builder->description.memory);
	free(builder->values.memory);
	free(builder);
}

/* Begin */

static inline void reset(struct ue_builder *builder, const char *name, size_t length,
			 uint64_t options)
{
	struct ue__builder_buffer *description = &builder->description;

	description->at = description->begin;
	builder->values.at = builder->values.begin;
	builder->options = options;
	builder->is_plain = 1;
	builder->error = 0;
	builder->repeat = 0;
	builder->without_values = 0;
	builder->tag = 0;
	builder->depth = 0;
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
	if (ue__builder_is_name(name, length)) {
		reset(builder, name, length, options);
		return;
	}
	reset(builder, "", 0, options);
	ue__builder_fail(builder, -EINVAL);
}

UE__PUBLIC int ue_builder_error(const struct ue_builder *builder)
{
	return builder->error;
}
