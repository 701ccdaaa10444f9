/* SPDX-License-Identifier: MIT */
/*
 * user_space ROW on|off CALLS: write the shape of a row CALLS times. callgrind counts the
 * instructions of the functions of sites.c and below. /dev/null replaces
 * user_events_data; callgrind counts a system call as one instruction. The program binds
 * the events by hand.
 */
#include <fcntl.h>
#include <sys/syscall.h>
#include <stdlib.h>
#include <string.h>

#include "state/binding.h"
#include "measure.h"
#include "sites.h"

static const struct shape *find(const char *name)
{
	for (int i = 0; i < SHAPES; i++)
		if (!strcmp(shapes[i].row, name))
			return &shapes[i];
	fail("There is no such shape.");
}

int main(int argc, char **argv)
{
	const struct shape *shape;

	if (argc != 4)
		fail("usage: user_space ROW on|off CALLS");
	shape = find(argv[1]);
	session = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (session < 0)
		fail("/dev/null cannot be opened.");
	shape->event->ue__binding = ue__binding(session, 1);
	shape->event->ue__payload_max = UE_PAYLOAD_MAX_PERF;
	shape->event->ue__direct_max = UE_PAYLOAD_MAX_PERF;
	shape->event->ue__write_call = SYS_pwrite64;
	*shape->event->word = !strcmp(argv[2], "on") ? UE__WORD_LISTENED : 0;
	for (int i = atoi(argv[3]); i > 0; i--)
		shape->write();
	return 0;
}
