/* SPDX-License-Identifier: MIT */
/*
 * Counts of a collector: limits of events in a second, counts by kind, counts that
 * outlive the collector, and their text for Prometheus, with its files, series and
 * labels.
 */
#ifndef UE__TOOLS_COLLECT_METRICS_METRICS_H
#define UE__TOOLS_COLLECT_METRICS_METRICS_H

#include <stddef.h>
#include <stdint.h>

#include "collect/delivery/delivery.h"
#include "common/cli/clock.h"
#include "common/cli/options.h"
#include "common/events/recorded_event.h"
#include "export/tree/exported_event.h"

struct file_counts;
struct recorder_counts;

/* Limits of events in a second: of all, of each provider, and of each user's programs. */

/*
 * Lets so many events of each second pass. A second begins when the last one is over
 * and an event comes: so those left out are one gap a second, and not one between any
 * two events.
 */

#define RATE_SECOND 1000000000

struct rate_limit {
	uint64_t rate; /* 0: any number */
	uint64_t left; /* until end */
	int64_t end;   /* of CLOCK_MONOTONIC_COARSE, whose clock is read for each event */
};

static inline int rate_limit_passes(struct rate_limit *limit)
{
	int64_t now;

	if (!limit->rate)
		return 1;
	now = clock_now(CLOCK_MONOTONIC_COARSE);
	if (now >= limit->end) {
		limit->end = now + RATE_SECOND;
		limit->left = limit->rate;
	}
	if (!limit->left)
		return 0;
	limit->left--;
	return 1;
}

/* Those of names; names beyond these share a limit. */
#define LIMITED_MOST 250
#define LIMITED_KINDS 1000u

struct limited {
	char *name; /* of a provider, or the number of a user; NULL: others */
	struct rate_limit limit;
	uint64_t lost;
};

/* Zero it, and set rate; 0: there is none. */
struct rate_limits {
	uint64_t rate;
	struct limited items[LIMITED_MOST + 1];
	size_t count; /* but for the others, which are the last one */
	uint8_t of_kind[LIMITED_KINDS]; /* its place + 1; 0: not known yet */
};

/* 0: too many have come, which is counted. */
int rate_limits_pass_provider(struct rate_limits *limits, const struct event_kind *kind);
int rate_limits_pass_user(struct rate_limits *limits, uint32_t user);
void rate_limits_free(struct rate_limits *limits);

/* Kinds beyond this number are counted together, as each is a series for ever. */
#define COUNTED_KINDS_MAX 1000u

struct event_count {
	const struct event_kind *kind; /* NULL: none of this number was counted */
	uint64_t events;
	uint64_t bytes; /* of payloads */
};

/* Zero it before the first use. */
struct event_counts {
	struct event_count *items; /* by the number of the kind */
	uint32_t room;
	struct event_count others;
};

void event_counts_grow(struct event_counts *counts, uint32_t number);
void event_counts_free(struct event_counts *counts);

static inline void event_counts_add(struct event_counts *counts,
				    const struct event_kind *kind, size_t bytes)
{
	struct event_count *count = &counts->others;

	if (kind->number < COUNTED_KINDS_MAX) {
		if (kind->number >= counts->room)
			event_counts_grow(counts, kind->number);
		count = &counts->items[kind->number];
		count->kind = kind;
	}
	count->events++;
	count->bytes += bytes;
}

/*
 * Counts that may outlive the collector, in a file that is mapped: what it counts is there even
 * if it is killed (SIGKILL). The collector that follows goes on with them, and counts as
 * lost the events that the one before had taken, and neither delivered nor counted.
 *
 * Each count is stored by itself, so a kill at any moment leaves at most one event uncounted
 * that was taken and not added yet. A crash of the machine may leave older counts.
 */

/* Events that were lost before the collector got them. */
struct source_losses {
	uint64_t in_programs; /* by the library: too large, no rights, interrupted */
	uint64_t ring;	  /* the reader was behind */
	uint64_t socket; /* either, in rings of programs: these may store any count */
	uint64_t damaged; /* as rings say whose contents contradict each other */
};

/*
 * Those of the rings of a user's programs. Users beyond the last one are counted
 * together.
 */
#define LOSING_USERS 64

struct user_losses {
	uint32_t user;
	uint32_t is_used;
	uint64_t ring, library, damaged;
};

struct event_sums {
	struct source_losses losses;
	uint64_t passed, left_out; /* by --where */
	uint64_t misfits; /* events for which it is neither true nor false */
	uint64_t limited; /* events that were too many for a second */
	uint64_t given;	  /* to the exporter */
	uint64_t restart; /* of these: not delivered by a collector that was killed */
	uint64_t corrupt; /* of these: they waited in files that were damaged meanwhile */
};

/*
 * The number of these, without the events that rings still have: the next collector will
 * read these once more.
 */
struct safe_sums {
	uint64_t passed, left_out, misfits, limited, given;
};

/* Losses of a ring when they were last counted. */
struct kept_ring {
	uint64_t device, inode;
	int64_t created;
	struct source_losses losses;
	uint32_t is_open; /* in the collector that runs, or that was killed */
	uint32_t used;    /* the last time that it was open, in seconds since 1970 */
};

#define KEPT_RINGS 2048

struct kept_counts {
	uint64_t mark;
	uint64_t set_aside; /* files of another version, whose counts are not in these */
	struct event_sums sums;
	struct user_losses losing[LOSING_USERS + 1]; /* the last: others */
	struct sent_counts sent;
	struct safe_sums safe[2];
	uint64_t latest_safe; /* one of them */
	uint64_t has_safe;    /* rings hold events */
	struct kept_ring rings[KEPT_RINGS];
};

/*
 * Those of a file, which is made if it does not exist, and belongs to one process at a time;
 * path NULL: in memory. A file of another version is renamed, and counted. NULL after a message.
 */
struct kept_counts *kept_counts_open(const char *path);
/* Whether kept_counts_open() would take a file, or set it aside; 0 after a message. */
int kept_counts_are_ours(const char *path);
/*
 * Count the leftovers of a collector that was killed, but for the events that wait in
 * files; waiting: NULL, if this one has no files. Returns the number of these that are
 * lost.
 */
uint64_t kept_counts_settle(struct kept_counts *kept, const uint64_t *waiting);
/* No ring holds an event: all that were read are in files, or counted. */
void kept_counts_are_safe(struct kept_counts *kept);
/* An event that no ring holds was counted, since the sums were these. */
void kept_counts_pass(struct kept_counts *kept, const struct event_sums *before);
/* Those on the way to the encoder or in it. sent: the latest counts. */
uint64_t events_in_encoder(const struct event_sums *sums, const struct sender_counts *sent);

/* Those of a ring, by enum ue_loss. */
struct source_losses source_losses_of(const uint64_t *lost);
/*
 * The entry of a ring, by its file and when it was created; a new one is as wanted, in the place
 * of the one that was not open for the longest time. NULL: all are open.
 */
struct kept_ring *kept_ring_find(struct kept_counts *kept, const struct kept_ring *wanted);
/* It is no longer open; is_over: nor will it ever be again. */
void kept_ring_leave(struct kept_ring *ring, int is_over);

/* The counts of a collector, and their text. */

/* Programs that offered a ring (--socket). */
struct guest_counts {
	uint64_t limit; /* 0: none can */
	uint64_t rings; /* of programs, now */
	uint64_t refused;
	uint64_t late; /* they had no collector at first */
};

struct metrics {
	struct rate_limits of_providers, of_users;
	struct event_counts kinds;
	struct kept_counts *kept;
	struct guest_counts guests;
	int64_t started;  /* of the wall clock */
	char *labels; /* of each series, metrics_labels_text(); NULL: none */
	struct delivery *delivery; /* NULL: nothing is exported */
	struct file_counts *recorded;  /* NULL: nothing is recorded */
	const struct recorder_counts *recorder; /* NULL: events are not the kernel's */
};

/* Why events that were written will not arrive: the places that lose them. */
enum loss_reason {
	LOSS_LIBRARY,
	LOSS_RING,
	LOSS_SOCKET,
	LOSS_DAMAGED,
	LOSS_FILTER,
	LOSS_RATE_LIMIT,
	LOSS_QUEUE,
	LOSS_RECEIVER,
	LOSS_RESTART,
	LOSS_CORRUPT,
	LOSS_REASONS, /* their number */
};

/* The entry of a user. */
struct user_losses *user_losses_of(struct metrics *metrics, uint32_t user);

const char *loss_reason_name(enum loss_reason reason);
void metrics_losses(const struct metrics *metrics, uint64_t lost[LOSS_REASONS]);

/* Add all counts in the text format of Prometheus. */
void metrics_text(const struct metrics *metrics, struct bytes *text);
/* Write that into a file, which appears whole. 0 or -errno. */
int metrics_file_write(const char *path, const struct bytes *text);

/*
 * Files of metrics belong to one collector each: counts of two in turns would look like
 * resets.
 */

/* Those that a collector has; zero it first. */
struct metrics_lock {
	struct words paths; /* of locks */
	int *fds;
};

/*
 * Have these files, and no others any more. 0; or -1 after a message, when another
 * collector has one of them: then those from before are kept. A file beside which
 * nothing can be created is not locked, as it cannot be written either.
 */
int metrics_lock_take(struct metrics_lock *lock, const struct words *files);
void metrics_lock_free(struct metrics_lock *lock);

/* Counts of kinds as series of metrics: by their labels, each of which occurs once. */

/* Programs choose names of up to 64 KiB; what is behind the cut is the same series. */
#define METRICS_VALUE_MAX 256

struct metrics_series {
	char *labels; /* provider="Shop",event="Order" */
	uint64_t events, bytes;
};

/* Add a text as the value of a label, without quotes. */
void metrics_value_add(struct bytes *text, struct clean_texts *texts, const char *value);
/* The number of them; *series is to be freed by metrics_series_free(). */
size_t metrics_series_make(const struct event_counts *counts,
			   struct metrics_series **series);
/*
 * Sort series, and make one of those with equal labels: the number of those that remain.
 */
size_t metrics_series_merge(struct metrics_series *series, size_t count);
void metrics_series_free(struct metrics_series *series, size_t count);

/*
 * Labels of the collector's own, NAME=VALUE, that each of its series has: series of two
 * collectors whose files node_exporter reads must differ, or it refuses all of them.
 */

#define METRICS_LABELS_MAX 8

/* The first word that is wrong, and why; or NULL. */
const char *metrics_labels_wrong(const struct words *labels, const char **reason);
/* Correct ones as in a series, collector="rings",site="b", to be freed. */
char *metrics_labels_text(const struct words *labels);

#endif
