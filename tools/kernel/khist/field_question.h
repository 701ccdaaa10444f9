/* SPDX-License-Identifier: MIT */
/* Counts the values of a field of one event. */
#ifndef UE__TOOLS_KERNEL_KHIST_FIELD_QUESTION_H
#define UE__TOOLS_KERNEL_KHIST_FIELD_QUESTION_H

#include "kernel_question.h"

/* where: a filter of the kernel, or NULL. Returns an exit status. */
int field_question_answer(const struct question_options *options, const char *event,
			  const char *field, const char *where);

/* Measures the time from one event to another with the same key. */

struct pair_options {
	struct words keys; /* "NAME" or "NAME=NAME" */
	int by_thread;
	const char *where_start, *where_stop; /* filters of the kernel, or NULL */
};

/* Returns an exit status. */
int pair_question_answer(const struct question_options *options,
			 const struct pair_options *pairs, const char *start,
			 const char *stop);

/* The fields of two events that make a pair, and how triggers name them. */

struct pair_fields {
	char *start_keys, *stop_keys; /* "id,shard" */
	/* Values of --by, which START saves, STOP takes, and passes on to the synthetic event. */
	char *saved;  /* ",ue_save1=shard" */
	char *taken;  /* ",ue_by1=$ue_save1" */
	char *passed; /* ",$ue_by1,status" */
	char *declared; /* "u64 ns; u32 by1; u32 by2" */
};

/*
 * Find them in both events, and set the fields of the question, which are those of the
 * synthetic event. 0, or -1 after a message.
 */
int pair_fields_find(struct pair_fields *fields, const struct pair_options *pairs,
		     const struct question_options *options, const struct listed_event *start,
		     const struct listed_event *stop, struct question *question);
/* The command line of "userevents latency", to be freed; NULL: there is none. */
char *pair_fields_latency(const struct pair_fields *fields, const struct pair_options *pairs,
			  const struct words *by, const struct listed_event *start,
			  const struct listed_event *stop);
void pair_fields_free(struct pair_fields *fields);

#endif
