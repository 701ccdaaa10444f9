/* SPDX-License-Identifier: MIT */
/*
 * The rules of a reader: lines "+GLOB\n" and "-GLOB\n", of which the last that matches an
 * event's name counts.
 */
#ifndef UE__RING_RULES_H
#define UE__RING_RULES_H

#include <stdint.h>

/* 1 if the rules enable a name, else 0. */
int ue__rules_say(const char *rules, uint32_t length, const char *name,
		  uint32_t name_length);
/*
 * Add a rule, '+' or '-' and a glob, to rules of at most max bytes. It replaces a rule
 * for the same glob, and "*" replaces all rules. The new length, or -ENOSPC.
 */
int ue__rules_add(char *rules, uint32_t length, uint32_t max, char sign, const char *glob);

#endif
