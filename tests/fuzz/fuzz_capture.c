/* SPDX-License-Identifier: MIT */
/*
 * A capture among hostile processes. The input is a list of steps: an action, the number
 * of its bytes, and these bytes. Calls must return and do no harm, and the reader's
 * events must render.
 */
#include <errno.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <userevents/capture.h>
#include <userevents/userevents.h>

#include "kernel/capture_socket.h"
#include "ring/ring_memory.h"
#include "ring/write/ring_writer.h"
#include "fuzz.h"

static struct ue_capture *capture;
static struct ue__ring_writer stranger; /* another process: its memory may be anything */
static struct ue_event event;
static int session;
static char definition[256], out[1 << 16];

/* Any process with the descriptor can do this. */
static void begin_stranger(void)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	uint32_t magic;
	struct iovec piece = { &magic, sizeof(magic) };
	struct msghdr message = {
		.msg_iov = &piece,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	int memory;

	PROMISE(recvmsg(ue_capture_writer_fd(capture), &message, MSG_PEEK) == sizeof(magic));
	memcpy(&memory, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(memory));
	PROMISE(!ue__ring_attach(&stranger, memory, ue_capture_writer_fd(capture)));
	close(memory);
}

static void begin(void)
{
	/* the least */
	const struct ue_capture_opts small = { .size = sizeof(small), .buffer = 1 };
	struct ue_open_opts opts = { .size = sizeof(opts), .flags = UE_OPEN_FD };

	PROMISE(!ue_capture_open(&small, &capture));
	opts.fd = ue_capture_writer_fd(capture);
	session = ue_open(&opts);
	PROMISE(session >= 0);
	begin_stranger();
}

static void end(void)
{
	ue_unregister(&event);
	PROMISE(!ue_close(session));
	ue_capture_close(capture);
	ue__ring_detach(&stranger);
}

/* The steps. A text ends with a NUL, which is not counted. */

static void send_packet(const char *bytes, size_t length)
{
	send(ue_capture_writer_fd(capture), bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void send_event(const char *bytes, size_t length)
{
	struct ue__capture_event_packet packet = { .kind = UE__CAPTURE_EVENT };

	memcpy(packet.definition, bytes, length);
	send_packet((const char *)&packet, offsetof(struct ue__capture_event_packet, definition) +
						   length + 1);
}

/* The index may be any. */
static void put_record(const char *bytes, size_t length)
{
	char record[4 + 255] = { length ? *bytes : 0 };

	memcpy(record + 4, bytes, length);
	(void)ue__ring_put(&stranger, record, (uint32_t)(4 + length));
}

static void change_memory(const char *bytes, size_t length)
{
	uint16_t word;
	size_t at;

	if (length < sizeof(word))
		return;
	memcpy(&word, bytes, sizeof(word));
	at = (size_t)word * 4; /* all of the least ring */
	length -= sizeof(word);
	if (at + length <= stranger.memory.size)
		memcpy((char *)stranger.memory.ring + at, bytes + sizeof(word), length);
}

static void register_event(const char *bytes, size_t length)
{
	ue_unregister(&event);
	memcpy(definition, bytes, length + 1);
	ue_event_init(&event, definition, 0);
	(void)ue_register(session, &event);
}

static void write_event(const char *bytes, size_t length)
{
	(void)ue_write(session, &event, bytes, length);
}

static void read_event(const char *bytes, size_t length)
{
	struct ue_captured captured;
	struct ue_item item;
	int result = ue_capture_next(capture, &captured);

	(void)length;
	PROMISE(result == 0 || result == 1);
	if (!result)
		return;
	PROMISE(ue_record_to_json(captured.format, captured.bytes, captured.length, NULL,
				  out, sizeof(out)) >= 0);
	(void)ue_captured_field(&captured, bytes, &item);
}

static void read_page(const char *bytes, size_t length)
{
	struct ue_captured_page page;
	const int result = ue_capture_next_page(capture, &page);

	(void)bytes;
	(void)length;
	PROMISE(result == 0 || result == 1);
	for (uint32_t i = 0; result && i < page.event_count; i++) {
		PROMISE(page.events[i].definition && page.events[i].index < 65536);
		PROMISE(page.events[i].thread < page.thread_count);
		memcpy(out, page.events[i].bytes, page.events[i].length);
	}
}

static void read_line(const char *bytes, size_t length)
{
	(void)bytes;
	(void)length;
	PROMISE(!strchr(ue_capture_line(capture), '\n'));
}

static void enable(const char *glob, size_t length)
{
	int result = ue_capture_enable(capture, glob);

	(void)length;
	PROMISE(!result || result == -EINVAL || result == -ENOSPC);
}

static void disable(const char *glob, size_t length)
{
	int result = ue_capture_disable(capture, glob);

	(void)length;
	PROMISE(!result || result == -EINVAL || result == -ENOSPC);
}

static void skip(const char *bytes, size_t length)
{
	(void)bytes;
	(void)length;
	PROMISE(ue_capture_skip(capture) >= 0);
}

static void (*const steps[])(const char *, size_t) = {
	send_packet, send_event, put_record, change_memory, register_event, write_event,
	read_event, read_line, enable, disable, skip, read_page
};

static size_t take_step(const uint8_t *data, size_t size)
{
	const size_t length = data[1] < size - 2 ? data[1] : size - 2;
	char *bytes = calloc(1, length + 1); /* of its own, so that over-reads are seen */

	PROMISE(bytes);
	memcpy(bytes, data + 2, length);
	steps[data[0] % (sizeof(steps) / sizeof(steps[0]))](bytes, length);
	free(bytes);
	return 2 + length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ue_capture_counts counts;

	begin();
	while (size >= 2) {
		const size_t taken = take_step(data, size);

		data += taken;
		size -= taken;
	}
	ue_capture_count(capture, &counts);
	PROMISE(ue_capture_skip(capture) >= 0);
	end();
	return 0;
}
