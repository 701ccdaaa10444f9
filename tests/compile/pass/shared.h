/* SPDX-License-Identifier: MIT */
#ifndef SHARED_H
#define SHARED_H

#include <userevents/userevents.h>

#ifdef __cplusplus
extern "C" {
#endif

UE_EVENT_DECLARE(shared, UE_U32(number), UE_STRING(text));

/* An inline function in a header, for every file that includes it. */
static inline int write_shared_inline(int fd, uint32_t number)
{
	return UE_WRITE(fd, shared, number, "inline");
}

int write_shared(int fd);
int write_from_cpp(int fd);
__attribute__((visibility("default"))) void report_plugin(void);

#ifdef __cplusplus
}
#endif

#endif
