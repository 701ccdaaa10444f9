/* SPDX-License-Identifier: MIT */
/* The kernel's event filters: trace_events_filter.c of Linux 6.1 and 6.12, as a model. */
#ifndef UE__TESTS_UNIT_WHERE_KERNEL_MODEL_H
#define UE__TESTS_UNIT_WHERE_KERNEL_MODEL_H

#include <userevents/decode/record.h>

struct kernel_record {
	const struct ue_record_layout *layout;
	const uint8_t *bytes;
	size_t length;
	const char *comm; /* 16 bytes */
	int cpu;
	int pid;
	int globs_end_at_nul; /* glob_match() without a length, as in most kernels */
};

/* 1 or 0; or -1 if the kernel would refuse the filter. */
int kernel_passes(const char *filter, const struct kernel_record *record);

#endif
