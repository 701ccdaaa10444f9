/* SPDX-License-Identifier: MIT */
/*
 * A program whose events a collector reads.
 *
 *	guests open		prints the result of ue_open(), 0 for a session
 *	guests count N		writes N events, prints how many were written, and lost
 *	guests ask		prints "ready"; writes one event for each byte of the input; as count
 *	guests pace		writes events, 10 ms apart, until the end of the input; as count
 *	guests hold N		opens N more sessions, prints the descriptors of all, and waits for the
 *				end of the input
 *	guests forever		writes until it is killed, and prints how many now and then
 *	guests fork N EACH	N children write EACH, as does the parent
 *	guests exec PROGRAM N	writes one event, and executes PROGRAM N
 *	guests define N		registers N events, and waits for the end of the input
 *	guests wait-define N	prints "open" first, and waits for a byte
 *	guests nonsense		writes records without a definition until it is killed
 *	guests daemon N		writes one event; a daemon, whose pid is printed, writes N, and one
 *				at SIGUSR1
 */
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <userevents/userevents.h>

UE_EVENT(guest, UE_U32(number));

static int fd;
static unsigned long written, lost;
static uint32_t number; /* that the next event has */

static void write_events(unsigned long count)
{
	for (unsigned long i = 0; i < count; i++) {
		const int result = UE_WRITE(fd, guest, number++);

		written += !result && ue_enabled(UE_EVENT_OF(guest));
		lost += result < 0;
	}
}

static int report(void)
{
	printf("%lu %lu\n", written, lost);
	return 0;
}

static int ask(void)
{
	puts("ready");
	fflush(stdout);
	while (getchar() != EOF)
		write_events(1);
	return report();
}

static int pace(void)
{
	struct pollfd input = { .fd = 0, .events = POLLIN };

	do
		write_events(1);
	while (!poll(&input, 1, 10));
	return report();
}

static int hold(unsigned long count)
{
	printf("%d", fd);
	for (unsigned long i = 0; i < count; i++)
		printf(" %d", ue_open(NULL));
	puts("");
	fflush(stdout);
	while (getchar() != EOF)
		;
	return 0;
}

static int write_forever(void)
{
	while (printf("%lu\n", written + lost) > 0 && !fflush(stdout))
		write_events(1000);
	return 1;
}

/* The library trusts the struct of its own program. */
static int write_nonsense(void)
{
	UE_EVENT_OF(guest)->ue__binding |= UINT64_C(0xfff) << 32; /* the write index */
	puts("ready");
	fflush(stdout);
	while (getppid() > 1)
		write_events(1000);
	return 1;
}

static int define(unsigned long count)
{
	struct ue_event *events = calloc(count, sizeof(*events));
	char *names = calloc(count, 64);

	for (unsigned long i = 0; i < count; i++) {
		snprintf(names + i * 64, 64, "guest_%d_%lu u32 number", getpid(), i);
		if (ue_event_init(&events[i], names + i * 64, 0) || ue_register(fd, &events[i]))
			return 3;
	}
	puts("ready");
	fflush(stdout);
	while (getchar() != EOF)
		;
	ue_close(fd);
	free(events);
	free(names);
	return 0;
}

static void wait_for_byte(void)
{
	puts("open");
	fflush(stdout);
	getchar();
}

static int fork_and_write(int children, unsigned long each)
{
	for (int i = 0; i < children; i++)
		if (!fork()) {
			write_events(each);
			_exit(lost != 0);
		}
	write_events(each);
	for (int status; wait(&status) > 0;)
		lost += (unsigned)status;
	return lost != 0;
}

static void write_one(int signal_number)
{
	(void)signal_number;
	write_events(1);
	_exit(0);
}

static int become_daemon(unsigned long count)
{
	pid_t child;

	write_events(1);
	signal(SIGUSR1, write_one);
	child = fork();
	if (child) {
		printf("%d\n", child);
		return 0;
	}
	setsid();
	for (int i = 0; i < 1024; i++)
		close(i);
	write_events(count);
	while (pause())
		;
	return 0;
}

int main(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "";
	const unsigned long count = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;

	fd = ue_open(NULL);
	if (!strcmp(verb, "open"))
		return printf("%d\n", fd < 0 ? fd : 0) < 0;
	if (fd < 0 || ue_register_all(fd))
		return 2;
	if (!strcmp(verb, "count")) {
		write_events(count);
		return report();
	}
	if (!strcmp(verb, "ask"))
		return ask();
	if (!strcmp(verb, "pace"))
		return pace();
	if (!strcmp(verb, "hold"))
		return hold(count);
	if (!strcmp(verb, "forever"))
		return write_forever();
	if (!strcmp(verb, "nonsense"))
		return write_nonsense();
	if (!strcmp(verb, "fork"))
		return fork_and_write((int)count, strtoul(argv[3], NULL, 10));
	if (!strcmp(verb, "wait-define"))
		wait_for_byte();
	if (strstr(verb, "define"))
		return define(count);
	if (!strcmp(verb, "daemon"))
		return become_daemon(count);
	write_events(1);
	return execl(argv[2], argv[2], argv[3], NULL);
}
