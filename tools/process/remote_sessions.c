/* SPDX-License-Identifier: MIT */
/*
 * Read the library's lists in another process.
 *
 * The process keeps running: an element may be freed, and be something else, while it is
 * read. So a registration whose event does not belong to it is counted as gone, a list
 * that leads nowhere ends there, and bounds limit the cost whatever the process has.
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

#include "cli/memory.h"
#include "remote_memory.h"

/* The kernel has no more than half as many events. */
#define EVENTS_MAX 65536
#define SESSIONS_MAX 4096
#define NAME_SIZE 512
#define BLOCK_MAX 4096 /* of one struct */

/* A struct of the process, of the size that its overview has. */
struct block {
	uint8_t bytes[BLOCK_MAX];
};

static uint64_t pointer_in(const struct block *block, uint32_t offset)
{
	uintptr_t pointer;

	memcpy(&pointer, block->bytes + offset, sizeof(pointer));
	return pointer;
}

/* The overview */

static int is_in(uint32_t offset, size_t width, uint32_t size)
{
	return size <= BLOCK_MAX && width <= size && offset <= size - width;
}

static int makes_sense(const struct ue_overview *o)
{
	const size_t counts = o->loss_reasons * sizeof(uint32_t);
	const size_t pointer = sizeof(void *);

	return o->size >= sizeof(*o) && o->pointer_size == pointer &&
	       o->loss_reasons <= REASONS_MAX &&
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

static int read_overview(pid_t pid, uint64_t address, struct ue_overview *overview)
{
	if (memory_read(pid, address, overview, sizeof(*overview)))
		return -EFAULT;
	if (overview->version != UE_OVERVIEW_VERSION)
		return -ENOTSUP;
	return makes_sense(overview) ? 0 : -EPROTO;
}

/* Events */

/* The page is the same for all processes, and cannot be read through their memory. */
static enum seen_state ask_page(uint64_t byte, uint32_t word)
{
	const size_t size = (size_t)sysconf(_SC_PAGESIZE);
	int fd = open("/sys/kernel/tracing/user_events_status", O_RDONLY | O_CLOEXEC);
	const uint8_t *page = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

	close(fd);
	if (page == MAP_FAILED)
		return SEEN_UNKNOWN;
	return page[byte % size] & word & 0xff ? SEEN_ON : SEEN_OFF;
}

static enum seen_state state_of(pid_t pid, const struct ue_overview *overview,
				const struct block *event, uint32_t abi)
{
	uint64_t at = pointer_in(event, overview->event_status_byte);
	uint32_t word;
	uint8_t byte;

	if (memory_read(pid, pointer_in(event, overview->event_word), &word, sizeof(word)))
		return SEEN_UNKNOWN;
	if (!(word & UE_WORD_ASK))
		return word ? SEEN_ON : SEEN_OFF;
	if (!memory_read(pid, at, &byte, sizeof(byte)))
		return word & byte ? SEEN_ON : SEEN_OFF;
	return abi == UE_ABI_STATUS_PAGE ? ask_page(at, word) : SEEN_UNKNOWN;
}

/* Is the struct there still, as it was registered? */
static int is_there(const struct ue_overview *o, const struct block *registration,
		    const struct block *event)
{
	return !memcmp(registration->bytes + o->registration_binding,
		       event->bytes + o->event_binding, sizeof(uint64_t)) &&
	       !memcmp(registration->bytes + o->registration_word,
		       event->bytes + o->event_word, sizeof(void *));
}

static void read_event(pid_t pid, const struct ue_overview *o,
		       const struct block *registration, struct seen_session *session)
{
	struct seen_event *seen;
	char text[NAME_SIZE];
	struct block event;

	if (memory_read(pid, pointer_in(registration, o->registration_event), event.bytes,
			o->event_size) ||
	    !is_there(o, registration, &event) ||
	    memory_text(pid, pointer_in(&event, o->event_definition), text,
			sizeof(text)) <= 0) {
		session->gone++;
		return;
	}
	session->events = xgrow(session->events, session->count, sizeof(*seen));
	seen = &session->events[session->count++];
	seen->name = xstrndup(text, strcspn(text, " ;"));
	seen->state = state_of(pid, o, &event, session->abi);
	memcpy(seen->lost, event.bytes + o->event_lost, o->loss_reasons * sizeof(uint32_t));
}

/* Lists */

static void read_registrations(pid_t pid, struct sight *sight,
			       struct seen_session *session, uint64_t at)
{
	const struct ue_overview *o = &sight->overview;
	struct block registration;

	for (; at; at = pointer_in(&registration, o->registration_next)) {
		if (sight->event_count++ == EVENTS_MAX)
			return;
		if (memory_read(pid, at, registration.bytes, o->registration_size)) {
			sight->is_cut = 1;
			return;
		}
		read_event(pid, o, &registration, session);
	}
}

static void read_session(pid_t pid, struct sight *sight, const struct block *block)
{
	const struct ue_overview *o = &sight->overview;
	struct seen_session session = { 0 };

	memcpy(&session.fd, block->bytes + o->session_fd, sizeof(int32_t));
	memcpy(&session.abi, block->bytes + o->session_abi, sizeof(uint32_t));
	memcpy(session.lost, block->bytes + o->session_lost,
	       o->loss_reasons * sizeof(uint32_t));
	read_registrations(pid, sight, &session,
			   pointer_in(block, o->session_registrations));
	sight->sessions = xgrow(sight->sessions, sight->count, sizeof(session));
	sight->sessions[sight->count++] = session;
}

/* -E2BIG when there are more than a program has, as of a list that is a circle. */
static int read_sessions(pid_t pid, const struct library *library, struct sight *sight)
{
	const struct ue_overview *o = &sight->overview;
	struct block block;
	uint64_t at = 0;

	sight->is_cut = memory_read(pid, library->first, &at, sizeof(void *)) != 0;
	for (; at && !sight->is_cut; at = pointer_in(&block, o->session_next)) {
		if (memory_read(pid, at, block.bytes, o->session_size)) {
			sight->is_cut = 1;
			break;
		}
		read_session(pid, sight, &block);
		if (sight->count == SESSIONS_MAX || sight->event_count > EVENTS_MAX)
			return -E2BIG;
	}
	return 0;
}

/* In an order that does not depend on how the library keeps them. */

static int compare_events(const void *a, const void *b)
{
	return strcmp(((const struct seen_event *)a)->name,
		      ((const struct seen_event *)b)->name);
}

static int compare_sessions(const void *a, const void *b)
{
	const int one = ((const struct seen_session *)a)->fd;
	const int other = ((const struct seen_session *)b)->fd;

	return (one > other) - (one < other);
}

int sight_read(pid_t pid, const struct library *library, struct sight *sight)
{
	int result;

	*sight = (struct sight){ 0 };
	result = read_overview(pid, library->overview, &sight->overview);
	if (!result)
		result = read_sessions(pid, library, sight);
	if (result)
		return result;
	for (size_t i = 0; i < sight->count; i++)
		if (sight->sessions[i].count)
			qsort(sight->sessions[i].events, sight->sessions[i].count,
			      sizeof(struct seen_event), compare_events);
	if (sight->count)
		qsort(sight->sessions, sight->count, sizeof(struct seen_session),
		      compare_sessions);
	return 0;
}
