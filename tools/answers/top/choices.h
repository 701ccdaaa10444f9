/* SPDX-License-Identifier: MIT */
/* The person's choices. */
#ifndef UE__TOOLS_ANSWERS_TOP_CHOICES_H
#define UE__TOOLS_ANSWERS_TOP_CHOICES_H

#include "views.h"

#define FILTER_MAX 128

struct choices {
	enum view_kind view;
	int sorted[VIEWS]; /* the column; -1: the text */
	int reverse[VIEWS];
	size_t first[VIEWS]; /* the line at the top */
	char filter[FILTER_MAX];
	char typed[FILTER_MAX]; /* while a filter is being typed */
	int is_typing, is_helping, is_paused, is_over, wants_stop;
};

void choices_begin(struct choices *choices);
/* A key (keys.h). page: lines of a page. */
void choices_key(struct choices *choices, int key, size_t page);

/* Lines about the keys, NULL at the end. */
extern const char *const choices_help[];

#endif
