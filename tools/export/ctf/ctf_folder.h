/* SPDX-License-Identifier: MIT */
/*
 * The directory of a trace. sink.ctf.fs creates it and writes into it, but it frees memory twice
 * when the disk is full, and aborts the program when it cannot write the metadata, which it does
 * last of all. So space is reserved before it writes.
 */
#ifndef UE__TOOLS_EXPORT_CTF_FOLDER_H
#define UE__TOOLS_EXPORT_CTF_FOLDER_H

#include <stdint.h>

struct ctf_folder {
	const char *path;
	uint64_t metadata; /* bytes that are reserved */
	uint64_t stream;
	int error; /* errno of a failed reservation; 0: none */
};

/* Whether it can be created, and does not exist. 0, or -1 after a message. */
int ctf_folder_check(const struct ctf_folder *folder);
/* Remove it, and the metadata in it. */
void ctf_folder_remove(const struct ctf_folder *folder);
/* Reserve this many bytes more for the metadata: 0, or -1 with folder->error. */
int ctf_folder_reserve(struct ctf_folder *folder, uint64_t more);
/* Reserve the bytes of the stream before this one, which exists. The result as above. */
int ctf_folder_reserve_stream(struct ctf_folder *folder, uint64_t end);
/* Whether the metadata can be written. */
int ctf_folder_is_ready(const struct ctf_folder *folder);

#endif
