/* SPDX-License-Identifier: MIT */
/*
 * Random events, with the items that a reader must find in them: an independent writer of
 * the wire format.
 */
#ifndef RANDOM_EVENT_H
#define RANDOM_EVENT_H

#include <stddef.h>
#include <stdint.h>

#include <userevents/builder.h>

#define RANDOM_ITEMS_MAX 20000

struct expected_item {
	int kind; /* enum ue_item_kind */
	const char *name;
	uint16_t tag;
	uint8_t encoding;
	uint8_t format;
	uint32_t index;
	uint32_t count;
	uint32_t offset; /* of a value */
	uint32_t length;
};

struct random_event {
	uint8_t bytes[100000];
	size_t length;
	size_t payload; /* where the values begin */
	struct expected_item items[RANDOM_ITEMS_MAX];
	size_t count;
};

/* The same event for the same seed. */
void random_event(struct random_event *event, uint64_t seed);

/*
 * Makes the last event again with the builder. Returns 1, or 0 if the builder cannot make
 * it because it has the other byte order.
 */
int random_event_build(const struct random_event *event, struct ue_builder *builder);

#endif
