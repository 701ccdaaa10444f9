/* SPDX-License-Identifier: MIT */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "glob.h"

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
