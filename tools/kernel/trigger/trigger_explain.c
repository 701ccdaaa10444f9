/* SPDX-License-Identifier: MIT */
/*
 * Explains why the kernel refused a trigger.
 *
 * The kernel parses triggers, and this file runs after it. error_log has a place and a reason
 * for about half of the mistakes, and those are printed as they are. For the other half the
 * kernel has only "Invalid argument", so the mistakes that people make are looked for here.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cli/message.h"
#include "common/cli/memory.h"
#include "kernel/filter/kfilter.h"
#include "kernel/tracefs/tracing_files.h"
#include "trigger_explain.h"

int blame(const struct asked *asked, size_t at, const char *format, ...)
{
	va_list arguments;
	AUTO_FREE char *sentence;

	va_start(arguments, format);
	sentence = xvprintf(format, arguments);
	va_end(arguments);
	message("cannot %s: %s", asked->verb, sentence);
	message_caret(asked->trigger->line, at);
	return 1;
}

/* The command that removes triggers of an event, to be freed. */
static char *trigger_remover(const struct instance *instance,
			     const struct listed_event *event, const char *trigger)
{
	return xprintf("userevents trigger %s%s%s--remove %s:%s%s%s",
		       instance->name ? "-i " : "", instance->name ? instance->name : "",
		       instance->name ? " " : "", event->system, event->name,
		       trigger ? " " : "", trigger ? trigger : "");
}

/* Triggers that exclude each other */

/* The kernel has one of a kind; traceon and traceoff are one kind, and so are other pairs. */
static int excludes(const struct trigger *there, const struct trigger *wanted)
{
	if (there->kind != wanted->kind && there->kind != trigger_opposite(wanted->kind))
		return 0;
	return !wanted->target ||
	       (there->target && !strcmp(there->target, wanted->target));
}

/* The part of a histogram by which the kernel compares two of them first. */
static int has_same_keys(const struct trigger *there, const struct trigger *wanted)
{
	AUTO_FREE char *a = trigger_part(there, "keys="),
		       *b = trigger_part(wanted, "keys=");

	b = b ? b : trigger_part(wanted, "key=");
	return a && b && !strcmp(a, b);
}

static void explain_histogram(const struct asked *asked)
{
	const char *there = "an equal one";
	AUTO_FREE char *remover = trigger_remover(asked->instance, asked->event, "'");

	for (size_t i = 0; i < asked->there->count; i++)
		if (has_same_keys(&asked->there->items[i].trigger, asked->trigger))
			there = asked->there->items[i].trigger.line;
	message("cannot %s: it has \"%s\" already; remove that first: %s%s'", asked->verb,
		there, remover, there);
}

static int explain_existing(const struct asked *asked)
{
	const enum trigger_kind kind = asked->trigger->kind,
				opposite = trigger_opposite(kind);
	const struct listed_trigger *other = NULL;
	AUTO_FREE char *remover = NULL;

	for (size_t i = 0; i < asked->there->count; i++)
		if (excludes(&asked->there->items[i].trigger, asked->trigger))
			other = &asked->there->items[i];
	if (kind == TRIGGER_HIST)
		explain_histogram(asked);
	if (kind == TRIGGER_HIST || !other)
		return kind == TRIGGER_HIST;
	remover = trigger_remover(asked->instance, asked->event, other->trigger.head);
	message("cannot %s: it has \"%s\" already, and the kernel takes one %s%s%s%s; remove that "
		"first: %s",
		asked->verb, other->text, opposite == kind ? "" : "of ",
		trigger_name(kind), opposite == kind ? "" : " and ",
		opposite == kind ? "" : trigger_name(opposite), remover);
	return 1;
}

/* Features that a kernel lacks */

static int has_file(const struct asked *asked, const char *name)
{
	AUTO_FREE char *path = instance_path(asked->instance, "%s", name);

	return !access(path, F_OK);
}

static int has_event_file(const struct asked *asked, const struct listed_event *event,
			  const char *name)
{
	AUTO_FREE char *path = instance_event_path(asked->instance, event, name);

	return !access(path, F_OK);
}

/* Words of histograms that came later; README in tracefs has the second one then. */
static const struct {
	const char *word, *mark, *fix;
} newer[] = {
	{ "nohitcount", "nohitcount", "remove it" },
	{ "NOHC", "nohitcount", "remove it" },
	{ "hitcount.percent", "nohitcount", "remove it, or use another field" },
	{ "hitcount.graph", "nohitcount", "remove it, or use another field" },
	{ "common_stacktrace", "common_stacktrace", "write stacktrace" },
};

static int explain_newer(const struct asked *asked)
{
	AUTO_FREE char *path = xprintf("%s/README", asked->instance->tracefs);
	AUTO_FREE char *readme = read_file(path, NULL);
	int result = 0;

	for (size_t i = 0; readme && !result && i < sizeof(newer) / sizeof(newer[0]);
	     i++) {
		const char *at = trigger_find_word(asked->trigger->head, newer[i].word);

		if (at && !strstr(readme, newer[i].mark))
			result = blame(asked, (size_t)(at - asked->trigger->head),
				       "this kernel has no %s; %s", newer[i].word,
				       newer[i].fix);
	}
	return result;
}

static int explain_kernel(const struct asked *asked)
{
	const enum trigger_kind kind = asked->trigger->kind;
	const char *reason = NULL;

	if (!has_event_file(asked, asked->event, "trigger"))
		reason = "the kernel has no triggers of this event; take another one";
	else if (kind == TRIGGER_SNAPSHOT && !has_file(asked, "snapshot"))
		reason = tracing_feature_lack(TRACING_SNAPSHOTS);
	else if ((kind == TRIGGER_HIST || trigger_switches_hist(kind)) &&
		 !has_event_file(asked, asked->event, "hist"))
		reason = tracing_feature_lack(TRACING_HISTOGRAMS);
	if (reason)
		message("cannot %s: %s", asked->verb, reason);
	return reason || (kind == TRIGGER_HIST && explain_newer(asked));
}

/* Triggers without a histogram */

static int explain_name(const struct asked *asked)
{
	const char *line = asked->trigger->line;
	AUTO_FREE char *name = xstrndup(line, strcspn(line, ": \t\n"));
	const char *near =
		nearest(name, trigger_kinds, TRIGGER_OTHER, sizeof(*trigger_kinds));

	if (near)
		blame(asked, 0, "\"%s\" is no trigger; did you mean \"%s\"?", name, near);
	else
		blame(asked, 0,
		      "\"%s\" is no trigger; there are enable_event, disable_event, "
		      "enable_hist, disable_hist, stacktrace, snapshot, traceon, traceoff and "
		      "hist",
		      name);
	return 1;
}

static int explain_target(const struct asked *asked)
{
	const struct trigger *trigger = asked->trigger;
	const char *name = trigger_name(trigger->kind);
	struct event_list list;
	int can_switch;

	if (!trigger->target)
		return blame(asked, strlen(name),
			     "it names no event; write %s:SYSTEM:EVENT", name);
	if (instance_find_event(asked->instance, trigger->target, &list))
		return 1;
	can_switch = !trigger_switches_event(trigger->kind) ||
		     has_event_file(asked, &list.events[0], "enable");
	event_list_free(&list);
	if (!can_switch)
		message("cannot %s: the event %s cannot be enabled or disabled; give another one",
			asked->verb, trigger->target);
	return !can_switch;
}

/* "stacktrace:5 if id > 4": the fault in the count or the word "if" */
static int explain_parts(const struct asked *asked)
{
	const struct trigger *trigger = asked->trigger;
	const char *line = trigger->line, *rest = line + trigger->rest_at;
	const char *count = line + trigger->count_at;

	rest += strspn(rest, " \t\n");
	if (*rest && !trigger->filter)
		return blame(
			asked, (size_t)(rest - line),
			strcmp(rest, "if") ?
				"a filter begins with \"if\", and other parts have no blanks" :
				"no filter follows \"if\"; write such as \"if id > 4\", quoted for "
				"the shell");
	if (*count != ':' || trigger->is_counted)
		return 0;
	count++;
	return blame(asked, (size_t)(count - line),
		     "\"%.*s\" is no number; write how often it acts "
		     "as in \"%s:5\", or nothing for always",
		     (int)(line + trigger->rest_at - count), count,
		     trigger_name(trigger->kind));
}

static int explain_simple(const struct asked *asked)
{
	const enum trigger_kind kind = asked->trigger->kind;

	if (kind == TRIGGER_OTHER)
		return explain_name(asked);
	if ((trigger_switches_event(kind) || trigger_switches_hist(kind)) &&
	    explain_target(asked))
		return 1;
	return explain_parts(asked);
}

static const char *const modifiers[] = { "hex",	      "sym",   "sym-offset", "syscall",
					 "execname",  "log2",  "buckets",    "usecs",
					 "percent",   "graph", "stacktrace", "ascending",
					 "descending" };

/* The kernel's reason, with a word that was meant where the place has one. */

static char *meant(const struct asked *asked)
{
	const struct refusal *refusal = asked->refusal;
	const struct listed_event *event = asked->event;
	const char *word = refusal->command + refusal->at, *near;
	const size_t length =
		strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			     "_0123456789");
	struct tracepoint *tracepoint;
	char *name = xstrndup(word, length), *result;

	if (strstr(refusal->reason, "find field") && length) {
		tracepoint = event_format(event);
		result = kernel_field_nearest(tracepoint, word, length);
		tracepoint_free(tracepoint);
	} else {
		near = strstr(refusal->reason, "modifier") ? NEAREST(name, modifiers) :
							     NULL;
		result = near && strcmp(near, name) ? xstrdup(near) : NULL;
	}
	free(name);
	return result;
}

static void report(const struct asked *asked)
{
	const struct refusal *refusal = asked->refusal;
	AUTO_FREE char *near = refusal->reason && refusal->command &&
					       refusal->at <= strlen(refusal->command) ?
				       meant(asked) :
				       NULL;

	if (near) {
		message("cannot %s: %s; did you mean \"%s\"?", asked->verb,
			refusal->reason, near);
		message_caret(refusal->command, refusal->at);
	} else {
		refusal_report(refusal, asked->verb);
	}
}

/* The kernel takes less than a page. */
#define LINE_MAX_LENGTH 4095u

static int explain_clock(const struct asked *asked)
{
	const struct refusal *refusal = asked->refusal;
	AUTO_FREE char *path = NULL, *clocks = NULL;
	int result;

	if (!refusal->reason || !strstr(refusal->reason, "trace_clock"))
		return 0;
	path = instance_path(asked->instance, "trace_clock");
	clocks = read_file(path, NULL);
	result = clocks && blame(asked, refusal->at, "%s; there are %.*s",
				 refusal->reason, (int)strcspn(clocks, "\n"), clocks);
	return result;
}

/* Whether it was explained. */
static int explain(const struct asked *asked)
{
	const struct trigger *trigger = asked->trigger;
	const struct refusal *refusal = asked->refusal;
	const int is_in_filter = trigger->filter && refusal->command &&
				 !strcmp(refusal->command, trigger->filter);

	if (refusal->error == EEXIST)
		return explain_existing(asked);
	if (is_in_filter)
		return kfilter_accept(trigger->filter, asked->event, asked->verb) != 0;
	if (strlen(trigger->line) > LINE_MAX_LENGTH) {
		message("cannot %s: it is longer than %u bytes, which the kernel takes at most",
			asked->verb, LINE_MAX_LENGTH);
		return 1;
	}
	if (explain_kernel(asked) || explain_clock(asked))
		return 1;
	if (refusal->reason && refusal->at)
		return 0;
	if (trigger->kind == TRIGGER_HIST ? trigger_explain_hist(asked) :
					    explain_simple(asked))
		return 1;
	return !refusal->reason && trigger->filter &&
	       kfilter_accept(trigger->filter, asked->event, asked->verb);
}

void trigger_explain(const struct instance *instance, const struct listed_event *event,
		     const struct trigger *trigger, const struct trigger_list *there,
		     const struct refusal *refusal)
{
	const struct asked asked = {
		.instance = instance,
		.event = event,
		.trigger = trigger,
		.there = there,
		.refusal = refusal,
		.verb = xprintf("add a trigger to %s:%s", event->system, event->name),
	};

	if (!explain(&asked))
		report(&asked);
	free(asked.verb);
}
