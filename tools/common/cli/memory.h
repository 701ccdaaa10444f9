/* SPDX-License-Identifier: MIT */
/* Allocates memory; without any, the tool ends with a message. */
#ifndef UE__TOOLS_CLI_MEMORY_H
#define UE__TOOLS_CLI_MEMORY_H

#include <stdarg.h>
#include <stddef.h>

/* Print the message, and exit. */
_Noreturn void memory_is_short(void);
void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *memory, size_t size);
/* Make room for one more item in an array of count items, which doubles. */
void *xgrow(void *items, size_t count, size_t size);
char *xstrdup(const char *text);
char *xstrndup(const char *text, size_t length);
/* sprintf(3) into memory of the right size. */
char *xprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *xvprintf(const char *format, va_list arguments)
	__attribute__((format(printf, 1, 0)));

#endif
