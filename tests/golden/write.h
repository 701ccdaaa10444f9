/* SPDX-License-Identifier: MIT */
/*
 * The cases of write_test.c, and their shared parts. Each writes one event of
 * written.golden in every way: by UE_WRITE() or UE_WRITE_ACTIVITY(), by
 * UE_WRITE_EVENTHEADER() or UE_WRITE_EVENTHEADER_WITH(), and with the builder.
 */
#ifndef WRITE_H
#define WRITE_H

#include <stddef.h>
#include <stdint.h>

#include <userevents/builder.h>
#include <userevents/userevents.h>

struct write_case {
	const char *name;
	struct ue_tracepoint *tracepoint;
	int (*by_event)(int fd);
	int (*by_site)(int fd); /* NULL: UE_WRITE_EVENTHEADER() takes no arrays of structs */
	void (*build)(struct ue_builder *builder);
	const struct ue_activity *activity, *related; /* for the builder */
};

#define WRITE_CASE(id) \
	{ #id, p5_ue__tracepoint, event_##id, site_##id, build_##id, NULL, NULL }
#define WRITE_CASE_WITHOUT_SITE(id) \
	{ #id, p5_ue__tracepoint, event_##id, NULL, build_##id, NULL, NULL }
#define WRITE_CASE_OF(tracepoint, activity, related, id)                       \
	{ #id, tracepoint##_ue__tracepoint, event_##id, site_##id, build_##id, \
	  activity, related }

/* In the order of written.golden; each list ends with a case without a name. */
extern const struct write_case header_cases[], number_cases[], nullable_cases[],
	string_cases[], array_cases[], around_cases[], struct_cases[], size_cases[];

/* Most events belong to this one. */
UE_PROVIDER(p, "P");
UE_TRACEPOINT_DECLARE(p5, p, UE_LEVEL_VERBOSE, 0);

/* One value, for functions that take a pointer to it. */
#define ONE(type, x) (&(const type){ x })
/* Several. */
#define SOME(type, ...) ((const type[]){ __VA_ARGS__ })
/* A constant in the order of the network: these bytes on any machine. */
#define NETWORK16(a, b) \
	(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? (a) << 8 | (b) : (b) << 8 | (a))
#define NETWORK32(a, b, c, d)                                               \
	(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ?                           \
		 (uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (c) << 8 | (d) : \
		 (uint32_t)(d) << 24 | (uint32_t)(c) << 16 | (b) << 8 | (a))
/* A pointer, of which a machine of 32 bits has the lower half. */
#define AT ((void *)(uintptr_t)0x1122334455667788)
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

extern const uint8_t ones[16], twos[16], uuid[16], ipv6[16];
/* "é€", "😀" and others, in units of two and four bytes, with a 0 at the end. */
extern const uint_least16_t smile16[], euro16[], empty16[];
extern const uint_least32_t smile32[], euro32[], empty32[];

#endif
