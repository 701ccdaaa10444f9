/* SPDX-License-Identifier: MIT */
/*
 * Reads a ring.
 *
 * It belongs to programs that are not trusted: one that shortens its file makes reading it
 * fail (SIGBUS). Events are copied under a guard, and such a ring is left.
 */
#include "found_rings.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

#include <userevents/ring.h>

#include "common/cli/clock.h"
#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "door/ring_door.h"

/* The file became shorter. */
static sigjmp_buf unreadable;
static _Thread_local volatile sig_atomic_t is_guarded; /* this thread set it */

static void on_fault(int number)
{
	if (is_guarded)
		siglongjmp(unreadable, 1);
	signal(number, SIG_DFL); /* a fault of our own */
}

/*
 * Run a statement that accesses a ring; or the other one, if its file becomes shorter
 * meanwhile.
 */
#define GUARDED(statement, otherwise)           \
	do {                                    \
		if (sigsetjmp(unreadable, 0)) { \
			is_guarded = 0;         \
			otherwise;              \
		} else {                        \
			is_guarded = 1;         \
			statement;              \
			is_guarded = 0;         \
		}                               \
	} while (0)

void collected_rings_guard(void)
{
	const struct sigaction on_bus = { .sa_handler = on_fault, .sa_flags = SA_NODEFER };

	sigaction(SIGBUS, &on_bus, NULL);
}

void collected_rings_unguard(void)
{
	signal(SIGBUS, SIG_DFL);
}

/* Room */

/*
 * Programs may store any counts into their ring. No processor loses events faster than
 * this, so time bounds the losses of a ring.
 */
#define NS_OF_A_LOSS 10
#define ROOM_MOST UINT32_MAX
/* An event takes at least so much of a ring. */
#define BYTES_LEAST 8

/* A ring that says so has been written to by something else than the library. */
static void find_damage(struct collected_ring *ring, const char *why)
{
	if (!ring->guest || ring->is_damaged)
		return;
	ring->is_damaged = 1;
	ring->why_damaged = why;
}

static uint64_t processors(void)
{
	static long online;

	if (!online)
		online = sysconf(_SC_NPROCESSORS_ONLN);
	return online > 0 ? (uint64_t)online : 1;
}

static void make_room(struct collected_ring *ring)
{
	const int64_t now = clock_now(CLOCK_MONOTONIC);
	const uint64_t room = ring->room + (uint64_t)(now - ring->room_at) *
						   processors() / NS_OF_A_LOSS;

	ring->room = room < ROOM_MOST ? room : ROOM_MOST;
	ring->room_at = now;
}

/* It may have lost events while no collector ran, or before this one found it. */
static void begin_room(struct collected_ring *ring, const struct source_losses *now)
{
	const struct source_losses *before = &ring->kept->losses;
	const int is_same = before->ring == now->ring && before->in_programs == now->in_programs;

	ring->room = is_same ? 0 : ROOM_MOST;
	ring->room_at = clock_now(CLOCK_MONOTONIC);
}

/* The rest is not counted. */
static void add_losses(struct collected_ring *ring, uint64_t *sum, uint64_t more)
{
	if (more > ring->room) {
		find_damage(ring, "it has lost more events than a program can lose");
		return;
	}
	ring->room -= more;
	ring->untold += more;
	*sum += more;
}

/* Opening */

/*
 * Losses of a ring count from when a collector first saw it; of a file that was made since this
 * collector began, and of a program's ring that none has read yet, all of them.
 */
static int was_seen(const struct collected_ring *ring, const struct ue_ring_info *info)
{
	return ring->guest ? info->looked != 0 : info->created < ring->since;
}

static void find_kept(struct kept_counts *kept, struct collected_ring *ring,
		      const struct ue_ring_info *info)
{
	const struct source_losses now = source_losses_of(info->lost);

	ring->own = (struct kept_ring){
		.device = ring->device,
		.inode = ring->inode,
		.created = info->created,
	};
	if (was_seen(ring, info))
		ring->own.losses = now;
	ring->kept = kept_ring_find(kept, &ring->own);
	if (!ring->kept)
		ring->kept = &ring->own;
	ring->kept->is_open = 1;
	begin_room(ring, &now);
}

/*
 * Events cannot be taken from a ring that overwrites, so those of a ring that is older than the
 * collector may have been read by the one before: they are passed over.
 */
static int open_capture(struct collected_ring *ring, struct kept_counts *kept)
{
	struct ue_ring_info info;
	int overwrites, result = ue_ring_info(ring->fd, &info);
	uint32_t flags = UE_CAPTURE_TAKE;

	if (result)
		return result;
	ring->bytes = info.bytes;
	ring->capacity = info.bytes / BYTES_LEAST;
	find_kept(kept, ring, &info);
	/* A guest may store another mode than the collector chose. */
	overwrites = !ring->guest && info.mode == UE_RING_OVERWRITE;
	ring->is_holding = ring->may_hold && !overwrites;
	if (ring->is_holding)
		flags |= UE_CAPTURE_HOLD;
	result = ue_capture_open_ring(ring->fd, overwrites ? 0 : flags, &ring->capture);
	if (!result && overwrites && info.created < ring->since &&
	    ue_capture_skip(ring->capture) < 0)
		memory_is_short();
	return result;
}

int collected_ring_open(struct collected_ring *ring, struct kept_counts *kept)
{
	int result = -EIO;

	GUARDED(result = open_capture(ring, kept), break);
	return result;
}

/*
 * The events handed out last are taken out of the ring: not as it is closed, which
 * nothing guards.
 */
static void take_last(struct collected_ring *ring)
{
	GUARDED(ue_capture_wait(ring->capture, 0), break);
}

void collected_ring_leave(struct collected_ring *ring)
{
	if (ring->capture)
		take_last(ring);
	ue_capture_close(ring->capture);
	ring_recording_remove(ring->recording, ring->written);
	ring->written = NULL;
	ring->pass = 0;
	ring_events_free(&ring->events);
	ring->events = (struct ring_events){ .tracepoints = NULL };
	if (ring->fd >= 0)
		close(ring->fd);
	if (ring->kept)
		kept_ring_leave(ring->kept, ring->is_over);
	ring->kept = NULL;
	ring->capture = NULL;
	ring->fd = -1;
}

/* Reading */

/* The ring's file may be shortened at any moment, so the payload is copied. */
static int next_event(struct collected_ring *ring, struct bytes *copy,
		      struct ue_captured *event)
{
	const int result = ue_capture_next(ring->capture, event);

	if (result == -ENOMEM)
		memory_is_short();
	if (result != 1)
		return 0;
	copy->length = 0;
	bytes_add(copy, event->bytes, event->length);
	event->bytes = copy->at;
	return 1;
}

/*
 * A fault interrupts nothing but an access to the ring, so the capture's own memory can be
 * freed.
 */
static void lose(struct collected_ring *ring)
{
	message("cannot collect from %s: its file became shorter; it is left", ring->path);
	collected_ring_leave(ring);
	ring->error = -EBUSY; /* as the capture has it, until another file has its place */
}

int collected_ring_next(struct collected_ring *ring, struct bytes *copy,
			struct ue_captured *event)
{
	int result = 0;

	GUARDED(result = next_event(ring, copy, event), lose(ring));
	return result;
}

static int next_page(struct collected_ring *ring, struct ue_captured_page *page)
{
	const int result = ue_capture_next_page(ring->capture, page);

	if (result == -ENOMEM)
		memory_is_short();
	return result == 1;
}

int collected_ring_next_page(struct collected_ring *ring, struct ue_captured_page *page)
{
	int result = 0;

	GUARDED(result = next_page(ring, page), lose(ring));
	return result;
}

void collected_ring_wait(struct collected_ring *ring, int milliseconds)
{
	GUARDED(ue_capture_wait(ring->capture, milliseconds), lose(ring));
}

void collected_ring_release(struct collected_ring *ring)
{
	ring->held = 0;
	ring->is_short = 0;
	if (ring->capture && ring->is_holding)
		GUARDED(ue_capture_release(ring->capture), lose(ring));
}

/* Losses */

/* Counts that programs share may be anything, also less than before. */
static void count_more(struct collected_ring *ring, uint64_t *sum, uint64_t *counted,
		       uint64_t now)
{
	if (now > *counted)
		add_losses(ring, sum, now - *counted);
	else if (now < *counted)
		find_damage(ring, "it has lost fewer events than before");
	*counted = now;
}

void collected_ring_count(struct collected_ring *ring)
{
	struct source_losses *const sum = &ring->turn;
	struct source_losses shared;
	struct ue_capture_counts counts;

	if (ring->capture)
		GUARDED(ue_capture_count(ring->capture, &counts), lose(ring));
	if (!ring->capture)
		return;
	ring->definitions = counts.registered;
	ring->is_short = counts.is_short != 0;
	shared = source_losses_of(counts.lost);
	make_room(ring);
	count_more(ring, &sum->ring, &ring->kept->losses.ring, shared.ring);
	count_more(ring, &sum->in_programs, &ring->kept->losses.in_programs, shared.in_programs);
	count_more(ring, &sum->ring, &ring->losses.ring, counts.overwritten);
	if (counts.malformed > ring->losses.in_programs)
		find_damage(ring, "it has events that the library does not write");
	count_more(ring, &sum->in_programs, &ring->losses.in_programs, counts.malformed);
}

static void settle_damaged(struct collected_ring *ring, struct metrics *metrics,
			   struct user_losses *of_user)
{
	const uint64_t most = ring->capacity - ring->believed;
	uint64_t more = ring->turn.ring + ring->turn.in_programs;

	more = more < most ? more : most;
	ring->believed += more;
	metrics->kept->sums.losses.damaged += more;
	of_user->damaged += more;
}

void collected_ring_settle(struct collected_ring *ring, struct metrics *metrics)
{
	struct source_losses *const sum = &metrics->kept->sums.losses;
	struct user_losses *of_user =
		ring->guest && (ring->turn.ring || ring->turn.in_programs) ?
			user_losses_of(metrics, ring->guest->user) :
			NULL;

	if (of_user && ring->is_damaged) {
		settle_damaged(ring, metrics, of_user);
	} else if (of_user) {
		sum->socket += ring->turn.ring + ring->turn.in_programs;
		of_user->ring += ring->turn.ring;
		of_user->library += ring->turn.in_programs;
	} else {
		sum->ring += ring->turn.ring;
		sum->in_programs += ring->turn.in_programs;
	}
	ring->turn = (struct source_losses){ .ring = 0 };
}

uint32_t collected_ring_loss_of(struct collected_ring *ring, uint64_t lost)
{
	if (lost > ring->untold)
		collected_ring_count(ring);
	if (ring->is_damaged)
		return 0;
	if (lost > ring->untold)
		lost = ring->untold;
	ring->untold -= lost;
	return (uint32_t)lost;
}

static int ask(struct collected_ring *ring, struct ue_ring_info *info)
{
	const int fd = ring->guest ? ring->guest->ring : ring->fd;
	int result = -EIO;

	GUARDED(result = ue_ring_info(fd, info), lose(ring));
	return result;
}

/* All events of a ring that overwrites stay in it, whoever reads them. */
static uint64_t unread_of(const struct ue_ring_info *info)
{
	return info->mode == UE_RING_OVERWRITE ? 0 : info->unread;
}

int collected_ring_has_events(struct collected_ring *ring)
{
	struct ue_ring_info info;

	return ring->capture && !ask(ring, &info) && unread_of(&info);
}

/* The events in a ring are no more than its memory has room for. */
void collected_ring_count_left(struct collected_ring *ring)
{
	struct ue_ring_info info;

	collected_ring_count(ring);
	if (ring->is_counted || !ring->capture)
		return;
	if (ring->last && !ring->is_passed)
		take_last(ring);
	if (ask(ring, &info))
		return;
	ring->is_counted = 1;
	add_losses(ring, &ring->turn.ring, info.cut_off);
	if (unread_of(&info) > ring->capacity)
		find_damage(ring, "it has more events than it can hold");
	else
		ring->turn.ring += unread_of(&info);
}
