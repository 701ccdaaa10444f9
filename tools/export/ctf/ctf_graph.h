/* SPDX-License-Identifier: MIT */
/*
 * A graph of libbabeltrace2 with two components: ours, a source, and sink.ctf.fs. A sink pulls
 * messages, but events are pushed here: so messages wait in a queue, and the graph runs when
 * that is full.
 */
#ifndef UE__TOOLS_EXPORT_CTF_CTF_GRAPH_H
#define UE__TOOLS_EXPORT_CTF_CTF_GRAPH_H

#include <babeltrace2/babeltrace.h>
#include <stddef.h>
#include <stdint.h>

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

/*
 * The directory of a trace. sink.ctf.fs creates it and writes into it, but it frees memory twice
 * when the disk is full, and aborts the program when it cannot write the metadata, which it does
 * last of all. So space is reserved before it writes.
 */

struct ctf_folder {
	const char *path;
	uint64_t metadata; /* bytes that are reserved */
	uint64_t stream;
	int error; /* errno of a failed reservation; 0: none */
};

/* Whether it can be created, and does not exist. 0, or -1 after a message. */
int ctf_folder_check(const struct ctf_folder *folder);
/* Remove it, and the metadata in it. */
void ctf_folder_remove(const struct ctf_folder *folder);
/* Reserve this many bytes more for the metadata: 0, or -1 with folder->error. */
int ctf_folder_reserve(struct ctf_folder *folder, uint64_t more);
/* Reserve the bytes of the stream before this one, which exists. The result as above. */
int ctf_folder_reserve_stream(struct ctf_folder *folder, uint64_t end);
/* Whether the metadata can be written. */
int ctf_folder_is_ready(const struct ctf_folder *folder);

#endif
