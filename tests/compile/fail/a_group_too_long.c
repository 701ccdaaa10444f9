/* SPDX-License-Identifier: MIT */
/* EXPECT: the name of the tracepoint info is longer than 255 bytes */
#include <userevents/userevents.h>

#define G10 "gggggggggg"
#define G50 G10 G10 G10 G10 G10

/* P_LffKfffffffffffffffG is 22, 233 are left. */
#ifdef GOOD
UE_PROVIDER(longest, "P", G50 G50 G50 G50 G10 G10 G10 "ggg");
#else
UE_PROVIDER(longest, "P", G50 G50 G50 G50 G10 G10 G10 "gggg");
#endif
UE_TRACEPOINT(info, longest, 255, 0xfffffffffffffff);
