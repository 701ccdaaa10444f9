/* SPDX-License-Identifier: MIT */
/* Parses and compares settings. */
#include "settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <userevents/abi/ring_socket.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/where/where.h"
#include "metrics/metrics.h"
#include "serve/metrics_server.h"

#define ROTATE_LEAST (64u << 10)

/* BYTES,FILES: a collector must have an end. */
static int parse_rotate(struct settings *settings, const struct usage *usage)
{
	const char *comma = strchr(settings->rotate, ',');
	AUTO_FREE char *bytes =
		xstrndup(settings->rotate, strcspn(settings->rotate, ","));
	const int is_wrong = !comma || parse_number(bytes, &settings->rotate_bytes) ||
			     parse_number(comma + 1, &settings->rotate_files) ||
			     settings->rotate_bytes < ROTATE_LEAST ||
			     settings->rotate_files < 2;

	if (!is_wrong)
		return 0;
	return options_complain(usage, "--rotate \"%s\" is not BYTES,FILES, such as 64M,32, "
				"with at least 64k bytes and 2 files", settings->rotate);
}

/* N/s, or N. */
static int parse_rate(const char *option, const char *text, uint64_t *rate,
		      const struct usage *usage)
{
	const char *slash = strstr(text, "/s");
	char *number = slash && !slash[2] ? xstrndup(text, (size_t)(slash - text)) :
					    xstrdup(text);
	const int is_wrong = parse_number(number, rate) || !*rate;

	free(number);
	return is_wrong ? options_complain(usage, "--%s \"%s\" is not a number of events "
						  "per second, such as 5000/s",
					   option, text) :
			  0;
}

static int parse_rates(struct settings *settings, const struct usage *usage)
{
	const struct {
		const char *option, *text;
		uint64_t *rate;
	} all[] = {
		{ "max-rate", settings->max_rate, &settings->rate },
		{ "max-rate-per-provider", settings->max_rate_of_provider,
		  &settings->rate_of_provider },
		{ "max-rate-per-user", settings->max_rate_of_user,
		  &settings->rate_of_user },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].text &&
		    parse_rate(all[i].option, all[i].text, all[i].rate, usage))
			return EXIT_WRONG_USAGE;
	return 0;
}

/* The mode is written as for chmod(1). */
static int parse_mode(struct settings *settings, const struct usage *usage)
{
	const char *text = settings->socket_mode;

	settings->socket_rights = 0;
	for (const char *at = text; *at; at++) {
		if (*at < '0' || *at > '7' || at - text > 3)
			return options_complain(usage, "--socket-mode \"%s\" is not a mode, "
						"such as 0660", text);
		settings->socket_rights = settings->socket_rights * 8 + (uint64_t)(*at - '0');
	}
	settings->socket_rights &= 0777;
	return *text ? 0 : options_complain(usage, "--socket-mode \"\" is no mode");
}

int settings_are_for_rings(const struct settings *settings)
{
	return settings->rings.count || settings->socket;
}

static int is_for_export(const struct settings *settings)
{
	const struct export_options *to = &settings->to;

	return to->headers.count || to->redactions.drop.count ||
	       to->redactions.mask.count || to->redactions.hash.count || to->timeout ||
	       to->is_flat || to->is_brief || to->is_gzip || settings->queue ||
	       settings->queue_dir;
}

static int has_rate(const struct settings *settings)
{
	return settings->max_rate || settings->max_rate_of_provider ||
	       settings->max_rate_of_user;
}

static const char *conflict(const struct settings *settings)
{
	const int is_for_rings = settings_are_for_rings(settings);

	if (!settings->to.endpoint && !settings->record && !settings->metrics.count)
		return "nothing is to be done with events; use --otlp, --record or --metrics";
	if (is_for_rings && (settings->definitions.count || settings->buffer ||
			     settings->tracefs || settings->process_losses))
		return "--register, --buffer, --tracefs and --process-losses are for the "
		       "kernel's events, and not for --ring and --socket";
	if (settings->socket && *settings->socket != '/')
		return "the path of --socket is not absolute, and programs refuse such a "
		       "USEREVENTS_SOCKET; begin it with /";
	if (settings->socket_ring_size > UE_RING_OFFER_BYTES_MOST)
		return "--ring-size is more than the 64M that a ring of a socket may have";
	if (!settings->socket && (settings->socket_mode || settings->socket_rings ||
				  settings->socket_rings_of_user || settings->socket_ring_size))
		return "--socket-mode, --socket-rings, --rings-per-user and "
		       "--ring-size are for --socket PATH";
	if (settings->max_rate_of_user && !settings->socket)
		return "--max-rate-per-user is for --socket PATH, as other events have "
		       "no user";
	if (!settings->to.endpoint && is_for_export(settings))
		return "--header, --timeout, --flatten, --brief, --drop-field, "
		       "--mask-field, --hash-field, --gzip, --queue and --queue-dir "
		       "are for --otlp URL";
	if (!settings->to.endpoint && has_rate(settings) &&
	    !(settings->record && is_for_rings))
		return "--max-rate... are for --otlp URL, or for --record DIR of rings; "
		       "of the kernel's events record fewer by --event";
	if (settings->queue_size && !settings->queue_dir)
		return "--queue-size is for --queue-dir DIR";
	if (!settings->record && (settings->rotate || settings->keep_free))
		return "--rotate and --keep-free are for --record DIR";
	if (settings->metrics_labels.count && !settings->metrics.count)
		return "--metrics-label is for --metrics FILE|ADDRESS";
	return NULL;
}

static int check_labels(const struct settings *settings, const struct usage *usage)
{
	const char *reason, *wrong = metrics_labels_wrong(&settings->metrics_labels, &reason);

	return wrong ? options_complain(usage, "--metrics-label \"%s\" is no label: %s", wrong,
					reason) : 0;
}

static int check_metrics(const struct settings *settings, const struct usage *usage)
{
	for (size_t i = 0; i < settings->metrics.count; i++) {
		const char *text = settings->metrics.items[i];

		if (listen_address_is_wrong(text))
			return options_complain(usage, "--metrics \"%s\" is neither an "
						"address, such as :9464, nor a file, such as "
						"./metrics", text);
	}
	return 0;
}

/*
 * Parse the texts among them. The first takes settings that are not complete yet. 0, or
 * EXIT_WRONG_USAGE after a message.
 */
static int settings_check_values(struct settings *settings, const struct usage *usage)
{
	if (check_metrics(settings, usage) || check_labels(settings, usage))
		return EXIT_WRONG_USAGE;
	if (settings->keep_free && free_space_parse(settings->keep_free, &settings->space))
		return EXIT_WRONG_USAGE;
	where_free(settings->expression); /* after each line of a file */
	settings->expression = NULL;
	if (settings->where && !(settings->expression = where_parse(settings->where)))
		return EXIT_WRONG_USAGE;
	if (settings->rotate && parse_rotate(settings, usage))
		return EXIT_WRONG_USAGE;
	if (settings->socket_mode && parse_mode(settings, usage))
		return EXIT_WRONG_USAGE;
	return parse_rates(settings, usage);
}

static void set_defaults_of_socket(struct settings *settings)
{
	if (!settings->socket_mode)
		settings->socket_mode = "0666";
	if (!settings->socket_rings)
		settings->socket_rings = 256;
	if (!settings->socket_rings_of_user)
		settings->socket_rings_of_user = 64;
	if (!settings->socket_ring_size)
		settings->socket_ring_size = 4 << 20;
}

int settings_check(struct settings *settings, const struct usage *usage)
{
	const char *wrong = conflict(settings);

	if (wrong)
		return options_complain(usage, "%s", wrong);
	if (!settings->rotate)
		settings->rotate = "64M,32";
	if (!settings->keep_free)
		settings->keep_free = "5%";
	if (!settings->queue_size && settings->queue_dir)
		settings->queue_size = UINT64_C(1) << 30;
	if (!settings->metrics_interval)
		settings->metrics_interval = 15;
	if (settings->socket)
		set_defaults_of_socket(settings);
	return settings_check_values(settings, usage);
}

void settings_free(struct settings *settings)
{
	struct words *const words[] = {
		&settings->globs,
		&settings->definitions,
		&settings->rings,
		&settings->to.headers,
		&settings->to.redactions.drop,
		&settings->to.redactions.mask,
		&settings->to.redactions.hash,
		&settings->metrics,
		&settings->metrics_labels,
	};

	where_free(settings->expression);
	words_free(&settings->texts);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		free(words[i]->items);
	*settings = (struct settings){ .config = NULL };
}

/* Comparing */

static int texts_differ(const char *one, const char *other)
{
	return one != other && (!one || !other || strcmp(one, other));
}

int words_differ(const struct words *one, const struct words *other)
{
	if (one->count != other->count)
		return 1;
	for (size_t i = 0; i < one->count; i++)
		if (strcmp(one->items[i], other->items[i]))
			return 1;
	return 0;
}

/* The same member of the other settings. */
#define OF_OTHER(member) \
	((const void *)((const char *)other + ((const char *)(member) - (const char *)given)))

int settings_differ(const struct tool_option *option, const struct settings *given,
		    const struct settings *other)
{
	if (option->text)
		return texts_differ(*option->text, *(const char *const *)OF_OTHER(option->text));
	if (option->words)
		return words_differ(option->words, OF_OTHER(option->words));
	if (option->number)
		return *option->number != *(const uint64_t *)OF_OTHER(option->number);
	return option->flag && *option->flag != *(const int *)OF_OTHER(option->flag);
}

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
		    strcmp(name, "config") && strcmp(name, "check") &&
		    strcmp(name, "dry-run"))
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
		AUTO_FREE char *verb = xprintf("use line %u of %s", number, path);

		of_line.verb = verb;
		status = take_text(trim(line), settings, &of_line);
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
