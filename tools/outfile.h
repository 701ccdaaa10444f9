/* SPDX-License-Identifier: MIT */
/* A file that is written from the beginning to the end, or standard output. */
#ifndef UE__TOOLS_OUTFILE_H
#define UE__TOOLS_OUTFILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

struct outfile {
	int fd; /* -1: not open yet */
	const char *path;
	const char *shown; /* in sentences */
	uint64_t bytes; /* written so far */
	int has_failed; /* after a message */
};

/*
 * Open what file->path says; "-" is standard output. A file that is open stays so. 0, or
 * -1 after a message.
 */
int outfile_open(struct outfile *file);
/*
 * Write pieces as one: when the disk is full, none of them stays. 0, or -1 after a
 * message, the first time.
 */
int outfile_write_pieces(struct outfile *file, const struct iovec *pieces, int count);
int outfile_write(struct outfile *file, const void *bytes, size_t length);
/* 0, or -1 after a message. */
int outfile_close(struct outfile *file);

#endif
