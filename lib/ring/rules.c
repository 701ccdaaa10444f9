/* SPDX-License-Identifier: MIT */
/*
 * Decide which events a reader enables. Pure functions.
 */
#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "rules.h"

/*
 * Rules come from shared memory, so the last line may lack its end and is then ignored.
 */
static const char *line_end(const char *line, const char *end)
{
	return memchr(line, '\n', (size_t)(end - line));
}

static int matches(const char *glob, size_t glob_length, const char *name)
{
	char pattern[512];

	if (glob_length >= sizeof(pattern))
		return 0;
	memcpy(pattern, glob, glob_length);
	pattern[glob_length] = '\0';
	return !fnmatch(pattern, name, 0);
}

/* Is the rule one of enabling, or of stacks? */
static int are_of_one_kind(char sign, char other)
{
	const int is_of_stacks = other == UE__RULE_STACK || other == UE__RULE_NO_STACK;

	return (sign == UE__RULE_STACK || sign == UE__RULE_NO_STACK) == is_of_stacks;
}

int ue__rules_say(const char *rules, uint32_t length, char sign, const char *name,
		  uint32_t name_length)
{
	const char *end = rules + length, *stop;
	char text[512];
	int result = 0;

	if (name_length >= sizeof(text))
		return 0;
	memcpy(text, name, name_length);
	text[name_length] = '\0';
	for (; rules < end && (stop = line_end(rules, end)); rules = stop + 1)
		if (are_of_one_kind(sign, *rules) &&
		    matches(rules + 1, (size_t)(stop - rules - (stop > rules)), text))
			result = *rules == sign;
	return result;
}

int ue__rules_have(const char *rules, uint32_t length, char sign)
{
	const char *end = rules + length, *stop;

	for (; rules < end && (stop = line_end(rules, end)); rules = stop + 1)
		if (*rules == sign)
			return 1;
	return 0;
}

/* Remove the rules that a rule for glob replaces. Returns the remaining length. */
static uint32_t drop_void(char *rules, uint32_t length, char sign, const char *glob)
{
	size_t glob_length = strlen(glob);
	char *end = rules + length, *to = rules;
	const char *stop;

	for (const char *at = rules; at < end && (stop = line_end(at, end));
	     at = stop + 1) {
		size_t size = (size_t)(stop + 1 - at);

		if (are_of_one_kind(sign, *at) &&
		    (!strcmp(glob, "*") ||
		     (size == glob_length + 2 && !memcmp(at + 1, glob, glob_length))))
			continue;
		memmove(to, at, size);
		to += size;
	}
	return (uint32_t)(to - rules);
}

int ue__rules_add(char *rules, uint32_t length, uint32_t max, char sign, const char *glob)
{
	size_t size = strlen(glob) + 2;

	length = drop_void(rules, length, sign, glob);
	if (size > max - length)
		return -ENOSPC;
	rules[length] = sign;
	memcpy(rules + length + 1, glob, size - 2);
	rules[length + size - 1] = '\n';
	return (int)(length + size);
}
