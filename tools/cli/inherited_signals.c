/* SPDX-License-Identifier: MIT */
#include <signal.h>

#include "inherited_signals.h"

static void (*inherited_sigpipe)(int);
static void (*inherited_sigxfsz)(int);

void signals_ignore(void)
{
	inherited_sigpipe = signal(SIGPIPE, SIG_IGN);
	inherited_sigxfsz = signal(SIGXFSZ, SIG_IGN);
}

void signals_restore(void)
{
	signal(SIGPIPE, inherited_sigpipe);
	signal(SIGXFSZ, inherited_sigxfsz);
}
