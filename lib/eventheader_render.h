/* SPDX-License-Identifier: MIT */
/* What text and JSON have in common. */
#ifndef UE__EVENTHEADER_RENDER_H
#define UE__EVENTHEADER_RENDER_H

#include <userevents/eventheader_format.h>

#include "eventheader_value.h"

/* Options, checked and complete. */
struct ue__render {
	struct ue__bytes bytes;
	uint32_t flags;
	uint32_t meta; /* without what the sample lacks */
	const struct ue_sample *sample;
};

/* 0, -EINVAL or -E2BIG. */
int ue__render_begin(struct ue__render *render, const struct ue_render_opts *opts,
		     char *out, size_t size);

/* ";tag=0x12" */
char *ue__put_tag(char *at, uint16_t tag);
/* The time of the sample, which is there. */
char *ue__put_sample_time(char *at, const struct ue_sample *sample);
/* Is there anything to tell in meta? */
int ue__has_meta(const struct ue__render *render, const struct ue_reader *reader);

/* A member of meta. */
struct ue__meta_member {
	const char *name;
	enum { UE__META_NUMBER, UE__META_HEX, UE__META_UUID, UE__META_TEXT,
	       UE__META_CLOCK, UE__META_WALL_CLOCK } kind;
	uint64_t number;
	const void *text;
	size_t length;
};

/*
 * The members to be shown, in order: *position is 0 for the first. 1 with one, 0
 * after the last.
 */
int ue__meta_next(const struct ue__render *render, const struct ue_reader *reader,
		  uint32_t *position, struct ue__meta_member *member);

#endif
