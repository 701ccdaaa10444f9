/* SPDX-License-Identifier: MIT */
/* Makes event classes of layouts. */
#include "ctf_class.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "ctf_context.h"
#include "fields/ctf_name.h"

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
	struct ctf_names names = { .count = 0 };

	while (making->at < layout->count) {
		const struct ctf_step *step = &layout->steps[making->at++];

		if (step->kind == WALK_STRUCT_END)
			break;
		append(class,
		       ctf_name_add(&names, (char *)layout->names.at + step->name,
				    step->name_length),
		       make_field(making, step));
	}
	ctf_names_free(&names);
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
	struct bytes name = { .at = NULL };

	ctf_name_print(&name, event->scope.at, event->scope.length);
	bytes_add(&name, ":", 1);
	ctf_name_print(&name, event->name.at, event->name.length);
	bytes_add(&name, "", 1);
	if (bt_event_class_set_name(class, (const char *)name.at))
		memory_is_short();
	bytes_free(&name);
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

struct ctf_class *ctf_class_new(const struct ctf_stream *stream,
				const struct exported_event *event, uint32_t properties,
				struct ctf_layout *layout)
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

void ctf_class_free(struct ctf_class *class)
{
	bt_event_class_put_ref(class->class);
	ctf_layout_free(&class->layout);
	free(class);
}

/* A byte of a name may be shown as four, and stands in the name of a sequence's length, too. */
uint64_t ctf_class_size(const struct ctf_class *class, const struct exported_event *event)
{
	uint64_t size = 4096 + 4 * (event->scope.length + event->name.length);

	for (uint32_t i = 0; i < class->layout.count; i++)
		size += 600 + 8 * (uint64_t)class->layout.steps[i].name_length;
	return size;
}
