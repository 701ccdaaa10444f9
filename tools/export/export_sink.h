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

#endif
