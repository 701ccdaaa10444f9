/* SPDX-License-Identifier: MIT */
/* The events that the kernel has, and which of them have a listener (Linux 6.4 and later). */
#ifndef UE__KERNEL_EVENT_STATES_H
#define UE__KERNEL_EVENT_STATES_H

#include <stddef.h>
#include <sys/types.h>

typedef void ue__tell(void *context, const char *name, size_t length, int is_listened);

/*
 * Call a function for each event in user_events_status of a directory. The name has no NUL. An
 * event with several formats has a name for each, which no program gave it. Some may be
 * missing: a name that is longer than the kernel's longest, for example. Needs no memory but
 * 1.5 KiB of the stack. 0 or -errno: the file cannot be opened or read; -ENODEV if it is not on
 * this device, that of user_events_data.
 */
int ue__event_states(const char *directory, dev_t device, ue__tell *tell, void *context);

#endif
