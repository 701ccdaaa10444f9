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

/* Filling in a member; each answers whether there is anything to show. */

static int number(struct ue__meta_member *member, const char *name, uint64_t value)
{
	member->name = name;
	member->kind = UE__META_NUMBER;
	member->number = value;
	return 1;
}

static int nonzero(struct ue__meta_member *member, const char *name, uint64_t value)
{
	return value ? number(member, name, value) : 0;
}

static int hex(struct ue__meta_member *member, const char *name, uint64_t value)
{
	member->name = name;
	member->kind = UE__META_HEX;
	member->number = value;
	return 1;
}

static int uuid(struct ue__meta_member *member, const char *name,
		const uint8_t *bytes)
{
	member->name = name;
	member->kind = UE__META_UUID;
	member->text = bytes;
	return bytes != NULL;
}

static int text(struct ue__meta_member *member, const char *name, const char *bytes,
		size_t length)
{
	member->name = name;
	member->kind = UE__META_TEXT;
	member->text = bytes;
	member->length = length;
	return 1;
}

static int clock_time(struct ue__meta_member *member,
		      const struct ue_sample *sample)
{
	member->name = "time";
	member->kind = sample->is_wall_clock ? UE__META_WALL_CLOCK : UE__META_CLOCK;
	return 1;
}

static int take_sample(uint32_t bit, const struct ue_sample *sample,
		       struct ue__meta_member *member)
{
	switch (bit) {
	case UE_META_TIME:
		return clock_time(member, sample);
	case UE_META_CPU:
		return number(member, "cpu", sample->cpu);
	case UE_META_PID:
		return number(member, "pid", sample->pid);
	default:
		return number(member, "tid", sample->tid);
	}
}

static int take(uint32_t bit, const struct ue_event_info *info,
		struct ue__meta_member *member)
{
	switch (bit) {
	case UE_META_PROVIDER:
		return text(member, "provider", info->provider,
			    info->provider_length);
	case UE_META_EVENT:
		return text(member, "event", info->name, info->name_length);
	case UE_META_ID:
		return nonzero(member, "id", info->id);
	case UE_META_VERSION:
		return nonzero(member, "version", info->version);
	case UE_META_LEVEL:
		return nonzero(member, "level", info->level);
	case UE_META_KEYWORD:
		return info->keyword ? hex(member, "keyword", info->keyword) : 0;
	case UE_META_OPCODE:
		return nonzero(member, "opcode", info->opcode);
	case UE_META_TAG:
		return info->tag ? hex(member, "tag", info->tag) : 0;
	case UE_META_ACTIVITY:
		return uuid(member, "activity", info->activity_id);
	case UE_META_RELATED_ACTIVITY:
		return uuid(member, "relatedActivity", info->related_id);
	case UE_META_OPTIONS:
		return info->options_length ? text(member, "options",
						   info->options,
						   info->options_length) : 0;
	default:
		return hex(member, "flags", info->flags);
	}
}

int ue__meta_next(const struct ue__render *render, const struct ue_reader *reader,
		  uint32_t *position, struct ue__meta_member *member)
{
	static const uint32_t order[] = {
		UE_META_TIME,	  UE_META_CPU,
		UE_META_PID,	  UE_META_TID,
		UE_META_PROVIDER, UE_META_EVENT,
		UE_META_ID,	  UE_META_VERSION,
		UE_META_LEVEL,	  UE_META_KEYWORD,
		UE_META_OPCODE,	  UE_META_TAG,
		UE_META_ACTIVITY, UE_META_RELATED_ACTIVITY,
		UE_META_OPTIONS,  UE_META_FLAGS,
	};

	while (*position < sizeof(order) / sizeof(order[0])) {
		uint32_t bit = order[(*position)++];

		if (!(render->meta & bit))
			continue;
		if (bit & META_SAMPLE ?
			    take_sample(bit, render->sample, member) :
			    reader->info.name && take(bit, &reader->info, member))
			return 1;
	}
	return 0;
}
