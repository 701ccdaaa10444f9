/* SPDX-License-Identifier: MIT */
/*
 * A capture among hostile processes. The input is a list of steps: an action, the number
 * of its bytes, and these bytes. Calls must return and do no harm, and the reader's
 * events must render.
 */
#include <errno.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <userevents/capture.h>
#include <userevents/userevents.h>

#include "kernel/capture_page.h"
#include "fuzz.h"

static struct ue_capture *capture;
static struct ue__capture_page *page;
static struct ue_event event;
static int session;
static char definition[256], out[1 << 16];

/* Any process with the descriptor can do this. */
static void map_page(void)
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
	page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
	PROMISE(page != MAP_FAILED);
	close(memory);
}

static void begin(void)
{
	struct ue_open_opts opts = { .size = sizeof(opts), .flags = UE_OPEN_FD };

	PROMISE(!ue_capture_open(NULL, &capture));
	opts.fd = ue_capture_writer_fd(capture);
	session = ue_open(&opts);
	PROMISE(session >= 0);
	map_page();
}

static void end(void)
{
	ue_unregister(&event);
	PROMISE(!ue_close(session));
	ue_capture_close(capture);
	munmap(page, sizeof(*page));
}

/* The steps. A text ends with a NUL, which is not counted. */

static void send_packet(const char *bytes, size_t length)
{
	send(ue_capture_writer_fd(capture), bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void send_registration(const char *bytes, size_t length)
{
	struct ue__capture_packet packet = {
		.control = UE__CAPTURE_CONTROL,
		.kind = UE__CAPTURE_REGISTER,
		.index = length ? (uint8_t)*bytes : 0,
	};

	if (length >= sizeof(packet.definition))
		length = sizeof(packet.definition) - 1;
	if (length)
		memcpy(packet.definition, bytes + 1, length);
	send_packet((const char *)&packet,
		    offsetof(struct ue__capture_packet, definition) + length);
}

static void send_event(const char *bytes, size_t length)
{
	char packet[4 + 255] = { length ? *bytes : 0 };

	memcpy(packet + 4, bytes, length);
	send_packet(packet, 4 + length);
}

static void change_page(const char *bytes, size_t length)
{
	uint16_t at;

	if (length < sizeof(at))
		return;
	memcpy(&at, bytes, sizeof(at));
	if (at % 4 == 0 && at < 32) /* all that is no text */
		at /= 4;
	length -= sizeof(at);
	if (at + length <= sizeof(*page))
		memcpy((char *)page + at, bytes + sizeof(at), length);
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
	send_packet, send_registration, send_event, change_page, register_event,
	write_event, read_event, read_line, enable, disable, skip,
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
