/* SPDX-License-Identifier: MIT */
/*
 * Describe fields of an event that is being built.
 */
#include <errno.h>

#include "builder.h"

static void add_description(struct ue_builder *builder, const void *bytes, size_t size)
{
	struct ue__builder_buffer *description = &builder->description;

	if (builder->error)
		return;
	if (builder->repeat) {
		if (size > ue__builder_used(description) - builder->repeat ||
		    memcmp(ue__builder_described_at(builder, builder->repeat), bytes,
			   size))
			ue__builder_fail(builder, -EINVAL);
		else
			builder->repeat += (uint32_t)size;
		return;
	}
	if (!ue__builder_has_room(description, size) &&
	    ue__builder_make_room(builder, description, size))
		return;
	memcpy(description->at, bytes, size);
	description->at += size;
}

/* Encoding, and the next bytes as far as they are needed. Returns the bytes used. */
static size_t put_type(unsigned char *at, uint8_t encoding, uint8_t format, uint16_t tag,
		       uint16_t count)
{
	size_t size = 1;

	at[0] = encoding;
	if (format || tag) {
		at[0] |= UE_ENCODING_CHAIN;
		at[size++] = format;
	}
	if (tag) {
		at[1] |= UE_FORMAT_CHAIN;
		memcpy(at + size, &tag, sizeof(tag));
		size += sizeof(tag);
	}
	if (encoding & UE_ENCODING_CARRAY) {
		memcpy(at + size, &count, sizeof(count));
		size += sizeof(count);
	}
	return size;
}

/* A member of the innermost struct, or of one within it that is described alone. */
static void count_member(struct ue_builder *builder)
{
	struct ue__builder_struct *in;

	if (!builder->depth)
		return;
	in = &builder->structs[builder->depth - 1];
	if (in->raw_members)
		in->raw_members--;
	else if (in->members == UE_STRUCT_MEMBERS_MAX)
		ue__builder_fail(builder, -E2BIG);
	else
		in->members++;
	/* Before the first element members are described only. */
	if (in->array && !in->count && !in->is_without_values) {
		in->is_without_values = 1;
		builder->without_values++;
	}
}

UE__BUILDER_COLD void ue__builder_describe_field(struct ue_builder *builder,
						 const char *name, size_t length,
						 uint8_t encoding, uint8_t format,
						 uint16_t count)
{
	unsigned char type[6];
	size_t size;

	/* Without a description there was no reset. */
	if (!name || !ue__builder_used(&builder->description))
		ue__builder_fail(builder, -EINVAL);
	if (builder->error)
		return;
	count_member(builder);
	size = put_type(type, encoding, format, builder->tag, count);
	builder->tag = 0;
	add_description(builder, name, length);
	add_description(builder, "", 1);
	add_description(builder, type, size);
	ue__builder_settle(builder);
}

int ue__builder_is_malformed(uint8_t encoding, uint8_t format, uint16_t count)
{
	const int value = encoding & UE_ENCODING_VALUE_MASK;
	const int both = UE_ENCODING_CARRAY | UE_ENCODING_VARRAY;

	return value == UE_ENCODING_INVALID || value >= UE_ENCODING_END ||
	       encoding & UE_ENCODING_CHAIN || (encoding & both) == both ||
	       (encoding & UE_ENCODING_CARRAY && !count) || format & UE_FORMAT_CHAIN ||
	       (value == UE_ENCODING_STRUCT && !format);
}

/* The members of a struct that is described alone follow. */
static void expect_members(struct ue_builder *builder, uint8_t members)
{
	struct ue__builder_struct *in;

	if (!builder->depth)
		return;
	in = &builder->structs[builder->depth - 1];
	if (in->raw_members > UINT16_MAX - members)
		ue__builder_fail(builder, -E2BIG);
	else
		in->raw_members += members;
}

UE__PUBLIC void ue_builder_describe(struct ue_builder *builder, const char *name,
				size_t length, uint8_t encoding, uint8_t format,
				uint16_t count)
{
	if (ue__builder_is_malformed(encoding, format, count) ||
	    !ue__builder_is_name(name, length))
		ue__builder_fail(builder, -EINVAL);
	ue__builder_describe_field(builder, name, length, encoding, format, count);
	if ((encoding & UE_ENCODING_VALUE_MASK) == UE_ENCODING_STRUCT)
		expect_members(builder, format);
}

UE__PUBLIC void ue_builder_tag(struct ue_builder *builder, uint16_t tag)
{
	builder->tag = tag;
	ue__builder_settle(builder);
}
