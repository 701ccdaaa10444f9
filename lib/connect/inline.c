/* SPDX-License-Identifier: MIT */
/*
 * A real symbol of ue_enabled(), for languages that cannot include a C header.
 */
#define UE__INLINE __attribute__((visibility("default")))

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#include <userevents/abi/event_state.h>
