/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes the filter files of events. A filter that the kernel refuses removes the one
 * before, so that is read first, and put back.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/caret.h"
#include "common/cli/message.h"
#include "kernel/control/control_file.h"
#include "filter_grammar.h"
#include "filter_state.h"
#include "common/records/byte_cursor.h"

/* Checking, with messages */

void kfilter_report(const struct kfilter_fault *fault, const char *text, const char *verb)
{
	if (fault->kind == KFILTER_WARNING)
		message("doubtful condition: %s", fault->sentence);
	else
		message("cannot %s: %s", verb, fault->sentence);
	message_caret(text, fault->at);
}

int kfilter_check_event(const char *text, const struct listed_event *event,
		       struct kfilter_faults *faults)
{
	struct tracepoint *tracepoint = tracepoint_new(event->system, event->name, event->format,
						       event->format_length, HOST_IS_BIG_ENDIAN);
	int result = kfilter_check(text, tracepoint, kernel_version(), faults);

	tracepoint_free(tracepoint);
	return result;
}

int kfilter_accept(const char *text, const struct listed_event *event, const char *verb)
{
	struct kfilter_faults faults = { 0 };
	int result = kfilter_check_event(text, event, &faults);

	for (size_t i = 0; i < faults.count; i++)
		kfilter_report(&faults.items[i], text, verb);
	kfilter_faults_free(&faults);
	return result;
}

/* Files */

/* "FILTER\n  ^\nparse_error: REASON", or "FILTER\nError: (NUMBER)". */
static int is_refused(const char *text)
{
	const char *last = strrchr(text, '\n');

	return last && (!strncmp(last + 1, "parse_error: ", 13) ||
			!strncmp(last + 1, "Error: (", 8));
}

char *kfilter_get(const struct instance *instance, const struct listed_event *event)
{
	char *path = instance_event_path(instance, event, "filter");
	char *text = read_file(path, NULL);
	size_t length;

	free(path);
	if (!text) {
		/* events of ftrace have no filter */
		errno = errno == ENOENT ? 0 : errno;
		return NULL;
	}
	/* the kernel adds one newline to a filter, and two to one that it refused */
	for (length = strlen(text); length && text[length - 1] == '\n'; length--)
		text[length - 1] = '\0';
	if (strcmp(text, "none") && !is_refused(text))
		return text;
	free(text);
	errno = 0;
	return NULL;
}

char *kfilter_before(const struct instance *instance, const struct listed_event *event,
		     int *result)
{
	char *text = kfilter_get(instance, event);

	*result = !text && errno ? -1 : 0;
	if (*result)
		message("cannot read the filter of %s: %s", event->name, strerror(errno));
	return text;
}

int kfilter_put(const struct instance *instance, const struct listed_event *event,
	       const char *text)
{
	char *path = instance_event_path(instance, event, "filter");
	int result = control_write(path, text ? text : "0");

	free(path);
	if (result)
		message("cannot put back the filter of %s: %s", event->name, strerror(-result));
	return result;
}

/*
 * The kernel's place is one byte behind the value that it refuses, and one byte off, as it
 * counts from the first letter of the comparison.
 */
static size_t begin_of_value(const char *text, size_t at)
{
	const size_t length = strlen(text);

	at = at > length ? length : at;
	while (at && (kfilter_is_blank(text[at - 1]) || text[at - 1] == '}'))
		at--;
	while (at && !kfilter_is_blank(text[at - 1]) && !strchr("=&", text[at - 1]))
		at--;
	return at;
}

static void report_refusal(const struct refusal *refusal, const struct listed_event *event,
			   const char *text)
{
	const int is_gone = refusal->error == ENODEV || refusal->error == ENOENT;

	if (!refusal->reason) {
		message("cannot set the filter of %s: %s", event->name,
			is_gone ? "the event is gone" : strerror(refusal->error));
		return;
	}
	message("cannot set the filter of %s: the kernel refuses it: %s", event->name,
		refusal->reason);
	message_caret(text, begin_of_value(text, refusal->at));
}

/* After a failure to open the file, the filter is as it was. */
static int is_in_force(const struct instance *instance, const struct listed_event *event,
		       const char *filter)
{
	char *now = kfilter_get(instance, event);
	const int result = now && filter ? !strcmp(now, filter) : !now == !filter;

	free(now);
	return result;
}

int kfilter_write(const struct instance *instance, const struct listed_event *event,
		 const char *text, char **before)
{
	struct refusal refusal;
	char *path;
	int result;

	*before = kfilter_before(instance, event, &result);
	if (result)
		return result;
	path = instance_event_path(instance, event, "filter");
	result = control_try(instance->directory, path, text, &refusal);
	free(path);
	if (result) {
		/* of what the kernel refused, it shows the text in the file */
		if (refusal.reason || !is_in_force(instance, event, *before))
			kfilter_put(instance, event, *before);
		report_refusal(&refusal, event, text);
	}
	refusal_free(&refusal);
	return result ? -1 : 0;
}

int kfilter_remove(const struct instance *instance, const struct listed_event *event)
{
	char *path = instance_event_path(instance, event, "filter");
	int result = control_write(path, "0");

	free(path);
	/* an event that is gone, or takes no filters, has none */
	if (result == -ENOENT)
		return 0;
	if (result)
		message("cannot remove the filter of %s: %s", event->name, strerror(-result));
	return result ? -1 : 0;
}
