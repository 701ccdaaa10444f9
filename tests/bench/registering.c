/* SPDX-License-Identifier: MIT */
/*
 * The cost of registering, unregistering, forking and closing, for each of 1,000
 * events, beside the same requests to the kernel with ready structs (Linux 6.4 and
 * later). A fork is one with a child that ends, and the kernel's is one without the
 * library's handler. And the cost of opening and closing a session, beside open() and
 * close() of the file.
 *
 * Each round has names of its own and waits for the kernel to delete the events of the
 * round before, so that all find the kernel in the same state.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <userevents/classic_event.h>

#include "kernel/abi.h"
#include "measure.h"

#define TRACING "/sys/kernel/tracing/"
#define EVENTS 1000
#define ROUNDS 3

static struct ue_event events[EVENTS], *all[EVENTS];
static char definitions[EVENTS][64];
static uint32_t words[EVENTS];
static int fd;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void wait_for_deletion(void)
{
	char text[4096];
	ssize_t length;

	do {
		int status = open(TRACING "user_events_status", O_RDONLY);

		usleep(100000);
		length = read(status, text, sizeof(text) - 1);
		close(status);
		text[length > 0 ? length : 0] = '\0';
	} while (strstr(text, "bench_r"));
	usleep(500000);
}

static void require(int result)
{
	if (result)
		fail("A request to register, unregister or close failed.");
}

/* The library */

static const struct ue__module module = { .begin = all, .end = all + EVENTS };

static void begin_library(void)
{
	fd = ue_open(NULL);
	for (int i = 0; i < EVENTS; i++) {
		all[i] = &events[i];
		require(ue_event_init(all[i], definitions[i], 0));
	}
}

static void register_library(void)
{
	require(ue__register_events(fd, &module, NULL, NULL));
}

static void unregister_library(void)
{
	require(ue__unregister_events(&module));
}

static void close_library(void)
{
	require(ue_close(fd));
}

/* The kernel */

static struct ue__enable_address_reg registrations[EVENTS];
static struct ue__enable_address_unreg unregistrations[EVENTS];

static void begin_kernel(void)
{
	fd = open(TRACING "user_events_data", O_RDWR | O_CLOEXEC);
	for (int i = 0; i < EVENTS; i++) {
		registrations[i] = (struct ue__enable_address_reg){
			.size = sizeof(registrations[i]),
			.enable_size = sizeof(words[i]),
			.enable_addr = (uintptr_t)&words[i],
			.name_args = (uintptr_t)definitions[i],
		};
		unregistrations[i] = (struct ue__enable_address_unreg){
			.size = sizeof(unregistrations[i]),
			.disable_addr = (uintptr_t)&words[i],
		};
	}
}

static void register_kernel(void)
{
	for (int i = 0; i < EVENTS; i++)
		require(ioctl(fd, UE__IOC_REG, &registrations[i]));
}

static void unregister_kernel(void)
{
	for (int i = 0; i < EVENTS; i++)
		require(ioctl(fd, UE__IOC_UNREG, &unregistrations[i]));
}

static void close_kernel(void)
{
	unregister_kernel();
	close(fd);
}

/* Fork */

static void end(pid_t child)
{
	int status;

	if (!child)
		_exit(0);
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		fail("A child of a fork failed.");
}

static void fork_library(void)
{
	end(fork());
}

static void fork_kernel(void)
{
	end((pid_t)syscall(SYS_fork));
}

/* Open and close */

#define SESSIONS 1000

static void open_and_close_library(void)
{
	for (int i = 0; i < SESSIONS; i++)
		require(ue_close(ue_open(NULL)));
}

static void open_and_close_kernel(void)
{
	for (int i = 0; i < SESSIONS; i++)
		require(close(open(TRACING "user_events_data", O_RDWR | O_CLOEXEC)));
}

/* Rounds */

static const struct side {
	const char *name;
	void (*begin)(void), (*enlist)(void), (*delist)(void), (*fork)(void), (*end)(void);
	void (*open_and_close)(void);
} sides[] = {
	{ "floor_", begin_kernel, register_kernel, unregister_kernel, fork_kernel,
	  close_kernel, open_and_close_kernel },
	{ "ue_", begin_library, register_library, unregister_library, fork_library,
	  close_library, open_and_close_library },
};

enum { REGISTER,
       UNREGISTER,
       FORK,
       CLOSE,
       OPEN_CLOSE,
       OPERATIONS };

static const char *const operations[] = {
	"register", "unregister", "fork", "close", "open_close",
};
static uint64_t best[2][OPERATIONS];

static void time_one(uint64_t *shortest, void (*operation)(void))
{
	const uint64_t begin = now();
	uint64_t time;

	operation();
	time = now() - begin;
	if (!*shortest || time < *shortest)
		*shortest = time;
}

static void run_round(const struct side *side, uint64_t *shortest)
{
	static unsigned round;

	wait_for_deletion();
	time_one(&shortest[OPEN_CLOSE], side->open_and_close);
	round++;
	for (int i = 0; i < EVENTS; i++)
		snprintf(definitions[i], sizeof(definitions[i]),
			 "bench_r%02u_%04d u32 a; u64 b; __rel_loc char[] c", round % 100, i);
	side->begin();
	time_one(&shortest[REGISTER], side->enlist);
	time_one(&shortest[UNREGISTER], side->delist);
	side->enlist();
	time_one(&shortest[FORK], side->fork);
	time_one(&shortest[CLOSE], side->end);
}

int main(void)
{
	fd = ue_open(NULL);
	if (ue_abi(fd) != UE_ABI_ENABLE_ADDRESS)
		return 0;
	ue_close(fd);
	for (int i = 0; i < ROUNDS; i++)
		for (int side = 0; side < 2; side++)
			run_round(&sides[side], best[side]);
	for (int i = 0; i < OPERATIONS; i++) {
		const double count = i == OPEN_CLOSE ? SESSIONS : EVENTS;

		for (int side = 0; side < 2; side++)
			printf("%s%s\t%.1f\n", sides[side].name, operations[i],
			       (double)best[side][i] / count);
	}
	return 0;
}
