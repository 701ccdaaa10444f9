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
int ue__has_meta(const struct ue__render *render,
		 const struct ue_eventheader_error *error);

/* The members of meta, in order. */
enum ue__meta {
	UE__META_TIME,
	UE__META_CPU,
	UE__META_PID,
	UE__META_TID,
	UE__META_PROVIDER,
	UE__META_EVENT,
	UE__META_ID,
	UE__META_VERSION,
	UE__META_LEVEL,
	UE__META_KEYWORD,
	UE__META_OPCODE,
	UE__META_TAG,
	UE__META_ACTIVITY,
	UE__META_RELATED_ACTIVITY,
	UE__META_OPTIONS,
	UE__META_FLAGS,
	UE__META_END,
};

/* A member's name as "NAME": with its length; long enough to be copied whole. */
struct ue__name {
	char text[24];
	uint8_t length;
};

extern UE__HIDDEN const struct ue__name ue__meta_names[UE__META_END];

enum ue__meta_kind {
	UE__META_NUMBER,
	UE__META_HEX,
	UE__META_UUID,
	UE__META_TEXT,
	UE__META_CLOCK,
};

extern UE__HIDDEN const uint8_t ue__meta_kinds[UE__META_END];

/* What to show of the members that are numbers. */
struct ue__meta_values {
	uint32_t shown; /* which of all members, as bits 1 << enum ue__meta */
	uint64_t numbers[UE__META_END];
};

void ue__meta_values(const struct ue__render *render, const struct ue_event_info *info,
		     struct ue__meta_values *values);

/* Text of a member that is text, and its length. */
const char *ue__meta_text(const struct ue_event_info *info, enum ue__meta member,
			  size_t *length);
const uint8_t *ue__meta_uuid(const struct ue_event_info *info,
			     enum ue__meta member);

/*
 * An event whose fields come from elsewhere than a reader: values, and arrays of
 * values of one size at their begin alone.
 */
struct ue__items {
	struct ue_event_info info;
	struct ue_eventheader_error error;
	/* the kind of the item, or 0 at the end; may set error */
	int (*next)(struct ue__items *items, struct ue_item *item);
};

/* The members of meta that such an event may have. */
#define UE__ITEMS_META                                                             \
	(UE_META_N | UE_META_TIME | UE_META_CPU | UE_META_PID | UE_META_TID |      \
	 UE_META_PROVIDER | UE_META_EVENT | UE_META_COMMON)

ptrdiff_t ue__items_to_json(struct ue__items *items, const struct ue_render_opts *opts,
			    char *out, size_t size);
ptrdiff_t ue__items_to_text(struct ue__items *items, const struct ue_render_opts *opts,
			    char *out, size_t size);

#endif
