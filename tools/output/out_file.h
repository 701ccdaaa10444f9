/* SPDX-License-Identifier: MIT */
/* A file that is written from the beginning to the end, or standard output. */
#ifndef UE__TOOLS_OUTPUT_OUT_FILE_H
#define UE__TOOLS_OUTPUT_OUT_FILE_H

#include <stddef.h>
#include <stdint.h>

struct outfile {
	int fd; /* -1: not open yet */
	const char *path;
	const char *shown; /* in sentences */
	int is_regular; /* and ours: "-" is whatever it is */
	int is_new;	/* we made it, and nothing needs it yet */
	uint64_t bytes; /* written so far */
	int has_failed; /* after a message */
};

/*
 * Open what file->path says; "-" is standard output. A file that is open stays so, and
 * what it holds stays until outfile_empty(). 0, or -1 after a message.
 */
int outfile_open(struct outfile *file);
/*
 * Drop the old content. Call it once nothing else can fail: an old recording is worth
 * more than an empty one. 0, or -1 after a message.
 */
int outfile_empty(struct outfile *file);
/*
 * Write all or nothing: when the disk is full, none of the bytes stays. 0, or -1 after a
 * message, the first time.
 */
int outfile_write(struct outfile *file, const void *bytes, size_t length);
/*
 * Close it, and remove a file that we made if outfile_empty() was never called: then
 * what was to be recorded never began. 0, or -1 after a message.
 */
int outfile_close(struct outfile *file);

#endif
