/* SPDX-License-Identifier: MIT */
/* The stacks of a page, as capture files have them (common/records/capture_file.h). */
#ifndef UE__TOOLS_COMMON_OUTPUT_CAPTURE_STACKS_H
#define UE__TOOLS_COMMON_OUTPUT_CAPTURE_STACKS_H

#include <userevents/capture.h>

#include "common/cli/memory.h"
#include "common/records/capture_file.h"

/* Put them in place of what was packed. The head of their record; its count may be 0. */
struct capture_file_stacks capture_stacks_pack(const struct ue_captured_page *page,
					       struct bytes *packed);

#endif
