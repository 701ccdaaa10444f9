/* SPDX-License-Identifier: MIT */
/* Is the kernel's event the one that was asked for? */
#ifndef UE__KERNEL_REGISTERED_FORMAT_H
#define UE__KERNEL_REGISTERED_FORMAT_H

#include <stdint.h>

/*
 * Compare a checked definition with the text of a format file: same fields, by
 * name and size, in the same order. Pure. 1 or 0.
 */
int ue__format_matches(const char *format, const char *definition,
		       uint32_t name_length);

/*
 * The same with the file of the event under a tracefs directory. 1 also when the
 * file cannot be read: then nothing is known. May change errno.
 */
int ue__registered_as(const char *directory, const char *definition,
		      uint32_t name_length);

#endif
