/* SPDX-License-Identifier: MIT */
/* A program with TPP of LinuxTracepoints. */
#include <stdint.h>
#include <tracepoint/tracepoint-provider.h>

TPP_DEFINE_PROVIDER(Shop);

TPP_FUNCTION(Shop, "shop_request", trace_request,
	TPP_UINT8("kind", kind),
	TPP_INT64("balance", balance),
	TPP_STRING("path", path),
	TPP_CHAR_ARRAY("code", 0x4, code),
	TPP_UCHAR_ARRAY("key", 2, key));

static void idle(int turns)
{
	TPP_WRITE(Shop, "shop_idle", TPP_INT32("turns", turns), TPP_UINTPTR("zero", 0));
	TPP_WRITE(Shop, "shop_tick");
}

int main(void)
{
	TPP_REGISTER_PROVIDER(Shop);
	if (trace_request_enabled())
		trace_request(7, -1, "/index.html", "ABCD", "\x01\x02");
	idle(3);
	TPP_UNREGISTER_PROVIDER(Shop);
	return 0;
}
