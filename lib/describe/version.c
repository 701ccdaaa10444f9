/* SPDX-License-Identifier: MIT */
/* The version of the library, for programs that were compiled with another one's headers. */
#include <userevents/version.h>

uint32_t ue_version(void)
{
	return UE_VERSION;
}
