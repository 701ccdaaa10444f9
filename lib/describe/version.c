/* SPDX-License-Identifier: MIT */
/* Return the library's version, which may be later than that of a program's headers. */
#include <userevents/version.h>

uint32_t ue_version(void)
{
	return UE_VERSION;
}
