/* SPDX-License-Identifier: MIT */
/*
 * Moments by several clocks, and how fast the counter went between two of them. Nothing
 * is trusted: any moment may be anything.
 */
#include <string.h>

#include "ring_clock.h"

/* Moments */

/* Two looks at one clock with the others between them: how far they may be apart. */
#define CLOSE 4000u

static struct ue__ring_moment look(uint32_t clock, int looks)
{
	struct ue__ring_moment best = { 0 };
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < looks && least > CLOSE; i++) {
		const uint64_t before = ue__ring_time(clock);
		const int64_t monotonic = ue__ring_nanoseconds(CLOCK_MONOTONIC);
		const int64_t real = ue__ring_nanoseconds(CLOCK_REALTIME);
		const uint64_t width = ue__ring_time(clock) - before;

		if (width >= least)
			continue;
		least = width;
		best = (struct ue__ring_moment){ before + width / 2, monotonic, real };
	}
	if (clock == UE__RING_MONOTONIC)
		best.counter = (uint64_t)best.monotonic;
	return best;
}

struct ue__ring_moment ue__ring_now(uint32_t clock)
{
	return look(clock, 5);
}

struct ue__ring_moment ue__ring_now_quickly(uint32_t clock)
{
	return look(clock, 2);
}

/* Boots */

uint32_t ue__ring_boot_of(const char *name)
{
	uint32_t hash = 2166136261u; /* FNV-1a */

	if (!*name)
		return 0;
	for (unsigned i = 0; i < 36; i++)
		hash = (hash ^ (unsigned char)name[i]) * 16777619u;
	hash = (hash >> 16 ^ hash) & 0xffff;
	return hash ? hash : 1;
}

static unsigned index_of(const struct ue__ring_boots *boots, uint32_t boot)
{
	unsigned i = 0;

	while (i < UE__RING_BOOTS && (!boot || boots->boots[i].boot != boot))
		i++;
	return i;
}

static const struct ue__ring_boot *find(const struct ue__ring_boots *boots, uint32_t boot)
{
	const unsigned i = index_of(boots, boot);

	return i < UE__RING_BOOTS ? &boots->boots[i] : NULL;
}

static uint32_t began(const struct ue__ring_moment *moment)
{
	return (uint32_t)(((uint64_t)moment->real - (uint64_t)moment->monotonic) /
			  1000000000u);
}

/* The moments of further boots are forgotten. */
void ue__ring_note_moment(struct ue__ring_boots *boots, uint32_t boot,
			  const struct ue__ring_moment *moment)
{
	unsigned i = index_of(boots, boot);
	struct ue__ring_boot *known;

	if (i == UE__RING_BOOTS && boot)
		for (i = 0; i < UE__RING_BOOTS && boots->boots[i].boot; i++)
			;
	if (i == UE__RING_BOOTS)
		return;
	known = &boots->boots[i];
	if (!known->boot)
		*known = (struct ue__ring_boot){ boot, began(moment), *moment, *moment };
	if (moment->counter < known->first.counter)
		known->first = *moment;
	if (moment->counter > known->last.counter)
		known->last = *moment;
}

uint32_t ue__ring_order_of(const struct ue__ring_boots *boots, uint32_t boot)
{
	const struct ue__ring_boot *known = find(boots, boot);

	if (boot == boots->current)
		return UINT32_MAX;
	return known ? known->began : 0;
}

/* Counts and nanoseconds between two moments; differences of any numbers wrap. */
static double rate_between(const struct ue__ring_moment *one,
			   const struct ue__ring_moment *other)
{
	const double counts = (double)(int64_t)(other->counter - one->counter);
	const double passed =
		(double)(int64_t)((uint64_t)other->monotonic - (uint64_t)one->monotonic);
	const double rate = counts != 0 ? passed / counts : 0;

	return rate > 0 && rate < 1000 ? rate : 0;
}

/* The rate of this boot, which is that of the file if this machine wrote it. */
static double measure(struct ue__ring_boots *boots, uint32_t clock)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	const struct ue__ring_moment before = ue__ring_now(clock);
	struct ue__ring_moment after;

	if (boots->rate > 0)
		return boots->rate;
	nanosleep(&pause, NULL);
	after = ue__ring_now(clock);
	boots->rate = rate_between(&before, &after);
	if (!(boots->rate > 0))
		boots->rate = 1;
	return boots->rate;
}

/* Less is too short to divide by: some microseconds are the error of a moment. */
#define LEAST_COUNTS 10000000

static double rate_to(const struct ue__ring_moment *moment,
		      const struct ue__ring_moment *other)
{
	const int64_t counts = (int64_t)(other->counter - moment->counter);

	return counts > LEAST_COUNTS || counts < -LEAST_COUNTS ?
		       rate_between(moment, other) :
		       0;
}

/* A record lies between two moments of its boot, if the later one is known. */
double ue__ring_rate(struct ue__ring_boots *boots, uint32_t boot,
		     const struct ue__ring_moment *moment, uint32_t clock)
{
	const struct ue__ring_boot *known = find(boots, boot);
	double rate = 0;

	if (known && boot == boots->current) { /* the last one is now */
		rate = rate_between(moment, &known->last);
		return rate > 0 ? rate : 1;
	}
	if (known)
		rate = rate_to(moment, &known->last);
	if (known && !(rate > 0))
		rate = rate_to(moment, &known->first);
	return rate > 0 ? rate : measure(boots, clock);
}
