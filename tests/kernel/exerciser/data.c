/* SPDX-License-Identifier: MIT */
/*
 * Operations on user_events_data: open, close, the ioctls, and writes.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "exerciser.h"
#include "kernel/abi.h"

static int *data_slot(struct worker *worker)
{
	return &worker->process->data[below(worker, DATA_FILES)];
}

static int file_of(int *slot)
{
	return __atomic_load_n(slot, __ATOMIC_RELAXED);
}

static long open_data(struct worker *worker)
{
	static const int flags[] = {
		O_RDWR,		  O_WRONLY,	     O_RDONLY,
		O_RDWR | O_TRUNC, O_RDWR | O_APPEND, O_RDWR | O_NONBLOCK
	};
	int *slot = data_slot(worker), which = (int)below(worker, 24);
	int fd = open(TRACING "user_events_data",
		      O_CLOEXEC | flags[which < 6 ? which : 0]);

	return keep(slot, fd);
}

static long close_data(struct worker *worker)
{
	int fd = __atomic_exchange_n(data_slot(worker), -1, __ATOMIC_RELAXED);

	return close(fd);
}

static long dup_data(struct worker *worker)
{
	int fd = dup(file_of(data_slot(worker))), *slot = data_slot(worker);

	return keep(slot, fd);
}

static uint64_t draw_address(struct worker *worker)
{
	static const uint64_t bad[] = { 0,
					1,
					0xfff8,
					(uint64_t)-8,
					0xffff888000000000,
					0x7ffffffff000,
					0x7fffffffeff8,
					ARENA - 4 };
	uint64_t any = bad[below(worker, sizeof(bad) / sizeof(bad[0]))];
	uint64_t word = ARENA + below(worker, ARENA_PAGES) * PAGE + below(worker, 4) * 4;
	uint64_t odd = below(worker, 4);

	/* No code of this program can be written to. */
	if (one_in(worker, 40))
		return (uint64_t)(uintptr_t)draw_address & ~7UL;
	if (one_in(worker, 30))
		return any;
	if (one_in(worker, 30))
		return word + odd;
	return one_in(worker, 60) ? ARENA + PAGE - 4 : word;
}

/* Few, so that UNREG often meets a REG. */
static uint8_t draw_bit(struct worker *worker, unsigned size)
{
	const unsigned bits[] = { 0, 0, 31, size * 8 - 1 };
	unsigned odd = below(worker, 256), usual = bits[below(worker, 4)];

	return (uint8_t)(one_in(worker, 30) ? odd : usual);
}

static uint32_t draw_size(struct worker *worker, uint32_t usual)
{
	static const uint32_t bad[] = { 0,  1,	12,   24,   27,	       29,
					32, 64, 4096, 4097, UINT32_MAX };
	uint32_t any = bad[below(worker, sizeof(bad) / sizeof(bad[0]))];

	return one_in(worker, 25) ? any : usual;
}

/* A text at the end of memory that can be read, or nowhere. */
static uint64_t place_text(struct worker *worker, const char *text)
{
	static const uint64_t bad[] = { 0, 0xffff888000000000, (uint64_t)-1, ARENA - 1 };
	uint64_t any = bad[below(worker, 4)];
	size_t length = strlen(text) + !one_in(worker, 50);
	unsigned char *place = worker->buffer + PAYLOAD_MAX - length;

	memcpy(place, text, length);
	return one_in(worker, 50) ? any : (uint64_t)(uintptr_t)place;
}

/* Larger than any kernel knows, for structures that promise more than they have. */
union request {
	struct ue__enable_address_reg reg;
	struct ue__enable_address_unreg unreg;
	struct ue__status_page_reg old;
	unsigned char bytes[PAGE + 8];
};

static void draw_reg(struct worker *worker, union request *request, uint64_t text)
{
	static const uint16_t flags[] = { 0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 1, 3 };
	uint16_t bad = (uint16_t)(4U << below(worker, 14));
	unsigned size = one_in(worker, 2) ? 4 : 8;
	unsigned odd = below(worker, 256);

	memset(request, 0, sizeof(*request));
	if (one_in(worker, 60))
		request->bytes[32] = 1;
	request->reg.enable_size = (uint8_t)(one_in(worker, 30) ? odd : size);
	request->reg.enable_bit = draw_bit(worker, size);
	request->reg.flags = one_in(worker, 60) ? bad : flags[below(worker, 12)];
	request->reg.enable_addr = draw_address(worker);
	if (size == 8 && !one_in(worker, 30))
		request->reg.enable_addr &= ~7UL;
	request->reg.name_args = text;
	if (is_6_1)
		request->old = (struct ue__status_page_reg){ .name_args = text };
	request->reg.size =
		draw_size(worker, is_6_1 ? sizeof(request->old) : sizeof(request->reg));
}

/* 32-bit programs have other request numbers, and some numbers are unknown. */
static unsigned long draw_request(struct worker *worker, unsigned long usual)
{
	unsigned long odd = usual ^ (1UL << below(worker, 32));

	return one_in(worker, 60) ? odd : usual;
}

static long reg(struct worker *worker)
{
	union request request;
	char text[800];
	int fd = file_of(data_slot(worker));

	draw_definition(worker, text, sizeof(text));
	draw_reg(worker, &request, place_text(worker, text));
	if (one_in(worker, 100))
		return ioctl(fd, UE__IOC_REG, draw_address(worker) | 0xffff000000000000);
	return ioctl(fd, draw_request(worker, UE__IOC_REG), &request);
}

/* Without files that have events, most operations would do nothing. */
void open_all(struct worker *worker)
{
	for (int i = 0; i < DATA_FILES; i++)
		keep(&worker->process->data[i],
		     open(TRACING "user_events_data", O_RDWR | O_CLOEXEC));
	for (int i = 0; i < 4 * DATA_FILES; i++)
		reg(worker);
}

static long unreg(struct worker *worker)
{
	union request request;

	memset(&request, 0, sizeof(request));
	request.unreg.size = draw_size(worker, sizeof(request.unreg));
	request.unreg.disable_bit = draw_bit(worker, 4);
	request.unreg.disable_addr = draw_address(worker);
	request.unreg.reserved1 = one_in(worker, 50);
	request.unreg.reserved2 = (uint16_t)one_in(worker, 50);
	return ioctl(file_of(data_slot(worker)), draw_request(worker, UE__IOC_UNREG),
		     &request);
}

static long del(struct worker *worker)
{
	char text[800];

	draw_name(worker, text, sizeof(text));
	return ioctl(file_of(data_slot(worker)), draw_request(worker, UE__IOC_DEL),
		     place_text(worker, text));
}

/* Above 8 KiB a stock kernel warns if perf listens. */
static size_t draw_length(struct worker *worker)
{
	static const size_t edges[] = { 0,     1,     4,     8,	    24,	   4088,
					8151,  8152,  8188,  8192,  16384, 65515,
					65527, 65535, 65536, 65540, 131072 };
	size_t edge = edges[below(worker, sizeof(edges) / sizeof(edges[0]))];
	size_t small = below(worker, 256), any = below(worker, PAYLOAD_MAX);
	size_t length = one_in(worker, 6) ? edge : one_in(worker, 40) ? any : small;

	return is_tame && length > 8000 ? 8000 : length;
}

/* In the last, each word refers to a byte that is NUL, whatever record it is in. */
static void draw_payload(struct worker *worker, unsigned char *payload, size_t length)
{
	static const uint32_t patterns[] = { 0, UINT32_MAX, 0x41414141, 0x00010031,
					     0x00010031 };
	unsigned which = below(worker, 8);
	uint64_t any = draw(worker);

	for (size_t i = 0; i < length; i += 4) {
		uint32_t word = which < 5 ? patterns[which]
					  : (uint32_t)(any *= 0x9e3779b97f4a7c15);

		memcpy(payload + i, &word, length - i < 4 ? length - i : 4);
	}
}

static int32_t draw_index(struct worker *worker)
{
	static const int32_t bad[] = { -1, INT32_MIN, INT32_MAX, 1000, 65536 };
	int32_t any = bad[below(worker, 5)], usual = (int32_t)below(worker, 6);

	return one_in(worker, 30) ? any : usual;
}

/* An event that reaches to the end of the buffer, or beyond: then the copy faults. */
static unsigned char *draw_event(struct worker *worker, size_t *length)
{
	int32_t index = draw_index(worker);
	size_t beyond = one_in(worker, 30) ? below(worker, 64) : 0;
	unsigned char *event;

	*length = sizeof(index) + draw_length(worker);
	event = worker->buffer + PAYLOAD_MAX - *length;
	draw_payload(worker, event + sizeof(index), *length - sizeof(index));
	memcpy(event, &index, sizeof(index));
	if (one_in(worker, 100))
		*length = below(worker, 4);
	*length += beyond;
	return event;
}

static long write_event(struct worker *worker)
{
	size_t length;
	unsigned char *event = draw_event(worker, &length);

	return write(file_of(data_slot(worker)), event, length);
}

static long pwrite_event(struct worker *worker)
{
	size_t length;
	unsigned char *event = draw_event(worker, &length);
	off_t offset = one_in(worker, 8) ? below(worker, 9) : 0;

	return pwrite(file_of(data_slot(worker)), event, length, offset);
}

/* The event in up to nine pieces, some of them empty. */
static long writev_event(struct worker *worker)
{
	struct iovec pieces[9];
	size_t length;
	unsigned char *event = draw_event(worker, &length);
	int count = 1 + (int)below(worker, 8);

	for (int i = 0; i < count; i++) {
		size_t piece = below(worker, 24);

		piece = piece > length ? length : piece;
		pieces[i] = (struct iovec){ event, piece };
		event += piece;
		length -= piece;
	}
	pieces[count] = (struct iovec){ event, length };
	return writev(file_of(data_slot(worker)), pieces, count + 1);
}

const struct kind data_kinds[] = {
	{ "open", 8, open_data },	 { "close", 5, close_data },
	{ "dup", 4, dup_data },		 { "REG", 120, reg },
	{ "UNREG", 50, unreg },		 { "DEL", 20, del },
	{ "write", 100, write_event },	 { "pwrite", 20, pwrite_event },
	{ "writev", 100, writev_event }, { 0 },
};
