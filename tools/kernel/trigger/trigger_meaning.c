/* SPDX-License-Identifier: MIT */
/* Describes the kinds of triggers, and what one does, in words. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "trigger.h"
#include "trigger_kinds.h"

const struct trigger_kind_entry trigger_kinds[TRIGGER_KINDS] = {
	[TRIGGER_ENABLE_EVENT] = { "enable_event", "enables %s", TRIGGER_DISABLE_EVENT },
	[TRIGGER_DISABLE_EVENT] = { "disable_event", "disables %s", TRIGGER_ENABLE_EVENT },
	[TRIGGER_ENABLE_HIST] = { "enable_hist", "lets the histograms of %s go on",
				  TRIGGER_DISABLE_HIST },
	[TRIGGER_DISABLE_HIST] = { "disable_hist", "pauses the histograms of %s",
				   TRIGGER_ENABLE_HIST },
	[TRIGGER_STACKTRACE] = { "stacktrace", "traces the kernel's stack",
				 TRIGGER_STACKTRACE },
	[TRIGGER_SNAPSHOT] = { "snapshot", "takes a snapshot of the trace", TRIGGER_SNAPSHOT },
	[TRIGGER_TRACEON] = { "traceon", "turns tracing on", TRIGGER_TRACEOFF },
	[TRIGGER_TRACEOFF] = { "traceoff", "turns tracing off", TRIGGER_TRACEON },
	[TRIGGER_HIST] = { "hist", "counts", TRIGGER_HIST },
};

const char *trigger_name(enum trigger_kind kind)
{
	return trigger_kinds[kind].name;
}

enum trigger_kind trigger_opposite(enum trigger_kind kind)
{
	return trigger_kinds[kind].opposite;
}

int trigger_switches_event(enum trigger_kind kind)
{
	return kind == TRIGGER_ENABLE_EVENT || kind == TRIGGER_DISABLE_EVENT;
}

int trigger_switches_hist(enum trigger_kind kind)
{
	return kind == TRIGGER_ENABLE_HIST || kind == TRIGGER_DISABLE_HIST;
}

char *trigger_text(const struct trigger *trigger)
{
	const char *word = trigger->filter ? " if " : "";
	const char *filter = trigger->filter ? trigger->filter : "";

	if (trigger->is_counted)
		return xprintf("%s:%" PRIu64 "%s%s", trigger->head, trigger->left, word, filter);
	return xprintf("%s%s%s", trigger->head, word, filter);
}

/* The part of a histogram that begins with a key, such as "keys="; to be freed, or NULL. */
static char *part_of(const struct trigger *trigger, const char *key)
{
	const char *at = trigger->head;
	size_t length = strlen(key);

	while ((at = strchr(at, ':'))) {
		at++;
		if (!strncmp(at, key, length))
			return xstrndup(at + length, strcspn(at + length, ":"));
	}
	return NULL;
}

static char *hist_meaning(const struct trigger *trigger)
{
	char *keys = part_of(trigger, "keys="), *key = part_of(trigger, "key=");
	char *values = part_of(trigger, "vals="), *text;
	/* the kernel lists the count itself as the first value */
	const char *more = values && !strncmp(values, "hitcount", 8) ? values + 8 : values;

	if (more && *more == ',')
		more++;
	text = xprintf("counts by %s%s%s%s", keys ? keys : key ? key : "?",
		       more && *more ? ", and sums " : "", more && *more ? more : "",
		       trigger->is_paused ? "; paused" : "");
	free(keys);
	free(key);
	free(values);
	return text;
}

static char *basic_meaning(const struct trigger *trigger)
{
	const char *meaning = trigger_kinds[trigger->kind].meaning;
	const char *mark = strstr(meaning, "%s");

	if (trigger->kind == TRIGGER_HIST)
		return hist_meaning(trigger);
	if (!mark)
		return xstrdup(meaning);
	return xprintf("%.*s%s%s", (int)(mark - meaning), meaning, trigger->target, mark + 2);
}

char *trigger_meaning(const struct trigger *trigger)
{
	char *basic = basic_meaning(trigger), *text;

	if (trigger->is_counted && !trigger->left)
		text = xprintf("%s; never again", basic);
	else if (trigger->is_counted)
		text = xprintf("%s; %" PRIu64 " more time%s", basic, trigger->left,
			       trigger->left == 1 ? "" : "s");
	else
		text = xstrdup(basic);
	free(basic);
	return text;
}
