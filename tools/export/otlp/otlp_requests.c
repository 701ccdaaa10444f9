/* SPDX-License-Identifier: MIT */
/* Collects records, and makes requests of them. */
#include "otlp_requests.h"

#include <stdlib.h>

/* Members of requests, by signal */
static const struct request_members {
	enum otlp_field resources, scopes, records;
} request_members[] = {
	[OTLP_LOGS] = { OTLP_RESOURCE_LOGS, OTLP_SCOPE_LOGS, OTLP_LOG_RECORDS },
	[OTLP_TRACES] = { OTLP_RESOURCE_SPANS, OTLP_SCOPE_SPANS, OTLP_SPANS },
};

/* Bytes of a group in a request, beside its resource, its scope and its records, at most. */
#define GROUP_SIZE 160

/* A file that is mapped may become shorter, and leave a part of a record here. */
struct bytes *otlp_requests_record(struct otlp_requests *requests)
{
	requests->records.length = requests->complete;
	return &requests->records;
}

/* Groups */

static int is_of(const struct otlp_requests *requests, const struct waiting_group *group,
		 const struct otlp_record *record)
{
	return group->resource == record->resource &&
	       group->scope_length == record->scope.length &&
	       !memcmp(requests->scopes.at + group->scope_at, record->scope.at,
		       record->scope.length);
}

/* The newest group of a resource precedes the one that is added. */
static void link_group(struct otlp_requests *requests, struct waiting_group *added)
{
	for (uint32_t i = requests->group_count; i--;) {
		struct waiting_group *group = &requests->groups[i];

		if (group->resource != added->resource)
			continue;
		group->next = requests->group_count + 1;
		added->is_next = 1;
		return;
	}
}

/* JSON may escape each character. */
static size_t size_of_group(const struct otlp_record *record)
{
	return GROUP_SIZE + record->resource->message.length + 6 * record->scope.length;
}

static struct waiting_group *add_group(struct otlp_requests *requests,
				       const struct otlp_record *record)
{
	struct waiting_group *group = &requests->groups[requests->group_count];

	bytes_room(&requests->scopes, 1); /* also for a name that is empty */
	*group = (struct waiting_group){
		.resource = otlp_resource_use(record->resource),
		.scope_at = requests->scopes.length,
		.scope_length = record->scope.length,
	};
	bytes_add(&requests->scopes, record->scope.at, record->scope.length);
	requests->around += size_of_group(record);
	link_group(requests, group);
	requests->last_group = requests->group_count++;
	return group;
}

static struct waiting_group *find_group(struct otlp_requests *requests,
					const struct otlp_record *record)
{
	if (requests->group_count &&
	    is_of(requests, &requests->groups[requests->last_group], record))
		return &requests->groups[requests->last_group];
	for (uint32_t i = 0; i < requests->group_count; i++) {
		if (!is_of(requests, &requests->groups[i], record))
			continue;
		requests->last_group = i;
		return &requests->groups[i];
	}
	return add_group(requests, record);
}

/* The request */

static void put_records(struct otlp_requests *requests, const struct waiting_group *group)
{
	const enum otlp_field list = request_members[requests->signal].records;

	requests->encoder->list_begin(&requests->body, list);
	for (uint32_t i = group->first; i; i = requests->items[i - 1].next) {
		const struct waiting_record *record = &requests->items[i - 1];

		requests->encoder->item(&requests->body, list,
					requests->records.at + record->at, record->length);
	}
	requests->encoder->list_end(&requests->body);
}

static void put_scope(struct otlp_requests *requests, const struct waiting_group *group)
{
	const struct otlp_encoder *encoder = requests->encoder;
	const struct clean_text name = {
		(const char *)requests->scopes.at + group->scope_at, group->scope_length,
	};
	struct bytes *body = &requests->body;
	const size_t begun = encoder->item_begin(body,
						 request_members[requests->signal].scopes);
	const size_t scope = encoder->message_begin(body, OTLP_SCOPE);

	encoder->text(body, OTLP_SCOPE_NAME, name);
	encoder->message_end(body, scope);
	put_records(requests, group);
	encoder->item_end(body, begun);
}

static void put_resource(struct otlp_requests *requests, const struct waiting_group *group)
{
	const struct request_members *members = &request_members[requests->signal];
	const struct bytes *message = &group->resource->message;
	const struct otlp_encoder *encoder = requests->encoder;
	struct bytes *body = &requests->body;
	const size_t begun = encoder->item_begin(body, members->resources);

	encoder->message(body, OTLP_RESOURCE, message->at, message->length);
	encoder->list_begin(body, members->scopes);
	put_scope(requests, group);
	while (group->next) {
		group = &requests->groups[group->next - 1];
		put_scope(requests, group);
	}
	encoder->list_end(body);
	encoder->item_end(body, begun);
}

static void put_body(struct otlp_requests *requests)
{
	const enum otlp_field list = request_members[requests->signal].resources;
	struct bytes *body = &requests->body;

	body->length = 0;
	requests->encoder->root_begin(body);
	requests->encoder->list_begin(body, list);
	for (uint32_t i = 0; i < requests->group_count; i++)
		if (!requests->groups[i].is_next)
			put_resource(requests, &requests->groups[i]);
	requests->encoder->list_end(body);
	requests->encoder->root_end(body);
}

/* Only a record that is being appended stays. */
static void forget(struct otlp_requests *requests)
{
	struct bytes *records = &requests->records;

	for (uint32_t i = 0; i < requests->group_count; i++)
		otlp_resource_drop(requests->groups[i].resource);
	records->length -= requests->complete;
	if (records->length)
		memmove(records->at, records->at + requests->complete, records->length);
	requests->complete = requests->around = 0;
	requests->scopes.length = 0;
	requests->record_count = requests->group_count = requests->last_group = 0;
	requests->events = requests->lost = 0;
}

int otlp_requests_put(struct otlp_requests *requests)
{
	struct otlp_batch batch = {
		.signal = requests->signal,
		.items = requests->record_count,
		.events = requests->events,
		.lost_items = requests->lost,
	};

	if (!requests->record_count)
		return 0;
	put_body(requests);
	batch.body = requests->body;
	forget(requests);
	return requests->taker->put(requests->taker->context, &batch);
}

/* Adding */

static void append(struct otlp_requests *requests, const struct otlp_record *record)
{
	struct waiting_group *group = find_group(requests, record);
	struct waiting_record *added = &requests->items[requests->record_count++];

	*added = (struct waiting_record){
		.at = requests->complete,
		.length = requests->records.length - requests->complete,
	};
	requests->complete = requests->records.length;
	requests->events += record->events;
	requests->lost += record->lost;
	if (group->last)
		requests->items[group->last - 1].next = requests->record_count;
	else
		group->first = requests->record_count;
	group->last = requests->record_count;
}

/* The size includes a tag, or a comma, of each record. */
static size_t size_with(const struct otlp_requests *requests,
			const struct otlp_record *record)
{
	return requests->records.length + requests->around + size_of_group(record) +
	       8 * ((size_t)requests->record_count + 1);
}

int otlp_requests_add(struct otlp_requests *requests, const struct otlp_record *record)
{
	int result = 0;

	if (requests->record_count && size_with(requests, record) > OTLP_BATCH_BYTES)
		result = otlp_requests_put(requests);
	append(requests, record);
	if (result || requests->record_count < OTLP_BATCH_ITEMS)
		return result;
	return otlp_requests_put(requests);
}

void otlp_requests_free(struct otlp_requests *requests)
{
	forget(requests);
	bytes_free(&requests->records);
	bytes_free(&requests->scopes);
	bytes_free(&requests->body);
}
