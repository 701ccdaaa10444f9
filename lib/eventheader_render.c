/* SPDX-License-Identifier: MIT */
/*
 * Options of rendering, and the members of "meta".
 */
#include <errno.h>
#include <string.h>

#include "eventheader_render.h"
#include "number_text.h"

#define FLAGS (UE_RENDER_NAME | UE_RENDER_SPACE | UE_RENDER_TAGS | UE_RENDER_ESCAPE)
#define META_SAMPLE \
	(UE_META_TIME | UE_META_CPU | UE_META_PID | UE_META_TID | UE_META_COMMON)
#define META_KNOWN                                                             \
	(UE_META_DEFAULT | UE_META_PROVIDER | UE_META_EVENT | UE_META_OPTIONS | \
	 UE_META_FLAGS | UE_META_COMMON)
/* Bits of UE_META_DEFAULT that mean nothing yet. */
#define META_SPARE 0xe000u
#define META_IN_META (META_KNOWN & ~(UE_META_N | UE_META_COMMON | META_SPARE))

static int has_tail(const void *opts, size_t size, size_t known)
{
	const char *bytes = opts;

	for (size_t i = known; i < size; i++)
		if (bytes[i])
			return 1;
	return 0;
}

static int check_sample(const struct ue_sample *sample)
{
	if (sample->size < sizeof(*sample))
		return -EINVAL;
	if (has_tail(sample, sample->size, sizeof(*sample)))
		return -E2BIG;
	return sample->present & ~META_SAMPLE || sample->spare ? -EINVAL : 0;
}

static int check_opts(const struct ue_render_opts *opts)
{
	if (opts->size < sizeof(*opts))
		return -EINVAL;
	if (has_tail(opts, opts->size, sizeof(*opts)))
		return -E2BIG;
	if (opts->flags & ~FLAGS)
		return -EINVAL;
	if (opts->meta & ~META_KNOWN && opts->meta != UE_META_NONE)
		return -EINVAL;
	return opts->sample ? check_sample(opts->sample) : 0;
}

int ue__render_begin(struct ue__render *render, const struct ue_render_opts *opts,
		     char *out, size_t size)
{
	int result = opts ? check_opts(opts) : 0;

	if (result)
		return result;
	render->flags = opts ? opts->flags : UE_RENDER_TAGS;
	render->meta = opts && opts->meta ? opts->meta : UE_META_DEFAULT;
	render->sample = opts ? opts->sample : NULL;
	render->meta &= ~(META_SAMPLE & ~(render->sample ?
						  render->sample->present :
						  0));
	ue__bytes_begin(&render->bytes, out, size);
	return 0;
}

char *ue__put_tag(char *at, uint16_t tag)
{
	memcpy(at, ";tag=", 5);
	return ue__put_hex(at + 5, tag);
}

static char *put_nanoseconds(char *at, uint32_t nanoseconds)
{
	*at = '.';
	for (int i = 9; i > 0; i--, nanoseconds /= 10)
		at[i] = (char)('0' + nanoseconds % 10);
	return at + 10;
}

#define SECOND 1000000000

char *ue__put_sample_time(char *at, const struct ue_sample *sample)
{
	int64_t seconds = sample->time / SECOND;
	int64_t rest = sample->time % SECOND;

	if (sample->is_wall_clock) {
		if (rest < 0) {
			rest += SECOND;
			seconds--;
		}
		at = put_nanoseconds(ue__put_time(at, seconds), (uint32_t)rest);
		*at++ = 'Z';
		return at;
	}
	if (sample->time < 0)
		*at++ = '-';
	at = ue__put_decimal(at, (uint64_t)(seconds < 0 ? -seconds : seconds));
	return put_nanoseconds(at, (uint32_t)(rest < 0 ? -rest : rest));
}

int ue__has_meta(const struct ue__render *render, const struct ue_reader *reader)
{
	return render->meta & (META_IN_META | META_SPARE | META_SAMPLE) ||
	       reader->error.error;
}

#define NAME(text) { "\"" text "\":", sizeof(text) + 2 }

const struct ue__name ue__meta_names[UE__META_END] = {
	[UE__META_TIME] = NAME("time"),
	[UE__META_CPU] = NAME("cpu"),
	[UE__META_PID] = NAME("pid"),
	[UE__META_TID] = NAME("tid"),
	[UE__META_PROVIDER] = NAME("provider"),
	[UE__META_EVENT] = NAME("event"),
	[UE__META_ID] = NAME("id"),
	[UE__META_VERSION] = NAME("version"),
	[UE__META_LEVEL] = NAME("level"),
	[UE__META_KEYWORD] = NAME("keyword"),
	[UE__META_OPCODE] = NAME("opcode"),
	[UE__META_TAG] = NAME("tag"),
	[UE__META_ACTIVITY] = NAME("activity"),
	[UE__META_RELATED_ACTIVITY] = NAME("relatedActivity"),
	[UE__META_OPTIONS] = NAME("options"),
	[UE__META_FLAGS] = NAME("flags"),
};

/* The bits of UE_META_* in the order in which they are shown. */
static uint32_t in_order(uint32_t meta)
{
	uint32_t sample = meta / UE_META_TIME & 15;
	uint32_t names = meta / UE_META_PROVIDER & 3;
	uint32_t header = meta / UE_META_ID & 255;
	uint32_t last = meta / UE_META_OPTIONS & 3;

	return sample << UE__META_TIME | names << UE__META_PROVIDER |
	       header << UE__META_ID | last << UE__META_OPTIONS;
}

/* What every event that was begun has, and of the others what this one has. */
static uint32_t present(const struct ue_event_info *info)
{
	return 1u << UE__META_PROVIDER | 1u << UE__META_EVENT |
	       1u << UE__META_FLAGS | (uint32_t)!!info->id << UE__META_ID |
	       (uint32_t)!!info->version << UE__META_VERSION |
	       (uint32_t)!!info->level << UE__META_LEVEL |
	       (uint32_t)!!info->keyword << UE__META_KEYWORD |
	       (uint32_t)!!info->opcode << UE__META_OPCODE |
	       (uint32_t)!!info->tag << UE__META_TAG |
	       (uint32_t)!!info->activity_id << UE__META_ACTIVITY |
	       (uint32_t)!!info->related_id << UE__META_RELATED_ACTIVITY |
	       (uint32_t)!!info->options_length << UE__META_OPTIONS;
}

uint32_t ue__meta_shown(const struct ue__render *render,
			const struct ue_reader *reader)
{
	uint32_t sample = (1u << UE__META_PROVIDER) - 1;

	return in_order(render->meta) &
	       (sample | (reader->info.name ? present(&reader->info) : 0));
}

static enum ue__meta_kind text(struct ue__meta_value *value, const void *bytes,
			       size_t length)
{
	value->text = bytes;
	value->length = length;
	return UE__META_TEXT;
}

static enum ue__meta_kind uuid(struct ue__meta_value *value, const uint8_t *bytes)
{
	value->text = bytes;
	return UE__META_UUID;
}

static enum ue__meta_kind number(struct ue__meta_value *value, uint64_t number)
{
	value->number = number;
	return UE__META_NUMBER;
}

static enum ue__meta_kind hex(struct ue__meta_value *value, uint64_t number)
{
	value->number = number;
	return UE__META_HEX;
}

enum ue__meta_kind ue__meta_value(const struct ue__render *render,
				  const struct ue_event_info *info,
				  enum ue__meta member,
				  struct ue__meta_value *value)
{
	switch (member) {
	case UE__META_TIME:
		return UE__META_CLOCK;
	case UE__META_CPU:
		return number(value, render->sample->cpu);
	case UE__META_PID:
		return number(value, render->sample->pid);
	case UE__META_TID:
		return number(value, render->sample->tid);
	case UE__META_PROVIDER:
		return text(value, info->provider, info->provider_length);
	case UE__META_EVENT:
		return text(value, info->name, info->name_length);
	case UE__META_ID:
		return number(value, info->id);
	case UE__META_VERSION:
		return number(value, info->version);
	case UE__META_LEVEL:
		return number(value, info->level);
	case UE__META_KEYWORD:
		return hex(value, info->keyword);
	case UE__META_OPCODE:
		return number(value, info->opcode);
	case UE__META_TAG:
		return hex(value, info->tag);
	case UE__META_ACTIVITY:
		return uuid(value, info->activity_id);
	case UE__META_RELATED_ACTIVITY:
		return uuid(value, info->related_id);
	case UE__META_OPTIONS:
		return text(value, info->options, info->options_length);
	default:
		return hex(value, info->flags);
	}
}
