/* SPDX-License-Identifier: MIT */
/* The requests for stacks that a ring has. */
#ifndef UE__TOOLS_COMMON_RECORDS_RING_RULES_H
#define UE__TOOLS_COMMON_RECORDS_RING_RULES_H

#include <stddef.h>
#include <userevents/ring.h>

/* The rules about stacks, in their order: 's' or 'n' (ue_ring_rules()), then the glob. */
struct stack_rules {
	char text[UE_RING_RULES_BYTES];
	const char *rules[UE_RING_RULES_BYTES / 2];
	size_t count;
};

/* 0, or an error of ue_ring_rules(). */
int stack_rules_read(struct stack_rules *rules, int fd);
/* Whether a rule asks for stacks that no later one takes back, apart from that of a glob. */
int stack_rules_ask(const struct stack_rules *rules, const char *apart_from);

#endif
