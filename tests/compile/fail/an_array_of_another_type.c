/* SPDX-License-Identifier: MIT */
/* EXPECT: (from incompatible pointer|incompatible pointer types|invalid conversion from|cannot convert|no matching function) */
#include <userevents/userevents.h>

UE_PROVIDER(shop, "Shop");
UE_TRACEPOINT(info, shop, UE_LEVEL_INFORMATION, 1);
UE_EVENTHEADER(info, order, UE_SEQUENCE(UE_U32(numbers)));

int report(int fd, const uint32_t *numbers, const uint64_t *others);

int report(int fd, const uint32_t *numbers, const uint64_t *others)
{
#ifdef GOOD
	return others ? UE_WRITE(fd, order, numbers, 2) : 0;
#else
	return numbers ? UE_WRITE(fd, order, others, 2) : 0;
#endif
}
