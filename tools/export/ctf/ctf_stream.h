/* SPDX-License-Identifier: MIT */
/* The trace with its one stream: the clock, packets, and losses between them. */
#ifndef UE__TOOLS_EXPORT_CTF_STREAM_H
#define UE__TOOLS_EXPORT_CTF_STREAM_H

#include "ctf_folder.h"
#include "ctf_graph.h"
#include "export/tree/exported_event.h"

struct ctf_stream {
	struct ctf_graph *graph;
	struct ctf_folder *folder;
	bt_trace_class *trace_class;
	bt_stream_class *class;
	bt_trace *trace;
	bt_stream *stream; /* NULL: not begun */
	bt_packet *packet; /* that is open; NULL: none */
	int has_packet;	   /* there was one */
	uint64_t bytes;	   /* of events in it */
	uint64_t end;	   /* of the stream, in bytes; or what is behind that */
	int64_t offset;	   /* of the clock: what its 0 is in the times of samples */
	uint64_t now;	   /* by the clock */
	uint64_t lost;	   /* events that are missing before the next */
};

/*
 * Begin with the first event; NULL: there is none. graph and folder are set before. 0, or -1 if
 * writing failed: then folder->error is set, or else the library failed.
 */
int ctf_stream_begin(struct ctf_stream *stream, const struct exported_event *first);
/*
 * Go on to the time of an event, if it is not before that of the last: *late says so. Ends a
 * packet that is large enough, and reports what was lost. The result as above.
 */
int ctf_stream_advance(struct ctf_stream *stream, const struct exported_event *event, int *late);
/* Make sure that an event of this size, without its header, can be written. */
int ctf_stream_reserve(struct ctf_stream *stream, uint64_t size);
/* If there is no space, report no losses. */
int ctf_stream_end(struct ctf_stream *stream);
/* Before the graph is freed. */
void ctf_stream_free(struct ctf_stream *stream);

#endif
