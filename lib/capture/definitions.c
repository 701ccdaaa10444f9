/* SPDX-License-Identifier: MIT */
/*
 * The events of a capture: definitions, which are copied from the ring once and parsed, and
 * those of events that may never be registered. Two events of one name with other fields are
 * two events, of which a program can register one.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "receive.h"
#include "ring/events.h"

/* Events of programs */

static int compare(const void *a, const void *b)
{
	const struct ue__capture_listed *one = a, *other = b;

	return strcmp(one->definition, other->definition);
}

/* A definition begins with its name; a malformed one is the name. */
static int compare_names(const void *a, const void *b)
{
	const char *one = a, *other = b;
	const size_t length = strcspn(one, " "), other_length = strcspn(other, " ");
	const size_t least = length < other_length ? length : other_length;
	const int result = memcmp(one, other, least);

	return result ? result : (length > other_length) - (length < other_length);
}

/* Programs have no more events. Whoever sends more costs no memory. */
#define LISTED_MAX (1u << 16)

static struct ue__capture_listed *list(struct ue_capture *capture, const char *text,
				       size_t length)
{
	struct ue__capture_listed *made = calloc(1, sizeof(*made) + length + 1);
	struct ue__capture_listed **found;

	if (!made)
		return NULL;
	memcpy(made->definition, text, length);
	found = tsearch(made, &capture->listed_tree, compare);
	if (!found || *found != made) {
		free(made);
		return found ? *found : NULL;
	}
	if (capture->listed == LISTED_MAX) {
		tdelete(made, &capture->listed_tree, compare);
		free(made);
		return NULL;
	}
	if (capture->last_listed)
		capture->last_listed->next = made;
	else
		capture->first_listed = made;
	capture->last_listed = made;
	capture->listed++;
	return made;
}

void ue__capture_note(struct ue_capture *capture, const char *definition, size_t length,
		      int is_registered)
{
	struct ue__capture_listed *listed = list(capture, definition, length);

	if (!listed || !is_registered)
		return;
	listed->is_registered = 1;
	tsearch(listed->definition, &capture->registered_tree, compare_names);
}

const char *ue__capture_registered(const struct ue_capture *capture, const char *name)
{
	void *const *found = tfind(name, &capture->registered_tree, compare_names);

	return found ? *found : NULL;
}

static void leave_node(void *node)
{
	(void)node;
}

static void forget_listed(struct ue_capture *capture)
{
	struct ue__capture_listed *next;

	tdestroy(capture->registered_tree, leave_node);
	tdestroy(capture->listed_tree, leave_node);
	for (; capture->first_listed; capture->first_listed = next) {
		next = capture->first_listed->next;
		free(capture->first_listed);
	}
}

/* Definitions */

/* That of all invalid definitions, which must not cost a reader more than their ring has. */
static struct ue__capture_source invalid;

static void free_source(struct ue__capture_source *source)
{
	if (!source || source == &invalid)
		return;
	free(source->fields);
	free(source->definition);
	free(source);
}

/* The definition is checked by this: -EINVAL for one that is none. */
static int describe(struct ue__capture_source *source, const char *definition)
{
	int count = ue_record_layout_define(&source->format, "user_events", definition,
					    NULL, 0, 0);

	if (count < 0)
		return count;
	source->definition = strdup(definition);
	source->fields = calloc((size_t)count + 1, sizeof(*source->fields));
	if (!source->definition || !source->fields)
		return -ENOMEM;
	ue_record_layout_define(&source->format, "user_events", source->definition,
				source->fields, (size_t)count, 0);
	return 0;
}

/* An invalid definition has a source, too: it is looked at and counted once. */
static int make_source(struct ue_capture *capture, uint32_t index, const char *definition)
{
	struct ue__capture_source *source = calloc(1, sizeof(*source));
	const int result = source ? describe(source, definition) : -ENOMEM;

	if (result)
		free_source(source);
	if (result == -ENOMEM)
		return result;
	capture->sources[index] = result ? &invalid : source;
	capture->malformed += !!result;
	if (!result && !ue__ring_describes(&capture->ring.memory, index)) {
		capture->registered++;
		ue__capture_note(capture, source->definition, strlen(source->definition), 1);
	}
	return 0;
}

static int make_room(struct ue_capture *capture, uint32_t index)
{
	uint32_t max = capture->sources_max ? capture->sources_max : 64;
	struct ue__capture_source **sources;

	while (max <= index)
		max *= 2;
	if (max == capture->sources_max)
		return 0;
	sources = realloc(capture->sources, max * sizeof(struct ue__capture_source *));
	if (!sources)
		return -ENOMEM;
	memset(sources + capture->sources_max, 0,
	       (max - capture->sources_max) * sizeof(struct ue__capture_source *));
	capture->sources = sources;
	capture->sources_max = max;
	return 0;
}

/* 0, with or without a source: a process may be about to publish the definition. */
static int read_definition(struct ue_capture *capture, uint32_t index)
{
	struct ue__ring_definition found;
	int result;

	if (ue__ring_definition(&capture->ring.memory, index, &found))
		return 0;
	result = make_room(capture, index);
	return result ? result : make_source(capture, index, found.text);
}

static int has_source(const struct ue_capture *capture, uint32_t index)
{
	return index < capture->sources_max && capture->sources[index];
}

/* An index that a process took and never published does not stop those behind it. */
int ue__capture_read_definitions(struct ue_capture *capture)
{
	const uint32_t count = ue__ring_events(&capture->ring.memory);

	for (uint32_t i = capture->known; i < count; i++) {
		const int result = has_source(capture, i) ? 0 : read_definition(capture, i);

		if (result)
			return result;
		capture->known += i == capture->known && has_source(capture, i);
	}
	capture->looked_at = count;
	return 0;
}

int ue__capture_find_source(struct ue_capture *capture, uint32_t index,
			    struct ue__capture_source **source)
{
	int result = 0;

	if (capture->looked_at != ue__ring_events(&capture->ring.memory))
		result = ue__capture_read_definitions(capture);
	if (!result && !has_source(capture, index))
		result = read_definition(capture, index);
	if (result)
		return result;
	*source = has_source(capture, index) ? capture->sources[index] : NULL;
	return *source && (*source)->definition;
}

void ue__capture_forget(struct ue_capture *capture)
{
	for (uint32_t i = 0; i < capture->sources_max; i++)
		free_source(capture->sources[i]);
	free(capture->sources);
	forget_listed(capture);
}
