/* SPDX-License-Identifier: MIT */
/* Measures the time from one event to another with the same key. */
#ifndef UE__TOOLS_KHIST_PAIR_QUESTION_H
#define UE__TOOLS_KHIST_PAIR_QUESTION_H

#include "kernel_question.h"

struct pair_options {
	struct words keys; /* "NAME" or "NAME=NAME" */
	int by_thread;
	const char *where_start, *where_stop; /* filters of the kernel, or NULL */
};

/* Returns an exit status. */
int pair_question_answer(const struct question_options *options,
			 const struct pair_options *pairs, const char *start,
			 const char *stop);

#endif
