/* SPDX-License-Identifier: MIT */
/*
 * The time of what instruction counts do not show, in nanoseconds on this machine: the two
 * locked additions of a write, and the kernel's copy of a payload, which uses
 * non-temporal stores and a fence (__copy_user_nocache(), Linux 6.1 and 6.12).
 */
#include <emmintrin.h>
#include <stdint.h>
#include <string.h>

#include "measure.h"

#define SIZE 40

static uint32_t counter __attribute__((aligned(64)));
static uint64_t payload[SIZE / 8], ring[(1 << 20) / 8]; /* as a ring buffer, 1 MiB */
static size_t at;

static void nothing(void)
{
	__asm__ volatile("" ::: "memory");
}

static void add_twice(void)
{
	__atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST);
	__atomic_fetch_sub(&counter, 1, __ATOMIC_RELEASE);
}

static uint64_t *next_record(void)
{
	at = (at + SIZE / 8) % (sizeof(ring) / 8 - SIZE / 8);
	return &ring[at];
}

static void copy(void)
{
	memcpy(next_record(), payload, SIZE);
	nothing();
}

static void copy_nontemporal(void)
{
	uint64_t *to = next_record();

	for (int i = 0; i < SIZE / 8; i++)
		_mm_stream_si64((long long *)&to[i], (long long)payload[i]);
	_mm_sfence();
}

int main(void)
{
	measure_time("time_empty_loop", nothing);
	measure_time("time_two_locked_additions", add_twice);
	measure_time("time_copy_40_bytes", copy);
	measure_time("time_copy_40_nontemporal", copy_nontemporal);
	return 0;
}
