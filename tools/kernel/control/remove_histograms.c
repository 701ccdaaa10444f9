/* SPDX-License-Identifier: MIT */
/*
 * Removes the histograms of an instance, the users of variables before their owners.
 *
 * The kernel refuses to remove a histogram while another uses its variables, and an
 * instance while any uses a variable. Who uses whose is not listed, and may cross events or
 * stay within one, so all are tried again while that removes some. Opening the file of an
 * event with O_TRUNC removes all of its histograms, or none if one is used. The others are
 * removed one by one, by the text with which the kernel lists them.
 */
#include "remove_histograms.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "control_file.h"

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
	char *text = read_file(path, NULL);
	struct words lines = histograms_in(text);

	free(lines.items);
	free(text);
	return lines.count;
}

/* How many are left. */
static size_t remove_from(const char *path)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	char *text = read_file(path, NULL);
	struct words lines = histograms_in(text);

	if (fd >= 0)
		close(fd);
	for (size_t i = 0; i < lines.count; i++)
		remove_one(path, lines.items[i]);
	free(lines.items);
	free(text);
	return count_in(path);
}

/* Add the paths of the trigger files below an event or a system. */
static void find(const char *path, int depth, struct words *found)
{
	DIR *directory = depth ? opendir(path) : NULL;
	struct dirent *entry;

	while (directory && (entry = readdir(directory))) {
		char *inner;

		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		inner = xprintf("%s/%s", path, entry->d_name);
		find(inner, depth - 1, found);
		free(inner);
	}
	if (directory)
		closedir(directory);
	if (!depth)
		words_add(found, xprintf("%s/trigger", path));
}

size_t histograms_remove(const struct instance *instance)
{
	char *events = instance_path(instance, "events");
	struct words files = { 0 };
	size_t before, left = 0, with = 0;

	find(events, 2, &files);
	free(events);
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
