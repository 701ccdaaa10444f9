/* SPDX-License-Identifier: MIT */
#include "sites.h"

#include <userevents/builder.h>

#define SITE __attribute__((noinline)) void

int session;
uint32_t u32[10] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
uint64_t u64[32] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };
int32_t s32[10] = { -1, 2, -3, 4, -5, 6, -7, 8, -9, 10 };
const char *text = "hello world";
unsigned char blob[4096];
size_t blob_size = 1024;

UE_EVENT(bench_u32x1, UE_U32(a));
UE_EVENT(bench_u32x10, UE_U32(a), UE_U32(b), UE_U32(c), UE_U32(d), UE_U32(e), UE_U32(f),
	 UE_U32(g), UE_U32(h), UE_U32(i), UE_U32(j));
UE_EVENT(bench_str11_u32, UE_STRING(name), UE_U32(number));
UE_EVENT(bench_blob1k, UE_BLOB(data));
UE_EVENT(bench_u64x32, UE_U64(a), UE_U64(b), UE_U64(c), UE_U64(d), UE_U64(e), UE_U64(f),
	 UE_U64(g), UE_U64(h), UE_U64(i), UE_U64(j), UE_U64(k), UE_U64(l), UE_U64(m),
	 UE_U64(n), UE_U64(o), UE_U64(p), UE_U64(q), UE_U64(r), UE_U64(s), UE_U64(t),
	 UE_U64(u), UE_U64(v), UE_U64(w), UE_U64(x), UE_U64(y), UE_U64(z), UE_U64(a2),
	 UE_U64(b2), UE_U64(c2), UE_U64(d2), UE_U64(e2), UE_U64(f2));

UE_PROVIDER(bench, "Bench");
UE_TRACEPOINT(bench_verbose, bench, UE_LEVEL_VERBOSE, 1);
UE_EVENTHEADER(bench_verbose, s32x1, UE_S32(a));
UE_EVENTHEADER(bench_verbose, str_s32_u64, UE_STRING(name), UE_S32(a), UE_U64(b));
UE_EVENTHEADER(bench_verbose, s32x10, UE_S32(a), UE_S32(b), UE_S32(c), UE_S32(d), UE_S32(e),
	     UE_S32(f), UE_S32(g), UE_S32(h), UE_S32(i), UE_S32(j));
static struct ue_builder *builder;

SITE write_u32x1(void);
SITE write_u32x10(void);
SITE write_str11_u32(void);
SITE write_blob1k(void);
SITE write_u64x32(void);
SITE write_s32x1(void);
SITE write_str_s32_u64(void);
SITE write_s32x10(void);
SITE place_s32x1(void);
SITE place_str_s32_u64(void);
SITE place_s32x10(void);
SITE build_str_s32_u64(void);

SITE write_u32x1(void)
{
	UE_WRITE(session, bench_u32x1, u32[0]);
}

SITE write_u32x10(void)
{
	UE_WRITE(session, bench_u32x10, u32[0], u32[1], u32[2], u32[3], u32[4], u32[5],
		 u32[6], u32[7], u32[8], u32[9]);
}

SITE write_str11_u32(void)
{
	UE_WRITE(session, bench_str11_u32, text, u32[0]);
}

SITE write_blob1k(void)
{
	UE_WRITE(session, bench_blob1k, blob, blob_size);
}

SITE write_u64x32(void)
{
	UE_WRITE(session, bench_u64x32, u64[0], u64[1], u64[2], u64[3], u64[4], u64[5],
		 u64[6], u64[7], u64[8], u64[9], u64[10], u64[11], u64[12], u64[13],
		 u64[14], u64[15], u64[16], u64[17], u64[18], u64[19], u64[20], u64[21],
		 u64[22], u64[23], u64[24], u64[25], u64[26], u64[27], u64[28], u64[29],
		 u64[30], u64[31]);
}

SITE write_s32x1(void)
{
	UE_WRITE(session, s32x1, s32[0]);
}

SITE write_str_s32_u64(void)
{
	UE_WRITE(session, str_s32_u64, text, s32[0], u64[0]);
}

SITE write_s32x10(void)
{
	UE_WRITE(session, s32x10, s32[0], s32[1], s32[2], s32[3], s32[4], s32[5], s32[6],
		 s32[7], s32[8], s32[9]);
}

SITE place_s32x1(void)
{
	UE_WRITE_EVENTHEADER(session, bench_verbose, "s32x1", UE_S32(a, s32[0]));
}

SITE place_str_s32_u64(void)
{
	UE_WRITE_EVENTHEADER(session, bench_verbose, "str_s32_u64", UE_STRING(name, text),
			     UE_S32(a, s32[0]), UE_U64(b, u64[0]));
}

SITE place_s32x10(void)
{
	UE_WRITE_EVENTHEADER(session, bench_verbose, "s32x10", UE_S32(a, s32[0]),
			     UE_S32(b, s32[1]), UE_S32(c, s32[2]), UE_S32(d, s32[3]),
			     UE_S32(e, s32[4]), UE_S32(f, s32[5]), UE_S32(g, s32[6]),
			     UE_S32(h, s32[7]), UE_S32(i, s32[8]), UE_S32(j, s32[9]));
}

__attribute__((constructor)) static void make_builder(void)
{
	builder = ue_builder_new();
}

SITE build_str_s32_u64(void)
{
	if (!UE_ENABLED(bench_verbose))
		return;
	ue_builder_begin(builder, "str_s32_u64", 0);
	ue_builder_string(builder, "name", text);
	ue_builder_s32(builder, "a", s32[0]);
	ue_builder_u64(builder, "b", u64[0]);
	ue_builder_write(builder, session, UE_TRACEPOINT_OF(bench_verbose), NULL, NULL);
}

#define FOUR(n) n, n, n, n
#define EIGHT(n) FOUR(n), FOUR(n)

const struct shape shapes[SHAPES] = {
	{ "u32x1", "ue_write_u32x1", UE_EVENT_OF(bench_u32x1), write_u32x1, { 4, 4 } },
	{ "u32x10", "ue_write_u32x10", UE_EVENT_OF(bench_u32x10), write_u32x10, { 4, EIGHT(4), 4, 4 } },
	{ "str11_u32", "ue_write_str11_u32", UE_EVENT_OF(bench_str11_u32), write_str11_u32, { 4, 4, 4, 12 } },
	{ "blob1k", "ue_write_blob1k", UE_EVENT_OF(bench_blob1k), write_blob1k, { 4, 4, 1024 } },
	{ "u64x32", "ue_write_u64x32", UE_EVENT_OF(bench_u64x32), write_u64x32,
	  { 4, EIGHT(8), EIGHT(8), EIGHT(8), EIGHT(8) } },
	{ "ueh_s32x1", "ueh_write_s32x1", &UE_TRACEPOINT_OF(bench_verbose)->event, write_s32x1, { 0 } },
	{ "ueh_str_s32_u64", "ueh_write_str_s32_u64", UE_EVENT_OF(bench_verbose),
	  write_str_s32_u64, { 0 } },
	{ "ueh_s32x10", "ueh_write_s32x10", &UE_TRACEPOINT_OF(bench_verbose)->event, write_s32x10, { 0 } },
	{ "ueh_s32x1", "ueh_place_s32x1", UE_EVENT_OF(bench_verbose), place_s32x1, { 0 } },
	{ "ueh_str_s32_u64", "ueh_place_str_s32_u64", UE_EVENT_OF(bench_verbose),
	  place_str_s32_u64, { 0 } },
	{ "ueh_s32x10", "ueh_place_s32x10", UE_EVENT_OF(bench_verbose), place_s32x10, { 0 } },
	{ "ueh_str_s32_u64", "ueh_builder_str_s32_u64", UE_EVENT_OF(bench_verbose),
	  build_str_s32_u64, { 0 } },
};
