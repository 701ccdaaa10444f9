/* SPDX-License-Identifier: MIT */
/* Finds the limit that an event has. */
#include "rate_limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"

static size_t find(struct rate_limits *limits, const char *name)
{
	size_t at = 0;

	while (at < limits->count && strcmp(limits->items[at].name, name) != 0)
		at++;
	if (at < limits->count || at == LIMITED_MOST)
		return at;
	limits->items[at].name = xstrdup(name);
	limits->count++;
	return at;
}

static int passes(const struct rate_limits *limits, struct limited *one)
{
	one->limit.rate = limits->rate;
	if (rate_limit_passes(&one->limit))
		return 1;
	one->lost++;
	return 0;
}

int rate_limits_pass_provider(struct rate_limits *limits, const struct event_kind *kind)
{
	size_t at;

	if (!limits->rate)
		return 1;
	if (kind->number < LIMITED_KINDS && limits->of_kind[kind->number])
		return passes(limits, &limits->items[limits->of_kind[kind->number] - 1]);
	at = find(limits, kind->group);
	if (kind->number < LIMITED_KINDS)
		limits->of_kind[kind->number] = (uint8_t)(at + 1);
	return passes(limits, &limits->items[at]);
}

int rate_limits_pass_user(struct rate_limits *limits, uint32_t user)
{
	char name[16];

	if (!limits->rate)
		return 1;
	snprintf(name, sizeof(name), "%" PRIu32, user);
	return passes(limits, &limits->items[find(limits, name)]);
}

void rate_limits_free(struct rate_limits *limits)
{
	for (size_t i = 0; i < limits->count; i++)
		free(limits->items[i].name);
	limits->count = 0;
}
