/* SPDX-License-Identifier: MIT */
/* EXPECT: constant */
#include <userevents/userevents.h>

UE_PROVIDER(provider, "Provider");
UE_TRACEPOINT(errors, provider, UE_LEVEL_ERROR, 1);

UE__EXTERN int write_event(int fd, uint64_t options);

int write_event(int fd, uint64_t options)
{
	(void)options;
#ifdef GOOD
	return UE_WRITE_EVENTHEADER_WITH(fd, errors, UE_OPCODE(2), NULL, NULL, "event");
#else
	return UE_WRITE_EVENTHEADER_WITH(fd, errors, options, NULL, NULL, "event");
#endif
}
