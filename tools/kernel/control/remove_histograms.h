/* SPDX-License-Identifier: MIT */
/* Histograms that use each other's variables, and their removal. */
#ifndef UE__TOOLS_CONTROL_REMOVE_HISTOGRAMS_H
#define UE__TOOLS_CONTROL_REMOVE_HISTOGRAMS_H

#include "instance.h"

/* Remove all histograms of an instance; how many the kernel keeps. */
size_t histograms_remove(const struct instance *instance);

#endif
