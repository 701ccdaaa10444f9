/* SPDX-License-Identifier: MIT */
/*
 * Take the events of a capture out of its ring, and let the reader sleep.
 *
 * The descriptor to poll is readable unless the last call found nothing. A reader that
 * finds nothing sets the timer, which ends its sleep soon. A writer sends a byte before
 * that if half of the ring was filled since, or if it waits; the byte stays in the socket
 * until the reader finds nothing again.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

#include "describe/definition.h"
#include "kernel/capture_socket.h"
#include "receive.h"

/* The socket */

static void take_event(struct ue_capture *capture, const struct ue__capture_event_packet *packet,
		       size_t length)
{
	const size_t head = offsetof(struct ue__capture_event_packet, definition);
	const size_t room = length > head && length <= sizeof(*packet) ? length - head : 0;
	struct ue__definition definition;

	if (strnlen(packet->definition, room) < room && packet->kind == UE__CAPTURE_EVENT &&
	    !ue__definition_parse(packet->definition, 0, &definition, NULL))
		ue__capture_note(capture, definition.text, definition.length, 0);
	else
		capture->malformed++;
}

/*
 * The writers' end always has a packet that is not taken. The last of them to close it
 * leaves that as an error, once, before packets that wait.
 */
static ssize_t read_packet(int fd, struct ue__capture_event_packet *packet)
{
	/* MSG_TRUNC: the packet's own length. */
	const int flags = MSG_DONTWAIT | MSG_TRUNC;
	ssize_t got = recv(fd, packet, sizeof(*packet), flags);

	if (got < 0 && errno == ECONNRESET)
		got = recv(fd, packet, sizeof(*packet), flags);
	return got;
}

/* More than a socket holds, so that writers that never pause cannot hold up the reader. */
#define PACKETS_AT_ONCE 4096

/* At its end a socket returns 0; so it does for an empty packet, which anybody may send. */
static int is_hung_up(int fd)
{
	struct pollfd end = { .fd = fd };

	return poll(&end, 1, 0) == 1 && end.revents & (POLLHUP | POLLERR);
}

/* Read the socket until it is empty. Returns the number of packets. */
static int drain(struct ue_capture *capture)
{
	struct ue__capture_event_packet packet;
	int count = 0;

	for (; !capture->is_over && count < PACKETS_AT_ONCE; count++) {
		const ssize_t got = read_packet(capture->socket, &packet);

		if (got < 0 && (errno == EAGAIN || errno == EINTR))
			break;
		capture->is_over = got < 0 || (!got && is_hung_up(capture->socket));
		if (!capture->is_over && got != 1) /* one byte only wakes */
			take_event(capture, &packet, (size_t)got);
	}
	return count;
}

/* Sleeping */

static void set_timer(const struct ue_capture *capture, int milliseconds)
{
	struct itimerspec time = { .it_value.tv_sec = milliseconds / 1000 };

	time.it_value.tv_nsec = milliseconds % 1000 * 1000000l;
	if (!milliseconds)
		time.it_value.tv_nsec = 1; /* at once; 0 would stop it */
	if (milliseconds < 0)
		time = (struct itimerspec){ 0 };
	timerfd_settime(capture->timer, 0, &time, NULL);
}

int ue__capture_fall_asleep(struct ue_capture *capture)
{
	const int milliseconds = ue__ring_fall_asleep(&capture->ring, UE__RING_IN_POLL);

	set_timer(capture, milliseconds);
	return milliseconds ? 0 : -EAGAIN;
}

/*
 * The ring has no event, or a pass through its pages is over: 0, -EPIPE, -ENOMEM, or
 * -EAGAIN to look once more. After the last writer, a pass from the beginning finds the
 * rest.
 */
static int rest(struct ue_capture *capture)
{
	const int result = ue__capture_read_definitions(capture);

	if (result || capture->socket < 0)
		return result;
	if (capture->ring.is_final)
		return -EPIPE;
	drain(capture);
	if (!capture->is_over)
		return ue__capture_fall_asleep(capture);
	capture->ring.is_final = 1;
	return -EAGAIN;
}

/* Events */

/* Programs may wait for room in the socket to send their names. */
#define SOCKET_INTERVAL 1024

static void look_at_socket(struct ue_capture *capture)
{
	if (capture->socket >= 0 && !(capture->ring.events % SOCKET_INTERVAL) && drain(capture))
		set_timer(capture, 0);
}

/* The next record of the ring: 1, 0, -EPIPE or -ENOMEM. */
static int next_record(struct ue_capture *capture)
{
	int result;

	if (capture->is_kept)
		return 1;
	do {
		result = ue__ring_reader_next(&capture->ring, &capture->event);
		if (!result)
			result = rest(capture);
	} while (result == -EAGAIN);
	if (result == 1)
		look_at_socket(capture);
	return result;
}

/* A program that writes nothing but records without a definition must not hold it up. */
#define MALFORMED_AT_ONCE 4096

/* The descriptor stays readable, as no sleep was announced. */
static int give_up(const struct ue_capture *capture)
{
	if (capture->socket >= 0)
		set_timer(capture, 0);
	return -EAGAIN;
}

int ue__capture_take(struct ue_capture *capture, uint64_t until,
		     struct ue__capture_source **source)
{
	int result;

	for (int i = 0; i < MALFORMED_AT_ONCE; i++) {
		result = next_record(capture);
		if (result != 1)
			return result;
		capture->is_kept = capture->ring.copy.record.time > until;
		if (capture->is_kept)
			return 0;
		result = ue__capture_find_source(capture, capture->event.index, source);
		capture->is_kept = result < 0;
		if (result)
			return result;
		capture->malformed++;
	}
	return give_up(capture);
}

/* Pages */

/* A page has some hundred events at most. */
#define SOCKET_INTERVAL_PAGES 16

static int next_page(struct ue_capture *capture)
{
	struct ue_captured_page *page = &capture->page;
	int result;

	if (capture->is_page_kept)
		return 1;
	if (capture->is_kept) {
		result = ue__ring_reader_same(&capture->ring, page);
		capture->is_kept = result < 0;
		page->lost = capture->event.lost;
		return result;
	}
	do {
		result = ue__ring_reader_next_page(&capture->ring, page);
		if (!result)
			result = rest(capture);
	} while (result == -EAGAIN);
	if (result == 1 && capture->socket >= 0 &&
	    !(++capture->pages % SOCKET_INTERVAL_PAGES) && drain(capture))
		set_timer(capture, 0);
	return result;
}

static int find_definition(struct ue_capture *capture, uint32_t index,
			   const char **definition)
{
	struct ue__capture_source *source =
		index < capture->sources_max ? capture->sources[index] : NULL;
	int result = 1;

	if (!source)
		result = ue__capture_find_source(capture, index, &source);
	*definition = source ? source->definition : NULL;
	return result < 0 ? result : *definition != NULL;
}

static void leave_out_undefined(struct ue_capture *capture)
{
	struct ue_captured_page *page = &capture->page;
	uint32_t count = 0;

	for (uint32_t i = 0; i < page->event_count; i++)
		if (page->events[i].definition)
			page->events[count++] = page->events[i];
	capture->malformed += page->event_count - count;
	page->event_count = count;
}

/* Add the definitions, and leave out records that have none. 0 or -ENOMEM. */
static int define_events(struct ue_capture *capture)
{
	struct ue_page_event *events = capture->page.events;
	const char *definition = NULL;
	int are_all = 1, result;

	for (uint32_t i = 0; i < capture->page.event_count; i++) {
		if (!i || events[i].index != events[i - 1].index) {
			result = find_definition(capture, events[i].index, &definition);
			if (result < 0)
				return result;
			are_all &= result;
		}
		events[i].definition = definition;
	}
	if (!are_all)
		leave_out_undefined(capture);
	return 0;
}

int ue__capture_take_page(struct ue_capture *capture)
{
	int result;

	for (int i = 0; i < MALFORMED_AT_ONCE; i++) {
		result = next_page(capture);
		if (result != 1)
			return result;
		result = define_events(capture);
		capture->is_page_kept = result < 0;
		if (result)
			return result;
		if (capture->page.event_count)
			return 1;
	}
	return give_up(capture);
}
