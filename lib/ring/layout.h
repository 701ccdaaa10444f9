/* SPDX-License-Identifier: MIT */
/*
 * The ring: shared memory that programs write events into, and others read.
 *
 * The memory is a file or a sealed memfd of a fixed size: a header, tables, and pages. Every
 * number is of native byte order, and every place is an offset, so that each process may map
 * the file where it likes. doc/ring.md has this layout as a table.
 *
 * Pages
 *
 * A page belongs to one process and, there, to one processor. A process that finds no
 * room in the page of its processor opens another one. So two processes never write to
 * one page, and a process that dies leaves nothing behind but pages that somebody can
 * close for it. Threads of a process share a page if they run on the same processor, or
 * did a moment ago, or if there is no page for each.
 *
 * There are small and large pages. The first page of a process on a processor is small,
 * and so is the one after a page that others closed as it was not used. A page that was
 * filled is followed by a large one. So neither a short process nor an idle one takes
 * much room.
 *
 *	state	a word outside the page: who has it, and the page's number. Pages of each
 *		size are numbered in the order in which they were opened; a number returns
 *		only after some 2^32 others.
 *	word	the first word of the page: its number, whether it is closed, and how many of its
 *		bytes are reserved. One compare-and-swap of this word reserves a record. A
 *		writer that was stopped for long, and whose page others have opened meanwhile,
 *		fails, as the number is another one.
 *	done	the bytes, and the events, of the records that are done: one addition for
 *		each, and the last access of its writer.
 *
 * Records
 *
 * A free page consists of zeros. A writer reserves, stores the size with UE__RING_BUSY,
 * then time, thread and bytes, then the size with UE__RING_DONE, and counts it as done. A
 * reader takes only records that are done. It can pass any other: a busy record tells its
 * size. One that is reserved and still zero extends to the next word that is not zero;
 * the reader looks twice, as the writer stores the size before anything else
 * (read/page_records.c).
 *
 * So a writer that is stopped or dies holds up nobody. Its page stays as it is until the record
 * is done or the process is dead: a page is the price.
 *
 * Giving back
 *
 * A page is complete when as many bytes are done as reserved. Then nobody is amid a
 * record of it, and its events are counted without a look at them. Anybody may close a
 * page that is complete, by a compare-and-swap of the word in which he found it so: if it
 * succeeds, nobody has reserved meanwhile, and nobody will. The bytes that are done never
 * exceed those that are reserved, so two that are equal were equal all the while between
 * the two looks. A writer whose page was closed opens another one. So no page is held by
 * a process that does nothing:
 *
 *	drop, wait	the reader closes a page that it has read, and fills it with zeros
 *			and frees it, when half of the pages of its size are in use or a
 *			writer waits. It also frees pages that were closed by their
 *			writers.
 *	overwrite	a process that needs a page takes the oldest one that is complete,
 *			closes it unless it is closed, and clears it itself. So that
 *			nothing young is overwritten, it also closes the page whose turn
 *			comes half a round later.
 *
 * Each is bounded by one page's bytes: no walk over records, except over those of a
 * process that died amid one. Nor does a process that needs a free page walk over all that
 * are in use (page.c).
 *
 * Clearing
 *
 * A page that is overwritten is cleared piece by piece, so that no write takes long. Whoever
 * takes it clears the first piece. Each process knows how far it may reserve; the writer
 * whose record goes beyond that claims the rest with UE__RING_CLEARING in the word, clears
 * from the reserved bytes on, and gives the claim back with its record. A word with a claim
 * differs from what is done, so the page is not complete, and nobody reserves in it. If the
 * claimer stops there, others close the page and open another one. Readers go as far as
 * is reserved, and so never see older records.
 *
 * Counting
 *
 * A page that is overwritten has its events in "done" until it is used again. Whoever
 * takes it stores the new state first, then adds them to "gone", with the number of the
 * page to which they belonged in the same word, and then clears. If he is killed in
 * between, the next one finds a page whose word has another number than its state, and
 * adds the rest. So each event that was overwritten is counted once, at
 * whatever instruction anybody is killed. A reader has the same count for each page, and
 * subtracts its own share.
 *
 * Stacks
 *
 * A reader may ask for the stacks of events: a second bit of each event says so, and the
 * ring's "wants_stacks" that there are such bits. A write looks at neither. A process learns
 * that stacks are wanted when it opens a page, and from then on takes another way, which
 * looks (write/stack.h). So that this happens at once, who asks first closes all open pages;
 * and a writer that has opened one looks again afterwards. Of the two, one sees the
 * other's change.
 *
 * Life and death
 *
 * A process that writes has a slot, and holds a lock on a byte of the file that stands
 * for it, with an open file description of its own (F_OFD_SETLK, fcntl(2)). The kernel
 * drops the lock when the process is gone, however it ended. A slot's id tells its
 * processes apart. The pages of a process that has ended are closed, and used again, with
 * all that is done in them read or counted.
 *
 * Trust
 *
 * Any process that has the ring may store anything anywhere at any moment. So the places are
 * checked and copied when the ring is mapped, and any other number is copied before it is
 * checked. No process accesses memory outside its mapping because of another's bytes,
 * and another ring is not harmed. A process that scribbles over its own pages harms its own
 * events alone; a page whose word it damaged stays in use until it is dead. One that
 * scribbles over the tables, or over pages of others, can destroy and forge all events of
 * the ring, and make writers drop events or wait: the ring is as good as the worst of its
 * writers.
 *
 * The size is the exception. If a file is cut while it is mapped, an access behind its
 * new end ends writers and readers with SIGBUS. Anybody who may write to a file may cut it; a
 * memfd can be sealed against that (F_SEAL_SHRINK).
 */
#ifndef UE__RING_LAYOUT_H
#define UE__RING_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#define UE__RING_MAGIC "UE_RING"
#define UE__RING_ORDER 0x01020304u
#define UE__RING_VERSION 6u

/*
 * Pages of two sizes. A large one has room for the largest record, and can be cleared within
 * the 1,500 instructions that a write may take.
 */
#define UE__RING_SMALL 512u
#define UE__RING_LARGE 8704u
#define UE__RING_SIZES 2
/* Small pages get 3 eighths of the space, but a pass visits all, so never more than this. */
#define UE__RING_SMALL_MOST 65536u
/* So many pages in a row are a group, which has a mark if none of them is free. */
#define UE__RING_GROUP 16u
/* The header has this many bytes. */
#define UE__RING_HEADER 12288u
/* The enable bits have memory pages of their own, of 4 or 16 KiB, as programs map them apart. */
#define UE__RING_ENABLED_AT 16384u
#define UE__RING_RULES 8128u
#define UE__RING_BUCKETS 4096u
#define UE__RING_EVENTS_MOST 65536u

/* The least and the most bytes of a ring. */
#define UE__RING_LEAST (256u << 10)
#define UE__RING_MOST (UINT64_C(1) << 36)

/* Bytes of the file that stand for roles; locks on them are beyond its end. */
#define UE__RING_READER_LOCK (INT64_C(1) << 60)
#define UE__RING_RULES_LOCK (UE__RING_READER_LOCK + 1)
#define UE__RING_SLOT_LOCK(slot) ((INT64_C(1) << 61) + (slot))

enum ue__ring_mode {
	UE__RING_DROP = 1,	/* new events are dropped while the ring is full */
	UE__RING_WAIT = 2,	/* the writer waits, if there is a reader */
	UE__RING_OVERWRITE = 3, /* the oldest events are overwritten */
};

enum ue__ring_clock {
	UE__RING_MONOTONIC = 1, /* CLOCK_MONOTONIC, in nanoseconds */
	UE__RING_TSC = 2,	/* the counter of an x86 processor, which is the kernel's clock */
};

/* One moment by three clocks. */
struct ue__ring_moment {
	uint64_t counter;  /* by the ring's clock */
	int64_t monotonic; /* nanoseconds */
	int64_t real;	   /* nanoseconds since 1970, UTC */
};

/* Why events are missing. The first are those of enum ue_loss. */
#define UE__RING_REASONS 8
#define UE__RING_CUT_OFF 7	/* the writer died in the middle of it */

struct ue__ring {
	/* Set by the creator, and never changed. */
	char magic[8];
	uint32_t order;
	uint32_t version;
	uint64_t size; /* of the whole file */
	uint32_t mode; /* enum ue__ring_mode */
	uint32_t clock; /* enum ue__ring_clock */
	uint32_t slots, threads, events, texts; /* how many; bytes of texts */
	uint64_t slots_at, threads_at, events_at, texts_at, enabled_at, stacks_at, states_at;
	uint64_t groups_at;
	uint64_t pages_at;
	uint32_t pages, small_pages; /* all; the small ones, which are the first */
	uint32_t wants_names; /* the reader reports events that are never registered */
	struct ue__ring_moment created;
	char boot[40]; /* /proc/sys/kernel/random/boot_id */

	/* Registering. */
	uint32_t next_id __attribute__((aligned(64))); /* of slots */
	uint32_t next_slot;   /* where to look first */
	uint32_t next_thread; /* counts; the entry is the remainder */
	uint32_t next_event;
	uint32_t next_text;
	uint32_t rules_turn; /* odd while the rules are being changed */
	uint32_t rules_length;
	uint32_t wants_stacks; /* some event's stack may be asked for */
	uint32_t frames; /* the program's, at most, in a stack */
	uint32_t describes_code; /* the index of UE__MAPPING_EVENT + 1; 0: there is none */
	uint32_t asked; /* changes when a reader needs all code described once more */

	/* Opening pages. */
	/* Pages of each size so far: the number of the last one. */
	uint32_t opened[UE__RING_SIZES] __attribute__((aligned(64)));
	uint32_t freed;	  /* futex: changes when pages become free */
	uint32_t waiting; /* some writer waits for that */

	/* Reading. */
	uint32_t sleeping __attribute__((aligned(64))); /* futex: enum ue__ring_sleep */
	uint32_t looked_at[UE__RING_SIZES]; /* what "opened" was when it began to look */
	/*
	 * The process that takes events out: its pid namespace << 32 | its pid. Its
	 * children have copies of the descriptors that hold its lock, and may outlive it.
	 */
	uint64_t reader;
	/* When it last looked, by the ring's clock; 0: no reader ever did. */
	uint64_t looked;
	uint64_t lost[UE__RING_REASONS] __attribute__((aligned(64)));

	char rules[UE__RING_RULES] __attribute__((aligned(64)));
};
_Static_assert(sizeof(struct ue__ring) <= UE__RING_HEADER, "it has room");

/* How the reader sleeps, and is to be woken. */
enum ue__ring_sleep {
	UE__RING_AWAKE = 0,
	UE__RING_IN_FUTEX = 1,
	UE__RING_IN_POLL = 2, /* a byte sent to the session's socket */
};

/* A process that writes, or wrote. */
struct ue__ring_slot {
	uint32_t id; /* 0: unused */
	uint32_t pid;
	/* id << 32 | the pid namespace that pid is in (its inode), or 0; stored after pid. */
	uint64_t lives_in;
	char name[16];
};

/*
 * A bit of an id: the process could not take the lock. It has ended when its pid is
 * nobody's, which only processes of its pid namespace can tell. To others it is alive for
 * ever.
 */
#define UE__RING_UNLOCKED (1u << 19)

/* A thread and its name when it first wrote. */
struct ue__ring_thread {
	uint32_t owner; /* its process */
	uint32_t tid;
	char name[16];
};

/*
 * A registered event. Its text is in the texts: the flags in 4 bytes, the definition, a NUL.
 * Before the entries lie the buckets: of definitions with the same hash, the last entry + 1.
 */
struct ue__ring_event_entry {
	uint32_t text;	 /* offset in the texts */
	uint32_t length; /* of the definition; 0: there is none yet */
	uint32_t hash;
	uint32_t next; /* in the bucket: entry + 1, or 0 */
};

/*
 * State of a page: number << 32 | slot << 20 | the lower bits of the slot's id; 0: free.
 * While the reader fills it with zeros it is UE__RING_FREEING, which has no number. A reader
 * that finds a page so continues the work of one that died.
 */
#define UE__RING_FREEING UINT64_C(1)
#define UE__RING_SLOT_SHIFT 20
#define UE__RING_ID_MASK ((1u << UE__RING_SLOT_SHIFT) - 1)
#define UE__RING_SLOTS_MOST 4096u

/*
 * The lower half of a state: whose page it is. Processes of equal pids, in other pid
 * namespaces or one after the other, have different ones. An id returns after 2^19
 * others, and no living process has the slot of another one.
 */
static inline uint32_t ue__ring_owner(uint32_t slot, uint32_t id)
{
	return slot << UE__RING_SLOT_SHIFT | (id & UE__RING_ID_MASK);
}

static inline uint64_t ue__ring_state(uint32_t number, uint32_t owner)
{
	return (uint64_t)number << 32 | owner;
}

static inline uint32_t ue__ring_slot_of(uint64_t state)
{
	return (uint32_t)state >> UE__RING_SLOT_SHIFT;
}

static inline uint32_t ue__ring_id_of(uint64_t state)
{
	return (uint32_t)state & UE__RING_ID_MASK;
}

/*
 * Word of a page: number << 32 | flags | bytes reserved, this header included. While somebody
 * clears unreserved space, it has a flag that makes it differ from the finished part.
 */
#define UE__RING_CLOSED 0x80000000u
#define UE__RING_CLEARING 0x40000000u

struct ue__ring_page {
	uint64_t word;
	uint64_t done;	   /* UE__RING_ONE for each event, and bytes of all records */
	uint64_t gone;	   /* events overwritten here, << 24 | whose were the last */
	uint64_t counter;  /* a moment shortly before it was opened, by the ring's clock */
	int64_t monotonic; /* and in nanoseconds */
	int64_t real;	   /* nanoseconds since 1970, UTC */
	uint32_t owner;	   /* its process, as the lower half of the state */
	uint32_t pid;
	uint16_t cpu;
	uint16_t boot; /* in which it was opened (ring_clock.h); 0: unknown */
	uint32_t lost; /* events that the process lost on this processor since its last page */
	char name[16]; /* of the process */
};
_Static_assert(sizeof(struct ue__ring_page) == 80, "records follow it");

#define UE__RING_ONE (UINT64_C(1) << 32)

static inline uint32_t ue__ring_number_of(uint64_t word)
{
	return (uint32_t)(word >> 32);
}

/* Bytes reserved in a page; whole units, and no more than it has, whatever the word says. */
static inline uint32_t ue__ring_used(uint64_t word, uint32_t size)
{
	const uint32_t used = (uint32_t)word & ~(UE__RING_CLOSED | UE__RING_CLEARING);

	return used < size ? used & ~7u : size;
}

/* Is nobody amid a record of a page with this word, nor clears it? */
static inline int ue__ring_is_complete(const struct ue__ring_page *page, uint64_t word)
{
	const uint64_t done = __atomic_load_n(&page->done, __ATOMIC_ACQUIRE);

	return ((uint32_t)word & ~UE__RING_CLOSED) - (uint32_t)sizeof(*page) ==
	       (uint32_t)done;
}

/* A record: size and state, then this, then the write index and the payload. */
#define UE__RING_BUSY 0x40000000u
#define UE__RING_DONE 0x80000000u
#define UE__RING_TAKEN 0x20000000u /* out of the ring; the next reader passes it */
#define UE__RING_SIZE 0x0000ffffu /* of index and payload, and of a stack */
/*
 * A flag beside UE__RING_DONE: a stack follows the payload, at the next multiple of 8
 * bytes: addresses of 8 bytes each, the innermost first, then struct ue__ring_stack, with
 * which the record ends.
 */
#define UE__RING_HAS_STACK 0x10000000u

/*
 * The record describes code (write/stack.h). It is no event of a program, and is not
 * counted as one: not in "done" of its page, nor if it is lost, overwritten or cut off.
 */
#define UE__RING_DESCRIBES 0x08000000u

struct ue__ring_record {
	uint32_t head;
	uint32_t tid;
	uint64_t time; /* by the ring's clock */
	char bytes[];
};

struct ue__ring_stack {
	uint32_t length; /* of the payload */
	uint16_t frames;
	uint8_t is_cut; /* the process may not read its memory, so there is one frame */
	uint8_t asked;	/* frames of the program, at most */
};

/*
 * Frames that may be asked for, and those that a stack may have: functions of the library
 * come first, a function that a macro made, and of UE_PRINTF() without optimization
 * three. Who shows a stack knows their names, and leaves them out.
 */
#define UE__RING_FRAMES_ASKED 127u
#define UE__RING_FRAMES_OWN 5u
#define UE__RING_FRAMES_MOST (UE__RING_FRAMES_ASKED + UE__RING_FRAMES_OWN)

/* The size of a record's index, payload and stack. */
static inline uint32_t ue__ring_stacked_size(uint32_t length, uint32_t frames)
{
	return (uint32_t)(((sizeof(uint32_t) + length + 7) & ~7u) +
			  frames * sizeof(uint64_t) + sizeof(struct ue__ring_stack));
}

static inline uint32_t ue__ring_record_size(uint32_t size)
{
	return (uint32_t)(sizeof(struct ue__ring_record) + size + 7) & ~7u;
}

/*
 * The parts of a record that was copied, whose size was checked, and is 4 or more. A stack
 * that is malformed counts as payload.
 */
static inline struct ue__ring_stack ue__ring_parts(const struct ue__ring_record *record)
{
	const uint32_t size = record->head & UE__RING_SIZE;
	const struct ue__ring_stack none = { .length = size - (uint32_t)sizeof(uint32_t) };
	struct ue__ring_stack stack;

	if (!(record->head & UE__RING_HAS_STACK) || size < sizeof(uint32_t) + sizeof(stack))
		return none;
	__builtin_memcpy(&stack, record->bytes + size - sizeof(stack), sizeof(stack));
	return stack.length < size && stack.frames <= UE__RING_FRAMES_MOST &&
			       ue__ring_stacked_size(stack.length, stack.frames) == size ?
		       stack : none;
}

/* The addresses; NULL if there are none. */
static inline const uint64_t *ue__ring_stack_of(const struct ue__ring_record *record,
						const struct ue__ring_stack *parts)
{
	const size_t at = (sizeof(uint32_t) + parts->length + 7) & ~(size_t)7;

	return parts->frames ? (const uint64_t *)(const void *)(record->bytes + at) : NULL;
}

/* A ring that is mapped here. The places were checked. */
struct ue__ring_memory {
	struct ue__ring *ring;
	struct ue__ring_slot *slots;
	struct ue__ring_thread *threads;
	uint32_t *buckets;
	struct ue__ring_event_entry *events;
	char *texts;
	uint8_t *enabled; /* a bit for each event */
	uint8_t *stacks; /* the same: its stack is wanted */
	uint64_t *states;
	uint64_t *full_groups; /* a bit for each group of pages (page.c) */
	char *pages;
	/* Copies, as the memory may change. */
	uint64_t size;
	uint32_t slot_count, thread_count, event_count, text_size, page_count,
		small_count;
	uint32_t mode, clock;
	int is_writable; /* mapped so */
	uint32_t pid_namespace; /* of this process; 0: unknown */
};

/* The offset of a page from the first one. */
static inline size_t ue__ring_place_of(const struct ue__ring_memory *memory,
				       uint32_t index)
{
	const uint32_t small = memory->small_count;

	return index < small ? (size_t)index * UE__RING_SMALL :
			       (size_t)small * UE__RING_SMALL +
				       (size_t)(index - small) * UE__RING_LARGE;
}

static inline struct ue__ring_page *ue__ring_page(const struct ue__ring_memory *memory,
						  uint32_t index)
{
	return (struct ue__ring_page *)(memory->pages + ue__ring_place_of(memory, index));
}

static inline int ue__ring_is_large(const struct ue__ring_memory *memory, uint32_t index)
{
	return index >= memory->small_count;
}

static inline uint32_t ue__ring_size_of(const struct ue__ring_memory *memory,
					uint32_t index)
{
	return ue__ring_is_large(memory, index) ? UE__RING_LARGE : UE__RING_SMALL;
}

/* Pages of one size: the first one, and how many. */
static inline uint32_t ue__ring_first(const struct ue__ring_memory *memory, int is_large)
{
	return is_large ? memory->small_count : 0;
}

static inline uint32_t ue__ring_count_of(const struct ue__ring_memory *memory,
					 int is_large)
{
	return is_large ? memory->page_count - memory->small_count : memory->small_count;
}

#endif
