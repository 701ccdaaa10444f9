/* SPDX-License-Identifier: MIT */
/*
 * storm [EACH [drop|wait|overwrite]]: threads, processes and signal handlers write to one ring, EACH events a
 * writer, in one mode or each. Every event is counted, and its bytes are checked.
 */
#include "load.h"

#include <sys/time.h>

#define THREADS 4
#define CHILDREN 2
#define PROCESSES (1 + CHILDREN)
#define WRITERS (THREADS + CHILDREN + PROCESSES) /* the handler of each process, too */
#define HANDLER(process) (THREADS + CHILDREN + (process))
#define MOST 200000u /* of a writer */

/* Smaller records have no room for a header. */
#define SMALL 6u

enum fate { UNUSED, WRITTEN, DROPPED };

static struct shared {
	uint8_t fates[WRITERS][MOST], was_read[WRITERS][MOST];
	uint32_t small_written, small_dropped;
	uint64_t unreported; /* losses since the last page */
	uint32_t ended;
} *shared;

static struct ue__ring_writer writer;
static uint32_t each = 20000, process;
static int is_waiting_mode;

static void note(uint32_t who, uint32_t number, int result)
{
	must(result == 0 || (result == -ENOBUFS && !is_waiting_mode));
	__atomic_store_n(&shared->fates[who][number], result ? DROPPED : WRITTEN,
			 __ATOMIC_RELAXED);
}

static void put_small(uint32_t size)
{
	char bytes[LOAD_HEADER];
	const uint32_t index = SMALL;
	int result;

	memset(bytes, (int)size, sizeof(bytes));
	memcpy(bytes, &index, sizeof(index));
	result = ue__ring_put(&writer, bytes, size);
	must(result == 0 || (result == -ENOBUFS && !is_waiting_mode));
	__atomic_fetch_add(result ? &shared->small_dropped : &shared->small_written, 1,
			   __ATOMIC_RELAXED);
}

static void write_some(uint32_t who)
{
	uint32_t random = who;

	for (uint32_t i = 0; i < each; i++) {
		note(who, i, load_put(&writer, who, i, load_size(&random)));
		if (i % 16 == 0)
			put_small(LOAD_LEAST + i / 16 % (LOAD_HEADER - LOAD_LEAST));
	}
}

/* An event has its fate when the handler returns, at the latest. */
static void on_alarm(int signal)
{
	static uint32_t count;
	const uint32_t number = __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);

	(void)signal;
	if (number < MOST)
		note(HANDLER(process), number,
		     load_put(&writer, HANDLER(process), number, 24 + number % 300));
}

static void start_alarms(void)
{
	const struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
	const struct itimerval each_time = { { 0, 300 }, { 0, 300 } };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &each_time, NULL);
}

static void stop_alarms(void)
{
	const struct itimerval never = { { 0, 0 }, { 0, 0 } };

	setitimer(ITIMER_REAL, &never, NULL);
	signal(SIGALRM, SIG_IGN);
}

static void end_writing(void)
{
	uint64_t lost = 0;

	for (uint32_t i = 0; i < UE__RING_CPUS; i++)
		lost += writer.on[i].lost;
	__atomic_fetch_add(&shared->unreported, lost, __ATOMIC_RELAXED);
	__atomic_fetch_add(&shared->ended, 1, __ATOMIC_RELEASE);
}

static void *run_thread(void *argument)
{
	sigset_t alarms;

	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
	write_some((uint32_t)(uintptr_t)argument);
	pthread_sigmask(SIG_BLOCK, &alarms, NULL);
	return NULL;
}

static pid_t start_child(uint32_t number)
{
	const pid_t child = fork();

	must(child >= 0);
	if (child)
		return child;
	process = number;
	ue__ring_attach_child(&writer, -1, 1);
	must(writer.owner != UE__RING_NOBODY);
	start_alarms();
	write_some(THREADS + number - 1);
	stop_alarms();
	end_writing();
	if (number % 2) /* the other one leaves its slot to whoever finds it */
		ue__ring_detach(&writer);
	_exit(0);
}

static void *run_threads(void *argument)
{
	pthread_t threads[THREADS];

	start_alarms();
	for (uintptr_t i = 0; i < THREADS; i++)
		must(!pthread_create(&threads[i], NULL, run_thread, (void *)i));
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	stop_alarms();
	end_writing();
	return argument;
}

/* Reading */

struct found {
	uint64_t read, small, lost;
};

static void take(const struct ue__ring_event *event, struct found *found)
{
	struct load_header header;

	found->lost += event->lost;
	if (event->index == SMALL) {
		for (uint32_t i = 0; i < event->length; i++)
			must(event->payload[i] == (char)(event->length + 4));
		found->small++;
		return;
	}
	must(load_check(event, &header));
	must(header.who < WRITERS && header.number < MOST);
	/* Its writer may be interrupted before it notes the fate: that is compared at the end. */
	must(!shared->was_read[header.who][header.number]);
	shared->was_read[header.who][header.number] = 1;
	found->read++;
}

/* ThreadSanitizer compares addresses, so both look at one mapping. */
static struct found read_all(struct ue__ring_reader *reader)
{
	const struct ue__ring_memory own = reader->memory;
	struct ue__ring_event event;
	struct found found = { 0 };
	int has_ended = 0;

	reader->memory = writer.memory;
	for (;;) {
		if (ue__ring_reader_next(reader, &event) == 1) {
			take(&event, &found);
			continue;
		}
		if (has_ended)
			break;
		has_ended = __atomic_load_n(&shared->ended, __ATOMIC_ACQUIRE) == PROCESSES;
		if (!has_ended)
			ue__ring_sleep(reader, 100);
	}
	must(ue__ring_missed(reader) == 0 || reader->memory.mode == UE__RING_OVERWRITE);
	reader->memory = own;
	return found;
}

static uint64_t count_fates(enum fate fate)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < WRITERS; i++)
		for (uint32_t j = 0; j < MOST; j++)
			count += shared->fates[i][j] == fate;
	return count;
}

static int is_all_true(void)
{
	for (uint32_t i = 0; i < WRITERS; i++)
		for (uint32_t j = 0; j < MOST; j++)
			if (shared->was_read[i][j] && shared->fates[i][j] != WRITTEN)
				return 0;
	return 1;
}

/* Pages of the dead are free after the next burial. */
static int are_all_free(struct ue__ring_reader *reader)
{
	struct ue__ring_event event;

	usleep(60000);
	if (ue__ring_reader_next(reader, &event))
		return 0;
	for (uint32_t i = 0; i < reader->memory.page_count; i++)
		if (reader->memory.states[i])
			return 0;
	return 1;
}

static void judge(struct ue__ring_reader *reader, const struct found *found, uint32_t mode)
{
	const uint64_t dropped = count_fates(DROPPED);
	const uint64_t unread = count_fates(WRITTEN) + shared->small_written - found->read -
				found->small;

	printf("# %llu read, %llu unread, %llu missed, %llu dropped, %u malformed\n",
	       (unsigned long long)(found->read + found->small), (unsigned long long)unread,
	       (unsigned long long)ue__ring_missed(reader),
	       (unsigned long long)(dropped + shared->small_dropped),
	       (unsigned)reader->malformed);
	load_result("the_memory_is_sound", !reader->malformed);
	load_result("what_was_read_was_written", is_all_true());
	if (mode == UE__RING_OVERWRITE)
		load_result("read_and_missed_are_what_was_written",
			    ue__ring_missed(reader) == unread);
	else
		load_result("everything_written_was_read", unread == 0);
	load_result("losses_are_reported_or_still_counted",
		    found->lost + shared->unreported <= dropped + shared->small_dropped &&
		    (mode == UE__RING_OVERWRITE ||
		     found->lost + shared->unreported == dropped + shared->small_dropped));
	load_result(mode == UE__RING_WAIT ? "nothing_is_dropped" : "some_things_may_be_dropped",
		    mode != UE__RING_WAIT || dropped + shared->small_dropped == 0);
}

static void storm(uint32_t mode)
{
	const int fd = load_make(mode, UE__RING_LEAST);
	struct ue__ring_reader reader;
	struct found found;
	pid_t children[CHILDREN];
	pthread_t threads;
	int status;

	shared = load_shared(sizeof(*shared));
	is_waiting_mode = mode == UE__RING_WAIT;
	must(!ue__ring_attach(&writer, fd, -1));
	must(!ue__ring_reader_begin(&reader, fd, 1));
	for (uint32_t i = 0; i < CHILDREN; i++)
		children[i] = start_child(i + 1);
	must(!pthread_create(&threads, NULL, run_threads, NULL));
	found = read_all(&reader);
	pthread_join(threads, NULL);
	for (int i = 0; i < CHILDREN; i++)
		must(waitpid(children[i], &status, 0) == children[i] && !status);
	judge(&reader, &found, mode);
	ue__ring_detach(&writer);
	if (mode != UE__RING_OVERWRITE)
		load_result("all_pages_are_free", are_all_free(&reader));
	ue__ring_reader_end(&reader);
	close(fd);
	munmap(shared, sizeof(*shared));
}

int main(int argc, char **argv)
{
	static const char *const modes[] = { "", "drop", "wait", "overwrite" };
	sigset_t alarms;

	if (argc > 1)
		each = (uint32_t)strtoul(argv[1], NULL, 10);
	must(each <= MOST);
	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarms, NULL);
	for (uint32_t mode = UE__RING_DROP; mode <= UE__RING_OVERWRITE; mode++)
		if (argc < 3 || !strcmp(argv[2], modes[mode]))
			storm(mode);
	return load_end();
}
