/* SPDX-License-Identifier: MIT */
/*
 * Loses events, and runs until its standard input ends.
 *
 *	loser each		for each reason that a capture has, on captures of its own,
 *				then prints the counts as "NAME COUNT...", of events and then
 *				of descriptors
 *	loser some COUNT	writes COUNT events as soon as a listener enables them;
 *				each fifth is too large. Then prints "written"
 *	loser none		opens a capture of its own and registers, and prints "ready"
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <userevents/capture.h>
#include <userevents/userevents.h>

UE_EVENT(loser_number, UE_U32(number));
UE_EVENT(loser_text, UE_STRING(text));

static struct ue_event waiting = UE_EVENT_INIT(waiting, "loser_waiting u32 number");
static char large[8192];

static int fail(const char *what, int error)
{
	fprintf(stderr, "loser: %s: %s\n", what, strerror(-error));
	return 1;
}

static int stay(const char *word)
{
	char byte;

	puts(word);
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	return 0;
}

static int open_capture(uint32_t flags)
{
	struct ue_capture_opts opts = { sizeof(opts), flags, 8192 };
	struct ue_open_opts open = { .size = sizeof(open), .flags = UE_OPEN_FD };
	struct ue_capture *capture;
	int result = ue_capture_open(&opts, &capture);

	if (result)
		return result;
	open.fd = ue_capture_writer_fd(capture);
	return ue_open(&open);
}

static int lose(int fd, int waiting_fd)
{
	int result, full = 0;

	for (int i = 0; i < 3; i++)
		if (UE_WRITE(fd, loser_text, large) != -EMSGSIZE)
			return -EPROTO;
	for (int i = 0; i < 2; i++)
		if (ue_write(fd, UE_EVENT_OF(loser_number), NULL, 4) != -EFAULT)
			return -EPROTO;
	while (full < 5) {
		result = UE_WRITE(fd, loser_number, 1);
		if (result && result != -ENOBUFS)
			return result;
		full += result == -ENOBUFS;
	}
	return ue_write(waiting_fd, &waiting, NULL, 4) == -EFAULT ? 0 : -EPROTO;
}

static void print_event(const char *name, const struct ue_event *event)
{
	printf("%s", name);
	for (int i = 0; i < UE_LOSS_REASONS; i++)
		printf(" %u", ue_event_losses(event, (enum ue_loss)i));
	putchar('\n');
}

static void print_session(int fd)
{
	printf("%d", fd);
	for (int i = 0; i < UE_LOSS_REASONS; i++)
		printf(" %lld", (long long)ue_session_losses(fd, (enum ue_loss)i));
	putchar('\n');
}

static int lose_each(void)
{
	int fd = open_capture(0), waiting_fd = open_capture(UE_CAPTURE_WAIT), result;

	if (fd < 0 || waiting_fd < 0)
		return fail("a capture", fd < 0 ? fd : waiting_fd);
	result = ue_register_all(fd);
	if (!result)
		result = ue_register(waiting_fd, &waiting);
	if (!result)
		result = lose(fd, waiting_fd);
	if (result)
		return fail("to lose", result);
	print_event("loser_number", UE_EVENT_OF(loser_number));
	print_event("loser_text", UE_EVENT_OF(loser_text));
	print_event("loser_waiting", &waiting);
	print_session(fd);
	print_session(waiting_fd);
	return stay("ready");
}

static int lose_some(unsigned count)
{
	int result, fd = ue_open(NULL);

	if (fd < 0)
		return fail("ue_open()", fd);
	result = ue_register_all(fd);
	if (result)
		return fail("ue_register_all()", result);
	puts("registered");
	fflush(stdout);
	while (!ue_enabled(UE_EVENT_OF(loser_text)))
		usleep(1000);
	for (unsigned i = 0; i < count; i++) {
		result = UE_WRITE(fd, loser_text, i % 5 ? "small" : large);
		if (result != (i % 5 ? 0 : -EMSGSIZE))
			return fail("UE_WRITE()", result);
	}
	return stay("written");
}

/* The functions of a plugin: plugins.c. */
__attribute__((visibility("default"))) int loser_start(void);

int loser_start(void)
{
	int fd = open_capture(0);

	return fd < 0 ? fd : ue_register_all(fd);
}

static int lose_none(void)
{
	int result = loser_start();

	return result < 0 ? fail("to register", result) : stay("ready");
}

int main(int argc, char **argv)
{
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0); /* where Yama is */
	memset(large, 'x', sizeof(large) - 1);
	if (argc == 3 && !strcmp(argv[1], "some"))
		return lose_some((unsigned)atoi(argv[2]));
	return argc == 2 && !strcmp(argv[1], "each") ? lose_each() : lose_none();
}
