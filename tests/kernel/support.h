/* SPDX-License-Identifier: MIT */
/*
 * Tests on a real kernel: they register, enable through ftrace, and check the trace. A
 * test program exits with 77 if the kernel has no user_events.
 */
#ifndef UE__TESTS_KERNEL_SUPPORT_H
#define UE__TESTS_KERNEL_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <userevents/userevents.h>

#define TRACING "/sys/kernel/tracing"

/* The session of the running test, opened before and closed after it. */
extern int session;

/*
 * Prints the kernel's interface and runs the tests. Returns 77 without user_events,
 * unless UE_TEST_ABI names the required interface.
 */
int run_on_kernel(const struct CMUnitTest *tests, size_t count, int argc, char **argv);
#define RUN_TESTS(tests, argc, argv) \
	run_on_kernel(tests, sizeof(tests) / sizeof((tests)[0]), argc, argv)

int open_session(void **state);
int close_session(void **state);
#define SESSION_TEST(f) \
	cmocka_unit_test_setup_teardown(f, open_session, close_session)

/* 1 on a kernel up to 6.3. */
int is_status_page(void);

/* A definition with a name that no other test uses: NAME becomes t<pid>_<n>_NAME. */
const char *unique(const char *definition);
/* The name of a definition. */
const char *name_of(const char *definition);

/* Write to a file under TRACING; 0 or -errno. */
int write_file(const char *path, const char *text);
/* The text of a file under TRACING, or of an absolute path; "" if absent. */
const char *read_file(const char *path);

/* Sums, over all processors, the events held, overwritten, dropped, and read. */
uint64_t count_of_kernel(void);

/* Enable an event in ftrace, or disable it; the trace is emptied first. */
void listen_to(const struct ue_event *event);
void stop_listening(const struct ue_event *event);
/* The trace so far, without the header; it is then emptied. */
const char *recorded(void);
/* The number of records. */
int count_recorded(void);
/* The same from the kernel's counters, for any number and size of records. */
int count_entries(void);
/*
 * True if exactly these bytes are the payload, or the beginning of the payload, of a
 * record in the buffers. The trace as text would work only on newer kernels: up to 6.3 it
 * is a dump of the bytes.
 */
int was_recorded(const void *payload, size_t length);

/* Wait up to five minutes until the condition holds, then require it. */
#define EVENTUALLY(condition)                                           \
	do {                                                            \
		int holds = (condition);                                \
		for (int tries = 0; !holds && tries < 300000; tries++) {  \
			usleep(1000);                                   \
			holds = (condition);                            \
		}                                                       \
		if (!holds)                                             \
			fail_msg("not within 300 s: %s", #condition);     \
	} while (0)

#endif
