/* SPDX-License-Identifier: MIT */
/*
 * cc main.c serve.c $(pkg-config --cflags --libs libuserevents) -o shared
 *
 * An event declared in request.h, defined here, and written in both files.
 */
#include <stdio.h>

#include "request.h"

UE_EVENT_DEFINE(request);

int main(void)
{
	int fd = ue_open(NULL), error = ue_register_all(fd);

	if (fd < 0 || error) {
		fprintf(stderr, "shared: %s.\n",
			fd < 0 ? ue_explain(UE_CALL_OPEN, fd) :
				 ue_explain(UE_CALL_REGISTER, error));
		return 1;
	}
	for (uint32_t id = 1; id <= 3; id++) {
		UE_WRITE(fd, request, "accepted", id);
		serve(fd, id);
	}
	return ue_close(fd) ? 1 : 0;
}
