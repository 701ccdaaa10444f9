/* SPDX-License-Identifier: MIT */
/*
 * Writes events for recorders:
 *
 *	writer NAME COUNT [PADDING]
 *
 * Registers NAME (a number and a text of PADDING bytes) and the EventHeader tracepoint
 * NAME_L4K1, prints "registered", reads a line, waits until both are enabled, writes
 * COUNT of each, numbered from 0, and prints "written". It ends when its standard input
 * does. On failure it prints the reason and exits with status 1.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <userevents/userevents.h>

#define PADDING_MAX 4000u

static struct ue_event classic, own;
static char classic_text[300], own_text[300];

static int fail(const char *what, int error)
{
	fprintf(stderr, "writer: %s: %s\n", what, strerror(-error));
	return 1;
}

static int register_events(int fd, const char *name)
{
	int error;

	snprintf(classic_text, sizeof(classic_text),
		 "%s u32 number; __rel_loc char[] text", name);
	snprintf(own_text, sizeof(own_text),
		 "%s_L4K1 u8 eventheader_flags; u8 version; u16 id; u16 tag; u8 opcode; "
		 "u8 level", name);
	error = ue_event_init(&classic, classic_text, 0);
	if (!error)
		error = ue_event_init(&own, own_text, 0);
	if (!error)
		error = ue_register(fd, &classic);
	return error ? error : ue_register(fd, &own);
}

static int write_classic(int fd, uint32_t number, uint16_t padding)
{
	struct {
		uint32_t number;
		uint32_t location;
		char text[PADDING_MAX + 1];
	} __attribute__((packed)) payload;

	payload.number = number;
	payload.location = (uint32_t)(padding + 1) << 16;
	memset(payload.text, 'x', padding);
	payload.text[padding] = '\0';
	return ue_write(fd, &classic, &payload, 8 + (size_t)padding + 1);
}

static int write_own(int fd, uint32_t number)
{
	struct {
		uint8_t flags, version;
		uint16_t id, tag;
		uint8_t opcode, level;
		uint16_t size, kind;
		char name[5], field[7];
		uint8_t encoding;
		uint32_t number;
	} __attribute__((packed)) event = {
		.flags = 7, .level = 4, .size = 13, .kind = 1, .name = "Tick",
		.field = "number", .encoding = UE_ENCODING_VALUE32, .number = number,
	};

	return ue_write(fd, &own, &event, sizeof(event));
}

/* Up to two minutes: the recorder may be slow to start. */
static int wait_for_listeners(void)
{
	for (int tries = 0; tries < 12000; tries++) {
		if (ue_enabled(&classic) && ue_enabled(&own))
			return 0;
		usleep(10000);
	}
	return -ETIMEDOUT;
}

static void say(const char *word)
{
	puts(word);
	fflush(stdout);
}

/* 1, or 0 at the end. */
static int read_line(void)
{
	char byte;

	while (read(STDIN_FILENO, &byte, 1) == 1)
		if (byte == '\n')
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	uint32_t count = argc > 2 ? (uint32_t)atoi(argv[2]) : 1;
	uint16_t padding = argc > 3 ? (uint16_t)atoi(argv[3]) : 0;
	int fd = ue_open(NULL), error = fd;

	if (padding > PADDING_MAX)
		padding = PADDING_MAX;
	if (fd < 0)
		return fail("open", error);
	error = register_events(fd, argv[1]);
	if (error)
		return fail("register", error);
	say("registered");
	error = read_line() ? wait_for_listeners() : 0;
	if (error)
		return fail("nobody listens", error);
	for (uint32_t i = 0; i < count && !error; i++) {
		error = write_classic(fd, i, padding);
		if (!error)
			error = write_own(fd, i);
	}
	if (error)
		return fail("write", error);
	say("written");
	while (read_line())
		;
	return ue_close(fd) ? 1 : 0;
}
