/* SPDX-License-Identifier: MIT */
/*
 * Encodes OTLP in Protocol Buffers.
 *
 * An attribute is KeyValue{key, AnyValue{value}}. The lengths of both are computed first, so
 * that they take a byte each, not four: attributes are most of a request.
 */
#include "common/output/printer.h"
#include "export/tree/protobuf.h"
#include "otlp_encoder.h"

enum {
	KEY_VALUE_KEY = 1,
	KEY_VALUE_VALUE = 2,
	ANY_STRING = 1,
	ANY_BOOL = 2,
	ANY_INT = 3,
	ANY_DOUBLE = 4,
	ANY_ARRAY = 5,
	ANY_KVLIST = 6,
	ANY_BYTES = 7,
	ARRAY_VALUES = 1,
};

static uint32_t number_of(enum otlp_field field)
{
	return otlp_members[field].number;
}

/* Messages */

static void nothing(struct bytes *to)
{
	(void)to;
}

static size_t message_begin(struct bytes *to, enum otlp_field field)
{
	return protobuf_begin(to, number_of(field));
}

static void list_begin(struct bytes *to, enum otlp_field list)
{
	(void)to;
	(void)list;
}

static void item(struct bytes *to, enum otlp_field list, const void *bytes, size_t length)
{
	protobuf_bytes(to, number_of(list), bytes, length);
}

/* Members */

static void number(struct bytes *to, enum otlp_field field, uint64_t number)
{
	switch (otlp_members[field].type) {
	case OTLP_FIXED64:
		protobuf_fixed64(to, number_of(field), number);
		break;
	case OTLP_FIXED32:
		protobuf_fixed32(to, number_of(field), (uint32_t)number);
		break;
	default:
		protobuf_uint(to, number_of(field), number);
	}
}

static void text(struct bytes *to, enum otlp_field field, struct clean_text text)
{
	if (text.length)
		protobuf_bytes(to, number_of(field), text.at, text.length);
}

static void id(struct bytes *to, enum otlp_field field, const uint8_t *id, size_t length)
{
	protobuf_bytes(to, number_of(field), id, length);
}

/* Values */

/* A number that does not fit an int64 is written as its decimal digits. */
static int is_long(const struct value *value)
{
	return value->type == VALUE_UNSIGNED && value->whole < 0;
}

static size_t counted_size(size_t length)
{
	return 1 + protobuf_varint_size(length) + length;
}

/* The length of the AnyValue. */
static size_t any_size(const struct value *value)
{
	switch (value->type) {
	case VALUE_BOOLEAN:
		return 2;
	case VALUE_SIGNED:
	case VALUE_UNSIGNED:
		return is_long(value) ? counted_size((size_t)digits_of((uint64_t)value->whole)) :
					1 + protobuf_varint_size((uint64_t)value->whole);
	case VALUE_FLOAT:
		return 9;
	case VALUE_TEXT:
	case VALUE_BYTES:
		return counted_size(value->length);
	default:
		return 0;
	}
}

static uint8_t *put_key(uint8_t *at, uint32_t field, enum protobuf_wire wire)
{
	return varint_put(at, (uint64_t)field << 3 | wire);
}

static uint8_t *put_counted(uint8_t *at, uint32_t field, const void *bytes, size_t length)
{
	at = varint_put(put_key(at, field, PROTOBUF_LENGTH), length);
	if (length)
		memcpy(at, bytes, length);
	return at + length;
}

static uint8_t *put_double(uint8_t *at, double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	bits = htole64(bits);
	at = put_key(at, ANY_DOUBLE, PROTOBUF_FIXED64);
	memcpy(at, &bits, sizeof(bits));
	return at + sizeof(bits);
}

static uint8_t *put_digits_of(uint8_t *at, uint64_t number)
{
	char digits[20], *begin = put_digits(digits + sizeof(digits), number);

	return put_counted(at, ANY_STRING, begin, (size_t)(digits + sizeof(digits) - begin));
}

static uint8_t *put_any(uint8_t *at, const struct value *value)
{
	switch (value->type) {
	case VALUE_BOOLEAN:
		at = put_key(at, ANY_BOOL, PROTOBUF_VARINT);
		return varint_put(at, value->whole != 0);
	case VALUE_SIGNED:
	case VALUE_UNSIGNED:
		if (is_long(value))
			return put_digits_of(at, (uint64_t)value->whole);
		at = put_key(at, ANY_INT, PROTOBUF_VARINT);
		return varint_put(at, (uint64_t)value->whole);
	case VALUE_FLOAT:
		return put_double(at, value->number);
	case VALUE_TEXT:
		return put_counted(at, ANY_STRING, value->text, value->length);
	case VALUE_BYTES:
		return put_counted(at, ANY_BYTES, value->text, value->length);
	default:
		return at;
	}
}

/* The value is a member of the message around it. */
static void put_value(struct bytes *to, uint32_t field, const struct value *value)
{
	const size_t size = any_size(value);
	uint8_t *const begin = bytes_room(to, size + 2 * VARINT_MOST);
	uint8_t *at = varint_put(put_key(begin, field, PROTOBUF_LENGTH), size);

	to->length += (size_t)(put_any(at, value) - begin);
}

static void value(struct bytes *to, enum otlp_field field, const struct value *value)
{
	put_value(to, number_of(field), value);
}

static void attribute(struct bytes *to, enum otlp_field list, const struct clean_text *key,
		      const struct value *value)
{
	size_t any, size;
	uint8_t *begin, *at;

	if (!key) {
		put_value(to, ARRAY_VALUES, value);
		return;
	}
	any = any_size(value);
	size = counted_size(key->length) + 1 + protobuf_varint_size(any) + any;
	begin = bytes_room(to, size + 2 * VARINT_MOST);
	at = varint_put(put_key(begin, number_of(list), PROTOBUF_LENGTH), size);
	at = put_counted(at, KEY_VALUE_KEY, key->at, key->length);
	at = varint_put(put_key(at, KEY_VALUE_VALUE, PROTOBUF_LENGTH), any);
	to->length += (size_t)(put_any(at, value) - begin);
}

/* KeyValue{key, AnyValue{ArrayValue{...}}}; an element begins with AnyValue. */
static void nest_begin(struct bytes *to, enum otlp_field list, const struct clean_text *key,
		       struct otlp_nest *nest)
{
	nest->begun[0] = 0;
	if (key) {
		nest->begun[0] = protobuf_begin(to, number_of(list));
		protobuf_bytes(to, KEY_VALUE_KEY, key->at, key->length);
	}
	nest->begun[1] = protobuf_begin(to, key ? KEY_VALUE_VALUE : ARRAY_VALUES);
	nest->begun[2] = protobuf_begin(to, nest->is_struct ? ANY_KVLIST : ANY_ARRAY);
}

static void nest_end(struct bytes *to, const struct otlp_nest *nest)
{
	protobuf_end(to, nest->begun[2]);
	protobuf_end(to, nest->begun[1]);
	if (nest->begun[0])
		protobuf_end(to, nest->begun[0]);
}

const struct otlp_encoder otlp_protobuf_encoder = {
	.root_begin = nothing,
	.root_end = nothing,
	.message_begin = message_begin,
	.message_end = protobuf_end,
	.message = item,
	.list_begin = list_begin,
	.list_end = nothing,
	.item_begin = message_begin,
	.item_end = protobuf_end,
	.item = item,
	.number = number,
	.text = text,
	.id = id,
	.value = value,
	.attribute = attribute,
	.nest_begin = nest_begin,
	.nest_end = nest_end,
};

/* Lists the members of OTLP's messages, from opentelemetry-proto 1.7. */

const struct otlp_member otlp_members[OTLP_FIELDS] = {
	[OTLP_RESOURCE_LOGS] = { 1, OTLP_NESTED, "resourceLogs" },
	[OTLP_RESOURCE_SPANS] = { 1, OTLP_NESTED, "resourceSpans" },
	[OTLP_RESOURCE] = { 1, OTLP_NESTED, "resource" },
	[OTLP_RESOURCE_ATTRIBUTES] = { 1, OTLP_NESTED, "attributes" },
	[OTLP_SCOPE_LOGS] = { 2, OTLP_NESTED, "scopeLogs" },
	[OTLP_SCOPE_SPANS] = { 2, OTLP_NESTED, "scopeSpans" },
	[OTLP_SCOPE] = { 1, OTLP_NESTED, "scope" },
	[OTLP_SCOPE_NAME] = { 1, OTLP_NESTED, "name" },
	[OTLP_LOG_RECORDS] = { 2, OTLP_NESTED, "logRecords" },
	[OTLP_SPANS] = { 2, OTLP_NESTED, "spans" },

	[OTLP_LOG_TIME] = { 1, OTLP_FIXED64, "timeUnixNano" },
	[OTLP_LOG_SEVERITY] = { 2, OTLP_VARINT, "severityNumber" },
	[OTLP_LOG_SEVERITY_TEXT] = { 3, OTLP_NESTED, "severityText" },
	[OTLP_LOG_BODY] = { 5, OTLP_NESTED, "body" },
	[OTLP_LOG_ATTRIBUTES] = { 6, OTLP_NESTED, "attributes" },
	[OTLP_LOG_FLAGS] = { 8, OTLP_FIXED32, "flags" },
	[OTLP_LOG_TRACE_ID] = { 9, OTLP_NESTED, "traceId" },
	[OTLP_LOG_SPAN_ID] = { 10, OTLP_NESTED, "spanId" },
	[OTLP_LOG_OBSERVED_TIME] = { 11, OTLP_FIXED64, "observedTimeUnixNano" },
	[OTLP_LOG_EVENT_NAME] = { 12, OTLP_NESTED, "eventName" },

	[OTLP_SPAN_TRACE_ID] = { 1, OTLP_NESTED, "traceId" },
	[OTLP_SPAN_ID] = { 2, OTLP_NESTED, "spanId" },
	[OTLP_SPAN_PARENT] = { 4, OTLP_NESTED, "parentSpanId" },
	[OTLP_SPAN_NAME] = { 5, OTLP_NESTED, "name" },
	[OTLP_SPAN_KIND] = { 6, OTLP_VARINT, "kind" },
	[OTLP_SPAN_START] = { 7, OTLP_FIXED64, "startTimeUnixNano" },
	[OTLP_SPAN_END] = { 8, OTLP_FIXED64, "endTimeUnixNano" },
	[OTLP_SPAN_ATTRIBUTES] = { 9, OTLP_NESTED, "attributes" },
	[OTLP_SPAN_STATUS] = { 15, OTLP_NESTED, "status" },
	[OTLP_SPAN_FLAGS] = { 16, OTLP_FIXED32, "flags" },
	[OTLP_STATUS_MESSAGE] = { 2, OTLP_NESTED, "message" },
	[OTLP_STATUS_CODE] = { 3, OTLP_VARINT, "code" },

	[OTLP_LIST_VALUES] = { 1, OTLP_NESTED, "values" },
};
