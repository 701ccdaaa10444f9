/* SPDX-License-Identifier: MIT */
/*
 * Render a reader's item: check the options, and choose text or JSON.
 */
#include <errno.h>

#include "render.h"
#include "util/sized_struct.h"

#define FLAGS                                                                      \
	(UE_RENDER_NAME | UE_RENDER_SPACE | UE_RENDER_TAGS | UE_RENDER_ESCAPE |    \
	 UE_RENDER_NESTED)
#define META_SAMPLE                                                   \
	(UE_META_TIME | UE_META_CPU | UE_META_PID | UE_META_TID |     \
	 UE_META_COMM | UE_META_LOST | UE_META_CGROUP | UE_META_COMMON)
#define META_KNOWN                                                             \
	(UE_META_DEFAULT | UE_META_PROVIDER | UE_META_EVENT | UE_META_OPTIONS | \
	 UE_META_FLAGS | UE_META_COMMON)

/* Callers that were built before there was a cgroup are served without. */
#define FIRST_SAMPLE_SIZE offsetof(struct ue_sample, cgroup)

static int check_sample(const struct ue_sample *sample)
{
	if (sample->size < FIRST_SAMPLE_SIZE)
		return -EINVAL;
	if (ue__has_tail(sample, sizeof(*sample), sample->size))
		return -E2BIG;
	if (sample->present & ~META_SAMPLE)
		return -EINVAL;
	if (sample->present & UE_META_CGROUP &&
	    (sample->size < UE__SIZE_UP_TO(struct ue_sample, cgroup) || !sample->cgroup))
		return -EINVAL;
	return sample->present & UE_META_COMM && !sample->comm ? -EINVAL : 0;
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
	render->error = opts && opts->size >= UE__SIZE_UP_TO(struct ue_render_opts, error) ?
				opts->error :
				NULL;
	render->meta &= ~(META_SAMPLE & ~(render->sample ?
						  render->sample->present :
						  0));
	render->form = form;
	if (render->flags & UE_RENDER_SPACE && form->spaced)
		render->form = form->spaced;
	render->is_first = 1;
	render->is_nameless = 0;
	render->is_event = 0;
	render->is_nested = form->is_json && render->flags & UE_RENDER_NESTED;
	ue__bytes_begin(&render->bytes, out, size);
	return 0;
}

const struct ue__form ue__text = {
	.separator = UE__MARK(" "),
	.key = UE__MARK(" "),
	.end_key = UE__MARK("="),
	.quoted = UE__QUOTED_IN_TEXT,
};

static const struct ue__form spaced_json = {
	.separator = UE__MARK(", "),
	.key = UE__MARK(", \""),
	.end_key = UE__MARK("\": "),
	.close = UE__MARK(" "),
	.quote = UE__MARK("\""),
	.quoted = UE__QUOTED_IN_JSON,
	.is_json = 1,
};

const struct ue__form ue__json = {
	.spaced = &spaced_json,
	.separator = UE__MARK(","),
	.key = UE__MARK(",\""),
	.end_key = UE__MARK("\":"),
	.quote = UE__MARK("\""),
	.quoted = UE__QUOTED_IN_JSON,
	.is_json = 1,
	.is_compact = 1,
};

UE__PUBLIC ptrdiff_t ue_reader_to_text(struct ue_reader *reader,
				  const struct ue_render_opts *opts, char *out,
				  size_t size)
{
	return ue__render_event(ue__own(reader), opts, out, size, &ue__text);
}

UE__PUBLIC ptrdiff_t ue_reader_to_json(struct ue_reader *reader,
				  const struct ue_render_opts *opts, char *out,
				  size_t size)
{
	return ue__render_event(ue__own(reader), opts, out, size, &ue__json);
}

UE__PUBLIC ptrdiff_t ue_reader_item_to_json(struct ue_reader *public_reader,
				 const struct ue_render_opts *opts, char *out,
				 size_t size)
{
	struct ue__reader *reader = ue__own(public_reader);
	struct ue__render render;
	int result = ue__render_begin(&render, opts, out, size, &ue__json);

	if (result)
		return result;
	if (!ue__reader_is_at_item(reader))
		return -ENOENT;
	render.is_nameless = !(render.flags & UE_RENDER_NAME);
	ue__put_item(&render, reader);
	return (ptrdiff_t)ue__bytes_end(&render.bytes);
}
