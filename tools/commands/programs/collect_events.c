/* SPDX-License-Identifier: MIT */
/*
 * userevents collect: records and exports events for months.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <userevents/ring.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/cli/program.h"
#include "collect/collector.h"
#include "collect/settings.h"
#include "collect/service_rings.h"
#include "collect/recording/ring_recording.h"
#include "export/tree/exported_event.h"
#include "kernel/tracefs/tracing_files.h"

/*
 * The time after a signal: the end and its ticks fit into the rest of the 5 seconds
 * promised.
 */
#define LAST_NS ((int64_t)3000000000)

static struct settings given;
/* The command line, for each time that the settings are read. */
static int given_argc;
static char **given_argv;

static const struct tool_option options[] = {
	{ .name = "config", .text = &given.config, .value = "FILE", .is_path = 1,
	  .help = "Take these options from lines NAME = VALUE, too; see above." },
	{ .name = "check", .flag = &given.is_check,
	  .help = "Only say whether these are valid: exit status 0, or 2 after\n"
		  "what is wrong. Nothing is opened or asked." },
	{ .name = "dry-run", .letter = 'n', .flag = &given.is_rehearsal,
	  .help = "Only print what would be done, and the rights that this user\n"
		  "lacks for it, and what other processes have: exit status 1\n"
		  "if there are any. The receiver is not asked." },
	{ .name = "event", .letter = 'e', .words = &given.globs, .value = "GLOB",
	  .help = "Events whose name matches, also those that appear later:\n"
		  "NAME or SYSTEM:NAME of the tracepoint, of EventHeader\n"
		  "also EVENT or PROVIDER:EVENT. Default: all user events.\n"
		  "May be repeated." },
	{ .name = "ring", .words = &given.rings, .value = "GLOB",
	  .help = "Instead of the kernel's events, those of the rings whose\n"
		  "path matches, also of rings that appear later; see\n"
		  "\"userevents ring\". May be repeated." },
	{ .name = "socket", .text = &given.socket, .value = "PATH", .is_path = 1,
	  .help = "Instead of the kernel's events, those of programs that are\n"
		  "started with USEREVENTS_SOCKET=PATH. They need no kernel\n"
		  "support and no rights. Each has a ring in memory, which it\n"
		  "also offers to a collector that begins later. Together with\n"
		  "--ring, events of both." },
	{ .name = "socket-mode", .text = &given.socket_mode, .value = "MODE",
	  .help = "Rights of this socket, as of chmod (default 0666: all users\n"
		  "may send)." },
	{ .name = "socket-rings", .number = &given.socket_rings, .value = "N", .least = 1,
	  .help = "Read so many of their rings at once (default 256)." },
	{ .name = "rings-per-user", .number = &given.socket_rings_of_user,
	  .value = "N", .least = 1, .help = "So many of them to programs of one user (default 64)." },
	{ .name = "ring-size", .number = &given.socket_ring_size, .value = "BYTES",
	  .least = UE_RING_BYTES_LEAST,
	  .help = "The most memory of each ring (default 4M, at most 64M).\n"
		  "Programs choose it by USEREVENTS_RING_SIZE (default 4M);\n"
		  "it is in use only as events come." },
	{ .name = "where", .letter = 'w', .text = &given.where, .value = "EXPR",
	  .help = "Export and count only events for which this is true, as\n"
		  "with decode." },
	{ .name = "max-rate", .text = &given.max_rate, .value = "N/s",
	  .help = "Export at most so many events in a second, and count the\n"
		  "others. Without --otlp, record no more of rings." },
	{ .name = "max-rate-per-provider", .text = &given.max_rate_of_provider,
	  .value = "N/s", .help = "So many of each provider." },
	{ .name = "max-rate-per-user", .text = &given.max_rate_of_user, .value = "N/s",
	  .help = "So many of each user's programs, of --socket." },
	{ .name = "otlp", .text = &given.to.endpoint, .value = "URL", .is_path = 1,
	  .help = "Export to this receiver, http(s)://HOST:4318, as\n"
		  "\"userevents export --to otlp\" does." },
	{ .name = "header", .words = &given.to.headers, .value = "NAME:VALUE",
	  .help = "Send this header. May be repeated." },
	{ .name = "timeout", .number = &given.to.timeout, .value = "MS", .least = 1,
	  .help = "Wait so long for an answer, in milliseconds\n"
		  "(default 10000)." },
	{ .name = "flatten", .flag = &given.to.is_flat,
	  .help = "Export members of structs as fields: a.b." },
	{ .name = "brief", .flag = &given.to.is_brief,
	  .help = "Leave out what is the same for all events of a name." },
	{ .name = "drop-field", .words = &given.to.redactions.drop, .value = "GLOB",
	  .help = "Leave fields out whose name matches, also members of structs.\n"
		  "May be repeated, as the next two." },
	{ .name = "mask-field", .words = &given.to.redactions.mask, .value = "GLOB",
	  .help = "Put \"***\" in the place of their values." },
	{ .name = "hash-field", .words = &given.to.redactions.hash, .value = "GLOB",
	  .help = "Put 16 digits there, which are the same for the same value\n"
		  "as long as this process runs." },
	{ .name = "gzip", .flag = &given.to.is_gzip,
	  .help = "Compress requests, whatever OTEL_EXPORTER_OTLP_COMPRESSION\n"
		  "is." },
	{ .name = "queue", .number = &given.queue, .value = "BYTES", .least = 64 << 10,
	  .help = "Memory for events that the receiver has not taken yet\n"
		  "(default 16M). When it is full, events are lost, and\n"
		  "counted." },
	{ .name = "queue-dir", .text = &given.queue_dir, .value = "DIR", .is_path = 1,
	  .help = "Keep these events in files of this directory, and only what\n"
		  "does not fit there in memory. They are sent after a restart,\n"
		  "also after SIGKILL. Rings keep what is in no file yet." },
	{ .name = "queue-size", .number = &given.queue_size, .value = "BYTES",
	  .least = 1 << 20,
	  .help = "The most bytes of these files (default 1G)." },
	{ .name = "record", .text = &given.record, .value = "DIR", .is_path = 1,
	  .help = "Record all events that -e selects, also those that --where\n"
		  "leaves out of the export, into files of this directory,\n"
		  KERNEL_FILES " and so on, which perf and\n"
		  "userevents decode read; of rings " RING_FILES "\n"
		  "and so on, which userevents decode reads." },
	{ .name = "rotate", .text = &given.rotate, .value = "BYTES,FILES",
	  .help = "Of these files: their size, and how many to keep\n"
		  "(default 64M,32)." },
	{ .name = "keep-free", .text = &given.keep_free, .value = "SPACE",
	  .help = "Leave this much of the disk free (default 5%): remove the\n"
		  "oldest files, or record no more until there is space." },
	{ .name = "metrics", .words = &given.metrics, .value = "FILE|ADDRESS", .is_path = 1,
	  .help = "Write counts for Prometheus into this file, whose name\n"
		  "should end with .prom; or answer requests (HTTP, /metrics)\n"
		  "on HOST:PORT, :PORT of this machine alone, or unix:/PATH.\n"
		  "May be repeated." },
	{ .name = "metrics-label", .words = &given.metrics_labels, .value = "NAME=VALUE",
	  .help = "Give each of these counts a label, such as\n"
		  "collector=rings, so that the files of two collectors on a\n"
		  "machine differ. May be repeated." },
	{ .name = "metrics-interval", .number = &given.metrics_interval, .value = "SECONDS",
	  .least = 1, .help = "Files are written so often (default 15)." },
	{ .name = "state", .text = &given.state, .value = "FILE", .is_path = 1,
	  .help = "Keep the counts in this file. A collector that begins after\n"
		  "another one was killed goes on with them, and counts what\n"
		  "that one did not deliver." },
	{ .name = "process-losses", .number = &given.process_losses, .value = "SECONDS",
	  .least = 1,
	  .help = "Look at processes so often, and count what the library\n"
		  "in them could not write, as \"userevents losses\" prints it.\n"
		  "Needs the right to trace them." },
	{ .name = "register", .letter = 'r', .words = &given.definitions, .value = "EVENT",
	  .help = "Register \"NAME TYPE FIELD; ...\", or all events of a program\n"
		  "(/path/of/program), first, so that none is missed while the\n"
		  "tracepoint is new. May be repeated." },
	{ .name = "buffer", .letter = 'b', .number = &given.buffer, .value = "BYTES",
	  .least = 4096,
	  .help = "Memory of each processor for events that are not read\n"
		  "yet (default 4M)." },
	TRACEFS_OPTION(given.tracefs),
	OPTIONS_END,
};

static const struct usage usage = {
	.command = "collect",
	.arguments = "",
	.help = "Records and exports events until SIGTERM or Ctrl-C. It is made to run for\n"
		"months as a service: it never waits for a receiver or a disk, its memory is\n"
		"bounded, and it counts each event that it loses, by the place that\n"
		"lost it.\n"
		"Of the kernel's events, the first ones of a tracepoint that appears\n"
		"meanwhile may be missed, which is reported; --register prevents it.\n\n"
		"A line of the file of --config is the name of an option and its value:\n"
		"  event = Shop:*\n"
		"  otlp = http://localhost:4318\n"
		"  flatten = yes\n"
		"Empty lines and those that begin with # are passed over. An option that is also\n"
		"on the command line has that value; those that may be repeated have all.\n"
		"SIGHUP reads the file again: --where, --max-rate, --metrics, --metrics-label\n"
		"and --metrics-interval change at once, without losing an event; others need a\n"
		"restart, and that is reported.\n\n"
		"SIGTERM ends it: within 5 seconds what is queued is sent, or counted as lost.\n"
		"The exit status is 0 after a signal, whether or not events were lost; 1 if it\n"
		"could not begin, or go on; 2 for wrong usage.\n",
	.options = options,
};

/* Settings */

static int parse_command_line(void)
{
	char **words = xcalloc((size_t)given_argc + 1, sizeof(*words)), **argv = words;
	int argc = given_argc, status;

	memcpy(words, given_argv, (size_t)argc * sizeof(*words));
	status = options_parse(&usage, &argc, &argv);
	if (status == OPTIONS_GO_ON && argc > 0)
		status = options_complain(&usage, "\"%s\" is no option", argv[0]);
	free(words);
	return status;
}

/* The command line names the file, and counts more than it. */
static int read_given(void)
{
	int status = parse_command_line();
	const char *config = given.config;

	if (status != OPTIONS_GO_ON)
		return status;
	if (config) {
		settings_free(&given);
		status = config_file_read(config, &given, &usage);
		if (status)
			return status;
		parse_command_line();
	}
	status = settings_check(&given, &usage);
	return status ? status : OPTIONS_GO_ON;
}

/* Settings that are wrong are freed; others are the caller's. */
static int read_settings(struct settings *settings)
{
	int status;

	given = (struct settings){ .config = NULL };
	status = read_given();
	if (status == OPTIONS_GO_ON)
		*settings = given;
	else
		settings_free(&given);
	return status;
}

static int is_changeable(const struct tool_option *option)
{
	static const char *const names[] = { "where", "max-rate", "metrics",
					     "metrics-label", "metrics-interval" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(option->name, names[i]))
			return 1;
	return 0;
}

static int reread_settings(struct settings *settings)
{
	const struct settings running = *settings;
	const int status = read_settings(settings);

	if (status != OPTIONS_GO_ON)
		return EXIT_WRONG_USAGE;
	if (!settings->config) {
		message("cannot read settings again: there is no file of --config; restart the "
			"collector with one");
		settings_free(settings);
		return EXIT_WRONG_USAGE;
	}
	for (const struct tool_option *option = options; option->value || option->flag; option++)
		if (!is_changeable(option) && settings_differ(option, &given, &running))
			message("cannot change \"%s\" while events are collected; restart the "
				"collector for it", option->name);
	return 0;
}

/* Collecting */

static void on_signals(void)
{
	const struct sigaction action = { .sa_handler = collector_hang_up };

	recording_catch_signals();
	sigaction(SIGHUP, &action, NULL);
}

/* The thread or process that records writes these. */
static void share_counts(struct collector *collector)
{
	struct file_counts *counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE,
					  MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (counts == MAP_FAILED)
		memory_is_short();
	collector->metrics.recorded = counts;
}

static int read_kernel(struct collector *collector)
{
	struct settings *settings = &collector->settings;
	struct second_output second = {
		.rotate = settings->rotate_bytes,
		.files = settings->rotate_files,
		.keep_free = settings->space,
		.counts = collector->metrics.recorded,
		.file = { .fd = -1 },
	};
	struct stream *stream = collector->stream;
	char *none[] = { NULL };
	int status;

	if (settings->record) {
		second.path = xprintf("%s/" KERNEL_FILES, settings->record);
		stream->recording.second = &second;
	}
	status = stream_kernel(stream, none, &collector->sink);
	return status == EXIT_FAILED && recording_is_stopped() ? EXIT_ALL_WORKED : status;
}

static struct ring_recording *record_rings(struct collector *collector)
{
	const struct settings *settings = &collector->settings;
	const struct ring_recording_options options = {
		.directory = settings->record,
		.file_bytes = settings->rotate_bytes,
		.files = {
			.path = xprintf("%s/" RING_FILES, settings->record),
			.files = settings->rotate_files,
			.keep_free = settings->space,
			.counts = collector->metrics.recorded,
		},
	};

	return ring_recording_begin(&options);
}

static struct ring_door *open_door(const struct settings *settings)
{
	const struct door_options options = {
		.path = settings->socket,
		.mode = (mode_t)settings->socket_rights,
		.rings = settings->socket_rings,
		.rings_of_user = settings->socket_rings_of_user,
		.bytes = settings->socket_ring_size,
		.listener = service_listener(settings->socket),
	};

	return ring_door_open(&options);
}

static int read_rings(struct collector *collector)
{
	const struct settings *settings = &collector->settings;
	struct ring_recording *recording = NULL;
	struct ring_door *door = NULL;
	int status = EXIT_FAILED;

	if (settings->socket)
		door = open_door(settings);
	if (settings->socket && !door)
		return EXIT_FAILED;
	if (settings->record)
		recording = record_rings(collector);
	collector->metrics.guests.limit = door ? settings->socket_rings : 0;
	if (!settings->record || recording)
		status = ring_source_read(collector, &settings->rings, door, recording);
	ring_door_close(door);
	return status;
}

/* One collector at a time records into a directory. */
static int read_events(struct collector *collector)
{
	const char *directory = collector->settings.record;
	int owned = -1, status;

	collector->is_of_rings = settings_are_for_rings(&collector->settings);
	if (directory) {
		owned = owned_directory_open(directory);
		if (owned < 0)
			return EXIT_FAILED;
		share_counts(collector);
	}
	service_rings_begin(collector->settings.socket != NULL);
	status = collector->is_of_rings ? read_rings(collector) : read_kernel(collector);
	if (owned >= 0)
		close(owned);
	return status;
}

static int collect(struct collector *collector)
{
	struct settings *settings = &collector->settings;
	struct stream *stream = collector->stream;
	int status;

	redaction_set(&settings->to.redactions);
	stream->filter.globs = settings->globs;
	stream->recording.definitions = settings->definitions;
	stream->recording.buffer = settings->buffer;
	stream->recording.tracefs = settings->tracefs;
	stream->recording.is_lasting = 1;
	stream->keeps_hangup = 1;
	stream->last_ns = LAST_NS;
	collector->reload = reread_settings;
	status = stream_begin(stream);
	if (!status)
		status = collector_begin(collector);
	if (status)
		return status;
	on_signals();
	return read_events(collector);
}

/* --check looks at no files, receivers or kernel. */
static int run_collector(struct collector *collector)
{
	const struct settings *settings = &collector->settings;
	const char *tracefs = NULL;

	if (settings->is_check) {
		printf("%s: the settings are valid\n",
		       settings->config ? settings->config : "the command line");
		return EXIT_ALL_WORKED;
	}
	if (!settings->is_rehearsal)
		return collect(collector);
	if (!settings_are_for_rings(settings))
		tracefs = tracing_find(settings->tracefs);
	return plan_print(settings, tracefs);
}

static int command_collect(int argc, char **argv)
{
	static struct stream stream = STREAM_INIT("collect");
	static struct collector collector = { .stream = &stream };
	int status;

	given_argc = argc;
	given_argv = argv;
	status = read_settings(&collector.settings);
	if (status != OPTIONS_GO_ON)
		return status;
	status = run_collector(&collector);
	collector_free(&collector);
	stream_free(&stream);
	return status;
}

int main(int argc, char **argv)
{
	return run_apart(command_collect, argc, argv);
}
