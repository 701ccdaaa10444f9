/* SPDX-License-Identifier: MIT */
/* A shared object with an event, compiled as a linked library and as a plugin. */
#include <userevents/userevents.h>

#include "module.h"

#ifdef IS_PLUGIN
#define MODULE module
#define WRITE(fd, value) UE_WRITE(fd, in_plugin, value)
UE_EVENT(in_plugin, UE_S32(value));
#else
#define MODULE linked
#define WRITE(fd, value) UE_WRITE(fd, in_library, value)
UE_EVENT(in_library, UE_S32(value));
#endif

static int write_event(int fd, int value)
{
	return WRITE(fd, value);
}

static int register_own(int fd)
{
	return ue_register_module(fd);
}

static int unregister_own(void)
{
	return ue_unregister_module();
}

extern const struct module MODULE;
__attribute__((visibility("default"))) const struct module MODULE = {
	write_event, register_own, unregister_own,
};
