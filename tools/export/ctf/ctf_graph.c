/* SPDX-License-Identifier: MIT */
/* Runs a graph of libbabeltrace2 that writes events as they come. */
#include "ctf_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"

/* The source */

static bt_component_class_initialize_method_status
begin_component(bt_self_component_source *self, bt_self_component_source_configuration *unused,
		const bt_value *parameters, void *data)
{
	struct ctf_graph *graph = data;

	(void)unused;
	(void)parameters;
	graph->component = bt_self_component_source_as_self_component(self);
	bt_self_component_set_data(graph->component, graph);
	return (bt_component_class_initialize_method_status)
		bt_self_component_source_add_output_port(self, "out", NULL, NULL);
}

static bt_message_iterator_class_initialize_method_status
begin_iterator(bt_self_message_iterator *self, bt_self_message_iterator_configuration *unused,
	       bt_self_component_port_output *port)
{
	struct ctf_graph *graph =
		bt_self_component_get_data(bt_self_message_iterator_borrow_component(self));

	(void)unused;
	(void)port;
	graph->iterator = self;
	return BT_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

static bt_message_iterator_class_next_method_status
next(bt_self_message_iterator *self, bt_message_array_const messages, uint64_t capacity,
     uint64_t *count)
{
	struct ctf_graph *graph =
		bt_self_component_get_data(bt_self_message_iterator_borrow_component(self));
	const size_t most = graph->count < capacity ? graph->count : (size_t)capacity;

	if (!most)
		return graph->is_end ? BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_END :
				       BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_AGAIN;
	memcpy(messages, graph->queue, most * sizeof(*graph->queue));
	graph->count -= most;
	memmove(graph->queue, graph->queue + most, graph->count * sizeof(*graph->queue));
	*count = most;
	return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_OK;
}

static const bt_component_source *add_source(struct ctf_graph *graph)
{
	bt_message_iterator_class *iterator =
		ctf_made(bt_message_iterator_class_create(next));
	bt_component_class_source *class;
	const bt_component_source *source = NULL;

	bt_message_iterator_class_set_initialize_method(iterator, begin_iterator);
	class = ctf_made(bt_component_class_source_create("userevents", iterator));
	bt_component_class_source_set_initialize_method(class, begin_component);
	if (bt_graph_add_source_component_with_initialize_method_data(
		    graph->graph, class, "events", NULL, graph, BT_LOGGING_LEVEL_NONE,
		    &source))
		memory_is_short();
	bt_component_class_source_put_ref(class);
	bt_message_iterator_class_put_ref(iterator);
	return source;
}

/* The sink */

static bt_value *sink_parameters(const char *path)
{
	bt_value *map = ctf_made(bt_value_map_create());

	if (bt_value_map_insert_string_entry(map, "path", path) ||
	    bt_value_map_insert_bool_entry(map, "assume-single-trace", BT_TRUE) ||
	    bt_value_map_insert_bool_entry(map, "quiet", BT_TRUE))
		memory_is_short();
	return map;
}

/* It creates the directory. */
static const bt_component_sink *create_sink(struct ctf_graph *graph,
					    const bt_component_class_sink *class,
					    const char *path)
{
	const bt_component_sink *sink = NULL;
	bt_value *map = sink_parameters(path);

	if (bt_graph_add_sink_component(graph->graph, class, "ctf", map,
					BT_LOGGING_LEVEL_NONE, &sink))
		message("cannot create %s: libbabeltrace2 refuses it", path);
	bt_value_put_ref(map);
	return sink;
}

static const bt_component_sink *add_sink(struct ctf_graph *graph, const char *path)
{
	const bt_component_class_sink *class = NULL;
	const bt_component_sink *sink = NULL;
	const bt_plugin *plugin = NULL;

	if (!bt_plugin_find("ctf", BT_TRUE, BT_FALSE, BT_TRUE, BT_TRUE, BT_FALSE, &plugin))
		class = bt_plugin_borrow_sink_component_class_by_name_const(plugin, "fs");
	if (class)
		sink = create_sink(graph, class, path);
	else
		message("cannot export to ctf: libbabeltrace2 has no component sink.ctf.fs; "
			"install what \"scripts/packages tool\" prints");
	bt_plugin_put_ref(plugin);
	return sink;
}

/* The graph */

/* Functions of the library must not be called while an error of it is unread. */
static int fails(void)
{
	bt_current_thread_clear_error();
	return -1;
}

static int connect_both(struct ctf_graph *graph, const bt_component_source *source,
			const bt_component_sink *sink)
{
	const bt_port_output *out =
		bt_component_source_borrow_output_port_by_index_const(source, 0);
	const bt_port_input *in =
		bt_component_sink_borrow_input_port_by_index_const(sink, 0);

	return bt_graph_connect_ports(graph->graph, out, in, NULL) ? fails() : 0;
}

int ctf_graph_open(struct ctf_graph *graph, const char *path)
{
	const bt_component_source *source;
	const bt_component_sink *sink;

	*graph = (struct ctf_graph){ .graph = ctf_made(bt_graph_create(0)) };
	source = add_source(graph);
	sink = add_sink(graph, path);
	if (sink && !connect_both(graph, source, sink) && !ctf_graph_run(graph))
		return 0;
	if (sink)
		message("cannot export to ctf: libbabeltrace2 cannot run its sink.ctf.fs");
	fails();
	ctf_graph_free(graph);
	return -1;
}

/* It runs at least once: the first time makes the iterator. */
int ctf_graph_run(struct ctf_graph *graph)
{
	bt_graph_run_once_status status;

	do {
		status = bt_graph_run_once(graph->graph);
		if (status < 0)
			return fails();
	} while (graph->count || (graph->is_end && status != BT_GRAPH_RUN_ONCE_STATUS_END));
	return 0;
}

int ctf_graph_push(struct ctf_graph *graph, bt_message *message)
{
	graph->queue[graph->count++] = message;
	return graph->count < CTF_QUEUE_MAX ? 0 : ctf_graph_run(graph);
}

int ctf_graph_end(struct ctf_graph *graph)
{
	graph->is_end = 1;
	return ctf_graph_run(graph);
}

void ctf_graph_free(struct ctf_graph *graph)
{
	while (graph->count)
		bt_message_put_ref(graph->queue[--graph->count]);
	if (graph->graph)
		bt_graph_put_ref(graph->graph);
	graph->graph = NULL;
}

/* Checks the directory of a trace, and reserves space in it. */

/* The stream is reserved in steps of this size. */
#define STEP (1u << 20)

/* Reserve up to this size of a file: 0 or an errno. */
static int reserve(const struct ctf_folder *folder, const char *name, int flags, uint64_t size)
{
	AUTO_FREE char *path = xprintf("%s/%s", folder->path, name);
	const int fd = open(path, O_WRONLY | O_CLOEXEC | flags, 0600);
	int error = fd < 0 ? errno : 0;

	if (fd < 0)
		return error;
	error = posix_fallocate(fd, 0, (off_t)size);
	close(fd);
	return error;
}

int ctf_folder_check(const struct ctf_folder *folder)
{
	if (!mkdir(folder->path, 0700)) {
		rmdir(folder->path);
		return 0;
	}
	if (errno == EEXIST)
		message("cannot create %s: it exists already; give the name of a new directory",
			folder->path);
	else
		message("cannot create %s: %s", folder->path, strerror(errno));
	return -1;
}

void ctf_folder_remove(const struct ctf_folder *folder)
{
	AUTO_FREE char *path = xprintf("%s/metadata", folder->path);

	unlink(path);
	rmdir(folder->path);
}

int ctf_folder_reserve(struct ctf_folder *folder, uint64_t more)
{
	folder->error = reserve(folder, "metadata", O_CREAT, folder->metadata + more);
	if (folder->error)
		return -1;
	folder->metadata += more;
	return 0;
}

/* Nobody sees the library writing to a file that was removed meanwhile. */
int ctf_folder_reserve_stream(struct ctf_folder *folder, uint64_t end)
{
	if (end <= folder->stream)
		return 0;
	if (!reserve(folder, "stream", 0, end + STEP)) {
		folder->stream = end + STEP;
		return 0;
	}
	folder->error = reserve(folder, "stream", 0, end);
	if (folder->error)
		return -1;
	folder->stream = end;
	return 0;
}

int ctf_folder_is_ready(const struct ctf_folder *folder)
{
	AUTO_FREE char *path = xprintf("%s/metadata", folder->path);

	return !access(path, W_OK);
}
