/* SPDX-License-Identifier: MIT */
/* Sets up requests of OTLP over HTTP. */
#include "http_request.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "common/cli/clock.h"
#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "sender.h"

/* Checks the headers that a user adds to requests. */

/* RFC 9110, section 5.6.2: a token. */
static int is_name(const char *text, size_t length)
{
	static const char token[] = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	return length && strspn(text, token) >= length;
}

/* A line's end in a value would begin another header. */
static int is_value(const char *text)
{
	for (; *text; text++)
		if (((unsigned char)*text < ' ' && *text != '\t') || *text == '\x7f')
			return 0;
	return 1;
}

/* These headers describe how to read the request. */
static int is_own(const char *name, size_t length)
{
	static const char *const names[] = {
		"Connection", "Content-Encoding", "Content-Length", "Content-Type", "Expect",
		"TE", "Trailer", "Transfer-Encoding", "Upgrade",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == length && !strncasecmp(names[i], name, length))
			return 1;
	return 0;
}

static const char *fault_of(const char *name, size_t length, const char *value)
{
	if (is_own(name, length))
		return "it describes the request, which is userevents' part";
	return is_value(value) ? NULL : "its value has control characters";
}

static void put(struct words *headers, const char *header, size_t name_length)
{
	for (size_t i = 0; i < headers->count; i++)
		if (!strncasecmp(headers->items[i], header, name_length) &&
		    strchr(":;", headers->items[i][name_length])) {
			free((char *)headers->items[i]);
			headers->items[i] = header;
			return;
		}
	words_add(headers, header);
}

int receiver_add_header(struct receiver *receiver, const char *name, size_t name_length,
			const char *value, const char *from)
{
	const char *fault = fault_of(name, name_length, value);

	/* This one may be a part of the value: Authorization: Bearer a=b, in a list. */
	if (!is_name(name, name_length)) {
		message("cannot send the header of %s: its name is not a token of HTTP; "
			"correct it", from);
		return -1;
	}
	if (fault) {
		message("cannot send the header \"%.*s\": %s; correct %s", (int)name_length,
			name, fault, from);
		return -1;
	}
	/* libcurl takes "NAME:" for a header to leave out. */
	put(&receiver->headers, xprintf("%.*s%s%s", (int)name_length, name, *value ? ": " : ";",
					value), name_length);
	return 0;
}

/* One pair of the list, with blanks around its parts. */
static int add_pair(struct receiver *receiver, char *pair, const char *from)
{
	static const char blanks[] = " \t";
	char *name = pair + strspn(pair, blanks);
	char *equals = strchr(name, '=');
	char *end = pair + strlen(pair);
	char *value;
	int length, result;

	if (!*name)
		return 0;
	if (!equals) {
		message("cannot send a header: %s has a part without \"=\"; write NAME=VALUE,"
			"NAME=VALUE", from);
		return -1;
	}
	while (end > equals + 1 && strchr(blanks, end[-1]))
		*--end = '\0';
	value = curl.easy_unescape(NULL, equals + 1 + strspn(equals + 1, blanks), 0, &length);
	if (!value)
		memory_is_short();
	/* %00 becomes a control character, too. */
	for (int i = 0; i < length; i++)
		value[i] = value[i] ? value[i] : '\n';
	for (end = equals; end > name && strchr(blanks, end[-1]); end--)
		continue;
	result = receiver_add_header(receiver, name, (size_t)(end - name), value, from);
	curl.free(value);
	return result;
}

int receiver_add_header_list(struct receiver *receiver, const char *list,
			     const char *from)
{
	char *copy = xstrdup(list), *rest = copy, *pair;
	int result = 0;

	while (!result && (pair = strsep(&rest, ",")))
		result = add_pair(receiver, pair, from);
	free(copy);
	return result;
}

/* Compresses bodies of requests by zlib. */

#ifdef HAVE_ZLIB

#include <zlib.h>

/* The form of gzip, not that of zlib: 16 more than the window's usual bits. */
#define GZIP_WINDOW (15 + 16)
#define USUAL_MEMORY 8

/* The fastest level: events are much alike, and the machine has other work to do. */
static int gzip_body(struct bytes *packed, const uint8_t *bytes, size_t length)
{
	z_stream stream = { .next_in = (z_const Bytef *)bytes, .avail_in = (uInt)length };
	int result;

	if (length > UINT32_MAX || deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, GZIP_WINDOW,
						USUAL_MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
		return -1;
	stream.avail_out = (uInt)deflateBound(&stream, length);
	stream.next_out = bytes_room(packed, stream.avail_out);
	result = deflate(&stream, Z_FINISH);
	packed->length += stream.total_out;
	deflateEnd(&stream);
	return result == Z_STREAM_END ? 0 : -1;
}

#else

int gzip_body(struct bytes *packed, const uint8_t *bytes, size_t length)
{
	(void)packed;
	(void)bytes;
	(void)length;
	return -1;
}

#endif

/*
 * A program that the tool starts does not inherit it. libcurl takes a failure for one of the
 * receiver, so its reason is kept.
 */
static curl_socket_t open_socket(void *context, curlsocktype purpose,
				 struct curl_sockaddr *address)
{
	struct http_request *request = context;
	const int fd = socket(address->family, address->socktype | SOCK_CLOEXEC,
			      address->protocol);

	(void)purpose;
	request->socket_error = fd < 0 ? errno : 0;
	return fd;
}

/* An answer is kept up to its limit; more of it ends the request. */
static size_t take_answer(char *bytes, size_t size, size_t count, void *context)
{
	struct http_request *request = context;

	if (size * count > ANSWER_BYTES_MAX - request->answer.length) {
		request->is_too_long = 1;
		return 0;
	}
	bytes_add(&request->answer, bytes, size * count);
	return size * count;
}

static size_t take_header(char *bytes, size_t size, size_t count, void *context)
{
	struct http_request *request = context;

	(void)bytes;
	if (size * count > ANSWER_BYTES_MAX - request->head_length) {
		request->is_too_long = 1;
		return 0;
	}
	request->head_length += size * count;
	return size * count;
}

static void add_header(struct http_request *request, const char *header)
{
	struct curl_slist *headers = curl.slist_append(request->headers, header);

	if (!headers)
		memory_is_short();
	request->headers = headers;
}

static void set_headers(struct http_request *request)
{
	const struct words *more = &request->receiver->headers;

	add_header(request, "Content-Type: application/x-protobuf");
	if (request->packed.length)
		add_header(request, "Content-Encoding: gzip");
	/* Do not wait for permission to send the body. */
	add_header(request, "Expect:");
	for (size_t i = 0; i < more->count; i++)
		add_header(request, more->items[i]);
	curl.easy_setopt(request->easy, CURLOPT_HTTPHEADER, request->headers);
	curl.easy_setopt(request->easy, CURLOPT_USERAGENT, "userevents/" UE__VERSION);
}

static void set_body(struct http_request *request)
{
	const struct queued_batch *batch = request->batch;
	const int is_packed = request->receiver->is_gzip &&
			      !gzip_body(&request->packed, batch->body, batch->length);

	if (!is_packed)
		bytes_free(&request->packed);
	curl.easy_setopt(request->easy, CURLOPT_POST, 1L);
	curl.easy_setopt(request->easy, CURLOPT_POSTFIELDS,
			 is_packed ? request->packed.at : batch->body);
	curl.easy_setopt(request->easy, CURLOPT_POSTFIELDSIZE_LARGE,
			 (curl_off_t)(is_packed ? request->packed.length : batch->length));
}

static void set_answer(struct http_request *request)
{
	curl.easy_setopt(request->easy, CURLOPT_WRITEFUNCTION, take_answer);
	curl.easy_setopt(request->easy, CURLOPT_WRITEDATA, request);
	curl.easy_setopt(request->easy, CURLOPT_HEADERFUNCTION, take_header);
	curl.easy_setopt(request->easy, CURLOPT_HEADERDATA, request);
	curl.easy_setopt(request->easy, CURLOPT_ERRORBUFFER, request->problem);
}

/*
 * A connection lasts 10 minutes at most, so that receivers behind one name share the load
 * also after one of them was added. libcurl does not follow redirects unless an option asks
 * for it.
 */
static void set_connection(struct http_request *request)
{
	CURL *easy = request->easy;

	curl.easy_setopt(easy, CURLOPT_URL, request->receiver->url);
	curl.easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	curl.easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	curl.easy_setopt(easy, CURLOPT_TIMEOUT_MS, request->receiver->timeout);
	curl.easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, request->receiver->timeout);
	curl.easy_setopt(easy, CURLOPT_MAXLIFETIME_CONN, 600L);
	curl.easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
	curl.easy_setopt(easy, CURLOPT_OPENSOCKETDATA, request);
	/* No SIGALRM, and no waiting for a name server at the end. */
	curl.easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl.easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
}

static void set_certificates(struct http_request *request)
{
	const struct receiver *receiver = request->receiver;
	CURL *easy = request->easy;

	if (receiver->certificate) {
		curl.easy_setopt(easy, CURLOPT_CAINFO, receiver->certificate);
		curl.easy_setopt(easy, CURLOPT_CAPATH, NULL);
	}
	if (receiver->client_certificate)
		curl.easy_setopt(easy, CURLOPT_SSLCERT, receiver->client_certificate);
	if (receiver->client_key)
		curl.easy_setopt(easy, CURLOPT_SSLKEY, receiver->client_key);
}

struct http_request *http_request_begin(CURLM *multi, const struct receiver *receiver,
					struct queued_batch *batch)
{
	struct http_request *request = xcalloc(1, sizeof(*request));

	request->batch = batch;
	request->receiver = receiver;
	request->begun = clock_now(CLOCK_MONOTONIC);
	request->easy = curl.easy_init();
	if (!request->easy)
		memory_is_short();
	set_body(request);
	set_headers(request);
	set_answer(request);
	set_connection(request);
	set_certificates(request);
	curl.easy_setopt(request->easy, CURLOPT_PRIVATE, request);
	if (curl.multi_add_handle(multi, request->easy))
		memory_is_short();
	return request;
}

void http_request_free(CURLM *multi, struct http_request *request)
{
	curl.multi_remove_handle(multi, request->easy);
	curl.easy_cleanup(request->easy);
	curl.slist_free_all(request->headers);
	bytes_free(&request->packed);
	bytes_free(&request->answer);
	free(request);
}

/* Loads libcurl. */

/* The number is the same since libcurl 7.16, of 2006. */
#define FILE_NAME "libcurl.so.4"
#define OLDEST 0x075700 /* CURLOPT_QUICK_EXIT */

struct curl_library curl;

static const struct {
	const char *name;
	size_t at;
} functions[] = {
#define CURL_ENTRY(name) { "curl_" #name, offsetof(struct curl_library, name) },
	CURL_FUNCTIONS(CURL_ENTRY)
#undef CURL_ENTRY
};

/* 0, or -1 with a sentence of dlerror(3). */
static int load(void)
{
	void *library = dlopen(FILE_NAME, RTLD_NOW), *function;

	if (!library)
		return -1;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		function = dlsym(library, functions[i].name);
		if (!function)
			return -1;
		memcpy((char *)&curl + functions[i].at, &function, sizeof(function));
	}
	return 0;
}

/* Options that an older one does not know would be without effect. */
static int is_old(void)
{
	const curl_version_info_data *version = curl.version_info(CURLVERSION_NOW);

	if (version->version_num >= OLDEST)
		return 0;
	message("cannot send to a receiver: libcurl %s is too old; install version 7.87 or later",
		version->version);
	return 1;
}

int curl_library_load(void)
{
	static int is_loaded;

	if (is_loaded)
		return 0;
	if (load()) {
		message("cannot send to a receiver: %s; libcurl 7.87 or later is needed (apt-get "
			"install libcurl4)", dlerror());
		return EXIT_FAILED;
	}
	if (is_old())
		return EXIT_FAILED;
	is_loaded = 1;
	return 0;
}
