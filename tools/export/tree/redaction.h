/* SPDX-License-Identifier: MIT */
/* Fields whose values must not leave the machine, by their names. */
#ifndef UE__TOOLS_EXPORT_TREE_REDACTION_H
#define UE__TOOLS_EXPORT_TREE_REDACTION_H

#include "exported_event.h"

enum redaction {
	REDACTION_NONE = 0,
	REDACTION_DROP, /* the field is left out */
	REDACTION_MASK, /* its value is "***" */
	REDACTION_HASH, /* its value is 16 hexadecimal digits, the same for each one */
};

/*
 * All walks through fields follow these from now on, which stay the caller's; NULL:
 * none. The key of hashes is of this process, so that nobody finds values by trying.
 */
void redaction_set(const struct redactions *redactions);
/* Whether there are any: then nothing else may show an event's bytes. */
int redaction_is_on(void);
enum redaction redaction_of(const char *name, size_t length);
/* 16 digits and a NUL. */
void redaction_hash(const void *bytes, size_t length, char text[17]);

#endif
