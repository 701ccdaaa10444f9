/* SPDX-License-Identifier: MIT */
/*
 * Counts over time, of events whose first and last times are not known before all are read.
 * A bin is as wide as a power of two of nanoseconds. When a time lies outside of all bins,
 * these become wider, so that their number stays: memory does not grow with the recording.
 */
#ifndef UE__TOOLS_REPORT_FACTS_TIME_BINS_H
#define UE__TOOLS_REPORT_FACTS_TIME_BINS_H

#include <stdint.h>

#define BIN_COUNT 512

/* The span and the number of bins that all series of a page share. */
struct time_scale {
	int is_set;
	int64_t first, last; /* times that were added */
	unsigned int shift;  /* a bin has 2^shift nanoseconds */
	int64_t base;	     /* that of bin 0: time >> shift */
};

struct time_bins {
	unsigned int shift; /* the scale's when a time was last added */
	int64_t base;
	uint32_t counts[BIN_COUNT];
};

/*
 * Nanoseconds from one time to another. Times since 1970 as floating-point numbers would be
 * wrong by hundreds of nanoseconds.
 */
static inline double time_between(int64_t from, int64_t to)
{
	return to >= from ? (double)((uint64_t)to - (uint64_t)from) :
			    -(double)((uint64_t)from - (uint64_t)to);
}

/* Widen the scale so that it has a bin for this time. */
void time_scale_include(struct time_scale *scale, int64_t time);
/* Count at a time that the scale includes. */
void time_bins_add(struct time_bins *bins, const struct time_scale *scale, int64_t time,
		   uint32_t count);
/* Bring older counts to the scale; before they are read. */
void time_bins_adapt(struct time_bins *bins, const struct time_scale *scale);
/* The bin of a time that the scale includes. */
int time_scale_bin(const struct time_scale *scale, int64_t time);

#endif
