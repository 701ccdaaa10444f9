/* SPDX-License-Identifier: MIT */
/* The file of a program with LTTng-UST that holds its probes. */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#include "shop_tp.h"
