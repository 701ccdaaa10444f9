/* SPDX-License-Identifier: MIT */
/*
 * Says whether a ring fits a machine.
 *
 * A ring works with fewer pages than processors, too, but then writers wait for, or
 * overwrite, each other's.
 */
#include "ring_size.h"

#include <inttypes.h>

#include "common/cli/memory.h"

/* As doc/ring.md's table has it. */
#define BYTES_OF_PROCESS 16384u
#define PROCESSES_LEAST 64u
#define PROCESSES_MOST 4096u

static uint64_t processors_of(uint64_t large_pages)
{
	return large_pages / 2;
}

static uint64_t processes_of(uint64_t bytes)
{
	const uint64_t count = bytes / BYTES_OF_PROCESS;

	return count < PROCESSES_LEAST ? PROCESSES_LEAST :
	       count > PROCESSES_MOST  ? PROCESSES_MOST :
					 count;
}

uint64_t ring_processors_most(const struct ue_ring_info *info)
{
	return processors_of(info->pages - info->small_pages);
}

uint64_t ring_processes_most(const struct ue_ring_info *info)
{
	return processes_of(info->bytes);
}

/* A larger ring has more than in proportion, as its tables grow less. */
uint64_t ring_bytes_for(const struct ue_ring_info *info, uint64_t processors)
{
	uint64_t bytes = info->bytes, pages = info->pages - info->small_pages;

	while (bytes <= UE_RING_BYTES_MOST / 2 &&
	       (processors_of(pages) < processors ||
		(processes_of(bytes) <= info->processes &&
		 processes_of(bytes) < PROCESSES_MOST))) {
		bytes *= 2;
		pages *= 2;
	}
	return bytes;
}

char *ring_bytes_text(uint64_t bytes)
{
	static const char units[] = { '\0', 'K', 'M', 'G' };
	unsigned unit = 0;

	for (; unit < 3 && bytes && bytes % 1024 == 0; unit++)
		bytes /= 1024;
	return unit ? xprintf("%" PRIu64 "%c", bytes, units[unit]) :
		      xprintf("%" PRIu64, bytes);
}

char *ring_fits_text(const struct ue_ring_info *info)
{
	return xprintf("%" PRIu64 " processor%s and %" PRIu64 " processes",
		       ring_processors_most(info), ring_processors_most(info) == 1 ? "" : "s",
		       ring_processes_most(info));
}
