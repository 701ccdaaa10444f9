/* SPDX-License-Identifier: MIT */
/* EXPECT: the length of the field mac is not a decimal number from 1 to 1024 */
#include <userevents/userevents.h>

#ifdef GOOD
UE_EVENT(linked, UE_CHARS(mac, 8));
#else
UE_EVENT(linked, UE_CHARS(mac, 010));
#endif
