/* SPDX-License-Identifier: MIT */
/*
 * cc 01_program.c $(pkg-config --cflags --libs libuserevents) -o program
 *
 * The program of the README: define an event, open, register, write, close.
 */
#include <stdio.h>
#include <userevents/userevents.h>

UE_EVENT(shop_request, UE_U32(status), UE_U64(latency_ns), UE_STRING(path));

int main(void)
{
	int fd = ue_open(NULL);                         /* user_events_data, or -errno */
	int error = fd < 0 ? 0 : ue_register_all(fd);   /* of the process */

	if (fd < 0)
		fprintf(stderr, "no events: %s\n", ue_explain(UE_CALL_OPEN, fd));
	if (error)
		fprintf(stderr, "no events: %s\n", ue_explain(UE_CALL_REGISTER, error));
	UE_WRITE(fd, shop_request, 200, 1234567, "/index.html");
	ue_close(fd);
	return 0;
}
