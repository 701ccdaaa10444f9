/* SPDX-License-Identifier: MIT */
/* Writes an event before main(), in it, and after it. tests/kernel/unload.c runs it. */
#include <fcntl.h>
#include <unistd.h>

#include <userevents/userevents.h>

UE_EVENT(around_main, UE_U32(when));

static int session = -1, failed;

static void listen_to_it(void)
{
	int fd = open("/sys/kernel/tracing/events/user_events/around_main/enable", O_WRONLY);

	failed |= write(fd, "1", 1) != 1;
	close(fd);
	for (int i = 0; i < 5000 && !UE_ENABLED(around_main); i++)
		usleep(1000);
}

static __attribute__((constructor)) void before(void)
{
	session = ue_open(NULL);
	failed |= ue_register_all(session);
	listen_to_it();
	failed |= UE_WRITE(session, around_main, 1);
}

static __attribute__((destructor)) void after(void)
{
	failed |= UE_WRITE(session, around_main, 3);
	failed |= ue_close(session);
	_exit(failed != 0);
}

int main(void)
{
	failed |= UE_WRITE(session, around_main, 2);
	return 0;
}
