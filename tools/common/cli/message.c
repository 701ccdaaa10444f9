/* SPDX-License-Identifier: MIT */
/* Prints messages. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "message.h"

/* The state of a thread: another one may have more to report meanwhile. */
static _Thread_local FILE *diverted;

void message_divert(FILE *file)
{
	diverted = file;
}

FILE *message_file(void)
{
	return diverted ? diverted : stderr;
}

void message(const char *format, ...)
{
	int saved = errno;
	char text[4096];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	controls_blank(text, strlen(text)); /* names come from anywhere */
	fflush(stdout);
	fprintf(message_file(), "userevents: %s\n", text);
	errno = saved;
}
