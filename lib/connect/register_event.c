/* SPDX-License-Identifier: MIT */
/*
 * Register and unregister events.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <userevents/event.h>

#include "kernel/capture_session.h"
#include "describe/definition.h"
#include "util/errno_guard.h"
#include "event.h"
#include "kernel/kernel.h"
#include "lineage.h"
#include "kernel/registered_format.h"
#include "state/session.h"
#include "util/sized_struct.h"
#include "init_tracepoint.h"

/* A strong reference, so that a static library's unload.o is linked with this file. */
static void (*const leave)(struct ue__module *) __attribute__((used)) = ue__leave_module;

#define EVENT_FLAGS (UE_EVENT_PERSIST | UE_EVENT_MULTI_FORMAT)
#define EVENT_SIZE_0_1 sizeof(struct ue_event)

UE__PUBLIC int ue_event_init(struct ue_event *event, const char *definition,
			 uint32_t flags)
{
	*event = (struct ue_event){
		.size = sizeof(*event),
		.flags = flags,
		.definition = definition,
		.word = &event->own_word,
	};
	if (flags & ~EVENT_FLAGS)
		return -EINVAL;
	return ue_definition_check(definition, flags, NULL);
}

/* Do the types that a payload is packed with agree with the text? */
static int check_size(const struct ue_event *event)
{
	int length = ue__definition_name(event->definition, NULL);
	struct ue__fields fields;
	struct ue__field field;
	uint32_t size = 0;

	if (!event->ue__fixed_size)
		return 0;
	ue__fields_begin(&fields, event->definition, (size_t)length);
	while (ue__fields_next(&fields, &field, NULL) > 0)
		size += field.size;
	return size == event->ue__fixed_size ? 0 : -EINVAL;
}

static int check_event(const struct ue_event *event)
{
	int result;

	if (event->size < EVENT_SIZE_0_1)
		return -EINVAL;
	if (ue__has_tail(event, sizeof(*event), event->size))
		return -E2BIG;
	if (event->flags & ~EVENT_FLAGS || !event->definition)
		return -EINVAL;
	if (!event->word || (uintptr_t)event->word % sizeof(*event->word))
		return -EINVAL;
	result = ue_definition_check(event->definition, event->flags, NULL);
	return result ? result : check_size(event);
}

/* A tracepoint's text may have to be made first. */
static int define_event(struct ue_event *event)
{
	int result = 0;

	if (!event)
		return -EINVAL;
	if (event->size >= EVENT_SIZE_0_1) {
		ue__lock();
		result = ue__tracepoint_define(event);
		ue__unlock();
	}
	return result ? result : check_event(event);
}

static int is_registered(const struct ue_event *event)
{
	return ue__binding_of(event) > UE__BINDING_CLOSED;
}

/*
 * The kernel's EINVAL for a definition that was checked means a flag it does not
 * know: any before 6.7, UE_EVENT_MULTI_FORMAT before 6.9.
 */
static int register_enable_address(struct ue__session *session,
				   const struct ue__registration *r,
				   uint32_t *write_index)
{
	uint32_t flags = r->event->flags;
	int result = ue__lineage_begin(session->fd);

	if (result)
		return result;
	result = ue__enable_address_register(session->fd, r->definition, flags, r->word,
					     write_index);
	return result == -EINVAL && flags ? -EOPNOTSUPP : result;
}

/*
 * This generation registers a name that exists without looking at the fields, so
 * the library looks. What was registered in vain goes with the session.
 */
static int register_status_page(struct ue__session *session,
				const struct ue__registration *r,
				uint32_t *write_index)
{
	struct ue_event *event = r->event;
	int result;

	if (event->flags)
		return -EOPNOTSUPP;
	result = ue__status_page_register(session->fd, r->definition,
					  &event->ue__status_bit, write_index);
	if (result)
		return result;
	if (!ue__registered_as(session->directory, r->definition))
		return -EADDRINUSE;
	return 0;
}

/* The bit of a page that somebody else sets decides. */
static void ask_bit(struct ue_event *event, const uint8_t *byte, uint32_t bit,
		    uint32_t more)
{
	__atomic_store_n(&event->ue__status_byte, byte, __ATOMIC_RELAXED);
	__atomic_store_n(event->word, UE_WORD_ASK | more | 1u << bit % 8,
			 __ATOMIC_RELEASE);
}

/*
 * No empty payload is taken by the status page's generation, so that an event without
 * fields needs padding each time.
 */
static void start_asking(const struct ue__session *session, struct ue_event *event,
			 uint32_t index)
{
	if (session->abi == UE_ABI_CAPTURE) {
		ask_bit(event, &session->capture->bits[index / 8], index, UE_WORD_EMPTY);
		return;
	}
	if (!event->ue__fixed_size)
		__atomic_store_n(&event->ue__direct_max, 0, __ATOMIC_RELAXED);
	ask_bit(event, ue__status_page_byte(event->ue__status_bit),
		event->ue__status_bit, 0);
}

/* From 6.4 on the kernel looks at the word, and else the library does. */
static int register_in(struct ue__session *session, const struct ue__registration *r,
		       uint32_t *write_index)
{
	if (session->abi == UE_ABI_ENABLE_ADDRESS)
		return register_enable_address(session, r, write_index);
	if (ue__word_is_used(r->word))
		return -EADDRINUSE;
	if (session->abi == UE_ABI_STATUS_PAGE)
		return register_status_page(session, r, write_index);
	return ue__capture_register(session, r, write_index);
}

static int register_with(struct ue__session *session, struct ue_event *event)
{
	struct ue__registration *registration = ue__registration_make(event);
	uint32_t index;
	int result;

	if (!registration)
		return -ENOMEM;
	/* Before the kernel may set the word, and a writer look at them. */
	__atomic_store_n(&event->ue__payload_max, session->payload_max, __ATOMIC_RELAXED);
	__atomic_store_n(&event->ue__direct_max, session->payload_max, __ATOMIC_RELAXED);
	result = register_in(session, registration, &index);
	if (result) {
		free(registration);
		return result;
	}
	ue__registration_add(registration, session, ue__binding(session->fd, index));
	__atomic_store_n(&event->ue__binding, registration->binding, __ATOMIC_SEQ_CST);
	if (session->abi != UE_ABI_ENABLE_ADDRESS)
		start_asking(session, event, index);
	return 0;
}

/* ENOENT means that the kernel does not know the word. */
static int release_word(const struct ue__registration *r, int fd)
{
	int result;

	if (r->session->abi != UE_ABI_ENABLE_ADDRESS)
		return 0;
	if (fd < 0)
		return -EBADF;
	result = ue__enable_address_unregister(fd, r->word);
	return result == -ENOENT ? -ESRCH : result;
}

/* From here on writers find the event disabled, then not registered. */
static void forget(struct ue__registration *registration, uint64_t binding)
{
	__atomic_store_n(registration->word, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&registration->event->ue__binding, binding, __ATOMIC_SEQ_CST);
	ue__registration_drop(registration);
}

static int unregister_with(struct ue__registration *registration, int fd)
{
	int result = release_word(registration, fd);

	if (!result)
		forget(registration, UE__BINDING_NONE);
	return result;
}

static int register_locked(int fd, struct ue_event *event)
{
	struct ue__session *session = ue__session_find(fd);

	if (!session || !ue__session_is_open(session))
		return -EBADF;
	if (is_registered(event))
		return -EALREADY;
	return register_with(session, event);
}

/* Is the word, or the name with other fields, an event's of this process? */
static int is_used_here(const struct ue_event *event)
{
	return ue__word_is_used(event->word) || ue__name_is_used(event->definition);
}

/*
 * From Linux 6.4 on the kernel forgets an event some time after its last user; until then
 * its name cannot be had with other fields. Or it knows the word from a registration that
 * could not be undone.
 */
static int may_pass(int fd, const struct ue_event *event)
{
	const struct ue__session *session = ue__session_find(fd);

	return session && session->abi == UE_ABI_ENABLE_ADDRESS && !is_used_here(event);
}

static void pause_for(unsigned ms)
{
	const struct timespec time = { .tv_nsec = ms * 1000000l };

	clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

void ue__wait_patiently(unsigned *wait, unsigned *patience)
{
	*wait = *wait < *patience ? *wait : *patience;
	*patience -= *wait;
	pause_for(*wait);
	*wait *= 2;
}

static int may_get_room(int fd)
{
	const struct ue__session *session = ue__session_find(fd);

	return session && session->abi == UE_ABI_CAPTURE && ue__capture_waits(fd);
}

enum again { NEVER, LATER, WITH_ROOM };

/* What would make another attempt worth while. */
static enum again register_once(int fd, struct ue_event *event, unsigned patience,
				int *result)
{
	enum again again = NEVER;

	ue__lock();
	*result = register_locked(fd, event);
	if (*result == -EADDRINUSE && patience && may_pass(fd, event)) {
		ue__enable_address_unregister(fd, event->word);
		again = LATER;
	} else if (*result == -EAGAIN && may_get_room(fd)) {
		again = WITH_ROOM;
	}
	ue__unlock();
	return again;
}

/* Without the lock while it waits; for a name, each time twice as long. */
int ue__register(int fd, struct ue_event *event, unsigned *patience)
{
	int result = define_event(event);
	unsigned wait = 1;
	enum again again;

	if (result)
		return result;
	while ((again = register_once(fd, event, *patience, &result)) != NEVER) {
		if (again == WITH_ROOM)
			ue__capture_wait(fd);
		else
			ue__wait_patiently(&wait, patience);
	}
	return result;
}

UE__PUBLIC int ue_register(int fd, struct ue_event *event)
{
	UE__UNDISTURBED;
	unsigned patience = UE__PATIENCE;

	return ue__register(fd, event, &patience);
}

int ue__unregister(struct ue__registration *registration, int fd)
{
	return unregister_with(registration, fd);
}

void ue__forget(struct ue__registration *registration)
{
	forget(registration, UE__BINDING_NONE);
}

static struct ue__registration *find(const struct ue__session *session,
				     const struct ue_event *event)
{
	struct ue__registration *r = ue__registration_with(UE__BY_EVENT, (uintptr_t)event);

	while (r && r->session != session)
		r = ue__registration_next(r, UE__BY_EVENT);
	return r;
}

static int unregister_locked(struct ue_event *event)
{
	struct ue__registration *registration;
	struct ue__borrowed borrowed;
	struct ue__session *session;
	int result;

	if (!event || !is_registered(event))
		return -ENOENT;
	session = ue__session_find(ue__binding_fd(ue__binding_of(event)));
	registration = find(session, event);
	if (!registration)
		return -ENOENT;
	borrowed = ue__session_borrow(session);
	result = unregister_with(registration, borrowed.fd);
	ue__session_put_back(borrowed);
	return result;
}

UE__PUBLIC int ue_unregister(struct ue_event *event)
{
	UE__UNDISTURBED;
	int result;

	ue__lock();
	result = unregister_locked(event);
	ue__unlock();
	return result;
}

int ue__events_close(struct ue__session *session)
{
	int first = ue__session_is_open(session) ? 0 : -EBADF;
	struct ue__borrowed borrowed = ue__session_borrow(session);

	while (session->registrations) {
		struct ue__registration *r = session->registrations;
		int result = release_word(r, borrowed.fd);

		if (!first)
			first = result;
		forget(r, UE__BINDING_CLOSED);
	}
	ue__session_put_back(borrowed);
	return first;
}

/*
 * The kernel lets go of a word late when it was about to write to it and found its page
 * shared with the parent: it then writes in a work queue.
 */
static int register_again(struct ue__session *session, struct ue__registration *r,
			  unsigned *patience)
{
	uint32_t index = ~0u;
	int result;

	/* The kernel may have copied the registration; the bit may be out of date. */
	ue__enable_address_unregister(session->fd, r->word);
	while ((result = register_enable_address(session, r, &index)) ==
		       -EADDRINUSE && *patience) {
		--*patience;
		pause_for(1);
	}
	if (!result && index != ue__binding_index(r->binding)) {
		/* Not the parent's file, whatever it looks like. */
		ue__enable_address_unregister(session->fd, r->word);
		result = -EBADF;
	}
	return result;
}

void ue__events_again(struct ue__session *session)
{
	unsigned patience = UE__PATIENCE;

	for (struct ue__registration *r = session->registrations, *next; r; r = next) {
		next = r->next;
		if (register_again(session, r, &patience))
			forget(r, UE__BINDING_NONE);
	}
}
