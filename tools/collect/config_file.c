/* SPDX-License-Identifier: MIT */
/*
 * Reads options from a file, one in a line:
 *
 *	# Shop's events to the collector of this machine
 *	event = Shop:*
 *	otlp = http://localhost:4318
 *	flatten = yes
 *
 * Texts to which options refer are kept with the settings.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "settings.h"

struct config_line {
	const struct usage *usage; /* whose verb is "use line 3 of FILE" */
	struct settings *settings;
	char *name, *value;
};

static char *trim(char *text)
{
	char *end = text + strlen(text);

	text += strspn(text, " \t\r");
	while (end > text && strchr(" \t\r", end[-1]))
		*--end = '\0';
	return text;
}

static const struct tool_option *find(const struct usage *usage, const char *name)
{
	for (const struct tool_option *o = usage->options; o->name; o++)
		if (!strcmp(o->name, name) && (o->value || o->flag) &&
		    strcmp(name, "config"))
			return o;
	return NULL;
}

static int unknown(const struct config_line *line)
{
	const struct tool_option *options = line->usage->options;
	const char *meant;
	size_t count = 0;

	while (options[count].name)
		count++;
	meant = nearest(line->name, options, count, sizeof(*options));
	if (meant && find(line->usage, meant))
		message("cannot %s: there is no setting \"%s\"; did you mean \"%s\"?",
			line->usage->verb, line->name, meant);
	else
		message("cannot %s: there is no setting \"%s\"; the settings are the options "
			"of \"userevents %s --help\"", line->usage->verb, line->name,
			line->usage->command);
	return EXIT_WRONG_USAGE;
}

static int take_flag(const struct config_line *line, const struct tool_option *option)
{
	if (strcmp(line->value, "yes") && strcmp(line->value, "no")) {
		message("cannot %s: \"%s\" is neither yes nor no", line->usage->verb,
			line->value);
		return EXIT_WRONG_USAGE;
	}
	*option->flag = !strcmp(line->value, "yes");
	return 0;
}

/* Other programs' files have quotes, and comments behind values: here they would be of a path. */
static const char *why_no_path(const char *value)
{
	if (*value == '"' || *value == '\'')
		return "values have no quotes";
	return strstr(value, " #") ? "a comment has a line of its own" : NULL;
}

/* The command line's parser takes it as an option with a value. */
static int take_value(const struct config_line *line, const struct tool_option *option)
{
	const char *why = option->is_path ? why_no_path(line->value) : NULL;
	char *text = xprintf("--%s=%s", line->name, line->value);
	char *words[] = { line->name, text, NULL }, **argv = words;
	int argc = 2, status;

	words_add(&line->settings->texts, text);
	if (why) {
		message("cannot %s: %s; correct %s", line->usage->verb, why, line->value);
		return EXIT_WRONG_USAGE;
	}
	status = options_parse(line->usage, &argc, &argv);
	return status == OPTIONS_GO_ON ? 0 : status;
}

static int take_line(const struct config_line *line)
{
	const struct tool_option *option = find(line->usage, line->name);

	if (!option)
		return unknown(line);
	return option->flag ? take_flag(line, option) : take_value(line, option);
}

/* Not all sentences about values name the line. */
static int check_value(const struct config_line *line)
{
	const int status = settings_check_values(line->settings, line->usage);

	if (status)
		message("cannot %s: the value of \"%s\" is wrong", line->usage->verb,
			line->name);
	return status;
}

static int take_text(char *text, struct settings *settings, const struct usage *usage)
{
	char *equals = strchr(text, '=');
	struct config_line line = { .usage = usage, .settings = settings };
	int status;

	if (!*text || *text == '#')
		return 0;
	if (!equals) {
		message("cannot %s: it is not NAME = VALUE", usage->verb);
		return EXIT_WRONG_USAGE;
	}
	*equals = '\0';
	line.name = trim(text);
	line.value = trim(equals + 1);
	status = take_line(&line);
	return status ? status : check_value(&line);
}

int config_file_take(char *text, const char *path, struct settings *settings,
		     const struct usage *usage)
{
	struct usage of_line = *usage;
	int status = 0;
	char *line;

	for (unsigned number = 1; !status && (line = strsep(&text, "\n")); number++) {
		char *verb = xprintf("use line %u of %s", number, path);

		of_line.verb = verb;
		status = take_text(trim(line), settings, &of_line);
		free(verb);
	}
	return status;
}

int config_file_read(const char *path, struct settings *settings, const struct usage *usage)
{
	size_t length;
	char *text = read_file(path, &length);
	int status;

	if (!text) {
		message("cannot read %s: %s", path, strerror(errno));
		return EXIT_WRONG_USAGE;
	}
	if (strlen(text) != length) {
		message("cannot read %s: it is no text, as it has bytes of zero", path);
		free(text);
		return EXIT_WRONG_USAGE;
	}
	status = config_file_take(text, path, settings, usage);
	free(text);
	return status;
}
