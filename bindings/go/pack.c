/* SPDX-License-Identifier: MIT */
/*
 * Passes the fields that Go has listed to a builder or a payload of the library.
 */
#include "pack.h"

#include <errno.h>
#include <string.h>

int pack_open_path(const char *path)
{
	const struct ue_open_opts opts = { .size = sizeof(opts), .path = path };

	return ue_open(&opts);
}

int pack_open_fd(int fd)
{
	const struct ue_open_opts opts = {
		.size = sizeof(opts), .fd = fd, .flags = UE_OPEN_FD
	};

	return ue_open(&opts);
}

/* The next field of a list; 0 at its end. */
static int next_field(const char **at, const char *end, struct pack_head *head,
		      const char **name, const char **value)
{
	if (*at == end)
		return 0;
	memcpy(head, *at, sizeof(*head));
	*name = *at + sizeof(*head);
	*value = *name + head->name + 1;
	*at = *value + head->value;
	return 1;
}

static void add_field(struct ue_builder *builder, const struct pack_head *head,
		      const char *name, const char *value)
{
	if (head->tag)
		ue_builder_tag(builder, head->tag);
	switch (head->op) {
	case PACK_FIELD:
		ue_builder_describe(builder, name, head->name, head->encoding, head->format, 0);
		ue_builder_raw(builder, value, head->value);
		break;
	case PACK_STRUCT_BEGIN:
		ue_builder_struct_begin(builder, name);
		break;
	case PACK_STRUCTS_BEGIN:
		ue_builder_structs_begin(builder, name, UE_ENCODING_VARRAY);
		break;
	case PACK_STRUCT_NEXT:
		ue_builder_struct_next(builder);
		break;
	default:
		ue_builder_struct_end(builder);
		break;
	}
}

struct pack_result pack_record(struct ue_builder *builder, const char *name, size_t length,
			       uint64_t options, const void *bytes, size_t size, int fd,
			       struct ue_tracepoint *tracepoint, const void *activity,
			       const void *related)
{
	const char *at = bytes, *end = at + size, *field, *value;
	struct pack_head head;
	int error;

	ue_builder_begin_named(builder, name, length, options);
	while (next_field(&at, end, &head, &field, &value))
		add_field(builder, &head, field, value);
	error = ue_builder_write(builder, fd, tracepoint, activity, related);
	/* The write of an event that was built has no EINVAL of its own, nor E2BIG. */
	return (struct pack_result){
		error == -EINVAL || error == -E2BIG ? UE_CALL_BUILD : UE_CALL_WRITE, error
	};
}

static void add_value(struct ue_payload *payload, const struct pack_head *head,
		      const char *name, const char *value)
{
	uint64_t number = 0;

	if (head->op == PACK_UNSIGNED || head->op == PACK_SIGNED)
		memcpy(&number, value, sizeof(number));
	if (head->op == PACK_UNSIGNED)
		ue_payload_u64(payload, name, number);
	else if (head->op == PACK_SIGNED)
		ue_payload_s64(payload, name, (int64_t)number);
	else if (head->op == PACK_TEXT)
		ue_payload_string(payload, name, value);
	else
		ue_payload_bytes(payload, name, value, head->value);
}

/*
 * What is too long for any listener, or finds no memory, depends on what the program traces:
 * it is a loss.
 */
struct pack_result pack_failed(int fd, const struct ue_event *event, int error)
{
	if (error == -EMSGSIZE || error == -ENOMEM)
		ue_event_lost(fd, event, error);
	return (struct pack_result){ UE_CALL_BUILD, error };
}

struct pack_result pack_event(struct ue_payload *payload, const void *bytes, size_t size, int fd,
			      struct ue_event *event)
{
	const char *at = bytes, *end = at + size, *field, *value;
	struct pack_head head;
	const void *packed;
	long packed_size;

	ue_payload_begin(payload);
	while (next_field(&at, end, &head, &field, &value))
		add_value(payload, &head, field, value);
	packed_size = ue_payload_finish(payload, &packed);
	if (packed_size < 0)
		return pack_failed(fd, event, (int)packed_size);
	return (struct pack_result){ UE_CALL_WRITE,
				     ue_write(fd, event, packed, (size_t)packed_size) };
}
