/* SPDX-License-Identifier: MIT */
/* Names, opens and removes the files of one recording. */
#include "file_series.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/cli/options.h"
#include "common/output/out_file.h"

#define DIGITS 6

int free_space_parse(const char *text, struct free_space *space)
{
	char *end;

	*space = (struct free_space){ .text = text };
	space->part = strtod(text, &end) / 100;
	if (end != text && !strcmp(end, "%") && space->part > 0 && space->part < 1)
		return 0;
	space->part = 0;
	if (!parse_number(text, &space->bytes) && space->bytes)
		return 0;
	message("cannot parse the space to keep free \"%s\": it is neither a part of the disk, "
		"such as 5%%, nor bytes, such as 500M", text);
	return -1;
}

/* Names */

static char *name_of(const struct file_series *series, uint32_t number)
{
	if (!number)
		return xstrdup(series->path);
	return xprintf("%s.%0*u", series->path, DIGITS, number);
}

/* The number at the end of a name that begins with base and a dot; 0: none. */
static uint32_t number_in(const char *name, const char *base)
{
	size_t length = strlen(base), digits;
	unsigned long number;

	if (strncmp(name, base, length) || name[length] != '.')
		return 0;
	name += length + 1;
	digits = strspn(name, "0123456789");
	number = digits >= DIGITS && digits < 10 && !name[digits] ? strtoul(name, NULL, 10) : 0;
	return number < UINT32_MAX ? (uint32_t)number : 0;
}

/* Call for the number of each file that exists, but for PATH itself. */
static void for_each_number(const char *path, void (*call)(void *context, uint32_t number),
			    void *context)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	AUTO_FREE char *folder =
		slash ? xstrndup(path, (size_t)(slash - path) + 1) : xstrdup(".");
	AUTO(close_directory) DIR *directory = opendir(folder);
	struct dirent *entry;

	while (directory && (entry = readdir(directory)))
		if (number_in(entry->d_name, base))
			call(context, number_in(entry->d_name, base));
}

static void take_higher(void *context, uint32_t number)
{
	uint32_t *highest = context;

	if (number > *highest)
		*highest = number;
}

static uint32_t highest_number(const char *path)
{
	uint32_t highest = 0;

	for_each_number(path, take_higher, &highest);
	return highest;
}

static void add_number(void *context, uint32_t number)
{
	struct file_series *series = context;

	series->numbers = xgrow(series->numbers, series->count, sizeof(*series->numbers));
	series->numbers[series->count++] = number;
}

static int compare(const void *one, const void *other)
{
	const uint32_t first = *(const uint32_t *)one, second = *(const uint32_t *)other;

	return (first > second) - (first < second);
}

void file_series_adopt(struct file_series *series)
{
	struct stat status;

	if (!lstat(series->path, &status))
		add_number(series, 0);
	for_each_number(series->path, add_number, series);
	if (series->count)
		qsort(series->numbers, series->count, sizeof(*series->numbers), compare);
}

/* 0, or -1 after a message. */
static int check_path(const char *path, int exists, const struct stat *status)
{
	if (strcmp(path, "-") && (!exists || S_ISREG(status->st_mode) ||
				  S_ISLNK(status->st_mode)))
		return 0;
	message("cannot record into %s: --rotate and --overwrite make several files; give "
		"--output the name of a file", strcmp(path, "-") ? path : "standard output");
	return -1;
}

int file_series_begin(struct file_series *series, const char *path)
{
	struct outfile probe = { .fd = -1 };
	struct stat status;
	int exists = !lstat(path, &status);
	uint32_t highest = highest_number(path);

	if (check_path(path, exists, &status))
		return -1;
	series->path = path;
	series->next = exists || highest ? highest + 1 : 0;
	if (file_series_open(series, &probe))
		return -1;
	file_series_drop(series, &probe); /* it was for the check alone */
	return 0;
}

/* Files */

int file_series_open(struct file_series *series, struct outfile *file)
{
	*file = (struct outfile){ .fd = -1, .is_new_only = 1 };
	free(series->name);
	series->name = name_of(series, series->next);
	file->path = series->name;
	if (outfile_open(file))
		return -1;
	add_number(series, series->next++);
	return 0;
}

int file_series_close(struct file_series *series, struct outfile *file)
{
	if (file->fd >= 0)
		series->bytes += file->bytes;
	return outfile_close(file);
}

void file_series_drop(struct file_series *series, struct outfile *file)
{
	if (file->fd < 0)
		return;
	unlink(file->path);
	file->is_new = 0;
	outfile_close(file);
	file->bytes = 0;
	series->count--;
	series->next--;
}

static void remove_oldest(struct file_series *series)
{
	AUTO_FREE char *name = name_of(series, series->numbers[0]);

	if (unlink(name) && errno != ENOENT)
		message("cannot remove %s: %s", name, strerror(errno));
	series->count--;
	series->removed++;
	memmove(series->numbers, series->numbers + 1,
		series->count * sizeof(*series->numbers));
}

void file_series_limit(struct file_series *series)
{
	while (series->files && series->count > series->files)
		remove_oldest(series);
}

/* Whether this many bytes more leave enough of the disk. */
static int has_space(const struct free_space *keep, const struct statvfs *disk, uint64_t more)
{
	const double size = (double)disk->f_frsize;
	const double wanted = keep->part > 0 ? keep->part * (double)disk->f_blocks * size :
					       (double)keep->bytes;

	return (double)disk->f_bavail * size - (double)more >= wanted;
}

/* The bytes that a file has on the disk. */
static double size_of_oldest(const struct file_series *series)
{
	AUTO_FREE char *name = name_of(series, series->numbers[0]);
	struct stat file;
	const int result = stat(name, &file);

	return result ? 0 : (double)file.st_blocks * 512;
}

/*
 * Some file systems free the space only when they are synchronized. That may take long, while
 * the kernel's rings fill, so it is done only where most of the space did not come at once.
 */
static int free_oldest(struct file_series *series, int fd, struct statvfs *disk)
{
	const double before = (double)disk->f_bavail, size = size_of_oldest(series);

	remove_oldest(series);
	if (!fstatvfs(fd, disk) && (double)disk->f_bavail > before &&
	    ((double)disk->f_bavail - before) * (double)disk->f_frsize >= size / 2)
		return 0;
	syncfs(fd);
	return fstatvfs(fd, disk);
}

int file_series_has_space(struct file_series *series, const struct outfile *file,
			  uint64_t more)
{
	struct statvfs disk;

	if (!series->keep_free.text || fstatvfs(file->fd, &disk))
		return 1;
	while (!has_space(&series->keep_free, &disk, more)) {
		if (series->count < 2)
			return 0;
		if (free_oldest(series, file->fd, &disk))
			return 1;
	}
	return 1;
}

void file_series_free(struct file_series *series)
{
	free(series->numbers);
	free(series->name);
	*series = (struct file_series){ .path = NULL };
}
