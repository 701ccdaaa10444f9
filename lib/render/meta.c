/* SPDX-License-Identifier: MIT */
/*
 * Write the member "meta": properties of an event other than its fields.
 */
#include <string.h>

#include "render.h"
#include "util/number_text.h"

/* The time of the sample */

static char *put_nanoseconds(char *at, uint32_t nanoseconds)
{
	*at = '.';
	for (int i = 9; i > 0; i--, nanoseconds /= 10)
		at[i] = (char)('0' + nanoseconds % 10);
	return at + 10;
}

#define SECOND 1000000000

/* Since 1970: a date in UTC, rounded down. */
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

/* Since whenever: seconds. */
static char *put_seconds(char *at, int64_t time)
{
	uint64_t size = time < 0 ? 0 - (uint64_t)time : (uint64_t)time;

	*at = '-';
	at = ue__put_decimal(at + (time < 0), size / SECOND);
	return put_nanoseconds(at, (uint32_t)(size % SECOND));
}

/* Members; all of them that are neither text nor the error fit the room at once */

#define NAME(member, text) \
	static const struct ue__name name_##member = UE__NAME(text)

NAME(meta, "meta");
NAME(time, "time");
NAME(cpu, "cpu");
NAME(pid, "pid");
NAME(tid, "tid");
NAME(provider, "provider");
NAME(event, "event");
NAME(id, "id");
NAME(version, "version");
NAME(level, "level");
NAME(keyword, "keyword");
NAME(opcode, "opcode");
NAME(tag, "tag");
NAME(activity, "activity");
NAME(related_activity, "relatedActivity");
NAME(options, "options");
NAME(flags, "flags");
NAME(error, "error");
NAME(name, "name");
NAME(offset, "offset");
NAME(reason, "reason");

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

	at = ue__key(render, at, &name_time);
	if (!render->sample->is_wall_clock)
		return put_seconds(at, time);
	return quote(render, put_date(quote(render, at), time));
}

static void put_text(struct ue__render *render, const struct ue__name *name,
		     const char *text, size_t length)
{
	ue__bytes_used(&render->bytes,
		       ue__key(render, ue__bytes_room(&render->bytes), name));
	render->form->put_word(render, text, length);
}

static void put_sample(struct ue__render *render)
{
	const struct ue_sample *sample = render->sample;
	char *at = ue__bytes_room(&render->bytes);

	if (render->meta & UE_META_TIME)
		at = put_time(render, at);
	if (render->meta & UE_META_CPU)
		at = ue__put_number(render, at, &name_cpu, sample->cpu);
	if (render->meta & UE_META_PID)
		at = ue__put_number(render, at, &name_pid, sample->pid);
	if (render->meta & UE_META_TID)
		at = ue__put_number(render, at, &name_tid, sample->tid);
	ue__bytes_used(&render->bytes, at);
}

static void put_header(struct ue__render *render, const struct ue_event_info *info)
{
	char *at = ue__bytes_room(&render->bytes);

	if (render->meta & UE_META_ID && info->id)
		at = ue__put_number(render, at, &name_id, info->id);
	if (render->meta & UE_META_VERSION && info->version)
		at = ue__put_number(render, at, &name_version, info->version);
	if (render->meta & UE_META_LEVEL && info->level)
		at = ue__put_number(render, at, &name_level, info->level);
	if (render->meta & UE_META_KEYWORD && info->keyword)
		at = put_hex(render, at, &name_keyword, info->keyword);
	if (render->meta & UE_META_OPCODE && info->opcode)
		at = ue__put_number(render, at, &name_opcode, info->opcode);
	if (render->meta & UE_META_TAG && info->tag)
		at = put_hex(render, at, &name_tag, info->tag);
	if (render->meta & UE_META_ACTIVITY && info->activity_id)
		at = put_uuid(render, at, &name_activity, info->activity_id);
	if (render->meta & UE_META_RELATED_ACTIVITY && info->related_id)
		at = put_uuid(render, at, &name_related_activity, info->related_id);
	ue__bytes_used(&render->bytes, at);
}

static void put_flags(struct ue__render *render, const struct ue_event_info *info)
{
	ue__bytes_used(&render->bytes,
		       put_hex(render, ue__bytes_room(&render->bytes), &name_flags,
			       info->flags));
}

/* The event has been begun. */
static void put_info(struct ue__render *render, const struct ue_event_info *info)
{
	if (render->meta & UE_META_PROVIDER)
		put_text(render, &name_provider, info->provider,
			 info->provider_length);
	if (render->meta & UE_META_EVENT)
		put_text(render, &name_event, info->name, info->name_length);
	put_header(render, info);
	if (render->meta & UE_META_OPTIONS && info->options_length)
		put_text(render, &name_options, info->options, info->options_length);
	if (render->meta & UE_META_FLAGS)
		put_flags(render, info);
}

static void put_error(struct ue__render *render,
		      const struct ue_eventheader_error *error)
{
	struct ue__bytes *bytes = &render->bytes;

	ue__open_bracket(render, ue__key(render, ue__bytes_room(bytes), &name_error),
			 '{');
	put_text(render, &name_name, error->name, strlen(error->name));
	ue__bytes_used(bytes, ue__put_number(render, ue__bytes_room(bytes),
					     &name_offset, (int64_t)error->offset));
	ue__bytes_used(bytes, ue__key(render, ue__bytes_room(bytes), &name_reason));
	ue__put_string(render, error->reason, strlen(error->reason));
	ue__close_bracket(render, '}');
}

#define META_OF_SAMPLE (UE_META_TIME | UE_META_CPU | UE_META_PID | UE_META_TID)
#define META_OUTSIDE (UE_META_N | UE_META_COMMON | UE_META_NONE)

void ue__put_meta(struct ue__render *render, const struct ue_event_info *info,
		  const struct ue_eventheader_error *error)
{
	if (!(render->meta & ~META_OUTSIDE) && !error->error)
		return;
	ue__open_bracket(render,
			 ue__key(render, ue__bytes_room(&render->bytes), &name_meta),
			 '{');
	if (render->meta & META_OF_SAMPLE)
		put_sample(render);
	if (info->name)
		put_info(render, info);
	if (error->error)
		put_error(render, error);
	ue__close_bracket(render, '}');
}
