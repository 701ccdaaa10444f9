/* SPDX-License-Identifier: MIT */
/*
 * Writes events from known functions: main() calls outer_call(), that middle_call(), and that
 * inner_call(), which writes call_made and call_other. Stacks are found by these names.
 *
 * usage: calls [EVENTS [wait]]
 *
 * wait: say that the events exist, and wait for the end of standard input.
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

int main(int argc, char **argv)
{
	const long events = argc > 1 ? atol(argv[1]) : 3;

	session = ue_open(NULL);
	if (session < 0 || ue_register_all(session) < 0)
		return 1;
	if (argc > 2) {
		puts("registered");
		fflush(stdout);
		getchar();
	}
	for (long i = 0; i < events; i++)
		outer_call((unsigned int)i);
	ue_close(session);
	return 0;
}
