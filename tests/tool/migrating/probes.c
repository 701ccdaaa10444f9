/* SPDX-License-Identifier: MIT */
/* A program with probes by the header that "dtrace -h -s probes.d" makes. */
#include <string.h>

#include "probes.h"

#define SAYS_NOTHING() (void)0

static int answer(const char *path)
{
	int status = *path ? 200 : 404;

	if (SHOP_REQUEST_DONE_ENABLED())
		SHOP_REQUEST_DONE(status, 17ULL + strlen(path), "text", NULL);
	return status;
}

int main(void)
{
	const char line[] = "GET /basket HTTP/1.1";

	SHOP_IDLE();
	SHOP_REQUEST_START(7, line + 4, 7);
	if (!answer(line))
		SAYS_NOTHING();
	return 0;
}
