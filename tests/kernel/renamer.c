/* SPDX-License-Identifier: MIT */
/*
 * Writes events in threads that change their names:
 *
 *	renamer NAME
 *
 * Registers NAME, starts a thread that names itself "early", prints "registered", and reads
 * a line, or ends if there is none. Once the event is enabled, it writes the numbers 0 to 4: the main thread, the
 * other thread as "early" and as "later", a new thread under the name of the main one and
 * as "own". Then it prints "written", and ends when its standard input does.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <userevents/userevents.h>

static struct ue_event event;
static char definition[300];
static int fd;
static pthread_barrier_t named, enabled;

static void name_self(const char *name)
{
	prctl(PR_SET_NAME, name, 0, 0, 0);
}

static void write_number(uint32_t number)
{
	ue_write(fd, &event, &number, sizeof(number));
}

static void *rename_twice(void *unused)
{
	name_self("early");
	pthread_barrier_wait(&named);
	pthread_barrier_wait(&enabled);
	write_number(1);
	name_self("later");
	write_number(2);
	return unused;
}

static void *rename_after_a_write(void *unused)
{
	write_number(3);
	name_self("own");
	write_number(4);
	return unused;
}

static void say(const char *word)
{
	puts(word);
	fflush(stdout);
}

/* Up to two minutes: the recorder may be slow to start. */
static int wait_for_listeners(void)
{
	for (int tries = 0; tries < 12000; tries++) {
		if (ue_enabled(&event))
			return 0;
		usleep(10000);
	}
	return -ETIMEDOUT;
}

static void write_all(pthread_t other)
{
	pthread_t later;

	write_number(0);
	pthread_barrier_wait(&enabled);
	pthread_join(other, NULL);
	if (!pthread_create(&later, NULL, rename_after_a_write, NULL))
		pthread_join(later, NULL);
}

int main(int argc, char **argv)
{
	pthread_t other;
	int error;

	snprintf(definition, sizeof(definition), "%s u32 number", argc > 1 ? argv[1] : "");
	fd = ue_open(NULL);
	error = fd < 0 ? fd : ue_event_init(&event, definition, 0);
	if (!error)
		error = ue_register(fd, &event);
	pthread_barrier_init(&named, NULL, 2);
	pthread_barrier_init(&enabled, NULL, 2);
	if (!error)
		error = -pthread_create(&other, NULL, rename_twice, NULL);
	if (!error) {
		pthread_barrier_wait(&named);
		say("registered");
		if (getchar() != '\n')
			return 0;
		error = wait_for_listeners();
	}
	if (error) {
		fprintf(stderr, "renamer: %s\n", strerror(-error));
		return 1;
	}
	write_all(other);
	say("written");
	while (getchar() != EOF)
		;
	return 0;
}
