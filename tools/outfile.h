/* SPDX-License-Identifier: MIT */
/* A file that is written from the beginning to the end, or standard output. */
#ifndef UE__TOOLS_OUTFILE_H
#define UE__TOOLS_OUTFILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

struct outfile {
	int fd;
	const char *shown;
	uint64_t bytes; /* written so far */
	int has_failed; /* after a message */
};

/* "-" is standard output; 0, or -1 after a message. */
int outfile_open(struct outfile *file, const char *path);
/*
 * Write pieces as one: when the disk is full, none of them stays. 0, or -1 after a
 * message, the first time.
 */
int outfile_write_pieces(struct outfile *file, const struct iovec *pieces, int count);
int outfile_write(struct outfile *file, const void *bytes, size_t length);
/* 0, or -1 after a message. */
int outfile_close(struct outfile *file);

#endif
