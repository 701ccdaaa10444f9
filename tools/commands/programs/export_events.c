/* SPDX-License-Identifier: MIT */
/*
 * userevents export: writes events in formats of other programs.
 */
#include <signal.h>
#include <string.h>

#include "common/cli/message.h"
#include "common/cli/options.h"
#include "common/cli/program.h"
#ifdef HAVE_BABELTRACE2
#include "export/ctf/ctf_stream.h"
#endif
#include "export/export_sink.h"
#include "export/otlp/otlp_exporter.h"
#include "export/perfetto/perfetto_tracks.h"
#include "export/send/sender.h"
#include "export/tree/exported_event.h"
#include "read/stream/stream.h"
#include "kernel/tracefs/tracing_files.h"

static struct stream stream = STREAM_INIT("export");
#define USUAL_RETRY 60
#define NOT_GIVEN UINT64_MAX

static struct export_options to = { .retry_for = NOT_GIVEN };
static const char *format;

static const struct tool_option options[] = {
	{ .name = "to", .letter = 't', .text = &format, .value = "FORMAT",
	  .help = "The format: one of those above." },
	{ .name = "output", .letter = 'o', .text = &to.output, .value = "PATH", .is_path = 1,
	  .help = "Write to this file, or directory; \"-\", the default, is\n"
		  "standard output; of ctf a directory is needed. Not of otlp." },
	{ .name = "flatten", .flag = &to.is_flat,
	  .help = "Members of structs are fields: a.b. Not of ctf." },
	{ .name = "brief", .flag = &to.is_brief,
	  .help = "Leave out what is the same for all events of a name." },
	{ .name = "endpoint", .text = &to.endpoint, .value = "URL",
	  .help = "Of otlp: send to this receiver, to which /v1/logs and so on is\n"
		  "appended. Without it, to that of OTEL_EXPORTER_OTLP_ENDPOINT,\n"
		  "or http://localhost:4318." },
	{ .name = "header", .words = &to.headers, .value = "NAME:VALUE",
	  .help = "Of otlp: add this to requests. May be repeated. Other users can\n"
		  "see it, but not OTEL_EXPORTER_OTLP_HEADERS." },
	{ .name = "timeout", .number = &to.timeout, .least = 1, .value = "MS",
	  .help = "Of otlp: wait so many milliseconds for an answer; 10000\n"
		  "without it or OTEL_EXPORTER_OTLP_TIMEOUT." },
	{ .name = "gzip", .flag = &to.is_gzip,
	  .help = "Of otlp: compress requests, whatever\n"
		  "OTEL_EXPORTER_OTLP_COMPRESSION is." },
	{ .name = "retry-for", .number = &to.retry_for, .value = "SECONDS",
	  .help = "Of otlp: give up when the receiver took nothing for so long;\n"
		  "60 without it." },
	{ .name = "drop-field", .words = &to.redactions.drop, .value = "GLOB",
	  .help = "Leave fields out whose name matches, also members of structs.\n"
		  "May be repeated, as the next two." },
	{ .name = "mask-field", .words = &to.redactions.mask, .value = "GLOB",
	  .help = "Put \"***\" in the place of their values." },
	{ .name = "hash-field", .words = &to.redactions.hash, .value = "GLOB",
	  .help = "Put 16 digits there, which are the same for the same value\n"
		  "as long as this process runs." },
	STREAM_OPTIONS_UNTIL(stream, "until"),
	OPTIONS_END,
};

#ifdef HAVE_LIBCURL
#define WITHOUT_CURL
#else
#define WITHOUT_CURL ";\n                 this tool was built without libcurl, which it needs"
#endif
#ifdef HAVE_BABELTRACE2
#define WITHOUT_BABELTRACE
#else
#define WITHOUT_BABELTRACE \
	"; this tool was\n                 built without libbabeltrace2, which it needs"
#endif

static const struct usage usage = {
	.command = "export",
	.arguments = "--to FORMAT FILE...|--run PROGRAM|--watch",
	.help = "Writes events in a format that other programs read. FORMAT is one of\n"
		"  perfetto       a trace for ui.perfetto.dev and trace_processor\n"
		"  otlp           log records and spans, sent to an OpenTelemetry receiver"
			WITHOUT_CURL "\n"
		"  otlp-json      log records and spans of OpenTelemetry, a request a line,\n"
		"                 for the collector's otlpjsonfile receiver\n"
		"  otlp-protobuf  the same in Protocol Buffers; -o is a folder for three\n"
		"                 files, of logs, traces and metrics\n"
		"  ctf            a trace of CTF 1.8, for babeltrace2; -o is a directory, which\n"
		"                 must not exist" WITHOUT_BABELTRACE "\n",
	.options = options,
	.examples = "userevents export --to perfetto -o trace.pftrace server.uecap\n"
		"userevents export --to otlp --endpoint http://localhost:4318 server.uecap\n"
		"userevents export --to ctf -o trace perf.data\n",
};

/* The formats of --to. */

struct export_format {
	const char *name;
	exporter_open *open; /* NULL: the tool was built without it */
	const char *missing; /* then, its needs */
	int is_sent; /* to a receiver, which the options name */
};

static const struct export_format formats[] = {
	{ .name = "perfetto", .open = perfetto_open },
#ifdef HAVE_LIBCURL
	{ .name = "otlp", .open = otlp_send_open, .is_sent = 1 },
#else
	{ .name = "otlp", .missing = "libcurl" },
#endif
	{ .name = "otlp-json", .open = otlp_json_open },
	{ .name = "otlp-protobuf", .open = otlp_protobuf_open },
#ifdef HAVE_BABELTRACE2
	{ .name = "ctf", .open = ctf_export_open },
#else
	{ .name = "ctf", .missing = "libbabeltrace2" },
#endif
	{ .name = NULL },
};

#define COUNT (sizeof(formats) / sizeof(formats[0]) - 1)

static const struct export_format *take(const struct export_format *format)
{
	if (format->open)
		return format;
	message("cannot export to %s: the tool was built without %s; install what "
		"\"scripts/packages tool\" prints, and build it again", format->name,
		format->missing);
	return NULL;
}

/* The format of this name; NULL after a message. */
static const struct export_format *find_format(const char *name)
{
	const char *meant;

	for (const struct export_format *format = formats; format->name; format++)
		if (!strcmp(format->name, name))
			return take(format);
	if (strchr("0123456789+-", *name)) {
		message("cannot export to \"%s\": that is a time, and --to is the "
			"format; --until ends at a time", name);
		return NULL;
	}
	meant = nearest(name, formats, COUNT, sizeof(formats[0]));
	message("cannot export to \"%s\": there is no such format; %s%s%s", name,
		meant ? "did you mean " : "\"userevents export --help\" lists them",
		meant ? meant : "", meant ? "?" : "");
	return NULL;
}

/* Signals of --run are blocked while events are read, and pending while one waits. */
static int is_stopped(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	sigset_t pending;

	sigpending(&pending);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (sigismember(&pending, signals[i]) == 1)
			return 1;
	return stream.is_interrupted || recording_is_stopped();
}

/* The program runs, and does not inherit that signals are caught. */
static int begin_sending(struct sink *sink)
{
	recording_catch_signals();
	return export_sink_begin(sink);
}

static int export(char **arguments, const struct export_format *chosen)
{
	struct export_sink sink;
	struct exporter *exporter;
	int status;

	redaction_set(&to.redactions);
	to.is_live = stream.is_run || stream.is_watch;
	to.drops = stream.is_watch;
	to.is_stopped = is_stopped;
	to.inputs = stream_inputs(&stream, arguments);
	exporter = chosen->open(&to, &status);
	if (!exporter)
		return status;
	export_sink_init(&sink, exporter, &stream);
	if (chosen->is_sent && stream.is_run)
		sink.sink.begin = begin_sending;
	status = stream_read(&stream, &usage, arguments, &sink.sink);
	export_sink_free(&sink);
	stream_free(&stream);
	return status;
}

static int has_sending_options(void)
{
	return to.endpoint || to.headers.count || to.timeout || to.retry_for != NOT_GIVEN;
}

static int command_export(int argc, char **argv)
{
	int status = options_parse(&usage, &argc, &argv);
	const struct export_format *chosen;

	stream.filter.until = "--until";
	if (status != OPTIONS_GO_ON)
		return status;
	if (!format)
		return options_complain(&usage, "no format is given; use --to FORMAT");
	chosen = find_format(format);
	if (!chosen)
		return EXIT_WRONG_USAGE;
	if (!chosen->is_sent && has_sending_options())
		return options_complain(&usage, "%s is a file, and is not sent; use --to otlp",
					chosen->name);
	if (to.retry_for == NOT_GIVEN)
		to.retry_for = USUAL_RETRY;
	return export(argv, chosen);
}

int main(int argc, char **argv)
{
	return run_apart(command_export, argc, argv);
}
