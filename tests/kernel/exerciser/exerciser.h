/* SPDX-License-Identifier: MIT */
/*
 * The exerciser's workers do random operations on the files of user_events. The random
 * numbers never depend on an answer of the kernel, so each worker of a seed makes the
 * same choices again. The interleaving of the workers differs from run to run.
 */
#ifndef EXERCISER_H
#define EXERCISER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define DATA_FILES 4
#define STATUS_PAGES 4
#define PERF_FILES 3
#define OPEN_FILES 3
#define NAMES 16
#define EPROBES 4
#define PAYLOAD_MAX (160 * 1024)
#define PAGE 4096
#define TRACING "/sys/kernel/tracing/"

/*
 * Enable words lie at a fixed place that no mapping of libc or of perf gets, so the kernel
 * never sets a bit in the exerciser's own data.
 */
#define ARENA 0x10000000UL
#define ARENA_PAGES 16

/* The threads of a process share it without locks: closing a file that another thread
 * uses is one of the operations. */
struct process {
	int data[DATA_FILES];
	int perf[PERF_FILES];
	uintptr_t rings[PERF_FILES]; /* the address of a mapping, plus its number of pages
				      */
	uintptr_t status[STATUS_PAGES];
	int open[OPEN_FILES]; /* files of tracefs that may outlive their event */
};

struct worker {
	uint64_t random;
	struct process *process;
	unsigned char *buffer; /* PAYLOAD_MAX bytes, then a page that cannot be read */
	unsigned slot;	       /* in the shared table of heartbeats */
	int is_forked;
};

struct kind {
	const char *name;
	unsigned weight;
	long (*run)(struct worker *worker); /* not negative, or -1 and errno */
};

/* Lists that end with an empty entry. */
extern const struct kind data_kinds[], memory_kinds[], listener_kinds[], perf_kinds[],
	process_kinds[];

/* The options, set before the first worker starts. */
extern int is_tame, is_6_1, with_faults;

#define KINDS_MAX 64
#define ERRORS 134 /* above all errno of Linux; the last stands for others */
#define PROCESSES 4
#define THREADS 3
#define SLOTS (PROCESSES * THREADS)

/* Shared by all processes. */
struct shared {
	uint64_t results[KINDS_MAX][ERRORS]; /* by kind and errno, 0 for success */
	struct {
		uint64_t operations;
		const struct kind *kind; /* under way, or NULL */
		pid_t pid, tid;
	} heartbeats[SLOTS];
	int is_over;
};
extern struct shared *shared;

/* All kinds, in one list, and their number. */
extern const struct kind *kinds[KINDS_MAX];
extern unsigned kinds_count;
void list_kinds(void);

/* The life of a worker process: its threads, until they have done their work. */
void live(uint64_t seed, unsigned number) __attribute__((noreturn));

uint64_t draw(struct worker *worker);
unsigned below(struct worker *worker, unsigned limit);
int one_in(struct worker *worker, unsigned count);

/* One random operation, counted. */
void do_one(struct worker *worker);

/* The start of a process; 0 or -1. */
int map_arena(void);
void open_all(struct worker *worker);

/* Text for a registration, or the name of one of the events. */
void draw_name(struct worker *worker, char *text, size_t size);
void draw_definition(struct worker *worker, char *text, size_t size);

/* Opens, writes text and closes: the result of write(), or -1 and errno. */
long put(const char *path, int flags, const char *text);

/* Puts a new file into a slot, and closes the one that was there. */
long keep(int *slot, int fd);

/* The same for a mapping; size 0 only removes the old one. Returns 0, or -1 and errno. */
long keep_mapping(uintptr_t *slot, void *address, size_t pages);

/* Makes one thing fail inside the kernel during what follows, until disarm(). */
void arm(struct worker *worker);
void disarm(void);
void prepare_faults(void);

/* Prints the table of results, and the verdicts as TAP. Returns their failures. */
void print_results(void);
int judge_results(void);
int verdict(int is_ok, const char *statement);

/* Seconds of the guest's clock. */
uint64_t now(void);

/* Whether an operation takes too long; then it is printed, and where the workers are. */
int is_any_hanging(void);

/* Removes all listeners and events; the number of events that cannot be removed. */
int remove_all(void);

/* Forgets leaks so far; prints the leaks since then and returns their number.
 */
void forget_leaks(void);
int print_leaks(void);

#endif
