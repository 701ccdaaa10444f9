/* SPDX-License-Identifier: MIT */
/* Recognises event probes. */
#include "event_probe.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "tracing_files.h"

/* Their formats, as those of synthetic events, begin with a blank, or are empty. */
static int may_be_one(const struct listed_event *event)
{
	return strstr(event->format, "print fmt: \" ") ||
	       strstr(event->format, "print fmt: \"\"");
}

int event_is_event_probe(const char *directory, const struct listed_event *event)
{
	char *path, *text, *line;
	const char *found;
	int result;

	if (!may_be_one(event))
		return 0;
	path = tracing_path(directory, "dynamic_events");
	text = read_file(path, NULL);
	line = xprintf("e:%s/%s ", event->system, event->name);
	found = text ? strstr(text, line) : NULL;
	result = found && (found == text || found[-1] == '\n');
	free(line);
	free(text);
	free(path);
	return result;
}
