/* SPDX-License-Identifier: MIT */
/* flood EVENTS: writes so many events, as fast as it can. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <userevents/userevents.h>

UE_EVENT(flood, UE_U32(n), UE_STRING(path));

int main(int argc, char **argv)
{
	const uint32_t total = argc == 2 ? (uint32_t)atoi(argv[1]) : 0;
	int fd = ue_open(NULL);

	if (!total || fd < 0 || ue_register_all(fd)) {
		fputs("flood: cannot write events; usage: flood EVENTS\n", stderr);
		return 1;
	}
	for (uint32_t n = 0; n < total; n++)
		UE_WRITE(fd, flood, n, "/static/page");
	return 0;
}
