/* SPDX-License-Identifier: MIT */
/* many COUNT: writes COUNT events, one after the other. "COUNT wait" then waits. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <userevents/userevents.h>

UE_EVENT(step, UE_U32(number));

int main(int argc, char **argv)
{
	uint32_t count = argc > 1 ? (uint32_t)atoi(argv[1]) : 1;
	int fd, failed;

	fd = ue_open(NULL);
	failed = ue_register_all(fd);
	for (uint32_t i = 0; i < count; i++)
		failed |= UE_WRITE(fd, step, i) < 0;
	if (argc > 2) {
		puts("ready");
		fflush(stdout);
		pause();
	}
	ue_close(fd);
	return failed ? 1 : 0;
}
