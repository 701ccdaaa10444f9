/* SPDX-License-Identifier: MIT */
/* Opens a recording of any kind. */
#ifndef UE__TOOLS_INPUT_OPEN_INPUT_H
#define UE__TOOLS_INPUT_OPEN_INPUT_H

#include "read/source/input.h"

/*
 * Open a recording; "-" is standard input. 0, or -1 with the reason in input->problem;
 * close it in any case.
 */
int input_open(struct input *input, const char *path);
/*
 * Functions of each kind: whether these first bytes begin one, and opening it: 0 or -1.
 */
int input_is_trace_dat(const uint8_t *bytes, size_t length);
int input_open_trace_dat(struct input *input);
int input_is_capture(const uint8_t *bytes, size_t length);
int input_open_capture(struct input *input);
int input_open_ring(struct input *input);
int input_is_events(const uint8_t *bytes, size_t length);
int input_open_events(struct input *input);

#endif
