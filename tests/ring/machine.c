/* SPDX-License-Identifier: MIT */
/*
 * Rings on machines of many processors with many processes: nothing is held by who does
 * nothing. The processors are simulated: sysconf() answers their number, and the number
 * of the processor is read from a variable of the thread in the place of rseq(2).
 */
#define _GNU_SOURCE
#include "test.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ring/events.h"
#include "ring/read/ring_reader.h"
#include "made_ring.h"

#define KIB 1024u
#define MIB (1024u * KIB)

/* The seam */

static long processors;
static __thread struct {
	uint32_t start, number;
} processor;

long __real_sysconf(int name);
long __wrap_sysconf(int name);

long __wrap_sysconf(int name)
{
	return name == _SC_NPROCESSORS_CONF ? processors : __real_sysconf(name);
}

static void move_to(uint32_t number)
{
	processor.number = number;
	ue__ring_rseq = (char *)&processor - (char *)__builtin_thread_pointer();
}

/* Rings */

#define IDLE 0u
#define BUSY 1u

static int put(struct ue__ring_writer *writer, uint32_t who, uint32_t count)
{
	const uint32_t payload[] = { 7, who, count };

	return ue__ring_put(writer, (const char *)payload, sizeof(payload));
}

/* A reader */

struct reading {
	struct ue__ring_reader reader;
	pthread_t thread;
	int has_reader, is_over;
	uint32_t found[2]; /* events of each kind */
	uint32_t passes;   /* that found nothing */
	uint32_t next;	   /* number of the busy process's next event */
	int is_in_order;
};

static void note(struct reading *reading, const struct ue__ring_event *event)
{
	uint32_t numbers[2];

	memcpy(numbers, event->payload, sizeof(numbers));
	__atomic_fetch_add(&reading->found[numbers[0]], 1, __ATOMIC_RELAXED);
	if (numbers[0] != BUSY)
		return;
	reading->is_in_order &= numbers[1] == reading->next;
	reading->next = numbers[1] + 1;
}

static void read_all(struct reading *reading)
{
	struct ue__ring_event event;

	while (ue__ring_reader_next(&reading->reader, &event) == 1)
		note(reading, &event);
	__atomic_fetch_add(&reading->passes, 1, __ATOMIC_RELEASE);
}

static void *read_on(void *argument)
{
	struct reading *reading = argument;

	while (!__atomic_load_n(&reading->is_over, __ATOMIC_ACQUIRE)) {
		read_all(reading);
		ue__ring_sleep(&reading->reader, 1);
	}
	read_all(reading);
	return NULL;
}

static struct reading *begin_reading(int fd, int is_at_once)
{
	struct reading *reading = calloc(1, sizeof(*reading));

	reading->is_in_order = 1;
	assert_int_equal(ue__ring_reader_begin(&reading->reader, fd, 1), 0);
	reading->has_reader = is_at_once;
	if (is_at_once)
		assert_int_equal(pthread_create(&reading->thread, NULL, read_on, reading),
				 0);
	return reading;
}

static void wait_for_a_pass(struct reading *reading)
{
	const uint32_t before = __atomic_load_n(&reading->passes, __ATOMIC_ACQUIRE);

	while (__atomic_load_n(&reading->passes, __ATOMIC_ACQUIRE) - before < 3)
		usleep(100);
}

static void finish_reading(struct reading *reading)
{
	__atomic_store_n(&reading->is_over, 1, __ATOMIC_RELEASE);
	if (reading->has_reader)
		pthread_join(reading->thread, NULL);
	else
		read_all(reading);
}

static void end_reading(struct reading *reading)
{
	ue__ring_reader_end(&reading->reader);
	free(reading);
}

/* Idle processes */

#define PROCESSES_MOST 1000

struct crowd {
	uint32_t count;
	struct ue__ring_writer *writers[PROCESSES_MOST];
	uint32_t written;
};

static void gather(struct crowd *crowd, int fd, uint32_t count)
{
	crowd->count = count;
	crowd->written = 0;
	for (uint32_t i = 0; i < count; i++) {
		crowd->writers[i] = attach(fd);
		for (uint32_t on = 0; on < processors; on++) {
			move_to(on);
			crowd->written += !put(crowd->writers[i], IDLE, i);
		}
	}
}

static void disperse(struct crowd *crowd)
{
	for (uint32_t i = 0; i < crowd->count; i++)
		detach(crowd->writers[i]);
}

#define EVENTS 10000u

struct scene {
	uint32_t mode, size, count;
	int has_reader;
};

/* A busy process then loses nothing, and with a reader that waits nobody else does. */
static void play(const struct scene *scene)
{
	static struct crowd crowd;
	const int fd = make_ring(scene->mode, scene->size);
	struct reading *reading = begin_reading(fd, scene->has_reader);
	struct ue__ring_writer *busy;

	gather(&crowd, fd, scene->count);
	if (scene->has_reader)
		wait_for_a_pass(reading);
	busy = attach(fd);
	move_to(0);
	for (uint32_t i = 0; i < EVENTS; i++)
		assert_int_equal(put(busy, BUSY, i), 0);
	finish_reading(reading);
	assert_int_equal(reading->found[BUSY], EVENTS);
	assert_true(reading->is_in_order);
	assert_int_equal(reading->found[IDLE] + ue__ring_missed(&reading->reader),
			 crowd.written);
	if (scene->mode == UE__RING_WAIT)
		assert_int_equal(crowd.written, crowd.count * processors);
	end_reading(reading);
	detach(busy);
	disperse(&crowd);
	close(fd);
}

static void play_on(long count, const struct scene *scene)
{
	processors = count;
	play(scene);
}

static void idle_processes_hold_nothing(uint32_t mode, int has_reader)
{
	const struct scene scene = { mode, 16 * MIB, PROCESSES_MOST, has_reader };

	play_on(1, &scene);
	play_on(16, &scene);
	play_on(64, &scene);
	play_on(256, &scene);
}

static void idle_processes_hold_nothing_of_a_ring_that_drops(void **state)
{
	(void)state;
	idle_processes_hold_nothing(UE__RING_DROP, 1);
}

static void idle_processes_leave_room_where_nobody_reads(void **state)
{
	(void)state;
	idle_processes_hold_nothing(UE__RING_DROP, 0);
}

static void idle_processes_keep_nobody_waiting(void **state)
{
	(void)state;
	idle_processes_hold_nothing(UE__RING_WAIT, 1);
}

static void idle_processes_hold_nothing_of_a_ring_that_overwrites(void **state)
{
	(void)state;
	idle_processes_hold_nothing(UE__RING_OVERWRITE, 0);
}

/* doc/ring.md and doc/collect.md promise these numbers. */
static void small_rings_have_room_for_as_many_as_they_say(void **state)
{
	const struct scene least = { UE__RING_WAIT, 256 * KIB, 60, 1 };
	const struct scene of_collector = { UE__RING_DROP, 4 * MIB, 255, 1 };

	(void)state;
	play_on(2, &least);
	play_on(64, &least);
	play_on(2, &of_collector);
	play_on(256, &of_collector);
}

/* Threads of one process, each on a processor of its own */

#define EACH 4u

static uint32_t write_everywhere(struct ue__ring_writer *writer)
{
	uint32_t written = 0;

	for (uint32_t i = 0; i < EACH; i++)
		for (uint32_t on = 0; on < processors; on++) {
			move_to(on);
			written += !put(writer, IDLE, on);
		}
	return written;
}

static void more_processors_than_pages(uint32_t mode)
{
	const int fd = make_ring(mode, 256 * KIB);
	struct reading *reading = begin_reading(fd, 0);
	struct ue__ring_writer *writer = attach(fd);

	processors = 256;
	detach(writer);
	writer = attach(fd);
	assert_int_equal(write_everywhere(writer), EACH * processors);
	finish_reading(reading);
	assert_int_equal(reading->found[IDLE] + ue__ring_missed(&reading->reader),
			 EACH * processors);
	if (mode == UE__RING_DROP)
		assert_int_equal(reading->found[IDLE], EACH * processors);
	end_reading(reading);
	detach(writer);
	close(fd);
}

static void each_of_more_processors_than_pages_writes(void **state)
{
	(void)state;
	more_processors_than_pages(UE__RING_DROP);
	more_processors_than_pages(UE__RING_OVERWRITE);
}

/* Real threads, each on a processor of its own */

#define THREADS 256u

struct writing {
	struct ue__ring_writer *writer;
	uint32_t number, count, lost;
	pthread_t thread;
};

static void *write_on_one(void *argument)
{
	struct writing *writing = argument;

	move_to(writing->number);
	for (uint32_t i = 0; i < writing->count; i++)
		writing->lost += !!put(writing->writer, writing->number, i);
	return NULL;
}

static uint32_t write_on_all(struct ue__ring_writer *writer, uint32_t count)
{
	static struct writing all[THREADS];
	uint32_t lost = 0;

	for (uint32_t i = 0; i < THREADS; i++) {
		all[i] = (struct writing){ .writer = writer, .number = i, .count = count };
		assert_int_equal(
			pthread_create(&all[i].thread, NULL, write_on_one, &all[i]), 0);
	}
	for (uint32_t i = 0; i < THREADS; i++) {
		pthread_join(all[i].thread, NULL);
		lost += all[i].lost;
	}
	return lost;
}

struct arrived {
	struct ue__ring_reader reader;
	pthread_t thread;
	uint32_t next[THREADS], events, wanted;
	int is_in_order;
};

/* Each thread's events come once, and in their order. */
static void arrive(struct arrived *arrived)
{
	struct ue__ring_event event;
	uint32_t numbers[2];

	while (ue__ring_reader_next(&arrived->reader, &event) == 1) {
		memcpy(numbers, event.payload, sizeof(numbers));
		numbers[0] %= THREADS;
		arrived->is_in_order &= numbers[1] >= arrived->next[numbers[0]];
		arrived->next[numbers[0]] = numbers[1] + 1;
		arrived->events++;
	}
}

static void *arrive_all(void *argument)
{
	struct arrived *arrived = argument;

	while (arrived->events < arrived->wanted) {
		arrive(arrived);
		ue__ring_sleep(&arrived->reader, 1);
	}
	return NULL;
}

static void threads_write(uint32_t mode, uint32_t count)
{
	struct arrived *arrived = calloc(1, sizeof(*arrived));
	const int fd = make_ring(mode, 256 * KIB);
	struct ue__ring_writer *writer;
	uint32_t lost;

	processors = THREADS;
	writer = attach(fd);
	arrived->is_in_order = 1;
	arrived->wanted = mode == UE__RING_WAIT ? THREADS * count : 0;
	assert_int_equal(ue__ring_reader_begin(&arrived->reader, fd, 1), 0);
	assert_int_equal(pthread_create(&arrived->thread, NULL, arrive_all, arrived), 0);
	lost = write_on_all(writer, count);
	pthread_join(arrived->thread, NULL);
	arrive(arrived);
	assert_true(arrived->is_in_order);
	assert_int_equal(lost, 0);
	assert_int_equal(arrived->events + ue__ring_missed(&arrived->reader),
			 THREADS * count);
	assert_int_equal(!ue__ring_missed(&arrived->reader), mode != UE__RING_OVERWRITE);
	ue__ring_reader_end(&arrived->reader);
	free(arrived);
	detach(writer);
	close(fd);
}

static void each_of_256_threads_on_256_processors_writes(void **state)
{
	(void)state;
	threads_write(UE__RING_DROP, EACH);
	threads_write(UE__RING_WAIT, 100);
	threads_write(UE__RING_OVERWRITE, 100);
}

/* sysconf() may answer less than there are in the end. */
static void a_processor_that_came_later_writes(void **state)
{
	const int fd = make_ring(UE__RING_DROP, 256 * KIB);
	struct reading *reading = begin_reading(fd, 0);
	struct ue__ring_writer *writer;

	(void)state;
	processors = 2;
	writer = attach(fd);
	for (uint32_t on = 0; on < 300; on++) {
		move_to(on);
		assert_int_equal(put(writer, BUSY, on), 0);
	}
	finish_reading(reading);
	assert_int_equal(reading->found[BUSY], 300);
	end_reading(reading);
	detach(writer);
	close(fd);
}

/* Real processes, all alive at once */

static _Noreturn void live(int fd, uint32_t number, int ready, int go)
{
	static struct ue__ring_writer writer;
	char byte = 0;
	int is_right = !ue__ring_attach(&writer, fd, -1);

	for (uint32_t i = 0; is_right && i < EACH; i++)
		is_right = !put(&writer, IDLE, number);
	if (write(ready, &byte, 1) != 1 || read(go, &byte, 1))
		is_right = 0;
	_exit(!is_right);
}

static void many_processes_write(void **state)
{
	const int fd = make_ring(UE__RING_DROP, 16 * MIB);
	struct reading *reading = begin_reading(fd, 0);
	int ready[2], go[2], status;
	char byte;

	(void)state;
	processors = 2;
	assert_int_equal(pipe(ready) || pipe(go), 0);
	for (uint32_t i = 0; i < PROCESSES_MOST; i++) {
		const pid_t child = fork();

		assert_true(child >= 0);
		if (!child) {
			close(go[1]);
			live(fd, i, ready[1], go[0]);
		}
	}
	for (uint32_t i = 0; i < PROCESSES_MOST; i++)
		assert_int_equal(read(ready[0], &byte, 1), 1);
	close(go[1]); /* they end */
	for (uint32_t i = 0; i < PROCESSES_MOST; i++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	finish_reading(reading);
	assert_int_equal(reading->found[IDLE], PROCESSES_MOST * EACH);
	end_reading(reading);
	for (int i = 0; i < 2; i++)
		close(ready[i]);
	close(go[0]);
	close(fd);
}

/* Short processes */

static void live_briefly(int fd, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct ue__ring_writer *writer = attach(fd);

		move_to(i % (uint32_t)processors);
		assert_int_equal(put(writer, IDLE, i), 0);
		detach(writer);
	}
}

static void short_processes_take_little_room(void **state)
{
	const int fd = make_ring(UE__RING_OVERWRITE, 16 * MIB);
	struct reading *reading = begin_reading(fd, 0);

	(void)state;
	processors = 16;
	live_briefly(fd, 2000);
	read_all(reading);
	assert_int_equal(reading->found[IDLE], 2000);
	assert_int_equal(ue__ring_missed(&reading->reader), 0);
	end_reading(reading);
	live_briefly(fd, 98000);
	reading = begin_reading(fd, 0);
	read_all(reading);
	assert_true(reading->found[IDLE] >= 10000);
	end_reading(reading);
	close(fd);
}

/* The same with real processes, which takes some minutes. */
static void short_processes_are_kept(void **state)
{
	const int fd = make_ring(UE__RING_OVERWRITE, 16 * MIB);
	struct reading *reading;

	(void)state;
	for (uint32_t i = 0; i < 100000; i++) {
		const pid_t child = fork();
		int status;

		if (!child) {
			live_briefly(fd, 1);
			_exit(0);
		}
		assert_true(waitpid(child, &status, 0) == child && !status);
	}
	reading = begin_reading(fd, 0);
	read_all(reading);
	assert_true(reading->found[IDLE] >= 10000);
	end_reading(reading);
	close(fd);
}

static int has_event(int fd, uint32_t count)
{
	struct ue__ring_reader *reader = malloc(sizeof(*reader));
	struct ue__ring_event event;
	uint32_t numbers[2], found = 0;

	assert_int_equal(ue__ring_reader_begin(reader, fd, 0), 0);
	while (ue__ring_reader_next(reader, &event) == 1) {
		memcpy(numbers, event.payload, sizeof(numbers));
		found += numbers[0] == IDLE && numbers[1] == count;
	}
	ue__ring_reader_end(reader);
	free(reader);
	return found == 1;
}

/*
 * What a process writes now and then, four times a round, is not overwritten while half a
 * round of older events is there: its page is closed in time.
 */
static void a_slow_process_keeps_its_latest(void **state)
{
	const int fd = make_ring(UE__RING_OVERWRITE, 256 * KIB);
	const uint32_t room = UE__RING_LARGE - (uint32_t)sizeof(struct ue__ring_page);
	struct ue__ring_writer *slow, *busy;
	uint32_t round;

	(void)state;
	processors = 1;
	move_to(0);
	slow = attach(fd);
	busy = attach(fd);
	round = room / ue__ring_record_size(12) * ue__ring_count_of(&slow->memory, 1);
	for (uint32_t i = 0; i < 80; i++) {
		/* It fills a small page, so that it goes on in a large one. */
		for (uint32_t n = 0; n < (i % 16 ? 0 : 20); n++)
			assert_int_equal(put(slow, BUSY, n), 0);
		assert_int_equal(put(slow, IDLE, 100 + i), 0);
		for (uint32_t n = 0; n < round / 4; n++)
			assert_int_equal(put(busy, BUSY, n), 0);
		assert_true(has_event(fd, 100 + i));
	}
	detach(slow);
	detach(busy);
	close(fd);
}

/* Sizes */

/* All that the largest table has, each with an entry and a bit of its own. */
static void a_ring_has_65536_events(void **state)
{
	const int fd = make_ring(UE__RING_DROP, 64 * MIB);
	struct ue__ring_writer *writer = attach(fd);
	const struct ue__ring_memory *memory = &writer->memory;
	struct ue__ring_definition found;
	char text[32];
	uint32_t i;

	(void)state;
	assert_int_equal(memory->event_count, UE__RING_EVENTS_MOST);
	assert_int_equal(ue__ring_add_rule(memory, '+', "e6553?"), 0);
	for (i = 0; i < UE__RING_EVENTS_MOST; i++) {
		const int length = sprintf(text, "e%u u32 a", i);

		assert_int_equal(ue__ring_define(memory, text, (uint32_t)length - 6, 0),
				 (int)i);
	}
	assert_int_equal(ue__ring_define(memory, "more u32 a", 4, 0), -EMFILE);
	assert_int_equal(ue__ring_define(memory, "e0 u32 a", 2, 0), 0);
	assert_int_equal(ue__ring_definition(memory, i - 1, &found), 0);
	assert_string_equal(found.text, "e65535 u32 a");
	for (i = 0; i < UE__RING_EVENTS_MOST; i++)
		assert_int_equal(memory->enabled[i / 8] >> i % 8 & 1, i >= 65530);
	detach(writer);
	close(fd);
}

static void expect_at_the_end(struct ue__ring_writer *writer, uint32_t place,
			      uint32_t size)
{
	const struct ue__ring_memory *memory = &writer->memory;
	const char *page =
		(const char *)ue__ring_page_of(writer, writer->on[0].current);

	assert_int_equal(place, ue__ring_place_of(memory, memory->page_count - 1) >>
					UE__RING_UNIT_SHIFT);
	assert_true(page + size <= (const char *)memory->ring + memory->size);
	assert_true(page + 2 * size > (const char *)memory->ring + memory->size);
}

/* The file is sparse. Its last page is opened, written, read, and freed. */
static void the_largest_ring_is_used_to_its_end(void **state)
{
	static char bytes[UE__RING_LARGE / 2];
	const uint32_t payload[] = { 7, BUSY, 0 };
	struct ue__ring_writer *writer;
	struct reading *reading;
	uint32_t last;
	int fd;

	(void)state;
	if (sizeof(size_t) < 8)
		skip(); /* it cannot be mapped */
	processors = 1;
	move_to(0);
	fd = make_ring(UE__RING_DROP, UE__RING_MOST);
	reading = begin_reading(fd, 0);
	writer = attach(fd);
	last = writer->memory.page_count - 1;
	writer->memory.ring->opened[1] = ue__ring_count_of(&writer->memory, 1) - 2;
	memcpy(bytes, payload, sizeof(payload));
	assert_int_equal(ue__ring_put(writer, bytes, sizeof(bytes)), 0);
	assert_true(writer->memory.states[last] != 0);
	expect_at_the_end(writer, (uint32_t)writer->on[0].current & UE__RING_PLACE,
			  UE__RING_LARGE);
	detach(writer);
	read_all(reading);
	assert_int_equal(reading->found[BUSY], 1);
	assert_true(reading->reader.memory.states[last] == 0);
	end_reading(reading);
	close(fd);
}

/* The document */

static const char *document;

static int has_line(FILE *file, const char *wanted)
{
	char line[512];
	int is_found = 0;

	rewind(file);
	while (!is_found && fgets(line, sizeof(line), file))
		is_found = !strncmp(line, wanted, strlen(wanted));
	return is_found;
}

/* The room of a page for records of one integer. */
static uint32_t events_in(uint32_t page)
{
	return (page - (uint32_t)sizeof(struct ue__ring_page)) / ue__ring_record_size(8);
}

static const char *grouped(uint32_t number, char *text)
{
	if (number >= 1000000)
		sprintf(text, "%u,%03u,%03u", number / 1000000, number / 1000 % 1000,
			number % 1000);
	else if (number >= 1000)
		sprintf(text, "%u,%03u", number / 1000, number % 1000);
	else
		sprintf(text, "%u", number);
	return text;
}

static void expect_row(FILE *file, const char *name, uint32_t size)
{
	const int fd = make_ring(UE__RING_DROP, size);
	struct ue__ring_memory memory;
	uint32_t small, large;
	char row[256], of[4][16];

	assert_int_equal(ue__ring_map(&memory, fd), 0);
	small = ue__ring_count_of(&memory, 0);
	large = ue__ring_count_of(&memory, 1);
	snprintf(row, sizeof(row), "| %s | %s | %s | %s | %s |\n", name,
		 grouped(memory.slot_count, of[0]), grouped(small, of[1]),
		 grouped(large, of[2]),
		 grouped(small * events_in(UE__RING_SMALL) +
				 large * events_in(UE__RING_LARGE),
			 of[3]));
	if (!has_line(file, row))
		fail_msg("doc/ring.md lacks the row %s", row);
	ue__ring_unmap(&memory);
	close(fd);
}

static void the_document_says_how_much_for_how_many(void **state)
{
	FILE *file = fopen(document, "r");

	(void)state;
	assert_non_null(file);
	expect_row(file, "256 KiB, the least", 256 * KIB);
	expect_row(file, "4 MiB, of a collector", 4 * MIB);
	expect_row(file, "16 MiB, the default", 16 * MIB);
	expect_row(file, "64 MiB, of `run`", 64 * MIB);
	fclose(file);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(idle_processes_hold_nothing_of_a_ring_that_drops),
		cmocka_unit_test(idle_processes_leave_room_where_nobody_reads),
		cmocka_unit_test(idle_processes_keep_nobody_waiting),
		cmocka_unit_test(idle_processes_hold_nothing_of_a_ring_that_overwrites),
		cmocka_unit_test(small_rings_have_room_for_as_many_as_they_say),
		cmocka_unit_test(each_of_more_processors_than_pages_writes),
		cmocka_unit_test(each_of_256_threads_on_256_processors_writes),
		cmocka_unit_test(a_processor_that_came_later_writes),
		cmocka_unit_test(short_processes_take_little_room),
		cmocka_unit_test(many_processes_write),
		cmocka_unit_test(a_slow_process_keeps_its_latest),
		cmocka_unit_test(a_ring_has_65536_events),
		cmocka_unit_test(the_largest_ring_is_used_to_its_end),
		cmocka_unit_test(the_document_says_how_much_for_how_many),
		cmocka_unit_test(short_processes_are_kept), /* the last */
	};
	const size_t count =
		sizeof(tests) / sizeof(tests[0]) - (getenv("UE_TEST_FULL") ? 0 : 1);
	const struct rlimit files = { 4096, 4096 };

	if (argc != 2)
		return 2;
	document = argv[1];
	setrlimit(RLIMIT_NOFILE, &files);
	return _cmocka_run_group_tests("tests", tests, count, NULL, NULL);
}
