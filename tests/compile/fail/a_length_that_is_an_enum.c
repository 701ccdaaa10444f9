/* SPDX-License-Identifier: MIT */
/* EXPECT: the length of the field mac is not a decimal number from 1 to 1024 */
#include <userevents/userevents.h>

enum { L = 8 };
#define LENGTH 8

#ifdef GOOD
UE_EVENT(linked, UE_BYTES(mac, LENGTH));
#else
UE_EVENT(linked, UE_BYTES(mac, L));
#endif
