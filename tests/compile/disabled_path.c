/* SPDX-License-Identifier: MIT */
/* Call sites to be disassembled: disabled_path.sh looks at each function. */
#include <userevents/userevents.h>

UE_EVENT(none);
UE_EVENT(ten, UE_U32(a), UE_U32(b), UE_U32(c), UE_U32(d), UE_U32(e), UE_U32(f),
	 UE_U32(g), UE_U32(h), UE_U32(i), UE_U32(j));
UE_EVENT(text, UE_STRING(a), UE_U32(b));
UE_EVENT_DECLARE(shared, UE_STRING(a), UE_U32(b));
UE_EVENT_DEFINE(shared);

/*
 * Each function does something before and after, with the same values, so that what
 * UE_WRITE() adds is what differs from the function compiled with -DWITHOUT.
 */
#ifdef WITHOUT
#undef UE_WRITE
#define UE_WRITE(...) (void)0
#endif

int before(void);
int after(int fd, const void *a, uint32_t b);
void site_none(int fd);
void site_ten(int fd, const uint32_t *v);
void site_text(int fd, const char *a, uint32_t b);
void site_shared(int fd, const char *a, uint32_t b);
void site_call(int fd, const char *a, uint32_t b);
int expensive(void);

void site_none(int fd)
{
	before();
	UE_WRITE(fd, none);
	after(fd, "", 0);
}

void site_ten(int fd, const uint32_t *v)
{
	before();
	UE_WRITE(fd, ten, v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9]);
	after(fd, v, 0);
}

void site_text(int fd, const char *a, uint32_t b)
{
	before();
	UE_WRITE(fd, text, a, b);
	after(fd, a, b);
}

void site_shared(int fd, const char *a, uint32_t b)
{
	before();
	UE_WRITE(fd, shared, a, b);
	after(fd, a, b);
}

void site_call(int fd, const char *a, uint32_t b)
{
	before();
	UE_WRITE(fd, text, a, (uint32_t)expensive());
	after(fd, a, b);
}
