/* SPDX-License-Identifier: MIT */
/* A file that is written from its beginning to its end, or standard output. */
#ifndef UE__TOOLS_OUTPUT_OUT_FILE_H
#define UE__TOOLS_OUTPUT_OUT_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "common/cli/memory.h"

struct outfile {
	int fd; /* -1: not open yet */
	const char *path;
	const char *rest; /* what remains if writing fails; NULL: "it has the events up to then" */
	int is_shared; /* other users may read it */
	const char *shown; /* in sentences */
	int is_regular; /* and opened here: not "-" */
	int is_new_only; /* never open a file that exists */
	/* Files that are read, which it must not be; ends with NULL. "-" is standard input. */
	char *const *inputs;
	int is_new;	/* created here, and outfile_empty() was not called yet */
	uint64_t bytes; /* written so far */
	int has_failed; /* after a message */
};

/*
 * Open file->path; "-" is standard output. Does nothing if the file is open. Its content
 * stays until outfile_empty(). 0, or -1 after a message.
 */
int outfile_open(struct outfile *file);
/*
 * Drop the old content. Call it when nothing else can fail: an old recording is worth
 * more than an empty one. 0, or -1 after a message.
 */
int outfile_empty(struct outfile *file);
/*
 * Write all or nothing: when the disk is full, none of the bytes stays. 0, or -1 after a
 * message, the first time.
 */
int outfile_write(struct outfile *file, const void *bytes, size_t length);
/*
 * The same for each of several records, which begin with their sizes in 4 bytes: those that
 * fit stay.
 */
int outfile_write_records(struct outfile *file, const void *bytes, size_t length);
/*
 * Reserve space for this many bytes more, so that writing them cannot fail for the lack of
 * it. 0, or the errno of a full disk, an exhausted quota, or a limit.
 */
int outfile_reserve(const struct outfile *file, uint64_t more);
/* Give back unused reserved space. */
void outfile_release(const struct outfile *file);
/* The same as outfile_write() for a buffer, which is freed. */
int outfile_move(struct outfile *file, struct bytes *bytes);
/*
 * Close it. If outfile_empty() was never called, the recording never began: then remove a
 * file that outfile_open() created. 0, or -1 after a message.
 */
int outfile_close(struct outfile *file);

#endif
