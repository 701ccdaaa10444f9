/* SPDX-License-Identifier: MIT */
/* Parses and compares settings. */
#include "settings.h"

#include <stdlib.h>
#include <string.h>

#include <userevents/abi/ring_socket.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "metrics/metrics_labels.h"
#include "serve/listen_address.h"
#include "common/where/where.h"

#define ROTATE_LEAST (64u << 10)

/* BYTES,FILES: a collector must have an end. */
static int parse_rotate(struct settings *settings, const struct usage *usage)
{
	const char *comma = strchr(settings->rotate, ',');
	char *bytes = xstrndup(settings->rotate, strcspn(settings->rotate, ","));
	const int is_wrong = !comma || parse_number(bytes, &settings->rotate_bytes) ||
			     parse_number(comma + 1, &settings->rotate_files) ||
			     settings->rotate_bytes < ROTATE_LEAST ||
			     settings->rotate_files < 2;

	free(bytes);
	if (!is_wrong)
		return 0;
	return options_complain(usage, "--rotate \"%s\" is not BYTES,FILES, such as 64M,32, "
				"with at least 64k bytes and 2 files", settings->rotate);
}

/* N/s, or N. */
static int parse_rate(struct settings *settings, const struct usage *usage)
{
	const char *text = settings->max_rate, *slash = strstr(text, "/s");
	char *number = slash && !slash[2] ? xstrndup(text, (size_t)(slash - text)) :
					    xstrdup(text);
	const int is_wrong = parse_number(number, &settings->rate) || !settings->rate;

	free(number);
	return is_wrong ? options_complain(usage, "--max-rate \"%s\" is not a number of events "
					   "per second, such as 5000/s", text) : 0;
}

/* As chmod(1) has it. */
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

	return to->headers.count || to->timeout || to->is_flat || to->is_brief || to->is_gzip ||
	       settings->queue || settings->max_rate;
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
	if (settings->socket_ring_size > UE_RING_OFFER_BYTES_MOST)
		return "--ring-size is more than the 64M that a ring of a socket may have";
	if (!settings->socket && (settings->socket_mode || settings->socket_rings ||
				  settings->socket_rings_of_user || settings->socket_ring_size))
		return "--socket-mode, --socket-rings, --rings-per-user and "
		       "--ring-size are for --socket PATH";
	if (!settings->to.endpoint && is_for_export(settings))
		return "--header, --timeout, --flatten, --brief, --gzip, --queue and "
		       "--max-rate are for --otlp URL";
	if (!settings->record && (settings->rotate || settings->keep_free))
		return "--rotate and --keep-free are for --record DIR";
	if (settings->metrics_labels.count && !settings->metrics.count)
		return "--metrics-label is for --metrics FILE|ADDRESS";
	return NULL;
}

static int check_where(const struct settings *settings)
{
	struct where *where = where_parse(settings->where);

	where_free(where);
	return where ? 0 : EXIT_WRONG_USAGE;
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

int settings_check_values(struct settings *settings, const struct usage *usage)
{
	if (check_metrics(settings, usage) || check_labels(settings, usage))
		return EXIT_WRONG_USAGE;
	if (settings->keep_free && free_space_parse(settings->keep_free, &settings->space))
		return EXIT_WRONG_USAGE;
	if (settings->where && check_where(settings))
		return EXIT_WRONG_USAGE;
	if (settings->rotate && parse_rotate(settings, usage))
		return EXIT_WRONG_USAGE;
	if (settings->socket_mode && parse_mode(settings, usage))
		return EXIT_WRONG_USAGE;
	return settings->max_rate ? parse_rate(settings, usage) : 0;
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
	if (!settings->metrics_interval)
		settings->metrics_interval = 15;
	if (settings->socket)
		set_defaults_of_socket(settings);
	return settings_check_values(settings, usage);
}

void settings_free(struct settings *settings)
{
	struct words *const words[] = {
		&settings->globs, &settings->definitions, &settings->rings,
		&settings->to.headers, &settings->metrics, &settings->metrics_labels,
		&settings->texts,
	};

	for (size_t i = 0; i < settings->texts.count; i++)
		free((char *)(uintptr_t)settings->texts.items[i]);
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
