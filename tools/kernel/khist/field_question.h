/* SPDX-License-Identifier: MIT */
/* Counts the values of a field of one event. */
#ifndef UE__TOOLS_KHIST_FIELD_QUESTION_H
#define UE__TOOLS_KHIST_FIELD_QUESTION_H

#include "kernel_question.h"

/* where: a filter of the kernel, or NULL. Returns an exit status. */
int field_question_answer(const struct question_options *options, const char *event,
			  const char *field, const char *where);

#endif
