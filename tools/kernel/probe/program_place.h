/* SPDX-License-Identifier: MIT */
/* Places of probes in programs and shared objects. */
#ifndef UE__TOOLS_PROBE_PROGRAM_PLACE_H
#define UE__TOOLS_PROBE_PROGRAM_PLACE_H

#include "grammar/probe.h"

/*
 * The place of a PROBE_PROGRAM as the kernel takes it, "/PATH:0xOFFSET(COUNTER)", to be
 * freed; NULL and the fault. It reads the file.
 */
char *program_place(const struct probe *probe, struct fault *fault);

#endif
