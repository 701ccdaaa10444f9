/* SPDX-License-Identifier: MIT */
/*
 * The sink of a collector: filters events, limits their rate, counts them, and passes them to
 * an exporter. Everything else it does at its ticks: metrics, signs of life, new settings.
 */
#ifndef UE__TOOLS_COLLECT_COLLECTOR_H
#define UE__TOOLS_COLLECT_COLLECTOR_H

#include <stdint.h>
#include <stdio.h>

#include "common/cli/options.h"
#include "door/ring_door.h"
#include "export/export_sink.h"
#include "metrics/metrics.h"
#include "read/stream/stream.h"
#include "recording/ring_recording.h"
#include "serve/metrics_server.h"
#include "settings.h"

/*
 * Counts the kernel's events that the library in programs could not write: these never
 * reach a collector. A thread looks at all processes that this user may trace, every so
 * often.
 *
 * Unknown are losses of processes that this user may not trace, or of other word sizes;
 * those of a process after the last look before its end; those of an event that was
 * unregistered before the next look, if globs are given; and those of the child of a
 * fork, as long as they are fewer than its parent's.
 */

struct process_watch;

/*
 * Look every so many seconds, for events of these globs, or without globs all. Earlier
 * losses do not count. Never ends. NULL after a message.
 */
struct process_watch *process_watch_start(uint64_t seconds, const struct words *globs);
/* Losses so far, for which any thread may ask. */
uint64_t process_watch_losses(struct process_watch *watch);

struct collector {
	struct sink sink;
	struct stream *stream; /* its globs select events; its lost_before counts gaps */
	struct settings settings; /* of the beginning, but for changes of a reload */
	struct settings reread; /* to which these changes refer */
	/* Read the settings again: 0, or an exit status after a message, and nothing to free. */
	int (*reload)(struct settings *settings);
	struct where *where; /* NULL: all events pass */
	FILE *nowhere;	     /* takes messages that are said already */
	struct rate_limit limit;
	int is_limited; /* the last event was beyond a limit */
	int has_user; /* the source knows whose program wrote the event */
	uint32_t user;
	struct metrics metrics;
	struct metrics_lock lock; /* of the files */
	struct process_watch *watch; /* NULL: losses in programs are not known */
	uint64_t watched;	     /* of them, counted so far */
	uint64_t ring_before; /* lost by rings before this collector began */
	uint64_t lost_before[LOSS_REASONS]; /* and by all, which the state kept */
	struct metrics_server *server;
	int is_of_rings; /* the source counts losses; else the stream does */
	struct spool *spool; /* requests wait there; NULL: in memory */
	int holds; /* rings keep events until they are in files */
	struct export_sink export;
	int64_t next_second, next_metrics, next_sign; /* of CLOCK_MONOTONIC */
	int64_t watchdog;  /* between signs of life; 0: none */
	int is_ready, is_ending, has_complained;
	int has_misfit; /* an event that the expression does not fit was reported */
};

/*
 * Set it up from its settings, which settings_check() has parsed, and the stream. 0, or an exit
 * status after a message; to be freed in both cases.
 */
int collector_begin(struct collector *collector);
/* Called after the source has ended. */
void collector_free(struct collector *collector);

/*
 * Put all events that it took into requests, which are in files then, as far as these
 * take them: rings need not keep the events any more. As sink->take().
 */
int collector_store(struct collector *collector);

/*
 * Without a receiver, limits are those of recording rings: whether the event
 * that was taken last is beyond them.
 */
int collector_leaves_out(const struct collector *collector);

/* Whether this is due, which is every so often. */
int is_due(int64_t *next, int64_t now, int64_t interval);

/* A handler of SIGHUP: the settings are read again at the next tick. */
void collector_hang_up(int signal);

/* Rings (userevents/ring.h) as a source: no kernel and no rights are needed. */

/*
 * Pass the events of all rings whose path matches one of the patterns (glob(7)), and of
 * those that programs get at the door, which may be NULL, until a signal. Rings that
 * appear later are taken up; one that was removed is left when it is empty. Events are
 * taken out of rings that do not overwrite. Returns an exit status. recording: or NULL;
 * it is ended.
 */
int ring_source_read(struct collector *collector, const struct words *patterns,
		     struct ring_door *door, struct ring_recording *recording);

#endif
