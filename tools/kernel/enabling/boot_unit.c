/* SPDX-License-Identifier: MIT */
/* Writes and removes the unit of systemd that switches events on at boot. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <userevents/event.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "kernel/tracefs/tracing_files.h"
#include "switches.h"

/* Composes the unit of systemd that switches events on at boot. */

/*
 * One word of a command, quoted as systemd.service(5) has it: '%' begins a specifier, '$' a
 * variable.
 */
static void put_word(struct bytes *to, const char *word)
{
	bytes_addf(to, " \"");
	for (; *word; word++) {
		unsigned char byte = (unsigned char)*word;

		if (byte < ' ' || byte > '~')
			bytes_addf(to, "\\x%02x", byte);
		else if (byte == '"' || byte == '\\')
			bytes_addf(to, "\\%c", byte);
		else
			bytes_addf(to, byte == '%' || byte == '$' ? "%c%c" : "%c", byte,
				   byte);
	}
	bytes_addf(to, "\"");
}

/* The definition of an event that exists, to be freed; NULL after a message. */
static char *definition_of(const struct instance *instance, const struct event_switch *item)
{
	AUTO(tracepoint_drop) struct tracepoint *tracepoint =
		event_open(instance->tracefs, item->system, item->name);
	char *definition = tracepoint ? event_definition(tracepoint) : NULL;

	if (definition && !ue_definition_check(definition, 0, NULL))
		return definition;
	message("cannot enable %s:%s at boot: its definition cannot be read from its format; "
		"give it with --register", item->system, item->name);
	free(definition);
	return NULL;
}

static int put_definitions(struct bytes *to, const struct instance *instance,
			   const struct kept_events *kept, const struct switches *switches)
{
	for (size_t i = 0; i < kept->definitions.count; i++) {
		bytes_addf(to, " --register");
		put_word(to, kept->definitions.items[i]);
	}
	for (size_t i = 0; i < switches->count; i++) {
		const struct event_switch *item = &switches->items[i];
		char *definition;

		if (!item->is_wanted || item->is_new || strcmp(item->system, SYSTEM))
			continue;
		definition = definition_of(instance, item);
		if (!definition)
			return -1;
		bytes_addf(to, " --register");
		put_word(to, definition);
		free(definition);
	}
	return 0;
}

static void put_names(struct bytes *to, const struct boot_facts *facts,
		      const struct switches *switches, enum boot_way way)
{
	for (size_t i = 0; i < switches->count; i++) {
		const struct event_switch *item = &switches->items[i];
		AUTO_FREE char *name = NULL;

		if (!item->is_wanted || boot_way_of(facts, item) != way)
			continue;
		name = xprintf("%s:%s", item->system, item->name);
		put_word(to, name);
	}
}

static size_t count_of(const struct boot_facts *facts, const struct switches *switches,
		       enum boot_way way)
{
	size_t count = 0;

	for (size_t i = 0; i < switches->count; i++)
		count += switches->items[i].is_wanted &&
			 boot_way_of(facts, &switches->items[i]) == way;
	return count;
}

static void put_command(struct bytes *to, const struct boot *boot, const char *tool)
{
	bytes_addf(to, "ExecStart=%s enable", tool);
	if (boot->tracefs) {
		bytes_addf(to, " --tracefs");
		put_word(to, boot->tracefs);
	}
	if (boot->instance) {
		bytes_addf(to, " --instance");
		put_word(to, boot->instance);
	}
}

static void put_head(struct bytes *to, const struct boot *boot, const char *tool,
		     const char *tracefs)
{
	bytes_addf(to, BOOT_UNIT_MARK "\n"
		"# It registers user events so that they stay, and switches events on, before\n"
		"# services start.\n"
		"[Unit]\n"
		"Description=Switch on events of programs and of the kernel\n"
		"DefaultDependencies=no\n"
		"Wants=sys-kernel-tracing.mount\n"
		"After=local-fs.target sys-kernel-tracing.mount\n"
		"RequiresMountsFor=%s%s%s\n"
		"Conflicts=shutdown.target\n"
		"Before=sysinit.target shutdown.target\n\n"
		"[Service]\n"
		"Type=oneshot\n"
		"RemainAfterExit=yes\n", tool, boot->tracefs ? " " : "",
		boot->tracefs ? boot->tracefs : "");
	if (!boot->instance)
		return;
	bytes_addf(to, "ExecStart=/bin/mkdir -p");
	put_word(to, xprintf("%s/instances/%s", boot->tracefs ? boot->tracefs : tracefs,
			     boot->instance));
	bytes_addf(to, "\n");
}

/* tool: the path of this program. 0, or -1 after a message. */
static int boot_unit_compose(struct bytes *to, const struct boot *boot, const char *tool,
			     const struct instance *instance,
			     const struct kept_events *kept,
			     const struct switches *switches)
{
	AUTO(boot_facts_free) struct boot_facts facts;
	int result = 0;

	boot_facts_read(&facts, instance);
	put_head(to, boot, tool, instance->tracefs);
	if (count_of(&facts, switches, BOOT_ARGUMENT) || count_of(&facts, switches, BOOT_USER)) {
		put_command(to, boot, tool);
		result = put_definitions(to, instance, kept, switches);
		put_names(to, &facts, switches, BOOT_ARGUMENT);
		bytes_addf(to, "\n");
	}
	/* last, as it fails without the module */
	if (count_of(&facts, switches, BOOT_MODULE)) {
		put_command(to, boot, tool);
		put_names(to, &facts, switches, BOOT_MODULE);
		bytes_addf(to, "\n");
	}
	bytes_addf(to, "\n[Install]\nWantedBy=sysinit.target\n");
	return result;
}

#define UNITS "/etc/systemd/system"

/* Checks */

static int ends(const char *text, const char *end)
{
	size_t length = strlen(text);

	return length > strlen(end) && !strcmp(text + length - strlen(end), end);
}

int boot_check(const struct boot *boot, const char *verb)
{
	const char *name = boot->instance;

	if (name && (!*name || strchr(name, '/') || !strcmp(name, ".") ||
		     !strcmp(name, "..")))
		message("cannot %s at boot: \"%s\" is no name of an instance", verb, name);
	else if (name && name[strcspn(name, ", \"^@")])
		message("cannot %s at boot: the instance \"%s\" has a character that arguments "
			"of the kernel cannot have", verb, name);
	else if (strcmp(boot->output, "-") && !ends(boot->output, ".service"))
		message("cannot %s at boot: systemd takes only units whose names end with "
			".service, not \"%s\"", verb, boot->output);
	else
		return 0;
	return EXIT_WRONG_USAGE;
}

/* Whether a path stands for itself in a unit; if not, after a message. */
static int is_plain(const char *path)
{
	static const char fine[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789/._-+:@,=~";

	if (!path[strspn(path, fine)])
		return 1;
	message("cannot write a unit: the path %s has characters that mean something else "
		"there; use another one", path);
	return 0;
}

/* The path of this program, to be freed; NULL after a message. */
static char *own_path(void)
{
	char *path = realpath("/proc/self/exe", NULL);

	if (!path)
		message("cannot write a unit: the path of this program is not known: %s",
			strerror(errno));
	else if (is_plain(path))
		return path;
	free(path);
	return NULL;
}

/* Whether a file of this name may be replaced or removed: 1; 0: there is none; -1: no. */
static int is_own(const char *path)
{
	struct stat stat_of;
	AUTO_FREE char *text = NULL;

	if (lstat(path, &stat_of))
		return errno == ENOENT ? 0 : -1;
	text = S_ISREG(stat_of.st_mode) ? read_file(path, NULL) : NULL;
	return text && !strncmp(text, BOOT_UNIT_MARK, strlen(BOOT_UNIT_MARK)) ? 1 : -1;
}

/* Writing */

static int write_file(const char *path, const struct bytes *text)
{
	AUTO_FREE char *other = xprintf("%s.XXXXXX", path);
	int fd = mkostemp(other, O_CLOEXEC), error = fd < 0 ? errno : 0;

	if (fd >= 0 && (write_all(fd, text->at, text->length) < text->length ||
			fchmod(fd, 0644)))
		error = errno;
	if (fd >= 0 && close(fd) && !error)
		error = errno;
	if (!error && rename(other, path))
		error = errno;
	if (fd >= 0 && error)
		unlink(other);
	if (error)
		message("cannot write %s: %s; --output takes another place", path,
			strerror(error));
	return error ? -1 : 0;
}

static void print_ways(const struct boot *boot, const struct boot_facts *facts,
		       const struct switches *switches)
{
	const char *const ways[] = {
		[BOOT_ARGUMENT] = boot_has_argument(boot) ?
			"the unit; earlier: the kernel argument" :
			"the unit; this kernel has no argument for instances (Linux 6.3)",
		[BOOT_USER] = "the unit, which registers it; the kernel cannot",
		[BOOT_MODULE] = "the unit, if the module is loaded by then; the kernel cannot",
	};

	for (size_t i = 0; i < switches->count; i++) {
		const struct event_switch *item = &switches->items[i];

		if (!item->is_wanted)
			continue;
		controls_print(item->system, strlen(item->system));
		putchar(':');
		controls_print(item->name, strlen(item->name));
		printf(": %s\n", ways[boot_way_of(facts, item)]);
	}
}

static void report(const struct boot *boot, const struct instance *instance,
		   const struct switches *switches)
{
	char *found = realpath(boot->output, NULL), *arguments;
	const char *path = found ? found : boot->output;
	int is_usual = !strcmp(dirname(xstrdup(path)), UNITS);
	AUTO(boot_facts_free) struct boot_facts facts;

	boot_facts_read(&facts, instance);
	print_ways(boot, &facts, switches);
	arguments = boot_arguments(boot, &facts, switches);
	if (*arguments)
		printf("Kernel argument: %s\n", arguments);
	printf("Written: %s\nActivate it: systemctl enable %s\n", path,
	       is_usual ? basename(xstrdup(path)) : path);
	free(arguments);
}

/* Events that neither way can switch on. */
static int check_events(const struct instance *instance, const struct switches *switches)
{
	AUTO(boot_facts_free) struct boot_facts facts;
	int result = 0;

	boot_facts_read(&facts, instance);
	for (size_t i = 0; i < switches->count; i++) {
		const struct event_switch *item = &switches->items[i];

		if (!item->is_wanted || boot_way_of(&facts, item) != BOOT_NONE)
			continue;
		message("cannot enable %s:%s at boot: it was made while the kernel runs, and is "
			"not there after a boot", item->system, item->name);
		result = -1;
	}
	return result;
}

int boot_write_unit(const struct boot *boot, const struct instance *instance,
		    const struct kept_events *kept, const struct switches *switches)
{
	const int is_stdout = !strcmp(boot->output, "-");
	AUTO(bytes_free) struct bytes text = { 0 };
	int result = -1;
	AUTO_FREE char *tool = NULL;

	if (check_events(instance, switches) || (boot->tracefs && !is_plain(boot->tracefs)))
		return -1;
	if (!is_stdout && is_own(boot->output) < 0) {
		message("cannot write %s: it exists, and not from this command; --output takes "
			"another place", boot->output);
		return -1;
	}
	tool = own_path();
	if (tool)
		result = boot_unit_compose(&text, boot, tool, instance, kept, switches);
	if (!result && is_stdout)
		bytes_print(&text);
	else if (!result)
		result = write_file(boot->output, &text);
	if (!result && !is_stdout)
		report(boot, instance, switches);
	return result;
}

/* Removing */

/* Remove a link that systemctl made to the unit. */
static int remove_link(const char *link, const char *unit)
{
	struct stat of_link, of_unit, itself;
	int is_link = !lstat(link, &itself) && S_ISLNK(itself.st_mode) &&
		      !stat(link, &of_link) && !stat(unit, &of_unit) &&
		      of_link.st_ino == of_unit.st_ino && of_link.st_dev == of_unit.st_dev;

	return is_link && unlink(link) ? -errno : 0;
}

static int remove_all(const char *unit)
{
	char *copy = xstrdup(unit), *name = basename(copy);
	AUTO_FREE char *wanted = xprintf(UNITS "/sysinit.target.wants/%s", name);
	AUTO_FREE char *linked = xprintf(UNITS "/%s", name);
	int error = remove_link(wanted, unit);

	if (!error)
		error = remove_link(linked, unit);
	if (!error && unlink(unit))
		error = -errno;
	free(copy);
	return error;
}

int boot_remove_unit(const struct boot *boot)
{
	int is_there = is_own(boot->output), error;

	if (is_there <= 0) {
		message("cannot remove %s: %s", boot->output, is_there ?
			"it is not from \"userevents enable --at-boot\"" : "there is none");
		return -1;
	}
	error = remove_all(boot->output);
	if (error) {
		message("cannot remove %s: %s", boot->output, strerror(-error));
		return -1;
	}
	printf("Removed: %s\nEvents that are on stay so until \"userevents disable\".\n",
	       boot->output);
	return 0;
}
