/* SPDX-License-Identifier: MIT */
/* The file of a ring. */
#ifndef UE__CONNECT_RING_FILE_H
#define UE__CONNECT_RING_FILE_H

#include <userevents/ring.h>

/*
 * ue_ring_create() with options that were checked, not NULL; 0 in them stands for the
 * defaults.
 */
int ue__ring_create_file(const char *path, const struct ue_ring_opts *opts);

#endif
