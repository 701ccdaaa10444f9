/* SPDX-License-Identifier: MIT */
/*
 * Stacks: the walker, with frames of any content, and in places where memory ends; then what a
 * capture shows of events whose stacks were asked for.
 *
 * This program is compiled with frame pointers.
 */
#define _GNU_SOURCE
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <userevents/capture.h>
#include <userevents/ring.h>
#include <userevents/userevents.h>

#include "ring/events.h"
#include "ring/write/stack.h"

#define MOST UE__RING_FRAMES_MOST
#define ASKED UE__RING_FRAMES_ASKED
#define NOINLINE __attribute__((noinline))
/* Keeps the compiler from turning the call before it into a jump. */
#define STAY __asm__ volatile("" ::: "memory")

#if defined(__x86_64__) || defined(__aarch64__)
#define WALKS 1
#else
#define WALKS 0
#endif

/* Frames in an array: the target of each one's frame pointer. */

struct frame {
	uintptr_t next, address;
};

static uint32_t walk(const void *frame, uint32_t most, struct ue__walked *walked)
{
	errno = 12345;
	ue__walk_stack(frame, most, walked);
	assert_int_equal(errno, 12345);
	assert_true(walked->count <= most);
	return walked->count;
}

static void chain(struct frame *frames, size_t count, size_t step)
{
	for (size_t i = 0; i < count; i++) {
		frames[i * step].next = i + 1 < count ? (uintptr_t)&frames[(i + 1) * step] : 0;
		frames[i * step].address = 0x1000 + i;
	}
}

static void a_chain_is_followed_to_its_end(void **state)
{
	static struct frame frames[400];
	struct ue__walked walked;

	(void)state;
	for (size_t step = 1; step <= 80; step *= 3) {
		chain(frames, 5, step);
		assert_int_equal(walk(frames, MOST, &walked), WALKS * 5);
		for (uint32_t i = 0; i < walked.count; i++)
			assert_int_equal(walked.frames[i], 0x1000 + i);
	}
	chain(frames, 400, 1);
	assert_int_equal(walk(frames, 3, &walked), WALKS * 3);
	assert_int_equal(walk(frames, MOST, &walked), WALKS * MOST);
}

static void a_chain_that_goes_round_ends(void **state)
{
	struct frame frames[3];
	struct ue__walked walked;

	(void)state;
	chain(frames, 3, 1);
	frames[2].next = (uintptr_t)&frames[0];
	assert_int_equal(walk(frames, MOST, &walked), WALKS * 3);
	frames[2].next = (uintptr_t)&frames[2];
	assert_int_equal(walk(frames, MOST, &walked), WALKS * 3);
	frames[0].next = (uintptr_t)&frames[0];
	assert_int_equal(walk(frames, MOST, &walked), WALKS);
}

/* As in code that was compiled without frame pointers. */
static void any_number_may_be_a_frame_pointer(void **state)
{
	static const uintptr_t numbers[] = {
		1, 7, 8, 4096, UINTPTR_MAX, UINTPTR_MAX - 7, UINTPTR_MAX - 15, UINTPTR_MAX / 2,
		(uintptr_t)1 << (sizeof(uintptr_t) * 8 - 1), 0x12345678,
	};
	struct frame frame = { 0, 0x1000 };
	struct ue__walked walked;
	uint32_t seed = 1;

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		assert_int_equal(walk((const void *)numbers[i], MOST, &walked), 0);
		frame.next = numbers[i];
		assert_int_equal(walk(&frame, MOST, &walked), WALKS);
	}
	for (int i = 0; i < 20000; i++) {
		seed = seed * 1664525 + 1013904223;
		frame.next = (uintptr_t)&frame + (seed & 0xfffff8);
		walk(&frame, MOST, &walked);
		frame.next = (uintptr_t)seed << (seed & 31);
		walk(&frame, MOST, &walked);
	}
	assert_int_equal(walk(NULL, MOST, &walked), 0);
}

static void an_address_of_zero_ends_a_stack(void **state)
{
	struct frame frames[3];
	struct ue__walked walked;

	(void)state;
	chain(frames, 3, 1);
	frames[1].address = 0;
	assert_int_equal(walk(frames, MOST, &walked), WALKS);
}

/* The first page is there, and the next one is not. */
static void memory_may_end_anywhere(void **state)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *map = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct ue__walked walked;

	(void)state;
	assert_true(map != MAP_FAILED);
	assert_false(munmap(map + page, page));
	for (size_t before = 8; before <= 4 * sizeof(struct frame); before += 8) {
		struct frame *last = (void *)(map + page - before);
		const uint32_t whole = before >= sizeof(*last);

		if (whole)
			*last = (struct frame){ (uintptr_t)map + 2 * page, 0x1000 };
		assert_int_equal(walk(last, MOST, &walked), WALKS * whole);
		assert_int_equal(walked.is_cut, !WALKS || !whole);
	}
	chain((struct frame *)(void *)(map + 2 * page), 2, 1);
	((struct frame *)(void *)(map + page - 16))->next = (uintptr_t)map + 2 * page;
	((struct frame *)(void *)(map + page - 16))->address = 0xfff;
	assert_int_equal(walk(map + page - 16, MOST, &walked), WALKS * 3);
	munmap(map, page);
	munmap(map + 2 * page, page);
}

/* Real stacks */

static int session;
static struct ue_capture *capture;

UE_EVENT(stack_small, UE_U32(number));
UE_EVENT(stack_text, UE_STRING(text));
static struct ue_event plain = UE_EVENT_INIT(plain, "stack_plain u32 number");
UE_PROVIDER(provider, "Stacks");
UE_TRACEPOINT(point, provider, UE_LEVEL_INFORMATION, 0x1);
UE_EVENTHEADER(point, stack_header, UE_U32(number), UE_STRING(text));

static char large[4000];

#define FUNCTION __attribute__((noinline, section("functions"))) static int
extern const char __start_functions[], __stop_functions[], __executable_start, etext;

FUNCTION write_small(void)
{
	const int result = UE_WRITE(session, stack_small, 1);

	STAY;
	return result;
}

FUNCTION write_text(void)
{
	const int result = UE_WRITE(session, stack_text, "text");

	STAY;
	return result;
}

FUNCTION write_large(void)
{
	const int result = UE_WRITE(session, stack_text, large);

	STAY;
	return result;
}

FUNCTION write_header(void)
{
	const int result = UE_WRITE(session, stack_header, 1, "text");

	STAY;
	return result;
}

FUNCTION write_large_header(void)
{
	const int result = UE_WRITE(session, stack_header, 1, large);

	STAY;
	return result;
}

FUNCTION write_bytes(void)
{
	const int result = ue_write(session, &plain, "abcd", 4);

	STAY;
	return result;
}

static int (*const writers[])(void) = {
	write_small, write_text, write_large, write_header, write_large_header, write_bytes,
};

#define WRITERS (sizeof(writers) / sizeof(writers[0]))

static int is_in(uint64_t address, const char *begin, const char *end)
{
	return address >= (uintptr_t)begin && address < (uintptr_t)end;
}

NOINLINE static int call(int (*writer)(void))
{
	const int result = writer();

	STAY;
	return result;
}

static uintptr_t here;

/* call() and this function may lie anywhere, but they return to what is known. */
NOINLINE static int call_from_here(int (*writer)(void))
{
	const int result = call(writer);

	here = (uintptr_t)__builtin_return_address(0);
	STAY;
	return result;
}

/* The next event that is the program's. */
static int next_event(struct ue_captured *event)
{
	int result;

	do
		result = ue_capture_next(capture, event);
	while (result == 1 && !strncmp(event->definition, UE__MAPPING_NAME " ", 11));
	return result;
}

/* The functions of the library that write may be the first ones. */
static void expect_stack(const struct ue_captured *event)
{
	uint32_t i = 0;

	assert_true(event->frames >= 1 && event->frames <= MOST);
	assert_int_equal(event->is_stack_cut, !WALKS);
	if (!WALKS)
		return;
	while (i < event->frames && !is_in(event->stack[i], __start_functions, __stop_functions))
		i++;
	assert_uint_in_range(i, 0, 3);
	assert_true(i + 3 < event->frames);
	assert_int_equal(event->stack[i + 3], here);
}

static int begin(void **state)
{
	struct ue_open_opts opts = { .size = sizeof(opts), .flags = UE_OPEN_FD };

	(void)state;
	memset(large, 'x', sizeof(large) - 1);
	if (ue_capture_open(NULL, &capture))
		return -1;
	opts.fd = ue_capture_writer_fd(capture);
	session = ue_open(&opts);
	return session < 0 || ue_register_all(session) < 0 || ue_register(session, &plain) ? -1 : 0;
}

static int end(void **state)
{
	(void)state;
	ue_close(session);
	ue_capture_close(capture);
	return 0;
}

static void stacks_are_written_if_asked_for(void **state)
{
	struct ue_captured event;

	(void)state;
	for (int round = 0; round < 3; round++) {
		/* the process has pages that it writes to */
		for (size_t i = 0; i < WRITERS; i++)
			assert_int_equal(call_from_here(writers[i]), 0);
		for (size_t i = 0; i < WRITERS; i++) {
			assert_int_equal(next_event(&event), 1);
			assert_int_equal(event.frames, 0);
			assert_null(event.stack);
		}
		assert_int_equal(ue_capture_stack(capture, "*", 32), 0);
		for (size_t i = 0; i < WRITERS; i++)
			assert_int_equal(call_from_here(writers[i]), 0);
		for (size_t i = 0; i < WRITERS; i++) {
			assert_int_equal(next_event(&event), 1);
			expect_stack(&event);
		}
		assert_int_equal(ue_capture_stack(capture, "*", 0), 0);
	}
	assert_int_equal(next_event(&event), 0);
}

static void other_events_have_none(void **state)
{
	struct ue_captured event;

	(void)state;
	assert_int_equal(ue_capture_stack(capture, "stack_t*", 2), 0);
	for (size_t i = 0; i < WRITERS; i++)
		assert_int_equal(call_from_here(writers[i]), 0);
	while (next_event(&event) == 1) {
		const int is_text = !strncmp(event.definition, "stack_text", 10);

		assert_uint_in_range(event.frames, is_text ? 1 + WALKS : 0,
				is_text ? 2 + UE__RING_FRAMES_OWN : 0);
		assert_int_equal(event.frames_asked, is_text ? 2 : 0);
		if (!strncmp(event.definition, "stack_small", 11))
			assert_int_equal(event.length, 4);
	}
	assert_int_equal(ue_capture_stack(capture, "*", 0), 0);
}

static void payloads_are_the_same(void **state)
{
	struct ue_captured event;
	struct ue_item item;

	(void)state;
	assert_int_equal(ue_capture_stack(capture, "*", ASKED), 0);
	assert_int_equal(call_from_here(write_large), 0);
	assert_int_equal(next_event(&event), 1);
	assert_int_equal(ue_captured_field(&event, "text", &item), UE_ITEM_VALUE);
	assert_int_equal(item.value.length, sizeof(large) - 1);
	assert_memory_equal(item.value.bytes, large, sizeof(large) - 1);
	assert_int_equal(call_from_here(write_small), 0);
	assert_int_equal(next_event(&event), 1);
	assert_int_equal(event.length, 4);
	assert_int_equal(ue_capture_stack(capture, "*", 0), 0);
}

static void wrong_numbers_are_refused(void **state)
{
	(void)state;
	assert_int_equal(ue_capture_stack(capture, "*", ASKED + 1), -EINVAL);
	assert_int_equal(ue_capture_stack(capture, "", 1), -EINVAL);
	assert_int_equal(ue_ring_stack(-1, "*", 1), -EBADF);
	assert_int_equal(ue_ring_stack(-1, "*", ASKED + 1), -EINVAL);
}

static void rules_are_listed(void **state)
{
	static const char expected[] = "+*\n-a*\ns*\nnb\n";
	char rules[UE_RING_RULES_BYTES];
	const int ring = ue_ring_create(NULL, NULL);

	(void)state;
	assert_int_equal(ue_ring_disable(ring, "a*"), 0);
	assert_int_equal(ue_ring_stack(ring, "*", 32), 0);
	assert_int_equal(ue_ring_stack(ring, "b", 0), 0);
	assert_int_equal(ue_ring_rules(ring, rules, sizeof(rules)), sizeof(expected) - 1);
	assert_string_equal(rules, expected);
	assert_int_equal(ue_ring_rules(ring, rules, sizeof(expected)), sizeof(expected) - 1);
	assert_int_equal(ue_ring_rules(ring, rules, sizeof(expected) - 1), -ENOSPC);
	assert_int_equal(ue_ring_rules(-1, rules, sizeof(rules)), -EBADF);
	close(ring);
}

/* That of descriptions is none of them. */
static void registered_events_are_listed(void **state)
{
	const char *definition = NULL;
	struct ue_captured event;
	int found = 0, plain_ones = 0;

	(void)state;
	while (ue_capture_next(capture, &event) == 1)
		;
	while ((definition = ue_capture_registered(capture, definition))) {
		assert_string_not_equal(definition, UE__MAPPING_EVENT);
		plain_ones += !strcmp(definition, "stack_plain u32 number");
		found++;
	}
	assert_int_equal(plain_ones, 1);
	assert_true(found >= 4);
}

/* They may have one pid: of two pid namespaces, or one after the other. */
static void each_process_has_a_number_of_its_own(void **state)
{
	struct ue_captured_page page;
	struct ue_captured event;
	uint32_t writers[3];

	(void)state;
	for (int i = 0; i < 3; i++) {
		if (i && !fork())
			_exit(call_from_here(write_small) ? 1 : 0);
		if (!i)
			assert_int_equal(call_from_here(write_small), 0);
		wait(NULL);
		if (i == 2) {
			assert_int_equal(ue_capture_next_page(capture, &page), 1);
			writers[i] = page.writer;
			continue;
		}
		assert_int_equal(next_event(&event), 1);
		writers[i] = event.writer;
	}
	assert_int_not_equal(writers[0], writers[1]);
	assert_int_not_equal(writers[0], writers[2]);
	assert_int_not_equal(writers[1], writers[2]);
	assert_int_not_equal(writers[0], 0);
	assert_int_equal(call_from_here(write_small), 0);
	assert_int_equal(next_event(&event), 1);
	assert_int_equal(event.writer, writers[0]);
}

/* A page of each is handed out with stacks, too. */
static void pages_have_stacks(void **state)
{
	struct ue_captured_page page;
	uint32_t found = 0;

	(void)state;
	assert_int_equal(ue_capture_stack(capture, "*", 32), 0);
	for (size_t i = 0; i < WRITERS; i++)
		assert_int_equal(call_from_here(writers[i]), 0);
	while (ue_capture_next_page(capture, &page) == 1)
		for (uint32_t i = 0; i < page.event_count; i++) {
			const struct ue_page_event *event = &page.events[i];
			const struct ue_captured captured = {
				.stack = ue_page_event_stack(event), .frames = event->frames,
				.is_stack_cut = event->is_stack_cut,
			};

			if (!event->frames)
				continue;
			expect_stack(&captured);
			found++;
		}
	assert_int_equal(found, WRITERS);
	assert_int_equal(ue_capture_stack(capture, "*", 0), 0);
}

/* Code that is mapped is described, before the first stack. */
static void mappings_have_the_functions(void **state)
{
	struct ue_captured event;
	int is_found = 0;

	(void)state;
	assert_int_equal(ue_capture_stack(capture, "*", 32), 0);
	if (!fork()) {
		call_from_here(write_small);
		_exit(0);
	}
	wait(NULL);
	while (ue_capture_next(capture, &event) == 1) {
		uint64_t range[2];

		if (strncmp(event.definition, UE__MAPPING_NAME " ", 11)) {
			assert_int_equal(is_found, 1);
			continue;
		}
		memcpy(range, (const char *)event.bytes + 4, sizeof(range));
		is_found += (uintptr_t)write_small >= range[0] && (uintptr_t)write_small < range[1];
		assert_non_null(memchr(event.bytes, 0, event.length));
	}
	assert_int_equal(is_found, 1);
	assert_int_equal(ue_capture_stack(capture, "*", 0), 0);
}

/* A mapping of a file whose name has such characters. */
static int write_with_odd_path(int file)
{
	return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0) == MAP_FAILED ||
	       call_from_here(write_small);
}

static void paths_have_any_character(void **state)
{
	static const char name[] = "a b\tc\nd\033e";
	const int file = memfd_create(name, MFD_CLOEXEC);
	struct ue_captured event;
	int status, is_found = 0;

	(void)state;
	assert_true(file >= 0);
	assert_false(ftruncate(file, 4096));
	assert_int_equal(ue_capture_stack(capture, "*", 32), 0);
	if (!fork())
		_exit(write_with_odd_path(file));
	wait(&status);
	assert_int_equal(status, 0);
	while (ue_capture_next(capture, &event) == 1)
		is_found += event.length > 36 &&
			    !strncmp((const char *)event.bytes + 36, "/memfd:", 7) &&
			    !strncmp((const char *)event.bytes + 43, name, sizeof(name) - 1);
	assert_int_equal(is_found, 1);
	close(file);
	assert_int_equal(ue_capture_stack(capture, "*", 0), 0);
}

/* How many mappings are before the next event, which ends this; -1 if there is none. */
static int count_mappings(struct ue_capture *from, int pid)
{
	struct ue_captured event;
	int count = 0, result;

	while ((result = ue_capture_next(from, &event)) == 1 &&
	       !strcmp(event.definition, UE__MAPPING_EVENT))
		count += !pid || event.pid == pid;
	return result == 1 ? count : -1;
}

static void another_asker_gets_mappings(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++) {
		assert_int_equal(ue_capture_stack(capture, "*", 32), 0);
		assert_int_equal(call_from_here(write_small), 0);
		assert_int_equal(call_from_here(write_small), 0);
		assert_true(count_mappings(capture, getpid()) > 2);
		assert_int_equal(count_mappings(capture, getpid()), 0);
	}
	assert_int_equal(ue_capture_stack(capture, "*", 0), 0);
}

/* A ring of the least size, to which events of 1000 bytes are written. */

static struct ue_event wide = UE_EVENT_INIT(wide, "stack_wide char[1000] bytes");

static int open_ring(int *own, uint32_t mode)
{
	const struct ue_ring_opts opts = {
		.size = sizeof(opts), .bytes = UE_RING_BYTES_LEAST, .mode = mode,
	};
	struct ue_open_opts how = { .size = sizeof(how), .flags = UE_OPEN_FD };
	const int ring = ue_ring_create(NULL, &opts);

	how.fd = ring;
	*own = ue_open(&how);
	assert_true(*own >= 0);
	assert_int_equal(ue_register(*own, &wide), 0);
	return ring;
}

static void close_ring(int ring, int own)
{
	assert_int_equal(ue_unregister(&wide), 0);
	ue_close(own);
	close(ring);
}

static void another_reader_gets_mappings(void **state)
{
	struct ue_capture *reader;
	int own;
	const int ring = open_ring(&own, UE_RING_DROP);

	(void)state;
	assert_int_equal(ue_ring_stack(ring, "*", 32), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(ue_capture_open_ring(ring, UE_CAPTURE_TAKE, &reader), 0);
		assert_int_equal(ue_write(own, &wide, large, 1000), 0);
		assert_true(count_mappings(reader, 0) > 2);
		assert_int_equal(count_mappings(reader, 0), -1);
		ue_capture_close(reader);
	}
	close_ring(ring, own);
}

static void a_full_ring_only_puts_descriptions_off(void **state)
{
	struct ue_capture *reader;
	struct ue_captured event;
	int own;
	const int ring = open_ring(&own, UE_RING_DROP);

	(void)state;
	assert_int_equal(ue_capture_open_ring(ring, UE_CAPTURE_TAKE, &reader), 0);
	while (!ue_write(own, &wide, large, 1000))
		;
	assert_int_equal(ue_ring_stack(ring, "*", 32), 0);
	for (int i = 0; i < 10; i++)
		assert_int_equal(ue_write(own, &wide, large, 1000), -ENOBUFS);
	while (ue_capture_next(reader, &event) == 1)
		;
	assert_int_equal(ue_write(own, &wide, large, 1000), 0);
	assert_true(count_mappings(reader, 0) > 2);
	ue_capture_close(reader);
	close_ring(ring, own);
}

/* Counts. Descriptions are in none, whatever becomes of them. */

static uint64_t count_written(int own, uint32_t wanted)
{
	uint64_t written = 0;

	for (uint32_t i = 0; i < wanted; i++)
		written += !ue_write(own, &wide, large, 1000);
	return written;
}

static void expect_counts(struct ue_capture *reader, uint64_t events)
{
	struct ue_capture_counts counts;

	ue_capture_count(reader, &counts);
	assert_int_equal(counts.registered, 1);
	assert_int_equal(counts.events + counts.overwritten, events);
	assert_int_equal(counts.malformed, 0);
}

static void expect_info(int ring, uint64_t waiting, uint64_t overwritten)
{
	struct ue_ring_info info;

	assert_int_equal(ue_ring_info(ring, &info), 0);
	assert_int_equal(info.events, 1);
	assert_int_equal(info.enabled, 1);
	assert_int_equal(info.unread, waiting);
	assert_int_equal(info.overwritten, overwritten);
	assert_int_equal(info.cut_off, 0);
}

static int next_of_pages(struct ue_capture *reader, int is_by_page)
{
	struct ue_captured_page page;
	struct ue_captured event;

	return is_by_page ? ue_capture_next_page(reader, &page) :
			    ue_capture_next(reader, &event);
}

static void descriptions_are_not_counted_as_events(void **state)
{
	struct ue_capture *reader;
	int own;

	(void)state;
	for (int is_by_page = 0; is_by_page < 2; is_by_page++) {
		const int ring = open_ring(&own, UE_RING_DROP);

		assert_int_equal(ue_ring_stack(ring, "*", 32), 0);
		assert_int_equal(count_written(own, 20), 20);
		expect_info(ring, 20, 0);
		assert_int_equal(ue_capture_open_ring(ring, UE_CAPTURE_TAKE, &reader), 0);
		while (next_of_pages(reader, is_by_page) == 1)
			;
		expect_counts(reader, 20);
		expect_info(ring, 0, 0);
		ue_capture_close(reader);
		close_ring(ring, own);
	}
}

static void overwritten_descriptions_are_not_counted(void **state)
{
	struct ue_capture *reader;
	struct ue_ring_info info;
	int own;

	(void)state;
	for (int is_by_page = 0; is_by_page < 2; is_by_page++) {
		const int ring = open_ring(&own, UE_RING_OVERWRITE);

		assert_int_equal(ue_ring_stack(ring, "*", 32), 0);
		assert_int_equal(ue_capture_open_ring(ring, 0, &reader), 0);
		for (int i = 0; i < 50; i++) {
			assert_int_equal(count_written(own, i % 7 * 40), i % 7 * 40);
			while (next_of_pages(reader, is_by_page) == 1)
				;
		}
		expect_counts(reader, UINT64_C(147) * 40);
		assert_int_equal(ue_ring_info(ring, &info), 0);
		expect_info(ring, info.unread, UINT64_C(147) * 40 - info.unread);
		ue_capture_close(reader);
		close_ring(ring, own);
	}
}

/* Events that a full ring drops are counted in front of the next one. */
static void descriptions_are_not_lost(void **state)
{
	struct ue_capture *reader;
	struct ue_captured event;
	uint64_t lost = 0;
	int own;
	const int ring = open_ring(&own, UE_RING_DROP);

	(void)state;
	assert_int_equal(ue_ring_stack(ring, "*", 32), 0);
	assert_int_equal(ue_capture_open_ring(ring, UE_CAPTURE_TAKE, &reader), 0);
	while (!ue_write(own, &wide, large, 1000))
		;
	assert_int_equal(ue_ring_stack(ring, "*", 32), 0);
	assert_int_equal(count_written(own, 10), 0);
	for (int round = 0; round < 2; round++) {
		while (ue_capture_next(reader, &event) == 1)
			lost += event.lost;
		assert_int_equal(count_written(own, 1), 1);
	}
	while (ue_capture_next(reader, &event) == 1)
		lost += event.lost;
	assert_int_equal(lost, 11);
	ue_capture_close(reader);
	close_ring(ring, own);
}

/* Threads and signal handlers */

static void *in_thread(void *nothing)
{
	(void)nothing;
	return (void *)(intptr_t)call_from_here(write_small);
}

static void threads_have_stacks_of_their_own(void **state)
{
	struct ue_captured event;
	pthread_t thread;

	(void)state;
	assert_int_equal(ue_capture_stack(capture, "*", ASKED), 0);
	for (int i = 0; i < 20; i++) {
		assert_int_equal(pthread_create(&thread, NULL, in_thread, NULL), 0);
		assert_int_equal(pthread_join(thread, NULL), 0);
		assert_int_equal(next_event(&event), 1);
		expect_stack(&event);
	}
	assert_int_equal(ue_capture_stack(capture, "*", 0), 0);
}

static void *cancelled(void *nothing)
{
	pthread_cancel(pthread_self());
	return call_from_here(write_small) ? NULL : nothing;
}

static int lowest_descriptor(void)
{
	const int fd = dup(0);

	close(fd);
	return fd;
}

/* The first stack of a process reads its mappings, which the child has not written yet. */
static int write_cancelled(void)
{
	const int before = lowest_descriptor();
	pthread_t thread;
	void *result;

	if (pthread_create(&thread, NULL, cancelled, &session) ||
	    pthread_join(thread, &result) || lowest_descriptor() != before)
		return 1;
	return result != &session;
}

static void a_write_is_no_cancellation_point(void **state)
{
	struct ue_captured event;
	int status;

	(void)state;
	assert_int_equal(ue_capture_stack(capture, "*", ASKED), 0);
	if (!fork())
		_exit(write_cancelled());
	wait(&status);
	assert_int_equal(status, 0);
	assert_int_equal(next_event(&event), 1);
	assert_true(event.frames >= 1);
	assert_int_equal(next_event(&event), 0);
	assert_int_equal(ue_capture_stack(capture, "*", 0), 0);
}

static void on_signal(int number)
{
	(void)number;
	if (call_from_here(write_small))
		_exit(1);
}

/* The first and last pages fault. */
static int write_on_small_stack(void)
{
	char *memory = mmap(NULL, 4 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const stack_t stack = { .ss_sp = memory + 4096, .ss_size = 8192 };
	const struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };

	return memory == MAP_FAILED || mprotect(memory + 4096, 8192, PROT_READ | PROT_WRITE) ||
	       sigaltstack(&stack, NULL) || sigaction(SIGUSR1, &action, NULL) || raise(SIGUSR1);
}

/* The child has described nothing yet. */
static void a_small_alternate_stack_is_enough(void **state)
{
	struct ue_captured event;
	int status;

	(void)state;
	assert_int_equal(ue_capture_stack(capture, "*", ASKED), 0);
	if (!fork())
		_exit(write_on_small_stack());
	wait(&status);
	assert_int_equal(status, 0);
	assert_int_equal(ue_capture_next(capture, &event), 1);
	assert_string_equal(event.definition, UE__MAPPING_EVENT);
	assert_int_equal(next_event(&event), 1);
	assert_true(event.frames >= 1);
	assert_int_equal(ue_capture_stack(capture, "*", 0), 0);
}

/*
 * The bytes of stack that a write takes, below the frame of the function that calls it:
 * the first one of a process, which describes its code, and a later one. doc/lifetime.md
 * promises that they are no more than this.
 */
#ifdef SANITIZED
#define STACK_MOST (32 << 10)
#elif defined(__OPTIMIZE__)
#define STACK_MOST 5632
#else
#define STACK_MOST 7168
#endif
#define PAINTED (64 << 10)
#define PAINT 0xa5

static char *painted;
static int (*measured)(void);

static void on_painted_stack(int number)
{
	char *here_now = __builtin_frame_address(0);
	size_t lowest = 0;
	volatile char *bytes = painted;

	(void)number;
	for (int round = 0; round < 2; round++) {
		for (char *at = painted; at < here_now - 1024; at++)
			*(volatile char *)at = (char)PAINT;
		if (measured())
			_exit(1);
		for (lowest = 0; bytes[lowest] == (char)PAINT;)
			lowest++;
		if (here_now - (painted + lowest) > STACK_MOST)
			_exit((int)((here_now - (painted + lowest)) / 128));
	}
}

static int measure_stack(void)
{
	const stack_t stack = { .ss_sp = painted, .ss_size = PAINTED };
	const struct sigaction action = { .sa_handler = on_painted_stack,
					  .sa_flags = SA_ONSTACK };

	return sigaltstack(&stack, NULL) || sigaction(SIGUSR1, &action, NULL) ||
	       raise(SIGUSR1);
}

static void a_write_takes_little_of_the_stack(void **state)
{
	int status;

	(void)state;
	painted = mmap(NULL, PAINTED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);
	assert_true(painted != MAP_FAILED);
	assert_int_equal(ue_capture_stack(capture, "*", ASKED), 0);
	for (size_t i = 0; i < WRITERS; i++) {
		measured = writers[i];
		if (!fork())
			_exit(measure_stack());
		wait(&status);
		if (status) /* units of 128 bytes */
			print_message("writer %zu: %d bytes\n", i,
				      WEXITSTATUS(status) * 128);
		assert_int_equal(status, 0);
	}
	while (ue_capture_skip(capture) > 0)
		;
	munmap(painted, PAINTED);
	assert_int_equal(ue_capture_stack(capture, "*", 0), 0);
}

static void *write_all(void *nothing)
{
	for (size_t i = 0; i < WRITERS; i++)
		if (writers[i]())
			return (void *)writers;
	return nothing;
}

#ifdef SANITIZED
#define LEAST ((size_t)PTHREAD_STACK_MIN + STACK_MOST)
#else
#define LEAST ((size_t)PTHREAD_STACK_MIN)
#endif

/* A page behind it faults. */
static int write_in_least_thread(void)
{
	pthread_attr_t attributes;
	pthread_t thread;
	void *result;

	pthread_attr_init(&attributes);
	if (pthread_attr_setstacksize(&attributes, LEAST) ||
	    pthread_attr_setguardsize(&attributes, 4096) ||
	    pthread_create(&thread, &attributes, write_all, NULL) ||
	    pthread_join(thread, &result))
		return 1;
	return result != NULL;
}

static void the_least_stack_of_a_thread_is_enough(void **state)
{
	int status;

	(void)state;
	assert_int_equal(ue_capture_stack(capture, "*", ASKED), 0);
	if (!fork())
		_exit(write_in_least_thread());
	wait(&status);
	assert_int_equal(status, 0);
	assert_int_equal(ue_capture_skip(capture), WRITERS);
	assert_int_equal(ue_capture_stack(capture, "*", 0), 0);
}

/* process_vm_readv(2) is forbidden. */
static int forbid(void)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { 4, rules };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void a_sandbox_leaves_the_caller(void **state)
{
	struct ue_captured event;
	int status;

	(void)state;
	assert_int_equal(ue_capture_stack(capture, "*", 32), 0);
	if (!fork())
		_exit(forbid() ? 77 : call_from_here(write_small) ? 1 : 0);
	wait(&status);
	assert_true(status == 0 || WEXITSTATUS(status) == 77);
	if (!status) {
		assert_int_equal(next_event(&event), 1);
		assert_int_equal(event.frames, 1);
		assert_int_equal(event.is_stack_cut, 1);
		assert_true(is_in(event.stack[0], &__executable_start, &etext));
	}
	assert_int_equal(ue_capture_stack(capture, "*", 0), 0);
}

/* A fork while the mappings are being described: the file with them is about to be closed. */

static int forks;

static void on_close(int number)
{
	(void)number;
	if (forks++)
		return;
	if (!fork())
		_exit(call_from_here(write_small) ? 1 : 0);
	wait(NULL);
}

static int write_and_fork(void)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_close, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { 4, rules };
	const struct sigaction action = { .sa_handler = on_close, .sa_flags = SA_NODEFER };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || sigaction(SIGSYS, &action, NULL) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return 77;
	return call_from_here(write_small) || !forks;
}

static void a_child_of_a_description_describes_itself(void **state)
{
	struct ue_captured event;
	int status, child, pid = 0, mappings = 0, events = 0;

	(void)state;
	assert_int_equal(ue_capture_stack(capture, "*", 32), 0);
	child = fork();
	if (!child)
		_exit(write_and_fork());
	waitpid(child, &status, 0);
	assert_true(status == 0 || WEXITSTATUS(status) == 77);
	while (!status && ue_capture_next(capture, &event) == 1)
		if (event.pid != child) {
			assert_true(!pid || event.pid == pid);
			pid = event.pid;
			events += strcmp(event.definition, UE__MAPPING_EVENT) != 0;
			mappings += !strcmp(event.definition, UE__MAPPING_EVENT);
		}
	assert_true(status || (events == 1 && mappings > 2));
	assert_int_equal(ue_capture_stack(capture, "*", 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_chain_is_followed_to_its_end),
		cmocka_unit_test(a_chain_that_goes_round_ends),
		cmocka_unit_test(any_number_may_be_a_frame_pointer),
		cmocka_unit_test(an_address_of_zero_ends_a_stack),
		cmocka_unit_test(memory_may_end_anywhere),
		cmocka_unit_test(stacks_are_written_if_asked_for),
		cmocka_unit_test(other_events_have_none),
		cmocka_unit_test(payloads_are_the_same),
		cmocka_unit_test(wrong_numbers_are_refused),
		cmocka_unit_test(rules_are_listed),
		cmocka_unit_test(registered_events_are_listed),
		cmocka_unit_test(each_process_has_a_number_of_its_own),
		cmocka_unit_test(pages_have_stacks),
		cmocka_unit_test(mappings_have_the_functions),
		cmocka_unit_test(paths_have_any_character),
		cmocka_unit_test(another_asker_gets_mappings),
		cmocka_unit_test(another_reader_gets_mappings),
		cmocka_unit_test(a_full_ring_only_puts_descriptions_off),
		cmocka_unit_test(descriptions_are_not_counted_as_events),
		cmocka_unit_test(overwritten_descriptions_are_not_counted),
		cmocka_unit_test(descriptions_are_not_lost),
		cmocka_unit_test(threads_have_stacks_of_their_own),
		cmocka_unit_test(a_write_is_no_cancellation_point),
		cmocka_unit_test(a_small_alternate_stack_is_enough),
		cmocka_unit_test(a_write_takes_little_of_the_stack),
		cmocka_unit_test(the_least_stack_of_a_thread_is_enough),
		cmocka_unit_test(a_sandbox_leaves_the_caller),
		cmocka_unit_test(a_child_of_a_description_describes_itself),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
