/* SPDX-License-Identifier: MIT */
#ifndef UE__TESTS_CAPTURE_PLUGIN_H
#define UE__TESTS_CAPTURE_PLUGIN_H

struct ue_event;

/* The shared object exports one under the name "plugin". */
struct plugin {
	int (*start)(int fd, struct ue_event *event);
};

#endif
