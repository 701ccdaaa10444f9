/* SPDX-License-Identifier: MIT */
/* Events that both files of the program of scripts/matrix write. */
#ifndef MATRIX_SHARED_H
#define MATRIX_SHARED_H

#include <userevents/userevents.h>

UE_EVENT_DECLARE(shared, UE_S64(value));
UE_PROVIDER(matrix, "Matrix");
UE_TRACEPOINT_DECLARE(everything, matrix, UE_LEVEL_VERBOSE, 0);

void write_other(int fd);

#endif
