/* SPDX-License-Identifier: MIT */
/* The tables of top as a sink, apart, as names of its headers are also in those of others. */
#ifndef FUZZ_TOP_SINK_H
#define FUZZ_TOP_SINK_H

struct sink;

struct sink *top_sink_begin(void);
/* After the last event: print all tables, and free the sink. */
void top_sink_print(struct sink *sink, int is_json);

#endif
