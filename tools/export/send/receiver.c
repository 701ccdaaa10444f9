/* SPDX-License-Identifier: MIT */
/*
 * Reads where to send, as "OpenTelemetry Protocol Exporter" specifies: a variable of one
 * signal (OTEL_EXPORTER_OTLP_LOGS_ENDPOINT) wins over the one of all signals
 * (OTEL_EXPORTER_OTLP_ENDPOINT), to which the path of the signal is appended. An empty
 * variable counts as absent. The command line wins over both.
 */
#include "sender.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "http_request.h"

static const char *const names[OTLP_SIGNALS] = { "LOGS_", "TRACES_", "METRICS_" };
static const char *const paths[OTLP_SIGNALS] = { "v1/logs", "v1/traces", "v1/metrics" };

/* Variables */

struct variable {
	char name[64];
	const char *value; /* NULL: not set */
	int is_of_signal;
	int is_first; /* read for the first time: one of all signals is read for each */
};

static int look_up(struct variable *variable, const char *signal, const char *name)
{
	const char *value;

	snprintf(variable->name, sizeof(variable->name), "OTEL_EXPORTER_OTLP_%s%s", signal,
		 name);
	value = getenv(variable->name);
	variable->value = value && *value ? value : NULL;
	variable->is_of_signal = variable->value && *signal;
	return !!variable->value;
}

static struct variable variable_of(enum otlp_signal signal, const char *name)
{
	struct variable variable;

	if (!look_up(&variable, names[signal], name))
		look_up(&variable, "", name);
	variable.is_first = variable.is_of_signal || !signal;
	return variable;
}

/* The specification: warn of a value that cannot be used, and go on as if it were not set. */
static void ignore(const struct variable *variable, const char *expected)
{
	if (variable->is_first)
		message("%s is ignored: \"%s\" is not %s", variable->name, variable->value,
			expected);
}

/* The address */

static char *part_of(CURLU *url, CURLUPart part)
{
	char *text = NULL, *copy;

	if (curl.url_get(url, part, &text, 0))
		return xstrdup("");
	copy = xstrdup(text);
	curl.free(text);
	return copy;
}

static void append_path(CURLU *url, const char *path)
{
	AUTO_FREE char *base = part_of(url, CURLUPART_PATH);
	const size_t length = strlen(base);
	const char *slash = length && base[length - 1] == '/' ? "" : "/";
	AUTO_FREE char *all = xprintf("%s%s%s", base, slash, path);

	curl.url_set(url, CURLUPART_PATH, all, 0);
}

/* Tokens of receivers are found in each of these parts. */
static char *without_secrets(CURLU *url)
{
	static const CURLUPart secrets[] = {
		CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_OPTIONS, CURLUPART_QUERY,
		CURLUPART_FRAGMENT,
	};

	for (size_t i = 0; i < sizeof(secrets) / sizeof(secrets[0]); i++)
		curl.url_set(url, secrets[i], NULL, 0);
	return part_of(url, CURLUPART_URL);
}

static const char *fault_of(CURLU *url, const char *text)
{
	const CURLUcode code = curl.url_set(url, CURLUPART_URL, text, 0);
	AUTO_FREE char *scheme = NULL;
	int is_http;

	if (code && !strstr(text, "://"))
		return "it begins with neither http:// nor https://";
	if (code)
		return curl.url_strerror(code);
	scheme = part_of(url, CURLUPART_SCHEME);
	is_http = !strcmp(scheme, "http") || !strcmp(scheme, "https");
	return is_http ? NULL : "only http:// and https:// are possible";
}

/* The variable has the path of a signal, to which that of each one would be appended. */
static int is_of_one_signal(CURLU *url)
{
	AUTO_FREE char *path = part_of(url, CURLUPART_PATH);
	size_t length = strlen(path);
	int is_of_one = 0;

	while (length && path[length - 1] == '/')
		path[--length] = '\0';
	for (int i = 0; i < OTLP_SIGNALS; i++) {
		const size_t end = strlen(paths[i]);

		is_of_one |= length > end && path[length - end - 1] == '/' &&
			     !strcmp(path + length - end, paths[i]);
	}
	return is_of_one;
}

static int read_url(struct receiver *receiver, const char *text, const char *path,
		    const char *from)
{
	CURLU *url = curl.url();
	const char *fault;

	if (!url)
		memory_is_short();
	fault = fault_of(url, text);
	if (!fault && path && is_of_one_signal(url))
		fault = "it has the path of one signal, and that of each is appended";
	if (fault) {
		message("cannot send to the receiver that %s names: %s; write a URL like %s",
			from, fault, RECEIVER_ENDPOINT);
	} else {
		if (path)
			append_path(url, path);
		receiver->url = part_of(url, CURLUPART_URL);
		receiver->shown = without_secrets(url);
	}
	curl.url_cleanup(url);
	return fault ? EXIT_WRONG_USAGE : 0;
}

static int read_endpoint(struct receiver *receiver, enum otlp_signal signal,
			 const struct export_options *options)
{
	const struct variable variable = variable_of(signal, "ENDPOINT");

	if (options->endpoint)
		return read_url(receiver, options->endpoint, paths[signal],
				options->endpoint_name ? options->endpoint_name :
							 "--endpoint");
	if (!variable.value)
		return read_url(receiver, RECEIVER_ENDPOINT, paths[signal], "the default");
	return read_url(receiver, variable.value, variable.is_of_signal ? NULL : paths[signal],
			variable.name);
}

/* Headers */

static int read_option_header(struct receiver *receiver, const char *text)
{
	const char *colon = strchr(text, ':');

	if (!colon) {
		message("cannot send the header of --header: it has no \":\"; write --header "
			"\"NAME: VALUE\"");
		return -1;
	}
	return receiver_add_header(receiver, text, (size_t)(colon - text),
				   colon + 1 + strspn(colon + 1, " \t"), "--header");
}

static int read_headers(struct receiver *receiver, enum otlp_signal signal,
			const struct export_options *options)
{
	const struct variable variable = variable_of(signal, "HEADERS");
	int result = variable.value ? receiver_add_header_list(receiver, variable.value,
							       variable.name) : 0;

	for (size_t i = 0; !result && i < options->headers.count; i++)
		result = read_option_header(receiver, options->headers.items[i]);
	return result ? EXIT_WRONG_USAGE : 0;
}

/* The rest */

static void read_timeout(struct receiver *receiver, enum otlp_signal signal,
			 const struct export_options *options)
{
	const struct variable variable = variable_of(signal, "TIMEOUT");
	uint64_t timeout = options->timeout;

	if (!timeout && variable.value && (parse_number(variable.value, &timeout) || !timeout)) {
		ignore(&variable, "a number of milliseconds above 0");
		timeout = 0;
	}
	if (!timeout)
		timeout = RECEIVER_TIMEOUT;
	receiver->timeout = timeout < RECEIVER_TIMEOUT_MAX ? (long)timeout :
							     RECEIVER_TIMEOUT_MAX;
}

static void read_compression(struct receiver *receiver, enum otlp_signal signal,
			     const struct export_options *options)
{
	struct variable variable = variable_of(signal, "COMPRESSION");

	if (options->is_gzip)
		variable = (struct variable){
			.name = "--gzip", .value = "gzip", .is_first = signal == OTLP_LOGS,
		};
	if (!variable.value || !strcmp(variable.value, "none"))
		return;
#ifdef HAVE_ZLIB
	receiver->is_gzip = !strcmp(variable.value, "gzip");
	if (!receiver->is_gzip)
		ignore(&variable, "\"gzip\" or \"none\"");
#else
	if (variable.is_first)
		message("%s is ignored: the tool was built without zlib; install what "
			"\"scripts/packages tool\" prints, and build it again", variable.name);
#endif
}

static void warn_of_protocol(enum otlp_signal signal)
{
	const struct variable variable = variable_of(signal, "PROTOCOL");

	if (variable.value && strcmp(variable.value, "http/protobuf"))
		ignore(&variable, "\"http/protobuf\", which userevents sends");
}

static int read_file_name(const struct receiver *receiver, enum otlp_signal signal,
			  const char *name, char **path)
{
	const struct variable variable = variable_of(signal, name);

	if (!variable.value || strncasecmp(receiver->url, "https:", 6))
		return 0;
	*path = xstrdup(variable.value);
	if (!access(*path, R_OK))
		return 0;
	message("cannot read %s: %s; correct %s", *path, strerror(errno), variable.name);
	return EXIT_FAILED;
}

int receiver_read(struct receiver *receiver, enum otlp_signal signal,
		  const struct export_options *command_line)
{
	int status;

	*receiver = (struct receiver){ .url = NULL };
	status = read_endpoint(receiver, signal, command_line);
	if (!status)
		status = read_headers(receiver, signal, command_line);
	if (!status)
		status = read_file_name(receiver, signal, "CERTIFICATE", &receiver->certificate);
	if (!status)
		status = read_file_name(receiver, signal, "CLIENT_CERTIFICATE",
					&receiver->client_certificate);
	if (!status)
		status = read_file_name(receiver, signal, "CLIENT_KEY", &receiver->client_key);
	if (status)
		return status;
	read_timeout(receiver, signal, command_line);
	read_compression(receiver, signal, command_line);
	warn_of_protocol(signal);
	return 0;
}

void receiver_free(struct receiver *receiver)
{
	words_free(&receiver->headers);
	free(receiver->url);
	free(receiver->shown);
	free(receiver->certificate);
	free(receiver->client_certificate);
	free(receiver->client_key);
	*receiver = (struct receiver){ .url = NULL };
}
