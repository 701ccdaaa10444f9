/* SPDX-License-Identifier: MIT */
/*
 * The rules of a reader: lines "+GLOB\n" and "-GLOB\n", of which the last that matches an
 * event's name counts, enable events; lines "sGLOB\n" and "nGLOB\n" do the same for stacks.
 */
#ifndef UE__RING_RULES_H
#define UE__RING_RULES_H

#include <stdint.h>

#define UE__RULE_ENABLES '+'
#define UE__RULE_DISABLES '-'
#define UE__RULE_STACK 's'
#define UE__RULE_NO_STACK 'n'

/* The last rule that matches a name is one with this sign: 1, else 0. */
int ue__rules_say(const char *rules, uint32_t length, char sign, const char *name,
		  uint32_t name_length);
/* Has any rule this sign? */
int ue__rules_have(const char *rules, uint32_t length, char sign);
/*
 * Add a rule, its sign and a glob, to rules of at most max bytes. It replaces a rule
 * for the same glob, and "*" replaces all rules of both signs. The new length, or -ENOSPC.
 */
int ue__rules_add(char *rules, uint32_t length, uint32_t max, char sign, const char *glob);

#endif
