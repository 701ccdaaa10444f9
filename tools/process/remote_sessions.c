/* SPDX-License-Identifier: MIT */
/*
 * Read the library's lists in another process.
 *
 * The process goes on meanwhile and takes no notice: an element may be freed, and be
 * something else, while it is read. So the lists are read until two readings in a row
 * find the same sessions and events. Bounds are on what a reading may cost, whatever the
 * process has there.
 */
#include "remote_sessions.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <userevents/abi/event_state.h>
#include <userevents/session.h>

/* The kernel has no more than half as many events. */
#define EVENTS_MAX 65536
#define SESSIONS_MAX 4096
#define NAME_SIZE 512
#define BLOCK_MAX 4096 /* of one struct */
#define READINGS_MAX 20

struct reader {
	const struct memory *memory;
	const struct copy *copy;
	struct sight *sight;
	size_t event_count;
};

/* A struct of the process, of the size that its overview tells. */
struct block {
	uint8_t bytes[BLOCK_MAX];
};

static uint64_t pointer_at(const struct reader *reader, const void *at)
{
	uint64_t large;
	uint32_t small;

	memcpy(&large, at, sizeof(large));
	memcpy(&small, at, sizeof(small));
	return reader->copy->pointer_size == 8 ? large : small;
}

static uint64_t pointer_in(const struct reader *reader, const struct block *block,
			   uint32_t offset)
{
	return pointer_at(reader, block->bytes + offset);
}

/* The overview */

static int is_in(uint32_t offset, size_t width, uint32_t size)
{
	return size <= BLOCK_MAX - sizeof(uint64_t) && width <= size &&
	       offset <= size - width;
}

static int makes_sense(const struct ue_overview *o)
{
	const size_t counts = o->loss_reasons * sizeof(uint32_t);
	const size_t pointer = o->pointer_size;

	return o->loss_reasons <= REASONS_MAX &&
	       is_in(o->session_next, pointer, o->session_size) &&
	       is_in(o->session_fd, sizeof(int32_t), o->session_size) &&
	       is_in(o->session_abi, sizeof(uint32_t), o->session_size) &&
	       is_in(o->session_registrations, pointer, o->session_size) &&
	       is_in(o->session_lost, counts, o->session_size) &&
	       is_in(o->registration_next, pointer, o->registration_size) &&
	       is_in(o->registration_event, pointer, o->registration_size) &&
	       is_in(o->registration_word, pointer, o->registration_size) &&
	       is_in(o->registration_binding, sizeof(uint64_t), o->registration_size) &&
	       is_in(o->event_definition, pointer, o->event_size) &&
	       is_in(o->event_word, pointer, o->event_size) &&
	       is_in(o->event_status_byte, pointer, o->event_size) &&
	       is_in(o->event_binding, sizeof(uint64_t), o->event_size) &&
	       is_in(o->event_lost, counts, o->event_size);
}

static int read_overview(const struct reader *reader)
{
	struct ue_overview *overview = &reader->sight->overview;

	if (memory_read(reader->memory, reader->copy->overview, overview,
			sizeof(*overview)))
		return -EFAULT;
	if (overview->version != UE_OVERVIEW_VERSION)
		return -ENOTSUP;
	return overview->size >= sizeof(*overview) &&
			       overview->pointer_size == reader->copy->pointer_size &&
			       makes_sense(overview) ? 0 : -EPROTO;
}

/* Lists */

/*
 * A walk that comes by where it was goes in a circle: by a place that is moved to where
 * the walk is, each time it has gone twice as far (Brent).
 */
struct walk {
	uint64_t mark;
	size_t steps, next_mark;
};

static int is_circle(struct walk *walk, uint64_t address)
{
	if (address == walk->mark)
		return 1;
	if (walk->steps++ == walk->next_mark) {
		walk->mark = address;
		walk->next_mark = walk->steps * 2;
	}
	return 0;
}

/* Room for one more in an array, which doubles. */
static void *room_for(void *items, size_t count, size_t size)
{
	if (count & (count - 1))
		return items;
	return realloc(items, (count ? count * 2 : 1) * size);
}

/* Events */

/* The page is the whole system's, and not to be read through the memory of a process. */
static enum seen_state ask_page(uint64_t byte, uint32_t word)
{
	const size_t size = (size_t)sysconf(_SC_PAGESIZE);
	static const uint8_t *page;
	int fd;

	if (!page) {
		fd = open("/sys/kernel/tracing/user_events_status", O_RDONLY | O_CLOEXEC);
		page = fd < 0 ? MAP_FAILED :
				mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
		if (fd >= 0)
			close(fd);
	}
	if (page == MAP_FAILED)
		return SEEN_UNKNOWN;
	return page[byte % size] & word & 0xff ? SEEN_ON : SEEN_OFF;
}

static enum seen_state state_of(const struct reader *reader, const struct block *event,
				uint32_t abi)
{
	const struct ue_overview *overview = &reader->sight->overview;
	uint64_t at = pointer_in(reader, event, overview->event_status_byte);
	uint32_t word;
	uint8_t byte;

	if (memory_read(reader->memory, pointer_in(reader, event, overview->event_word),
			&word, sizeof(word)))
		return SEEN_UNKNOWN;
	if (!(word & UE_WORD_ASK))
		return word ? SEEN_ON : SEEN_OFF;
	if (!memory_read(reader->memory, at, &byte, sizeof(byte)))
		return word & byte ? SEEN_ON : SEEN_OFF;
	return abi == UE_ABI_STATUS_PAGE ? ask_page(at, word) : SEEN_UNKNOWN;
}

/* Is the struct there still, as it was registered? */
static int is_there(const struct reader *reader, const struct block *registration,
		    const struct block *event)
{
	const struct ue_overview *o = &reader->sight->overview;

	return !memcmp(registration->bytes + o->registration_binding,
		       event->bytes + o->event_binding, sizeof(uint64_t)) &&
	       !memcmp(registration->bytes + o->registration_word,
		       event->bytes + o->event_word, o->pointer_size);
}

/* An event that is gone has no name. */
static int read_event(const struct reader *reader, const struct block *registration,
		      uint32_t abi, struct seen_event *seen)
{
	const struct ue_overview *o = &reader->sight->overview;
	const struct memory *memory = reader->memory;
	char text[NAME_SIZE];
	struct block event;

	seen->address = pointer_in(reader, registration, o->registration_event);
	seen->name = NULL;
	if (memory_read(memory, seen->address, event.bytes, o->event_size) ||
	    !is_there(reader, registration, &event) ||
	    memory_text(memory, pointer_in(reader, &event, o->event_definition), text,
			sizeof(text)) < 0)
		return 0;
	seen->state = state_of(reader, &event, abi);
	memcpy(seen->lost, event.bytes + o->event_lost,
	       o->loss_reasons * sizeof(uint32_t));
	seen->name = strndup(text, strcspn(text, " ;"));
	return seen->name ? 0 : -ENOMEM;
}

static int read_registration(struct reader *reader, struct seen_session *session,
			     uint64_t *at)
{
	const struct ue_overview *overview = &reader->sight->overview;
	struct seen_event *events;
	struct block registration;

	if (++reader->event_count > EVENTS_MAX)
		return -E2BIG;
	if (memory_read(reader->memory, *at, registration.bytes,
			overview->registration_size))
		return -EFAULT;
	events = room_for(session->events, session->count, sizeof(*events));
	if (!events)
		return -ENOMEM;
	session->events = events;
	*at = pointer_in(reader, &registration, overview->registration_next);
	return read_event(reader, &registration, session->abi,
			  &session->events[session->count++]);
}

/* Sessions */

static int read_registrations(struct reader *reader, struct seen_session *session,
			      uint64_t at)
{
	struct walk walk = { 0 };
	int result = 0;

	while (!result && at)
		result = is_circle(&walk, at) ? -ELOOP :
						read_registration(reader, session, &at);
	return result;
}

static int read_session(struct reader *reader, uint64_t *at)
{
	const struct ue_overview *overview = &reader->sight->overview;
	struct sight *sight = reader->sight;
	struct seen_session *session;
	struct block block;

	if (sight->count == SESSIONS_MAX)
		return -E2BIG;
	if (memory_read(reader->memory, *at, block.bytes, overview->session_size))
		return -EFAULT;
	session = room_for(sight->sessions, sight->count, sizeof(*session));
	if (!session)
		return -ENOMEM;
	sight->sessions = session;
	session += sight->count++;
	*session = (struct seen_session){ .address = *at };
	memcpy(&session->fd, block.bytes + overview->session_fd, sizeof(int32_t));
	memcpy(&session->abi, block.bytes + overview->session_abi, sizeof(uint32_t));
	memcpy(session->lost, block.bytes + overview->session_lost,
	       overview->loss_reasons * sizeof(uint32_t));
	*at = pointer_in(reader, &block, overview->session_next);
	return read_registrations(reader, session,
				  pointer_in(reader, &block,
					     overview->session_registrations));
}

static int read_sessions(struct reader *reader)
{
	struct walk walk = { 0 };
	uint8_t pointer[sizeof(uint64_t)] = { 0 };
	uint64_t at;
	int result = 0;

	if (memory_read(reader->memory, reader->copy->first, pointer,
			reader->copy->pointer_size))
		return -EFAULT;
	at = pointer_at(reader, pointer);
	while (!result && at)
		result = is_circle(&walk, at) ? -ELOOP : read_session(reader, &at);
	return result;
}

static int read_once(const struct memory *memory, const struct copy *copy,
		     struct sight *sight)
{
	struct reader reader = { memory, copy, sight, 0 };
	int result;

	*sight = (struct sight){ 0 };
	result = read_overview(&reader);
	return result ? result : read_sessions(&reader);
}

/* In an order that does not depend on how the library keeps them. */

static int compare_events(const void *a, const void *b)
{
	const struct seen_event *left = a, *right = b;
	int names = left->name && right->name ? strcmp(left->name, right->name) :
						!left->name - !right->name;

	return names ? names : (left->address > right->address) -
				       (left->address < right->address);
}

static int compare_sessions(const void *a, const void *b)
{
	const struct seen_session *left = a, *right = b;

	return left->fd != right->fd ? (left->fd > right->fd) - (left->fd < right->fd) :
				       (left->address > right->address) -
					       (left->address < right->address);
}

static void sort(struct sight *sight)
{
	for (size_t i = 0; i < sight->count; i++)
		if (sight->sessions[i].count)
			qsort(sight->sessions[i].events, sight->sessions[i].count,
			      sizeof(*sight->sessions[i].events), compare_events);
	if (sight->count)
		qsort(sight->sessions, sight->count, sizeof(*sight->sessions),
		      compare_sessions);
}

/* Two readings */

static int is_same_event(const struct seen_event *a, const struct seen_event *b)
{
	return a->address == b->address && !a->name == !b->name &&
	       (!a->name || !strcmp(a->name, b->name));
}

static int is_same_session(const struct seen_session *a, const struct seen_session *b)
{
	if (a->address != b->address || a->fd != b->fd || a->count != b->count)
		return 0;
	for (size_t i = 0; i < a->count; i++)
		if (!is_same_event(&a->events[i], &b->events[i]))
			return 0;
	return 1;
}

static int is_same(const struct sight *a, const struct sight *b)
{
	if (a->count != b->count)
		return 0;
	for (size_t i = 0; i < a->count; i++)
		if (!is_same_session(&a->sessions[i], &b->sessions[i]))
			return 0;
	return 1;
}

/* May another reading end otherwise? */
static int may_pass(int result)
{
	return result == -EFAULT || result == -ELOOP;
}

int sight_read(const struct memory *memory, const struct copy *copy, struct sight *sight)
{
	int before, result = read_once(memory, copy, sight);

	sort(sight);
	for (int i = 1; i < READINGS_MAX; i++) {
		struct sight last = *sight;
		int agree;

		if (result && !may_pass(result))
			return result;
		before = result;
		result = read_once(memory, copy, sight);
		sort(sight);
		agree = !before && !result && is_same(&last, sight);
		sight_free(&last);
		if (agree)
			return 0;
	}
	return result ? result : -EAGAIN;
}

void sight_free(struct sight *sight)
{
	for (size_t i = 0; i < sight->count; i++) {
		for (size_t j = 0; j < sight->sessions[i].count; j++)
			free(sight->sessions[i].events[j].name);
		free(sight->sessions[i].events);
	}
	free(sight->sessions);
	sight->sessions = NULL;
	sight->count = 0;
}
