/* SPDX-License-Identifier: MIT */
/*
 * Asks whether a registration belongs to the process or to one of its threads.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/abi.h"
#include "surprises.h"

#define EVENT "process_event"
#define ENABLE "events/user_events/" EVENT "/enable"

static volatile uint32_t word;
static int data;
static const char *registered; /* verdict of the last request, in its own thread */
static int child_word;

static int register_word(void)
{
	struct ue__enable_address_reg reg = {
		.size = sizeof(reg),
		.enable_size = sizeof(word),
		.enable_addr = (uintptr_t)&word,
		.name_args = (uintptr_t)EVENT " u32 a",
	};

	return ioctl(data, UE__IOC_REG, &reg);
}

static int unregister_word(void)
{
	struct ue__enable_address_unreg unreg = {
		.size = sizeof(unreg),
		.disable_addr = (uintptr_t)&word,
	};

	return ioctl(data, UE__IOC_UNREG, &unreg);
}

/* The kernel may write the word later if its page is not present. */
static int word_becomes(uint32_t wanted)
{
	for (int i = 0; i < 2000 && word != wanted; i++)
		usleep(1000);
	return word == wanted;
}

static int follows(void)
{
	int result;

	put_tracefs(ENABLE, "1");
	result = word_becomes(1);
	put_tracefs(ENABLE, "0");
	return word_becomes(0) && result;
}

/* Reports on the word in a child: a pipe keeps it waiting until the event is enabled. */
static int child_follows(void)
{
	int ready[2], status;
	char byte = 0;
	pid_t child;

	if (pipe(ready))
		return 0;
	child = fork();
	if (!child) {
		word = 0; /* makes the page the child's own */
		read(ready[0], &byte, 1);
		_exit(!word_becomes(1));
	}
	put_tracefs(ENABLE, "1");
	write(ready[1], &byte, 1);
	waitpid(child, &status, 0);
	put_tracefs(ENABLE, "0");
	return !status;
}

/* The threads that ask exist before the process makes its first request. */
static pthread_barrier_t begin;

static void *register_later(void *unused)
{
	pthread_barrier_wait(&begin);
	registered = verdict(register_word());
	return unused;
}

static void *register_and_fork(void *unused)
{
	pthread_barrier_wait(&begin);
	child_word = child_follows();
	return unused;
}

/* Lets a thread do this that existed before this thread does that. */
static void in_older_thread(void *(*function)(void *), int (*before)(void))
{
	pthread_t thread;

	data = open_tracefs("user_events_data", O_RDWR);
	pthread_barrier_init(&begin, NULL, 2);
	pthread_create(&thread, NULL, function, NULL);
	if (before)
		registered = verdict(before());
	pthread_barrier_wait(&begin);
	pthread_join(thread, NULL);
}

/* Without addresses there is nothing to ask. */
static int has_no_addresses(void)
{
	if (is_6_1())
		answer("no addresses");
	return is_6_1();
}

static void thread_ends(void)
{
	if (has_no_addresses())
		return;
	in_older_thread(register_later, NULL);
	answer("register: %s, the word %s", registered,
	       follows() ? "follows" : "does not follow");
}

/* The request before is this thread's first, as in libraries that were loaded early. */
static void other_thread_unregisters(void)
{
	if (has_no_addresses())
		return;
	in_older_thread(register_later, unregister_word);
	answer("%s", verdict(unregister_word()));
}

static void registered_twice(void)
{
	if (has_no_addresses())
		return;
	in_older_thread(register_later, register_word);
	answer("%s", registered);
}

static void older_thread_forks(void)
{
	if (has_no_addresses())
		return;
	in_older_thread(register_and_fork, register_word);
	answer("the child's word %s", child_word ? "follows" : "does not follow");
}

/* An exec ends the registrations of the old program, and the event with them. */
static void exec_in_child(void)
{
	pid_t child;
	int status;

	if (has_no_addresses())
		return;
	data = open_tracefs("user_events_data", O_RDWR);
	registered = verdict(register_word());
	child = fork();
	if (!child) {
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	waitpid(child, &status, 0);
	answer("status %d, the word %s", status,
	       follows() ? "follows" : "does not follow");
}

/* The child of vfork() uses its parent's memory until it ends. */
static void vfork_ends(void)
{
	pid_t child;

	if (has_no_addresses())
		return;
	data = open_tracefs("user_events_data", O_RDWR);
	child = vfork();
	if (!child) {
		registered = verdict(register_word());
		_exit(0);
	}
	waitpid(child, NULL, 0);
	answer("register: %s, the word %s", registered,
	       follows() ? "follows" : "does not follow");
}

const struct surprise process_surprises[] = {
	{ "thread-ends", "a thread older than the first request registers, and ends",
	  thread_ends },
	{ "thread-unregisters", "unregistering what an older thread registered",
	  other_thread_unregisters },
	{ "registered-twice", "registering a word and bit again in an older thread",
	  registered_twice },
	{ "thread-forks", "a child of a thread older than the first request",
	  older_thread_forks },
	{ "exec", "a child executes another program", exec_in_child },
	{ "vfork-ends", "a child of vfork() registers, and ends", vfork_ends },
	{ 0 },
};
