/* SPDX-License-Identifier: MIT */
/*
 * Operations on the memory that the kernel writes to, and on the status page of 6.1.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "exerciser.h"

static void *draw_page(struct worker *worker)
{
	return (void *)(ARENA + below(worker, ARENA_PAGES) * PAGE);
}

int map_arena(void)
{
	void *arena = mmap((void *)ARENA, ARENA_PAGES * PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	return arena == MAP_FAILED ? -1 : 0;
}

static long map_page(struct worker *worker)
{
	int is_shared = one_in(worker, 3), is_populated = one_in(worker, 2);
	void *page = mmap(draw_page(worker), PAGE, PROT_READ | PROT_WRITE,
			  (is_shared ? MAP_SHARED : MAP_PRIVATE) | MAP_ANONYMOUS |
				  MAP_FIXED | (is_populated ? MAP_POPULATE : 0),
			  -1, 0);

	return page == MAP_FAILED ? -1 : 0;
}

static long unmap_page(struct worker *worker)
{
	return munmap(draw_page(worker), PAGE);
}

static long protect_page(struct worker *worker)
{
	static const int protections[] = { PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE };
	void *page = draw_page(worker);

	return mprotect(page, PAGE, protections[below(worker, 3)]);
}

static long advise_page(struct worker *worker)
{
	static const int advice[] = { MADV_DONTNEED,   MADV_DONTFORK, MADV_DOFORK,
				      MADV_WIPEONFORK, MADV_PAGEOUT,  MADV_REMOVE };
	void *page = draw_page(worker);

	return madvise(page, PAGE, advice[below(worker, 6)]);
}

static long move_page(struct worker *worker)
{
	void *from = draw_page(worker), *to = draw_page(worker);
	void *page = mremap(from, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to);

	return page == MAP_FAILED ? -1 : 0;
}

/* Another thread may unmap the page meanwhile, so the kernel reads it for us. */
static long read_word(struct worker *worker)
{
	static int null = -1;

	if (null < 0)
		null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	return write(null, draw_page(worker), sizeof(long));
}

static long read_page(uintptr_t mapping)
{
	volatile unsigned char *page = (void *)(mapping & ~(uintptr_t)(PAGE - 1));
	long sum = 0;

	for (int i = 0; i < PAGE; i += 64)
		sum += page[i];
	return sum;
}

/* Only 6.1 has a page; 6.12 refuses. Reading it is safe while this thread maps it. */
static long map_status(struct worker *worker)
{
	uintptr_t *slot = &worker->process->status[below(worker, STATUS_PAGES)];
	size_t pages = one_in(worker, 4) ? below(worker, 64) : 1;
	off_t offset = one_in(worker, 10) ? PAGE : 0;
	int is_writable = one_in(worker, 8), error, fd;
	void *address;

	fd = open(TRACING "user_events_status", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	/*
	 * On x86, Linux 6.1 warns (untrack_pfn()) if remap_pfn_range() finds no memory for a page
	 * table: a fault of its memory management, which no use of user_events can avoid.
	 */
	disarm();
	address = mmap(NULL, pages * PAGE, PROT_READ | (is_writable ? PROT_WRITE : 0),
		       MAP_SHARED, fd, offset);
	error = errno;
	close(fd);
	errno = error;
	if (address == MAP_FAILED)
		return -1;
	if (pages == 1)
		read_page((uintptr_t)address);
	return keep_mapping(slot, address, pages);
}

static long unmap_status(struct worker *worker)
{
	return keep_mapping(&worker->process->status[below(worker, STATUS_PAGES)], NULL,
			    0);
}

const struct kind memory_kinds[] = {
	{ "mmap", 20, map_page },
	{ "munmap", 6, unmap_page },
	{ "mprotect", 10, protect_page },
	{ "madvise", 8, advise_page },
	{ "mremap", 5, move_page },
	{ "read word", 5, read_word },
	{ "status mmap", 8, map_status },
	{ "status munmap", 5, unmap_status },
	{ 0 },
};
