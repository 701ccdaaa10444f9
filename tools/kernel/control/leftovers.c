/* SPDX-License-Identifier: MIT */
/*
 * Finds and removes leftovers of killed commands, by the names that own_name() made.
 *
 * Instances go first, as their triggers use synthetic events, and switch probes on. Then
 * events go in the reverse order of their creation, so that an event probe goes before the
 * event that it is attached to.
 */
#include "instance.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "kernel/tracefs/hist_file.h"
#include "kernel/tracefs/tracing_files.h"

static void print_removal(const char *kind, const char *name, int is_rehearsal)
{
	printf("%s the %s ", is_rehearsal ? "would remove" : "removed", kind);
	controls_print(name, strlen(name));
	putchar('\n');
}

/* Whether it is to be removed; if another namespace has to decide, after a message. */
static int is_left(const char *kind, const char *name, enum owner owner)
{
	if (owner == OWNER_UNKNOWN)
		message("leaving the %s %s: its command ran in another pid namespace, such as "
			"that of a container; run \"userevents cleanup\" there", kind, name);
	return owner == OWNER_DEAD;
}

/* Instances */

static void find_instances(const char *tracefs, struct words *names)
{
	AUTO_FREE char *path = tracing_path(tracefs, "instances");
	AUTO(close_directory) DIR *directory = opendir(path);
	struct dirent *entry;

	while (directory && (entry = readdir(directory)))
		if (own_name_owner(entry->d_name) != OWNER_NONE)
			words_add(names, xstrdup(entry->d_name));
}

static int remove_instance(const char *tracefs, const char *name, int is_rehearsal)
{
	struct instance instance;
	int result;

	if (!is_left("instance", name, own_name_owner(name)))
		return 0;
	if (instance_open(&instance, tracefs, name))
		return -1;
	result = is_rehearsal ? 0 : instance_remove(&instance);
	if (!result)
		print_removal("instance", name, is_rehearsal);
	instance_close(&instance);
	return result;
}

/* Events: lines "TYPE:GROUP/NAME ..." of dynamic_events */

static const char *kind_of(const char *line)
{
	return *line == 's' ? "synthetic event" : "probe";
}

/* "GROUP/NAME", to be freed; NULL for user events, which have no group. */
static char *full_name(const char *line)
{
	const char *name = strchr(line, ':');
	size_t length = name ? strcspn(++name, " \t") : 0;

	return name && memchr(name, '/', length) && *line != 'u' ? xstrndup(name, length) : NULL;
}

/* A group may belong to a command, with all in it. */
static enum owner owner_of(const char *full)
{
	const char *slash = strchr(full, '/');
	AUTO_FREE char *group = xstrndup(full, (size_t)(slash - full));
	enum owner owner = own_name_owner(group);

	return owner == OWNER_NONE ? own_name_owner(slash + 1) : owner;
}

static int is_used_in(const char *directory, const char *event)
{
	AUTO_FREE char *enable = xprintf("%s/events/%s/enable", directory, event);
	AUTO_FREE char *trigger = xprintf("%s/events/%s/trigger", directory, event);
	AUTO_FREE char *switched = read_file(enable, NULL),
		       *triggers = read_file(trigger, NULL);

	return (switched && *switched != '0') || (triggers && *triggers != '#');
}

/* The instance in which an event is in use, to be freed; NULL: not known. */
static char *user_of(const char *tracefs, const char *event)
{
	char *path = tracing_path(tracefs, "instances"), *found = NULL;
	AUTO(close_directory) DIR *directory = opendir(path);
	struct dirent *entry;

	if (is_used_in(tracefs, event))
		found = xstrdup("the top instance");
	while (!found && directory && (entry = readdir(directory))) {
		AUTO_FREE char *inner = xprintf("%s/%s", path, entry->d_name);

		if (entry->d_name[0] != '.' && is_used_in(inner, event))
			found = xprintf("the instance %s", entry->d_name);
	}
	free(path);
	return found;
}

static void complain(const char *tracefs, const char *kind, const char *event, int error)
{
	AUTO_FREE char *user = error == -EBUSY ? user_of(tracefs, event) : NULL;

	if (user)
		message("cannot remove the %s %s: it is in use in %s; switch it off there, and "
			"remove its triggers", kind, event, user);
	else if (error == -EBUSY)
		message("cannot remove the %s %s: it is in use, by a recorder or by a trigger "
			"of another event; end these first", kind, event);
	else
		message("cannot remove the %s %s: %s", kind, event, strerror(-error));
}

/* The kernel frees triggers a moment later. */
#define TRIES 50
#define PAUSE { .tv_nsec = 20000000 }

static int write_removal(const char *tracefs, const char *event)
{
	const struct timespec pause = PAUSE;
	AUTO_FREE char *path = tracing_path(tracefs, "dynamic_events");
	AUTO_FREE char *line = xprintf("-:%s", event);
	int result = -EBUSY;

	for (int i = 0; i < TRIES && result == -EBUSY; i++) {
		if (i)
			nanosleep(&pause, NULL);
		result = control_write(path, line);
	}
	return result;
}

static int remove_event(const char *tracefs, const char *line, int is_rehearsal)
{
	const char *kind = kind_of(line);
	AUTO_FREE char *event = full_name(line);
	int result = 0;

	if (event && is_left(kind, event, owner_of(event))) {
		result = is_rehearsal ? 0 : write_removal(tracefs, event);
		if (result)
			complain(tracefs, kind, event, result);
		else
			print_removal(kind, event, is_rehearsal);
	}
	return result;
}

/* All of them */

static int remove_events(const char *tracefs, int is_rehearsal)
{
	char *path = tracing_path(tracefs, "dynamic_events"), *line;
	char *text = tracing_read(path, NULL), *rest = text;
	struct words lines = { 0 };
	int result = text ? 0 : -1;

	while (rest && (line = strsep(&rest, "\n")))
		words_add(&lines, line);
	while (lines.count)
		result |= remove_event(tracefs, lines.items[--lines.count], is_rehearsal);
	free(lines.items);
	free(text);
	free(path);
	return result;
}

int leftovers_remove(const char *tracefs, int is_rehearsal)
{
	struct words instances = { 0 };
	int result = 0;

	find_instances(tracefs, &instances);
	for (size_t i = 0; i < instances.count; i++)
		result |= remove_instance(tracefs, instances.items[i], is_rehearsal);
	result |= remove_events(tracefs, is_rehearsal);
	return result ? -1 : 0;
}

/*
 * Removes the histograms of an instance, the users of variables before their owners.
 *
 * The kernel refuses to remove a histogram while another uses its variables, and an
 * instance while any uses a variable. Who uses whose is not listed, and may cross events or
 * stay within one, so all are tried again while that removes some. Opening the file of an
 * event with O_TRUNC removes all of its histograms, or none if one is used. The others are
 * removed one by one, by the text with which the kernel lists them.
 */

#define HISTOGRAM "hist:"

/* The lines of histograms, from the last; text is cut into them. */
static struct words histograms_in(char *text)
{
	struct words lines = { 0 }, reversed = { 0 };
	char *line;

	while (text && (line = strsep(&text, "\n")))
		if (!strncmp(line, HISTOGRAM, strlen(HISTOGRAM)))
			words_add(&lines, line);
	while (lines.count)
		words_add(&reversed, lines.items[--lines.count]);
	free(lines.items);
	return reversed;
}

/* "$t0.usecs" is listed for a "$t0" of microseconds, but not taken. */
static char *without_units(const char *line)
{
	static const char unit[] = ".usecs";
	char *copy = xstrdup(line), *at = copy;

	while ((at = strchr(at, '$'))) {
		at += strcspn(at, ".:,-+ ");
		if (!strncmp(at, unit, strlen(unit)))
			memmove(at, at + strlen(unit), strlen(at + strlen(unit)) + 1);
	}
	return copy;
}

static void remove_one(const char *path, const char *line)
{
	const char *state = strrchr(line, '['); /* " [active]" */
	size_t length = state ? (size_t)(state - line) : strlen(line);
	char *text, *other;

	while (length && line[length - 1] == ' ')
		length--;
	text = xprintf("!%.*s", (int)length, line);
	hist_fold_cpu(text);
	if (control_write(path, text)) {
		other = without_units(text);
		if (strcmp(other, text))
			control_write(path, other);
		free(other);
	}
	free(text);
}

static size_t count_in(const char *path)
{
	AUTO_FREE char *text = read_file(path, NULL);
	struct words lines = histograms_in(text);

	free(lines.items);
	return lines.count;
}

/* How many are left. */
static size_t remove_from(const char *path)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	AUTO_FREE char *text = read_file(path, NULL);
	struct words lines = histograms_in(text);

	if (fd >= 0)
		close(fd);
	for (size_t i = 0; i < lines.count; i++)
		remove_one(path, lines.items[i]);
	free(lines.items);
	return count_in(path);
}

/* Add the paths of the trigger files below an event or a system. */
static void find(const char *path, int depth, struct words *found)
{
	AUTO(close_directory) DIR *directory = depth ? opendir(path) : NULL;
	struct dirent *entry;

	while (directory && (entry = readdir(directory))) {
		AUTO_FREE char *inner = NULL;

		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		inner = xprintf("%s/%s", path, entry->d_name);
		find(inner, depth - 1, found);
	}
	if (!depth)
		words_add(found, xprintf("%s/trigger", path));
}

size_t histograms_remove(const struct instance *instance)
{
	AUTO_FREE char *events = instance_path(instance, "events");
	struct words files = { 0 };
	size_t before, left = 0, with = 0;

	find(events, 2, &files);
	for (size_t i = 0; i < files.count; i++) {
		const size_t count = count_in(files.items[i]);

		left += count;
		if (count)
			files.items[with++] = files.items[i];
	}
	do {
		before = left;
		left = 0;
		for (size_t i = 0; i < with; i++)
			left += remove_from(files.items[i]);
	} while (left && left < before);
	free(files.items);
	return left;
}
