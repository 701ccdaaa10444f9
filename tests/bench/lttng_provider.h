/* SPDX-License-Identifier: MIT */
/* The same shapes as tracepoints of LTTng-UST. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER ue_bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "lttng_provider.h"

#if !defined(UE__BENCH_LTTNG_PROVIDER_H) || \
	defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define UE__BENCH_LTTNG_PROVIDER_H

#include <lttng/tracepoint.h>

#define INTEGER(name) lttng_ust_field_integer(uint32_t, name, name)

LTTNG_UST_TRACEPOINT_EVENT(ue_bench, u32x1,
	LTTNG_UST_TP_ARGS(uint32_t, a),
	LTTNG_UST_TP_FIELDS(INTEGER(a)))

LTTNG_UST_TRACEPOINT_EVENT(ue_bench, u32x10,
	LTTNG_UST_TP_ARGS(uint32_t, a, uint32_t, b, uint32_t, c, uint32_t, d, uint32_t, e,
			  uint32_t, f, uint32_t, g, uint32_t, h, uint32_t, i, uint32_t, j),
	LTTNG_UST_TP_FIELDS(INTEGER(a) INTEGER(b) INTEGER(c) INTEGER(d) INTEGER(e)
			    INTEGER(f) INTEGER(g) INTEGER(h) INTEGER(i) INTEGER(j)))

LTTNG_UST_TRACEPOINT_EVENT(ue_bench, str11_u32,
	LTTNG_UST_TP_ARGS(const char *, name, uint32_t, number),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_string(name, name) INTEGER(number)))

#endif

#include <lttng/tracepoint-event.h>
