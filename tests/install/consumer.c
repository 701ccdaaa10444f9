/* SPDX-License-Identifier: MIT */
/* Compiled as C11, C2x, C++17 and C++20 against the installed library. */
#include <userevents/userevents.h>

#include <stdio.h>

static struct ue_event tick = UE_EVENT_INIT(tick, "tick u32 count");

int main(void)
{
	int fd = ue_open(NULL);
	int error = ue_register(fd, &tick);

	printf("open %d, register %d, enabled %d, write %d: %s\n", fd, error,
	       ue_enabled(&tick), ue_write(fd, &tick, "1234", 4),
	       ue_explain(UE_CALL_OPEN, fd));
	return 0;
}
