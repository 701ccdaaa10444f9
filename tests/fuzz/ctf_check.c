/* SPDX-License-Identifier: MIT */
/*
 * Reads a trace of CTF by libbabeltrace2's own source.ctf.fs, and counts its events. Each
 * text must be valid UTF-8.
 */
#include <babeltrace2/babeltrace.h>

#include "../support/json_check.h"
#include "export_checks.h"
#include "fuzz.h"

struct reading {
	bt_message_iterator *messages;
	struct export_counts found;
};

/* Fields */

static void check_field(const bt_field *field);

static void check_array(const bt_field *field)
{
	for (uint64_t i = 0; i < bt_field_array_get_length(field); i++)
		check_field(bt_field_array_borrow_element_field_by_index_const(field, i));
}

static void check_struct(const bt_field *field)
{
	const bt_field_class *class = bt_field_borrow_class_const(field);
	const uint64_t count = bt_field_class_structure_get_member_count(class);

	for (uint64_t i = 0; i < count; i++)
		check_field(bt_field_structure_borrow_member_field_by_index_const(field, i));
}

static void check_field(const bt_field *field)
{
	const bt_field_class_type type = bt_field_get_class_type(field);

	if (type == BT_FIELD_CLASS_TYPE_STRING)
		PROMISE(!utf8_wrong(bt_field_string_get_value(field),
				    bt_field_string_get_length(field)));
	else if (type == BT_FIELD_CLASS_TYPE_STRUCTURE)
		check_struct(field);
	else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_ARRAY))
		check_array(field);
}

/* Messages */

static void check_event(const bt_message *message)
{
	const bt_event *event = bt_message_event_borrow_event_const(message);
	const char *name = bt_event_class_get_name(bt_event_borrow_class_const(event));
	const bt_field *parts[] = {
		bt_event_borrow_common_context_field_const(event),
		bt_event_borrow_specific_context_field_const(event),
		bt_event_borrow_payload_field_const(event),
	};

	PROMISE(name && !utf8_wrong(name, strlen(name)));
	PROMISE(parts[0]);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (parts[i])
			check_field(parts[i]);
}

static void check_message(struct reading *reading, const bt_message *message)
{
	const bt_message_type type = bt_message_get_type(message);
	uint64_t lost;

	if (type == BT_MESSAGE_TYPE_EVENT) {
		check_event(message);
		reading->found.events++;
	} else if (type == BT_MESSAGE_TYPE_DISCARDED_EVENTS) {
		PROMISE(bt_message_discarded_events_get_count(message, &lost) ==
			BT_PROPERTY_AVAILABILITY_AVAILABLE);
		reading->found.lost += lost;
	}
}

static bt_graph_simple_sink_component_initialize_func_status
begin(bt_message_iterator *messages, void *data)
{
	((struct reading *)data)->messages = messages;
	return BT_GRAPH_SIMPLE_SINK_COMPONENT_INITIALIZE_FUNC_STATUS_OK;
}

static bt_graph_simple_sink_component_consume_func_status
consume(bt_message_iterator *unused, void *data)
{
	struct reading *reading = data;
	bt_message_array_const messages;
	bt_message_iterator_next_status status;
	uint64_t count = 0;

	(void)unused;
	status = bt_message_iterator_next(reading->messages, &messages, &count);
	if (status == BT_MESSAGE_ITERATOR_NEXT_STATUS_END)
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_END;
	PROMISE(status == BT_MESSAGE_ITERATOR_NEXT_STATUS_OK);
	for (uint64_t i = 0; i < count; i++) {
		check_message(reading, messages[i]);
		bt_message_put_ref(messages[i]);
	}
	return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_OK;
}

/* The graph */

static const bt_component_class_source *source_class(void)
{
	static const bt_plugin *plugin;

	if (!plugin)
		PROMISE(!bt_plugin_find("ctf", BT_TRUE, BT_FALSE, BT_TRUE, BT_TRUE, BT_FALSE,
					&plugin));
	return bt_plugin_borrow_source_component_class_by_name_const(plugin, "fs");
}

static const bt_component_source *add_source(bt_graph *graph, const char *path)
{
	const bt_component_source *source = NULL;
	bt_value *map = bt_value_map_create(), *paths = NULL;

	PROMISE(map && !bt_value_map_insert_empty_array_entry(map, "inputs", &paths));
	PROMISE(!bt_value_array_append_string_element(paths, path));
	PROMISE(!bt_graph_add_source_component(graph, source_class(), "read", map,
					       BT_LOGGING_LEVEL_ERROR, &source));
	bt_value_put_ref(map);
	return source;
}

void ctf_read(const char *path, struct export_counts *found)
{
	struct reading reading = { .messages = NULL };
	const bt_component_source *source;
	const bt_component_sink *sink = NULL;
	bt_graph *graph = bt_graph_create(0);

	PROMISE(graph);
	source = add_source(graph, path);
	if (bt_component_source_get_output_port_count(source)) {
		PROMISE(!bt_graph_add_simple_sink_component(graph, "count", begin, consume, NULL,
							    &reading, &sink));
		PROMISE(!bt_graph_connect_ports(
			graph, bt_component_source_borrow_output_port_by_index_const(source, 0),
			bt_component_sink_borrow_input_port_by_index_const(sink, 0), NULL));
		PROMISE(!bt_graph_run(graph));
	}
	bt_graph_put_ref(graph);
	*found = reading.found;
}
