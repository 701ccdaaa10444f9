/* SPDX-License-Identifier: MIT */
/*
 * Writing trace.dat (version 6) so that it can be read whatever happens.
 *
 * The file has a header that describes all events, and then for each processor its
 * pages in a row; how many those will be nobody knows. So each processor gets a place
 * far away from the others', in a file with holes, and its length is written down as it
 * grows; an event more means another header, for which there is room, too. At the end
 * everything moves together.
 */
#ifndef UE__TOOLS_RECORD_TRACE_DAT_LAYOUT_H
#define UE__TOOLS_RECORD_TRACE_DAT_LAYOUT_H

#include "tracefs/event_list.h"
#include "output/out_file.h"

struct trace_dat_place {
	uint64_t offset;
	uint64_t length;
};

struct trace_dat_layout {
	struct outfile *file;
	const char *tracefs;
	uint32_t cpus;
	uint64_t places_at; /* in the header */
	struct trace_dat_place *places;
};

/* All: 0, or -1 after a message. */
int trace_dat_begin(struct trace_dat_layout *layout);
int trace_dat_describe(struct trace_dat_layout *layout, const struct listed_event *events,
		       size_t count);
/* Pages of a processor, behind those that it has. */
int trace_dat_add(struct trace_dat_layout *layout, uint32_t cpu, const void *pages,
		  size_t length);
int trace_dat_finish(struct trace_dat_layout *layout, const struct listed_event *events,
		     size_t count);
void trace_dat_free(struct trace_dat_layout *layout);

#endif
