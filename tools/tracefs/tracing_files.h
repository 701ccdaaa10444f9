/* SPDX-License-Identifier: MIT */
/* Where tracefs is, and texts of its files. */
#ifndef UE__TOOLS_TRACEFS_TRACING_FILES_H
#define UE__TOOLS_TRACEFS_TRACING_FILES_H

#include <stddef.h>

/* What --help says of the option that every command has which looks into tracefs. */
#define TRACEFS_OPTION(variable)                                                    \
	{ .name = "tracefs", .text = &(variable), .value = "DIR", .is_path = 1,     \
	  .help = "Look here instead of where tracefs is mounted." }

/*
 * The directory of tracefs: the one given, or the first that is mounted, with
 * /sys/kernel/tracing before others. NULL when none is, after a message.
 */
const char *tracefs_find(const char *given);

/* DIR/NAME, in memory that stays. */
const char *tracefs_path(const char *directory, const char *name);

/*
 * All of a file, with a NUL behind it, to be freed; NULL with errno when it cannot be
 * read. length may be NULL.
 */
char *read_file(const char *path, size_t *length);

/* read_file(), with a message that says what failed and what mends it. */
char *tracefs_read(const char *path, size_t *length);

#endif
