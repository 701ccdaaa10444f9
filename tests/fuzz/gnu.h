/* SPDX-License-Identifier: MIT */
/* Sources of the library define this themselves, those of the tool are given it. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
