/* SPDX-License-Identifier: MIT */
/*
 * A surprise is a question to the running kernel that a stock kernel answers badly, and a
 * kernel with the patches of doc/kernel well. The answer is a few words on one line.
 */
#ifndef SURPRISES_H
#define SURPRISES_H

#include <stdarg.h>

struct surprise {
	const char *name; /* a word */
	const char *question;
	void (*ask)(void); /* calls answer() once */
};

/* Lists that end with an empty entry; one for each file of rows. */
extern const struct surprise definition_surprises[];
extern const struct surprise size_surprises[];
extern const struct surprise name_surprises[];
extern const struct surprise request_surprises[];
extern const struct surprise record_surprises[];
extern const struct surprise backport_surprises[];
extern const struct surprise write_surprises[];
extern const struct surprise absent_surprises[];
extern const struct surprise probe_surprises[];
extern const struct surprise synth_surprises[];
extern const struct surprise srcu_surprises[];
extern const struct surprise process_surprises[];
extern const struct surprise race_surprises[];

/* Prints the answer. */
__attribute__((format(printf, 1, 2))) void answer(const char *format, ...);

/* The name of errno's value, or "works" if result is not negative. */
const char *verdict(long result);

/* Opens a file of tracefs; ends the program if that fails. */
int open_tracefs(const char *name, int flags);

int is_6_1(void);

/* Writes text into a file of tracefs; 0 or -1, with errno set. */
int put_tracefs(const char *name, const char *text);

/* The ioctl that registers a definition in either generation: its result, with errno set. */
int register_raw(int fd, const char *definition, unsigned int *write_index);

#endif
