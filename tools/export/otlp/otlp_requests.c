/* SPDX-License-Identifier: MIT */
/* Encodes resources; collects records, and makes requests of both. */
#include "otlp_exporter.h"

#include <ctype.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "otlp_batch.h"

/* Encodes resources. */

#define HOST_MAX 256

/* The environment: "key=value,key=value", with %XX for other characters */

static void decode_percents(char *text)
{
	char *to = text;

	for (; *text; text++) {
		const int high = *text == '%' ? hex_digit(text[1]) : -1;
		const int low = high < 0 ? -1 : hex_digit(text[2]);

		*to++ = low < 0 ? *text : (char)(high << 4 | low);
		text += low < 0 ? 0 : 2;
	}
	*to = '\0';
}

static char *trim(char *text)
{
	char *end = text + strlen(text);

	while (end > text && isspace((unsigned char)end[-1]))
		end--;
	*end = '\0';
	while (isspace((unsigned char)*text))
		text++;
	return text;
}

static struct given_attribute *find_given(const struct otlp_resources *resources,
					  const char *key)
{
	struct given_attribute *given = resources->given;

	while (given && strcmp(given->key, key))
		given = given->next;
	return given;
}

/* The first one stays. */
static void give(struct otlp_resources *resources, const char *key, const char *value)
{
	struct given_attribute *given;

	if (!*key || find_given(resources, key))
		return;
	given = xmalloc(sizeof(*given));
	given->key = clean_copy(key);
	given->value = clean_copy(value);
	given->next = resources->given;
	resources->given = given;
}

static void give_pair(struct otlp_resources *resources, char *pair)
{
	char *value = strchr(pair, '=');

	if (!value) {
		if (*trim(pair))
			message("OTEL_RESOURCE_ATTRIBUTES has \"%s\", which is no "
				"KEY=VALUE, and is left out.", pair);
		return;
	}
	*value++ = '\0';
	value = trim(value);
	decode_percents(value);
	give(resources, trim(pair), value);
}

static void read_environment(struct otlp_resources *resources)
{
	const char *service = getenv("OTEL_SERVICE_NAME");
	const char *attributes = getenv("OTEL_RESOURCE_ATTRIBUTES");
	char *copy, *rest, *pair;

	if (service && *service)
		give(resources, "service.name", service);
	if (!attributes)
		return;
	copy = rest = xstrdup(attributes);
	while ((pair = strsep(&rest, ",")))
		give_pair(resources, pair);
	free(copy);
}

void otlp_resources_begin(struct otlp_resources *resources,
			  const struct otlp_encoder *encoder, int is_here)
{
	char host[HOST_MAX + 1] = "";

	*resources = (struct otlp_resources){ .encoder = encoder };
	read_environment(resources);
	if (is_here && !gethostname(host, HOST_MAX) && *host)
		resources->host = clean_copy(host);
}

/* The message */

static void put(const struct otlp_resources *resources, struct bytes *to, const char *key,
		const struct value *value)
{
	const struct clean_text text = otlp_text(key);

	if (!find_given(resources, key))
		resources->encoder->attribute(to, OTLP_RESOURCE_ATTRIBUTES, &text, value);
}

static void put_text(const struct otlp_resources *resources, struct bytes *to,
		     const char *key, const char *text)
{
	const struct value value = otlp_string(text ? text : "", text ? strlen(text) : 0);

	if (value.length)
		put(resources, to, key, &value);
}

static void put_given(const struct otlp_resources *resources, struct bytes *to)
{
	const struct given_attribute *given = resources->given;

	for (; given; given = given->next) {
		const struct clean_text key = otlp_text(given->key);
		const struct value value =
			otlp_string(given->value, strlen(given->value));

		resources->encoder->attribute(to, OTLP_RESOURCE_ATTRIBUTES, &key, &value);
	}
}

static void put_service(const struct otlp_resources *resources, struct bytes *to,
			const char *comm)
{
	AUTO_FREE char *name = xprintf("unknown_service%s%s", *comm ? ":" : "", comm);

	put_text(resources, to, "service.name", name);
}

static void put_origin(const struct otlp_resources *resources, struct bytes *to,
		       const struct origin *origin)
{
	const struct value pid = otlp_number(origin->pid);

	if (origin->has_pid)
		put(resources, to, "process.pid", &pid);
	put_text(resources, to, "process.executable.name", origin->comm);
	put_text(resources, to, "process.linux.cgroup", origin->cgroup);
	put_text(resources, to, "container.id", origin->container_id);
	put_text(resources, to, "k8s.pod.uid", origin->pod_uid);
}

static struct otlp_resource *encode(const struct otlp_resources *resources,
				    const struct origin *origin)
{
	const struct otlp_encoder *encoder = resources->encoder;
	struct otlp_resource *resource = xcalloc(1, sizeof(*resource));
	struct bytes *to = &resource->message;

	resource->serial = origin ? origin->serial : 0;
	resource->users = 1;
	encoder->root_begin(to);
	encoder->list_begin(to, OTLP_RESOURCE_ATTRIBUTES);
	put_given(resources, to);
	put_service(resources, to, origin ? origin->comm : "");
	if (origin)
		put_origin(resources, to, origin);
	put_text(resources, to, "host.name", resources->host);
	put_text(resources, to, "os.type", "linux");
	encoder->list_end(to);
	encoder->root_end(to);
	return resource;
}

/* Keeping them */

static struct otlp_resource *otlp_resource_use(struct otlp_resource *resource)
{
	resource->users++;
	return resource;
}

void otlp_resource_drop(struct otlp_resource *resource)
{
	if (!resource || --resource->users)
		return;
	bytes_free(&resource->message);
	free(resource);
}

struct otlp_resource *otlp_resource_find(struct otlp_resources *resources,
					 const struct origin *origin)
{
	const uint64_t serial = origin ? origin->serial : 0;
	struct otlp_resource **kept = &resources->kept[serial % OTLP_RESOURCES_KEPT];

	if (!*kept || (*kept)->serial != serial) {
		otlp_resource_drop(*kept);
		*kept = encode(resources, origin);
	}
	return otlp_resource_use(*kept);
}

static void free_given(struct otlp_resources *resources)
{
	while (resources->given) {
		AUTO_FREE struct given_attribute *given = resources->given;

		resources->given = given->next;
		free((char *)given->key);
		free((char *)given->value);
	}
}

void otlp_resources_free(struct otlp_resources *resources)
{
	for (uint32_t i = 0; i < OTLP_RESOURCES_KEPT; i++)
		otlp_resource_drop(resources->kept[i]);
	free_given(resources);
	free(resources->host);
	*resources = (struct otlp_resources){ .encoder = NULL };
}

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
