/* SPDX-License-Identifier: MIT */
/*
 * A graph of libbabeltrace2 with two components: ours, a source, and sink.ctf.fs. A sink pulls
 * messages, but events are pushed here: so messages wait in a queue, and the graph runs when
 * that is full.
 */
#ifndef UE__TOOLS_EXPORT_CTF_GRAPH_H
#define UE__TOOLS_EXPORT_CTF_GRAPH_H

#include <stddef.h>

#include <babeltrace2/babeltrace.h>

/* As many as the library takes at once. */
#define CTF_QUEUE_MAX 15

struct ctf_graph {
	bt_graph *graph;
	bt_self_component *component;
	bt_self_message_iterator *iterator; /* that creates messages */
	const bt_message *queue[CTF_QUEUE_MAX];
	size_t count;
	int is_end; /* no message follows those in the queue */
};

/* A graph that writes into a directory, which does not exist yet. 0, or -1 after a message. */
int ctf_graph_open(struct ctf_graph *graph, const char *path);
/* Pass a message on, of which the caller's reference goes away. 0, or -1 if writing failed. */
int ctf_graph_push(struct ctf_graph *graph, bt_message *message);
/* Let the sink take what is in the queue. The result as above. */
int ctf_graph_run(struct ctf_graph *graph);
/* The same with everything, when nothing follows. */
int ctf_graph_end(struct ctf_graph *graph);
/* The sink writes its metadata now. */
void ctf_graph_free(struct ctf_graph *graph);

#endif
