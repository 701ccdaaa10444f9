/* SPDX-License-Identifier: MIT */
/*
 * cc hello.c $(pkg-config --cflags --libs libuserevents) -o hello
 *
 * Writes the event hello once, or COUNT times a second apart:
 *
 *	hello [COUNT]
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <userevents/userevents.h>

UE_EVENT(hello, UE_U32(number), UE_U64(square));

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 1;
	int fd = ue_open(NULL);
	int error = fd < 0 ? 0 : ue_register_all(fd);

	if (fd < 0)
		fprintf(stderr, "hello: %s.\n", ue_explain(UE_CALL_OPEN, fd));
	else if (error)
		fprintf(stderr, "hello: %s.\n", ue_explain(UE_CALL_REGISTER, error));
	if (fd < 0 || error)
		return 1;

	for (int number = 1; number <= count; number++) {
		if (number > 1)
			sleep(1);
		error = UE_WRITE(fd, hello, (uint32_t)number,
				 (uint64_t)number * (uint64_t)number);
		printf("hello %d: %s\n", number,
		       error		   ? ue_explain(UE_CALL_WRITE, error) :
		       UE_ENABLED(hello)  ? "written" :
					    "disabled, nothing written");
		fflush(stdout);
	}
	return ue_close(fd) ? 1 : 0;
}
