/* SPDX-License-Identifier: MIT */
/* Makes event classes of layouts. */
#include "ctf_stream.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"

struct making {
	bt_trace_class *trace;
	const struct ctf_layout *layout;
	uint32_t at; /* the next step */
};

static void append(bt_field_class *to, const char *name, bt_field_class *member)
{
	if (bt_field_class_structure_append_member(to, name, member))
		memory_is_short();
	bt_field_class_put_ref(member);
}

static bt_field_class *make_field(struct making *making, const struct ctf_step *step);

/* Up to the end of the struct, or of the layout. */
static bt_field_class *make_struct(struct making *making)
{
	bt_field_class *class = ctf_made(bt_field_class_structure_create(making->trace));
	const struct ctf_layout *layout = making->layout;
	AUTO(ctf_names_free) struct ctf_names names = { .count = 0 };

	while (making->at < layout->count) {
		const struct ctf_step *step = &layout->steps[making->at++];

		if (step->kind == WALK_STRUCT_END)
			break;
		append(class,
		       ctf_name_add(&names, (char *)layout->names.at + step->name,
				    step->name_length),
		       make_field(making, step));
	}
	return class;
}

static bt_field_class *make_array(struct making *making, const struct ctf_step *step)
{
	bt_field_class *element, *class;

	if (step->type.base == CTF_STRUCT) {
		making->at++;
		element = make_struct(making);
	} else {
		element = ctf_type_class(making->trace, step->type);
	}
	class = ctf_made(bt_field_class_array_dynamic_create(making->trace, element, NULL));
	bt_field_class_put_ref(element);
	making->at = step->end + 1;
	return class;
}

/* Recursion is as deep as structs are nested, which the layout limits. */
static bt_field_class *make_field(struct making *making, const struct ctf_step *step)
{
	switch (step->kind) {
	case WALK_ARRAY_BEGIN:
		return make_array(making, step);
	case WALK_STRUCT_BEGIN:
		return make_struct(making);
	default:
		return ctf_type_class(making->trace, step->type);
	}
}

static void set_payload(bt_event_class *class, bt_field_class *payload)
{
	if (bt_event_class_set_payload_field_class(class, payload))
		memory_is_short();
	bt_field_class_put_ref(payload);
}

static void set_level(bt_event_class *class, uint32_t level)
{
	static const bt_event_class_log_level levels[] = {
		[1] = BT_EVENT_CLASS_LOG_LEVEL_CRITICAL, [2] = BT_EVENT_CLASS_LOG_LEVEL_ERROR,
		[3] = BT_EVENT_CLASS_LOG_LEVEL_WARNING,	 [4] = BT_EVENT_CLASS_LOG_LEVEL_INFO,
		[5] = BT_EVENT_CLASS_LOG_LEVEL_DEBUG,
	};

	if (level >= 1 && level <= 5)
		bt_event_class_set_log_level(class, levels[level]);
}

/* Readers take time in the square of a name's length. */
static void set_name(bt_event_class *class, const struct exported_event *event)
{
	AUTO(bytes_free) struct bytes name = { .at = NULL };

	ctf_name_print(&name, event->scope.at, event->scope.length);
	bytes_add(&name, ":", 1);
	ctf_name_print(&name, event->name.at, event->name.length);
	bytes_add(&name, "", 1);
	if (bt_event_class_set_name(class, (const char *)name.at))
		memory_is_short();
}

static int has_arrays(const struct ctf_layout *layout)
{
	for (uint32_t i = 0; i < layout->count; i++)
		if (layout->steps[i].kind == WALK_ARRAY_BEGIN ||
		    layout->steps[i].type.base == CTF_BYTES)
			return 1;
	return 0;
}

static void set_context(bt_event_class *class, bt_field_class *context)
{
	if (!context)
		return;
	if (bt_event_class_set_specific_context_field_class(class, context))
		memory_is_short();
	bt_field_class_put_ref(context);
}

/* The layout moves into the class. */
static struct ctf_class *ctf_class_new(const struct ctf_stream *stream,
				       const struct exported_event *event,
				       uint32_t properties, struct ctf_layout *layout)
{
	struct ctf_class *class = xcalloc(1, sizeof(*class));
	struct making making = { .trace = stream->trace_class, .layout = &class->layout };

	class->layout = *layout;
	*layout = (struct ctf_layout){ .count = 0 };
	class->properties = properties;
	class->level = event->info ? event->info->level : 0;
	class->has_arrays = has_arrays(&class->layout);
	class->class = ctf_made(bt_event_class_create(stream->class));
	set_name(class->class, event);
	set_level(class->class, class->level);
	set_context(class->class, ctf_own_context(stream->trace_class, properties));
	if (class->layout.count)
		set_payload(class->class, make_struct(&making));
	return class;
}

static void ctf_class_free(struct ctf_class *class)
{
	bt_event_class_put_ref(class->class);
	ctf_layout_free(&class->layout);
	free(class);
}

/* A byte of a name may be shown as four, and stands in the name of a sequence's length, too. */
static uint64_t ctf_class_size(const struct ctf_class *class, const struct exported_event *event)
{
	uint64_t size = 4096 + 4 * (event->scope.length + event->name.length);

	for (uint32_t i = 0; i < class->layout.count; i++)
		size += 600 + 8 * (uint64_t)class->layout.steps[i].name_length;
	return size;
}

/*
 * Finds the class of each event. Most events have the layout of the last one of their name, so
 * that is tried first, by filling it in.
 *
 * The library keeps the fields of events for reuse, a field for each element of an array. Large
 * events with arrays have classes of their own, with one such event at a time: so memory stays
 * bounded, which CTF_ROOM counts.
 */

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
 * Memory for the elements of an event's arrays, which take a byte each at least, in as
 * many events as there are at a time.
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

/* The caller has set its size. 0, or -1 if writing failed. */
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

/* Fields without a class of their own */

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
