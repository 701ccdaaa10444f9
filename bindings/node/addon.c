/* SPDX-License-Identifier: MIT */
/*
 * The calls of libuserevents that session.js makes, by Node-API, which stays compatible over
 * versions of Node. They throw nothing: they return a number, a negative errno on failure.
 *
 * An event belongs to two objects of JavaScript: its handle, and an ArrayBuffer of its word, so that
 * a disabled event costs a load without a call. The event is freed with the latter of both.
 *
 * Records are packed in a buffer that is shared with pack.js: descriptions in its first half, values in
 * its second. Each thread of Node (worker_threads) has its own.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAPI_VERSION 8
#include <node_api.h>
#include <userevents/bindings.h>
#include <userevents/userevents.h>

#define HALF 65536
#define ARGUMENTS_MAX 5

struct session {
	int fd;
};

struct event {
	struct ue_event *event;
	atomic_int owners;
};

struct arguments {
	napi_value values[ARGUMENTS_MAX];
	size_t count;
};

static struct arguments arguments_of(napi_env env, napi_callback_info info)
{
	struct arguments arguments = { .count = ARGUMENTS_MAX };

	napi_get_cb_info(env, info, &arguments.count, arguments.values, NULL, NULL);
	return arguments;
}

static int32_t number_of(napi_env env, napi_value value)
{
	int32_t number = 0;

	napi_get_value_int32(env, value, &number);
	return number;
}

static void *handle_of(napi_env env, napi_value value)
{
	void *handle = NULL;

	napi_get_value_external(env, value, &handle);
	return handle;
}

static int fd_of(napi_env env, napi_value value)
{
	struct session *session = handle_of(env, value);

	return session ? session->fd : -EBADF;
}

/* NULL for a value that is no string, and without memory; to be freed. */
static char *text_of(napi_env env, napi_value value)
{
	size_t length;
	char *text;

	if (napi_get_value_string_utf8(env, value, NULL, 0, &length) != napi_ok)
		return NULL;
	text = malloc(length + 1);
	if (text)
		napi_get_value_string_utf8(env, value, text, length + 1, &length);
	return text;
}

static napi_value from_number(napi_env env, int64_t number)
{
	napi_value value = NULL;

	napi_create_int64(env, number, &value);
	return value;
}

static napi_value from_text(napi_env env, const char *text)
{
	napi_value value = NULL;

	napi_create_string_utf8(env, text, NAPI_AUTO_LENGTH, &value);
	return value;
}

static void end_session(napi_env env, void *data, void *hint)
{
	struct session *session = data;

	(void)env, (void)hint;
	if (session->fd >= 0)
		ue_close(session->fd);
	free(session);
}

static napi_value open_session(napi_env env, const struct ue_open_opts *opts)
{
	struct session *session = malloc(sizeof(*session));
	napi_value handle = NULL;
	int fd;

	if (!session)
		return from_number(env, -ENOMEM);
	session->fd = fd = ue_open(opts);
	if (fd >= 0 && napi_create_external(env, session, end_session, NULL, &handle) == napi_ok)
		return handle;
	end_session(env, session, NULL);
	return from_number(env, fd < 0 ? fd : -ENOMEM);
}

/* open(path, fd): each may be undefined. Returns a handle, or an error. */
static napi_value call_open(napi_env env, napi_callback_info info)
{
	const struct arguments given = arguments_of(env, info);
	struct ue_open_opts opts = { .size = sizeof(opts) };
	char *path = text_of(env, given.values[0]);
	napi_value result;

	opts.path = path;
	if (napi_get_value_int32(env, given.values[1], &opts.fd) == napi_ok)
		opts.flags = UE_OPEN_FD;
	result = open_session(env, &opts);
	free(path);
	return result;
}

/* close(session): its events remain, disabled. */
static napi_value call_close(napi_env env, napi_callback_info info)
{
	const struct arguments given = arguments_of(env, info);
	struct session *session = handle_of(env, given.values[0]);
	int fd = fd_of(env, given.values[0]);

	if (session)
		session->fd = -EBADF;
	return from_number(env, fd < 0 ? fd : ue_close(fd));
}

static napi_value call_payload_max(napi_env env, napi_callback_info info)
{
	const struct arguments given = arguments_of(env, info);

	return from_number(env, ue_payload_max(fd_of(env, given.values[0])));
}

static napi_value call_explain(napi_env env, napi_callback_info info)
{
	const struct arguments given = arguments_of(env, info);

	return from_text(env, ue_explain((enum ue_call)number_of(env, given.values[0]),
					 number_of(env, given.values[1])));
}

static napi_value call_loss_name(napi_env env, napi_callback_info info)
{
	const struct arguments given = arguments_of(env, info);

	return from_text(env, ue_name(UE_NAME_LOSS, number_of(env, given.values[0])));
}

/* check(definition, flags): the fault of a definition, or undefined. */
static napi_value call_check(napi_env env, napi_callback_info info)
{
	const struct arguments given = arguments_of(env, info);
	char *definition = text_of(env, given.values[0]);
	struct ue_definition_error fault;
	napi_value result = NULL;
	char text[256];

	if (definition && ue_definition_check(definition, (uint32_t)number_of(env, given.values[1]),
					      &fault)) {
		snprintf(text, sizeof(text), "byte %zu: %s", fault.offset, fault.reason);
		result = from_text(env, text);
	}
	free(definition);
	return result;
}

static void release_event(napi_env env, void *data, void *hint)
{
	struct event *event = hint;

	(void)env, (void)data;
	if (atomic_fetch_sub(&event->owners, 1) > 1)
		return;
	ue_event_free(event->event);
	free(event);
}

static napi_value handle_of_event(napi_env env, struct ue_event *made)
{
	struct event *event = malloc(sizeof(*event));
	napi_value handle = NULL;

	if (!event) {
		ue_event_free(made);
		return from_number(env, -ENOMEM);
	}
	*event = (struct event){ .event = made, .owners = 1 };
	if (napi_create_external(env, event, release_event, event, &handle) == napi_ok)
		return handle;
	release_event(env, NULL, event);
	return from_number(env, -ENOMEM);
}

/* event(definition, flags): a handle, or an error. */
static napi_value call_event(napi_env env, napi_callback_info info)
{
	const struct arguments given = arguments_of(env, info);
	char *definition = text_of(env, given.values[0]);
	struct ue_event *event = NULL;
	int error = ue_event_new(definition ? definition : "",
				 (uint32_t)number_of(env, given.values[1]), &event);

	free(definition);
	return error < 0 ? from_number(env, error) : handle_of_event(env, event);
}

/* tracepoint(provider, group, level, keyword, flags): a handle, or an error. */
static napi_value call_tracepoint(napi_env env, napi_callback_info info)
{
	const struct arguments given = arguments_of(env, info);
	char *provider = text_of(env, given.values[0]), *group = text_of(env, given.values[1]);
	struct ue_tracepoint *tracepoint = NULL;
	uint64_t keyword = 0;
	bool is_lossless;
	int error;

	napi_get_value_bigint_uint64(env, given.values[3], &keyword, &is_lossless);
	error = ue_tracepoint_new(provider ? provider : "", group,
				  (uint32_t)number_of(env, given.values[2]), keyword,
				  (uint32_t)number_of(env, given.values[4]), &tracepoint);
	free(provider);
	free(group);
	return error < 0 ? from_number(env, error) :
			   handle_of_event(env, ue_tracepoint_event(tracepoint));
}

/* word(event): an ArrayBuffer, or undefined where memory cannot be shared. */
static napi_value call_word(napi_env env, napi_callback_info info)
{
	const struct arguments given = arguments_of(env, info);
	struct event *event = handle_of(env, given.values[0]);
	napi_value word = NULL;

	atomic_fetch_add(&event->owners, 1);
	if (napi_create_external_arraybuffer(env, event->event->word, sizeof(uint32_t),
					     release_event, event, &word) != napi_ok)
		release_event(env, NULL, event);
	return word;
}

/* register(session, event) */
static napi_value call_register(napi_env env, napi_callback_info info)
{
	const struct arguments given = arguments_of(env, info);
	struct event *event = handle_of(env, given.values[1]);

	return from_number(env, ue_register(fd_of(env, given.values[0]), event->event));
}

static napi_value call_enabled(napi_env env, napi_callback_info info)
{
	const struct arguments given = arguments_of(env, info);
	struct event *event = handle_of(env, given.values[0]);
	napi_value result = NULL;

	napi_get_boolean(env, ue_enabled(event->event), &result);
	return result;
}

/* write(session, event, descriptions, values): bytes of each half of the buffer. */
static napi_value call_write(napi_env env, napi_callback_info info)
{
	const struct arguments given = arguments_of(env, info);
	struct event *event = handle_of(env, given.values[1]);
	size_t described = (size_t)number_of(env, given.values[2]);
	size_t size = (size_t)number_of(env, given.values[3]);
	void *data = NULL;
	char *buffer;

	napi_get_instance_data(env, &data);
	buffer = data;
	/* pack.js keeps to less, and beyond it the two would overlap. */
	if (described > HALF || size > HALF - described)
		return from_number(env, ue_event_lost(fd_of(env, given.values[0]), event->event,
						      -EMSGSIZE));
	memcpy(buffer + described, buffer + HALF, size);
	return from_number(env, ue_write(fd_of(env, given.values[0]), event->event, buffer,
					 described + size));
}

/* lost(session, event, error) */
static napi_value call_lost(napi_env env, napi_callback_info info)
{
	const struct arguments given = arguments_of(env, info);
	struct event *event = handle_of(env, given.values[1]);

	return from_number(env, ue_event_lost(fd_of(env, given.values[0]), event->event,
					      number_of(env, given.values[2])));
}

/* losses(session, event, reason): of the event, or of the session if the event is undefined. */
static napi_value call_losses(napi_env env, napi_callback_info info)
{
	const struct arguments given = arguments_of(env, info);
	struct event *event = handle_of(env, given.values[1]);
	enum ue_loss reason = (enum ue_loss)number_of(env, given.values[2]);

	return from_number(env, event ? ue_event_losses(event->event, reason) :
					ue_session_losses(fd_of(env, given.values[0]), reason));
}

/* activity(): writes 16 bytes to the begin of the buffer. */
static napi_value call_activity(napi_env env, napi_callback_info info)
{
	void *buffer = NULL;

	(void)info;
	napi_get_instance_data(env, &buffer);
	return from_number(env, ue_activity_create(buffer));
}

static napi_value call_version(napi_env env, napi_callback_info info)
{
	(void)info;
	return from_number(env, ue_version());
}

static const struct {
	const char *name;
	napi_callback call;
} calls[] = {
	{ "open", call_open },
	{ "close", call_close },
	{ "payloadMax", call_payload_max },
	{ "explain", call_explain },
	{ "lossName", call_loss_name },
	{ "check", call_check },
	{ "event", call_event },
	{ "tracepoint", call_tracepoint },
	{ "word", call_word },
	{ "register", call_register },
	{ "enabled", call_enabled },
	{ "write", call_write },
	{ "lost", call_lost },
	{ "losses", call_losses },
	{ "activity", call_activity },
	{ "version", call_version },
};

/* The buffer lives as long as its ArrayBuffer, which a reference keeps until the thread ends. */
static napi_status share_buffer(napi_env env, napi_value exports)
{
	napi_value shared;
	napi_ref kept;
	void *buffer;
	napi_status status = napi_create_arraybuffer(env, 2 * HALF, &buffer, &shared);

	if (status == napi_ok)
		status = napi_create_reference(env, shared, 1, &kept);
	if (status == napi_ok)
		status = napi_set_instance_data(env, buffer, NULL, NULL);
	if (status == napi_ok)
		status = napi_set_named_property(env, exports, "buffer", shared);
	return status;
}

NAPI_MODULE_INIT()
{
	napi_value function;

	if (share_buffer(env, exports) != napi_ok)
		return NULL;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (napi_create_function(env, calls[i].name, NAPI_AUTO_LENGTH, calls[i].call, NULL,
					 &function) != napi_ok ||
		    napi_set_named_property(env, exports, calls[i].name, function) != napi_ok)
			return NULL;
	}
	return exports;
}
