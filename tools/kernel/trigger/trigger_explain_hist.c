/* SPDX-License-Identifier: MIT */
/*
 * Explains why the kernel refused a histogram.
 *
 * Limits such as three keys are those of the kernels up to Linux 6.12: they explain a refusal,
 * and never cause one.
 */
#include "trigger_explain.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"

/* nearest() suggests these; the kernel may have others. */
static const char *const parts[] = { "keys=", "key=",  "vals=",	 "values=", "val=",
				     "sort=", "name=", "clock=", "size=" };
static const char *const words[] = { "pause", "continue",   "cont",
				     "clear", "nohitcount", "NOHC" };

static int explain_word(const struct asked *asked, size_t at, const char *word)
{
	const char *near = NEAREST(word, words);

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(word, words[i]))
			return 0;
	if (near)
		return blame(asked, at,
			     "\"%s\" is no part of a histogram; did you mean \"%s\"?",
			     word, near);
	return blame(
		asked, at,
		"\"%s\" is no part of a histogram; there are keys=, vals=, sort=, "
		"size=, name=, clock=, NAME=FIELD, pause, continue, clear, nohitcount, "
		"onmatch(), onmax() and onchange()",
		word);
}

/* The kernel's TRACING_MAP_BITS_MIN and TRACING_MAP_BITS_MAX. */
#define SIZE_LEAST 128u
#define SIZE_MOST 131072u

static int explain_size(const struct asked *asked, size_t at, const char *text)
{
	char *rest;
	const unsigned long long size = strtoull(text, &rest, 0);

	if (!isdigit((unsigned char)*text) || *rest)
		return blame(asked, at, "\"%s\" is no number; write such as size=2048",
			     text);
	if (size >= SIZE_LEAST && size <= SIZE_MOST)
		return 0;
	return blame(asked, at, "the size is at least %u and at most %u", SIZE_LEAST,
		     SIZE_MOST);
}

static int explain_part(const struct asked *asked, size_t at, const char *part)
{
	if (!*part)
		return blame(asked, at,
			     "there is nothing between or behind \":\"; remove it");
	if (!strncmp(part, "size=", 5))
		return explain_size(asked, at + 5, part + 5);
	return strpbrk(part, "=(") ? 0 : explain_word(asked, at, part);
}

/* A ':' inside of brackets belongs to an action. */
static size_t part_length(const char *part)
{
	int depth = 0;
	size_t length = 0;

	for (; part[length] && (part[length] != ':' || depth > 0); length++)
		depth += (part[length] == '(') - (part[length] == ')');
	return length;
}

static int explain_each_part(const struct asked *asked)
{
	const char *head = asked->trigger->head;
	size_t at = strlen("hist");
	int result = 0;

	while (!result && head[at] == ':') {
		const size_t length = part_length(head + ++at);
		AUTO_FREE char *part = xstrndup(head + at, length);

		result = explain_part(asked, at, part);
		at += length;
	}
	return result;
}

/* The kernel takes a misspelt "kyes=" for a variable. */
static int explain_keys(const struct asked *asked)
{
	const char *head = asked->trigger->head;
	int result = 0;

	for (const char *at = strchr(head, ':'); at && !result; at = strchr(at, ':')) {
		const size_t length = strcspn(++at, "=:");
		AUTO_FREE char *name = xstrndup(at, length + (at[length] == '='));
		const char *near = NEAREST(name, parts);

		if (near && !strncmp(near, "key", 3) && strcmp(name, near))
			result = blame(asked, (size_t)(at - head),
				       "no key is given; did you mean "
				       "\"%s\" by \"%s\"?",
				       near, name);
	}
	return result ||
	       blame(asked, 0, "no key is given; write such as hist:keys=FIELD");
}

/* "id,,shard", "x=id+", "x=*id" */
static int explain_gap(const struct asked *asked)
{
	const char *head = asked->trigger->head;

	for (const char *at = strchr(head, '='); at && *at; at++) {
		const int wants_term = strchr("=,+*/", *at) ||
				       (*at == '-' && strncmp(at - 4, ".sym-offset", 11));

		if (wants_term && (!at[1] || strchr(":,+*/)", at[1])))
			return blame(asked, (size_t)(at + 1 - head),
				     "a field is missing here");
	}
	return 0;
}

static int explain_action(const struct asked *asked)
{
	const char *head = asked->trigger->head, *at = strstr(head, ":on");
	int depth = 0;

	for (const char *c = at; c && *c; c++)
		depth += (*c == '(') - (*c == ')');
	return depth && blame(asked, (size_t)(at + 1 - head),
			      "the action is not complete; write such "
			      "as onmax($x).save(field)");
}

static unsigned items_of(const char *list)
{
	unsigned count = list != NULL;

	for (; list && *list; list++)
		count += *list == ',';
	return count;
}

/* The kernel's limits up to Linux 6.12; hitcount always is one of the values. */
#define ITEMS_MAX 3

static int explain_limits(const struct asked *asked)
{
	char *keys = trigger_part(asked->trigger, "key"),
	     *vals = trigger_part(asked->trigger, "val");
	const unsigned keys_count = items_of(keys);
	const unsigned vals_count =
		items_of(vals) + !(vals && trigger_find_word(vals, "hitcount"));
	const char *head = asked->trigger->head;
	int result = 0;

	if (keys_count > ITEMS_MAX)
		result = blame(asked, (size_t)(strstr(head, ":key") + 1 - head),
			       "there are %u "
			       "keys; kernels up to Linux 6.12 take %d",
			       keys_count, ITEMS_MAX);
	else if (vals && vals_count > ITEMS_MAX)
		result = blame(
			asked, (size_t)(strstr(head, ":val") + 1 - head),
			"there are %u "
			"values with hitcount, which always is one; kernels up to Linux "
			"6.12 take %d",
			vals_count, ITEMS_MAX);
	free(keys);
	free(vals);
	return result;
}

static int has_keys(const struct trigger *trigger)
{
	return strstr(trigger->head, ":key=") || strstr(trigger->head, ":keys=");
}

int trigger_explain_hist(const struct asked *asked)
{
	const char *buckets = strstr(asked->trigger->head, ".buckets");

	if (explain_action(asked) || explain_each_part(asked))
		return 1;
	if (!has_keys(asked->trigger))
		return explain_keys(asked);
	if (explain_gap(asked))
		return 1;
	if (buckets && (buckets[8] != '=' || !isdigit((unsigned char)buckets[9])))
		return blame(asked, (size_t)(buckets - asked->trigger->head),
			     ".buckets wants the "
			     "size of a bucket; write such as .buckets=10");
	return !asked->refusal->reason && explain_limits(asked);
}
