/* SPDX-License-Identifier: MIT */
/* Exports events as a trace of the Common Trace Format. */
#include "ctf_export.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "ctf_classes.h"

struct ctf_export {
	struct exporter exporter;
	struct ctf_graph graph;
	struct ctf_folder folder;
	struct ctf_stream stream;
	struct ctf_classes classes;
	int has_begun;
	int has_failed; /* after a message */
};

static struct ctf_export *of(struct exporter *exporter)
{
	return (struct ctf_export *)exporter;
}

static int fail(struct ctf_export *export)
{
	const struct ctf_folder *folder = &export->folder;

	if (folder->error)
		message("cannot write %s: %s; it has the events up to then", folder->path,
			file_reason(folder->error));
	else
		message("cannot write %s: libbabeltrace2 failed; remove what it has written",
			folder->path);
	export->has_failed = 1;
	return -1;
}

/*
 * The directory comes into being with the first event, or at the end of none. Recordings are
 * private, so it is.
 */
static int open_graph(struct ctf_export *export)
{
	const mode_t before = umask(0077);
	const int result = ctf_folder_check(&export->folder) ||
			   ctf_graph_open(&export->graph, export->folder.path);

	umask(before);
	return result;
}

/* Space for the metadata of a trace without events. */
static int reserve_first(struct ctf_export *export)
{
	struct ctf_folder *folder = &export->folder;

	if (!ctf_folder_reserve(folder, 16384))
		return 0;
	message("cannot write %s: %s", folder->path, strerror(folder->error));
	ctf_graph_free(&export->graph);
	ctf_folder_remove(folder);
	return -1;
}

static int begin(struct ctf_export *export, const struct exported_event *first)
{
	export->has_begun = 1;
	if (open_graph(export) || reserve_first(export)) {
		export->has_failed = 1;
		return -1;
	}
	return ctf_stream_begin(&export->stream, first) ? fail(export) : 0;
}

static int take(struct exporter *exporter, const struct exported_event *event)
{
	struct ctf_export *export = of(exporter);
	int late;

	if (!export->has_begun && begin(export, event))
		return -1;
	if (ctf_stream_advance(&export->stream, event, &late) ||
	    ctf_classes_put(&export->classes, event, late))
		return fail(export);
	return 0;
}

static int lost(struct exporter *exporter, const struct lost_events *lost)
{
	of(exporter)->stream.lost += lost->count;
	return 0;
}

static int flush(struct exporter *exporter)
{
	struct ctf_export *export = of(exporter);

	if (!export->graph.count)
		return 0;
	return ctf_graph_run(&export->graph) ? fail(export) : 0;
}

/* Without a place for its metadata, the library would abort. */
static int write_metadata(struct ctf_export *export)
{
	if (!ctf_folder_is_ready(&export->folder)) {
		message("cannot write %s/metadata: it was removed meanwhile",
			export->folder.path);
		return -1;
	}
	ctf_classes_free(&export->classes);
	ctf_stream_free(&export->stream);
	ctf_graph_free(&export->graph);
	return 0;
}

/* After a failure of the library nothing of it can be used. */
static int end_stream(struct ctf_export *export)
{
	if (export->has_failed && !export->folder.error)
		return -1;
	if (ctf_stream_end(&export->stream) || ctf_graph_end(&export->graph)) {
		export->folder.error = 0;
		return fail(export);
	}
	if (export->folder.error && !export->has_failed)
		fail(export);
	return write_metadata(export);
}

static int end(struct exporter *exporter)
{
	struct ctf_export *export = of(exporter);

	if (!export->has_begun && begin(export, NULL))
		return -1;
	return (export->stream.stream && end_stream(export)) || export->has_failed ? -1 : 0;
}

/* A graph that was not ended stays: freeing it would write its metadata. */
static void free_export(struct exporter *exporter)
{
	free(exporter);
}

static int check(const struct export_options *options)
{
	const char *problem = NULL;

	if (!options->output || !strcmp(options->output, "-"))
		problem = "it is a directory of several files; use --output DIRECTORY";
	else if (options->is_flat)
		problem = "its names have no dots; leave out --flatten";
	if (problem)
		message("cannot export to ctf: %s", problem);
	return problem ? -1 : 0;
}

struct exporter *ctf_export_open(const struct export_options *options, int *status)
{
	struct ctf_export *export;

	*status = EXIT_WRONG_USAGE;
	if (check(options))
		return NULL;
	export = xcalloc(1, sizeof(*export));
	*status = EXIT_FAILED;
	export->exporter = (struct exporter){
		.take = take,
		.lost = lost,
		.flush = flush,
		.end = end,
		.free = free_export,
	};
	export->folder.path = options->output;
	export->stream.graph = &export->graph;
	export->stream.folder = &export->folder;
	export->classes.stream = &export->stream;
	export->classes.folder = &export->folder;
	if (!ctf_folder_check(&export->folder))
		return &export->exporter;
	free(export);
	return NULL;
}
