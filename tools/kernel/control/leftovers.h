/* SPDX-License-Identifier: MIT */
/* Instances, synthetic events and probes that commands left when they were killed. */
#ifndef UE__TOOLS_KERNEL_CONTROL_LEFTOVERS_H
#define UE__TOOLS_KERNEL_CONTROL_LEFTOVERS_H

#include "instance.h"

/*
 * Remove them and print each; is_rehearsal: only print them. Those of commands that run are
 * left, and those of other pid namespaces are left and reported. 0, or -1 after a message
 * about each that is still there.
 */
int leftovers_remove(const char *tracefs, int is_rehearsal);

/* Histograms that use each other's variables, and their removal. */

/* Remove all histograms of an instance; how many the kernel keeps. */
size_t histograms_remove(const struct instance *instance);

#endif
