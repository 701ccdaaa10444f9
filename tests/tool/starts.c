/* SPDX-License-Identifier: MIT */
/* starts COUNT: begins so many activities, and ends none. */
#include <stdlib.h>

#include <userevents/userevents.h>

UE_PROVIDER(starts, "Starts");
UE_TRACEPOINT(all, starts, UE_LEVEL_INFORMATION, 1);
UE_EVENTHEADER_WITH(all, begun, "Begun", UE_OPCODE(UE_OPCODE_ACTIVITY_START),
		    UE_U32(number));

int main(int argc, char **argv)
{
	const uint32_t count = argc > 1 ? (uint32_t)atoi(argv[1]) : 1;
	int fd = ue_open(NULL), failed = ue_register_all(fd);

	for (uint32_t i = 0; i < count; i++) {
		struct ue_activity activity;

		failed |= ue_activity_create(&activity);
		failed |= UE_WRITE_ACTIVITY(fd, &activity, NULL, begun, i) < 0;
	}
	ue_close(fd);
	return failed ? 1 : 0;
}
