/* SPDX-License-Identifier: MIT */
/* EXPECT: (argument 3 of .moved_ue__write. from incompatible pointer|incompatible pointer types|cannot convert .const line|no matching function) */
#include <userevents/userevents.h>

struct point {
	int x, y;
};
struct line {
	struct point from, to;
};

UE_EVENT(moved, UE_STRUCT_BYTES(point, to, 8));

int report(int fd, const struct point *point, const struct line *line);

int report(int fd, const struct point *point, const struct line *line)
{
#ifdef GOOD
	return line ? UE_WRITE(fd, moved, point) : 0;
#else
	return point ? UE_WRITE(fd, moved, line) : 0;
#endif
}
