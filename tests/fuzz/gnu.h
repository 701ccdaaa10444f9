/* SPDX-License-Identifier: MIT */
/* Sources of the library define this themselves; the build defines it for the tool. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
