/* SPDX-License-Identifier: MIT */
/* EXPECT: the length of the field mac is not a decimal number from 1 to 1024 */
#include <userevents/userevents.h>

#define LENGTH 4 + 4

#ifdef GOOD
UE_EVENT(linked, UE_BYTES(mac, 8));
#else
UE_EVENT(linked, UE_BYTES(mac, LENGTH));
#endif
