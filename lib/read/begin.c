/* SPDX-License-Identifier: MIT */
/*
 * Begin to read an event: its header, name and extensions, up to the first field.
 */
#include <errno.h>

#include <userevents/eventheader_name.h>

#include "cursor.h"
#include "util/sized_struct.h"

#define EVENT_MAX 0x7fffffffu
/* The size in 0.1. */
#define OPTS_SIZE_MIN UE__SIZE_UP_TO(struct ue_reader_opts, steps_max)

static int use_opts(struct ue__reader *reader, const struct ue_reader_opts *opts,
		    size_t length)
{
	reader->steps_max = UE_READER_STEPS_DEFAULT(length) * UE__STEP;
	if (!opts)
		return 0;
	if (opts->size < OPTS_SIZE_MIN || opts->spare ||
	    opts->flags & ~UE_READER_MULTI_FORMAT)
		return ue__reader_fail(reader, UE_FAULT_OPTS, 0);
	if (ue__has_tail(opts, sizeof(*opts), opts->size)) {
		ue__reader_fail(reader, UE_FAULT_OPTS, 0);
		return reader->error.error = -E2BIG;
	}
	if (opts->steps_max)
		reader->steps_max = opts->steps_max < UINT64_MAX / UE__STEP ?
						opts->steps_max * UE__STEP :
						UINT64_MAX;
	return 0;
}

static int use_header(struct ue__reader *reader)
{
	struct ue_event_info *info = &reader->info;
	const uint8_t *bytes = reader->bytes;

	info->flags = bytes[0];
	info->version = bytes[1];
	info->id = ue__load16(reader, bytes + 2);
	info->tag = ue__load16(reader, bytes + 4);
	info->opcode = bytes[6];
	info->level = bytes[7];
	reader->has_header = 1;
	if (info->flags & ~UE_HEADER_KNOWN)
		return ue__reader_fail(reader, UE_FAULT_HEADER_FLAGS, 0);
	return 0;
}

static int use_name(struct ue__reader *reader)
{
	struct ue_event_info *info = &reader->info;
	struct ue_eventheader_name name;
	int result = ue_eventheader_name_parse(info->tracepoint,
					       info->tracepoint_length, &name,
					       &reader->error);

	if (result)
		return result;
	if (name.level != info->level)
		return ue__reader_fail(reader, UE_FAULT_LEVEL_MISMATCH, 7);
	info->provider = name.provider;
	info->provider_length = name.provider_length;
	info->options = name.options;
	info->options_length = name.options_length;
	info->keyword = name.keyword;
	return 0;
}

static int use_activity(struct ue__reader *reader, uint32_t at, uint32_t size)
{
	if (reader->info.activity_id)
		return ue__reader_fail(reader, UE_FAULT_EXTENSION_DUPLICATE, at - 4);
	if (size != 16 && size != 32)
		return ue__reader_fail(reader, UE_FAULT_ACTIVITY_SIZE, at - 4);
	reader->info.activity_id = reader->bytes + at;
	if (size == 32)
		reader->info.related_id = reader->bytes + at + 16;
	return 0;
}

static int use_metadata(struct ue__reader *reader, uint32_t at, uint32_t size)
{
	if (reader->metadata)
		return ue__reader_fail(reader, UE_FAULT_EXTENSION_DUPLICATE, at - 4);
	reader->metadata = reader->bytes + at;
	reader->metadata_length = size;
	return 0;
}

static int use_extension(struct ue__reader *reader, uint16_t kind, uint32_t at,
			 uint32_t size)
{
	if (size > reader->length - at)
		return ue__reader_fail(reader, UE_FAULT_EXTENSION_PAST_END, at - 4);
	switch (kind & UE_EXTENSION_KIND_MASK) {
	case UE_EXTENSION_INVALID:
		return ue__reader_fail(reader, UE_FAULT_EXTENSION_KIND, at - 2);
	case UE_EXTENSION_METADATA:
		return use_metadata(reader, at, size);
	case UE_EXTENSION_ACTIVITY:
		return use_activity(reader, at, size);
	default:
		return 0;
	}
}

static int use_extensions(struct ue__reader *reader)
{
	int more = reader->info.flags & UE_HEADER_EXTENSION;
	uint32_t at = sizeof(struct ue_eventheader);

	while (more) {
		const uint8_t *prefix = reader->bytes + at;
		uint16_t size, kind;
		int result;

		if (reader->length - at < sizeof(struct ue_eventheader_extension))
			return ue__reader_fail(reader, UE_FAULT_EXTENSION_TRUNCATED, at);
		size = ue__load16(reader, prefix);
		kind = ue__load16(reader, prefix + 2);
		at += sizeof(struct ue_eventheader_extension);
		result = use_extension(reader, kind, at, size);
		if (result)
			return result;
		at += size;
		more = kind & UE_EXTENSION_CHAIN;
	}
	reader->payload = at;
	return 0;
}

static int use_event_name(struct ue__reader *reader)
{
	struct ue_event_info *info = &reader->info;
	const char *name = (const char *)reader->metadata;
	const char *end;

	if (!name)
		return ue__reader_fail(reader, UE_FAULT_METADATA_MISSING, 0);
	end = memchr(name, 0, reader->metadata_length);
	if (!end)
		return ue__reader_fail(reader, UE_FAULT_EVENT_NAME_UNTERMINATED,
				       ue__in_event(reader, 0));
	info->name = name;
	info->name_length = (size_t)(end - name);
	end = memchr(name, ';', info->name_length);
	info->name_proper_length = end ? (size_t)(end - name) : info->name_length;
	reader->fields = (uint32_t)info->name_length + 1;
	return 0;
}

static int begin(struct ue__reader *reader, const struct ue_reader_opts *opts,
		 size_t length)
{
	if (use_opts(reader, opts, length))
		return reader->error.error;
	if (length < sizeof(struct ue_eventheader))
		return ue__reader_fail(reader, UE_FAULT_EVENT_TOO_SHORT, length);
	if (length > EVENT_MAX)
		return ue__reader_fail(reader, UE_FAULT_EVENT_TOO_LONG, EVENT_MAX);
	if (opts && opts->flags & UE_READER_MULTI_FORMAT)
		reader->info.tracepoint_length = ue__name_unnumbered(
			reader->info.tracepoint, reader->info.tracepoint_length);
	if (use_header(reader) || use_name(reader) || use_extensions(reader))
		return reader->error.error;
	return use_event_name(reader);
}

/* Go back to before the first field. */
static void rewind_cursors(struct ue__reader *reader)
{
	reader->steps = reader->steps_max;
	reader->has_skips = 0; /* so that the steps are the same again */
	reader->field = reader->fields;
	reader->definition = reader->fields;
	reader->at = reader->payload;
	reader->depth = 0;
	reader->place = UE__PLACE_FIELDS;
	reader->last = UE_ITEM_END;
	reader->is_definition = 0;
	reader->item.kind = UE_ITEM_END;
	reader->trailing = 0;
}

int ue__reader_begin(struct ue__reader *reader, const char *name,
			   size_t name_length, const void *bytes, size_t length,
			   const struct ue_reader_opts *opts)
{
	/* the rest of info, item, skips and frames is written before it is read */
	reader->info.name = NULL;
	reader->info.activity_id = NULL;
	reader->info.related_id = NULL;
	memset(&reader->error, 0, sizeof(reader->error));
	reader->info.tracepoint = name;
	reader->info.tracepoint_length = name_length;
	reader->bytes = bytes;
	reader->metadata = NULL;
	reader->metadata_length = 0;
	reader->length = length > EVENT_MAX ? EVENT_MAX : (uint32_t)length;
	reader->fields = 0;
	reader->payload = 0;
	reader->has_header = 0;
	begin(reader, opts, length);
	rewind_cursors(reader);
	return reader->error.error;
}

int ue__reader_rewind(struct ue__reader *reader)
{
	if (!reader->fields) /* it could not be begun */
		return reader->error.error;
	memset(&reader->error, 0, sizeof(reader->error));
	rewind_cursors(reader);
	return 0;
}

UE__PUBLIC int ue_reader_begin(struct ue_reader *reader, const char *name,
			       size_t name_length, const void *bytes, size_t length,
			       const struct ue_reader_opts *opts)
{
	return ue__reader_begin(ue__own(reader), name, name_length, bytes, length, opts);
}

UE__PUBLIC int ue_reader_rewind(struct ue_reader *reader)
{
	return ue__reader_rewind(ue__own(reader));
}
