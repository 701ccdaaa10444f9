/* SPDX-License-Identifier: MIT */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "glob.h"
#include "message.h"

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

int globs_found(const struct words *patterns, size_t count)
{
	if (!patterns->count || count)
		return 1;
	message("There is no event that %s%s%s matches.", patterns->count == 1 ? "\"" : "",
		patterns->count == 1 ? patterns->items[0] : "any of these",
		patterns->count == 1 ? "\"" : "");
	return 0;
}
