/* SPDX-License-Identifier: MIT */
/*
 * Begin and end structs of an event that is being built, and arrays of them.
 */
#include <errno.h>

#include "builder.h"

static struct ue__builder_struct *innermost(struct ue_builder *builder)
{
	if (builder->error)
		return NULL;
	if (!builder->depth) {
		ue__builder_fail(builder, -EINVAL);
		return NULL;
	}
	return &builder->structs[builder->depth - 1];
}

/*
 * The number of members, and of elements, is set at the end; where the description is
 * gone through again, the numbers that are there stay.
 */
static void begin(struct ue_builder *builder, const char *name, uint8_t array)
{
	const size_t length = ue__builder_length(name);
	const size_t type_at = ue__builder_described(builder) + length + 1;
	struct ue__builder_struct new = {
		.format_at = (uint32_t)type_at + 1,
		.count_at = (uint32_t)(type_at + (builder->tag ? 4 : 2)),
		.array = array,
		.is_repeated = builder->repeat != 0,
	};
	uint16_t count = 1;
	uint8_t members = 1;

	if (builder->depth == UE_BUILDER_DEPTH_MAX)
		ue__builder_fail(builder, -E2BIG);
	if (builder->error)
		return;
	if (new.is_repeated &&
	    type_at + 6 <= ue__builder_used(&builder->description)) {
		members = *ue__builder_described_at(builder, new.format_at) &
			  UE_FORMAT_VALUE_MASK;
		memcpy(&count, ue__builder_described_at(builder, new.count_at),
		       sizeof(count));
	}
	ue__builder_describe_field(builder, name, length, UE_ENCODING_STRUCT | array,
				   members, count);
	if (array == UE_ENCODING_VARRAY) {
		new.count_at = (uint32_t)ue__builder_used(&builder->values);
		ue__builder_add_count(builder, 0);
	}
	new.begin = ue__builder_described(builder);
	builder->structs[builder->depth++] = new;
	builder->is_plain = 0;
}

UE__PUBLIC void ue_builder_struct_begin(struct ue_builder *builder, const char *name,
					uint8_t array)
{
	if (array && array != UE_ENCODING_CARRAY && array != UE_ENCODING_VARRAY)
		ue__builder_fail(builder, -EINVAL);
	begin(builder, name, array);
}

/* The members of an element, or of the struct, are complete. */
static void end_element(struct ue_builder *builder, struct ue__builder_struct *in)
{
	unsigned char *format =
		(unsigned char *)ue__builder_described_at(builder, in->format_at);
	const unsigned char flag = *format & UE_FORMAT_CHAIN;

	if (!in->members || in->raw_members)
		ue__builder_fail(builder, -EINVAL);
	else if (!in->end && !in->is_repeated)
		*format = (unsigned char)(flag | in->members);
	else if ((*format & UE_FORMAT_VALUE_MASK) != in->members ||
		 (in->end && ue__builder_described(builder) != in->end))
		ue__builder_fail(builder, -EINVAL);
	in->end = ue__builder_described(builder);
	if (in->is_without_values) {
		in->is_without_values = 0;
		builder->without_values--;
	}
}

UE__PUBLIC void ue_builder_struct_next(struct ue_builder *builder)
{
	struct ue__builder_struct *in = innermost(builder);

	if (!in)
		return;
	if (!in->array || in->count == UINT16_MAX) {
		ue__builder_fail(builder, in->array ? -E2BIG : -EINVAL);
		return;
	}
	if (in->count || in->is_without_values)
		end_element(builder, in);
	in->count++;
	in->members = 0;
	/* Nothing is described yet when the first element begins. */
	if (in->end)
		builder->repeat = in->begin;
}

/* Set the number of elements, or compare it with the one that is described. */
static void end_array(struct ue_builder *builder, const struct ue__builder_struct *in)
{
	const uint16_t count = (uint16_t)in->count;
	char *at;

	if (in->array == UE_ENCODING_VARRAY) {
		if (!builder->without_values)
			memcpy(builder->values.begin + in->count_at, &count,
			       sizeof(count));
		return;
	}
	at = ue__builder_described_at(builder, in->count_at);
	if (!count)
		ue__builder_fail(builder, -EINVAL);
	else if (!in->is_repeated)
		memcpy(at, &count, sizeof(count));
	else if (!builder->without_values && memcmp(at, &count, sizeof(count)))
		ue__builder_fail(builder, -EINVAL);
}

UE__PUBLIC void ue_builder_struct_end(struct ue_builder *builder)
{
	struct ue__builder_struct *in = innermost(builder);

	if (!in)
		return;
	end_element(builder, in);
	if (in->array && !builder->error)
		end_array(builder, in);
	builder->depth--;
	/* The description goes on behind the last element. */
	if (builder->repeat == ue__builder_used(&builder->description))
		builder->repeat = 0;
	ue__builder_settle(builder);
}
