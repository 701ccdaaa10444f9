/* SPDX-License-Identifier: MIT */
/* Passes the events of a stream to an exporter, and reports where some are missing. */
#ifndef UE__TOOLS_EXPORT_EXPORT_SINK_H
#define UE__TOOLS_EXPORT_EXPORT_SINK_H

#include "export/tree/exported_event.h"
#include "read/stream/stream.h"

struct export_sink {
	struct sink sink;
	struct exporter *exporter;
	struct exported_events events;
	struct sched_reader sched;
	const struct stream *stream; /* that counts losses */
	uint64_t lost; /* that were reported to the exporter */
	struct exported_event last;
	int is_any; /* last is set */
};

void export_sink_init(struct export_sink *sink, struct exporter *exporter,
		      const struct stream *stream);
/* sink.begin */
int export_sink_begin(struct sink *base);
/* The exporter, too. */
void export_sink_free(struct export_sink *sink);

/* The formats of "userevents export --to". */

struct export_format {
	const char *name;
	exporter_open *open; /* NULL: the tool was built without it */
	const char *missing; /* then, its needs */
	int is_sent; /* to a receiver, which the options name */
};

/* The format of this name; NULL after a message. */
const struct export_format *export_format_find(const char *name);

#endif
