/* SPDX-License-Identifier: MIT */
/*
 * cc 01_program.c $(pkg-config --cflags --libs libuserevents) -o program
 *
 * All that it takes: define an event, open, register, write, close.
 */
#include <userevents/userevents.h>

UE_EVENT(request_done, UE_U32(status), UE_U64(latency_ns), UE_STRING(path));

int main(void)
{
	int fd = ue_open(NULL);         /* user_events_data, or -errno */

	ue_register_all(fd);            /* every event defined in this program */
	UE_WRITE(fd, request_done, 200, 1234567, "/index.html");
	ue_close(fd);
	return 0;
}
