/* SPDX-License-Identifier: MIT */
/* Lists the formats of exports. */
#include "export_sink.h"

#include <string.h>

#include "common/cli/message.h"
#include "ctf/ctf_export.h"
#include "otlp/otlp_exporter.h"
#include "perfetto/perfetto_tracks.h"
#include "send/otlp_to_receiver.h"

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

const struct export_format *export_format_find(const char *name)
{
	const char *meant;

	for (const struct export_format *format = formats; format->name; format++)
		if (!strcmp(format->name, name))
			return take(format);
	if (strchr("0123456789+-", *name)) {
		message("cannot export to \"%s\": that is a time, and --to is the format; "
			"--until ends at a time", name);
		return NULL;
	}
	meant = nearest(name, formats, COUNT, sizeof(formats[0]));
	message("cannot export to \"%s\": there is no such format; %s%s%s", name,
		meant ? "did you mean " : "\"userevents export --help\" lists them",
		meant ? meant : "", meant ? "?" : "");
	return NULL;
}
