/* SPDX-License-Identifier: MIT */
/* EXPECT: the name of the tracepoint info is longer than 255 bytes */
#include <userevents/userevents.h>

#define P10 "PPPPPPPPPP"
#define P50 P10 P10 P10 P10 P10

/* _L1K0 is 5 more. */
#ifdef GOOD
UE_PROVIDER(longest, P50 P50 P50 P50 P50);
#else
UE_PROVIDER(longest, P50 P50 P50 P50 P50 "P");
#endif
UE_TRACEPOINT(info, longest, 1, 0);
