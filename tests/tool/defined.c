/* SPDX-License-Identifier: MIT */
/*
 * A program, or shared object, that is listed but never runs: it needs no library. The
 * address of its event "visible" comes from the symbol in a shared object.
 */
#include <userevents/eventheader_event.h>
#include <userevents/userevents.h>

UE_EVENT(classic, UE_U32(status), UE_STRING(path));
UE_EVENT_FLAGS(UE_EVENT_PERSIST | UE_EVENT_MULTI_FORMAT, lasting, UE_U64(number));
UE_PROVIDER(shop, "My_Shop", "web");
UE_TRACEPOINT(orders, shop, UE_LEVEL_WARNING, 0x8000000000000001);

struct ue_event visible = UE_EVENT_INIT(visible, "visible  u8 number;s8 other;");
static struct ue_event *listed UE__LISTED = &visible;

int main(void)
{
	return 0;
}
