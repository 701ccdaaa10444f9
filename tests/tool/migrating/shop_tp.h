/* SPDX-License-Identifier: MIT */
/* Events of LTTng-UST, as tests/tool/migrating_test.py gives them to scripts/migrate. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER shop

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./shop_tp.h"

#if !defined(SHOP_TP_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define SHOP_TP_H

#include <lttng/tracepoint.h>

/* Each value is an argument. */
LTTNG_UST_TRACEPOINT_EVENT(shop, request,
	LTTNG_UST_TP_ARGS(uint32_t, status, uint64_t, latency_ns, const char *, path),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint32_t, status, status)
		lttng_ust_field_integer(uint64_t, latency_ns, latency_ns)
		lttng_ust_field_string(path, path)
	)
)
LTTNG_UST_TRACEPOINT_LOGLEVEL(shop, request, LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO)

/* Values are made of arguments; names before LTTng-UST 2.13. */
TRACEPOINT_EVENT(shop, stock,
	TP_ARGS(const int *, counts, size_t, count, const char *, text),
	TP_FIELDS(
		ctf_integer_hex(unsigned int, first, counts[0])
		ctf_integer_network(uint16_t, port, htons(80))
		ctf_integer(size_t, length, strlen(text))
		ctf_sequence_text(char, start, text, size_t, 3)
		ctf_array_text(char, word, text, 4)
	)
)

/* Only EventHeader events have floats and arrays. */
LTTNG_UST_TRACEPOINT_EVENT_CLASS(shop, amounts,
	LTTNG_UST_TP_ARGS(double, total, const int *, counts, size_t, count),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_float(double, total, total / 2)
		lttng_ust_field_array(int, two, counts, 2)
		lttng_ust_field_sequence(int, all, counts, size_t, count)
	)
)
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(shop, amounts, shop, paid,
	LTTNG_UST_TP_ARGS(double, total, const int *, counts, size_t, count))
LTTNG_UST_TRACEPOINT_LOGLEVEL(shop, paid, LTTNG_UST_TRACEPOINT_LOGLEVEL_WARNING)

#endif

#include <lttng/tracepoint-event.h>
