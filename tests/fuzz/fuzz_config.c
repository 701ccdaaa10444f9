/* SPDX-License-Identifier: MIT */
/*
 * The file of settings of collect: any text. It must be accepted, or rejected with a sentence
 * that names a line, and give the same settings each time.
 */
#include "../../tools/common/cli/message.h"
#include "../../tools/collect/settings.h"
#include "fuzz.h"

/* An option of each type, with the names that settings_check() knows. */
static struct settings given;
static const struct tool_option options[] = {
	{ .name = "config", .text = &given.config, .value = "FILE" },
	{ .name = "event", .letter = 'e', .words = &given.globs, .value = "GLOB" },
	{ .name = "ring", .words = &given.rings, .value = "GLOB" },
	{ .name = "where", .letter = 'w', .text = &given.where, .value = "EXPR" },
	{ .name = "max-rate", .text = &given.max_rate, .value = "N/s" },
	{ .name = "otlp", .text = &given.to.endpoint, .value = "URL", .is_path = 1 },
	{ .name = "flatten", .flag = &given.to.is_flat },
	{ .name = "queue", .number = &given.queue, .value = "BYTES", .least = 64 << 10 },
	{ .name = "record", .text = &given.record, .value = "DIR", .is_path = 1 },
	{ .name = "rotate", .text = &given.rotate, .value = "BYTES,FILES" },
	{ .name = "keep-free", .text = &given.keep_free, .value = "SPACE" },
	{ .name = "metrics", .words = &given.metrics, .value = "FILE", .is_path = 1 },
	{ .name = "metrics-label", .words = &given.metrics_labels, .value = "NAME=VALUE" },
	OPTIONS_END,
};
static const struct usage usage = {
	.command = "collect", .arguments = "", .help = "", .options = options,
};

/* The place for carets of expressions. */
static FILE *nowhere(void)
{
	static FILE *file;

	if (!file)
		file = fopen("/dev/null", "w");
	PROMISE(file);
	return file;
}

/* said: to be freed. */
static int take(const uint8_t *data, size_t size, char **said)
{
	char *text = malloc(size + 1);
	FILE *real = stderr, *to;
	size_t length;
	int status;

	PROMISE(text);
	memcpy(text, data, size);
	text[size] = '\0';
	to = open_memstream(said, &length);
	PROMISE(to);
	given = (struct settings){ .config = NULL };
	message_divert(to);
	stderr = nowhere();
	status = config_file_take(text, "FILE", &given, &usage);
	if (status)
		PROMISE(!fflush(to) && strstr(*said, "line "));
	else
		status = settings_check(&given, &usage);
	stderr = real;
	message_divert(NULL);
	fclose(to);
	free(text);
	PROMISE(!status == !length);
	return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *said, *again;
	struct settings first;
	const int status = take(data, size, &said);

	first = given;
	PROMISE(take(data, size, &again) == status && !strcmp(said, again));
	for (const struct tool_option *option = options; option->name; option++)
		PROMISE(!settings_differ(option, &given, &first));
	settings_free(&first);
	settings_free(&given);
	free(said);
	free(again);
	return 0;
}
