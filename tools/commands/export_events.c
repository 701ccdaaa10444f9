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
static struct export_options to;
static const char *format;

static const struct tool_option options[] = {
	{ .name = "to", .letter = 't', .text = &format, .value = "FORMAT",
	  .help = "See above." },
	{ .name = "output", .letter = 'o', .text = &to.output, .value = "PATH", .is_path = 1,
	  .help = "Write to this file, or directory; \"-\", the default, is\n"
		  "standard output." },
	{ .name = "flatten", .flag = &to.is_flat,
	  .help = "Members of structs are fields: a.b." },
	{ .name = "brief", .flag = &to.is_brief,
	  .help = "Leave out what is the same for all events of a name." },
	STREAM_OPTIONS(stream),
	OPTIONS_END,
};

static const struct usage usage = {
	.command = "export",
	.arguments = "--to FORMAT [-o PATH] FILE...|--run PROGRAM|--watch",
	.help = "Writes events in a format that other programs read. FORMAT is one of\n"
		"  perfetto       a trace for ui.perfetto.dev and trace_processor\n"
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
	return chosen ? export(argv, chosen) : EXIT_WRONG_USAGE;
}
