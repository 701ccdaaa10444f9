/* SPDX-License-Identifier: MIT */
/* Writes requests to files. */
#include "otlp_files.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "otlp_batch.h"
#include "common/output/out_file.h"

/* Lines of JSON */

struct json_file {
	struct outfile file;
	struct bytes line;
};

static int begin_lines(void *context)
{
	struct json_file *to = context;

	return outfile_empty(&to->file);
}

static int put_line(void *context, const struct otlp_batch *batch)
{
	struct json_file *to = context;

	to->line.length = 0;
	bytes_add(&to->line, batch->body.at, batch->body.length);
	bytes_add(&to->line, "\n", 1);
	return outfile_write(&to->file, to->line.at, to->line.length);
}

static int close_lines(void *context)
{
	struct json_file *to = context;

	return outfile_close(&to->file);
}

static void free_lines(void *context)
{
	struct json_file *to = context;

	outfile_close(&to->file);
	bytes_free(&to->line);
	free(to);
}

struct exporter *otlp_json_open(const struct export_options *options, int *status)
{
	struct json_file *to = xcalloc(1, sizeof(*to));
	const struct otlp_taker taker = {
		.context = to, .begin = begin_lines, .put = put_line, .end = close_lines,
		.free = free_lines,
	};

	to->file = (struct outfile){
		.fd = -1, .path = options->output ? options->output : "-",
		.inputs = options->inputs,
	};
	*status = EXIT_FAILED;
	if (!outfile_open(&to->file))
		return otlp_exporter_new(options, OTLP_JSON, &taker);
	free_lines(to);
	return NULL;
}

/* A folder of files */

static const char *const file_names[OTLP_SIGNALS] = {
	[OTLP_LOGS] = "logs", [OTLP_TRACES] = "traces", [OTLP_METRICS] = "metrics",
};

struct protobuf_files {
	struct outfile files[OTLP_SIGNALS];
	char *paths[OTLP_SIGNALS];
	struct bytes record;
};

static int begin_files(void *context)
{
	struct protobuf_files *to = context;
	int result = 0;

	for (int i = 0; !result && i < OTLP_SIGNALS; i++)
		result = outfile_empty(&to->files[i]);
	return result;
}

static int put_request(void *context, const struct otlp_batch *batch)
{
	struct protobuf_files *to = context;
	const uint32_t length = htobe32((uint32_t)batch->body.length);

	to->record.length = 0;
	bytes_add(&to->record, &length, sizeof(length));
	bytes_add(&to->record, batch->body.at, batch->body.length);
	return outfile_write(&to->files[batch->signal], to->record.at, to->record.length);
}

static int close_files(void *context)
{
	struct protobuf_files *to = context;
	int result = 0;

	for (int i = 0; i < OTLP_SIGNALS; i++)
		if (outfile_close(&to->files[i]))
			result = -1;
	return result;
}

static void free_files(void *context)
{
	struct protobuf_files *to = context;

	close_files(to);
	for (int i = 0; i < OTLP_SIGNALS; i++)
		free(to->paths[i]);
	bytes_free(&to->record);
	free(to);
}

static int make_folder(const char *path)
{
	if (!mkdir(path, 0777) || errno == EEXIST)
		return 0;
	message("cannot create %s: %s", path, strerror(errno));
	return -1;
}

static int open_files(struct protobuf_files *to, const struct export_options *options)
{
	int result = 0;

	for (int i = 0; i < OTLP_SIGNALS; i++) {
		to->paths[i] = xprintf("%s/%s", options->output, file_names[i]);
		to->files[i] = (struct outfile){
			.fd = -1, .path = to->paths[i], .inputs = options->inputs,
		};
	}
	for (int i = 0; !result && i < OTLP_SIGNALS; i++)
		result = outfile_open(&to->files[i]);
	return result;
}

static int has_folder(const struct export_options *options)
{
	if (options->output && strcmp(options->output, "-") != 0)
		return 1;
	message("cannot export to otlp-protobuf: it needs a folder for three files; give -o "
		"FOLDER");
	return 0;
}

struct exporter *otlp_protobuf_open(const struct export_options *options, int *status)
{
	struct protobuf_files *to;
	struct otlp_taker taker = {
		.begin = begin_files, .put = put_request, .end = close_files, .free = free_files,
	};

	*status = EXIT_WRONG_USAGE;
	if (!has_folder(options))
		return NULL;
	*status = EXIT_FAILED;
	if (make_folder(options->output))
		return NULL;
	taker.context = to = xcalloc(1, sizeof(*to));
	if (!open_files(to, options))
		return otlp_exporter_new(options, OTLP_PROTOBUF, &taker);
	free_files(to);
	return NULL;
}
