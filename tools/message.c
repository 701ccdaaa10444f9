/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "message.h"

/* Names come from anywhere: they must not steer the terminal. */
static void disarm(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = '?';
}

void message(const char *format, ...)
{
	int saved = errno;
	char text[4096];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	disarm(text);
	fflush(stdout);
	fprintf(stderr, "userevents: %s\n", text);
	errno = saved;
}
