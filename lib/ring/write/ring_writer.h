/* SPDX-License-Identifier: MIT */
/*
 * Write into a ring. layout.h explains the protocol; everything here can be interrupted at
 * any instruction, by a signal handler that writes, or for ever.
 */
#ifndef UE__RING_RING_WRITER_H
#define UE__RING_RING_WRITER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>

#include "ring/layout.h"
#include "ring/ring_clock.h"

/* No process is this owner, as an id is never 0. */
#define UE__RING_NOBODY 0u

/*
 * A page as its writer knows it, in units of 512 bytes: number << 32 | how much of it may be
 * reserved, as it consists of zeros | its place from the first page.
 */
#define UE__RING_UNIT_SHIFT 9
#define UE__RING_UNIT (1u << UE__RING_UNIT_SHIFT)
#define UE__RING_ROOM_SHIFT 27
#define UE__RING_PLACE ((1u << UE__RING_ROOM_SHIFT) - 1)
_Static_assert(UE__RING_MOST >> UE__RING_UNIT_SHIFT <= UE__RING_PLACE + UINT64_C(1) &&
	       UE__RING_LARGE >> UE__RING_UNIT_SHIFT < 32 && UE__RING_SMALL == UE__RING_UNIT &&
	       UE__RING_LARGE % UE__RING_UNIT == 0, "they have their bits");
/* No page has this number, and it has no room. */
#define UE__RING_NO_PAGE ((uint64_t)UINT32_MAX << 32)

/* A process with more processors than this shares pages between some. */
#define UE__RING_CPUS 256u

/* Code of the process that a reader of stacks knows of (stack.h). */
#define UE__RING_DESCRIBED 256u

struct ue__ring_code {
	uint64_t begin, end;
};

struct ue__ring_described {
	uint32_t owner;	  /* whose code it is: a child describes its own */
	uint32_t opened;  /* the ring's, when it was described */
	uint32_t is_busy; /* a thread describes it */
	uint32_t is_partial; /* the ring had no room for the rest */
	uint32_t asked;	  /* the ring's, when it was described */
	uint32_t missed, patience; /* addresses without a mapping that were passed over */
	uint32_t count;
	struct ue__ring_code code[UE__RING_DESCRIBED];
};

/* One of the processors, in a cache line to which no other one writes. */
struct ue__ring_processor {
	uint64_t current; /* its page, or UE__RING_NO_PAGE */
	/* The small page before that, with the oldest events; only with overwrite. */
	uint64_t first;
	/* Bytes from the page before to this one, and from it to the probable next. */
	uint32_t step, ahead;
	uint32_t lost; /* events since its last page */
} __attribute__((aligned(64)));

/* A ring as a process that writes to it sees it. */
struct ue__ring_writer {
	struct ue__ring_memory memory;
	uint32_t clock;
	uint32_t boot;
	uint32_t key; /* tells the writers of this process apart, those of its forks too */
	uint32_t cpu_mask;
	uint32_t owner; /* of its pages: slot and id, in one word for signal handlers */
	int lock_fd; /* to ask for locks; its open file description has that of the slot, */
	void *pin;   /* and this mapping keeps it open, whatever the program closes */
	int socket;  /* to wake a reader that polls; -1: there is none */
	/* Which files they are: the program may close them, and others get their numbers. */
	uint64_t lock_device, lock_inode, device, inode;
	struct ue__ring_processor on[UE__RING_CPUS];
	uint32_t without_reader; /* looks at the reader's process that found it ended */
	struct ue__ring_moment moment; /* that a page was opened with */
	uint32_t moment_turn; /* odd while it changes */
	uint32_t looks_for_stacks; /* each write does, as some are wanted (write/write_stack.c) */
	struct ue__ring_described described;
	uint64_t full_at; /* ring->freed + 1 when no page was found; 0: there may be one */
};

/* A record that is reserved, and its page. */
struct ue__ring_place {
	struct ue__ring_record *record;
	struct ue__ring_page *page;
};

/* A thread, as it knows itself. */
struct ue__ring_self {
	uint32_t key; /* of the writer that has its name */
	uint32_t tid;
	uint32_t others[3]; /* keys of more writers that have its name */
};

extern __thread struct ue__ring_self ue__ring_self
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/* The place of rseq(2), from the thread pointer; 0: not there (ring_writer.c). */
extern ptrdiff_t ue__ring_rseq __attribute__((visibility("hidden")));

/* The number of this processor, or any number that threads tend to differ in. */
static inline uint32_t ue__ring_cpu(void)
{
	if (__builtin_expect(ue__ring_rseq != 0, 1)) {
		/* struct rseq: cpu_id_start, cpu_id */
		const char *rseq = (const char *)__builtin_thread_pointer() + ue__ring_rseq;

		return __atomic_load_n((const uint32_t *)(const void *)(rseq + 4),
				       __ATOMIC_RELAXED);
	}
	return (uint32_t)((uintptr_t)__builtin_thread_pointer() >> 12);
}

/*
 * Everything that is not the usual case: no room in the page, or no page; a thread's first
 * write. Sets *place to the reserved record, whose head is not stored yet. 0, or -errno:
 * -ENOBUFS for an event that was dropped.
 */
int ue__ring_reserve_slowly(struct ue__ring_writer *writer, uint32_t total, uint32_t cpu,
			    struct ue__ring_place *place);
/* The same for a record that is no event: its loss is not counted. */
int ue__ring_reserve_uncounted(struct ue__ring_writer *writer, uint32_t total,
			       uint32_t cpu, struct ue__ring_place *place);
/* The ring has stacks that are wanted. No call of the kernel returns this. */
#define UE__RING_STACKS_WANTED (-4095)
/* The same; or UE__RING_STACKS_WANTED, and nothing is reserved. */
int ue__ring_reserve_or_learn(struct ue__ring_writer *writer, uint32_t total, uint32_t cpu,
			      struct ue__ring_place *place);
/* Enter the calling thread's name in the ring. */
void ue__ring_introduce(struct ue__ring_writer *writer);

static inline struct ue__ring_page *ue__ring_page_of(const struct ue__ring_writer *writer,
						     uint64_t current)
{
	const size_t place = (uint32_t)current & UE__RING_PLACE;

	return (struct ue__ring_page *)(writer->memory.pages +
					(place << UE__RING_UNIT_SHIFT));
}

static inline uint32_t ue__ring_room_of(uint64_t current)
{
	return (uint32_t)(current >> (UE__RING_ROOM_SHIFT - UE__RING_UNIT_SHIFT)) &
	       (31u << UE__RING_UNIT_SHIFT);
}

/* Reserve a record of these bytes in a page that was the current one; 0 if it has no room. */
static inline int ue__ring_reserve_in(struct ue__ring_writer *writer, uint64_t current,
				      uint32_t total, struct ue__ring_place *place)
{
	const uint64_t base = current & ~(uint64_t)UINT32_MAX;
	const uint32_t room = ue__ring_room_of(current);
	struct ue__ring_page *page = ue__ring_page_of(writer, current);
	uint64_t word = __atomic_load_n(&page->word, __ATOMIC_RELAXED);

	if (__builtin_expect(total > room, 0))
		return 0;
	do
		/* Also not less if the number is another one, or the page has a flag. */
		if (__builtin_expect(word - base > room - total, 0))
			return 0;
	while (__builtin_expect(!__atomic_compare_exchange_n(&page->word, &word, word + total,
							     1, __ATOMIC_ACQUIRE,
							     __ATOMIC_RELAXED), 0));
	/* Aligned, whatever the word says. */
	place->record = (struct ue__ring_record *)((char *)page + ((uint32_t)word & ~7u));
	place->page = page;
	return 1;
}

/*
 * Reserve a record of a size that a page has room for; 0 or -errno. A writer that clears a page
 * touches all of it, so the next bytes come into the cache meanwhile. Nothing
 * happens if that is another page, or none.
 */
static inline int ue__ring_reserve_by(struct ue__ring_writer *writer, uint32_t size,
				      struct ue__ring_place *place,
				      int (*slow)(struct ue__ring_writer *writer,
						  uint32_t total, uint32_t cpu,
						  struct ue__ring_place *place))
{
	const uint32_t cpu = ue__ring_cpu() & writer->cpu_mask;
	const uint32_t total = ue__ring_record_size(size);
	const struct ue__ring_processor *on = &writer->on[cpu];
	const uint64_t current = __atomic_load_n(&on->current, __ATOMIC_RELAXED);
	/* One whose address is not passed on stays in a register. */
	struct ue__ring_place slowly = { NULL, NULL };
	int result;

	if (__builtin_expect(ue__ring_reserve_in(writer, current, total, place), 1)) {
		const uint32_t ahead = __atomic_load_n(&on->ahead, __ATOMIC_RELAXED);

		__builtin_prefetch((char *)place->record + ahead, 1);
		return 0;
	}
	result = slow(writer, total, cpu, &slowly);
	*place = slowly;
	return result;
}

static inline int ue__ring_reserve(struct ue__ring_writer *writer, uint32_t size,
				   struct ue__ring_place *place)
{
	return ue__ring_reserve_by(writer, size, place, ue__ring_reserve_slowly);
}

/* The record is this thread's, and busy. flags: 0, or UE__RING_DESCRIBES. */
static inline void ue__ring_begin_as(struct ue__ring_writer *writer,
				     const struct ue__ring_place *place, uint32_t size,
				     uint32_t flags)
{
	struct ue__ring_record *record = place->record;

	__atomic_store_n(&record->head, size | flags | UE__RING_BUSY, __ATOMIC_RELAXED);
	/* A reader that sees any later byte sees the size, too. */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	if (__builtin_expect(ue__ring_self.key != writer->key, 0))
		ue__ring_introduce(writer);
	record->tid = ue__ring_self.tid;
	record->time = ue__ring_time(writer->clock);
}

static inline void ue__ring_begin(struct ue__ring_writer *writer,
				  const struct ue__ring_place *place, uint32_t size)
{
	ue__ring_begin_as(writer, place, size, 0);
}

/* flags: 0, UE__RING_HAS_STACK or UE__RING_DESCRIBES. */
static inline void ue__ring_commit_as(const struct ue__ring_place *place, uint32_t size,
				      uint32_t flags)
{
	const uint64_t one = flags & UE__RING_DESCRIBES ? 0 : UE__RING_ONE;

	__atomic_store_n(&place->record->head, size | flags | UE__RING_DONE, __ATOMIC_RELEASE);
	/* From here on another process may own the page. */
	__atomic_fetch_add(&place->page->done, one + ue__ring_record_size(size),
			   __ATOMIC_RELEASE);
}

static inline void ue__ring_commit(const struct ue__ring_place *place, uint32_t size)
{
	ue__ring_commit_as(place, size, 0);
}

/* The length is at least 4 bytes: a write index. */
static inline void ue__ring_copy(char *to, const char *from, uint32_t size)
{
	if (size > 256) {
		memcpy(to, from, size);
	} else if (size >= 16) {
		const uint32_t last = size - 16;

		for (uint32_t i = 0; i < last; i += 16) {
			memcpy(to + i, from + i, 16);
			__asm__("" : "+r"(i)); /* or it becomes a call of memcpy() */
		}
		memcpy(to + last, from + last, 16);
	} else if (size >= 8) {
		memcpy(to, from, 8);
		memcpy(to + size - 8, from + size - 8, 8);
	} else {
		memcpy(to, from, 4);
		memcpy(to + size - 4, from + size - 4, 4);
	}
}

/*
 * Write an index and a payload, which are size bytes, 4 or more. 0 or -errno; also
 * UE__RING_STACKS_WANTED, if it is not known whether the event's is.
 */
static inline int ue__ring_put(struct ue__ring_writer *writer, const char *bytes,
			       uint32_t size)
{
	struct ue__ring_place place;
	int result = ue__ring_reserve_by(writer, size, &place, ue__ring_reserve_or_learn);

	if (__builtin_expect(result, 0))
		return result;
	ue__ring_begin(writer, &place, size);
	ue__ring_copy(place.record->bytes, bytes, size);
	ue__ring_commit(&place, size);
	return 0;
}

/* The same for pieces, which with the index are size bytes in all. */
int ue__ring_putv(struct ue__ring_writer *writer, uint32_t index, const struct iovec *iov,
		  int count, uint32_t size);

/*
 * Begin to write to the ring of an open file. socket: to wake a reader that polls, or -1.
 *
 * 0, or an error of ue__ring_map(), -EACCES: not open for writing; -EMFILE: all slots are in
 * use; errors of open(2).
 */
int ue__ring_attach(struct ue__ring_writer *writer, int fd, int socket);
/*
 * Called in the child of a fork: write into pages of its own from now on. fd: of the
 * ring's file, or -1. If all slots are in use, each write is dropped: -ENOBUFS.
 */
void ue__ring_attach_child(struct ue__ring_writer *writer, int fd, int is_in_write);
/*
 * Called in the child of a fork: go on without the ring, whose slot and pages are the
 * parent's. Writes that the fork interrupted go nowhere.
 */
void ue__ring_disown(struct ue__ring_writer *writer);
/*
 * Has no reader looked at the ring for a second, or, by the processor's counter, one to four?
 * Processors' clocks may differ by less, and those of time namespaces by more.
 */
#define UE__RING_PATIENCE (UINT64_C(1) << 30)
#define UE__RING_PATIENCE_TSC (UINT64_C(1) << 32)

static inline int ue__ring_is_unseen(const struct ue__ring_writer *writer)
{
	const uint64_t patience = writer->clock == UE__RING_TSC ? UE__RING_PATIENCE_TSC :
								  UE__RING_PATIENCE;
	const uint64_t looked =
		__atomic_load_n(&writer->memory.ring->looked, __ATOMIC_RELAXED);

	return ue__ring_time(writer->clock) - looked + patience > 2 * patience;
}

/* Nobody writes any more. */
void ue__ring_detach(struct ue__ring_writer *writer);

/* 0 if the program closed the descriptor that locks are asked for with. */
int ue__ring_can_ask(const struct ue__ring_writer *writer);

/* Count an event that was not written. */
void ue__ring_count_loss(struct ue__ring_writer *writer, unsigned reason);

#endif
