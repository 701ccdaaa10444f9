/* SPDX-License-Identifier: MIT */
/*
 * Judges answers. A status counts as soon as it has arrived, whatever follows: a request
 * that was answered 200 is not sent again because the rest of the answer was cut off, as
 * then its items would arrive twice.
 *
 * Reports troubles with a receiver, each kind once in a while.
 */
#include "http_request.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "common/cli/clock.h"
#include "common/cli/message.h"
#include "export/tree/exported_event.h"
#include "sender.h"

#define SECOND INT64_C(1000000000)
#define SHOWN_MAX 256 /* bytes of the receiver's text */

/* The type of the answer */

static const char *type_of(const struct http_request *request)
{
	char *type = NULL;

	curl.easy_getinfo(request->easy, CURLINFO_CONTENT_TYPE, &type);
	return type ? type : "";
}

static int is_type(const struct http_request *request, const char *wanted)
{
	const char *type = type_of(request);
	const size_t length = strcspn(type, "; \t");

	return length == strlen(wanted) && !strncasecmp(type, wanted, length);
}

/* The receiver's own words, in quotes; the message blanks control characters. */
static void quote(struct http_reply *reply, const char *text, size_t length)
{
	const size_t used = strlen(reply->reason);

	length = clean_text_length((struct clean_text){ text, length }, SHOWN_MAX);
	if (length)
		snprintf(reply->reason + used, sizeof(reply->reason) - used, ": \"%.*s\"",
			 (int)length, text);
}

/* Success */

static void set_unclear(struct http_reply *reply, const char *reason)
{
	reply->is_unclear = 1;
	reply->trouble = TROUBLE_UNCLEAR;
	reply->fix = "; see whether it is an OpenTelemetry receiver";
	snprintf(reply->reason, sizeof(reply->reason), "its answer %s", reason);
}

static void read_partial(struct http_reply *reply, const struct http_request *request)
{
	const struct bytes *bytes = &request->answer;
	struct otlp_answer answer;

	if (otlp_answer_read(&answer, bytes->at, bytes->length)) {
		set_unclear(reply, "is damaged");
		return;
	}
	if (!answer.rejected && !answer.text)
		return;
	reply->trouble = TROUBLE_PARTIAL;
	reply->rejected = answer.rejected < request->batch->items ? answer.rejected :
								    request->batch->items;
	snprintf(reply->reason, sizeof(reply->reason), "it rejected %llu of %llu items",
		 (unsigned long long)reply->rejected,
		 (unsigned long long)request->batch->items);
	quote(reply, answer.text, answer.text_length);
}

/* Some answer with an empty object of JSON, or with nothing, and mean success. */
static int is_empty(const struct http_request *request)
{
	const struct bytes *bytes = &request->answer;

	return !bytes->length || (bytes->length == 2 && !memcmp(bytes->at, "{}", 2));
}

static void read_success(struct http_reply *reply, const struct http_request *request,
			 CURLcode result)
{
	reply->verdict = HTTP_DELIVERED;
	if (request->is_too_long)
		set_unclear(reply, "is longer than any of OTLP");
	else if (result)
		set_unclear(reply, "is not complete");
	else if (is_type(request, "application/x-protobuf"))
		read_partial(reply, request);
	else if (!is_empty(request))
		set_unclear(reply, "is not application/x-protobuf");
}

/* Other answers */

static const char *fix_of(long status)
{
	if (status / 100 == 3)
		return "; redirects are not followed: name the address that it points to";
	switch (status) {
	case 401:
	case 403:
		return "; set what it asks for with --header or OTEL_EXPORTER_OTLP_HEADERS";
	case 404:
	case 405:
		return "; check the path of the endpoint";
	default:
		return "";
	}
}

static int is_retried(long status)
{
	return status == 429 || status == 502 || status == 503 || status == 504;
}

static void read_status(struct http_reply *reply, const struct http_request *request,
			long status)
{
	const struct bytes *bytes = &request->answer;
	curl_off_t seconds = 0;
	struct otlp_answer answer;

	reply->verdict = is_retried(status) ? HTTP_RETRY : HTTP_REFUSED;
	reply->trouble = (unsigned int)status;
	reply->fix = fix_of(status);
	snprintf(reply->reason, sizeof(reply->reason), "it answered %ld", status);
	if (is_type(request, "application/x-protobuf")) {
		if (!otlp_status_read(&answer, bytes->at, bytes->length) && answer.text)
			quote(reply, answer.text, answer.text_length);
	} else if (is_type(request, "text/plain")) {
		quote(reply, (const char *)bytes->at, bytes->length);
	}
	curl.easy_getinfo(request->easy, CURLINFO_RETRY_AFTER, &seconds);
	if (seconds > 0)
		reply->retry_after = seconds < INT64_MAX / SECOND ? seconds * SECOND :
								    INT64_MAX;
}

/* No answer */

/* libcurl has one error for all reasons, and each TLS library a sentence of its own. */
static const char *fix_of_certificate(const struct http_request *request)
{
	if (strstr(request->problem, "host name") || strstr(request->problem, "hostname"))
		return "; the URL must have a name that is in the certificate";
	if (strstr(request->problem, "expired"))
		return "; renew it, or correct the clock of this machine";
	if (request->receiver->certificate)
		return "; OTEL_EXPORTER_OTLP_CERTIFICATE names the certificate of another "
		       "authority";
	return "; name the certificate of its authority in OTEL_EXPORTER_OTLP_CERTIFICATE";
}

static const char *fix_of_error(const struct http_request *request, CURLcode result)
{
	switch (result) {
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_CONNECT:
		return "; start a receiver there, or name another one";
	case CURLE_PEER_FAILED_VERIFICATION:
		return fix_of_certificate(request);
	case CURLE_SSL_CACERT_BADFILE:
		return "; name the certificate of its authority in "
		       "OTEL_EXPORTER_OTLP_CERTIFICATE";
	case CURLE_SSL_CERTPROBLEM:
		return "; check OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE and "
		       "OTEL_EXPORTER_OTLP_CLIENT_KEY";
	case CURLE_SSL_CONNECT_ERROR:
		return "; if it is a receiver without TLS, its URL begins with http://";
	case CURLE_UNSUPPORTED_PROTOCOL:
	case CURLE_WEIRD_SERVER_REPLY:
		return "; its port for OTLP over HTTP is 4318 as a rule, and 4317 is that of "
		       "gRPC";
	default:
		return "";
	}
}

/* Certificates that are refused, ours or the receiver's. */
static int is_lasting(CURLcode result)
{
	return result == CURLE_PEER_FAILED_VERIFICATION || result == CURLE_SSL_CERTPROBLEM ||
	       result == CURLE_SSL_CACERT_BADFILE || result == CURLE_SSL_ISSUER_ERROR;
}

/* Something answered, but not in HTTP. */
static int is_no_http(CURLcode result)
{
	return result == CURLE_UNSUPPORTED_PROTOCOL || result == CURLE_WEIRD_SERVER_REPLY ||
	       result == CURLE_WRITE_ERROR;
}

/* libcurl's sentence has all of the proxy's URL, also a password. */
static int is_wrong_proxy(const struct http_request *request)
{
	return strstr(request->problem, "proxy s") && strchr(request->problem, '\'');
}

static int has_no_descriptor(const struct http_request *request)
{
	return request->socket_error == EMFILE || request->socket_error == ENFILE;
}

/* The fault is not the receiver's. */
static void read_socket_error(struct http_reply *reply, int error)
{
	reply->verdict = HTTP_RETRY;
	reply->trouble = TROUBLE_SOCKET;
	reply->fix = "; raise the limit of open files (ulimit -n, LimitNOFILE=)";
	snprintf(reply->reason, sizeof(reply->reason), "no socket can be opened: %s",
		 strerror(error));
}

static void read_error(struct http_reply *reply, const struct http_request *request,
		       CURLcode result)
{
	reply->verdict = is_no_http(result) ? HTTP_REFUSED : HTTP_RETRY;
	reply->is_lasting = is_lasting(result);
	reply->trouble = TROUBLE_CURL + (unsigned int)result;
	reply->fix = fix_of_error(request, result);
	if (is_wrong_proxy(request))
		reply->fix = "; correct http_proxy, https_proxy or all_proxy";
	snprintf(reply->reason, sizeof(reply->reason), "%s",
		 is_wrong_proxy(request) ? "its proxy is no URL that libcurl knows" :
		 is_no_http(result)  ? "its answer is not HTTP" :
		 request->problem[0] ? request->problem :
				       curl.easy_strerror(result));
}

void http_reply_read(struct http_reply *reply, struct http_request *request,
		     CURLcode result)
{
	long status = 0;

	*reply = (struct http_reply){ .fix = "" };
	curl.easy_getinfo(request->easy, CURLINFO_RESPONSE_CODE, &status);
	if (status / 100 == 2)
		read_success(reply, request, result);
	else if (status >= 300)
		read_status(reply, request, status);
	else if (result == CURLE_COULDNT_CONNECT && has_no_descriptor(request))
		read_socket_error(reply, request->socket_error);
	else
		read_error(reply, request, result ? result : CURLE_WEIRD_SERVER_REPLY);
}

/* Reports trouble with a receiver, each kind once in a while. */

#define SILENCE (SENDER_SILENCE * INT64_C(1000000000))

/* The place of a kind, or of the one that is forgotten for it. */
static unsigned int place_of(const struct send_troubles *troubles, unsigned int kind)
{
	unsigned int oldest = 0;

	for (unsigned int i = 0; i < troubles->count; i++) {
		if (troubles->reported[i].kind == kind)
			return i;
		if (troubles->reported[i].at < troubles->reported[oldest].at)
			oldest = i;
	}
	return troubles->count < TROUBLES_MAX ? troubles->count : oldest;
}

static int is_known(const struct send_troubles *troubles, unsigned int kind, int64_t now)
{
	const unsigned int at = place_of(troubles, kind);

	return at < troubles->count && troubles->reported[at].kind == kind &&
	       now - troubles->reported[at].at < SILENCE;
}

static int is_new(struct send_troubles *troubles, unsigned int kind, int64_t now)
{
	const unsigned int at = place_of(troubles, kind);

	if (is_known(troubles, kind, now))
		return 0;
	troubles->reported[at].kind = kind;
	troubles->reported[at].at = now;
	if (at == troubles->count)
		troubles->count++;
	return 1;
}

static const char *what_follows(enum send_step step, uint64_t items)
{
	static const char *const texts[] = {
		[SEND_AGAIN] = "userevents tries again",
		[SEND_GAVE_UP] = "userevents gave up, and counts what is lost",
		[SEND_LOST] = "they are lost",
		[SEND_WENT_ON] = "userevents takes it for success",
	};

	return step == SEND_LOST && items == 1 ? "it is lost" : texts[step];
}

static const char *trouble_noun(uint64_t items)
{
	return items == 1 ? "item" : "items";
}

static void report_trouble(const struct receiver *receiver,
			   const struct http_reply *reply,
			   enum send_step step, uint64_t items)
{
	if (step == SEND_LOST)
		message("cannot deliver %llu %s to %s: %s; %s%s",
			(unsigned long long)items, trouble_noun(items), receiver->shown,
			reply->reason, what_follows(step, items), reply->fix);
	else if (reply->trouble == TROUBLE_PARTIAL)
		message("%s took a part: %s", receiver->shown, reply->reason);
	else
		message("cannot %s %s: %s; %s%s",
			step == SEND_WENT_ON ? "understand" : "send to", receiver->shown,
			reply->reason, what_follows(step, items), reply->fix);
}

/* Giving up is another sentence than trying again, for the same reason. */
#define GAVE_UP 0x10000u

static unsigned int kind_of(const struct http_reply *reply, enum send_step step)
{
	return reply->trouble | (step == SEND_GAVE_UP ? GAVE_UP : 0);
}

int troubles_tell(const struct send_troubles *troubles, const struct http_reply *reply,
		  enum send_step step)
{
	return reply->trouble >= TROUBLE_SOCKET && troubles->failing_since &&
	       is_known(troubles, kind_of(reply, step), clock_now(CLOCK_MONOTONIC));
}

void troubles_report(struct send_troubles *troubles, const struct receiver *receiver,
		     const struct http_reply *reply, enum send_step step, uint64_t items)
{
	const int64_t now = clock_now(CLOCK_MONOTONIC);

	if (!is_new(troubles, kind_of(reply, step), now))
		return;
	if (!troubles->failing_since && (step == SEND_AGAIN || step == SEND_GAVE_UP))
		troubles->failing_since = now;
	report_trouble(receiver, reply, step, items);
}

void troubles_end(struct send_troubles *troubles, const struct receiver *receiver)
{
	if (!troubles->failing_since)
		return;
	message("%s takes events again, after %lld s.", receiver->shown,
		(long long)(clock_now(CLOCK_MONOTONIC) - troubles->failing_since) /
			1000000000);
	troubles->failing_since = 0;
}

void troubles_report_queue(struct send_troubles *troubles,
			   const struct receiver *receiver, uint64_t items, uint64_t room)
{
	if (is_new(troubles, TROUBLE_QUEUE, clock_now(CLOCK_MONOTONIC)))
		message("cannot queue %llu %s for %s: %llu KiB wait already; %s, "
			"and what follows is until the receiver is faster",
			(unsigned long long)items, trouble_noun(items), receiver->shown,
			(unsigned long long)(room >> 10), what_follows(SEND_LOST, items));
}

void troubles_report_thread(struct send_troubles *troubles, int error)
{
	if (is_new(troubles, TROUBLE_THREAD, clock_now(CLOCK_MONOTONIC)))
		message("cannot send: no thread can be started: %s; events are lost; "
			"raise the limit of threads", strerror(error));
}
