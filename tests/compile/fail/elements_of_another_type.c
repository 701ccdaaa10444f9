/* SPDX-License-Identifier: MIT */
/* EXPECT: (from incompatible pointer|incompatible pointer types|invalid conversion from|cannot convert|no matching function) */
#include <userevents/userevents.h>

UE_PROVIDER(shop, "Shop");
UE_TRACEPOINT(info, shop, UE_LEVEL_INFORMATION, 1);

struct point {
	int16_t x, y;
};
struct line {
	struct point from, to;
};

UE_EVENTHEADER(info, moved, UE_STRUCTS(struct point, points, UE_S16(x), UE_S16(y)));

int report(int fd, const struct point *point, const struct line *line);

int report(int fd, const struct point *point, const struct line *line)
{
#ifdef GOOD
	return line ? UE_WRITE(fd, moved, point, 1) : 0;
#else
	return point ? UE_WRITE(fd, moved, line, 1) : 0;
#endif
}
