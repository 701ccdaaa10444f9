/* SPDX-License-Identifier: MIT */
/*
 * Writes events from known functions: main() calls outer_call(), that middle_call(), and that
 * inner_call(), which writes call_made and call_other. Stacks are found by these names.
 *
 * usage: calls [EVENTS [wait]]
 *
 * wait: report that the events exist, and wait for a line of standard input, or its end.
 * Report
 *   that EVENTS were written, and write as many for each further line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <userevents/userevents.h>

UE_EVENT(call_made, UE_U32(number));
UE_EVENT(call_other, UE_U32(number));

#define NOINLINE __attribute__((noinline))
/* Keeps the compiler from turning the call before it into a jump. */
#define STAY __asm__ volatile("" ::: "memory")

static int session;

NOINLINE int inner_call(unsigned int number);
NOINLINE int middle_call(unsigned int number);
NOINLINE int outer_call(unsigned int number);

int inner_call(unsigned int number)
{
	int result = UE_WRITE(session, call_made, number);

	STAY;
	result |= UE_WRITE(session, call_other, number);
	STAY;
	return result;
}

int middle_call(unsigned int number)
{
	int result = inner_call(number);

	STAY;
	return result;
}

int outer_call(unsigned int number)
{
	int result = middle_call(number);

	STAY;
	return result;
}

static void report(const char *text)
{
	puts(text);
	fflush(stdout);
}

/* 1, or 0 at the end of standard input. */
static int wait_for_line(void)
{
	int character = getchar();

	while (character != '\n' && character != EOF)
		character = getchar();
	return character == '\n';
}

static void write_events(long events)
{
	for (long i = 0; i < events; i++)
		outer_call((unsigned int)i);
}

int main(int argc, char **argv)
{
	const long events = argc > 1 ? atol(argv[1]) : 3;
	int waits = argc > 2;

	session = ue_open(NULL);
	if (session < 0 || ue_register_all(session) < 0)
		return 1;
	if (waits) {
		report("registered");
		wait_for_line();
	}
	write_events(events);
	while (waits) {
		report("written");
		waits = wait_for_line();
		write_events(waits ? events : 0);
	}
	ue_close(session);
	return 0;
}
