/* SPDX-License-Identifier: MIT */
/*
 * userevents export: writes events in formats of other programs.
 */
#include "cli/message.h"
#include "cli/options.h"
#include "commands.h"
#include "export/export_sink.h"
#include "export/formats.h"
#include "stream/stream.h"
#include "tracefs/tracing_files.h"

static struct stream stream = STREAM_INIT("export");
static struct export_options to = { .retry_for = 60 };
static const char *format;

static const struct tool_option options[] = {
	{ .name = "to", .letter = 't', .text = &format, .value = "FORMAT",
	  .help = "perfetto, otlp, otlp-json or otlp-protobuf." },
	{ .name = "output", .letter = 'o', .text = &to.output, .value = "PATH", .is_path = 1,
	  .help = "Write to this file, or directory; \"-\", the default, is\n"
		  "standard output. Not of otlp." },
	{ .name = "flatten", .flag = &to.is_flat,
	  .help = "Members of structs are fields: a.b." },
	{ .name = "brief", .flag = &to.is_brief,
	  .help = "Leave out what is the same for all events of a name." },
	{ .name = "endpoint", .text = &to.endpoint, .value = "URL",
	  .help = "Of otlp: send to this receiver, to which /v1/logs and so on is\n"
		  "appended. Without it, to that of OTEL_EXPORTER_OTLP_ENDPOINT,\n"
		  "or http://localhost:4318." },
	{ .name = "header", .words = &to.headers, .value = "\"NAME: VALUE\"",
	  .help = "Of otlp: add this to requests. May be repeated." },
	{ .name = "timeout", .number = &to.timeout, .least = 1, .value = "MS",
	  .help = "Of otlp: wait so many milliseconds for an answer; 10000\n"
		  "without it or OTEL_EXPORTER_OTLP_TIMEOUT." },
	{ .name = "retry-for", .number = &to.retry_for, .value = "SECONDS",
	  .help = "Of otlp: give up when the receiver took nothing for so long;\n"
		  "60 without it." },
	STREAM_OPTIONS_UNTIL(stream, "until"),
	OPTIONS_END,
};

static const struct usage usage = {
	.command = "export",
	.arguments = "--to FORMAT FILE...|--run PROGRAM|--watch",
	.help = "Writes events in a format that other programs read. FORMAT is one of\n"
		"  perfetto       a trace for ui.perfetto.dev and trace_processor\n"
		"  otlp           log records and spans, sent to an OpenTelemetry receiver\n"
		"  otlp-json      log records and spans of OpenTelemetry, a request a line,\n"
		"                 for the collector's otlpjsonfile receiver\n"
		"  otlp-protobuf  the same in Protocol Buffers; -o is a folder for three\n"
		"                 files, of logs, traces and metrics\n",
	.options = options,
};

static int export(char **arguments, const struct export_format *chosen)
{
	struct export_sink sink;
	struct exporter *exporter;
	int status;

	to.is_live = stream.is_run || stream.is_watch;
	to.drops = stream.is_watch;
	exporter = chosen->open(&to, &status);
	if (!exporter)
		return status;
	export_sink_init(&sink, exporter, &stream);
	status = stream_read(&stream, &usage, arguments, &sink.sink);
	export_sink_free(&sink);
	stream_free(&stream);
	return status;
}

int command_export(int argc, char **argv)
{
	int status = options_parse(&usage, &argc, &argv);
	const struct export_format *chosen;

	if (status != OPTIONS_GO_ON)
		return status;
	if (!format)
		return options_complain(&usage, "no format is given; use --to FORMAT");
	chosen = export_format_find(format);
	if (!chosen)
		return EXIT_WRONG_USAGE;
	if (!chosen->is_sent && (to.endpoint || to.headers.count || to.timeout))
		return options_complain(&usage, "%s is a file, and is not sent; use --to otlp",
					chosen->name);
	return export(argv, chosen);
}
