/* SPDX-License-Identifier: MIT */
/*
 * Asks for the fate of an event that an event probe is attached to. A kernel that lets it
 * go has a probe with pointers into freed memory: nobody should use that kernel any more.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/abi.h"
#include "surprises.h"

#define EVENT "ue_probed"
#define DIRECTORY "/sys/kernel/tracing/events/user_events/" EVENT
#define ATTACH "e:series/busy user_events." EVENT
#define DETACH "-:series/busy"

static int delete_event(void)
{
	int fd = open_tracefs("user_events_data", O_RDWR);
	int result = ioctl(fd, UE__IOC_DEL, EVENT), error = errno;

	close(fd);
	errno = error;
	return result;
}

static void must(int result, const char *step)
{
	if (result < 0) {
		perror(step);
		_exit(2);
	}
}

static void delete_probed_event(void)
{
	char first[32];

	must(put_tracefs("dynamic_events", "u:" EVENT " u32 a"), "making " EVENT);
	must(put_tracefs("dynamic_events", ATTACH), ATTACH);
	if (!delete_event()) {
		answer("works");
		return;
	}
	snprintf(first, sizeof(first), "%s", verdict(-1));
	put_tracefs("dynamic_events", DETACH);
	answer("%s, without the probe: %s", first, verdict(delete_event()));
}

static void register_and_attach(void)
{
	int fd = open_tracefs("user_events_data", O_RDWR);

	must(register_raw(fd, EVENT " u32 a", NULL), "registering " EVENT);
	must(put_tracefs("dynamic_events", ATTACH), ATTACH);
}

/* The kernel deletes the event of a program that ended a little later, or never. */
static int event_vanishes(void)
{
	for (int i = 0; i < 500 && !access(DIRECTORY, F_OK); i++)
		usleep(10000);
	return access(DIRECTORY, F_OK);
}

static void program_of_probed_event_ends(void)
{
	int status;
	pid_t child = fork();

	if (!child) {
		register_and_attach();
		_exit(0);
	}
	waitpid(child, &status, 0);
	if (status) {
		answer("cannot attach");
		return;
	}
	if (event_vanishes()) {
		answer("the event is gone");
		return;
	}
	put_tracefs("dynamic_events", DETACH);
	if (event_vanishes())
		answer("the event stays until the probe is gone");
	else
		answer("the event stays, deleting it without the probe: %s",
		       verdict(delete_event()));
}

const struct surprise probe_surprises[] = {
	{ "eprobe-delete", "deleting an event that an event probe is attached to",
	  delete_probed_event },
	{ "eprobe-program-ends", "the end of a program whose event has an event probe",
	  program_of_probed_event_ends },
	{ 0 },
};
