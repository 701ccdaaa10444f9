/* SPDX-License-Identifier: MIT */
/*
 * Parses answers of OTLP, which are all alike:
 *
 *	Export...ServiceResponse { partial_success = 1 }
 *	Export...PartialSuccess { rejected_... = 1 (int64), error_message = 2 }
 *	google.rpc.Status { code = 1, message = 2, details = 3 }
 *
 * Fields that are not known are skipped, as versions to come may have more.
 */
#include "sender.h"

#include <sys/random.h>

#include "export/tree/protobuf.h"

struct answer_field {
	uint64_t number;
	enum protobuf_wire wire;
	uint64_t value;	      /* of a number */
	const uint8_t *bytes; /* of PROTOBUF_LENGTH: value of them */
};

struct reading {
	const uint8_t *at, *end;
};

static int take_varint(struct reading *reading, uint64_t *number)
{
	*number = 0;
	for (unsigned int shift = 0; shift < 64 && reading->at < reading->end; shift += 7) {
		const uint8_t byte = *reading->at++;

		*number |= (uint64_t)(byte & 127) << shift;
		if (byte < 128)
			return 0;
	}
	return -1;
}

static int skip(struct reading *reading, uint64_t length)
{
	if (length > (uint64_t)(reading->end - reading->at))
		return -1;
	reading->at += length;
	return 0;
}

static int take_bytes(struct reading *reading, struct answer_field *field)
{
	if (take_varint(reading, &field->value))
		return -1;
	field->bytes = reading->at;
	return skip(reading, field->value);
}

/* 1, 0 at the end, or -1. */
static int next(struct reading *reading, struct answer_field *field)
{
	uint64_t key;
	int result;

	if (reading->at == reading->end)
		return 0;
	if (take_varint(reading, &key))
		return -1;
	*field = (struct answer_field){ .number = key >> 3,
					.wire = (enum protobuf_wire)(key & 7) };
	switch (field->wire) {
	case PROTOBUF_VARINT:
		result = take_varint(reading, &field->value);
		break;
	case PROTOBUF_LENGTH:
		result = take_bytes(reading, field);
		break;
	case PROTOBUF_FIXED64:
		result = skip(reading, 8);
		break;
	case PROTOBUF_FIXED32:
		result = skip(reading, 4);
		break;
	default:
		result = -1;
	}
	return result || !field->number ? -1 : 1;
}

static int read_texts(struct otlp_answer *answer, struct reading reading, int is_partial)
{
	struct answer_field field;
	int result;

	while ((result = next(&reading, &field)) > 0) {
		if (is_partial && field.number == 1 && field.wire == PROTOBUF_VARINT)
			answer->rejected = field.value > INT64_MAX ? 0 : field.value;
		if (field.number == 2 && field.wire == PROTOBUF_LENGTH) {
			answer->text = field.value ? (const char *)field.bytes : NULL;
			answer->text_length = (size_t)field.value;
		}
	}
	return result;
}

int otlp_answer_read(struct otlp_answer *answer, const uint8_t *bytes, size_t length)
{
	struct reading reading = { bytes, bytes + length };
	struct answer_field field;
	int result;

	*answer = (struct otlp_answer){ .rejected = 0 };
	if (!length)
		return 0;
	while ((result = next(&reading, &field)) > 0)
		if (field.number == 1 && field.wire == PROTOBUF_LENGTH &&
		    read_texts(answer, (struct reading){ field.bytes,
							 field.bytes + field.value }, 1)) {
			*answer = (struct otlp_answer){ .rejected = 0 };
			return -1;
		}
	return result;
}

int otlp_status_read(struct otlp_answer *answer, const uint8_t *bytes, size_t length)
{
	*answer = (struct otlp_answer){ .rejected = 0 };
	if (!length)
		return 0;
	return read_texts(answer, (struct reading){ bytes, bytes + length }, 0);
}

/* Spaces requests to a receiver that cannot take them. */

static int is_failure_newer(const struct retry_pace *pace, int64_t begun, int64_t now)
{
	return begun < pace->failed_at || (pace->is_imposed && now < pace->retry_at);
}

void pace_succeed(struct retry_pace *pace, int64_t begun, int64_t now)
{
	if (pace->is_failing && !pace->is_spent && is_failure_newer(pace, begun, now))
		return;
	*pace = (struct retry_pace){ .patience = pace->patience };
}

/* The result is 50 % to 100 % of the time. */
static int64_t less_random(int64_t time)
{
	uint32_t random = 0;

	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) < 0)
		random = 0;
	return time - (int64_t)(random % 1024) * time / 2048;
}

static int64_t next_wait(struct retry_pace *pace)
{
	pace->wait = pace->wait ? 2 * pace->wait : PACE_FIRST;
	if (pace->wait > PACE_LAST)
		pace->wait = PACE_LAST;
	return less_random(pace->wait);
}

static int64_t imposed_wait(const struct pace_failure *failure)
{
	return failure->retry_after < PACE_IMPOSED_MAX ? failure->retry_after :
							 PACE_IMPOSED_MAX;
}

static void set_retry(struct retry_pace *pace, const struct pace_failure *failure)
{
	pace->is_imposed = failure->retry_after > 0;
	pace->retry_at = failure->now +
			 (pace->is_imposed ? imposed_wait(failure) : next_wait(pace));
	pace->failed_at = failure->now;
}

static int is_too_long(const struct retry_pace *pace, const struct pace_failure *failure)
{
	return pace->patience >= 0 &&
	       (failure->is_lasting || pace->retry_at - pace->since > pace->patience);
}

/* The receiver's time counts, also if another request found it before. */
static void extend(struct retry_pace *pace, int64_t until)
{
	if (until <= pace->retry_at)
		return;
	pace->retry_at = until;
	pace->is_imposed = 1;
}

/* Only the first failure of requests that were on the way at once doubles the time. */
int pace_fail(struct retry_pace *pace, const struct pace_failure *failure)
{
	if (!pace->is_failing) {
		pace->is_failing = 1;
		pace->since = failure->begun;
		set_retry(pace, failure);
	} else if (failure->begun >= pace->failed_at) {
		set_retry(pace, failure);
	} else if (failure->retry_after > 0) {
		extend(pace, failure->now + imposed_wait(failure));
	}
	if (is_too_long(pace, failure))
		pace->is_spent = 1;
	return !pace->is_spent;
}

void pace_hurry(struct retry_pace *pace, int64_t now)
{
	if (!pace->is_failing || pace->is_imposed)
		return;
	pace->retry_at = now;
	pace->wait = 0;
}
