/* SPDX-License-Identifier: MIT */
/*
 * The version of the headers, and that of the library at run time.
 */
#ifndef USEREVENTS_VERSION_H
#define USEREVENTS_VERSION_H

#include <stdint.h>

#include <userevents/abi/event_state.h>

#ifdef __cplusplus
extern "C" {
#endif

/* meson refuses to configure when these are not the version in meson.build. */
#define UE_VERSION_MAJOR 0
#define UE_VERSION_MINOR 1
#define UE_VERSION_PATCH 0
#define UE_VERSION_STRING "0.1.0"

/* A version as a number: later versions have larger ones. */
#define UE_VERSION_NUMBER(major, minor, patch) ((major) << 16 | (minor) << 8 | (patch))
#define UE_VERSION \
	UE_VERSION_NUMBER(UE_VERSION_MAJOR, UE_VERSION_MINOR, UE_VERSION_PATCH)

/*
 * The version of the library that the program runs with, which may be later than that of
 * the headers it was compiled with.
 *
 * Returns UE_VERSION_NUMBER() of it. Any thread, signal handlers too. Since 0.1.
 */
UE__PUBLIC uint32_t ue_version(void);

#ifdef __cplusplus
}
#endif

#endif
