/* SPDX-License-Identifier: MIT */
/* Names of registers, as the kernel has them. */
#ifndef UE__TOOLS_PROBE_REGISTERS_H
#define UE__TOOLS_PROBE_REGISTERS_H

/* Whether this machine has it. Of machines that are not known here: 1. */
int register_exists(const char *name);
/* The register that was meant; NULL: none is near. */
const char *register_meant(const char *name);
/* The register with the Nth argument of a function of C, from 1; NULL: not known. */
const char *register_of_argument(unsigned n);

#endif
