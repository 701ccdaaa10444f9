/* SPDX-License-Identifier: MIT */
/* Creates and deletes user events through dynamic_events of tracefs. */
#include "instance.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "common/cli/message.h"
#include "common/cli/memory.h"
#include "common/records/tracepoint.h"
#include "kernel/tracefs/tracing_files.h"

/* Writes commands into files of tracefs, and finds the kernel's reasons for refusals. */

int control_write(const char *path, const char *text)
{
	const size_t length = strlen(text);
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC), error = 0;
	ssize_t written;

	if (fd < 0)
		return -errno;
	/* an empty text, too, must reach the kernel: as an empty line */
	written = length ? write(fd, text, length) : write(fd, "\n", 1);
	if (written < 0)
		error = -errno;
	else if ((size_t)written < length)
		error = -EIO;
	close(fd);
	return error;
}

static char *read_log(const char *log)
{
	AUTO_FREE char *path = xprintf("%s/error_log", log);

	return read_file(path, NULL);
}

/*
 * The last entry of a log. Each is
 *
 *	[ SECONDS] LOCATION: error: REASON
 *	  Command: TEXT
 *	           ^
 *
 * and TEXT may have any characters, also newlines.
 */
static const char *last_entry(const char *log)
{
	const char *last = NULL, *line = log;

	for (; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (*line == '[' && strstr(line, ": error: "))
			last = line;
	}
	return last;
}

#define COMMAND "\n  Command: "

static void parse_entry(const char *entry, struct refusal *refusal)
{
	const char *reason = strstr(entry, ": error: ") + strlen(": error: ");
	const char *command = strstr(reason, COMMAND), *end, *caret;

	if (!command)
		return;
	refusal->reason = xstrndup(reason, (size_t)(command - reason));
	command += strlen(COMMAND);
	caret = strrchr(command, '^');
	end = caret;
	while (end && end > command && end[-1] != '\n')
		end--;
	if (!end || end == command)
		return;
	refusal->command = xstrndup(command, (size_t)(end - 1 - command));
	refusal->at = (size_t)(caret - end);
	refusal->at -= refusal->at < strlen(COMMAND) - 1 ? refusal->at : strlen(COMMAND) - 1;
}

int control_try(const char *log, const char *path, const char *text, struct refusal *refusal)
{
	AUTO_FREE char *before = read_log(log), *after = NULL;
	int result = control_write(path, text);

	*refusal = (struct refusal){ .error = -result };
	if (result)
		after = read_log(log);
	/* entries begin with their time, so a new one is never equal to an old one */
	if (after && before && strcmp(after, before) && last_entry(after))
		parse_entry(last_entry(after), refusal);
	return result;
}

void refusal_report(const struct refusal *refusal, const char *verb)
{
	message("cannot %s: %s", verb, refusal->reason ? refusal->reason :
							strerror(refusal->error));
	if (refusal->command && refusal->at <= strlen(refusal->command))
		message_caret(refusal->command, refusal->at);
}

void refusal_free(struct refusal *refusal)
{
	free(refusal->reason);
	free(refusal->command);
	*refusal = (struct refusal){ 0 };
}

int kernel_version(void)
{
	struct utsname name;
	int major = 0, minor = 0;

	if (uname(&name) || sscanf(name.release, "%d.%d", &major, &minor) != 2)
		return 0;
	return major * 1000 + minor;
}

static const char *why(int error)
{
	switch (error) {
	case -EPERM:
		return "the kernel requires CAP_PERFMON; run as root";
	case -EACCES:
		return "dynamic_events cannot be written to; run as root";
	case -EBUSY:
		return "it is in use; end the programs that have it registered, and the tools "
		       "that listen";
	case -ENOENT:
		return "it is gone already";
	case -EINVAL:
		return "Linux 6.4 to 6.6 has no events without a process; use --wait";
	case -EADDRINUSE:
		return "it exists with other fields; delete it first";
	default:
		return strerror(-error);
	}
}

static int name_length(const char *definition)
{
	return (int)strcspn(definition, " ");
}

static int complain(const char *verb, const char *definition, const char *reason)
{
	message("cannot %s %.*s: %s", verb, name_length(definition), definition, reason);
	return -1;
}

/* All lines of the file, of which the caller frees none. 0, or -1 after a message. */
static int read_lines(const char *tracefs, struct words *lines)
{
	char *path = tracing_path(tracefs, "dynamic_events"), *line;
	char *text = read_file(path, NULL), *rest = text;

	*lines = (struct words){ 0 };
	if (!text)
		message("cannot read %s: %s; run as root", path, strerror(errno));
	while (rest && (line = strsep(&rest, "\n")))
		if (*line)
			words_add(lines, line);
	free(path);
	return text ? 0 : -1;
}

/* The definition in a line of a user event, otherwise NULL. */
static const char *user_event(const char *line)
{
	return strncmp(line, "u:", 2) ? NULL : line + 2;
}

static int has_name_of(const char *definition, const char *other)
{
	const int length = name_length(definition);

	return name_length(other) == length && !memcmp(definition, other, (size_t)length);
}

/* The event of the name that a definition has; NULL without one. */
static const char *find(const struct words *lines, const char *definition)
{
	for (size_t i = 0; i < lines->count; i++) {
		const char *event = user_event(lines->items[i]);

		if (event && has_name_of(definition, event))
			return event;
	}
	return NULL;
}

static int write_line(const char *tracefs, const char *prefix, const char *definition)
{
	AUTO_FREE char *path = tracing_path(tracefs, "dynamic_events");
	AUTO_FREE char *line = xprintf("%s%s\n", prefix, definition);

	return control_write(path, line);
}

/* Create */

static int has_other_fields(const char *definition, const char *existing)
{
	if (!existing || !strcmp(existing, definition))
		return 0;
	message("cannot create %.*s: it exists with other fields, \"%s\"; delete it first",
		name_length(definition), definition, existing);
	return -1;
}

/* The events that definitions repeat have to be equal, too. */
static int check(const struct words *definitions, const struct words *lines)
{
	int result = 0;

	for (size_t i = 0; i < definitions->count; i++) {
		const char *definition = definitions->items[i], *existing;

		if (memchr(definition, '#', (size_t)name_length(definition)))
			result = complain("create", definition,
					  "dynamic_events takes '#' for the begin of a comment");
		existing = find(lines, definition);
		for (size_t j = 0; j < i && !existing; j++)
			if (has_name_of(definition, definitions->items[j]))
				existing = definitions->items[j];
		if (has_other_fields(definition, existing))
			result = -1;
	}
	return result;
}

static const char delete_prefix[] = "-:" SYSTEM "/";

static int create_one(const char *tracefs, const char *definition, const struct words *before)
{
	int result;

	/* from Linux 6.4 on an event of a program stays one of the program */
	if (find(before, definition) && kernel_version() >= 6004)
		message("%.*s exists already; if a program registered it, it goes away with its "
			"last user", name_length(definition), definition);
	result = write_line(tracefs, "u:", definition);
	return result ? complain("create", definition, why(result)) : 0;
}

static void take_back(const char *tracefs, const struct words *definitions, size_t count,
		      const struct words *before)
{
	while (count--)
		if (!find(before, definitions->items[count]))
			write_line(tracefs, delete_prefix, definitions->items[count]);
}

static void print_name(const char *definition)
{
	controls_print(definition, (size_t)name_length(definition));
	putchar('\n');
}

int dynamic_events_create(const char *tracefs, const struct words *definitions)
{
	struct words before;

	if (read_lines(tracefs, &before) || check(definitions, &before))
		return -1;
	for (size_t i = 0; i < definitions->count; i++) {
		if (!create_one(tracefs, definitions->items[i], &before))
			continue;
		take_back(tracefs, definitions, i, &before);
		return -1;
	}
	for (size_t i = 0; i < definitions->count; i++)
		print_name(definitions->items[i]);
	return 0;
}

/* Delete */

/* A probe of the same system and name has no fields either, and would go with the event. */
static int is_name_of_a_probe(const struct words *lines, const char *definition)
{
	const int length = name_length(definition);

	for (size_t i = 0; i < lines->count; i++) {
		const char *name = strchr(lines->items[i], ':');

		name = name && !user_event(lines->items[i]) ? name + 1 : "";
		if (!strncmp(name, SYSTEM "/", sizeof(SYSTEM)) &&
		    name_length(name + sizeof(SYSTEM)) == length &&
		    !memcmp(name + sizeof(SYSTEM), definition, (size_t)length))
			return 1;
	}
	return 0;
}

static int delete_one(const char *tracefs, const char *definition, const struct words *lines)
{
	int result;

	if (memchr(definition, '#', (size_t)name_length(definition)))
		return complain("delete", definition, "dynamic_events takes '#' for the begin of "
				"a comment; leave out --dynamic-events");
	if (!definition[name_length(definition)] && is_name_of_a_probe(lines, definition))
		return complain("delete", definition, "a probe has the same name, and would be "
				"deleted as well; leave out --dynamic-events");
	result = write_line(tracefs, delete_prefix, definition);
	if (result)
		return complain("delete", definition, why(result));
	print_name(definition);
	return 0;
}

int dynamic_events_delete(const char *tracefs, const struct words *globs)
{
	struct words lines, unmatched = { 0 };
	int result = 0;

	if (read_lines(tracefs, &lines))
		return -1;
	for (size_t i = 0; i < globs->count; i++)
		words_add(&unmatched, globs->items[i]);
	for (size_t i = 0; i < lines.count; i++) {
		const char *event = user_event(lines.items[i]);
		const size_t length = event ? (size_t)name_length(event) : 0;

		if (!event || !glob_matches(globs, SYSTEM, event, length))
			continue;
		globs_strike(&unmatched, SYSTEM, event, length);
		result |= delete_one(tracefs, event, &lines);
	}
	return globs_found(&unmatched, 0) ? result : -1;
}
