/* SPDX-License-Identifier: MIT */
/* Encodes resources. */
#include "otlp_batch.h"

#include <ctype.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"

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
			message("OTEL_RESOURCE_ATTRIBUTES has \"%s\", which is no KEY=VALUE, and "
				"is left out.", pair);
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
		const struct value value = otlp_string(given->value, strlen(given->value));

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

struct otlp_resource *otlp_resource_use(struct otlp_resource *resource)
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
