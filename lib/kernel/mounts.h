/* SPDX-License-Identifier: MIT */
/* The text of /proc/self/mounts. Pure: text in, positions out. */
#ifndef UE__KERNEL_MOUNTS_H
#define UE__KERNEL_MOUNTS_H

#include <stddef.h>

struct ue__mount {
	const char *directory; /* as written: with octal escapes */
	size_t directory_length;
	const char *type;
	size_t type_length;
};

/*
 * Take the next mount from *text, of which *length bytes are left. 1 with a
 * mount, 0 at the end. Lines that are not mounts are passed over.
 */
int ue__mounts_next(const char **text, size_t *length, struct ue__mount *mount);

/*
 * The directory without escapes (\040 and the like, proc(5)), NUL-terminated.
 * Its length, or -ENAMETOOLONG when it does not fit into size bytes.
 */
int ue__mount_directory(const struct ue__mount *mount, char *out, size_t size);

#endif
