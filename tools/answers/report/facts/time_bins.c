/* SPDX-License-Identifier: MIT */
/* Counts events over time, in bins that widen as the time does. */
#include "time_bins.h"

#include <string.h>

/* The difference of any two times, also of the least and the greatest. */
static uint64_t distance(int64_t from, int64_t to)
{
	return (uint64_t)to - (uint64_t)from;
}

static int fits(const struct time_scale *scale, unsigned int shift)
{
	return distance(scale->first >> shift, scale->last >> shift) < BIN_COUNT;
}

void time_scale_include(struct time_scale *scale, int64_t time)
{
	if (!scale->is_set)
		scale->first = scale->last = scale->base = time;
	scale->is_set = 1;
	if (time >= scale->first && time <= scale->last)
		return;
	if (time < scale->first)
		scale->first = time;
	if (time > scale->last)
		scale->last = time;
	while (!fits(scale, scale->shift))
		scale->shift++;
	scale->base = scale->first >> scale->shift;
}

int time_scale_bin(const struct time_scale *scale, int64_t time)
{
	return (int)distance(scale->base, time >> scale->shift);
}

static uint32_t sum(uint32_t one, uint32_t other)
{
	return one > UINT32_MAX - other ? UINT32_MAX : one + other;
}

void time_bins_adapt(struct time_bins *bins, const struct time_scale *scale)
{
	const unsigned int wider = scale->shift - bins->shift;
	uint32_t counts[BIN_COUNT] = { 0 };

	if (!wider && bins->base == scale->base)
		return;
	for (int i = 0; i < BIN_COUNT; i++)
		if (bins->counts[i]) {
			uint64_t at = distance(scale->base, (bins->base + i) >> wider);

			counts[at] = sum(counts[at], bins->counts[i]);
		}
	memcpy(bins->counts, counts, sizeof(counts));
	bins->shift = scale->shift;
	bins->base = scale->base;
}

void time_bins_add(struct time_bins *bins, const struct time_scale *scale, int64_t time,
		   uint32_t count)
{
	uint32_t *at;

	time_bins_adapt(bins, scale);
	at = &bins->counts[time_scale_bin(scale, time)];
	*at = sum(*at, count);
}
