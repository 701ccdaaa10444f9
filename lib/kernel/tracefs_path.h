/* SPDX-License-Identifier: MIT */
/* Finds user_events_data. */
#ifndef UE__KERNEL_TRACEFS_PATH_H
#define UE__KERNEL_TRACEFS_PATH_H

#define UE__DATA_FILE "user_events_data"
#define UE__STATUS_FILE "user_events_status"
#define UE__WELL_KNOWN_DATA "/sys/kernel/tracing/" UE__DATA_FILE
#define UE__MOUNTS "/proc/self/mounts"

/*
 * Open user_events_data for reading and writing: at the well-known path, then on
 * every tracefs, then on every debugfs of the mounts file. The descriptor, or the
 * most telling error: the reason of the nearest file.
 */
int ue__tracefs_open_data(const char *well_known, const char *mounts);

/* open(2) of a data file; the descriptor or -errno. */
int ue__open_data(const char *path);

/* 0 if a descriptor is a file of tracefs that may be written to, or -errno. */
int ue__tracefs_check(int fd);

/* Its directory. */
extern const char ue__well_known_directory[] __attribute__((visibility("hidden")));

/* The directory of an open data file, through /proc; to be freed; NULL if not known. */
char *ue__tracefs_directory(int fd);

#endif
