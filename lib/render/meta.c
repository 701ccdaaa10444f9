/* SPDX-License-Identifier: MIT */
/*
 * Write the member "meta": properties of an event other than its fields. In nested JSON
 * they are members of the event itself.
 */
#define _GNU_SOURCE
#include <string.h>

#include "render.h"

/* The time of the sample */

static char *put_nanoseconds(char *at, uint32_t nanoseconds)
{
	*at = '.';
	at[9] = (char)('0' + nanoseconds % 10);
	nanoseconds /= 10;
	for (int i = 7; i > 0; i -= 2, nanoseconds /= 100)
		ue__put_two(at + i, nanoseconds % 100);
	return at + 10;
}

#define SECOND 1000000000

/* A time since 1970 is a date in UTC, rounded down. */
static char *put_date(char *at, int64_t time)
{
	int64_t seconds = time / SECOND;
	int64_t rest = time % SECOND;

	if (rest < 0) {
		rest += SECOND;
		seconds--;
	}
	at = put_nanoseconds(ue__put_time(at, seconds), (uint32_t)rest);
	*at++ = 'Z';
	return at;
}

/* A time since any other moment is in seconds. */
static char *put_seconds(char *at, int64_t time)
{
	uint64_t size = time < 0 ? 0 - (uint64_t)time : (uint64_t)time;

	*at = '-';
	at = ue__put_decimal(at + (time < 0), size / SECOND);
	return put_nanoseconds(at, (uint32_t)(size % SECOND));
}

/*
 * Members. Those of the sample fit the room at once, and so do those of the header with
 * the flags: functions take a cursor in the room and return the one after their
 * text.
 */

static inline char *quote(const struct ue__render *render, char *at)
{
	return ue__put_mark(at, &render->form->quote);
}

static char *put_hex(struct ue__render *render, char *at, const struct ue__name *name,
		     uint64_t number)
{
	at = quote(render, ue__key(render, at, name));
	return quote(render, ue__put_hex(at, number));
}

static char *put_uuid(struct ue__render *render, char *at, const struct ue__name *name,
		      const uint8_t *uuid)
{
	at = quote(render, ue__key(render, at, name));
	return quote(render, ue__put_uuid(at, uuid));
}

static char *put_time(struct ue__render *render, char *at)
{
	int64_t time = render->sample->time;

	at = ue__key(render, at, UE__NAME("time"));
	if (!render->sample->is_wall_clock)
		return put_seconds(at, time);
	return quote(render, put_date(quote(render, at), time));
}

/* Text of any length; begins and ends in room of its own. */
static char *put_text(struct ue__render *render, char *at, const struct ue__name *name,
		      const char *text, size_t length)
{
	ue__bytes_used(&render->bytes, at);
	at = ue__key(render, ue__bytes_room(&render->bytes), name);
	ue__bytes_used(&render->bytes, ue__put_word(render, at, text, length));
	return ue__bytes_room(&render->bytes);
}

static char *put_sample(struct ue__render *render, char *at)
{
	const struct ue_sample *sample = render->sample;

	if (render->meta & UE_META_TIME)
		at = put_time(render, at);
	if (render->meta & UE_META_CPU)
		at = ue__put_number(render, at, UE__NAME("cpu"), sample->cpu);
	if (render->meta & UE_META_PID)
		at = ue__put_number(render, at, UE__NAME("pid"), sample->pid);
	if (render->meta & UE_META_TID)
		at = ue__put_number(render, at, UE__NAME("tid"), sample->tid);
	if (render->meta & UE_META_COMM)
		at = put_text(render, at, UE__NAME("comm"), sample->comm,
			      strlen(sample->comm));
	if (render->meta & UE_META_CGROUP)
		at = put_text(render, at, UE__NAME("cgroup"), sample->cgroup,
			      strlen(sample->cgroup));
	if (render->meta & UE_META_LOST && sample->lost)
		at = ue__put_number(render, at, UE__NAME("lost"), sample->lost);
	return at;
}

/* Flat JSON must not pay for unneeded work. */
#define APART __attribute__((noinline))

/* Names for readers of text; JSON is for programs, and keeps the numbers. */

static APART const char *level_name(uint8_t level)
{
	static const char *const names[] = {
		[UE_LEVEL_CRITICAL_ERROR] = "critical",
		[UE_LEVEL_ERROR] = "error",
		[UE_LEVEL_WARNING] = "warning",
		[UE_LEVEL_INFORMATION] = "info",
		[UE_LEVEL_VERBOSE] = "verbose",
	};

	return level < sizeof(names) / sizeof(names[0]) ? names[level] : NULL;
}

static APART const char *opcode_name(uint8_t opcode)
{
	static const char *const names[] = {
		[UE_OPCODE_ACTIVITY_START] = "start",
		[UE_OPCODE_ACTIVITY_STOP] = "stop",
		[UE_OPCODE_COLLECTION_START] = "collection_start",
		[UE_OPCODE_COLLECTION_STOP] = "collection_stop",
		[UE_OPCODE_EXTENSION] = "extension",
		[UE_OPCODE_REPLY] = "reply",
		[UE_OPCODE_RESUME] = "resume",
		[UE_OPCODE_SUSPEND] = "suspend",
		[UE_OPCODE_SEND] = "send",
	};

	if (opcode == UE_OPCODE_RECEIVE)
		return "receive";
	return opcode < sizeof(names) / sizeof(names[0]) ? names[opcode] : NULL;
}

static APART char *put_code_name(struct ue__render *render, char *at,
				 const struct ue__name *key, uint8_t code,
				 const char *name)
{
	return name ? stpcpy(ue__key(render, at, key), name) :
		      ue__put_number(render, at, key, code);
}

static inline char *put_level(struct ue__render *render, char *at, uint8_t level)
{
	if (render->form->is_json)
		return ue__put_number(render, at, UE__NAME("level"), level);
	return put_code_name(render, at, UE__NAME("level"), level, level_name(level));
}

static inline char *put_opcode(struct ue__render *render, char *at, uint8_t opcode)
{
	if (render->form->is_json)
		return ue__put_number(render, at, UE__NAME("opcode"), opcode);
	return put_code_name(render, at, UE__NAME("opcode"), opcode, opcode_name(opcode));
}

static char *put_header(struct ue__render *render, char *at,
			const struct ue_event_info *info)
{
	if (render->meta & UE_META_ID && info->id)
		at = ue__put_number(render, at, UE__NAME("id"), info->id);
	if (render->meta & UE_META_VERSION && info->version)
		at = ue__put_number(render, at, UE__NAME("version"), info->version);
	if (render->meta & UE_META_LEVEL && info->level)
		at = put_level(render, at, info->level);
	if (render->meta & UE_META_KEYWORD && info->keyword)
		at = put_hex(render, at, UE__NAME("keyword"), info->keyword);
	if (render->meta & UE_META_OPCODE && info->opcode)
		at = put_opcode(render, at, info->opcode);
	if (render->meta & UE_META_TAG && info->tag)
		at = put_hex(render, at, UE__NAME("tag"), info->tag);
	if (render->meta & UE_META_ACTIVITY && info->activity_id)
		at = put_uuid(render, at, UE__NAME("activity"), info->activity_id);
	if (render->meta & UE_META_RELATED_ACTIVITY && info->related_id)
		at = put_uuid(render, at, UE__NAME("relatedActivity"), info->related_id);
	return at;
}

static inline char *put_names(struct ue__render *render, char *at,
			      const struct ue_event_info *info)
{
	if (render->meta & UE_META_PROVIDER)
		at = put_text(render, at, UE__NAME("provider"), info->provider,
			      info->provider_length);
	if (render->meta & UE_META_EVENT)
		at = put_text(render, at, UE__NAME("event"), info->name,
			      info->name_length);
	return at;
}

/* The event has been begun. */
static char *put_info(struct ue__render *render, char *at,
		      const struct ue_event_info *info)
{
	if (!render->is_nested)
		at = put_names(render, at, info);
	at = put_header(render, at, info);
	if (render->meta & UE_META_OPTIONS && info->options_length)
		at = put_text(render, at, UE__NAME("options"), info->options,
			      info->options_length);
	if (render->meta & UE_META_FLAGS)
		at = put_hex(render, at, UE__NAME("flags"), info->flags);
	return at;
}

static char *put_error(struct ue__render *render, char *at,
		       const struct ue_eventheader_error *error)
{
	struct ue__bytes *bytes = &render->bytes;

	ue__open_bracket(render, ue__key(render, at, UE__NAME("error")), '{');
	at = put_text(render, ue__bytes_room(bytes), UE__NAME("name"), error->name,
		      strlen(error->name));
	at = ue__put_number(render, at, UE__NAME("offset"), (int64_t)error->offset);
	at = put_text(render, at, UE__NAME("reason"), error->reason,
		      strlen(error->reason));
	ue__bytes_used(bytes, at);
	ue__close_bracket(render, '}');
	return ue__bytes_room(bytes);
}

#define META_OF_SAMPLE                                                        \
	(UE_META_TIME | UE_META_CPU | UE_META_PID | UE_META_TID | UE_META_COMM | \
	 UE_META_LOST | UE_META_CGROUP)
#define META_OUTSIDE (UE_META_N | UE_META_COMMON | UE_META_NONE)

/* An event that could not be begun has the name of its tracepoint alone. */
static APART char *put_nested_names(struct ue__render *render, char *at,
				    const struct ue_event_info *info)
{
	const uint32_t both = UE_META_PROVIDER | UE_META_EVENT;
	struct ue_event_info proper = *info;

	if (!info->name)
		return render->meta & UE_META_N ?
			       put_text(render, at, UE__NAME("event"), info->tracepoint,
					info->tracepoint_length) : at;
	if (!(render->meta & UE_META_EVENT))
		proper.name_length = info->name_proper_length;
	if (render->meta & UE_META_N)
		render->meta |= both;
	return put_names(render, at, &proper);
}

void ue__put_meta(struct ue__render *render, const struct ue_event_info *info,
		  const struct ue_eventheader_error *error)
{
	char *at = ue__bytes_room(&render->bytes);

	if (render->is_nested) {
		at = put_nested_names(render, at, info);
	} else {
		if (!(render->meta & ~META_OUTSIDE) && !error->error)
			return;
		ue__open_bracket(render, ue__key(render, at, UE__NAME("meta")), '{');
		at = ue__bytes_room(&render->bytes);
	}
	if (render->meta & META_OF_SAMPLE) {
		ue__bytes_used(&render->bytes, put_sample(render, at));
		at = ue__bytes_room(&render->bytes);
	}
	if (info->name)
		at = put_info(render, at, info);
	if (error->error && !render->is_nested)
		at = put_error(render, at, error);
	ue__bytes_used(&render->bytes, at);
	if (!render->is_nested)
		ue__close_bracket(render, '}');
}

void ue__put_nested_error(struct ue__render *render,
			  const struct ue_eventheader_error *error)
{
	char *at = ue__bytes_room(&render->bytes);

	if (error->error)
		ue__bytes_used(&render->bytes, put_error(render, at, error));
}
