/* SPDX-License-Identifier: MIT */
#ifndef UE__TESTS_KERNEL_PLUGIN_H
#define UE__TESTS_KERNEL_PLUGIN_H

#include <userevents/userevents.h>

/* The shared object exports one under the name "plugin". */
struct plugin {
	int (*start)(int fd);
	int (*write)(int fd, uint32_t value);
	void (*write_at_the_end)(int fd);
	struct ue_event *event, *made;
};

#endif
