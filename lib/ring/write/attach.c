/* SPDX-License-Identifier: MIT */
/*
 * Begin and end to write to a ring: take a slot, and give it back.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ring/page.h"
#include "ring/ring_clock.h"
#include "ring/ring_lock.h"
#include "ring/ring_memory.h"
#include "ring_writer.h"
#include "util/errno_guard.h"

static uint32_t next_id(struct ue__ring *ring)
{
	uint32_t id;

	do
		id = __atomic_add_fetch(&ring->next_id, 1, __ATOMIC_RELAXED) &
		     (UE__RING_UNLOCKED - 1);
	while (!id);
	return id;
}

/*
 * A slot whose lock is free belongs to a dead process, unless that never had the lock. Who can
 * take no lock needs a slot that is unused, or of one who could not either.
 */
static int is_free(const struct ue__ring_writer *writer, uint32_t slot, uint32_t id,
		   uint32_t unlocked)
{
	const int has_no_lock = !!(id & UE__RING_UNLOCKED);

	if (has_no_lock && !ue__ring_has_ended(&writer->memory, slot, id, writer->lock_fd))
		return 0;
	if (unlocked)
		return !id || has_no_lock;
	return !ue__ring_lock(writer->lock_fd, UE__RING_SLOT_LOCK(slot));
}

/* A sandbox may deny locks, and a file system may have none. Another's lock is EAGAIN. */
static int can_lock(const struct ue__ring_writer *writer)
{
	const int64_t byte = UE__RING_SLOT_LOCK(UE__RING_SLOTS_MOST);
	const int result = ue__ring_lock(writer->lock_fd, byte);

	if (!result)
		ue__ring_unlock(writer->lock_fd, byte);
	return !result || result == -EAGAIN;
}

static int take_slot(struct ue__ring_writer *writer, uint32_t index, uint32_t unlocked)
{
	struct ue__ring_slot *slot = &writer->memory.slots[index];
	uint32_t before = __atomic_load_n(&slot->id, __ATOMIC_ACQUIRE), id;

	if (!is_free(writer, index, before, unlocked))
		return 0;
	id = next_id(writer->memory.ring) | unlocked;
	if (__atomic_compare_exchange_n(&slot->id, &before, id, 0, __ATOMIC_ACQ_REL,
					__ATOMIC_RELAXED)) {
		__atomic_store_n(&slot->pid, (uint32_t)getpid(), __ATOMIC_RELAXED);
		__atomic_store_n(&slot->lives_in,
				 (uint64_t)id << 32 | writer->memory.pid_namespace,
				 __ATOMIC_RELEASE);
		prctl(PR_GET_NAME, slot->name);
		__atomic_store_n(&writer->owner, ue__ring_owner(index, id), __ATOMIC_RELAXED);
		return 1;
	}
	if (!unlocked)
		ue__ring_unlock(writer->lock_fd, UE__RING_SLOT_LOCK(index));
	return 0;
}

static int find_slot(struct ue__ring_writer *writer, uint32_t unlocked)
{
	const uint32_t count = writer->memory.slot_count;
	const uint32_t first =
		__atomic_fetch_add(&writer->memory.ring->next_slot, 1, __ATOMIC_RELAXED);

	for (uint32_t i = 0; i < count; i++)
		if (take_slot(writer, (first + i) % count, unlocked))
			return 0;
	return -EMFILE;
}

/* glibc registers rseq(2) since 2.35. Weak: older ones lack these. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

static void find_processor(struct ue__ring_writer *writer)
{
	const long count = sysconf(_SC_NPROCESSORS_CONF);
	uint32_t size = 1;

	while (size < UE__RING_CPUS && (long)size < count)
		size *= 2;
	writer->cpu_mask = size - 1;
	if (&__rseq_offset && &__rseq_size && __rseq_size)
		ue__ring_rseq = __rseq_offset;
}

static uint32_t next_key(void)
{
	static uint32_t keys;
	uint32_t key;

	do
		key = __atomic_add_fetch(&keys, 1, __ATOMIC_RELAXED);
	while (!key);
	return key;
}

/*
 * Every process has a lock of its own, so it needs an open file description of its own.
 * Without /proc it cannot get one, and shares the description of fd: then it has no lock, nor
 * has one that cannot take any. The child of a fork goes on without a descriptor rather
 * than without the ring.
 */
static int open_for_lock(struct ue__ring_writer *writer, int fd, uint32_t *unlocked)
{
	int again = ue__ring_open_again(fd);

	*unlocked = 0;
	if (again < 0 && again != -EMFILE && again != -ENFILE) {
		*unlocked = UE__RING_UNLOCKED;
		again = fcntl(fd, F_DUPFD_CLOEXEC, 3);
		if (again < 0)
			again = -errno;
	}
	writer->lock_fd = again;
	if (again >= 0 && !can_lock(writer))
		*unlocked = UE__RING_UNLOCKED;
	return again < 0 ? again : 0;
}

/*
 * A program that closes all descriptors, as daemons do, would drop the lock, and others
 * would take its pages. A mapping keeps the open file description, and so the lock, until
 * the process ends or executes something. A child must not have it. Without memory for
 * it, the descriptor alone does.
 */
static void pin(struct ue__ring_writer *writer)
{
	const size_t size = (size_t)sysconf(_SC_PAGESIZE);
	struct stat file;

	if (fstat(writer->lock_fd, &file))
		file = (struct stat){ 0 };
	writer->lock_device = file.st_dev;
	writer->lock_inode = file.st_ino;
	writer->pin = mmap(NULL, size, PROT_READ, MAP_SHARED, writer->lock_fd, 0);
	if (writer->pin != MAP_FAILED && madvise(writer->pin, size, MADV_DONTFORK)) {
		munmap(writer->pin, size);
		writer->pin = MAP_FAILED;
	}
}

int ue__ring_can_ask(const struct ue__ring_writer *writer)
{
	UE__KEEP_ERRNO;
	struct stat file;

	/* A sandbox may deny this. */
	if (fstat(writer->lock_fd, &file))
		return errno != EBADF;
	return file.st_dev == writer->lock_device && file.st_ino == writer->lock_inode;
}

static void forget_pages(struct ue__ring_writer *writer)
{
	for (unsigned i = 0; i < UE__RING_CPUS; i++)
		writer->on[i] = (struct ue__ring_processor){
			.current = UE__RING_NO_PAGE,
			.first = UE__RING_NO_PAGE,
		};
}

static int begin(struct ue__ring_writer *writer, uint32_t unlocked)
{
	int result;

	forget_pages(writer);
	writer->full_at = 0;
	writer->moment_turn = 0;
	writer->moment = (struct ue__ring_moment){ 0 };
	writer->key = next_key();
	result = find_slot(writer, unlocked);
	if (result)
		return result;
	pin(writer);
	return 0;
}

int ue__ring_attach(struct ue__ring_writer *writer, int fd, int socket)
{
	const int flags = fcntl(fd, F_GETFL);
	char boot[sizeof(writer->memory.ring->boot)];
	struct stat file = { 0 };
	uint32_t unlocked;
	int result;

	if (socket >= 0 && fstat(socket, &file))
		return -errno;
	*writer = (struct ue__ring_writer){
		.lock_fd = -1,
		.socket = socket,
		.device = file.st_dev,
		.inode = file.st_ino,
	};
	if (flags < 0)
		return -errno;
	if ((flags & O_ACCMODE) != O_RDWR)
		return -EACCES;
	result = ue__ring_map(&writer->memory, fd);
	if (result)
		return result;
	writer->clock = writer->memory.clock;
	ue__ring_read_boot(boot);
	writer->boot = ue__ring_boot_of(boot);
	find_processor(writer);
	result = open_for_lock(writer, fd, &unlocked);
	if (!result)
		result = begin(writer, unlocked);
	if (result && writer->lock_fd >= 0)
		close(writer->lock_fd);
	if (result)
		ue__ring_unmap(&writer->memory);
	return result;
}

static int put_zeros(void *at, uint64_t size)
{
	return mmap(at, (size_t)size, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) == MAP_FAILED ?
		       -errno : 0;
}

/*
 * A signal handler that forked may have interrupted a write. The parent finishes it; the child
 * returns into it as well, and would store into a record that others may have overwritten.
 * So the child maps the ring at another place and leaves zeros at this one, for ever:
 * begun writes end there, and others find no page. If memory is short, nothing changes.
 */
static void leave_interrupted_writes(struct ue__ring_memory *memory)
{
	char *before = (char *)memory->ring;
	char *map = mremap(before, 0, (size_t)memory->size, MREMAP_MAYMOVE);

	if (map == MAP_FAILED)
		return;
	ue__ring_move(memory, map);
	put_zeros(before, memory->size);
}

/*
 * The child may be unable to find its pid namespace. It has its parent's if it knows its parent
 * by the same pid: after unshare(CLONE_NEWPID) the parent has none that the child can see.
 */
static void find_namespace_of_child(struct ue__ring_writer *writer)
{
	const uint32_t slot = ue__ring_slot_of(writer->owner);

	if (writer->owner == UE__RING_NOBODY || slot >= writer->memory.slot_count ||
	    (uint32_t)getppid() != writer->memory.slots[slot].pid)
		writer->memory.pid_namespace = 0;
}

/*
 * The parent's descriptor would keep the parent's lock as long as the child lives, and
 * so would another one of its description: without /proc, the child of a capture has
 * none. If fd is the ring's, the parent's is closed first, which leaves a free number.
 */
static void open_in_child(struct ue__ring_writer *writer, int fd, uint32_t *unlocked)
{
	const int parents = ue__ring_can_ask(writer) ? writer->lock_fd : -1;

	*unlocked = UE__RING_UNLOCKED;
	writer->lock_fd = -1;
	if (fd < 0) {
		writer->lock_fd = ue__ring_open_again(parents);
		if (can_lock(writer))
			*unlocked = 0;
	}
	if (parents >= 0)
		close(parents);
	if (fd >= 0)
		open_for_lock(writer, fd, unlocked);
	if (writer->lock_fd < 0) {
		writer->lock_fd = -1;
		*unlocked = UE__RING_UNLOCKED;
	}
}

/*
 * Without a slot, the child has no pages: each write fails, and is counted in the ring.
 * Writes that the fork interrupted must not go on in the parent's.
 */
void ue__ring_attach_child(struct ue__ring_writer *writer, int fd, int is_in_write)
{
	uint32_t unlocked;

	ue__ring_self = (struct ue__ring_self){ 0 };
	find_namespace_of_child(writer);
	if (is_in_write)
		leave_interrupted_writes(&writer->memory);
	writer->owner = UE__RING_NOBODY;
	writer->described = (struct ue__ring_described){ .owner = UE__RING_NOBODY };
	writer->pin = MAP_FAILED;
	open_in_child(writer, fd, &unlocked);
	begin(writer, unlocked);
}

/* Without memory for zeros, the ring stays, and no slot in it is the child's. */
void ue__ring_disown(struct ue__ring_writer *writer)
{
	forget_pages(writer);
	writer->owner = UE__RING_NOBODY;
	writer->pin = MAP_FAILED;
	if (ue__ring_can_ask(writer))
		close(writer->lock_fd);
	writer->lock_fd = -1;
	put_zeros(writer->memory.ring, writer->memory.size);
}

void ue__ring_detach(struct ue__ring_writer *writer)
{
	for (unsigned i = 0; i <= writer->cpu_mask; i++) {
		const uint64_t current = writer->on[i].current;
		struct ue__ring_page *page = ue__ring_page_of(writer, current);
		const uint64_t word = __atomic_load_n(&page->word, __ATOMIC_RELAXED);

		if (ue__ring_number_of(word) == ue__ring_number_of(current))
			ue__ring_close_page(page, word);
	}
	/* Others may overwrite them. */
	__atomic_fetch_add(&writer->memory.ring->freed, 1, __ATOMIC_RELEASE);
	if (writer->owner != UE__RING_NOBODY)
		__atomic_store_n(&writer->memory.slots[ue__ring_slot_of(writer->owner)].id, 0,
				 __ATOMIC_RELEASE);
	if (ue__ring_can_ask(writer))
		close(writer->lock_fd);
	if (writer->pin != MAP_FAILED)
		munmap(writer->pin, (size_t)sysconf(_SC_PAGESIZE));
	ue__ring_unmap(&writer->memory);
}
