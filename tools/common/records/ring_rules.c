/* SPDX-License-Identifier: MIT */
/* Reads a ring's rules about stacks. */
#include "ring_rules.h"

#include <fnmatch.h>
#include <string.h>

int stack_rules_read(struct stack_rules *rules, int fd)
{
	const int result = ue_ring_rules(fd, rules->text, sizeof(rules->text));
	char *next = rules->text;
	const char *rule;

	rules->count = 0;
	if (result < 0)
		return result;
	while ((rule = strsep(&next, "\n")))
		if (*rule == 's' || *rule == 'n')
			rules->rules[rules->count++] = rule;
	return 0;
}

/* Whether a later rule asks for no stack of this one's events. */
static int is_void(const struct stack_rules *rules, size_t at)
{
	for (size_t i = at + 1; i < rules->count; i++)
		if (*rules->rules[i] == 'n' &&
		    !fnmatch(rules->rules[i] + 1, rules->rules[at] + 1, 0))
			return 1;
	return 0;
}

int stack_rules_ask(const struct stack_rules *rules, const char *apart_from)
{
	for (size_t i = 0; i < rules->count; i++)
		if (*rules->rules[i] == 's' && strcmp(rules->rules[i] + 1, apart_from) != 0 &&
		    !is_void(rules, i))
			return 1;
	return 0;
}
