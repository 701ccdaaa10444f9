/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes the filter files of events. A filter that the kernel refuses removes the one
 * before, so that is read first, and put back.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cli/message.h"
#include "common/cli/memory.h"
#include "common/cli/program.h"
#include "kernel/control/instance.h"
#include "kfilter.h"

/* Checking, with messages */

/* Print a fault: a warning, or "cannot VERB: SENTENCE". */
static void kfilter_report(const struct kfilter_fault *fault, const char *text, const char *verb)
{
	if (fault->kind == KFILTER_WARNING)
		message("doubtful condition: %s", fault->sentence);
	else
		message("cannot %s: %s", verb, fault->sentence);
	message_caret(text, fault->at);
}

/* kfilter_check() with this kernel. */
static int kfilter_check_event(const char *text, const struct listed_event *event,
			       struct kfilter_faults *faults)
{
	AUTO(tracepoint_drop) struct tracepoint *tracepoint = event_format(event);

	return kfilter_check(text, tracepoint, kernel_version(), faults);
}

int kfilter_accept(const char *text, const struct listed_event *event, const char *verb)
{
	AUTO(kfilter_faults_free) struct kfilter_faults faults = { 0 };
	int result = kfilter_check_event(text, event, &faults);

	for (size_t i = 0; i < faults.count; i++)
		kfilter_report(&faults.items[i], text, verb);
	return result;
}

void kfilter_warn(const char *text, const struct listed_event *event)
{
	AUTO(kfilter_faults_free) struct kfilter_faults faults = { 0 };

	kfilter_check_event(text, event, &faults);
	for (size_t i = 0; i < faults.count; i++)
		if (faults.items[i].kind == KFILTER_WARNING)
			kfilter_report(&faults.items[i], text, "");
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
	AUTO_FREE char *path = instance_event_path(instance, event, "filter");
	char *text = read_file(path, NULL);
	size_t length;

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

/* kfilter_get(), with -1 in result after a message if it cannot be read, and 0 otherwise. */
static char *kfilter_before(const struct instance *instance,
			    const struct listed_event *event, int *result)
{
	char *text = kfilter_get(instance, event);

	*result = !text && errno ? -1 : 0;
	if (*result)
		message("cannot read the filter of %s:%s: %s", event->system, event->name,
			strerror(errno));
	return text;
}

/* Write a filter that was in force; NULL: none. 0, or -errno after a message. */
static int kfilter_put(const struct instance *instance, const struct listed_event *event,
		       const char *text)
{
	AUTO_FREE char *path = instance_event_path(instance, event, "filter");
	int result = control_write(path, text ? text : "0");

	if (result)
		message("cannot put back the filter of %s:%s: %s", event->system,
			event->name, strerror(-result));
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
	while (at && (is_blank(text[at - 1]) || text[at - 1] == '}'))
		at--;
	while (at && !is_blank(text[at - 1]) && !strchr("=&", text[at - 1]))
		at--;
	return at;
}

static void report_refusal(const struct refusal *refusal, const struct listed_event *event,
			   const char *text)
{
	const int is_gone = refusal->error == ENODEV || refusal->error == ENOENT;

	if (!refusal->reason) {
		message("cannot set the filter of %s:%s: %s", event->system, event->name,
			is_gone ? "the event is gone" : strerror(refusal->error));
		return;
	}
	message("cannot set the filter of %s:%s: the kernel refuses it: %s",
		event->system, event->name, refusal->reason);
	message_caret(text, begin_of_value(text, refusal->at));
}

/* After a failure to open the file, the filter is as it was. */
static int is_in_force(const struct instance *instance, const struct listed_event *event,
		       const char *filter)
{
	AUTO_FREE char *now = kfilter_get(instance, event);

	return now && filter ? !strcmp(now, filter) : !now == !filter;
}

/*
 * Write a filter that was checked. before: the one that it replaced, NULL for none, to be
 * freed. 0, or -1 after a message, with that one in force.
 */
static int kfilter_write(const struct instance *instance,
			 const struct listed_event *event, const char *text,
			 char **before)
{
	struct refusal refusal;
	AUTO_FREE char *path = NULL;
	int result;

	*before = kfilter_before(instance, event, &result);
	if (result)
		return result;
	path = instance_event_path(instance, event, "filter");
	result = control_try(instance->directory, path, text, &refusal);
	if (result) {
		/* of a refused filter, it shows the text in the file */
		if (refusal.reason || !is_in_force(instance, event, *before))
			kfilter_put(instance, event, *before);
		report_refusal(&refusal, event, text);
	}
	refusal_free(&refusal);
	return result ? -1 : 0;
}

/* Write a filter, and remove it: whether the kernel accepts it, as 0 or -errno. */
static int kfilter_try(const struct instance *instance, const struct listed_event *event,
		       const char *text)
{
	AUTO_FREE char *path = instance_event_path(instance, event, "filter");
	int result = control_write(path, text);

	control_write(path, "0");
	return result;
}

/* Remove the filter: 0, or -1 after a message. */
static int kfilter_remove(const struct instance *instance, const struct listed_event *event)
{
	AUTO_FREE char *path = instance_event_path(instance, event, "filter");
	int result = control_write(path, "0");

	/* an event that is gone, or takes no filters, has none */
	if (result == -ENOENT)
		return 0;
	if (result)
		message("cannot remove the filter of %s:%s: %s", event->system,
			event->name, strerror(-result));
	return result ? -1 : 0;
}

/*
 * Sets a filter of several events, such as those of a system.
 *
 * The kernel's own file for that, events/SYSTEM/filter, removes the filters of events that
 * lack a field. So each event is checked first, and those that cannot have the filter are left
 * alone.
 */

struct setting {
	const struct listed_event *event;
	struct kfilter_faults faults;
	int is_refused;
	char *before;
};

/* The refused event whose fault is furthest in the text: it has all names before it. */
static struct setting *furthest(struct setting *settings, size_t count)
{
	struct setting *found = settings;

	for (size_t i = 1; i < count; i++)
		if (settings[i].faults.items->at > found->faults.items->at)
			found = &settings[i];
	return found;
}

static int has(const struct kfilter_faults *faults, const struct kfilter_fault *fault)
{
	for (size_t i = 0; i < faults->count; i++)
		if (faults->items[i].at == fault->at &&
		    !strcmp(faults->items[i].sentence, fault->sentence))
			return 1;
	return 0;
}

static int is_repeated(const struct setting *settings, size_t number,
		       const struct kfilter_fault *fault)
{
	for (size_t i = 0; i < number; i++)
		if (has(&settings[i].faults, fault))
			return 1;
	return 0;
}

/* Warnings, each once. */
static void report_warnings(const struct setting *settings, size_t count, const char *text)
{
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; !settings[i].is_refused && j < settings[i].faults.count; j++) {
			const struct kfilter_fault *fault = &settings[i].faults.items[j];

			if (!is_repeated(settings, i, fault))
				kfilter_report(fault, text, "");
		}
}

/* All events that have the same reason, which are then marked. */
static void report_left_alone(struct setting *settings, size_t count, size_t first)
{
	const struct kfilter_fault *fault = kfilter_refusal(&settings[first].faults);
	AUTO(bytes_free) struct bytes names = { 0 };

	for (size_t i = first; i < count; i++) {
		if (!settings[i].is_refused || !has(&settings[i].faults, fault))
			continue;
		if (names.length)
			bytes_add(&names, ", ", 2);
		bytes_put(&names, settings[i].event->name);
		if (i > first)
			settings[i].is_refused = -1; /* and reported */
	}
	bytes_add(&names, "", 1);
	message("the filter of %s stays as it was: %s", (const char *)names.at, fault->sentence);
}

static void take_back(const struct instance *instance, const struct setting *settings,
		      size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!settings[i].is_refused)
			kfilter_put(instance, settings[i].event, settings[i].before);
}

/* Whether one of them came. */
static int is_to_end(void)
{
	sigset_t pending;

	sigpending(&pending);
	return sigismember(&pending, SIGHUP) > 0 || sigismember(&pending, SIGINT) > 0 ||
	       sigismember(&pending, SIGTERM) > 0;
}

static int write_all_of(const struct instance *instance, struct setting *settings, size_t count,
			const char *text)
{
	for (size_t i = 0; i < count; i++) {
		if (settings[i].is_refused)
			continue;
		if (!is_to_end() &&
		    !kfilter_write(instance, settings[i].event, text, &settings[i].before))
			continue;
		take_back(instance, settings, i);
		return -1;
	}
	for (size_t i = 0; i < count; i++)
		if (settings[i].is_refused > 0)
			report_left_alone(settings, count, i);
	return 0;
}

/* Some events of the kernel, such as those of the system ftrace, have no filter. */
static int check_file(const struct instance *instance, const struct listed_event *event,
		      struct kfilter_faults *faults)
{
	AUTO_FREE char *path = instance_event_path(instance, event, "filter");
	int result = access(path, F_OK);

	if (!result)
		return 0;
	kfilter_faults_free(faults);
	faults->items = xcalloc(1, sizeof(*faults->items));
	faults->items[faults->count++] = (struct kfilter_fault){
		.kind = KFILTER_UNABLE, .sentence = xstrdup("the event takes no filters"),
	};
	return -1;
}

/* The number of events that can have the filter. */
static size_t check_all(const struct instance *instance, const struct event_list *list,
			struct setting *settings, const char *text)
{
	size_t accepted = 0;

	for (size_t i = 0; i < list->count; i++) {
		settings[i].event = &list->events[i];
		settings[i].is_refused =
			kfilter_check_event(text, &list->events[i], &settings[i].faults) ||
			check_file(instance, &list->events[i], &settings[i].faults);
		accepted += !settings[i].is_refused;
	}
	return accepted;
}

/*
 * Hand a filter over that the check refuses, as a later kernel may accept it; but only to
 * an event without a filter, as a refusal removes that. Whether the kernel accepts it.
 */
static int kernel_accepts(const struct instance *instance, struct setting *setting,
			  const char *text)
{
	AUTO_FREE char *before = kfilter_get(instance, setting->event);
	const int is_free = !before && !errno;

	if (!is_free || kfilter_try(instance, setting->event, text))
		return 0;
	kfilter_faults_free(&setting->faults);
	setting->is_refused = 0;
	return 1;
}

/* Ask the kernel about a filter that the check refuses for all events. */
static int ask_kernel(const struct instance *instance, struct setting *settings,
		      size_t count, const char *text)
{
	const struct setting *first = furthest(settings, count);

	if (!text[strspn(text, " \t\n\v\f\r")] ||
	    !kernel_accepts(instance, furthest(settings, count), text))
		return 0;
	for (size_t i = 0; i < count; i++)
		if (&settings[i] != first)
			kernel_accepts(instance, &settings[i], text);
	return 1;
}

/* Either all or none, also if a signal ends this program. */
static int set_checked(const struct instance *instance, struct setting *settings, size_t count,
		       const char *text)
{
	sigset_t before;
	int result;

	report_warnings(settings, count, text);
	signals_hold(&before);
	result = write_all_of(instance, settings, count, text);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return result;
}

static void free_settings(struct setting *settings, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		kfilter_faults_free(&settings[i].faults);
		free(settings[i].before);
	}
	free(settings);
}

int kfilter_set(const struct instance *instance, const struct event_list *list,
		const char *text, const char *name)
{
	struct setting *settings = xcalloc(list->count + 1, sizeof(*settings));
	const struct listed_event *only = list->count == 1 ? list->events : NULL;
	AUTO_FREE char *verb =
		xprintf("set the filter of %s%s%s", only ? only->system : "",
			only ? ":" : "", only ? only->name : name);
	int result = -1;

	if (list->count && (check_all(instance, list, settings, text) ||
			    ask_kernel(instance, settings, list->count, text)))
		result = set_checked(instance, settings, list->count, text);
	else if (list->count)
		kfilter_report(furthest(settings, list->count)->faults.items, text, verb);
	free_settings(settings, list->count);
	return result;
}

static int remove_all(const struct instance *instance, const struct event_list *list,
		      char **before)
{
	size_t done = 0;
	int result = 0;

	for (; done < list->count && !result; done++) {
		before[done] = kfilter_before(instance, &list->events[done], &result);
		if (!result)
			result = is_to_end() ? -1 : kfilter_remove(instance, &list->events[done]);
	}
	for (size_t i = 0; result && i < done; i++)
		if (before[i])
			kfilter_put(instance, &list->events[i], before[i]);
	return result;
}

int kfilter_clear(const struct instance *instance, const struct event_list *list)
{
	AUTO_FREE char **filters = xcalloc(list->count + 1, sizeof(*filters));
	sigset_t before;
	int result;

	signals_hold(&before);
	result = remove_all(instance, list, filters);
	sigprocmask(SIG_SETMASK, &before, NULL);
	for (size_t i = 0; i < list->count; i++)
		free(filters[i]);
	return result;
}
