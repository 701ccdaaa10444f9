/* SPDX-License-Identifier: MIT */
/* Definitions of events from the command line and from files. */
#ifndef UE__TOOLS_CLI_EVENT_TEXT_H
#define UE__TOOLS_CLI_EVENT_TEXT_H

#include <stdint.h>

/*
 * The definition to register: the text, with the fields of EventHeader tracepoints if it
 * is only the name of one. To be freed; NULL after a message. place: " in FILE, line N",
 * or "".
 */
const char *definition_complete(const char *text, uint32_t flags, const char *place);

#endif
