/* SPDX-License-Identifier: MIT */
/*
 * Checks the call chain of an event, as perf record -g records it: the kernel follows
 * frame pointers up from the system call. The library must not break that chain. This
 * program is compiled with frame pointers, too.
 */
#define _GNU_SOURCE
#include "support.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

UE_EVENT(chain_number, UE_U32(a));
UE_EVENT(chain_string, UE_STRING(a), UE_U32(b));
UE_EVENT(chain_blob, UE_BLOB(a));
UE_EVENT(chain_none);

UE_PROVIDER(provider, "CallChain");
UE_TRACEPOINT(point, provider, UE_LEVEL_INFORMATION, 0x1);
UE_EVENTHEADER(point, logged_number, UE_U32(a));
UE_EVENTHEADER(point, logged_string, UE_STRING(a), UE_U32(b));

#define NOINLINE __attribute__((noinline))
/* Keeps the compiler from turning the call before it into a jump. */
#define STAY __asm__ volatile("" ::: "memory")

/* Functions that write, in a section of their own, whose bounds the linker knows. */
#define WRITER __attribute__((noinline, section("writers"))) static int

extern const char __start_writers[], __stop_writers[];

WRITER write_number(void)
{
	return UE_WRITE(session, chain_number, 1);
}

WRITER write_string(void)
{
	return UE_WRITE(session, chain_string, "text", 1);
}

WRITER write_large_string(void)
{
	static char text[3000];

	memset(text, 'x', sizeof(text) - 1);
	return UE_WRITE(session, chain_string, text, 1);
}

WRITER write_blob(void)
{
	return UE_WRITE(session, chain_blob, "bytes", 5);
}

WRITER write_none(void)
{
	return UE_WRITE(session, chain_none);
}

WRITER write_bytes(void)
{
	return ue_write(session, UE_EVENT_OF(chain_number), "1234", 4);
}

WRITER write_logged_number(void)
{
	return UE_WRITE(session, logged_number, 1);
}

WRITER write_logged_string(void)
{
	return UE_WRITE(session, logged_string, "text", 1);
}

/* Return addresses that the call chain must contain. */
static void *inner_caller, *outer_caller;

static NOINLINE int inner(int (*write_event)(void))
{
	int result;

	inner_caller = __builtin_return_address(0);
	result = write_event();
	STAY;
	return result;
}

static NOINLINE int outer(int (*write_event)(void))
{
	int result;

	outer_caller = __builtin_return_address(0);
	result = inner(write_event);
	STAY;
	return result;
}

/* perf's ring, of one page */

static struct perf_event_mmap_page *ring;

static int open_perf(const struct ue_event *event)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_CALLCHAIN,
		.exclude_callchain_kernel = 1,
	};
	char path[300];
	int fd;

	snprintf(path, sizeof(path), "events/user_events/%s/id",
		 name_of(event->definition));
	attr.config = strtoull(read_file(path), NULL, 10);
	assert_true(attr.config > 0);
	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	assert_true(fd >= 0);
	ring = mmap(NULL, 2 * (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
		    MAP_SHARED, fd, 0);
	assert_true(ring != MAP_FAILED);
	return fd;
}

static void close_perf(int fd)
{
	munmap(ring, 2 * (size_t)sysconf(_SC_PAGESIZE));
	close(fd);
}

/*
 * Looks for an address from first to last in the only record. It is a sample: a number of
 * addresses, and the addresses.
 */
static int is_in_chain(const void *first, const void *last)
{
	const uint64_t *sample = (const void *)((const char *)ring + ring->data_offset);
	const struct perf_event_header *header = (const void *)sample;

	if (!ring->data_head || header->type != PERF_RECORD_SAMPLE)
		return 0;
	for (uint64_t i = 0; i < sample[1]; i++)
		if (sample[2 + i] >= (uintptr_t)first && sample[2 + i] <= (uintptr_t)last)
			return 1;
	return 0;
}

static void has_its_callers(const struct ue_event *event, int (*write_event)(void))
{
	int fd = open_perf(event);

	EVENTUALLY(ue_enabled(event));
	assert_int_equal(outer(write_event), 0);
	assert_true(is_in_chain(__start_writers, __stop_writers));
	assert_true(is_in_chain(inner_caller, inner_caller));
	assert_true(is_in_chain(outer_caller, outer_caller));
	close_perf(fd);
}

static void the_chain_of_a_classic_event_is_whole(void **state)
{
	(void)state;
	assert_int_equal(ue_register_all(session), 0);
	has_its_callers(UE_EVENT_OF(chain_none), write_none);
	has_its_callers(UE_EVENT_OF(chain_number), write_number);
	has_its_callers(UE_EVENT_OF(chain_string), write_string);
	has_its_callers(UE_EVENT_OF(chain_string), write_large_string);
	has_its_callers(UE_EVENT_OF(chain_blob), write_blob);
}

static void the_chain_of_bytes_is_whole(void **state)
{
	(void)state;
	assert_int_equal(ue_register_all(session), 0);
	has_its_callers(UE_EVENT_OF(chain_number), write_bytes);
}

static void the_chain_of_an_eventheader_event_is_whole(void **state)
{
	(void)state;
	assert_int_equal(ue_register_all(session), 0);
	has_its_callers(UE_EVENT_OF(point), write_logged_number);
	has_its_callers(UE_EVENT_OF(point), write_logged_string);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		SESSION_TEST(the_chain_of_a_classic_event_is_whole),
		SESSION_TEST(the_chain_of_bytes_is_whole),
		SESSION_TEST(the_chain_of_an_eventheader_event_is_whole),
	};

	return RUN_TESTS(tests, argc, argv);
}
