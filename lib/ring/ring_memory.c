/* SPDX-License-Identifier: MIT */
/*
 * Make, check and map the memory of a ring.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ring_clock.h"
#include "ring_memory.h"

/* Time */

static uint32_t choose_clock(void)
{
#if defined(__x86_64__) || defined(__i386__)
	char source[8] = "";
	int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
		      O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? 0 : read(fd, source, sizeof(source));

	if (fd >= 0)
		close(fd);
	if (length == 4 && !memcmp(source, "tsc\n", 4))
		return UE__RING_TSC;
#endif
	return UE__RING_MONOTONIC;
}

void ue__ring_read_boot(char *boot)
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);

	memset(boot, 0, sizeof(((struct ue__ring *)0)->boot));
	if (fd < 0)
		return;
	if (read(fd, boot, 36) != 36)
		memset(boot, 0, 36);
	close(fd);
}

/* The places */

static uint64_t up(uint64_t size, uint64_t unit)
{
	return (size + unit - 1) / unit * unit;
}

static uint32_t between(uint64_t value, uint32_t least, uint32_t most)
{
	return value < least ? least : value > most ? most : (uint32_t)value;
}

/* How many of the pages in this many bytes are small. */
static uint32_t small_pages(uint64_t bytes)
{
	return between(bytes * 3 / 8 / UE__RING_SMALL, 8, UE__RING_SMALL_MOST);
}

static uint64_t size_of_marks(uint64_t pages)
{
	return up(up(pages, UE__RING_GROUP) / UE__RING_GROUP, 512) / 8;
}

/* Tables in proportion to the size; the pages get the rest. */
static void plan_places(struct ue__ring *ring)
{
	const uint64_t most_pages = ring->size / UE__RING_LARGE + small_pages(ring->size);
	uint64_t at = UE__RING_ENABLED_AT;

	ring->events = between(ring->size / 1024, 1024, UE__RING_EVENTS_MOST);
	ring->texts = ring->events * 64;
	ring->slots = between(ring->size / 16384, 64, UE__RING_SLOTS_MOST);
	ring->threads = ring->slots * 4;
	ring->enabled_at = at;
	ring->stacks_at = at + (ring->events + 7) / 8;
	at += up((ring->events + 7) / 8 * 2, 4096);
	ring->slots_at = at;
	at += up(ring->slots * sizeof(struct ue__ring_slot), 64);
	ring->threads_at = at;
	at += up(ring->threads * sizeof(struct ue__ring_thread), 64);
	ring->states_at = at;
	at += up(most_pages * sizeof(uint64_t), 64);
	ring->groups_at = at;
	at += size_of_marks(most_pages);
	ring->events_at = at;
	at += UE__RING_BUCKETS * sizeof(uint32_t) +
	      ring->events * sizeof(struct ue__ring_event_entry);
	ring->texts_at = at;
	at += ring->texts;
	ring->pages_at = up(at, 4096);
	at = ring->size - ring->pages_at;
	ring->small_pages = small_pages(at);
	at -= (uint64_t)ring->small_pages * UE__RING_SMALL;
	ring->pages = ring->small_pages + (uint32_t)(at / UE__RING_LARGE);
}

static int allocate(int fd, uint64_t size, int is_lazy)
{
	if (is_lazy)
		return ftruncate(fd, (off_t)size) ? -errno : 0;
	return -posix_fallocate(fd, 0, (off_t)size);
}

int ue__ring_format(int fd, const struct ue__ring_plan *plan, int is_lazy)
{
	union {
		struct ue__ring ring;
		char room[UE__RING_HEADER];
	} header = { .ring = {
		.order = UE__RING_ORDER,
		.version = UE__RING_VERSION,
		.size = plan->size / 4096 * 4096,
		.mode = plan->mode,
		.wants_names = (uint32_t)plan->wants_names,
	} };
	struct ue__ring *ring = &header.ring;
	int result;

	if (plan->size < UE__RING_LEAST || plan->size > UE__RING_MOST ||
	    plan->mode < UE__RING_DROP || plan->mode > UE__RING_OVERWRITE)
		return -EINVAL;
	result = allocate(fd, ring->size, is_lazy);
	if (result)
		return result;
	ring->clock = choose_clock();
	ring->created = ue__ring_now(ring->clock);
	ue__ring_read_boot(ring->boot);
	plan_places(ring);
	memcpy(ring->magic, UE__RING_MAGIC, sizeof(ring->magic));
	return pwrite(fd, ring, sizeof(header), 0) == (ssize_t)sizeof(header) ? 0 : -EIO;
}

/* Mapping */

static int check_kind(const struct ue__ring *ring)
{
	if (memcmp(ring->magic, UE__RING_MAGIC, sizeof(ring->magic)))
		return -ENOTTY;
	if (ring->order != UE__RING_ORDER || ring->version != UE__RING_VERSION)
		return -EPROTONOSUPPORT;
	return 0;
}

/* The places must be those that this version plans for the size: nothing else is one. */
static int check_places(const struct ue__ring *ring, uint64_t size)
{
	struct ue__ring planned = { .size = size };

	if (ring->size != size || size < UE__RING_LEAST || size > UE__RING_MOST ||
	    ring->mode < UE__RING_DROP || ring->mode > UE__RING_OVERWRITE ||
	    (ring->clock != UE__RING_MONOTONIC && ring->clock != UE__RING_TSC))
		return -EBADMSG;
	plan_places(&planned);
	return ring->slots == planned.slots && ring->threads == planned.threads &&
	       ring->events == planned.events && ring->texts == planned.texts &&
	       ring->pages == planned.pages && ring->small_pages == planned.small_pages &&
	       ring->slots_at == planned.slots_at &&
	       ring->threads_at == planned.threads_at &&
	       ring->events_at == planned.events_at && ring->texts_at == planned.texts_at &&
	       ring->enabled_at == planned.enabled_at && ring->stacks_at == planned.stacks_at &&
	       ring->states_at == planned.states_at && ring->groups_at == planned.groups_at &&
	       ring->pages_at == planned.pages_at ? 0 : -EBADMSG;
}

/* Its pages begin where they began when it was checked, whatever the memory says later. */
static void find_places(struct ue__ring_memory *memory, char *map, const struct ue__ring *ring,
			int is_writable)
{
	*memory = (struct ue__ring_memory){
		.ring = (struct ue__ring *)map,
		.slots = (void *)(map + ring->slots_at),
		.threads = (void *)(map + ring->threads_at),
		.buckets = (void *)(map + ring->events_at),
		.events = (void *)(map + ring->events_at + UE__RING_BUCKETS * sizeof(uint32_t)),
		.texts = map + ring->texts_at,
		.enabled = (void *)(map + ring->enabled_at),
		.stacks = (void *)(map + ring->stacks_at),
		.states = (void *)(map + ring->states_at),
		.full_groups = (void *)(map + ring->groups_at),
		.pages = map + ring->pages_at,
		.size = ring->size,
		.slot_count = ring->slots,
		.thread_count = ring->threads,
		.event_count = ring->events,
		.text_size = ring->texts,
		.page_count = ring->pages,
		.small_count = ring->small_pages,
		.mode = ring->mode,
		.clock = ring->clock,
		.is_writable = is_writable,
	};
}

static int read_header(int fd, struct ue__ring *ring, uint64_t *size)
{
	struct stat file;

	if (fstat(fd, &file))
		return -errno;
	if (!S_ISREG(file.st_mode))
		return -ENOTTY;
	if (pread(fd, ring, sizeof(*ring), 0) != (ssize_t)sizeof(*ring))
		return ue__ring_is_one(fd) ? -EBADMSG : -ENOTTY;
	*size = (uint64_t)file.st_size;
	return 0;
}

/* Its inode: proc(5), which has 32 bits since Linux 3.8. */
static uint32_t find_pid_namespace(void)
{
	struct stat file;

	return stat("/proc/self/ns/pid", &file) ? 0 : (uint32_t)file.st_ino;
}

int ue__ring_map(struct ue__ring_memory *memory, int fd)
{
	struct ue__ring ring;
	uint64_t size = 0;
	const int flags = fcntl(fd, F_GETFL);
	const int is_read_only = flags >= 0 && (flags & O_ACCMODE) == O_RDONLY;
	char *map;
	int result = read_header(fd, &ring, &size);

	if (!result)
		result = check_kind(&ring);
	if (!result)
		result = check_places(&ring, size);
	if (!result && (size_t)size != size)
		result = -ENOMEM; /* more than this process can map */
	if (result)
		return result;
	map = mmap(NULL, (size_t)size, PROT_READ | (is_read_only ? 0 : PROT_WRITE), MAP_SHARED,
		   fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	find_places(memory, map, &ring, !is_read_only);
	memory->pid_namespace = find_pid_namespace();
	return 0;
}

void ue__ring_move(struct ue__ring_memory *memory, char *map)
{
	const char *before = (const char *)memory->ring;

	memory->ring = (void *)map;
	memory->slots = (void *)(map + ((const char *)memory->slots - before));
	memory->threads = (void *)(map + ((const char *)memory->threads - before));
	memory->buckets = (void *)(map + ((const char *)memory->buckets - before));
	memory->events = (void *)(map + ((const char *)memory->events - before));
	memory->texts = map + (memory->texts - before);
	memory->enabled = (void *)(map + ((const char *)memory->enabled - before));
	memory->stacks = (void *)(map + ((const char *)memory->stacks - before));
	memory->states = (void *)(map + ((const char *)memory->states - before));
	memory->full_groups = (void *)(map + ((const char *)memory->full_groups - before));
	memory->pages = map + (memory->pages - before);
}

void ue__ring_unmap(struct ue__ring_memory *memory)
{
	if (memory->ring)
		munmap(memory->ring, (size_t)memory->size);
	memory->ring = NULL;
}

int ue__ring_is_one(int fd)
{
	char magic[sizeof(UE__RING_MAGIC)];

	return pread(fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
	       !memcmp(magic, UE__RING_MAGIC, sizeof(magic));
}
