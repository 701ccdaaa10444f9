/* SPDX-License-Identifier: MIT */
/*
 * Pack and send EventHeader events: the constant that describes one, then its values, as
 * operations say (abi/write_calls.h).
 *
 * The record is packed on the stack. One that does not fit there is packed a second time
 * into mapped memory, which has room for the largest payload.
 */
#include <errno.h>
#include <string.h>

#include <userevents/abi/eventheader.h>
#include <userevents/abi/write_calls.h>
#include <userevents/activity.h>
#include <userevents/eventheader_fields.h>

#include "send_packed.h"
#include "write.h"

#define COLD __attribute__((cold, noinline))

struct packing {
	char *end; /* of the room */
	int error;
};

/* Every put_ function returns the end of its bytes, or NULL with an error. */
static COLD char *fail(struct packing *packing, int error)
{
	packing->error = error;
	return NULL;
}

static inline int fits(const char *at, const struct packing *packing, size_t size)
{
	return __builtin_expect(size <= (size_t)(packing->end - at), 1);
}

static char *put_bytes(char *at, struct packing *packing, const void *data, size_t size)
{
	if (!fits(at, packing, size))
		return fail(packing, -EMSGSIZE);
	if (size)
		memcpy(at, data, size);
	return at + size;
}

/* Units up to a 0, at most max of them. */
static size_t length_of(const void *text, size_t max, size_t unit)
{
	static const char zero[sizeof(uint32_t)];
	size_t length = 0;

	if (!text)
		return 0;
	if (unit == 1)
		return strnlen(text, max);
	while (length < max && memcmp((const char *)text + length * unit, zero, unit))
		length++;
	return length;
}

/* max: a string that is longer than 0xffff units is too large anyway. */
static char *put_text(char *at, struct packing *packing, const void *text, size_t max,
		      size_t unit)
{
	const size_t size = length_of(text, max, unit) * unit;

	if (!fits(at, packing, size + unit))
		return fail(packing, -EMSGSIZE);
	if (size)
		memcpy(at, text, size);
	memset(at + size, 0, unit);
	return at + size + unit;
}

static char *put_count(char *at, struct packing *packing, size_t count)
{
	const uint16_t count16 = (uint16_t)count;

	if (count > UINT16_MAX)
		return fail(packing, -EMSGSIZE);
	return put_bytes(at, packing, &count16, sizeof(count16));
}

/* texts: of pointers to strings. In a packed element they may lie anywhere. */
static char *put_strings(char *at, struct packing *packing, const char *texts,
			 size_t count, size_t unit)
{
	for (size_t i = 0; at && i < count; i++) {
		const void *text;

		memcpy(&text, texts + i * sizeof(text), sizeof(text));
		at = put_text(at, packing, text, UINT16_MAX, unit);
	}
	return at;
}

static char *put_spans(char *at, struct packing *packing, const char *spans,
		       size_t count, size_t unit)
{
	for (size_t i = 0; at && i < count; i++) {
		struct ue_span span;

		memcpy(&span, spans + i * sizeof(span), sizeof(span));
		at = put_count(at, packing, span.length);
		if (at && span.length && !span.data)
			return fail(packing, -EFAULT);
		if (at)
			at = put_bytes(at, packing, span.data, span.length * unit);
	}
	return at;
}

/* The END of the operations of an element. */
static const struct ue__op *end_of(const struct ue__op *op)
{
	for (; op->kind != UE__OP_END; op++)
		if ((op->kind & UE__OP_KIND) == UE__OP_STRUCTS)
			op = end_of(op + 1);
	return op;
}

static char *put_value(char *at, struct packing *packing, const struct ue__op *op,
		       const char *place);

static char *put_element(char *at, struct packing *packing, const struct ue__op *op,
			 const char *element)
{
	for (; at && op->kind != UE__OP_END; op++) {
		at = put_value(at, packing, op, element + op->at);
		if ((op->kind & UE__OP_KIND) == UE__OP_STRUCTS)
			op = end_of(op + 1);
	}
	return at;
}

static char *put_structs(char *at, struct packing *packing, const struct ue__op *op,
			 const char *elements, size_t count)
{
	const size_t size = end_of(op)->at;

	for (size_t i = 0; at && i < count; i++)
		at = put_element(at, packing, op, elements + i * size);
	return at;
}

static char *put_units(char *at, struct packing *packing, const struct ue__op *op,
		       const void *data, size_t count)
{
	if (op->kind & (UE__OP_COUNTED | UE__OP_GIVEN))
		at = put_count(at, packing, count);
	if (!at || !count)
		return at;
	if (!data)
		return fail(packing, -EFAULT);
	switch (op->kind & UE__OP_KIND) {
	case UE__OP_STRINGS:
		return put_strings(at, packing, data, count, op->unit);
	case UE__OP_SPANS:
		return put_spans(at, packing, data, count, op->unit);
	case UE__OP_STRUCTS:
		return put_structs(at, packing, op + 1, data, count);
	default:
		return put_bytes(at, packing, data, count * op->unit);
	}
}

/* Put the value at a place as its operation says. */
static char *put_value(char *at, struct packing *packing, const struct ue__op *op,
		       const char *place)
{
	const char *data = place;
	size_t count = op->units;

	if ((op->kind & UE__OP_KIND) == UE__OP_FIXED)
		return put_bytes(at, packing, place, op->unit);
	if (!(op->kind & UE__OP_IN_PLACE))
		memcpy(&data, place, sizeof(data));
	if ((op->kind & UE__OP_KIND) <= UE__OP_TEXT)
		return put_text(at, packing, data, count, op->unit);
	if (op->kind & UE__OP_GIVEN)
		memcpy(&count, place + offsetof(struct ue_span, length), sizeof(count));
	if (op->kind & UE__OP_OPTIONAL && !data)
		count = 0;
	return put_units(at, packing, op, data, count);
}

/* The place behind the pointer or struct ue_span of an operation. */
static const char *behind(const struct ue__op *op, const char *place)
{
	return place + (op->kind & UE__OP_GIVEN ? sizeof(struct ue_span) : sizeof(void *));
}

static char *put_values(char *at, struct packing *packing, const struct ue__op *op,
			const char *values)
{
	const char *from = values;

	for (; at; op++) {
		const char *place = values + op->at;

		at = put_bytes(at, packing, from, (size_t)(place - from));
		if (!at || op->kind == UE__OP_END)
			break;
		at = put_value(at, packing, op, place);
		from = behind(op, place);
		if ((op->kind & UE__OP_KIND) == UE__OP_STRUCTS)
			op = end_of(op + 1);
	}
	return at;
}

/* The extension with an activity, or nothing. */
char *ue__put_activity(char *at, const struct ue_activity *activity,
		       const struct ue_activity *related)
{
	struct ue_eventheader_extension extension = {
		.size = sizeof(activity->id),
		.kind = UE_EXTENSION_ACTIVITY | UE_EXTENSION_CHAIN,
	};

	if (!activity)
		return at;
	if (related)
		extension.size += sizeof(related->id);
	memcpy(at, &extension, sizeof(extension));
	at += sizeof(extension);
	memcpy(at, activity->id, sizeof(activity->id));
	at += sizeof(activity->id);
	if (!related)
		return at;
	memcpy(at, related->id, sizeof(related->id));
	return at + sizeof(related->id);
}

/* A record but for its index. */
static char *put_event(char *record, struct packing *packing,
		       const struct ue__written *written)
{
	const size_t begin = INDEX_SIZE + sizeof(struct ue_eventheader);
	const size_t size = ((const struct ue__described *)written->described)->size;
	char extension[UE__ACTIVITY_MAX];
	const size_t extra = (size_t)(ue__put_activity(extension, written->activity,
						       written->related) - extension);
	char *at = record;

	if (!fits(at, packing, size + extra))
		return fail(packing, -EMSGSIZE);
	memcpy(at, written->described, begin);
	memcpy(at + begin, extension, extra);
	at += begin + extra;
	memcpy(at, written->described + begin, size - begin);
	return put_values(at + size - begin, packing,
			  (const void *)(written->described + size), written->values);
}

static COLD int send_mapped(int fd, struct ue_event *event,
			    const struct ue__written *written)
{
	char *record = ue__map_record(), *end;
	struct packing packing;
	int result;

	if (!record)
		return ue_event_lost(fd, event, -ENOMEM);
	packing.end = record + INDEX_SIZE + ue__payload_max_of(event);
	end = put_event(record, &packing, written);
	result = end ? ue__send_fixed(fd, record, (size_t)(end - record), event) :
		       ue_event_lost(fd, event, packing.error);
	ue__unmap_record(record);
	return result;
}

int ue__send_written(int fd, struct ue_event *event, const struct ue__written *written,
		     char *record)
{
	struct packing packing = { .end = record + UE__SMALL_RECORD };
	char *end = put_event(record, &packing, written);

	if (end)
		return ue__send_packed(fd, record, (size_t)(end - record), event);
	if (packing.error == -EMSGSIZE)
		return send_mapped(fd, event, written);
	return ue_event_lost(fd, event, packing.error);
}

UE__PUBLIC int ue__send_values(int fd, struct ue_event *event, const void *described,
			       void *values, const struct ue_activity *activity,
			       const struct ue_activity *related)
{
	const struct ue__written written = { described, values, activity, related };
	char record[UE__SMALL_RECORD];

	if (related && !activity)
		return ue_event_lost(fd, event, -EINVAL);
	return ue__send_written(fd, event, &written, record);
}
