/* SPDX-License-Identifier: MIT */
/*
 * The measured shapes, with one call site for each. The same file is timed in the VM,
 * counted by callgrind and disassembled.
 */
#ifndef UE__BENCH_SITES_H
#define UE__BENCH_SITES_H

#include <stddef.h>
#include <stdint.h>

#include <userevents/userevents.h>

#define MAX_FIELDS 34

/* The values of the sites, and their descriptor. Variables, so no value is a constant. */
extern int session;
extern uint32_t u32[10];
extern uint64_t u64[32];
extern int32_t s32[10];
extern const char *text;
extern unsigned char blob[4096];
extern size_t blob_size;

struct shape {
	const char *name;
	const char *row; /* the name of its numbers */
	struct ue_event *event;
	void (*write)(void); /* one UE_WRITE(), in a function of its own */
	/* The pieces of the record, index first: a field, or its referenced data; or
	 * none. */
	size_t pieces[MAX_FIELDS];
};

#define SHAPES 12
#define SHAPE_U32X1 0
#define SHAPE_U32X10 1
#define SHAPE_STR11_U32 2
#define SHAPE_BLOB1K 3
#define SHAPE_UEH_STR_S32_U64 6
#define SHAPE_WITH_FLOOR 8 /* the shapes up to here have a floor of their own */
extern const struct shape shapes[SHAPES];

#endif
