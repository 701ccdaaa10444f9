/* SPDX-License-Identifier: MIT */
/* Sets up requests of OTLP over HTTP. */
#include "http_request.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "common/cli/clock.h"
#include "common/cli/memory.h"

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
