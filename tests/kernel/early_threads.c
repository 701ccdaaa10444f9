/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "early_threads.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "support.h"

#define THREADS 4

static struct early {
	pthread_t thread;
	sem_t wanted, done;
	void *(*function)(void *);
	void *argument, *result;
	int ends;
} threads[THREADS];

static int left = THREADS;

int rounds = 200;

static void *serve(void *context)
{
	struct early *me = context;
	int ends = 0;

	while (!ends) {
		while (sem_wait(&me->wanted))
			;
		me->result = me->function(me->argument);
		ends = me->ends;
		sem_post(&me->done);
	}
	return NULL;
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* Starts this program again where tracefs is not mounted, so the library finds none while
 * it loads. */
static void hide_tracefs(char **argv)
{
	char *again[] = { argv[0], (char *)"hidden", NULL };

	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    umount2(TRACING, MNT_DETACH))
		die("umount " TRACING);
	umount2("/sys/kernel/debug", MNT_DETACH);
	execv("/proc/self/exe", again);
	die("execv");
}

static void mount_tracefs(void)
{
	int fd = ue_open(NULL);

	if (fd != -ENODEV) {
		fprintf(stderr, "tracefs is still there: %d\n", fd);
		exit(1);
	}
	if (mount("nodev", TRACING, "tracefs", 0, NULL))
		die("mount " TRACING);
}

void start_early_threads(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "late") && !access(TRACING "/trace", F_OK))
		hide_tracefs(argv);
	for (int i = 0; i < THREADS; i++) {
		sem_init(&threads[i].wanted, 0, 0);
		sem_init(&threads[i].done, 0, 0);
		if (pthread_create(&threads[i].thread, NULL, serve, &threads[i]))
			die("pthread_create");
	}
	if (argc > 1 && !strcmp(argv[1], "hidden")) {
		mount_tracefs();
		rounds = 30;
	}
}

static void *call(struct early *thread, void *(*function)(void *), void *argument)
{
	thread->function = function;
	thread->argument = argument;
	sem_post(&thread->wanted);
	while (sem_wait(&thread->done))
		;
	return thread->result;
}

void *in_early_thread(void *(*function)(void *), void *argument)
{
	return call(&threads[0], function, argument);
}

void *in_early_thread_that_ends(void *(*function)(void *), void *argument)
{
	struct early *thread = &threads[left - 1];
	void *result;

	assert_true(left-- > 1);
	thread->ends = 1;
	result = call(thread, function, argument);
	pthread_join(thread->thread, NULL);
	return result;
}

void *in_new_thread(void *(*function)(void *), void *argument)
{
	pthread_t thread;
	void *result;

	assert_int_equal(pthread_create(&thread, NULL, function, argument), 0);
	assert_int_equal(pthread_join(thread, &result), 0);
	return result;
}
