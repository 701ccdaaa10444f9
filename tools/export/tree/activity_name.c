/* SPDX-License-Identifier: MIT */
/* Makes the name of an activity of that of its first event. */
#include "activity_name.h"

#include <strings.h>

static const char *const ends[] = { "start", "begin" };

/* The length without this end and what separates it; 0 if there is no such end. */
static size_t length_without(struct clean_text name, const char *end)
{
	const size_t length = strlen(end);
	size_t rest = name.length > length ? name.length - length : 0;

	if (!rest || strncasecmp(name.at + rest, end, length))
		return 0;
	return rest > 1 && strchr("_-. :/", name.at[rest - 1]) ? rest - 1 : rest;
}

struct clean_text activity_name(struct clean_text start)
{
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		const size_t length = length_without(start, ends[i]);

		if (length)
			return (struct clean_text){ start.at, length };
	}
	return start;
}
