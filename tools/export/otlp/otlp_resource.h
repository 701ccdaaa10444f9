/* SPDX-License-Identifier: MIT */
/* The resource that records come from: a process, its container, and this machine. */
#ifndef UE__TOOLS_EXPORT_OTLP_RESOURCE_H
#define UE__TOOLS_EXPORT_OTLP_RESOURCE_H

#include "export/tree/origins.h"
#include "otlp_encoder.h"

/* Encoded once, and kept as long as a record of it waits. */
struct otlp_resource {
	uint64_t serial; /* of the origin; 0: no process is known */
	uint32_t users;
	uint32_t spans; /* of the users: open ones */
	struct bytes message; /* Resource */
};

#define OTLP_RESOURCES_KEPT 256u

/* An attribute of OTEL_RESOURCE_ATTRIBUTES. */
struct given_attribute {
	const char *key, *value;
	struct given_attribute *next;
};

struct otlp_resources {
	const struct otlp_encoder *encoder;
	struct given_attribute *given; /* each key once */
	char *host; /* NULL: not known */
	struct otlp_resource *kept[OTLP_RESOURCES_KEPT]; /* by the serial's last bits */
};

/* Reads OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES. is_here: events of this machine. */
void otlp_resources_begin(struct otlp_resources *resources,
			  const struct otlp_encoder *encoder, int is_here);
/* The resource of an origin; NULL: of none. To be dropped after its last use. */
struct otlp_resource *otlp_resource_find(struct otlp_resources *resources,
					 const struct origin *origin);
struct otlp_resource *otlp_resource_use(struct otlp_resource *resource);
void otlp_resource_drop(struct otlp_resource *resource);
void otlp_resources_free(struct otlp_resources *resources);

#endif
