/* SPDX-License-Identifier: MIT */
/* Writes commands into files of tracefs, and finds the kernel's reasons for refusals. */
#include "control_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "common/cli/caret.h"
#include "common/cli/message.h"

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
	char *path = xprintf("%s/error_log", log), *text = read_file(path, NULL);

	free(path);
	return text;
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
	char *before = read_log(log), *after = NULL;
	int result = control_write(path, text);

	*refusal = (struct refusal){ .error = -result };
	if (result)
		after = read_log(log);
	/* entries begin with their time, so a new one is never equal to an old one */
	if (after && before && strcmp(after, before) && last_entry(after))
		parse_entry(last_entry(after), refusal);
	free(before);
	free(after);
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
