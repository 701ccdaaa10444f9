/* SPDX-License-Identifier: MIT */
/* Allocates memory, or ends the tool. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "memory.h"

void memory_is_short(void)
{
	fflush(stdout);
	fputs("userevents: cannot continue: no memory\n", stderr);
	exit(EXIT_FAILED);
}

static void *checked(void *memory)
{
	if (!memory)
		memory_is_short();
	return memory;
}

void *xmalloc(size_t size)
{
	return checked(malloc(size ? size : 1));
}

void *xcalloc(size_t count, size_t size)
{
	return checked(calloc(count ? count : 1, size));
}

void *xrealloc(void *memory, size_t size)
{
	return checked(realloc(memory, size ? size : 1));
}

void *xgrow(void *items, size_t count, size_t size)
{
	if (count & (count - 1))
		return items;
	return checked(reallocarray(items, count ? count * 2 : 1, size));
}

char *xstrdup(const char *text)
{
	return checked(strdup(text));
}

char *xstrndup(const char *text, size_t length)
{
	return checked(strndup(text, length));
}

char *xvprintf(const char *format, va_list arguments)
{
	char *text = NULL;

	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	return checked(text);
}

char *xprintf(const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	text = xvprintf(format, arguments);
	va_end(arguments);
	return text;
}
