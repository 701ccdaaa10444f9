/* SPDX-License-Identifier: MIT */
/*
 * Finds the class of each event. Most events have the layout of the last one of their name, so
 * that is tried first, by filling it in.
 *
 * The library keeps the fields of events for reuse, a field for each element of an array. Large
 * events with arrays have classes of their own, with one such event at a time: so memory stays
 * bounded, which CTF_ROOM counts.
 */
#include "ctf_classes.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "ctf_context.h"
#include "ctf_json.h"
#include "fields/ctf_fill.h"

#define LARGE 1024

/* Room */

static int take_room(struct ctf_classes *classes, uint64_t more)
{
	if (more > CTF_ROOM - classes->room)
		return -1;
	classes->room += more;
	return 0;
}

/*
 * For the elements of an event's arrays, which take a byte each at least, in as many events as
 * there are at a time.
 */
static int take_room_for(struct ctf_classes *classes, struct ctf_class *class,
			 const struct event *event)
{
	const uint64_t events = class->is_large ? 1 : CTF_QUEUE_MAX;

	if (!class->has_arrays || event->length <= class->largest)
		return 0;
	if (take_room(classes, events * (event->length - class->largest)))
		return -1;
	class->largest = event->length;
	return 0;
}

/* Messages */

static bt_message *new_message(const struct ctf_classes *classes, const struct ctf_class *class)
{
	const struct ctf_stream *stream = classes->stream;

	return ctf_made(bt_message_event_create_with_packet_and_default_clock_snapshot(
		stream->graph->iterator, class->class, stream->packet, stream->now));
}

/* Its size is of what the caller has set. 0, or -1 if writing failed. */
static int push(struct ctf_classes *classes, const struct ctf_class *class,
		bt_message *message, const struct exported_event *exported, uint64_t size)
{
	bt_event *event = bt_message_event_borrow_event(message);

	size += ctf_set_common_context(bt_event_borrow_common_context_field(event), exported,
				       &classes->texts);
	if (class->properties)
		size += ctf_set_own_context(bt_event_borrow_specific_context_field(event),
					    exported, class->properties);
	if (ctf_stream_reserve(classes->stream, size)) {
		bt_message_put_ref(message);
		return -1;
	}
	return ctf_graph_push(classes->stream->graph, message);
}

/* 0, 1 if the event is of another class, or -1 if writing failed. */
static int put_as(struct ctf_classes *classes, struct ctf_class *class,
		  const struct exported_event *exported)
{
	bt_message *message = new_message(classes, class);
	bt_event *event = bt_message_event_borrow_event(message);
	uint64_t size = 0;

	if (ctf_fill(&class->layout, &classes->walk, exported->event,
		     bt_event_borrow_payload_field(event), &classes->scratch, &size)) {
		bt_message_put_ref(message);
		return 1;
	}
	if (push(classes, class, message, exported, size))
		return -1;
	return class->is_large ? ctf_graph_run(classes->stream->graph) : 0;
}

/* Without a class of their own */

/* The class is made with the first such event. */
static int prepare(struct ctf_classes *classes, struct ctf_class **class,
		   struct ctf_class *(*make)(const struct ctf_stream *stream))
{
	if (*class)
		return 0;
	if (ctf_folder_reserve(classes->folder, 4096))
		return -1;
	*class = make(classes->stream);
	return 0;
}

static int put_bytes(struct ctf_classes *classes, const struct exported_event *exported,
		     const struct ue_eventheader_error *fault)
{
	bt_message *message;
	bt_event *event;
	uint64_t size;

	if (prepare(classes, &classes->bytes, ctf_class_of_bytes))
		return -1;
	message = new_message(classes, classes->bytes);
	event = bt_message_event_borrow_event(message);
	size = ctf_set_bytes(bt_event_borrow_payload_field(event), exported, fault);
	return push(classes, classes->bytes, message, exported, size);
}

static int put_json(struct ctf_classes *classes, const struct exported_event *exported)
{
	struct ue_eventheader_error fault;
	const char *json =
		ctf_json_of(exported->event, &classes->walk, &classes->scratch, &fault);
	bt_message *message;
	bt_event *event;
	uint64_t size;

	if (!json)
		return put_bytes(classes, exported, &fault);
	if (prepare(classes, &classes->json, ctf_class_of_json))
		return -1;
	message = new_message(classes, classes->json);
	event = bt_message_event_borrow_event(message);
	size = ctf_set_words(bt_field_structure_borrow_member_field_by_index(
				     bt_event_borrow_payload_field(event), 0),
			     json, strlen(json));
	return push(classes, classes->json, message, exported, size);
}

/* Classes */

static struct ctf_class **of_kind(struct ctf_classes *classes, const struct event_kind *kind)
{
	while (classes->kinds <= kind->number) {
		classes->by_kind =
			xgrow(classes->by_kind, classes->kinds, sizeof(*classes->by_kind));
		classes->by_kind[classes->kinds++] = NULL;
	}
	return &classes->by_kind[kind->number];
}

static void to_front(struct ctf_class **first, struct ctf_class **link)
{
	struct ctf_class *class = *link;

	*link = class->next;
	class->next = *first;
	*first = class;
}

static int may_be_of(const struct ctf_class *class, const struct exported_event *event,
		     uint32_t properties)
{
	return class->properties == properties &&
	       class->level == (event->info ? event->info->level : 0) &&
	       class->is_large == (class->has_arrays && event->event->length > LARGE);
}

/* 0, 1 if no class is the event's, with their *count, or -1. */
static int put_as_known(struct ctf_classes *classes, struct ctf_class **first,
			const struct exported_event *event, uint32_t properties, int *count)
{
	struct ctf_class **link = first;

	for (*count = 0; *link; link = &(*link)->next, ++*count) {
		struct ctf_class *class = *link;
		int result = 1;

		if (!may_be_of(class, event, properties))
			continue;
		if (take_room_for(classes, class, event->event))
			return put_json(classes, event);
		result = put_as(classes, class, event);
		if (result > 0)
			continue;
		to_front(first, link);
		return result;
	}
	return 1;
}

/* A name has several copies, in which a byte may be shown as four. */
static uint64_t room_of(const struct ctf_layout *layout, const struct exported_event *event)
{
	const uint64_t names = layout->names.length + event->scope.length + event->name.length;

	return CTF_ROOM_OF_FIELD * (layout->count + 10) + names / 16;
}

/* NULL: there is no room, or the event is damaged. */
static struct ctf_class *add(struct ctf_classes *classes, struct ctf_class **first,
			     const struct exported_event *event, uint32_t properties)
{
	struct ctf_layout layout = { .count = 0 };
	struct ctf_class *class;

	if (ctf_layout_read(&layout, &classes->walk, event->event) ||
	    take_room(classes, room_of(&layout, event))) {
		ctf_layout_free(&layout);
		return NULL;
	}
	class = ctf_class_new(classes->stream, event, properties, &layout);
	class->is_large = class->has_arrays && event->event->length > LARGE;
	class->next = *first;
	*first = class;
	return class;
}

static int put_as_new(struct ctf_classes *classes, struct ctf_class **first,
		      const struct exported_event *event, uint32_t properties)
{
	struct ctf_class *class = add(classes, first, event, properties);
	int result;

	if (!class)
		return put_json(classes, event);
	if (ctf_folder_reserve(classes->folder, ctf_class_size(class, event)))
		return -1;
	if (take_room_for(classes, class, event->event))
		return put_json(classes, event);
	result = put_as(classes, class, event);
	return result > 0 ? put_json(classes, event) : result;
}

int ctf_classes_put(struct ctf_classes *classes, const struct exported_event *event, int late)
{
	struct ctf_class **first = of_kind(classes, event->event->kind);
	const uint32_t properties = ctf_properties_of(event, late);
	int count, result;

	result = put_as_known(classes, first, event, properties, &count);
	if (result <= 0)
		return result;
	if (count >= CTF_CLASSES_OF_KIND_MAX)
		return put_json(classes, event);
	return put_as_new(classes, first, event, properties);
}

void ctf_classes_free(struct ctf_classes *classes)
{
	for (uint32_t i = 0; i < classes->kinds; i++)
		for (struct ctf_class *class = classes->by_kind[i], *next; class; class = next) {
			next = class->next;
			ctf_class_free(class);
		}
	free(classes->by_kind);
	if (classes->json)
		ctf_class_free(classes->json);
	if (classes->bytes)
		ctf_class_free(classes->bytes);
	field_walk_free(&classes->walk);
	bytes_free(&classes->scratch);
	clean_texts_free(&classes->texts);
}
