/* SPDX-License-Identifier: MIT */
/*
 * Events that are registered before a recording, so that their tracepoints exist when the
 * program that writes them starts. Inside tools/record.
 */
#ifndef UE__TOOLS_RECORD_REGISTER_FIRST_H
#define UE__TOOLS_RECORD_REGISTER_FIRST_H

#include "recording.h"

/*
 * Register the events of --register, and those of the command, until
 * register_first_end(). An event of the command that cannot be registered is reported,
 * and left out. command: NULL: none. 0, or an exit status after a message.
 */
int register_first(struct recording *recording, const char *command);
/* Let go of them, once the recorder has closed its events. */
void register_first_end(struct recording *recording);

#endif
