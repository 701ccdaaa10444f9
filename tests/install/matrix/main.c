/* SPDX-License-Identifier: MIT */
/* The program of scripts/matrix: events of each kind, in two files, each written once. */
#include "shared.h"

UE_EVENT(alone, UE_U32(value), UE_STRING(text));
UE_TRACEPOINT(errors, matrix, UE_LEVEL_ERROR, 0x10);
UE_EVENTHEADER(errors, late, UE_F64(by));
static struct ue_event plain = UE_EVENT_INIT(plain, "plain u16 port");

int main(void)
{
	const int fd = ue_open(NULL);
	const uint16_t port = 80;

	ue_register_all(fd);
	ue_register(fd, &plain);
	UE_WRITE(fd, alone, 1, "one");
	UE_WRITE(fd, shared, 2);
	UE_WRITE(fd, late, 0.5);
	write_other(fd);
	ue_write(fd, &plain, &port, sizeof(port));
	ue_close(fd);
	return 0;
}
