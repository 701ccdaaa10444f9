/* SPDX-License-Identifier: MIT */
/*
 * The record of a shape, ready to be sent without the library. UE_WRITE() made it, so the
 * floor has the same bytes by construction.
 */
#ifndef UE__BENCH_RECORD_H
#define UE__BENCH_RECORD_H

#include <stddef.h>

#include "sites.h"

#define TRACING "/sys/kernel/tracing/"

extern char record[8192]; /* index and payload */
extern size_t record_size;

/* Fill the blob, open the session, and register the events of all shapes. */
void prepare_shapes(void);

/* End the program if the file cannot be written. */
void write_file(const char *path, const char *value);

/* Let ftrace record a shape, or stop it; empty the trace. */
void enable(const struct shape *shape, int on);

/* The number of its tracepoint. */
unsigned long long event_id(const struct shape *shape);

/* Set record to UE_WRITE()'s bytes for a shape. */
void catch_record(const struct shape *shape);

/* Cut the record into pieces of these sizes, for write_pieces(). */
void cut(const size_t *sizes, int count);

/*
 * Send the record: by libc's write(), which is the floor; by pwrite64() without libc,
 * which no library can undercut; and by writev() of its pieces.
 */
void write_record(void);
void pwrite_record(void);
void write_pieces(void);

/*
 * End the program unless a call brings this many events into the trace: the numbers of a
 * row mean nothing if its events do not arrive.
 */
void require(int count, void (*call)(void));

#endif
