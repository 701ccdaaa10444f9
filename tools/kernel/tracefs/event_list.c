/* SPDX-License-Identifier: MIT */
/* Walks the directories of tracefs. */
#include "tracing_files.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <userevents/decode/status.h>

#include "common/records/tracepoint.h"
#include "common/cli/memory.h"
#include "common/cli/message.h"

static int is_of_users(const char *system)
{
	return !strcmp(system, SYSTEM) || !strcmp(system, SYSTEM_MULTI);
}

/* A glob without a system means user events. */
static int system_matches(const struct words *globs, const char *system)
{
	char pattern[256];

	if (is_of_users(system))
		return 1;
	for (size_t i = 0; i < globs->count; i++) {
		size_t length = strcspn(globs->items[i], ":");

		if (!globs->items[i][length] || length >= sizeof(pattern))
			continue;
		memcpy(pattern, globs->items[i], length);
		pattern[length] = '\0';
		if (!fnmatch(pattern, system, 0))
			return 1;
	}
	return 0;
}

/* Only globs with a system match events of other systems. */
static int event_matches(const struct words *globs, const char *system, const char *name)
{
	struct words one = { NULL, 1 };

	if (is_of_users(system))
		return glob_matches(globs, system, name, strlen(name));
	for (size_t i = 0; i < globs->count; i++) {
		one.items = &globs->items[i];
		if (strchr(globs->items[i], ':') &&
		    glob_matches(&one, system, name, strlen(name)))
			return 1;
	}
	return 0;
}

/* PROVIDER:EVENT takes all EventHeader tracepoints of the provider. */
static int is_of_provider(const struct words *globs, const char *name)
{
	for (size_t i = 0; i < globs->count; i++)
		if (strchr(globs->items[i], ':') && glob_may_match_events(globs->items[i], name))
			return 1;
	return 0;
}

/* EVENT takes those of all providers, but only if it names no tracepoint: they may be many. */
static int may_have_events(const struct words *globs, const char *name)
{
	for (size_t i = 0; i < globs->count; i++)
		if (glob_may_match_events(globs->items[i], name))
			return 1;
	return 0;
}

/*
 * readdir() gives the events of a look in the order of the look before, or, if they appeared
 * one after the other, in reverse. So search around the one that was found last: the work
 * grows with the number of events, not with its square.
 */
static struct listed_event *find(struct event_list *list, const char *system,
				 const char *name)
{
	for (size_t i = 0; i < list->known; i++) {
		size_t distance = (i + 1) / 2; /* before it, behind it, and so on */
		size_t at = list->hint + (i % 2 ? list->known - distance : distance);
		struct listed_event *event = &list->events[at % list->known];

		if (strcmp(event->name, name) || strcmp(event->system, system))
			continue;
		list->hint = at % list->known;
		return event;
	}
	return NULL;
}

static void free_event(struct listed_event *event)
{
	free(event->system);
	free(event->name);
	free(event->format);
}

/*
 * Report errno. Only tracefs as a whole can be given to a group, on all kernels, so it
 * must not be the group of those who may write (doc/rights.md).
 */
static int complain(const struct event_list *list, const char *path)
{
	if (errno == EACCES || errno == EPERM)
		message("cannot read %s: %s; run as root, or let a group read every trace of the "
			"system (another one than userevents-write, whose members only write), "
			"as root: mount -o remount,gid=GROUP %s && chmod g+x %s && sysctl "
			"kernel.perf_event_paranoid=-1", path, strerror(errno),
			list->directory, list->directory);
	else
		message("cannot read %s: %s; \"userevents doctor\" reports what is wrong",
			path, strerror(errno));
	return -1;
}

/* Read the format of an event; 1 when the event has gone. */
static int read_event(const struct event_list *list, struct listed_event *event)
{
	const char *line;
	size_t length;
	char *path = xprintf("%s/events/%s/%s/format", list->directory, event->system,
			     event->name);

	event->format = read_file(path, &event->format_length);
	if (!event->format && (errno == EACCES || errno == EPERM)) {
		complain(list, path);
		free(path);
		return -1;
	}
	free(path);
	if (!event->format)
		return 1;
	line = format_line(event->format, event->format_length, "ID", &length);
	event->id = line ? (uint32_t)strtoul(line, NULL, 10) : 0;
	return event->id ? 0 : 1;
}

/* Strike globs PROVIDER:EVENT whose provider exists. */
static void strike_providers(struct words *globs, const char *name)
{
	size_t left = 0;

	for (size_t i = 0; i < globs->count; i++)
		if (!strchr(globs->items[i], ':') ||
		    !glob_may_match_events(globs->items[i], name))
			globs->items[left++] = globs->items[i];
	globs->count = left;
}

static int add_event(struct event_list *list, const char *system, const char *name,
		     struct listed_event **added)
{
	struct listed_event event = { .system = xstrdup(system), .name = xstrdup(name) };
	int result = read_event(list, &event);

	if (result) {
		free_event(&event);
		return result;
	}
	globs_strike(&list->unmatched, system, name, strlen(name));
	strike_providers(&list->unmatched, name);
	list->events = xgrow(list->events, list->count, sizeof(event));
	*added = &list->events[list->count];
	list->events[list->count++] = event;
	return 0;
}

struct look {
	struct event_list *list;
	int is_second; /* the walk for globs that match no tracepoint */
	int (*take)(void *context, const struct listed_event *event);
	void *context;
};

/*
 * perf refuses an event that has just gone once; one that it refuses again is left out.
 */
#define REFUSALS_MAX 3

/* Whether a glob is the name itself, with or without its system. */
static int is_named(const struct words *globs, const struct listed_event *event)
{
	const size_t length = strlen(event->system);

	for (size_t i = 0; i < globs->count; i++) {
		const char *glob = globs->items[i];

		if (!strncmp(glob, event->system, length) && glob[length] == ':')
			glob += length + 1;
		if (!strcmp(glob, event->name))
			return 1;
	}
	return 0;
}

/*
 * Whether take() may be called, which enables an event; or -1 after a message, if the user
 * named it and it could not. One that appears later ends no recording.
 */
static int may_take(struct event_list *list, struct listed_event *event)
{
	if (!list->is_later && is_named(list->globs, event))
		return event_check_trust(event) ? -1 : 1;
	if (!event_leave_out_untrusted(event))
		return 1;
	list->left_out++;
	event->is_done = 1;
	return 0;
}

static int look_at_event(struct look *look, const char *system, const char *name)
{
	struct event_list *list = look->list;
	struct listed_event *event = find(list, system, name);
	int result;

	if (!event) {
		result = add_event(list, system, name, &event);
		if (result)
			return result < 0 ? result : 0;
		result = look->take ? may_take(list, event) : 1;
		if (result < 0)
			return result;
	}
	event->is_there = 1;
	if (event->is_done || !look->take)
		return 0;
	result = look->take(look->context, event);
	if (result > 0 && ++event->refusals == REFUSALS_MAX) {
		message("cannot record %s:%s: %s; recording goes on without it", system, name,
			strerror(result));
		list->left_out++;
	}
	event->is_done = !result || event->refusals == REFUSALS_MAX;
	return result < 0 ? result : 0;
}

/* Judge errno: whether the next look may succeed, so that this one ends no recording. */
static int is_cut(struct event_list *list)
{
	if (!list->is_later || (errno != EMFILE && errno != ENFILE && errno != ENOMEM))
		return 0;
	list->is_cut = 1;
	return 1;
}

/* Call for each directory in one of tracefs. Leaves the error of readdir() in errno. */
static int for_each(const char *path,
		    int (*call)(struct look *, const char *, const char *),
		    struct look *look, const char *system)
{
	DIR *directory = opendir(path);
	struct dirent *entry;
	int error, result = 0;

	if (!directory && errno == ENOENT)
		return 0; /* gone since it was seen */
	if (!directory && is_cut(look->list))
		return 0;
	if (!directory)
		return complain(look->list, path);
	for (errno = 0; !result && (entry = readdir(directory)); errno = 0)
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
			result = call(look, system, entry->d_name);
	error = errno;
	closedir(directory);
	errno = error;
	return result;
}

static int is_wanted(const struct look *look, const char *system, const char *name)
{
	const struct event_list *list = look->list;
	const int takes_events = is_of_users(system) && !list->has_user_events_only &&
				 !list->has_tracepoints_only;
	const int is_named = event_matches(list->globs, system, name) ||
			     (takes_events && is_of_provider(list->globs, name));

	return look->is_second ? !is_named && may_have_events(&list->unmatched, name) :
				 is_named;
}

static int look_at_name(struct look *look, const char *system, const char *name)
{
	return is_wanted(look, system, name) ? look_at_event(look, system, name) : 0;
}

/*
 * The kernel registers an event whose name is empty or has a '/', and then refuses to
 * list the directory of any (EIO, on 7.3 EINVAL): take the names from user_events_status, all but such a
 * name.
 */
static int look_at_status(struct look *look, const char *system)
{
	AUTO_FREE char *path = tracing_path(look->list->directory, "user_events_status");
	static int is_reported;
	struct ue_status_entry entry;
	struct ue_status status;
	int is_entry, result = 0;
	size_t length;
	char *text = read_file(path, &length);

	if (!text && is_cut(look->list)) {
		return 0;
	}
	if (!text)
		text = tracing_read(path, &length); /* with a message */
	if (text && !is_reported)
		message("cannot list one event: its name is empty or has a \"/\"; other names "
			"come from %s", path);
	is_reported = 1;
	if (!text)
		return -1;
	ue_status_begin(&status, text, length);
	while (!result && (is_entry = ue_status_next(&status, &entry))) {
		AUTO_FREE char *name = NULL;

		if (is_entry < 0 || !entry.name_length ||
		    memchr(entry.name, '/', entry.name_length))
			continue;
		name = xstrndup(entry.name, entry.name_length);
		result = look_at_name(look, system, name);
	}
	free(text);
	return result;
}

static int look_at_system(struct look *look, const char *unused, const char *system)
{
	AUTO_FREE char *path = NULL;
	int result;

	(void)unused;
	if (look->list->has_user_events_only || look->is_second ?
		    !is_of_users(system) : !system_matches(look->list->globs, system))
		return 0;
	path = xprintf("%s/events/%s", look->list->directory, system);
	result = for_each(path, look_at_name, look, system);
	if (!result && (errno == EIO || errno == EINVAL) && is_of_users(system))
		result = look_at_status(look, system);
	return result;
}

/* An event that has gone may come back as another. */
static void drop_gone(struct event_list *list)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (list->events[i].is_there || list->is_cut)
			list->events[kept++] = list->events[i];
		else
			free_event(&list->events[i]);
	}
	list->count = list->known = kept;
}

/*
 * Only after a walk over all tracepoints is it known which globs match none, and so may name
 * EventHeader events. In one walk, tracepoints of other programs would be enabled that happen
 * to stand before the one that was named.
 */
static int walk(struct look *look, const char *path)
{
	struct event_list *list = look->list;
	int result = for_each(path, look_at_system, look, NULL);

	list->known = list->count;
	look->is_second = 1;
	if (result || !list->takes_events || !list->unmatched.count ||
	    list->has_user_events_only || list->has_tracepoints_only)
		return result;
	return for_each(path, look_at_system, look, NULL);
}

int event_list_look(struct event_list *list,
		    int (*take)(void *context, const struct listed_event *event),
		    void *context)
{
	struct look look = { .list = list, .take = take, .context = context };
	AUTO_FREE char *path;
	int result;

	for (size_t i = 0; i < list->count; i++)
		list->events[i].is_there = 0;
	list->is_cut = 0;
	path = xprintf("%s/events", list->directory);
	result = walk(&look, path);
	if (!result)
		drop_gone(list);
	list->is_later = 1;
	return result;
}

void event_list_free(struct event_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free_event(&list->events[i]);
	free(list->events);
	list->events = NULL;
	list->count = 0;
}
