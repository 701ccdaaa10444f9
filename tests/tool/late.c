/* SPDX-License-Identifier: MIT */
/*
 * Has five events, and registers none. Two are malformed, so that nothing can, and one has
 * the struct of an earlier version, without its last member.
 */
#include <userevents/eventheader_event.h>
#include <userevents/userevents.h>

UE_EVENT(late, UE_U32(number));
UE_PROVIDER(late_provider, "late_provider");
UE_TRACEPOINT(late_tracepoint, late_provider, UE_LEVEL_ERROR, 0x12);

static struct ue_event malformed = UE_EVENT_INIT(malformed, "malformed u31 number");
static struct ue_event *listed UE__LISTED = &malformed;

static const struct ue_tracepoint_parts high_parts = {
	.provider = "high_level", .keyword = 1, .level = 0x104,
};
static char high_text[UE__TRACEPOINT_TEXT];
static struct ue_event high = UE__EVENT_INIT(&high.ue__own_word, high_text, 0, 0, &high_parts);
static struct ue_event *listed_high UE__LISTED = &high;

static struct ue_event older = UE_EVENT_INIT(older, "older u32 number");
static struct ue_event *listed_older UE__LISTED = &older;

__attribute__((constructor)) static void make_older(void)
{
	older.size = offsetof(struct ue_event, ue__write_call);
}
