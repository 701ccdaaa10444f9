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
 * Find tracefs in a table of mounts: the first mount, with /sys/kernel/tracing before
 * others. Both texts begin as NULL, and stay so if there is none. 0, or -errno if the
 * table cannot be read.
 */
int tracing_mount(const char *mounts, char **directory, char **options);

/*
 * The directory of tracefs: the one given, or the first that is mounted, with
 * /sys/kernel/tracing before others. NULL when none is, after a message.
 */
const char *tracing_find(const char *given);

/*
 * Whether this kernel has no user_events, as far as its symbols show; then after a message.
 * Other advice, such as to mount tracefs, would not help. directory: of tracefs, or NULL
 * where none is mounted.
 */
int tracing_lacks_user_events(const char *directory);

/* DIR/NAME, to be freed. */
char *tracing_path(const char *directory, const char *name);

/* read_file(), with a message of what failed and how to fix it. */
char *tracing_read(const char *path, size_t *length);

#endif
