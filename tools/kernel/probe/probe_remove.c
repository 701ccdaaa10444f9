/* SPDX-License-Identifier: MIT */
/* Removes probes, and reports who uses those that the kernel keeps. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "kernel/control/control_file.h"
#include "kernel/control/own_instance.h"
#include "existing_probes.h"
#include "probe_add.h"
#include "kernel/tracefs/tracing_files.h"

/* "the top instance, the instance foo" */
static char *users_of(const struct existing_probe *probe)
{
	char *users = xstrdup("");

	for (size_t i = 0; i < probe->instances.count; i++) {
		const char *name = probe->instances.items[i];
		char *longer =
			*name ? xprintf("%s%sthe instance %s", users, i ? ", " : "",
					name) :
				xprintf("%s%sthe top instance", users, i ? ", " : "");

		free(users);
		users = longer;
	}
	return users;
}

static void complain_of_users(const struct existing_probe *probe)
{
	const char *first = probe->instances.count ? probe->instances.items[0] : "";
	char *users = users_of(probe);

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
	free(users);
}

/* In instances that a command of this tool left, which was killed. */
static void switch_off(const struct existing_probe *probe, const char *directory)
{
	for (size_t i = 0; i < probe->instances.count; i++) {
		const char *instance = probe->instances.items[i];
		char *path;

		if (own_name_owner(instance) != OWNER_DEAD)
			continue;
		path = xprintf("%s/instances/%s/events/%s/%s/enable", directory, instance,
			       probe->group, probe->name);
		control_write(path, "0");
		free(path);
	}
}

static int write_removal(const char *directory, const char *group, const char *name)
{
	char *path = tracing_path(directory, "dynamic_events");
	char *line = xprintf("-:%s/%s", group, name);
	int result = control_write(path, line);

	free(line);
	free(path);
	return result;
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
