/* SPDX-License-Identifier: MIT */
/* Functions and data of the running kernel, as /proc/kallsyms lists them. */
#ifndef UE__TOOLS_KERNEL_PROBE_KERNEL_SYMBOLS_H
#define UE__TOOLS_KERNEL_PROBE_KERNEL_SYMBOLS_H

#include "probe.h"

struct kernel_symbols {
	char *text; /* of /proc/kallsyms; NULL: it cannot be read */
	char *blacklist; /* of debugfs; NULL: it cannot be read */
};

void kernel_symbols_read(struct kernel_symbols *symbols);
void kernel_symbols_free(struct kernel_symbols *symbols);

/*
 * Look for the function of a probe, and the symbols in its arguments: 0, or -1 and the
 * fault. Without a list of symbols nothing is a fault.
 */
int kernel_symbols_check(const struct kernel_symbols *symbols, const struct probe *probe,
			 struct fault *fault);

/* Places of probes in programs and shared objects. */

/*
 * The place of a PROBE_PROGRAM as the kernel takes it, "/PATH:0xOFFSET(COUNTER)", to be
 * freed; NULL and the fault. It reads the file, if there is a function to find.
 */
char *program_place(const struct probe *probe, struct fault *fault);
/* Whether the offset is that of code, as the kernel takes any: 0, or -1 and the fault. */
int program_place_doubt(const struct probe *probe, struct fault *fault);

#endif
