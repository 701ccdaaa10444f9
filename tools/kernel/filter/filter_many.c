/* SPDX-License-Identifier: MIT */
/*
 * Sets a filter of several events, such as those of a system.
 *
 * The kernel's own file for that, events/SYSTEM/filter, removes the filters of events that
 * lack a field. So each event is checked first, and those that cannot have the filter are left
 * alone.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/cli/program.h"
#include "filter_state.h"

struct setting {
	const struct listed_event *event;
	struct kfilter_faults faults;
	int is_refused;
	char *before;
};

/* The fault that is furthest in the text: that event knew all names before it. */
static const struct kfilter_fault *furthest(const struct setting *settings, size_t count)
{
	const struct kfilter_fault *found = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct kfilter_fault *fault = kfilter_refusal(&settings[i].faults);

		if (fault && (!found || fault->at > found->at))
			found = fault;
	}
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
	struct bytes names = { 0 };

	for (size_t i = first; i < count; i++) {
		if (!settings[i].is_refused || !has(&settings[i].faults, fault))
			continue;
		if (names.length)
			bytes_add(&names, ", ", 2);
		bytes_add(&names, settings[i].event->name, strlen(settings[i].event->name));
		if (i > first)
			settings[i].is_refused = -1; /* and reported */
	}
	bytes_add(&names, "", 1);
	message("the filter of %s stays as it was: %s", (const char *)names.at, fault->sentence);
	bytes_free(&names);
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
	char *path = instance_event_path(instance, event, "filter");
	int result = access(path, F_OK);

	free(path);
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
	char *verb = xprintf("set the filter of %s", name);
	int result = -1;

	if (check_all(instance, list, settings, text))
		result = set_checked(instance, settings, list->count, text);
	else if (list->count)
		kfilter_report(furthest(settings, list->count), text, verb);
	free_settings(settings, list->count);
	free(verb);
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
	char **filters = xcalloc(list->count + 1, sizeof(*filters));
	sigset_t before;
	int result;

	signals_hold(&before);
	result = remove_all(instance, list, filters);
	sigprocmask(SIG_SETMASK, &before, NULL);
	for (size_t i = 0; i < list->count; i++)
		free(filters[i]);
	free(filters);
	return result;
}
