/* SPDX-License-Identifier: MIT */
/* A program in a span of another one, whose context is in the environment. */
#include <stdlib.h>

#include <userevents/userevents.h>

UE_PROVIDER(shop, "Shop");
UE_TRACEPOINT(orders, shop, UE_LEVEL_INFORMATION, 1);
UE_EVENTHEADER_WITH(orders, note, "Note", 0, UE_STRING(traceparent));
UE_EVENTHEADER_WITH(orders, pay_start, "PayStart", UE_OPCODE(UE_OPCODE_ACTIVITY_START),
		    UE_STRING(traceparent));
UE_EVENTHEADER_WITH(orders, pay_stop, "PayStop", UE_OPCODE(UE_OPCODE_ACTIVITY_STOP),
		    UE_U32(cents));

int main(void)
{
	const char *parent = getenv("TRACEPARENT");
	const int fd = ue_open(NULL);
	struct ue_activity payment;
	int failed = !parent || ue_register_all(fd) || ue_activity_create(&payment);

	failed = failed || UE_WRITE(fd, note, parent) ||
		 UE_WRITE_ACTIVITY(fd, &payment, NULL, pay_start, parent) ||
		 UE_WRITE_ACTIVITY(fd, &payment, NULL, pay_stop, 0);
	ue_close(fd);
	return failed;
}
