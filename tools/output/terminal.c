/* SPDX-License-Identifier: MIT */
/* Checks whether output should have colours. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "terminal.h"

int terminal_has_colour(int fd)
{
	const char *unwanted = getenv("NO_COLOR"), *kind = getenv("TERM");

	return isatty(fd) && !(unwanted && *unwanted) && kind && *kind &&
	       strcmp(kind, "dumb");
}
