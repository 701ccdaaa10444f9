/* SPDX-License-Identifier: MIT */
/*
 * namesakes [stay]: has an event of the same name as namesakes_other.c, with other fields.
 * Registers both, prints the failures, and writes both. With "stay" it prints its process id
 * then, and runs until its input ends.
 */
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <userevents/userevents.h>

UE_EVENT(tick, UE_U32(x));
UE_EVENT(single, UE_U32(x));

int write_other(int fd);

static void failed(const struct ue_event *event, int error, void *context)
{
	const char *other = ue_event_namesake(event);

	(void)context;
	printf("%s: %d, %s\n", event->definition, error, other ? other : "none");
}

int main(int argc, char **argv)
{
	const int fd = ue_open(NULL);
	char byte;

	(void)argv;
	ue_register_all_report(fd, failed, NULL);
	UE_WRITE(fd, tick, 7);
	UE_WRITE(fd, single, 8);
	write_other(fd);
	if (argc > 1) {
		prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0); /* where Yama is */
		printf("%d\nready\n", (int)getpid());
		fflush(stdout);
		while (read(STDIN_FILENO, &byte, 1) > 0)
			;
	}
	ue_close(fd);
	return 0;
}
