/* SPDX-License-Identifier: MIT */
/*
 * Records of one signal that wait for their request. They are in the order in which they came,
 * and in a list for each pair of a resource and a scope; a request has them by these.
 *
 *	struct bytes *to = otlp_requests_record(requests);
 *	... append a record ...
 *	otlp_requests_add(requests, &record);
 */
#ifndef UE__TOOLS_EXPORT_OTLP_REQUESTS_H
#define UE__TOOLS_EXPORT_OTLP_REQUESTS_H

#include "otlp_batch.h"
#include "otlp_encoder.h"

/* The facts of the record that was appended. */
struct otlp_record {
	struct otlp_resource *resource; /* is used, not taken over */
	struct clean_text scope;
	uint32_t events;
	uint64_t lost;
};

struct waiting_record {
	size_t at, length;
	uint32_t next; /* of the same group; 1 higher; 0: none */
};

struct waiting_group {
	struct otlp_resource *resource;
	size_t scope_at, scope_length;
	uint32_t first, last; /* records */
	uint32_t next;	      /* of the same resource; all of these 1 higher */
	int is_next;	      /* it is not the first one of its resource */
};

/* Zero it, and set the first ones. */
struct otlp_requests {
	enum otlp_signal signal;
	const struct otlp_encoder *encoder;
	const struct otlp_taker *taker;
	struct bytes records; /* encoded; complete ones, and one that is being appended */
	size_t complete;
	size_t around; /* bytes of the request beside them */
	struct bytes scopes, body;
	uint32_t record_count, group_count, last_group;
	uint64_t events, lost;
	struct waiting_record items[OTLP_BATCH_ITEMS];
	struct waiting_group groups[OTLP_BATCH_ITEMS];
};

struct bytes *otlp_requests_record(struct otlp_requests *requests);
/* The same as put() of the taker, which is called when there is enough for a request. */
int otlp_requests_add(struct otlp_requests *requests, const struct otlp_record *record);
/* Put waiting records. */
int otlp_requests_put(struct otlp_requests *requests);
void otlp_requests_free(struct otlp_requests *requests);

#endif
