/* SPDX-License-Identifier: MIT */
/* Names of members of a struct that are identifiers, each once. */
#ifndef UE__TOOLS_EXPORT_CTF_NAME_H
#define UE__TOOLS_EXPORT_CTF_NAME_H

#include <stddef.h>
#include <stdint.h>

#include "common/cli/memory.h"

/* Longer names are cut off. */
#define CTF_NAME_MAX 1024

/* The names that a struct has so far. Zero it before the first use. */
struct ctf_names {
	char **items;
	uint32_t count;
	uint32_t *table; /* a hash table of indices, each 1 higher; a power of two of them */
	uint32_t size;
};

/*
 * The identifier for the name of the next member: other characters than letters, digits and
 * '_' become '_' and two hexadecimal digits a byte, a first digit gets '_' before it, and a
 * name that exists already "_N", N being the number of the member, or the next that is free.
 * Valid until ctf_names_free().
 */
const char *ctf_name_add(struct ctf_names *names, const char *name, size_t length);
void ctf_names_free(struct ctf_names *names);

/*
 * Append the name of an event, or a part of it: as it is, but for bytes that are not printable
 * ASCII, which become '_' and two hexadecimal digits. In the metadata of sink.ctf.fs, 0x7f and
 * "d" would be "\x7fd", which readers take for one byte.
 */
void ctf_name_print(struct bytes *to, const char *name, size_t length);

#endif
