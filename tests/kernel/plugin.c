/* SPDX-License-Identifier: MIT */
/* A shared object with events, which never unregisters them. */
#include <userevents/userevents.h>

#include "plugin.h"

UE_EVENT(plugin_event, UE_U32(a));

static struct ue_event made;
static int destructor_fd = -1;

static int start(int fd)
{
	int result = ue_register_module(fd);

	ue_event_init(&made, "plugin_made u32 a", 0);
	return result ? result : ue_register(fd, &made);
}

static int write_both(int fd, uint32_t value)
{
	int result = UE_WRITE(fd, plugin_event, value);

	return result ? result : ue_write(fd, &made, &value, sizeof(value));
}

static void write_at_the_end(int fd)
{
	destructor_fd = fd;
}

/* The events exist as long as the code that may write them. */
static __attribute__((destructor)) void end(void)
{
	if (destructor_fd >= 0)
		write_both(destructor_fd, 4711);
}

__attribute__((visibility("default"))) const struct plugin plugin = {
	start, write_both, write_at_the_end, UE_EVENT_OF(plugin_event), &made,
};
