/* SPDX-License-Identifier: MIT */
/* Reports at the end of a program that was run. */
#ifndef UE__TOOLS_STREAM_PROGRAM_REPORT_H
#define UE__TOOLS_STREAM_PROGRAM_REPORT_H

#include <userevents/capture.h>

#include "stream.h"

/*
 * Report losses, why no event came, and events that were never registered. status: of
 * waitpid(2). Returns 1 if events are missing: some were lost or cannot be parsed, none was
 * registered, or one cannot be, as another has its name; else 0.
 */
int program_report(const struct ue_capture *capture, const struct stream *stream,
		   const char *program, int status);

#endif
