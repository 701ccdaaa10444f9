/* SPDX-License-Identifier: MIT */
/* Rings that lie, and writers and readers that stop at a bad moment. */
#define _GNU_SOURCE
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ring/events.h"
#include "ring/read/ring_reader.h"
#include "made_ring.h"

static struct ue__ring_reader *begin_reading(int fd, int is_consumer)
{
	struct ue__ring_reader *reader = malloc(sizeof(*reader));

	assert_int_equal(ue__ring_reader_begin(reader, fd, is_consumer), 0);
	return reader;
}

static void end_reading(struct ue__ring_reader *reader)
{
	ue__ring_reader_end(reader);
	free(reader);
}

static int is_over;

struct payload {
	uint32_t index, who, count;
	char more[240];
};

static int put(struct ue__ring_writer *writer, uint32_t who, uint32_t count)
{
	struct payload payload = { .index = 7, .who = who, .count = count };

	return ue__ring_put(writer, (char *)&payload, sizeof(payload));
}

/* Records of one large page, if nothing else is in it. */
#define PER_PAGE ((UE__RING_LARGE - sizeof(struct ue__ring_page)) / \
		  (sizeof(struct ue__ring_record) + sizeof(struct payload)))

/* 1 and the event's numbers; 0 at the end; -1 for an event that put() did not write. */
static int look(struct ue__ring_reader *reader, uint32_t *who, uint32_t *count)
{
	struct ue__ring_event event;
	struct payload payload;

	if (ue__ring_reader_next(reader, &event) != 1)
		return 0;
	if (event.index != 7 || event.length != sizeof(payload) - 4)
		return -1;
	memcpy(&payload.who, event.payload, sizeof(payload) - 4);
	*who = payload.who;
	*count = payload.count;
	return *who ? 1 : -1;
}

static int next(struct ue__ring_reader *reader, uint32_t *who, uint32_t *count)
{
	const int result = look(reader, who, count);

	assert_true(result >= 0);
	return result;
}

/* Tables */

static void no_event_bit_is_in_another_table(void **state)
{
	/* The first size whose bits end a few bits behind the end of a memory page. */
	const uint32_t events = 32772;
	const int fd = make_ring(UE__RING_DROP, (uint64_t)events << 10);
	struct ue__ring_writer *writer = attach(fd);
	const struct ue__ring_memory *memory = &writer->memory;
	const uint32_t id = memory->slots[0].id;
	char definition[32];

	(void)state;
	assert_int_equal(memory->event_count, events);
	assert_int_equal(ue__ring_add_rule(memory, '+', "*"), 0);
	for (uint32_t i = 0; i < events; i++) {
		snprintf(definition, sizeof(definition), "e%u u32 a", i);
		assert_int_equal(ue__ring_define(memory, definition,
						 (uint32_t)strcspn(definition, " "), 0), i);
	}
	assert_int_equal(memory->slots[0].id, id);
	assert_int_equal(memory->enabled[(events - 1) / 8] >> (events - 1) % 8 & 1, 1);
	assert_true(&memory->enabled[(events - 1) / 8] < memory->stacks);
	assert_int_equal(ue__ring_add_rule(memory, 's', "*"), 0);
	assert_int_equal(memory->slots[0].id, id);
	assert_int_equal(memory->stacks[(events - 1) / 8] >> (events - 1) % 8 & 1, 1);
	assert_true((char *)&memory->stacks[(events - 1) / 8] < (char *)memory->slots);
	detach(writer);
	close(fd);
}

/* Writers that are stopped, or die */

static void a_page_with_a_record_in_the_making_stays(void **state)
{
	const int fd = make_ring(UE__RING_OVERWRITE, UE__RING_LEAST);
	struct ue__ring_writer *writer = attach(fd);
	struct ue__ring_reader *reader = begin_reading(fd, 0);
	const struct payload payload = { .index = 7, .who = 2 };
	struct ue__ring_place place;
	uint32_t who = 0, count, found = 0;
	uint32_t page = 0;
	uint64_t before;

	(void)state;
	for (uint32_t i = 0; i < PER_PAGE / 2; i++) /* the first page is a small one */
		assert_int_equal(put(writer, 1, i), 0);
	assert_int_equal(ue__ring_reserve(writer, sizeof(payload), &place), 0);
	while (ue__ring_page(&writer->memory, page) != place.page)
		page++;
	assert_true(ue__ring_is_large(&writer->memory, page));
	before = writer->memory.states[page];
	/* As a signal handler may do. */
	for (uint32_t i = 0; i < 100 * PER_PAGE; i++)
		assert_int_equal(put(writer, 1, i), 0);
	assert_int_equal(writer->memory.states[page], before);
	ue__ring_begin(writer, &place, sizeof(payload));
	memcpy(place.record->bytes, &payload, sizeof(payload));
	ue__ring_commit(&place, sizeof(payload));
	while (next(reader, &who, &count))
		found += who == 2;
	assert_int_equal(found, 1);
	end_reading(reader);
	detach(writer);
	close(fd);
}

/*
 * A signal handler forks in the middle of a write. The parent finishes the record, and the page
 * is used again. Then the child returns into the write.
 */
static void a_fork_amid_a_write_leaves_the_record_to_the_parent(void **state)
{
	const int fd = make_ring(UE__RING_DROP, UE__RING_LEAST);
	struct ue__ring_writer *writer = attach(fd);
	struct ue__ring_reader *reader = begin_reading(fd, 1);
	const struct payload payload = { .index = 7, .who = 2 }, late = { .index = 8 };
	struct ue__ring_place place;
	uint32_t who = 0, count, found[4] = { 0 };
	int status, ends[2];
	pid_t child;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	assert_int_equal(ue__ring_reserve(writer, sizeof(payload), &place), 0);
	ue__ring_begin(writer, &place, sizeof(payload));
	child = fork();
	if (!child) {
		int failed;

		ue__ring_attach_child(writer, -1, 1);
		failed = close(ends[1]) || put(writer, 3, 0) ||
			 write(ends[0], "", 1) != 1 || read(ends[0], &count, 1) != 1;
		memcpy(place.record->bytes, &late, sizeof(late));
		ue__ring_commit(&place, sizeof(late));
		_exit(failed);
	}
	assert_int_equal(read(ends[1], &count, 1), 1);
	memcpy(place.record->bytes, &payload, sizeof(payload));
	ue__ring_commit(&place, sizeof(payload));
	/* Twice, so that the page is used again. */
	for (unsigned i = 0; i < 2; i++) {
		while (next(reader, &who, &count))
			found[who]++;
		while (!put(writer, 1, 0))
			;
	}
	assert_int_equal(write(ends[1], "", 1), 1);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	while (next(reader, &who, &count))
		found[who]++;
	assert_int_equal(found[2], 1);
	assert_int_equal(found[3], 1);
	end_reading(reader);
	detach(writer);
	close(ends[0]);
	close(ends[1]);
	close(fd);
}

static void the_newest_are_not_overwritten(void **state)
{
	const int fd = make_ring(UE__RING_OVERWRITE, UE__RING_LEAST);
	struct ue__ring_writer *writer = attach(fd), *idle[2] = { attach(fd), attach(fd) };
	const uint32_t pages = ue__ring_count_of(&writer->memory, 1),
		       total = 100 * PER_PAGE;
	struct ue__ring_reader *reader;
	uint32_t who, count, first = 0, found = 0;

	(void)state;
	assert_int_equal(put(idle[0], 2, 0), 0);
	assert_int_equal(put(idle[1], 2, 0), 0);
	for (uint32_t i = 0; i < total; i++)
		assert_int_equal(put(writer, 1, i), 0);
	reader = begin_reading(fd, 0);
	while (next(reader, &who, &count)) {
		if (who == 2)
			continue;
		if (!found++)
			first = count;
		assert_int_equal(count, first + found - 1);
	}
	assert_int_equal(first + found, total);
	assert_true(found > (pages - 4) * PER_PAGE);
	end_reading(reader);
	detach(idle[0]);
	detach(idle[1]);
	detach(writer);
	close(fd);
}

#define IDLE 8

/* All pages are open, by processes that stopped amid a record of each. */
static void hold_all(int fd, struct ue__ring_writer **idle)
{
	struct ue__ring_place place;
	uint32_t held = 0;

	for (unsigned i = 0; i < IDLE; i++)
		idle[i] = attach(fd);
	do
		for (unsigned i = 0; i < UE__RING_CPUS; i++)
			idle[held % IDLE]->on[i].current = UE__RING_NO_PAGE;
	while (!ue__ring_reserve(idle[held++ % IDLE], 40, &place));
	assert_int_equal(held, idle[0]->memory.page_count + 1);
}

/* As with the process. */
static void drop_lock(struct ue__ring_writer *writer)
{
	close(writer->lock_fd);
	munmap(writer->pin, (size_t)sysconf(_SC_PAGESIZE));
}

static void pages_of_those_who_end_are_found(void **state)
{
	const int fd = make_ring(UE__RING_OVERWRITE, UE__RING_LEAST);
	struct ue__ring_writer *writer = attach(fd), *idle[IDLE];

	(void)state;
	hold_all(fd, idle);
	assert_int_equal(put(writer, 1, 0), -ENOBUFS);
	for (uint32_t i = 0; i < IDLE; i++)
		detach(idle[i]);
	assert_int_equal(put(writer, 1, 0), 0);
	detach(writer);
	close(fd);
}

static void pages_of_those_who_are_killed_are_found(void **state)
{
	const int fd = make_ring(UE__RING_OVERWRITE, UE__RING_LEAST);
	struct ue__ring_writer *writer = attach(fd), *idle[IDLE];
	int result = -ENOBUFS;

	(void)state;
	hold_all(fd, idle);
	assert_int_equal(put(writer, 1, 0), -ENOBUFS);
	for (uint32_t i = 0; i < IDLE; i++)
		drop_lock(idle[i]);
	for (uint32_t i = 0; result && i < 1000; i++)
		result = put(writer, 1, 0);
	assert_int_equal(result, 0);
	for (uint32_t i = 0; i < IDLE; i++) {
		ue__ring_unmap(&idle[i]->memory);
		free(idle[i]);
	}
	detach(writer);
	close(fd);
}

/* Counters that wrap */

static void any_count_of_freed_pages_will_do(void **state)
{
	const int fd = make_ring(UE__RING_DROP, UE__RING_LEAST);
	struct ue__ring_writer *writer = attach(fd);

	(void)state;
	writer->memory.ring->freed = UINT32_MAX;
	assert_int_equal(put(writer, 1, 0), 0);
	detach(writer);
	close(fd);
}

static void page_numbers_wrap(void **state)
{
	const int fd = make_ring(UE__RING_DROP, UE__RING_LEAST);
	struct ue__ring_writer *writer = attach(fd);
	struct ue__ring_reader *reader;
	uint32_t who, count, written = 0, found = 0;

	(void)state;
	writer->memory.ring->opened[0] = writer->memory.ring->opened[1] = UINT32_MAX - 4;
	while (!put(writer, 1, written))
		written++;
	assert_true(written > (ue__ring_count_of(&writer->memory, 1) - 1) * PER_PAGE);
	reader = begin_reading(fd, 1);
	while (next(reader, &who, &count))
		found++;
	assert_int_equal(found, written);
	end_reading(reader);
	detach(writer);
	close(fd);
}

/* Readers that die, are several, or may not write */

static int is_zero(const struct ue__ring_memory *memory, uint32_t index)
{
	const char *page = (char *)ue__ring_page(memory, index);

	for (uint32_t i = 0; i < ue__ring_size_of(memory, index); i++)
		if (page[i])
			return 0;
	return 1;
}

/* A page that has records, but no number yet, or no longer. */
static void leave_half_wiped(const struct ue__ring_memory *memory, uint32_t index,
			     uint64_t owner)
{
	struct ue__ring_page *page = ue__ring_page(memory, index);

	memset(page + 1, 0x5a, ue__ring_size_of(memory, index) - sizeof(*page));
	page->word = 0;
	memory->states[index] = owner;
}

static void pages_that_the_dead_began_or_freed_become_zeros(void **state)
{
	const int fd = make_ring(UE__RING_DROP, UE__RING_LEAST);
	struct ue__ring_writer *writer = attach(fd);
	const struct ue__ring_memory *memory = &writer->memory;
	struct ue__ring_reader *reader = begin_reading(fd, 1);
	uint32_t who, count;

	(void)state;
	leave_half_wiped(memory, 0, UE__RING_FREEING);
	leave_half_wiped(memory, 1, ue__ring_state(5, ue__ring_owner(60, 77)));
	memory->ring->opened[0] = 100;
	usleep(60000);
	assert_int_equal(next(reader, &who, &count), 0);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(memory->states[i], 0);
		assert_true(is_zero(memory, i));
	}
	end_reading(reader);
	detach(writer);
	close(fd);
}

static int open_again(int fd, int flags)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	fd = open(path, flags | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

static void a_descriptor_for_reading_alone_reads(void **state)
{
	const int fd = make_ring(UE__RING_OVERWRITE, UE__RING_LEAST);
	const int read_only = open_again(fd, O_RDONLY);
	struct ue__ring_writer *writer = attach(fd);
	struct ue__ring_reader *reader = begin_reading(read_only, 0);
	uint32_t who, count;

	(void)state;
	assert_int_equal(put(writer, 1, 3), 0);
	assert_int_equal(next(reader, &who, &count), 1);
	assert_int_equal(count, 3);
	ue__ring_sleep(reader, 1);
	assert_int_equal(next(reader, &who, &count), 0);
	end_reading(reader);
	detach(writer);
	close(read_only);
	close(fd);
}

static void a_descriptor_for_reading_alone_frees_nothing(void **state)
{
	const int fd = make_ring(UE__RING_DROP, UE__RING_LEAST);
	const int read_only = open_again(fd, O_RDONLY);
	struct ue__ring_reader reader;

	(void)state;
	assert_int_equal(ue__ring_reader_begin(&reader, read_only, 1), -EACCES);
	close(read_only);
	close(fd);
}

static void a_descriptor_for_reading_alone_writes_nothing(void **state)
{
	const int fd = make_ring(UE__RING_DROP, UE__RING_LEAST);
	const int read_only = open_again(fd, O_RDONLY);
	struct ue__ring_writer *writer = calloc(1, sizeof(*writer));

	(void)state;
	assert_non_null(writer);
	assert_int_equal(ue__ring_attach(writer, read_only, -1), -EACCES);
	free(writer);
	close(read_only);
	close(fd);
}

static void damaged_definitions_end(void **state)
{
	const int fd = make_ring(UE__RING_DROP, UE__RING_LEAST);
	struct ue__ring_writer *writer = attach(fd);
	struct ue__ring_memory *memory = &writer->memory;
	struct ue__ring_definition found;

	(void)state;
	assert_int_equal(ue__ring_define(memory, "one u32 a", 3, 0), 0);
	for (uint32_t i = 0; i < UE__RING_BUCKETS; i++)
		memory->buckets[i] = 1;
	memory->events[0].next = 1; /* the chain goes round */
	alarm(60);
	assert_int_equal(ue__ring_define(memory, "two u32 a", 3, 0), 1);
	alarm(0);
	memory->events[0].text = UINT32_MAX & ~7u;
	assert_int_equal(ue__ring_definition(memory, 0, &found), -ENOENT);
	detach(writer);
	close(fd);
}

static void a_full_ring_costs_its_reader_memory_for_a_while_alone(void **state)
{
	const int fd = make_ring(UE__RING_DROP, 4 << 20);
	struct ue__ring_writer *writer = attach(fd);
	struct ue__ring_reader *reader = begin_reading(fd, 1);
	const uint32_t index = 7;
	struct ue__ring_event event;
	size_t written = 0;

	(void)state;
	while (!ue__ring_put(writer, (const char *)&index, sizeof(index)))
		written++;
	assert_true(written > 100000);
	assert_int_equal(ue__ring_reader_next(reader, &event), 1);
	assert_true(reader->is_by_page || reader->found_count == written);
	assert_true(reader->found_size < (reader->is_by_page ? 1025 : written + 16384));
	while (ue__ring_reader_next(reader, &event))
		;
	assert_int_equal(reader->events, written);
	assert_true(reader->found_size <= 1024);
	end_reading(reader);
	detach(writer);
	close(fd);
}

static void no_reader_relies_on_being_woken(void **state)
{
	const int fd = make_ring(UE__RING_OVERWRITE, UE__RING_LEAST);
	struct ue__ring_reader *one = begin_reading(fd, 0), *other = begin_reading(fd, 0);
	int most;

	(void)state;
	most = ue__ring_fall_asleep(one, UE__RING_IN_FUTEX);
	ue__ring_wake_up(other); /* now no writer knows that the first one sleeps */
	assert_true(most > 0 && most <= 1000);
	end_reading(one);
	end_reading(other);
	close(fd);
}

/* In a child: 1 if all events up to the last one were written. */
static int watch_to(uint32_t last, int fd)
{
	struct ue__ring_reader *watcher = begin_reading(fd, 0);
	uint32_t who, count = 0;
	int result = 0;

	while (result >= 0 && count != last)
		result = look(watcher, &who, &count);
	return result > 0;
}

#define LAST 4000000u

static void a_second_reader_sees_no_page_being_freed(void **state)
{
	const int fd = make_ring(UE__RING_DROP, UE__RING_LEAST);
	struct ue__ring_writer *writer = attach(fd);
	struct ue__ring_reader *consumer = begin_reading(fd, 1);
	const pid_t child = fork();
	uint32_t who, count;
	int status;

	(void)state;
	if (!child) {
		alarm(300); /* if the parent fails */
		_exit(!watch_to(LAST, fd));
	}
	for (uint32_t i = 0; i < 40000 * PER_PAGE; i++) {
		put(writer, 1, i);
		while (i % PER_PAGE == 0 && next(consumer, &who, &count))
			;
	}
	while (next(consumer, &who, &count))
		;
	assert_int_equal(put(writer, 1, LAST), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	end_reading(consumer);
	detach(writer);
	close(fd);
}

/* Files */

/* Any change of a good file, and the result of mapping it. */
static int map_changed(size_t at, const void *bytes, size_t length, int64_t grow)
{
	const int fd = make_ring(UE__RING_DROP, UE__RING_LEAST);
	struct ue__ring_memory memory;
	int result;

	assert_int_equal(pwrite(fd, bytes, length, (off_t)at), length);
	assert_int_equal(ftruncate(fd, (off_t)(UE__RING_LEAST + grow)), 0);
	result = ue__ring_map(&memory, fd);
	if (!result)
		ue__ring_unmap(&memory);
	close(fd);
	return result;
}

#define CHANGED(member, value)                                                        \
	({                                                                            \
		const __typeof__(((struct ue__ring *)0)->member) changed = value;     \
		map_changed(offsetof(struct ue__ring, member), &changed, sizeof(changed), 0); \
	})

static void files_of_another_kind_are_refused(void **state)
{
	(void)state;
	assert_int_equal(map_changed(0, "", 0, 0), 0);
	assert_int_equal(map_changed(0, "UE_RINH", 8, 0), -ENOTTY);
	assert_int_equal(CHANGED(version, UE__RING_VERSION + 1), -EPROTONOSUPPORT);
	assert_int_equal(CHANGED(order, __builtin_bswap32(UE__RING_ORDER)), -EPROTONOSUPPORT);
}

static void damaged_headers_are_refused(void **state)
{
	(void)state;
	assert_int_equal(map_changed(0, "", 0, -4096), -EBADMSG);
	assert_int_equal(map_changed(0, "", 0, -1), -EBADMSG);
	assert_int_equal(map_changed(0, "", 0, 4096), -EBADMSG);
	assert_int_equal(map_changed(0, "", 0, 1), -EBADMSG);
	assert_int_equal(CHANGED(size, UE__RING_LEAST + 4096), -EBADMSG);
	assert_int_equal(CHANGED(mode, 0), -EBADMSG);
	assert_int_equal(CHANGED(mode, UE__RING_OVERWRITE + 1), -EBADMSG);
	assert_int_equal(CHANGED(clock, 0), -EBADMSG);
	assert_int_equal(CHANGED(clock, UE__RING_TSC + 1), -EBADMSG);
	assert_int_equal(CHANGED(slots, 65), -EBADMSG);
	assert_int_equal(CHANGED(threads, 257), -EBADMSG);
	assert_int_equal(CHANGED(events, 1025), -EBADMSG);
	assert_int_equal(CHANGED(texts, 65537), -EBADMSG);
	assert_int_equal(CHANGED(pages, 100), -EBADMSG);
	assert_int_equal(CHANGED(small_pages, 100), -EBADMSG);
	assert_int_equal(CHANGED(slots_at, 0), -EBADMSG);
	assert_int_equal(CHANGED(threads_at, UINT64_MAX), -EBADMSG);
	assert_int_equal(CHANGED(events_at, 64), -EBADMSG);
	assert_int_equal(CHANGED(texts_at, UE__RING_LEAST), -EBADMSG);
	assert_int_equal(CHANGED(enabled_at, UINT64_MAX - 8), -EBADMSG);
	assert_int_equal(CHANGED(states_at, 7), -EBADMSG);
	assert_int_equal(CHANGED(pages_at, UE__RING_LEAST - 4096), -EBADMSG);
}

static int map_only(int fd)
{
	struct ue__ring_memory memory;

	return ue__ring_map(&memory, fd);
}

static void what_is_no_file_is_refused(void **state)
{
	int empty = memfd_create("empty", MFD_CLOEXEC), zeros = memfd_create("zeros", MFD_CLOEXEC);
	int device = open("/dev/zero", O_RDWR | O_CLOEXEC), directory = open("/", O_RDONLY);
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(ftruncate(zeros, UE__RING_LEAST), 0);
	assert_int_equal(map_only(empty), -ENOTTY);
	assert_int_equal(map_only(zeros), -ENOTTY);
	assert_int_equal(map_only(device), -ENOTTY);
	assert_int_equal(map_only(directory), -ENOTTY);
	assert_int_equal(map_only(ends[0]), -ENOTTY);
	close(empty);
	assert_int_equal(map_only(empty), -EBADF);
	assert_false(ue__ring_is_one(zeros));
	close(zeros);
	close(device);
	close(directory);
	close(ends[0]);
	close(ends[1]);
}

static void no_ring_is_made_of_a_bad_plan(void **state)
{
	const struct ue__ring_plan plans[] = {
		{ .size = UE__RING_LEAST - 1, .mode = UE__RING_DROP },
		{ .size = UE__RING_MOST + 1, .mode = UE__RING_DROP },
		{ .size = UE__RING_LEAST, .mode = 0 },
		{ .size = UE__RING_LEAST, .mode = UE__RING_OVERWRITE + 1 },
	};
	const int fd = memfd_create("ring", MFD_CLOEXEC);

	(void)state;
	for (size_t i = 0; i < sizeof(plans) / sizeof(plans[0]); i++)
		assert_int_equal(ue__ring_format(fd, &plans[i], 1), -EINVAL);
	assert_int_equal(lseek(fd, 0, SEEK_END), 0);
	close(fd);
}

/* A memory that changes all the time */

static void *scribble(void *argument)
{
	const struct ue__ring_memory *memory = argument;
	uint64_t seed = 88172645463325252u;
	uint64_t *words = (uint64_t *)memory->ring;

	while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
		uint64_t value, at;

		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		at = seed >> 20;
		/* Half of them close to a writer's values. */
		value = seed & 1 ? seed : seed >> 40;
		if (seed & 2)
			__atomic_store_n(&words[at % (memory->size / 8)], value, __ATOMIC_RELAXED);
		else if (seed & 4)
			__atomic_store_n(&memory->states[at % memory->page_count],
					 (at % 8 + 1) << 32 | (value & 0x3fffff), __ATOMIC_RELAXED);
		else
			__atomic_store_n(&ue__ring_page(memory, at % memory->page_count)->word,
					 (at % 8 + 1) << 32 | (value & 0x8000ffff), __ATOMIC_RELAXED);
	}
	return NULL;
}

/* One round of programs and readers. Results may be anything. */
static void use(struct ue__ring_writer *writer, struct ue__ring_reader **readers)
{
	struct ue__ring_event event;
	struct ue__ring_definition found;
	char definition[32];

	for (uint32_t i = 0; i < 3 * PER_PAGE; i++)
		put(writer, 1, i);
	for (unsigned i = 0; i < 2; i++) {
		for (unsigned events = 0; events < 10000; events++)
			if (ue__ring_reader_next(readers[i], &event) != 1)
				break;
		ue__ring_fall_asleep(readers[i], UE__RING_IN_FUTEX);
		ue__ring_wake_up(readers[i]);
	}
	snprintf(definition, sizeof(definition), "e%d u32 a", rand() % 5000);
	ue__ring_define(&writer->memory, definition, (uint32_t)strcspn(definition, " "), 0);
	ue__ring_definition(&writer->memory, (uint32_t)rand() % 1024, &found);
}

static void scribbling_harms_its_own_ring_alone(void **state)
{
	/* In a ring that waits, a writer may wait for the reader, which is this thread. */
	static const uint32_t modes[] = { UE__RING_DROP, UE__RING_OVERWRITE };
	const int good_fd = make_ring(UE__RING_DROP, UE__RING_LEAST);
	struct ue__ring_writer *good = attach(good_fd);
	struct ue__ring_reader *good_reader = begin_reading(good_fd, 1);

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		const int fd = make_ring(modes[i], UE__RING_LEAST);
		struct ue__ring_writer *writer = attach(fd);
		struct ue__ring_reader *readers[2] = {
			begin_reading(fd, 1), begin_reading(fd, 0),
		};
		pthread_t thread;

		is_over = 0;
		assert_int_equal(pthread_create(&thread, NULL, scribble, &writer->memory), 0);
		for (uint32_t round = 0; round < 1000; round++) {
			uint32_t who, count;

			use(writer, readers);
			assert_int_equal(put(good, 3, round), 0);
			assert_int_equal(next(good_reader, &who, &count), 1);
			assert_int_equal(count, round);
		}
		__atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
		pthread_join(thread, NULL);
		end_reading(readers[0]);
		end_reading(readers[1]);
		detach(writer);
		close(fd);
	}
	end_reading(good_reader);
	detach(good);
	close(good_fd);
}

/* Its pages stay when its word is damaged, until it is dead. */
static struct ue__ring_writer *die_and_attach(struct ue__ring_writer *writer, int fd)
{
	drop_lock(writer);
	ue__ring_unmap(&writer->memory);
	free(writer);
	return attach(fd);
}

static void scribble_over_own(const struct ue__ring_writer *writer)
{
	const struct ue__ring_memory *memory = &writer->memory;

	for (uint32_t page = 0; page < memory->page_count; page++) {
		uint32_t *words = (uint32_t *)ue__ring_page(memory, page);

		if ((uint32_t)memory->states[page] !=
		    writer->owner)
			continue;
		for (unsigned i = 0; i < 200; i++)
			words[rand() % (ue__ring_size_of(memory, page) / 4)] =
				(uint32_t)rand() << 1 >> i % 32;
		words[rand() % (sizeof(struct ue__ring_page) / 4)] = (uint32_t)rand();
	}
}

/* The good writer's name is a number that scribbling hardly makes of the bad one's. */
static void scribbling_over_own_pages_harms_own_events_alone(void **state)
{
	const uint32_t good_who = 0x5a6b7c8d;
	const int fd = make_ring(UE__RING_DROP, UE__RING_LEAST);
	struct ue__ring_writer *good = attach(fd), *bad = attach(fd);
	struct ue__ring_reader *reader = begin_reading(fd, 1);
	struct ue__ring_event event;

	(void)state;
	srand(1);
	for (uint32_t round = 0; round < 1000; round++) {
		uint32_t found = 0;

		assert_int_equal(put(good, good_who, round), 0);
		put(bad, 9, round);
		scribble_over_own(bad);
		if (round % 4 == 3)
			bad = die_and_attach(bad, fd);
		while (ue__ring_reader_next(reader, &event) == 1) {
			struct payload payload = { 0 };

			if (event.length != sizeof(payload) - 4)
				continue;
			memcpy(&payload.who, event.payload, sizeof(payload) - 4);
			found += payload.who == good_who && payload.count == round;
		}
		assert_int_equal(found, 1);
	}
	assert_true(reader->malformed > 0);
	end_reading(reader);
	detach(bad);
	detach(good);
	close(fd);
}

/* Rounded up, it is as large as one with an index. What follows it in its page is not read. */
static void a_record_too_short_for_an_index_is_no_event(void **state)
{
	const uint32_t index = 7;

	(void)state;
	for (uint32_t size = 1; size < sizeof(index); size++) {
		const int fd = make_ring(UE__RING_DROP, UE__RING_LEAST);
		struct ue__ring_writer *writer = attach(fd);
		struct ue__ring_reader *reader = begin_reading(fd, 1);
		struct ue__ring_event event;
		struct ue__ring_place place;
		uint32_t found = 0;

		assert_int_equal(ue__ring_put(writer, (const char *)&index, sizeof(index)), 0);
		assert_int_equal(ue__ring_reserve(writer, sizeof(index), &place), 0);
		ue__ring_begin(writer, &place, sizeof(index));
		ue__ring_commit(&place, size);
		assert_int_equal(place.record->head & UE__RING_SIZE, size);
		while (ue__ring_reader_next(reader, &event) == 1) {
			assert_int_equal(event.index, index);
			assert_int_equal(event.length, 0);
			found++;
		}
		assert_int_equal(found, 1);
		assert_true(reader->malformed > 0);
		end_reading(reader);
		detach(writer);
		close(fd);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_event_bit_is_in_another_table),
		cmocka_unit_test(a_page_with_a_record_in_the_making_stays),
		cmocka_unit_test(a_fork_amid_a_write_leaves_the_record_to_the_parent),
		cmocka_unit_test(the_newest_are_not_overwritten),
		cmocka_unit_test(pages_of_those_who_end_are_found),
		cmocka_unit_test(pages_of_those_who_are_killed_are_found),
		cmocka_unit_test(any_count_of_freed_pages_will_do),
		cmocka_unit_test(page_numbers_wrap),
		cmocka_unit_test(pages_that_the_dead_began_or_freed_become_zeros),
		cmocka_unit_test(a_descriptor_for_reading_alone_reads),
		cmocka_unit_test(a_descriptor_for_reading_alone_frees_nothing),
		cmocka_unit_test(a_descriptor_for_reading_alone_writes_nothing),
		cmocka_unit_test(damaged_definitions_end),
		cmocka_unit_test(a_full_ring_costs_its_reader_memory_for_a_while_alone),
		cmocka_unit_test(no_reader_relies_on_being_woken),
		cmocka_unit_test(a_second_reader_sees_no_page_being_freed),
		cmocka_unit_test(files_of_another_kind_are_refused),
		cmocka_unit_test(damaged_headers_are_refused),
		cmocka_unit_test(what_is_no_file_is_refused),
		cmocka_unit_test(no_ring_is_made_of_a_bad_plan),
		cmocka_unit_test(scribbling_harms_its_own_ring_alone),
		cmocka_unit_test(scribbling_over_own_pages_harms_own_events_alone),
		cmocka_unit_test(a_record_too_short_for_an_index_is_no_event),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
