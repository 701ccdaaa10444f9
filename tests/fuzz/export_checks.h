/* SPDX-License-Identifier: MIT */
/* Checks of the output of each format, which hold whatever the recording is. */
#ifndef EXPORT_CHECKS_H
#define EXPORT_CHECKS_H

#include <stddef.h>
#include <stdint.h>

/* How many events, and losses, were exported. */
struct export_counts {
	uint64_t events, lost;
};

typedef void export_check(const uint8_t *output, size_t length,
			  const struct export_counts *expected);

export_check perfetto_check;

/* Count the events in the trace of CTF at this path. */
void ctf_read(const char *path, struct export_counts *found);

/* Export to OTLP, which may be several files or requests, and check those. */
struct export_options;
void otlp_check(char **paths, int is_json, const struct export_options *options);

#endif
