/* SPDX-License-Identifier: MIT */
/* A program with events of LTTng-UST. */
#include <string.h>

#define LTTNG_UST_TRACEPOINT_DEFINE
#include "shop_tp.h"

int main(void)
{
	const int counts[] = { 17, 4, 2 };

	/* lttng_ust_tracepoint(shop, request) in a comment stays. */
	lttng_ust_tracepoint(shop, request, 200, 1234567, "/a, (b)");
	if (lttng_ust_tracepoint_enabled(shop, stock))
		lttng_ust_do_tracepoint(shop, stock, counts, 3, "apple");
	else
		return 1;
	tracepoint(shop, paid, 5.0, counts, 3);
	return 0;
}
