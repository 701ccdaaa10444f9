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

int ue__has_meta(const struct ue__render *render,
		 const struct ue_eventheader_error *error)
{
	return render->meta & (META_IN_META | META_SPARE | META_SAMPLE) ||
	       error->error;
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

const uint8_t ue__meta_kinds[UE__META_END] = {
	[UE__META_TIME] = UE__META_CLOCK,
	[UE__META_PROVIDER] = UE__META_TEXT,
	[UE__META_EVENT] = UE__META_TEXT,
	[UE__META_KEYWORD] = UE__META_HEX,
	[UE__META_TAG] = UE__META_HEX,
	[UE__META_ACTIVITY] = UE__META_UUID,
	[UE__META_RELATED_ACTIVITY] = UE__META_UUID,
	[UE__META_OPTIONS] = UE__META_TEXT,
	[UE__META_FLAGS] = UE__META_HEX,
};

/* What every event that was begun has, and of the others what this one has. */
static uint32_t take_info(const struct ue_event_info *info, uint64_t *numbers)
{
	uint32_t present = 1u << UE__META_PROVIDER | 1u << UE__META_EVENT |
			   1u << UE__META_FLAGS;

	numbers[UE__META_ID] = info->id;
	numbers[UE__META_VERSION] = info->version;
	numbers[UE__META_LEVEL] = info->level;
	numbers[UE__META_KEYWORD] = info->keyword;
	numbers[UE__META_OPCODE] = info->opcode;
	numbers[UE__META_TAG] = info->tag;
	numbers[UE__META_FLAGS] = info->flags;
	for (int member = UE__META_ID; member <= UE__META_TAG; member++)
		present |= (uint32_t)!!numbers[member] << member;
	return present | (uint32_t)!!info->activity_id << UE__META_ACTIVITY |
	       (uint32_t)!!info->related_id << UE__META_RELATED_ACTIVITY |
	       (uint32_t)!!info->options_length << UE__META_OPTIONS;
}

void ue__meta_values(const struct ue__render *render, const struct ue_event_info *info,
		     struct ue__meta_values *values)
{
	const struct ue_sample *sample = render->sample;
	uint32_t present = 0;

	if (sample) {
		values->numbers[UE__META_CPU] = sample->cpu;
		values->numbers[UE__META_PID] = sample->pid;
		values->numbers[UE__META_TID] = sample->tid;
		present = (1u << UE__META_PROVIDER) - 1;
	}
	if (info->name)
		present |= take_info(info, values->numbers);
	values->shown = in_order(render->meta) & present;
}

const char *ue__meta_text(const struct ue_event_info *info, enum ue__meta member,
			  size_t *length)
{
	switch (member) {
	case UE__META_PROVIDER:
		*length = info->provider_length;
		return info->provider;
	case UE__META_EVENT:
		*length = info->name_length;
		return info->name;
	default:
		*length = info->options_length;
		return info->options;
	}
}

const uint8_t *ue__meta_uuid(const struct ue_event_info *info, enum ue__meta member)
{
	return member == UE__META_ACTIVITY ? info->activity_id : info->related_id;
}
