/* SPDX-License-Identifier: MIT */
/*
 * steps: a process writes, one instruction after the other (ptrace(2)). How many a write
 * takes at most; and for each seventh instruction of a write that takes a page (each, with
 * UE_TEST_FULL): the process is killed there, and others go on; or it is stopped, others
 * go on, and then it does. What was written is what was read and what was counted, each
 * once. Nothing here depends on time.
 */
#include "step.h"

#include <elf.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/user.h>

#include <userevents/ring.h>
#include <userevents/userevents.h>

#include "ring/events.h"
#include "ring/page.h"

/* Stepping */

static struct shared {
	uint32_t written; /* events whose write has returned */
	uint32_t is_ready;
} *shared;

static struct ue__ring_writer writer;

static int put(struct ue__ring_writer *to, uint32_t count)
{
	const uint32_t payload[] = { 7, count };

	return ue__ring_put(to, (const char *)payload, sizeof(payload));
}

/*
 * Forks a process that attaches, writes so many events, and stops; then it writes more.
 */
static pid_t start(int fd, uint32_t before, uint32_t more)
{
	const pid_t child = fork();

	must(child >= 0);
	if (child) {
		step_wait_for(child);
		return child;
	}
	must(!ue__ring_attach(&writer, fd, -1));
	for (uint32_t i = 0; i < before; i++)
		must(!put(&writer, i));
	shared->written = before;
	step_begin();
	for (uint32_t i = 0; i < more; i++) {
		must(!put(&writer, before + i));
		__atomic_store_n(&shared->written, before + i + 1, __ATOMIC_RELAXED);
	}
	_exit(0);
}

/* So many instructions, or to the end of a write. */
static uint32_t step_to(pid_t child, uint32_t most, uint32_t written)
{
	uint32_t steps = 0;

	while (steps < most &&
	       __atomic_load_n(&shared->written, __ATOMIC_RELAXED) < written)
		steps += (uint32_t)step(child);
	return steps;
}

/* How many a write takes */

#define MOST 1500u
#define MEASURED 1000u

/*
 * The kernel's code in each process that reads a clock. It begins again if the kernel
 * updates the clock meanwhile, as it does often while a process is stepped.
 */
static uintptr_t clock_code, clock_code_end;

static void find_clock_code(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long begin, end;
	char line[256];

	must(maps != NULL);
	while (fgets(line, sizeof(line), maps))
		if (strstr(line, "[vdso]") && sscanf(line, "%lx-%lx", &begin, &end) == 2) {
			clock_code = begin;
			clock_code_end = end;
		}
	fclose(maps);
}

#ifdef __aarch64__
#define PROGRAM_COUNTER pc
#else
#define PROGRAM_COUNTER rip
#endif

static uintptr_t next_instruction(pid_t child)
{
	struct user_regs_struct registers = { 0 };
	struct iovec all = { &registers, sizeof(registers) };

	must(!ptrace(PTRACE_GETREGSET, child, NT_PRSTATUS, &all));
	return registers.PROGRAM_COUNTER;
}

/* Instructions outside of that code, and calls of it. One that repeats itself is one. */
struct count {
	uint32_t own, calls;
};

/* Of a call: the fewest of all, which did not begin again. */
static uint32_t clock_instructions;

static struct count step_counting(pid_t child, uint32_t written)
{
	uintptr_t at = 0, before;
	struct count count = { 0 };
	uint32_t run = 0;

	while (__atomic_load_n(&shared->written, __ATOMIC_RELAXED) < written) {
		must(step(child));
		before = at;
		at = next_instruction(child);
		if (at >= clock_code && at < clock_code_end) {
			run++;
			continue;
		}
		count.own += at != before;
		if (!run)
			continue;
		count.calls++;
		if (!clock_instructions || run < clock_instructions)
			clock_instructions = run;
		run = 0;
	}
	return count;
}

static uint32_t sum_of(struct count count)
{
	return count.own + count.calls * clock_instructions;
}

/*
 * A process that is stepped is interrupted between its looks at two clocks, so that it
 * looks twice when it takes a page. A second look is not counted.
 */
static uint32_t instructions_of_a_look(void)
{
	const pid_t child = fork();
	struct count count;

	must(child >= 0);
	if (!child) {
		shared->written = 0;
		step_begin();
		for (uint32_t i = 1;; i++) {
			ue__ring_now_quickly(UE__RING_TSC);
			__atomic_store_n(&shared->written, i, __ATOMIC_RELAXED);
		}
	}
	step_wait_for(child);
	step_to(child, UINT32_MAX, 1);
	count = step_counting(child, 2);
	step_kill(child);
	return sum_of(count) / 2;
}

/*
 * Writes to a ring that was full of small events. The loop around them is counted, too. The
 * mean.
 */
static uint32_t count_in(const char *name, int fd, uint32_t before)
{
	static struct count counts[MEASURED + 1];
	const pid_t child = start(fd, before, MEASURED);
	uint32_t look, most = 0;
	uint64_t sum = 0;

	step_to(child, UINT32_MAX, before + 1); /* it returns from raise() first */
	for (uint32_t i = 2; i <= MEASURED; i++)
		counts[i] = step_counting(child, before + i);
	step_kill(child);
	close(fd);
	look = instructions_of_a_look();
	for (uint32_t i = 2; i <= MEASURED; i++) {
		sum += sum_of(counts[i]);
		most = sum_of(counts[i]) > most ? sum_of(counts[i]) : most;
	}
	printf("# %s: %u instructions at most and %u for a second look, %u in the mean\n",
	       name, most - look, look, (uint32_t)(sum / (MEASURED - 1)));
	load_result(name, most - look <= MOST);
	return (uint32_t)(sum / (MEASURED - 1));
}

static uint32_t count(const char *name, uint32_t mode, uint64_t size, uint32_t before)
{
	return count_in(name, load_make(mode, size), before);
}

/* As a reader frees it. */
static void free_page(const struct ue__ring_memory *memory, uint32_t index)
{
	memset(ue__ring_page(memory, index), 0, ue__ring_size_of(memory, index));
	memory->states[index] = 0;
	ue__ring_note_freed(memory, index);
}

/* Of tens of thousands of pages four are free, here and there: room for these writes. */
static void count_in_a_nearly_full_ring(void)
{
	const int fd = load_make(UE__RING_DROP, 64 << 20);
	static struct ue__ring_writer other;
	uint32_t small, large;

	must(!ue__ring_attach(&other, fd, -1));
	while (!put(&other, 0))
		;
	small = ue__ring_count_of(&other.memory, 0);
	large = ue__ring_count_of(&other.memory, 1);
	for (uint32_t i = 0; i < other.memory.page_count; i++)
		must(other.memory.states[i]);
	free_page(&other.memory, small / 3);
	for (uint32_t i = 1; i <= 3; i++)
		free_page(&other.memory, small + large / 4 * i);
	count_in("no_write_to_a_nearly_full_ring_takes_long", fd, 0);
	ue__ring_detach(&other);
}

/* Rings that are large, or crowded */

#define PROCESSES 1000

static void define_all(const struct ue__ring_memory *memory)
{
	char text[32];

	for (int i = 0; i < (int)UE__RING_EVENTS_MOST; i++) {
		const int length = sprintf(text, "e%d u32 a", i);

		must(ue__ring_define(memory, text, (uint32_t)length - 6, 0) == i);
	}
}

/* A ring with all the events that it has a place for, and processes that wrote. */
static uint32_t count_in_a_crowded_ring(void)
{
	const int fd = load_make(UE__RING_DROP, 64 << 20);
	static struct ue__ring_writer others[PROCESSES];
	uint32_t mean;

	for (uint32_t i = 0; i < PROCESSES; i++)
		must(!ue__ring_attach(&others[i], fd, -1) && !put(&others[i], 0));
	define_all(&others[0].memory);
	mean = count_in("no_write_beside_1000_processes_and_65536_events_takes_long", fd, 0);
	for (uint32_t i = 0; i < PROCESSES; i++)
		ue__ring_detach(&others[i]);
	return mean;
}

static void count_in_large_rings(uint32_t usual)
{
	const uint32_t crowded = count_in_a_crowded_ring();
	uint32_t large = 0; /* of 64 GiB, which needs as many addresses */

	if (sizeof(size_t) == 8)
		large = count("no_write_to_the_largest_ring_takes_long", UE__RING_DROP,
			      UE__RING_MOST, 0);
	load_result("a_ring_that_is_large_or_crowded_makes_no_write_dearer",
		    crowded <= usual + usual / 20 && large <= usual + usual / 20);
}

static void allow_descriptors(void)
{
	const struct rlimit files = { 4096, 4096 };

	setrlimit(RLIMIT_NOFILE, &files);
}

/* Sessions */

UE_EVENT(stepped, UE_U32(value));

#define SESSIONS 200

static int open_session(void)
{
	const struct ue_ring_opts opts = { .size = sizeof(opts),
					   .bytes = UE_RING_BYTES_LEAST };
	const struct ue_open_opts how = { .size = sizeof(how), .flags = UE_OPEN_FD,
					  .fd = ue_ring_create(NULL, &opts) };
	const int session = ue_open(&how);

	must(session >= 0);
	return session;
}

/* Instructions of a write, with so many sessions that were opened after its own. */
static uint32_t count_with_sessions(uint32_t sessions)
{
	const pid_t child = fork();
	uint32_t steps;

	must(child >= 0);
	if (!child) {
		const int session = open_session();

		must(!ue_register_all(session));
		while (sessions--)
			open_session();
		shared->written = 0;
		step_begin();
		for (uint32_t i = 1;; i++) {
			must(!UE_WRITE(session, stepped, i));
			__atomic_store_n(&shared->written, i, __ATOMIC_RELAXED);
		}
	}
	step_wait_for(child);
	step_to(child, UINT32_MAX, 5);
	steps = step_to(child, UINT32_MAX, 10) / 5;
	step_kill(child);
	return steps;
}

static void count_sessions(void)
{
	const uint32_t alone = count_with_sessions(0),
		       many = count_with_sessions(SESSIONS);

	printf("# %u instructions, and %u with %u more sessions\n", alone, many,
	       SESSIONS);
	load_result("more_sessions_make_no_write_dearer", many <= alone + alone / 20);
}

/* Killed or stopped anywhere */

struct outcome {
	uint64_t found, missed, cut_off;
};

static void take(struct ue__ring_reader *reader, struct outcome *outcome)
{
	struct ue__ring_event event;

	reader->next_burial = 0;
	while (ue__ring_reader_next(reader, &event) == 1)
		outcome->found++;
	reader->next_burial = 0;
	must(!ue__ring_reader_next(reader, &event));
	outcome->missed = ue__ring_missed(reader);
	outcome->cut_off = reader->memory.ring->lost[UE__RING_CUT_OFF];
	must(!reader->malformed);
}

/* Another process takes all pages once more. */
static uint32_t write_a_round(int fd)
{
	static struct ue__ring_writer other;
	uint32_t count;

	must(!ue__ring_attach(&other, fd, -1));
	count = other.memory.mode == UE__RING_OVERWRITE ? 8000 : 1000;
	for (uint32_t i = 0; i < count; i++)
		must(!put(&other, i));
	ue__ring_detach(&other);
	return count;
}

/* An event that was being written may be there, or not. */
static void expect(uint32_t mode, uint32_t steps, const struct outcome *outcome,
		   uint32_t written, uint32_t most_cut_off)
{
	if (outcome->found + outcome->missed - written <= most_cut_off &&
	    outcome->cut_off <= most_cut_off)
		return;
	printf("# mode %u, step %u: %u written, %u read, %u missed, %u cut off\n", mode,
	       steps, written, (unsigned)outcome->found, (unsigned)outcome->missed,
	       (unsigned)outcome->cut_off);
	exit(1);
}

/* Killed after so many instructions; 0 if the write was done before. */
static int kill_at(uint32_t mode, uint32_t before, uint32_t steps)
{
	const int fd = load_make(mode, UE__RING_LEAST);
	static struct ue__ring_reader reader;
	struct outcome outcome = { 0 };
	uint32_t written, more;
	pid_t child;

	must(!ue__ring_reader_begin(&reader, fd, 1));
	child = start(fd, before, 1);
	step_to(child, steps, before + 1);
	step_kill(child);
	written = shared->written;
	if (mode != UE__RING_OVERWRITE)
		take(&reader, &outcome);
	more = write_a_round(fd);
	take(&reader, &outcome);
	expect(mode, steps, &outcome, written + more, written == before);
	for (uint32_t i = 0; mode != UE__RING_OVERWRITE && i < reader.memory.page_count;
	     i++)
		must(!reader.memory.states[i]);
	ue__ring_reader_end(&reader);
	close(fd);
	return written == before;
}

/* Stopped after so many instructions, while others go on; 0 if the write was done before. */
static int stop_at(uint32_t mode, uint32_t before, uint32_t steps)
{
	const int fd = load_make(mode, UE__RING_LEAST);
	static struct ue__ring_reader reader;
	struct outcome outcome = { 0 };
	int is_amid;
	pid_t child;

	must(!ue__ring_reader_begin(&reader, fd, 1));
	child = start(fd, before, 1);
	step_to(child, steps, before + 1);
	is_amid = shared->written == before;
	if (mode != UE__RING_OVERWRITE)
		take(&reader, &outcome);
	before += write_a_round(fd);
	take(&reader, &outcome);
	step_let_end(child);
	take(&reader, &outcome);
	expect(mode, steps, &outcome, before + 1, 0);
	ue__ring_reader_end(&reader);
	close(fd);
	return is_amid;
}

static void everywhere(const char *done, const char *where,
		       int (*at)(uint32_t mode, uint32_t before, uint32_t steps),
		       uint32_t mode, uint32_t before, uint32_t each)
{
	uint32_t steps = 0;
	char name[64];

	snprintf(name, sizeof(name), "%s_%s", done, where);
	while (at(mode, before, steps))
		steps += each;
	printf("# %s: %u instructions\n", name, steps);
	load_result(name, steps > 100);
}

static void kill_and_stop(const char *where, uint32_t mode, uint32_t before, uint32_t each)
{
	everywhere("killed", where, kill_at, mode, before, each);
	everywhere("stopped", where, stop_at, mode, before, each * 4);
}

/* The room of the current page. */
static uint32_t room(void)
{
	return ue__ring_room_of(writer.on[ue__ring_cpu() & writer.cpu_mask].current);
}

/*
 * The number of events after which the next one opens that many large pages, or clears
 * the next piece of the last of them.
 */
static uint32_t events_before(uint32_t mode, uint32_t large_pages, int is_piece)
{
	const int fd = load_make(mode, UE__RING_LEAST);
	uint32_t written = 0, first;

	must(!ue__ring_attach(&writer, fd, -1));
	for (; writer.memory.ring->opened[1] < large_pages; written++)
		must(!put(&writer, written));
	for (first = room(); is_piece && room() == first; written++)
		must(!put(&writer, written));
	must(writer.memory.ring->opened[1] == large_pages);
	ue__ring_detach(&writer);
	close(fd);
	return written - 1;
}

static uint32_t large_pages(void)
{
	const int fd = load_make(UE__RING_DROP, UE__RING_LEAST);
	struct ue__ring_memory memory;
	uint32_t count;

	must(!ue__ring_map(&memory, fd));
	count = ue__ring_count_of(&memory, 1);
	ue__ring_unmap(&memory);
	close(fd);
	return count;
}

/* Its processor must stay: each has a page. */
static void stay(void)
{
	cpu_set_t set;

	must(!sched_getaffinity(0, sizeof(set), &set));
	for (int i = 0, is_found = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &set) && is_found++)
			CPU_CLR(i, &set);
	must(!sched_setaffinity(0, sizeof(set), &set));
}

int main(void)
{
	const uint32_t each = getenv("UE_TEST_FULL") ? 1 : 7;

	shared = load_shared(sizeof(*shared));
	stay();
	allow_descriptors();
	find_clock_code();
	count("no_write_to_a_full_ring_takes_long", UE__RING_OVERWRITE, 16 << 20,
	      1 << 20);
	count("no_write_to_a_small_ring_takes_long", UE__RING_OVERWRITE, UE__RING_LEAST,
	      1 << 16);
	count_in_large_rings(
		count("no_write_to_an_empty_ring_takes_long", UE__RING_DROP, 1 << 20, 0));
	count_in_a_nearly_full_ring();
	count_sessions();
	kill_and_stop("at_its_first_event", UE__RING_DROP, 0, each);
	kill_and_stop("at_a_large_page", UE__RING_WAIT, events_before(UE__RING_WAIT, 1, 0),
		      each);
	kill_and_stop("at_the_first_page_that_it_overwrites", UE__RING_OVERWRITE,
		      events_before(UE__RING_OVERWRITE, large_pages() + 1, 0), each);
	kill_and_stop("at_a_page_that_it_overwrites", UE__RING_OVERWRITE,
		      events_before(UE__RING_OVERWRITE, 2 * large_pages(), 0), each);
	kill_and_stop("as_it_clears_a_piece", UE__RING_OVERWRITE,
		      events_before(UE__RING_OVERWRITE, 2 * large_pages(), 1), each);
	return load_end();
}
