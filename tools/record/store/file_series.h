/* SPDX-License-Identifier: MIT */
/*
 * The files of one recording: PATH, PATH.000001, PATH.000002 and so on, from the first
 * after the last that exists, as no file that exists is replaced. The oldest ones may
 * be removed for new ones.
 */
#ifndef UE__TOOLS_RECORD_STORE_FILE_SERIES_H
#define UE__TOOLS_RECORD_STORE_FILE_SERIES_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct outfile;

/* Space of a disk to leave free: bytes, or a part of all. */
struct free_space {
	const char *text; /* as the user gave it; NULL: none */
	uint64_t bytes;
	double part;
};

struct file_series {
	const char *path; /* NULL: there is one file only, which the caller names */
	uint64_t files; /* how many to keep; 0: all */
	struct free_space keep_free;
	uint32_t next; /* the number of the next file; 0: path itself */
	uint32_t *numbers; /* of the files that exist, the oldest first */
	size_t count;
	uint64_t removed;
	uint64_t bytes; /* of all complete files, also removed ones */
	char *name; /* of the file that is open */
};

/* "5%", or bytes as parse_number() takes them. 0, or -1 after a message. */
int free_space_parse(const char *text, struct free_space *space);

/*
 * Find the first free name, and check that files can be created there. 0, or -1 after a
 * message.
 */
int file_series_begin(struct file_series *series, const char *path);
/*
 * Take earlier files of these names for older ones of this series, so that limits hold
 * for all of them. After file_series_begin(), before the first file is opened.
 */
void file_series_adopt(struct file_series *series);
/* Open the next file, which is new and empty. 0, or -1 after a message. */
int file_series_open(struct file_series *series, struct outfile *file);
/* The open file is complete: close it. 0, or -1 after a message. */
int file_series_close(struct file_series *series, struct outfile *file);
/* The open file has no use: remove it. */
void file_series_drop(struct file_series *series, struct outfile *file);
/* Remove the oldest files while there are too many. */
void file_series_limit(struct file_series *series);
/*
 * Whether this many bytes more leave enough space on the disk of the open file; remove
 * the oldest files but the last one for it.
 */
int file_series_has_space(struct file_series *series, const struct outfile *file,
			  uint64_t more);
/* It is called after the last use of names of files. */
void file_series_free(struct file_series *series);

/*
 * Counts in memory that another process may share; some compilers align less for 32 bits.
 */
struct file_counts {
	_Alignas(8) _Atomic uint64_t events; /* in files, also removed ones */
	_Alignas(8) _Atomic uint64_t missed; /* that are in no file */
	_Alignas(8) _Atomic uint64_t bytes;  /* of all files so far */
	_Alignas(8) _Atomic uint64_t files;  /* that exist */
	_Alignas(8) _Atomic uint64_t removed;
};

#endif
