/* SPDX-License-Identifier: MIT */
/* EXPECT: UE_WRITE_EVENTHEADER\(\) takes no array of structs; UE_WRITE\(\) does */
#include <userevents/userevents.h>

UE_PROVIDER(shop, "Shop");
UE_TRACEPOINT(info, shop, UE_LEVEL_INFORMATION, 1);

struct point {
	int16_t x, y;
};

int report(int fd, const struct point *points);

int report(int fd, const struct point *points)
{
#ifdef GOOD
	return points ? UE_WRITE_EVENTHEADER(fd, info, "e", UE_STRUCT(p, UE_S16(x, points->x))) : 0;
#else
	return UE_WRITE_EVENTHEADER(fd, info, "e", UE_STRUCTS(struct point, p, UE_S16(x, points->x)));
#endif
}
