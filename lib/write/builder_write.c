/* SPDX-License-Identifier: MIT */
/*
 * Write an event that was built.
 */
#include <errno.h>

#include "builder.h"

static struct ue_eventheader header_of(uint64_t options, uint8_t level)
{
	return (struct ue_eventheader){
		.flags = UE_HEADER_NATIVE | UE_HEADER_EXTENSION,
		.version = (uint8_t)(options >> 8),
		.id = (uint16_t)(options >> 16),
		.tag = (uint16_t)(options >> 32),
		.opcode = (uint8_t)(options >> 48),
		.level = level,
	};
}

static inline int check_event(const struct ue_builder *builder,
			      const struct ue_activity *activity,
			      const struct ue_activity *related)
{
	if (builder->error)
		return builder->error;
	/* The name's NUL is always there after a reset. */
	if (builder->depth || !ue__builder_used(&builder->description) ||
	    (related && !activity))
		return -EINVAL;
	return 0;
}

/* Begin of the record, index (not set), header, activity: before the description. */
static inline char *put_head(const struct ue_builder *builder, uint8_t level,
			     const struct ue_activity *activity,
			     const struct ue_activity *related)
{
	const struct ue_eventheader header = header_of(builder->options, level);
	const struct ue_eventheader_extension extension = {
		.size = (uint16_t)ue__builder_used(&builder->description),
		.kind = UE_EXTENSION_METADATA,
	};
	char *at = builder->description.begin - sizeof(extension);

	memcpy(at, &extension, sizeof(extension));
	if (activity) {
		at -= UE__ACTIVITY_MAX - (related ? 0 : sizeof(related->id));
		ue__put_activity(at, activity, related);
	}
	at -= sizeof(header);
	memcpy(at, &header, sizeof(header));
	return at - sizeof(uint32_t);
}

/* The record, complete but for the index; *end is behind it. NULL: no memory. */
static inline __attribute__((always_inline)) char *
assemble(struct ue_builder *builder, uint8_t level, const struct ue_activity *activity,
	 const struct ue_activity *related, char **end)
{
	struct ue__builder_buffer *description = &builder->description;
	const size_t size = ue__builder_used(&builder->values);

	if (UE__BUILDER_HEAD + ue__builder_used(description) + size > description->room &&
	    ue__builder_grow(description, UE__BUILDER_HEAD,
			     ue__builder_used(description) + size))
		return NULL;
	ue__copy(description->at, builder->values.begin, size);
	*end = description->at + size;
	return put_head(builder, level, activity, related);
}

/* ue_enabled(), without a call. */
static inline int is_listened(const struct ue_event *event)
{
	const uint32_t word = __atomic_load_n(event->word, __ATOMIC_RELAXED);

	return word && UE__WORD_SAYS(word, event);
}

UE__PUBLIC int ue_builder_write(struct ue_builder *builder, int fd,
			    struct ue_tracepoint *tracepoint,
			    const struct ue_activity *activity,
			    const struct ue_activity *related)
{
	char *record, *end;
	int error = check_event(builder, activity, related);

	if (!is_listened(&tracepoint->event))
		return error;
	if (error)
		return ue_event_lost(fd, &tracepoint->event, error);
	record = assemble(builder, (uint8_t)tracepoint->event.ue__parts->level, activity, related,
			  &end);
	if (!record)
		return ue_event_lost(fd, &tracepoint->event, -ENOMEM);
	return ue__send_fixed(fd, record, (size_t)(end - record), &tracepoint->event);
}

UE__PUBLIC ptrdiff_t ue_builder_bytes(struct ue_builder *builder, uint8_t level,
				      const struct ue_activity *activity,
				      const struct ue_activity *related,
				      const void **bytes)
{
	char *record, *end;
	int error = check_event(builder, activity, related);

	if (error || !level)
		return error ? error : -EINVAL;
	record = assemble(builder, level, activity, related, &end);
	if (!record)
		return -ENOMEM;
	*bytes = record + sizeof(uint32_t);
	return end - record - (ptrdiff_t)sizeof(uint32_t);
}
