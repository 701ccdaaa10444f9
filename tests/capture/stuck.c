/* SPDX-License-Identifier: MIT */
/*
 * A writer that waits for room in a full capture holds up neither a child of its process,
 * nor a program that reuses the session's number, nor a module that is being loaded; and it
 * does not wait for a reader that is dead. Each test runs in a child, as it closes files
 * of cmocka.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#include <userevents/capture.h>
#include <userevents/userevents.h>

#include "child.h"

UE_EVENT(other, UE_U8(x));

static const struct ue_capture_opts waiting = {
	.size = sizeof(waiting), .flags = UE_CAPTURE_WAIT, .buffer = 1,
};
static struct ue_capture *capture;
static int is_over;

static int open_session(void)
{
	const struct ue_open_opts opts = {
		.size = sizeof(opts), .flags = UE_OPEN_FD, .fd = ue_capture_writer_fd(capture),
	};

	return ue_open(&opts);
}

static pid_t writer_tid;

/* A write of a closed session is an error, of one that is disabled it is none. */
static void *write_until_closed(void *fd)
{
	__atomic_store_n(&writer_tid, gettid(), __ATOMIC_RELEASE);
	while (!ue_write(*(int *)fd, UE_EVENT_OF(other), "\1", 1))
		;
	__atomic_store_n(&is_over, 1, __ATOMIC_RELEASE);
	return NULL;
}

/* The writer sleeps when there is no room. */
static void wait_until_full(void)
{
	char path[64], text[512], *state;
	FILE *file;

	do {
		usleep(1000);
		snprintf(path, sizeof(path), "/proc/self/task/%d/stat",
			 __atomic_load_n(&writer_tid, __ATOMIC_ACQUIRE));
		file = fopen(path, "r");
		state = file && fgets(text, sizeof(text), file) ? strrchr(text, ')') : NULL;
		if (file)
			fclose(file);
	} while (!state || state[2] != 'S');
}

static int begin(int *fd, pthread_t *writer)
{
	MUST(!ue_capture_open(&waiting, &capture));
	*fd = open_session();
	MUST(*fd >= 0);
	MUST(!ue_register_all(*fd));
	MUST(!pthread_create(writer, NULL, write_until_closed, fd));
	wait_until_full();
	return 0;
}

static int is_file(int fd, const struct stat *file)
{
	struct stat found;

	return !fstat(fd, &found) && found.st_dev == file->st_dev &&
	       found.st_ino == file->st_ino;
}

static int closes_at_once(int fd)
{
	MUST(!ue_close(fd));
	MUST(fcntl(fd, F_GETFD) < 0);
	return 0;
}

/* In the child there is no such writer: the number is free as soon as it is closed. */
static int frees_the_child_of_the_writer(void)
{
	pthread_t writer;
	pid_t child;
	int fd, status;

	if (begin(&fd, &writer))
		return 1;
	child = fork();
	MUST(child >= 0);
	if (!child)
		_exit(closes_at_once(fd));
	MUST(waitpid(child, &status, 0) == child);
	MUST(!status);
	return 0;
}

static void a_child_does_not_wait_for_a_writer_of_its_parent(void **state)
{
	(void)state;
	in_child(frees_the_child_of_the_writer);
}

/* A daemon that closes all descriptors and opens its own gets the number, too. */
static int leaves_what_has_the_number(void)
{
	int fd, own = memfd_create("own", MFD_CLOEXEC);
	pthread_t writer;
	struct stat file;

	if (begin(&fd, &writer))
		return 1;
	MUST(!fstat(own, &file));
	MUST(!ue_close(fd));
	MUST(dup2(own, fd) == fd);
	while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE))
		ue_capture_skip(capture);
	MUST(!pthread_join(writer, NULL));
	MUST(!ue_close(open_session())); /* which closes the waiting one */
	MUST(is_file(fd, &file));
	return 0;
}

static void a_late_close_leaves_what_has_the_number_alone(void **state)
{
	(void)state;
	in_child(leaves_what_has_the_number);
}

static int64_t milliseconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * (int64_t)1000 + time.tv_nsec / 1000000;
}

/* A module of one event is loaded, in a program whose captures want names. */
static int64_t time_to_load(struct ue__module *module)
{
	static struct ue_event *events[] = { UE_EVENT_OF(other) };
	const int64_t begun = milliseconds();

	ue__enter_module(module, sizeof(*module), events, events + 1);
	return milliseconds() - begun;
}

#define LOADS 300

/* To wait for the writer would take 200 ms each time; a busy machine delays some. */
static int loads_at_once(void)
{
	static const struct ue_capture_opts opts = {
		.size = sizeof(opts), .flags = UE_CAPTURE_NAMES | UE_CAPTURE_WAIT,
	};
	static struct ue__module modules[LOADS];
	struct ue_capture *inherited;
	char number[16];
	int64_t least = INT64_MAX;
	pthread_t writer;
	int fd;

	if (begin(&fd, &writer))
		return 1;
	MUST(!ue_capture_open(&opts, &inherited));
	snprintf(number, sizeof(number), "%d", ue_capture_writer_fd(inherited));
	MUST(!setenv("USEREVENTS_FD", number, 1));
	for (int i = 0; i < LOADS && least >= 150; i++)
		least = time_to_load(&modules[i]);
	MUST(least < 150);
	MUST(ue_capture_skip(inherited) == 0);
	MUST(!strcmp(ue_capture_unregistered(inherited, NULL), "other u8 x"));
	return 0;
}

static void a_module_is_loaded_beside_a_writer_that_waits(void **state)
{
	(void)state;
	in_child(loads_at_once);
}

/* Writes until nobody reads, and tells the pipe when it begins and when it is over. */
static int write_alone(int pipe)
{
	const int fd = open_session();

	alarm(60); /* if it waits for itself */
	MUST(fd >= 0);
	MUST(!ue_register_all(fd));
	MUST(write(pipe, "b", 1) == 1);
	while (UE_ENABLED(other) && !UE_WRITE(fd, other, 1))
		;
	MUST(write(pipe, "e", 1) == 1);
	return 0;
}

/* Its child has copies of all its descriptors. */
static void read_and_have_a_child(int pipe)
{
	if (ue_capture_open(&waiting, &capture))
		_exit(1);
	if (!fork())
		_exit(write_alone(pipe));
	for (;;)
		pause();
}

/* The child fills the ring, and waits; a moment before does not matter. */
static int goes_on_after_its_reader(void)
{
	int pipes[2];
	char stage;
	pid_t reader;

	MUST(!pipe(pipes));
	reader = fork();
	MUST(reader >= 0);
	if (!reader)
		read_and_have_a_child(pipes[1]);
	close(pipes[1]);
	MUST(read(pipes[0], &stage, 1) == 1 && stage == 'b');
	usleep(10000);
	MUST(!kill(reader, SIGKILL));
	MUST(waitpid(reader, NULL, 0) == reader);
	MUST(read(pipes[0], &stage, 1) == 1 && stage == 'e');
	return 0;
}

static void a_child_of_the_reader_notices_its_death(void **state)
{
	(void)state;
	in_child(goes_on_after_its_reader);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_child_does_not_wait_for_a_writer_of_its_parent),
		cmocka_unit_test(a_late_close_leaves_what_has_the_number_alone),
		cmocka_unit_test(a_module_is_loaded_beside_a_writer_that_waits),
		cmocka_unit_test(a_child_of_the_reader_notices_its_death),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
