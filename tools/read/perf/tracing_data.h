/* SPDX-License-Identifier: MIT */
/*
 * The description of tracepoints in perf.data: the texts of tracefs's format files, in
 * the layout that trace.dat files also begin with. The bytes are unchecked.
 */
#ifndef UE__TOOLS_INPUT_PERF_TRACING_DATA_H
#define UE__TOOLS_INPUT_PERF_TRACING_DATA_H

#include <stddef.h>
#include <stdint.h>

#include "perf_attrs.h"

struct event_format {
	uint64_t id; /* the tracepoint's common_type */
	const char *system;
	const char *text; /* not NUL-terminated */
	size_t length;
	void *tracepoint; /* for the caller */
};

struct tracing_data {
	struct event_format *formats;
	size_t count;
	struct id_map ids; /* which format */
	int is_big_endian;
	int is_copied; /* set by the caller if the bytes do not stay */
	size_t copied; /* bytes */
};

/* The most bytes to copy, and to read at once; no system has as many. */
#define TRACING_DATA_MAX ((size_t)64 << 20)

/*
 * Add what these bytes describe. They must stay, unless is_copied is set. data begins as
 * zeros. Returns NULL, or the end of a sentence "its description of tracepoints ..."; the
 * tracepoints before the fault are added.
 */
const char *tracing_data_parse(struct tracing_data *data, const uint8_t *bytes,
			       size_t length);
void tracing_data_free(struct tracing_data *data);

/* The last format that was added with this id, or NULL. */
struct event_format *tracing_data_find(const struct tracing_data *data, uint64_t id);

#endif
