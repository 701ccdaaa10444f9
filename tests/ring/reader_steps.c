/* SPDX-License-Identifier: MIT */
/*
 * reader_steps: a process takes events out of a ring, one instruction after the other
 * (ptrace(2)). At each 13th instruction (each, with UE_TEST_FULL) the ring is copied, as if
 * the process had been killed there, and another reader and another writer go on with the
 * copy. What one of the readers was handed is what was written, and only what the first
 * one had in hand was handed to both. Nothing here depends on time.
 */
#include "step.h"

#include "ring/ring_lock.h"

/* Two fill a small page, two a large one; the last page stays open. */
#define SMALL 196u
#define LARGE 4096u
#define SMALL_EVENTS 2u
#define EVENTS 9u
/* Those of a page. */
#define IN_HAND 2u

#define MORE 1000u

static struct shared {
	uint32_t handed_out[EVENTS];
	uint32_t is_over;
} *shared;

static int put(struct ue__ring_writer *writer, uint32_t number)
{
	uint32_t payload[LARGE / 4 + 1] = { 7, number };
	const uint32_t size = number < SMALL_EVENTS ? SMALL : LARGE;

	return ue__ring_put(writer, (const char *)payload, size + 4);
}

static uint32_t number_of(const void *payload)
{
	uint32_t number;

	memcpy(&number, payload, sizeof(number));
	must(number < EVENTS);
	return number;
}

/* Readers */

/* The reader that is stepped: a call, after which it has what it got. 0 at the end. */
static int read_event(struct ue__ring_reader *reader)
{
	struct ue__ring_event event;
	const int result = ue__ring_reader_next(reader, &event);

	must(result >= 0);
	if (result)
		shared->handed_out[number_of(event.payload)]++;
	return result;
}

static int read_page(struct ue__ring_reader *reader)
{
	struct ue_captured_page page;
	const int result = ue__ring_reader_next_page(reader, &page);

	must(result >= 0);
	for (uint32_t i = 0; result && i < page.event_count; i++)
		shared->handed_out[number_of(page.events[i].bytes)]++;
	return result;
}

static pid_t start(int fd, int (*read_on)(struct ue__ring_reader *reader))
{
	static struct ue__ring_reader reader;
	const pid_t child = fork();

	must(child >= 0);
	if (child) {
		step_wait_for(child);
		return child;
	}
	must(!ue__ring_reader_begin(&reader, fd, 1));
	step_begin();
	while (read_on(&reader))
		;
	reader.next_burial = 0;
	while (read_on(&reader))
		;
	ue__ring_reader_end(&reader);
	__atomic_store_n(&shared->is_over, 1, __ATOMIC_RELAXED);
	_exit(0);
}

/* The events that the next reader finds. It also buries the dead. */
static void read_rest(struct ue__ring_reader *reader, uint32_t *found)
{
	struct ue__ring_event event;

	for (int i = 0; i < 2; i++) {
		reader->next_burial = 0;
		while (ue__ring_reader_next(reader, &event) == 1)
			found[number_of(event.payload)]++;
	}
	must(!reader->malformed);
}

/* The next caller uses all pages. */
static void go_on(struct ue__ring_reader *reader, int fd)
{
	const uint32_t payload[] = { 7, 0 };
	static struct ue__ring_writer other;
	struct ue__ring_event event;
	uint32_t found = 0;

	must(!ue__ring_attach(&other, fd, -1));
	for (uint32_t i = 0; i < MORE; i++)
		must(!ue__ring_put(&other, (const char *)payload, sizeof(payload)));
	while (ue__ring_reader_next(reader, &event) == 1)
		found++;
	must(found == MORE);
	ue__ring_detach(&other);
}

/* The copy */

static struct copy {
	int fd;
	void *memory;
} copy;

static void make_copy(void)
{
	copy.fd = load_make(UE__RING_DROP, UE__RING_LEAST);
	copy.memory = mmap(NULL, UE__RING_LEAST, PROT_READ | PROT_WRITE, MAP_SHARED,
			   copy.fd, 0);
	must(copy.memory != MAP_FAILED);
}

static int is_right(const uint32_t *found)
{
	uint32_t twice = 0;

	for (uint32_t i = 0; i < EVENTS; i++) {
		const uint32_t count = shared->handed_out[i] + found[i];

		if (!count || shared->handed_out[i] > 1 || found[i] > 1)
			return 0;
		twice += count - 1;
	}
	return twice <= IN_HAND;
}

/* Locks are the file's, so writers of the copy are dead unless it is locked for them. */
static void check(const void *ring, uint32_t step)
{
	static struct ue__ring_reader reader;
	uint32_t found[EVENTS] = { 0 };

	memcpy(copy.memory, ring, UE__RING_LEAST);
	must(!ue__ring_reader_begin(&reader, copy.fd, 1));
	read_rest(&reader, found);
	if (!is_right(found)) {
		printf("# step %u:", step);
		for (uint32_t i = 0; i < EVENTS; i++)
			printf(" %u+%u", shared->handed_out[i], found[i]);
		printf("\n");
		exit(1);
	}
	go_on(&reader, copy.fd);
	ue__ring_reader_end(&reader);
}

/* Writers */

/* With one record that it left busy, if it died. */
static void write_events(int fd, struct ue__ring_writer *writer, int dies)
{
	struct ue__ring_place place;
	pid_t child;

	if (dies) {
		child = fork();
		must(child >= 0);
		if (child) {
			must(waitpid(child, NULL, 0) == child);
			return;
		}
	}
	must(!ue__ring_attach(writer, fd, -1));
	for (uint32_t i = 0; i < EVENTS; i++)
		must(!put(writer, i));
	if (!dies)
		return;
	must(!ue__ring_reserve(writer, 40, &place));
	ue__ring_begin(writer, &place, 40);
	_exit(0);
}

static void kill_everywhere(const char *name,
			    int (*read_on)(struct ue__ring_reader *reader), int dies,
			    uint32_t each)
{
	const int fd = load_make(UE__RING_DROP, UE__RING_LEAST);
	const void *ring = mmap(NULL, UE__RING_LEAST, PROT_READ, MAP_SHARED, fd, 0);
	static struct ue__ring_writer writer;
	uint32_t steps = 0, checks = 0;
	pid_t child;

	must(ring != MAP_FAILED);
	memset(shared, 0, sizeof(*shared));
	write_events(fd, &writer, dies);
	make_copy();
	if (!dies)
		must(!ue__ring_lock(copy.fd, UE__RING_SLOT_LOCK(0)));
	child = start(fd, read_on);
	for (; !__atomic_load_n(&shared->is_over, __ATOMIC_RELAXED); steps++, step(child)) {
		if (steps % each)
			continue;
		check(ring, steps);
		checks++;
	}
	step_kill(child);
	check(ring, steps);
	printf("# %s: %u checks of %u steps\n", name, checks, steps);
	load_result(name, steps > 1000);
	if (!dies)
		ue__ring_detach(&writer);
	close(fd);
	close(copy.fd);
}

int main(void)
{
	const uint32_t each = getenv("UE_TEST_FULL") ? 1 : 13;

	shared = load_shared(sizeof(*shared));
	kill_everywhere("killed_as_it_reads_events", read_event, 0, each);
	kill_everywhere("killed_as_it_reads_events_of_the_dead", read_event, 1, each);
	kill_everywhere("killed_as_it_reads_pages", read_page, 0, each);
	kill_everywhere("killed_as_it_reads_pages_of_the_dead", read_page, 1, each);
	return load_end();
}
