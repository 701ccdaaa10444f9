/* SPDX-License-Identifier: MIT */
/* Reads the probes that exist, how often they were hit, and where they are enabled. */
#include "probe.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "kernel/control/instance.h"
#include "kernel/tracefs/tracing_files.h"

/* The kernel counts the hits of these alone. */
static int has_profile(const struct existing_probe *probe)
{
	return probe->kind == 'p' || probe->kind == 'r';
}

/* "p:GROUP/NAME PLACE ...", "r10:GROUP/NAME ..." */
static int take_line(const char *line, struct existing_probe *probe)
{
	const char *colon = line + strcspn(line, ": "), *slash, *end;

	*probe = (struct existing_probe){ .kind = *line };
	if (!strchr("preft", *line) || *colon != ':')
		return 0;
	slash = strpbrk(colon, "/ ");
	if (!slash || *slash != '/')
		return 0;
	end = slash + strcspn(slash, " ");
	probe->group = xstrndup(colon + 1, (size_t)(slash - colon - 1));
	probe->name = xstrndup(slash + 1, (size_t)(end - slash - 1));
	probe->definition = xstrdup(line);
	end += *end == ' ';
	probe->is_of_program = has_profile(probe) && *end == '/';
	return 1;
}

/*
 * A profile has a line for each probe of its kind, in the order of dynamic_events, and
 * ends with the numbers; it names no groups. A probe that came or went meanwhile shows in
 * a name that differs, and the rest is then unknown.
 */
static void take_profile(struct existing_probes *probes, const char *path,
			 int is_of_program)
{
	char *text = read_file(path, NULL), *rest = text, *line;
	unsigned long long hits, misses;
	char name[128];

	for (size_t i = 0; rest && i < probes->count; i++) {
		struct existing_probe *probe = &probes->probes[i];

		if (!has_profile(probe) || probe->is_of_program != is_of_program)
			continue;
		line = strsep(&rest, "\n");
		/* the path of a program may have anything but blanks */
		if (is_of_program && sscanf(line, " %*s %127s %llu", name, &hits) == 2)
			misses = 0;
		else if (is_of_program ||
			 sscanf(line, " %127s %llu %llu", name, &hits, &misses) != 3)
			break;
		if (strcmp(name, probe->name))
			break;
		probe->has_hits = 1;
		probe->has_misses = !is_of_program;
		probe->hits = hits;
		probe->misses = misses;
	}
	free(text);
}

static void take_profile_of(struct existing_probes *probes, const char *directory,
			    const char *name, int is_of_program)
{
	AUTO_FREE char *path = tracing_path(directory, name);

	take_profile(probes, path, is_of_program);
}

int existing_probes_read(struct existing_probes *probes, const char *directory)
{
	AUTO_FREE char *path = tracing_path(directory, "dynamic_events");
	char *text = tracing_read(path, NULL), *rest = text, *line;

	*probes = (struct existing_probes){ 0 };
	if (!text)
		return -1;
	while ((line = strsep(&rest, "\n"))) {
		struct existing_probe probe;

		if (!take_line(line, &probe))
			continue;
		probes->probes = xgrow(probes->probes, probes->count, sizeof(probe));
		probes->probes[probes->count++] = probe;
	}
	free(text);
	take_profile_of(probes, directory, "kprobe_profile", 0);
	take_profile_of(probes, directory, "uprobe_profile", 1);
	return 0;
}

/* Free the result of existing_probe_look(). */
static void existing_probe_forget(struct existing_probe *probe)
{
	words_free(&probe->instances);
}

void existing_probes_free(struct existing_probes *probes)
{
	for (size_t i = 0; i < probes->count; i++) {
		struct existing_probe *probe = &probes->probes[i];

		free(probe->group);
		free(probe->name);
		free(probe->definition);
		existing_probe_forget(probe);
	}
	free(probes->probes);
	*probes = (struct existing_probes){ 0 };
}

const struct existing_probe *existing_probe_find(const struct existing_probes *probes,
						 const char *group, const char *name)
{
	for (size_t i = 0; i < probes->count; i++)
		if (!strcmp(probes->probes[i].name, name) &&
		    !strcmp(probes->probes[i].group, group))
			return &probes->probes[i];
	return NULL;
}

static void look_into(struct existing_probe *probe, const char *directory,
		      const char *instance)
{
	char *path =
		xprintf("%s/events/%s/%s/enable", directory, probe->group, probe->name);
	AUTO_FREE char *text = read_file(path, NULL);

	if (text && *text == '1')
		words_add(&probe->instances, xstrdup(instance));
	free(path);
}

void existing_probe_look(struct existing_probe *probe, const char *directory)
{
	AUTO_FREE char *instances = tracing_path(directory, "instances");
	AUTO(close_directory) DIR *opened = opendir(instances);
	struct dirent *entry;

	look_into(probe, directory, "");
	while (opened && (entry = readdir(opened))) {
		AUTO_FREE char *path = NULL;

		if (entry->d_name[0] == '.')
			continue;
		path = xprintf("%s/%s", instances, entry->d_name);
		look_into(probe, path, entry->d_name);
	}
}

/* Removes probes, and reports who uses those that the kernel keeps. */

/* "the top instance, the instance foo" */
static char *users_of(const struct existing_probe *probe)
{
	char *users = xstrdup("");

	for (size_t i = 0; i < probe->instances.count; i++) {
		const char *name = probe->instances.items[i];

		xappend(&users, "%sthe %sinstance%s%s", i ? ", " : "",
			*name ? "" : "top ", *name ? " " : "", name);
	}
	return users;
}

static void complain_of_users(const struct existing_probe *probe)
{
	const char *first = probe->instances.count ? probe->instances.items[0] : "";
	AUTO_FREE char *users = users_of(probe);

	if (probe->instances.count)
		message("cannot delete %s: it is enabled in %s; switch it off: "
			"userevents disable "
			"%s%s%s%s:%s",
			probe->name, users, *first ? "--instance " : "", first,
			*first ? " " : "", probe->group, probe->name);
	else
		message("cannot delete %s: it is being recorded, by perf or by "
			"\"userevents\"; end "
			"that first",
			probe->name);
}

/* Switch the probe off in instances that a killed command of this tool left. */
static void switch_off(const struct existing_probe *probe, const char *directory)
{
	for (size_t i = 0; i < probe->instances.count; i++) {
		const char *instance = probe->instances.items[i];
		AUTO_FREE char *path = NULL;

		if (own_name_owner(instance) != OWNER_DEAD)
			continue;
		path = xprintf("%s/instances/%s/events/%s/%s/enable", directory, instance,
			       probe->group, probe->name);
		control_write(path, "0");
	}
}

static int write_removal(const char *directory, const char *group, const char *name)
{
	AUTO_FREE char *path = tracing_path(directory, "dynamic_events");
	AUTO_FREE char *line = xprintf("-:%s/%s", group, name);

	return control_write(path, line);
}

static int remove_busy(struct existing_probe *probe, const char *directory)
{
	int result;

	existing_probe_look(probe, directory);
	switch_off(probe, directory);
	result = write_removal(directory, probe->group, probe->name);
	if (result == -EBUSY)
		complain_of_users(probe);
	else if (result)
		message("cannot delete %s: %s", probe->name, strerror(-result));
	existing_probe_forget(probe);
	return result ? -1 : 0;
}

int probe_remove(const char *directory, const char *group, const char *name)
{
	int result = write_removal(directory, group, name);
	struct existing_probe probe = { .group = (char *)group, .name = (char *)name };

	if (result == -EBUSY)
		return remove_busy(&probe, directory);
	if (result)
		message("cannot delete %s: %s", name, strerror(-result));
	return result ? -1 : 0;
}
