/* SPDX-License-Identifier: MIT */
/*
 * A ring among hostile processes. The first byte of the input chooses the mode, and the rest
 * is a list of steps: an action, the number of its bytes, and these bytes. Steps write and
 * read events as programs do, and change any word of the shared memory. Calls must return,
 * and no access may be outside the mapping: the memory before and behind it is not mapped.
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ring/events.h"
#include "ring/ring_memory.h"
#include "ring/read/ring_reader.h"
#include "ring/write/ring_writer.h"
#include "fuzz.h"

#define GUARD 65536
/* More than all records of the ring. */
#define EVENTS_MOST 100000
#define HELD 8

static const struct ue__ring_memory *memory; /* the writer's */
static struct ue__ring_writer writer;
static struct ue__ring_reader watcher;
static struct {
	struct ue__ring_place place;
	uint32_t size;
} held[HELD];
static unsigned held_count;
static char payload[UE__RING_LARGE];
static uint64_t size;
static int fd;

/* Setup */

static void format(uint32_t mode)
{
	const struct ue__ring_plan plan = { .size = size, .mode = mode };

	PROMISE(!ftruncate(fd, 0) && !ue__ring_format(fd, &plan, 1));
}

static int is_last_page_at_end(void)
{
	struct ue__ring_memory found;
	int result;

	format(UE__RING_DROP);
	PROMISE(!ue__ring_map(&found, fd));
	result = (char *)ue__ring_page(&found, found.page_count) == (char *)found.ring + size;
	ue__ring_unmap(&found);
	return result;
}

static void find_size(void)
{
	fd = memfd_create("ring", MFD_CLOEXEC);
	PROMISE(fd >= 0);
	for (size = UE__RING_LEAST; !is_last_page_at_end();)
		size += 4096;
}

/* An access there ends the target. Another mapping may be there already. */
static void guard(const struct ue__ring_memory *ring)
{
	char *map = (char *)ring->ring;

	(void)mmap(map - GUARD, GUARD, PROT_NONE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	(void)mmap(map + size, GUARD, PROT_NONE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
}

static void begin(uint32_t mode)
{
	static int is_prepared;

	if (!is_prepared++)
		find_size();
	format(mode);
	PROMISE(!ue__ring_attach(&writer, fd, -1));
	PROMISE(!ue__ring_reader_begin(&watcher, fd, 0));
	memory = &writer.memory;
	held_count = 0;
	/* The mappings of one input are where those of the one before were, with their guards. */
	guard(memory);
	guard(&watcher.memory);
}

/* The steps. Bytes that an input lacks are zeros. */

static uint32_t number(const char *bytes, size_t length, size_t at, size_t count)
{
	uint32_t value = 0;

	if (at < length)
		memcpy(&value, bytes + at, count < length - at ? count : length - at);
	return value;
}

static void lay_over(char *at, const char *end, const char *bytes, size_t length, size_t skip)
{
	length = length > skip ? length - skip : 0;
	if (length > (size_t)(end - at))
		length = (size_t)(end - at);
	if (length)
		memcpy(at, bytes + skip, length);
}

static void change_anything(const char *bytes, size_t length)
{
	char *map = (char *)memory->ring;

	lay_over(map + number(bytes, length, 0, 3) % size, map + size, bytes, length, 3);
}

static void change_header(const char *bytes, size_t length)
{
	char *map = (char *)memory->ring;

	lay_over(map + number(bytes, length, 0, 1) * 4 % sizeof(struct ue__ring), map + size,
		 bytes, length, 1);
}

static struct ue__ring_page *page_of(const char *bytes, size_t length)
{
	return ue__ring_page(memory, number(bytes, length, 0, 1) % memory->page_count);
}

static void change_state(const char *bytes, size_t length)
{
	char *state = (char *)&memory->states[number(bytes, length, 0, 1) % memory->page_count];

	lay_over(state, state + sizeof(*memory->states), bytes, length, 1);
}

static void change_page(const char *bytes, size_t length)
{
	struct ue__ring_page *page = page_of(bytes, length);

	lay_over((char *)page + number(bytes, length, 1, 2) % UE__RING_LARGE,
		 (char *)page + UE__RING_LARGE, bytes, length, 3);
}

/* A word that fits the state, and any number of reserved bytes. */
static void change_word(const char *bytes, size_t length)
{
	const uint32_t index = number(bytes, length, 0, 1) % memory->page_count;
	const uint32_t of = ue__ring_number_of(memory->states[index]);

	ue__ring_page(memory, index)->word =
		(uint64_t)(of + (number(bytes, length, 5, 1) & 3)) << 32 |
		number(bytes, length, 1, 4);
}

static void change_record(const char *bytes, size_t length)
{
	struct ue__ring_page *page = page_of(bytes, length);

	lay_over((char *)page + number(bytes, length, 1, 2) * 8 % UE__RING_LARGE,
		 (char *)page + UE__RING_LARGE, bytes, length, 3);
}

/* A record of any size that is not too large for its page, also one without an index. */
static void change_size(const char *bytes, size_t length)
{
	struct ue__ring_page *page = page_of(bytes, length);
	const size_t at = sizeof(*page) + number(bytes, length, 1, 1) * 8 % 256;
	struct ue__ring_record *record = (void *)((char *)page + at);

	record->head = (record->head & ~UE__RING_SIZE) | number(bytes, length, 2, 1) % 64;
}

/* A changed rule may ask for stacks: then ue__ring_put() writes nothing. */
static void put(struct ue__ring_writer *to, uint32_t wanted)
{
	const int result = ue__ring_put(to, payload, wanted);

	PROMISE(!result || result == -ENOBUFS || result == UE__RING_STACKS_WANTED);
}

static void write_event(const char *bytes, size_t length)
{
	put(&writer, 4 + number(bytes, length, 0, 2) % 4096);
}

static void write_pieces(const char *bytes, size_t length)
{
	const struct iovec iov[2] = { { (void *)(uintptr_t)bytes, length }, { payload, 8 } };
	const int result = ue__ring_putv(&writer, 1, iov, 2, (uint32_t)length + 12);

	PROMISE(!result || result == -ENOBUFS);
}

static void write_many(const char *bytes, size_t length)
{
	for (unsigned i = 0; i < 40; i++)
		write_event(bytes, length);
}

static void reserve(const char *bytes, size_t length)
{
	const uint32_t wanted = 4 + number(bytes, length, 0, 1);
	struct ue__ring_place place;

	if (held_count == HELD || ue__ring_reserve(&writer, wanted, &place))
		return;
	if (number(bytes, length, 1, 1) & 1)
		ue__ring_begin(&writer, &place, wanted);
	held[held_count].place = place;
	held[held_count++].size = wanted;
}

static void commit(const char *bytes, size_t length)
{
	(void)bytes;
	(void)length;
	if (!held_count)
		return;
	held_count--;
	ue__ring_begin(&writer, &held[held_count].place, held[held_count].size);
	ue__ring_commit(&held[held_count].place, held[held_count].size);
}

static void read_all(struct ue__ring_reader *reader)
{
	struct ue__ring_event event;
	unsigned count = 0;
	int result;

	while ((result = ue__ring_reader_next(reader, &event)) == 1) {
		PROMISE(++count < EVENTS_MOST);
		PROMISE(event.length <= UE__RING_LARGE);
		memcpy(payload, event.payload, event.length);
		PROMISE(strlen(event.process) <= 16 && strlen(event.thread) <= 16);
	}
	PROMISE(!result);
	PROMISE(ue__ring_fall_asleep(reader, UE__RING_IN_FUTEX) >= 0);
	ue__ring_wake_up(reader);
	(void)ue__ring_missed(reader);
}

static void look_at_page(const struct ue_captured_page *page)
{
	PROMISE(page->event_count && page->thread_count &&
		page->thread_count <= page->event_count);
	PROMISE(page->rate > 0 && page->rate < 1000 && page->place < memory->page_count);
	PROMISE(strlen(page->process) <= 16);
	for (uint32_t i = 0; i < page->event_count; i++) {
		const struct ue_page_event *event = &page->events[i];

		PROMISE(event->length <= UE__RING_LARGE &&
			event->thread < page->thread_count);
		PROMISE(!i || event[-1].clock <= event->clock);
		memcpy(payload, event->bytes, event->length);
		PROMISE(strlen(page->threads[event->thread].name) <= 16);
	}
}

/* A pass that has begun, and another one. */
static void read_pages(struct ue__ring_reader *reader)
{
	struct ue_captured_page page;
	unsigned count = 0;
	int result, passes = 0;

	while ((result = ue__ring_reader_next_page(reader, &page)) == 1 || passes++ < 1) {
		if (result < 1)
			continue;
		look_at_page(&page);
		PROMISE((count += page.event_count) < EVENTS_MOST);
	}
	PROMISE(!result);
	PROMISE(ue__ring_fall_asleep(reader, UE__RING_IN_FUTEX) >= 0);
	ue__ring_wake_up(reader);
}

static void read_somehow(struct ue__ring_reader *reader, uint32_t how)
{
	reader->is_final = how & 1;
	if (how & 4)
		read_pages(reader);
	else
		read_all(reader);
}

static void watch(const char *bytes, size_t length)
{
	read_somehow(&watcher, number(bytes, length, 0, 1));
}

/* The consumer ends before anything else writes, which in a ring that waits would wait for it. */
static void consume(const char *bytes, size_t length)
{
	struct ue__ring_reader reader;
	const int result = ue__ring_reader_begin(&reader, fd, 1);

	if (result) /* the header has changed */
		return;
	if (number(bytes, length, 0, 1) & 2) /* as after another boot */
		reader.boots.current++;
	read_somehow(&reader, number(bytes, length, 0, 1));
	ue__ring_reader_end(&reader);
}

static void map_again(const char *bytes, size_t length)
{
	struct ue__ring_memory again;
	const int result = ue__ring_map(&again, fd);

	(void)bytes;
	(void)length;
	PROMISE(!result || result == -ENOTTY || result == -EPROTONOSUPPORT ||
		result == -EBADMSG);
	if (result)
		return;
	PROMISE((char *)ue__ring_page(&again, again.page_count) == (char *)again.ring + size);
	ue__ring_unmap(&again);
}

static void define(const char *bytes, size_t length)
{
	const uint32_t name = (uint32_t)strcspn(bytes, " ;");
	const int64_t index = length ? ue__ring_define(memory, bytes, name, 0) : 0;

	PROMISE(index == -EMFILE || (index >= 0 && index < memory->event_count));
}

static void read_definitions(const char *bytes, size_t length)
{
	const uint32_t count = ue__ring_events(memory);
	struct ue__ring_definition found;

	(void)bytes;
	(void)length;
	PROMISE(count <= memory->event_count);
	for (uint32_t i = 0; i < count; i++)
		if (!ue__ring_definition(memory, i, &found))
			PROMISE(strlen(found.text) == found.length);
}

static void enable(const char *glob, size_t length)
{
	const int result = ue__ring_add_rule(memory, length & 1 ? '+' : '-', glob);

	PROMISE(!result || result == -ENOSPC);
}

static void attach_another(const char *bytes, size_t length)
{
	static struct ue__ring_writer another;

	if (ue__ring_attach(&another, fd, -1))
		return;
	put(&another, 4 + number(bytes, length, 0, 1));
	ue__ring_detach(&another);
}

static void (*const steps[])(const char *, size_t) = {
	change_anything, change_header, change_state, change_page, change_word, change_record,
	write_event, write_pieces, write_many, reserve, commit, watch, consume, map_again,
	define, read_definitions, enable, attach_another, change_size,
};

static size_t take_step(const uint8_t *data, size_t left)
{
	const size_t length = data[1] < left - 2 ? data[1] : left - 2;
	char *bytes = calloc(1, length + 1); /* of its own, so that over-reads are seen */

	PROMISE(bytes);
	memcpy(bytes, data + 2, length);
	steps[data[0] % (sizeof(steps) / sizeof(steps[0]))](bytes, length);
	free(bytes);
	return 2 + length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t left)
{
	if (!left)
		return 0;
	begin(1 + data[0] % 3);
	for (data++, left--; left >= 2;) {
		const size_t taken = take_step(data, left);

		data += taken;
		left -= taken;
	}
	consume("", 0);
	ue__ring_reader_end(&watcher);
	ue__ring_detach(&writer);
	return 0;
}
