/* SPDX-License-Identifier: MIT */
/*
 * The way of records from the recorder into a file, into one file after the other, or into
 * memory that is written to files now and then. Inside tools/record.
 */
#ifndef UE__TOOLS_RECORD_RECORDER_OUTPUT_H
#define UE__TOOLS_RECORD_RECORDER_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

#include "recorder.h"

/* All functions: 0, or -1 after a message. */

/* Begin the file if that has not been done, and describe new events in it. */
int recorder_output_describe(struct recorder *recorder);
/* Put whole records there. Once recorder->is_full, nothing is put. */
int recorder_output_put(struct recorder *recorder, const uint8_t *bytes, size_t length);
/*
 * After recorder->is_full, of several files: complete the last one, and begin the next, as
 * there may be space again.
 */
int recorder_output_again(struct recorder *recorder);
/* Complete the file. */
int recorder_output_finish(struct recorder *recorder);

#endif
