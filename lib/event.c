/* SPDX-License-Identifier: MIT */
/*
 * Register and unregister events.
 */
#include <errno.h>

#include <userevents/event.h>

#include "capture_session.h"
#include "definition.h"
#include "errno_guard.h"
#include "event.h"
#include "kernel.h"
#include "registered_format.h"
#include "session.h"
#include "sized_struct.h"

#define EVENT_FLAGS (UE_EVENT_PERSIST | UE_EVENT_MULTI_FORMAT)
#define EVENT_SIZE_0_1 sizeof(struct ue_event)

UE_API int ue_event_init(struct ue_event *event, const char *definition,
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

static int is_registered(const struct ue_event *event)
{
	return ue__binding_of(event) > UE__BINDING_CLOSED;
}

/*
 * The kernel's EINVAL for a definition that was checked means a flag it does not
 * know: any before 6.7, UE_EVENT_MULTI_FORMAT before 6.9.
 */
static int register_enable_address(struct ue__session *session,
				   struct ue_event *event, uint32_t *write_index)
{
	int result = ue__enable_address_register(session->fd, event->definition,
						 event->flags, event->word,
						 write_index);

	return result == -EINVAL && event->flags ? -EOPNOTSUPP : result;
}

/*
 * This generation registers a name that exists without looking at the fields, so
 * the library looks. What was registered in vain goes with the session.
 */
static int register_status_page(struct ue__session *session,
				struct ue_event *event, uint32_t *write_index)
{
	int result;

	if (event->flags)
		return -EOPNOTSUPP;
	if (ue__word_is_used(event->word))
		return -EADDRINUSE;
	result = ue__status_page_register(session->fd, event->definition,
					  &event->ue__status_bit, write_index);
	if (result)
		return result;
	if (!ue__registered_as(session->directory, event->definition))
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
		event->ue__direct_max = 0;
	ask_bit(event, ue__status_page_byte(event->ue__status_bit),
		event->ue__status_bit, 0);
}

static int register_in(struct ue__session *session, struct ue_event *event,
		       uint32_t *write_index)
{
	switch (session->abi) {
	case UE_ABI_ENABLE_ADDRESS:
		return register_enable_address(session, event, write_index);
	case UE_ABI_STATUS_PAGE:
		return register_status_page(session, event, write_index);
	default:
		return ue__capture_register(session, event, write_index);
	}
}

static int register_with(struct ue__session *session, struct ue_event *event)
{
	uint32_t index;
	int result;

	/* Before the kernel may set the word, and a writer look at them. */
	__atomic_store_n(&event->ue__payload_max, session->payload_max, __ATOMIC_RELAXED);
	__atomic_store_n(&event->ue__direct_max, session->payload_max, __ATOMIC_RELAXED);
	result = register_in(session, event, &index);
	if (result)
		return result;
	event->ue__next = session->events;
	session->events = event;
	__atomic_store_n(&event->ue__binding, ue__binding(session->fd, index),
			 __ATOMIC_RELEASE);
	if (session->abi != UE_ABI_ENABLE_ADDRESS)
		start_asking(session, event, index);
	return 0;
}

UE_API int ue_register(int fd, struct ue_event *event)
{
	UE__KEEP_ERRNO;
	struct ue__session *session;
	int result = check_event(event);

	if (result)
		return result;
	ue__lock();
	session = ue__session_find(fd);
	if (!session)
		result = -EBADF;
	else if (is_registered(event))
		result = -EALREADY;
	else
		result = register_with(session, event);
	ue__unlock();
	return result;
}

/* From here on writers find the event disabled, then not registered. */
static void forget(struct ue__session *session, struct ue_event *event,
		   uint64_t binding, int has_word)
{
	struct ue_event **at = &session->events;

	while (*at && *at != event)
		at = &(*at)->ue__next;
	if (*at)
		*at = event->ue__next;
	event->ue__next = NULL;
	if (has_word)
		__atomic_store_n(event->word, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&event->ue__binding, binding, __ATOMIC_RELEASE);
}

/*
 * ENOENT means that the kernel still holds on to a word which this thread may not
 * release; EFAULT, that it let go of one that is no longer there.
 */
static int unregister_with(const struct ue__session *session,
			   const struct ue_event *event)
{
	int result;

	if (session->abi != UE_ABI_ENABLE_ADDRESS)
		return 0;
	result = ue__enable_address_unregister(session->fd, event->word);
	return result == -ENOENT ? -ESRCH : result;
}

UE_API int ue_unregister(struct ue_event *event)
{
	UE__KEEP_ERRNO;
	struct ue__session *session;
	int result;

	ue__lock();
	session = is_registered(event) ?
			  ue__session_find(ue__binding_fd(ue__binding_of(event))) :
			  NULL;
	result = session ? unregister_with(session, event) : -ENOENT;
	if (!result || result == -EFAULT) {
		forget(session, event, UE__BINDING_NONE, !result);
		result = 0;
	}
	ue__unlock();
	return result;
}

int ue__events_close(struct ue__session *session, int is_open)
{
	int first = is_open ? 0 : -EBADF;

	while (session->events) {
		struct ue_event *event = session->events;
		int result = is_open ? unregister_with(session, event) : -EBADF;

		if (!first && result != -EFAULT)
			first = result;
		forget(session, event, UE__BINDING_CLOSED, result != -EFAULT);
	}
	return first;
}
