/* SPDX-License-Identifier: MIT */
/* Matches names of events with globs. */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include <userevents/eventheader_name.h>

#include "event_glob.h"
#include "common/cli/message.h"

int glob_matches(const struct words *patterns, const char *system, const char *name,
		 size_t name_length)
{
	char full[1024];
	const char *bare;

	if (!patterns->count)
		return 1;
	snprintf(full, sizeof(full), "%s:%.*s", system, (int)name_length, name);
	bare = full + strlen(system) + 1;
	for (size_t i = 0; i < patterns->count; i++) {
		const char *pattern = patterns->items[i];

		if (!fnmatch(pattern, strchr(pattern, ':') ? full : bare, 0))
			return 1;
	}
	return 0;
}

void globs_strike(struct words *patterns, const char *system, const char *name,
		  size_t name_length)
{
	size_t left = 0;

	for (size_t i = 0; i < patterns->count; i++) {
		const struct words one = { &patterns->items[i], 1 };

		if (!glob_matches(&one, system, name, name_length))
			patterns->items[left++] = patterns->items[i];
	}
	patterns->count = left;
}

int glob_may_match_events(const char *pattern, const char *tracepoint)
{
	const char *colon = strchr(pattern, ':');
	struct ue_eventheader_name parts;
	char provider[256], wanted[256];

	if (ue_eventheader_name_parse(tracepoint, strlen(tracepoint), &parts, NULL))
		return 0;
	/* a colon may stand in a bracket, too; the filter decides in the end */
	if (!colon || memchr(pattern, '[', (size_t)(colon - pattern)))
		return 1;
	snprintf(provider, sizeof(provider), "%.*s", (int)parts.provider_length,
		 parts.provider);
	snprintf(wanted, sizeof(wanted), "%.*s", (int)(colon - pattern), pattern);
	return !fnmatch(wanted, provider, 0);
}

int globs_found(const struct words *patterns, size_t count)
{
	if (!patterns->count || count)
		return 1;
	message("cannot find an event: there is no event that %s%s%s matches",
		patterns->count == 1 ? "\"" : "",
		patterns->count == 1 ? patterns->items[0] : "any of these",
		patterns->count == 1 ? "\"" : "");
	return 0;
}
