/* SPDX-License-Identifier: MIT */
/*
 * Walk the stack of a thread, and write it with an event.
 *
 * The frame pointer of code that was compiled without them holds anything. To follow it could
 * fault, so memory is read by process_vm_readv(2) of the own process, which fails instead. One
 * call reads as many bytes as a few small frames have; the next frame is looked for there
 * first. Frames lie at ascending addresses, which are multiples of the size of a pointer, and
 * not far from each other: so a chain that goes round, or anywhere, ends.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ring/events.h"
#include "stack.h"
#include "util/errno_guard.h"

/* Walking */

/* Stacks are small in signal handlers, so this is. */
#define WINDOW 768u
/* A function has no larger frame. */
#define FRAME_MOST ((uintptr_t)1 << 20)

struct window {
	uintptr_t begin, end; /* its content */
	char bytes[WINDOW] __attribute__((aligned(16)));
};

/* The target of a frame pointer. */
struct frame {
	uintptr_t next, address;
};

#if defined(__x86_64__) || defined(__aarch64__)
/* A page may be missing, and each piece is read whole or not at all. */
static void read_window(struct window *window, uintptr_t at)
{
	const uintptr_t page = (at | 4095) + 1;
	const struct iovec here = { window->bytes, WINDOW };
	struct iovec there[2] = { { (void *)at, WINDOW }, { (void *)page, 0 } };
	long got;

	if (page - at < WINDOW) {
		there[0].iov_len = page - at;
		there[1].iov_len = WINDOW - (page - at);
	}
	got = syscall(SYS_process_vm_readv, getpid(), &here, 1, there, 2, 0);
	window->begin = at;
	window->end = got > 0 ? at + (uintptr_t)got : at;
}

static int read_frame(struct window *window, uintptr_t at, struct frame *frame)
{
	if (at < window->begin || at > window->end || window->end - at < sizeof(*frame))
		read_window(window, at);
	if (window->end - at < sizeof(*frame))
		return 0;
	memcpy(frame, window->bytes + (at - window->begin), sizeof(*frame));
	return 1;
}

/* Drop the signature that functions of aarch64 give their return addresses. */
static uintptr_t plain(uintptr_t address)
{
#ifdef __aarch64__
	register uintptr_t link __asm__("x30") = address;

	__asm__("hint #7" : "+r"(link)); /* xpaclri */
	return link;
#else
	return address;
#endif
}
#endif

void ue__walk_stack(const void *frame, uint32_t most, struct ue__walked *walked)
{
	walked->count = 0;
	walked->is_cut = 0;
#if defined(__x86_64__) || defined(__aarch64__)
	UE__KEEP_ERRNO;
	uintptr_t at = (uintptr_t)frame;
	struct window window = { 0, 0, "" };
	struct frame found;

	while (walked->count < most && at && at % sizeof(void *) == 0) {
		if (!read_frame(&window, at, &found)) {
			walked->is_cut = !walked->count;
			break;
		}
		if (!found.address)
			break;
		walked->frames[walked->count++] = plain(found.address);
		if (found.next <= at || found.next - at > FRAME_MOST)
			break;
		at = found.next;
	}
#else
	(void)frame;
	(void)most;
	walked->is_cut = 1;
#endif
}

/* Describing the code */

struct mapping {
	uint32_t number;
	uint64_t begin, end, offset, inode;
	char path[200];
} __attribute__((packed));

/*
 * Lines of /proc/self/maps, read piece by piece. The functions of libc for it are cancellation
 * points, which no write is.
 */
struct lines {
	int fd;
	uint32_t length, at;
	char bytes[256];
};

static int next_char(struct lines *lines)
{
	if (lines->at == lines->length) {
		const long got =
			syscall(SYS_read, lines->fd, lines->bytes, sizeof(lines->bytes));

		lines->length = got > 0 ? (uint32_t)got : 0;
		lines->at = 0;
	}
	return lines->at < lines->length ? (unsigned char)lines->bytes[lines->at++] : -1;
}

/* A number, and the character behind it. */
static uint64_t next_number(struct lines *lines, unsigned int base)
{
	uint64_t number = 0;

	for (;;) {
		const int digit = next_char(lines);
		const unsigned int value = digit >= '0' && digit <= '9' ? (unsigned)digit - '0' :
					   digit >= 'a' && digit <= 'f' ? (unsigned)digit - 'a' + 10 :
									  16;

		if (value >= base)
			return number;
		number = number * base + value;
	}
}

/* A path has any character but NUL; the kernel writes a newline as \012. */
static void next_path(struct lines *lines, char *path, size_t size)
{
	static const char newline[] = "\\012";
	size_t length = 0;
	int character = ' ';

	while (character == ' ')
		character = next_char(lines);
	for (; character > 0 && character != '\n'; character = next_char(lines)) {
		if (length < size - 1)
			path[length++] = (char)character;
		if (length >= 4 && !memcmp(path + length - 4, newline, 4)) {
			length -= 3;
			path[length - 1] = '\n';
		}
	}
	memset(path + length, 0, size - length);
}

/* begin-end rights offset device:device inode path. 1, or 0 at the end. */
static int next_mapping(struct lines *lines, struct mapping *mapping, int *is_code)
{
	char rights[5];

	mapping->begin = next_number(lines, 16);
	mapping->end = next_number(lines, 16);
	for (size_t i = 0; i < sizeof(rights); i++)
		rights[i] = (char)next_char(lines);
	mapping->offset = next_number(lines, 16);
	next_number(lines, 16);
	next_number(lines, 16);
	mapping->inode = next_number(lines, 10);
	next_path(lines, mapping->path, sizeof(mapping->path));
	*is_code = rights[2] == 'x';
	return mapping->end != 0;
}

/* 0, or -errno if it finds no room. */
static int put_mapping(struct ue__ring_writer *writer, uint32_t index,
		       const struct mapping *mapping)
{
	const uint32_t size = (uint32_t)(sizeof(index) + sizeof(*mapping));
	struct ue__ring_place place;
	const int result =
		ue__ring_reserve_by(writer, size, &place, ue__ring_reserve_uncounted);

	if (result)
		return result;
	ue__ring_begin_as(writer, &place, size, UE__RING_DESCRIBES);
	memcpy(place.record->bytes, &index, sizeof(index));
	memcpy(place.record->bytes + sizeof(index), mapping, sizeof(*mapping));
	ue__ring_commit_as(&place, size, UE__RING_DESCRIBES);
	return 0;
}

static int write_mapping(struct ue__ring_writer *writer, uint32_t index,
			 const struct mapping *mapping)
{
	struct ue__ring_described *described = &writer->described;

	if (described->count < UE__RING_DESCRIBED)
		described->code[described->count++] =
			(struct ue__ring_code){ mapping->begin, mapping->end };
	return put_mapping(writer, index, mapping);
}

static uint32_t opened(const struct ue__ring_writer *writer)
{
	return __atomic_load_n(&writer->memory.ring->opened[1], __ATOMIC_RELAXED);
}

static uint32_t asked(const struct ue__ring_writer *writer)
{
	return __atomic_load_n(&writer->memory.ring->asked, __ATOMIC_ACQUIRE);
}

/*
 * A signal handler that this was interrupted by may have forked; then this is the child.
 * Not inline: stacks are small, and the walk needs as much at another moment.
 */
static __attribute__((noinline)) void write_mappings(struct ue__ring_writer *writer,
						     uint32_t index)
{
	struct ue__ring_described *described = &writer->described;
	const uint32_t owner = writer->owner;
	struct lines lines = {
		.fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/maps",
				   O_RDONLY | O_CLOEXEC),
	};
	struct mapping mapping = { .number = 0 };
	int is_code;

	described->count = 0;
	described->is_partial = 0;
	described->opened = opened(writer);
	described->asked = asked(writer);
	if (lines.fd < 0)
		return;
	while (!described->is_partial && writer->owner == owner &&
	       next_mapping(&lines, &mapping, &is_code))
		if (is_code) {
			described->is_partial = write_mapping(writer, index, &mapping) != 0;
			mapping.number++;
		}
	syscall(SYS_close, lines.fd);
}

/* They are in the order of addresses. */
static int is_described(const struct ue__ring_described *described, uint64_t address)
{
	uint32_t begin = 0, end = described->count;

	while (begin < end) {
		const uint32_t middle = begin + (end - begin) / 2;

		if (described->code[middle].end <= address)
			begin = middle + 1;
		else
			end = middle;
	}
	return begin < described->count && address >= described->code[begin].begin;
}

/* Is all code that the stack leads through described, as far as is kept? */
static int is_known(const struct ue__ring_described *described, const struct ue__walked *walked)
{
	uint32_t i = 0;

	while (i < walked->count && is_described(described, walked->frames[i]))
		i++;
	return i == walked->count;
}

/*
 * Addresses that no mapping has come from code without frame pointers, over and over. After
 * each look that was in vain, twice as many of them are passed over.
 */
static int should_look(struct ue__ring_described *described, const struct ue__walked *walked)
{
	if (is_known(described, walked))
		return 0;
	if (described->missed++ < described->patience)
		return 0;
	described->missed = 0;
	if (described->patience < UINT32_MAX / 2)
		described->patience = described->patience * 2 + 1;
	return 1;
}

/* The oldest events of a ring that overwrites are those that describe. */
static int may_be_overwritten(const struct ue__ring_writer *writer)
{
	const uint32_t half = ue__ring_count_of(&writer->memory, 1) / 2;

	return writer->memory.mode == UE__RING_OVERWRITE &&
	       opened(writer) - writer->described.opened > half;
}

static int is_full(const struct ue__ring_writer *writer)
{
	const uint32_t freed = __atomic_load_n(&writer->memory.ring->freed, __ATOMIC_ACQUIRE);

	return writer->memory.mode != UE__RING_OVERWRITE &&
	       __atomic_load_n(&writer->full_at, __ATOMIC_RELAXED) == UINT64_C(1) + freed;
}

static int is_due(struct ue__ring_writer *writer, const struct ue__walked *walked)
{
	struct ue__ring_described *described = &writer->described;

	if (described->owner != writer->owner) {
		described->owner = writer->owner;
		described->patience = described->missed = 0;
		return 1;
	}
	if (described->is_partial)
		return !is_full(writer);
	return described->asked != asked(writer) || may_be_overwritten(writer) ||
	       should_look(described, walked);
}

/* One thread does; one that it was interrupted by, or that it met, goes on without. */
static void describe_code(struct ue__ring_writer *writer, const struct ue__walked *walked)
{
	struct ue__ring_described *described = &writer->described;
	const uint32_t event =
		__atomic_load_n(&writer->memory.ring->describes_code, __ATOMIC_ACQUIRE);
	UE__KEEP_ERRNO;

	if (!event || __atomic_exchange_n(&described->is_busy, 1, __ATOMIC_ACQUIRE))
		return;
	if (is_due(writer, walked))
		write_mappings(writer, event - 1);
	__atomic_store_n(&described->is_busy, 0, __ATOMIC_RELEASE);
}

/* Writing */

static uint32_t frames_asked(const struct ue__ring_writer *writer)
{
	const struct ue__ring *ring = writer->memory.ring;
	const uint32_t asked = __atomic_load_n(&ring->frames, __ATOMIC_RELAXED);

	return asked && asked < UE__RING_FRAMES_ASKED ? asked : UE__RING_FRAMES_ASKED;
}

/* The number of frames that fit beside a payload. */
static uint32_t frames_most(uint32_t asked, uint32_t length)
{
	const uint32_t room = UE__RING_LARGE - (uint32_t)sizeof(struct ue__ring_page) -
			      (uint32_t)sizeof(struct ue__ring_record);
	const uint32_t without = ue__ring_stacked_size(length, 0);
	const uint32_t fit = without < room ? (room - without) / (uint32_t)sizeof(uint64_t) : 0;
	const uint32_t most = asked + UE__RING_FRAMES_OWN;

	return most < fit ? most : fit;
}

static char *add(char *at, const void *bytes, size_t size)
{
	if (size)
		memcpy(at, bytes, size);
	return at + size;
}

static int put(struct ue__ring_writer *writer, uint32_t index, const struct iovec *iov,
	       int count, uint32_t length, const struct ue__walked *walked,
	       uint32_t asked)
{
	const struct ue__ring_stack stack = { length, (uint16_t)walked->count,
					      (uint8_t)walked->is_cut, (uint8_t)asked };
	const uint32_t size = ue__ring_stacked_size(length, walked->count);
	struct ue__ring_place place = { NULL, NULL };
	const int result = ue__ring_reserve(writer, size, &place);
	char *at;

	if (result)
		return result;
	ue__ring_begin(writer, &place, size);
	at = add(place.record->bytes, &index, sizeof(index));
	for (int i = 0; i < count; i++)
		at = add(at, iov[i].iov_base, iov[i].iov_len);
	at = add(at, "\0\0\0\0\0\0\0", -(sizeof(index) + length) & 7);
	at = add(at, walked->frames, walked->count * sizeof(walked->frames[0]));
	add(at, &stack, sizeof(stack));
	ue__ring_commit_as(&place, size, UE__RING_HAS_STACK);
	return 0;
}

int ue__ring_put_stack(struct ue__ring_writer *writer, uint32_t index, const struct iovec *iov,
		       int count, uint32_t length, const void *frame, const void *caller)
{
	const uint32_t asked = frames_asked(writer), most = frames_most(asked, length);
	struct ue__walked walked = { .count = 0 };

	if (!most)
		return ue__ring_putv(writer, index, iov, count, (uint32_t)sizeof(index) + length);
	ue__walk_stack(frame, most, &walked);
	if (!walked.count || caller)
		walked.frames[0] = (uintptr_t)(caller ? caller : __builtin_return_address(0));
	walked.count += !walked.count;
	describe_code(writer, &walked);
	return put(writer, index, iov, count, length, &walked, asked);
}
