/* SPDX-License-Identifier: MIT */
/* A plugin that contains libuserevents.a. */
#include <userevents/userevents.h>

UE_EVENT(alone, UE_U32(number));

__attribute__((visibility("default"))) int call(void);

int call(void)
{
	int fd = ue_open(NULL), result = ue_register_module(fd);

	if (fd < 0)
		return fd;
	if (!result)
		result = UE_WRITE(fd, alone, 1);
	ue_close(fd);
	return result;
}

#ifdef CANNOT_STAY
/* The library's dlsym(), by --wrap: as in a program without dlopen(). */
void *__wrap_dlsym(void *handle, const char *name);

void *__wrap_dlsym(void *handle, const char *name)
{
	(void)handle;
	(void)name;
	return UE__NULL;
}
#endif
