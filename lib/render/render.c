/* SPDX-License-Identifier: MIT */
/*
 * Begin to render: check the options. Also tokens that event.c and meta.c share.
 */
#include <errno.h>

#include "render.h"
#include "util/number_text.h"
#include "util/sized_struct.h"

#define FLAGS (UE_RENDER_NAME | UE_RENDER_SPACE | UE_RENDER_TAGS | UE_RENDER_ESCAPE)
#define META_SAMPLE \
	(UE_META_TIME | UE_META_CPU | UE_META_PID | UE_META_TID | UE_META_COMMON)
#define META_KNOWN                                                             \
	(UE_META_DEFAULT | UE_META_PROVIDER | UE_META_EVENT | UE_META_OPTIONS | \
	 UE_META_FLAGS | UE_META_COMMON)

static int check_sample(const struct ue_sample *sample)
{
	if (sample->size < sizeof(*sample))
		return -EINVAL;
	if (ue__has_tail(sample, sizeof(*sample), sample->size))
		return -E2BIG;
	return sample->present & ~META_SAMPLE || sample->spare ? -EINVAL : 0;
}

/* Callers that were built before there was an error are served without. */
#define FIRST_SIZE offsetof(struct ue_render_opts, error)

static int check_opts(const struct ue_render_opts *opts)
{
	if (opts->size < FIRST_SIZE)
		return -EINVAL;
	if (ue__has_tail(opts, sizeof(*opts), opts->size))
		return -E2BIG;
	if (opts->flags & ~FLAGS)
		return -EINVAL;
	if (opts->meta & ~META_KNOWN && opts->meta != UE_META_NONE)
		return -EINVAL;
	return opts->sample ? check_sample(opts->sample) : 0;
}

int ue__render_begin(struct ue__render *render, const struct ue_render_opts *opts,
		     char *out, size_t size, const struct ue__form *form)
{
	int result = opts ? check_opts(opts) : 0;

	if (result)
		return result;
	render->flags = opts ? opts->flags : UE_RENDER_TAGS;
	render->meta = opts && opts->meta ? opts->meta : UE_META_DEFAULT;
	render->sample = opts ? opts->sample : NULL;
	render->error = opts && opts->size >= sizeof(*opts) ? opts->error : NULL;
	render->meta &= ~(META_SAMPLE & ~(render->sample ?
						  render->sample->present :
						  0));
	render->form = form;
	if (render->flags & UE_RENDER_SPACE && form->spaced)
		render->form = form->spaced;
	render->is_first = 1;
	render->is_nameless = 0;
	render->is_event = 0;
	ue__bytes_begin(&render->bytes, out, size);
	return 0;
}

char *ue__put_tag(char *at, uint16_t tag)
{
	memcpy(at, ";tag=", 5);
	return ue__put_hex(at + 5, tag);
}

char *ue__put_number(struct ue__render *render, char *at, const struct ue__name *name,
		     int64_t number)
{
	return ue__put_signed(ue__key(render, at, name), number);
}
