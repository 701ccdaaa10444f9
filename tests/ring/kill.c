/* SPDX-License-Identifier: MIT */
/*
 * kill [COUNT]: processes die at random points, COUNT of them, are stopped, and threads are
 * cancelled. Everything that was committed is read, nothing false, and others go on.
 */
#include "load.h"

#include <sched.h>

#define STEADY 0xffffu

static struct shared {
	uint64_t committed; /* by the process that is killed, so far */
	uint32_t steady_written;
	uint32_t is_over;
} *shared;

static struct ue__ring_writer writer;

/* It counts its events behind each commit. */
static void write_until_killed(uint32_t who)
{
	uint32_t random = who;

	for (uint64_t i = 0;; i++) {
		must(!load_put(&writer, who, i, load_size(&random)));
		__atomic_store_n(&shared->committed, i + 1, __ATOMIC_RELEASE);
	}
}

static pid_t start(void (*body)(uint32_t), uint32_t who)
{
	const pid_t child = fork();

	must(child >= 0);
	if (child)
		return child;
	ue__ring_attach_child(&writer, -1, 1);
	must(writer.owner != UE__RING_NOBODY);
	body(who);
	_exit(0);
}

static void write_steadily(uint32_t who)
{
	uint32_t number = 0;

	while (!__atomic_load_n(&shared->is_over, __ATOMIC_ACQUIRE)) {
		must(!load_put(&writer, who, number, 24 + number % 200));
		number++;
		if (number % 64 == 0)
			usleep(100);
	}
	shared->steady_written = number;
}

/* Reading: the numbers of each writer come one after the other. */

struct expected {
	uint32_t who;
	uint64_t next, steady;
};

static int read_one(struct ue__ring_reader *reader, struct expected *expected)
{
	struct ue__ring_event event;
	struct load_header header;

	if (ue__ring_reader_next(reader, &event) != 1)
		return 0;
	must(load_check(&event, &header));
	must(event.lost == 0);
	if (header.who == STEADY) {
		must(header.number == expected->steady++);
	} else {
		must(header.who == expected->who);
		must(header.number == expected->next++);
	}
	return 1;
}

/* Stopped anywhere, it holds up nobody: the other process is read. */
static void stop_for_a_while(struct ue__ring_reader *reader, struct expected *expected,
			     pid_t child)
{
	uint64_t enough;

	kill(child, SIGSTOP);
	must(waitpid(child, NULL, WUNTRACED) == child);
	while (read_one(reader, expected))
		;
	enough = expected->steady + 10;
	while (expected->steady < enough)
		read_one(reader, expected);
	kill(child, SIGCONT);
}

/* The last event may have been committed and not counted. */
static void kill_one(struct ue__ring_reader *reader, struct expected *expected,
		     uint32_t *random)
{
	const uint32_t wait = load_random(random) % 1500;
	const struct timespec time = { 0, wait * 1000 };
	pid_t child;

	expected->who++;
	expected->next = shared->committed = 0;
	child = start(write_until_killed, expected->who);
	for (uint32_t i = 0; i < wait / 4; i++)
		read_one(reader, expected);
	nanosleep(&time, NULL);
	if (wait % 8 == 0)
		stop_for_a_while(reader, expected, child);
	kill(child, SIGKILL);
	while (waitpid(child, NULL, WNOHANG) != child)
		read_one(reader, expected);
	for (uint32_t i = 0; i < 1000000 && expected->next < shared->committed; i++)
		read_one(reader, expected);
	must(expected->next == shared->committed || expected->next == shared->committed + 1);
	while (expected->next == shared->committed && read_one(reader, expected))
		;
}

static void kills(uint32_t count)
{
	const int fd = load_make(UE__RING_WAIT, 1 << 20);
	struct ue__ring_reader reader;
	struct expected expected = { 0 };
	uint32_t random = count;
	pid_t steady;

	must(!ue__ring_attach(&writer, fd, -1));
	must(!ue__ring_reader_begin(&reader, fd, 1));
	steady = start(write_steadily, STEADY);
	for (uint32_t i = 0; i < count; i++)
		kill_one(&reader, &expected, &random);
	__atomic_store_n(&shared->is_over, 1, __ATOMIC_RELEASE);
	while (waitpid(steady, NULL, WNOHANG) != steady)
		read_one(&reader, &expected);
	while (read_one(&reader, &expected))
		;
	load_result("everything_committed_before_a_kill_is_read", !reader.malformed);
	load_result("another_process_loses_nothing",
		    expected.steady > 0 && expected.steady == shared->steady_written);
	usleep(60000);
	must(!read_one(&reader, &expected));
	for (uint32_t i = 0; i < reader.memory.page_count; i++)
		must(!reader.memory.states[i]);
	load_result("the_dead_leave_no_page", 1);
	printf("# %u cut off\n", (unsigned)reader.memory.ring->lost[UE__RING_CUT_OFF]);
	ue__ring_detach(&writer);
	ue__ring_reader_end(&reader);
	close(fd);
}

/* Stopping */

/* The child stops between two stages of a record, and goes on when it is continued. */
static int stop_stage;

static void stop_in_a_record(uint32_t who)
{
	struct ue__ring_place place;
	char bytes[32];

	load_fill(bytes, who, 0, sizeof(bytes));
	must(!ue__ring_reserve(&writer, sizeof(bytes), &place));
	if (stop_stage == 0)
		raise(SIGSTOP);
	ue__ring_begin(&writer, &place, sizeof(bytes));
	if (stop_stage == 1)
		raise(SIGSTOP);
	memcpy(place.record->bytes, bytes, sizeof(bytes));
	if (stop_stage == 2)
		raise(SIGSTOP);
	ue__ring_commit(&place, sizeof(bytes));
}

static void stop_at(int stage)
{
	static const char *const names[] = { "others_pass_a_record_that_is_reserved",
		"others_pass_a_record_that_is_begun", "others_pass_a_record_that_is_filled" };
	const int fd = load_make(UE__RING_DROP, UE__RING_LEAST);
	struct ue__ring_reader reader;
	struct expected expected = { .who = 1 };
	int status;
	pid_t child;

	must(!ue__ring_attach(&writer, fd, -1));
	must(!ue__ring_reader_begin(&reader, fd, 1));
	stop_stage = stage;
	child = start(stop_in_a_record, 1);
	must(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status));
	for (uint32_t i = 0; i < 20000; i++) {
		must(!load_put(&writer, STEADY, i, 24 + i % 100));
		must(read_one(&reader, &expected));
	}
	must(expected.next == 0);
	kill(child, SIGCONT);
	must(waitpid(child, &status, 0) == child && !status);
	load_result(names[stage], read_one(&reader, &expected) && expected.next == 1);
	ue__ring_detach(&writer);
	ue__ring_reader_end(&reader);
	close(fd);
}

/* Cancelling: the thread ends wherever it is, and leaves its record. */

/* Far fewer than the ring has room for, however late the thread is cancelled. */
#define MOST_WRITTEN 100000

static void *write_until_cancelled(void *argument)
{
	uint32_t *who = argument;

	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	for (uint64_t i = 0; i < MOST_WRITTEN; i++)
		load_put(&writer, *who, i, 40);
	for (;;)
		pause();
	return NULL;
}

static void cancels(uint32_t count)
{
	const int fd = load_make(UE__RING_DROP, 64 << 20);
	struct ue__ring_reader reader;
	struct expected expected = { 0 };

	must(!ue__ring_attach(&writer, fd, -1));
	must(!ue__ring_reader_begin(&reader, fd, 1));
	for (uint32_t i = 0; i < count; i++) {
		const struct timespec time = { 0, 1000 * (i % 200) };
		pthread_t thread;

		expected.who = i + 1;
		expected.next = 0;
		must(!pthread_create(&thread, NULL, write_until_cancelled, &expected.who));
		nanosleep(&time, NULL);
		pthread_cancel(thread);
		must(!pthread_join(thread, NULL));
		while (read_one(&reader, &expected))
			;
		must(!load_put(&writer, STEADY, i, 30));
		while (read_one(&reader, &expected))
			;
		must(expected.steady == i + 1);
	}
	load_result("a_process_goes_on_without_a_cancelled_thread", !reader.malformed);
	ue__ring_detach(&writer);
	ue__ring_reader_end(&reader);
	close(fd);
}

int main(int argc, char **argv)
{
	const uint32_t count = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 300;

	shared = load_shared(sizeof(*shared));
	kills(count);
	for (int stage = 0; stage < 3; stage++)
		stop_at(stage);
	cancels(count < 300 ? count : 300);
	return load_end();
}
