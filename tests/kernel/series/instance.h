/* SPDX-License-Identifier: MIT */
/*
 * An event, and a tracing instance that records it and nothing else.
 */
#ifndef INSTANCE_H
#define INSTANCE_H

#include <stddef.h>

struct event {
	const char *definition;
	const char *name;
	int fd; /* of user_events_data */
	unsigned int write_index;
};

/* Registers the event and makes the instance, or ends the program. */
void set_up_event(struct event *event);

/* Writes text into a file of the event in the instance: 0, or -1 with errno. */
int put_event(const struct event *event, const char *file, const char *text);

/* Empties the instance's buffers. */
void empty_instance(void);

/* How many events the instance has recorded. */
int count_records(void);

/* How often the instance's records have this text. Records are used up. */
int count_text(const char *text);

/* Writes the event with this payload: the result of writev(), with errno. */
long write_payload(const struct event *event, const void *payload, size_t size);

/* Removes the instance, closes the file, and deletes the event. */
void clean_up_event(const struct event *event);

#endif
